//! The command line: what may be written there, and the help that explains it.
//!
//! Nothing here runs anything. Everything that a stranger needs to know is in these texts.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use pullback_evidence::SEED;
use pullback_program::{Budget, Limits};

use crate::status::Status;
use crate::verify::suites::SUITES;

const PROVE: &str = "Prove the statements of files and folders.\n\n\
    For each statement: whether its backward rule is the adjoint of the derivative for all shapes and \
    all inputs of the domain, the domain, why the rule may be believed (proved, or what it declares of \
    its nonsmooth points), and the time. A refuted rule is shown with a counterexample: dimensions, \
    inputs, cotangents, and the number that the rule gives beside the right one. A rule that is \
    neither proved nor refuted is undecided, and counts as failing. A statement without a rule gets \
    the one that the kernel derives.";

const VERIFY: &str = "Run all evidence that the library has, and write a report.\n\n\
    Every statement that the library is made of is proved again, and the laws are run on the code that \
    was made from it. Programs are compared with oracles of their own: rational graphs with polynomials, \
    gathers with their transposition law, smooth tensor graphs with extrapolated differences, and all of \
    them with what is read back from JSON. The report is a JSON file with the results of each suite. It is \
    replaced as a whole: a run that is stopped, or that can't write, leaves the old one as it was.";

const CHECK: &str = "Check a program.\n\n\
    Whether it is well-formed: statements, sizes, index data, references, shapes. Then its inputs and \
    outputs, the conditions of its domain, instruction by instruction, whether its gradient is proved or \
    which instructions stand in the way, and the values that are saved for the backward rules: shapes, \
    bytes, who makes them and who reads them, in total and at most at one time.\n\n\
    The domain is said in the names of the inputs; a condition that holds for all inputs, as the kernel \
    shows, is left out, and one that would grow past reading is said in the names of its statement.";

const EVAL: &str = "Evaluate a program.\n\nThe outputs by name, as JSON, for inputs by name. A value that is not \
    finite ends the evaluation, and a boundary of a declared rule that the point is on is said on standard \
    error. A program in the core form is evaluated with a bound on its error: what has lost its digits is \
    refused, with the instruction.";

const JVP: &str = "The directional derivative of a program.\n\n\
    The tangents of the outputs by name, as JSON, for inputs and tangents of theirs by name. A statement \
    that declares its rule is differentiated by its rule.";

const VJP: &str = "The pullback of a program.\n\n\
    The cotangents of the inputs by name, as JSON, for inputs by name and cotangents of the outputs by \
    name. Of an output [] with the cotangent 1 this is the gradient.";

const TRANSFORM: &str = "Transform a program.\n\n\
    The reverse program takes the inputs and a cotangent of each output, and gives a cotangent of each \
    input; the forward program takes the inputs and a tangent of each, and gives a tangent of each output. \
    Both are programs like any other and may be transformed again.";

const DRAW: &str = "Draw a program.\n\n\
    The program and its reverse program side by side, with shapes, and with the saved values marked. SVG \
    is for browsers, light or dark as the screen is; DOT is for Graphviz. A picture has at most a few \
    hundred instructions.";

const PROGRAM: &str = "Make a program of one statement.\n\n\
    The statement is one of the library, by name, or that of a file. Its dimensions get sizes, its \
    parameters, index maps and constants their values; its inputs and outputs are those of the program. \
    What is printed is for the other subcommands to read.";

const ARCHITECTURE: &str = "Compile an architecture to a program.\n\n\
    An architecture is a layer, made of layers, with the sizes of what it is applied to. It is verified, \
    and then: its inputs, its parameters with shapes, what they are for and how many numbers they hold, its \
    outputs, and the number of instructions of its program. With --output the program is written, for the \
    other subcommands to read. With --lower it is the program in the core language, which has the schemas \
    of the theory and nothing else.";

const ARRAYS: &str = "\
Arrays are a JSON object:
  {\"x\": {\"shape\": [2, 2], \"data\": [1, 0, 0.5, \"1/3\"]}, \"w\": [[1, 2]], \"eps\": 1e-3}
A JSON number is a float, a string an exact rational. One number as data stands for all elements.";

/// Proves backward rules, or shows where they are wrong.
#[derive(Parser)]
#[command(
    name = "pullback",
    version,
    about = "Proves backward rules for all shapes and inputs, or shows where they are wrong",
    long_about = "Proves backward rules for all shapes and inputs, or shows where they are wrong.\n\n\
                  A statement is a tensor operation and its backward rule, written in index notation in a \
                  .contract file. `pullback prove` checks statements of your own; `pullback verify` runs all \
                  evidence that the library has for itself, and is what happens without a subcommand. A \
                  program is a list of such operations in a JSON file: `pullback check` says what is known of \
                  it, and the other subcommands evaluate, differentiate, transform and draw it; `pullback \
                  architecture` makes one from layers, `pullback program` of a statement.",
    after_long_help = "\
Examples:
  pullback                              run all evidence, write verification-results.json
  pullback prove softmax.contract       prove the statements of a file
  pullback prove contracts --json       prove every file of a folder, one JSON object a line
  pullback check model.json             what is known of a program
  pullback draw model.json > model.svg  a picture of it

Exit codes:
  0  everything holds
  1  something does not hold: refuted, or not proved
  2  something could not be read, parsed, evaluated or written",
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    task: Option<Task>,
}

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Task {
    /// Prove the statements of files and folders
    #[command(long_about = PROVE)]
    Prove(Prove),
    /// Run all evidence that the library has, and write a report
    #[command(long_about = VERIFY)]
    Verify(Verify),
    /// Check a program: structure, domain, evidence, saved values
    #[command(long_about = CHECK)]
    Check(Check),
    /// Evaluate a program
    #[command(long_about = EVAL)]
    Eval(Eval),
    /// The directional derivative of a program: tangents of outputs from tangents of inputs
    #[command(long_about = JVP)]
    Jvp(Jvp),
    /// The pullback of a program: cotangents of inputs from cotangents of outputs
    #[command(long_about = VJP)]
    Vjp(Vjp),
    /// The reverse or the forward program of a program
    #[command(long_about = TRANSFORM)]
    Transform(Transform),
    /// A picture of a program
    #[command(long_about = DRAW)]
    Draw(Draw),
    /// Make a program of one statement
    #[command(long_about = PROGRAM)]
    Program(Program),
    /// Verify an architecture, and compile it to a program
    #[command(long_about = ARCHITECTURE)]
    Architecture(Architecture),
    /// Takes inputs of the suite `hostile`; `verify` starts it, in processes that such inputs may end
    #[command(hide = true)]
    Worker(Worker),
}

/// What a worker takes.
#[derive(Args)]
pub(crate) struct Worker {
    /// Where random draws start
    pub(crate) seed: u64,
    /// The first input
    pub(crate) from: usize,
    /// The one after the last
    pub(crate) to: usize,
}

/// `pullback prove`
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  pullback prove softmax.contract       one file
  pullback prove contracts my.contract  a folder and a file
  cat my.contract | pullback prove -    standard input
  pullback prove contracts --json | jq 'select(.outcome != \"proved\") | .name'

A statement looks like this:
  // The square of each element.
  contract square version 1
  dims   s..
  input  x[s..]
  output y[i..] = x[i..]^2
  saves  x
  dx[i..] = 2 * x[i..] * dy[i..]

Exit codes:
  0  all statements are proved
  1  one is refuted or undecided
  2  a file could not be read or parsed, or a folder holds no .contract file")]
pub(crate) struct Prove {
    /// Files, folders, or - for standard input
    ///
    /// A folder is searched for files that end in .contract, in the order of their paths; hidden folders in it
    /// are left out, links are followed, and no file is proved twice. A file named here may end in anything.
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub(crate) paths: Vec<PathBuf>,
    /// Print one JSON object a line
    ///
    /// An object has `name`, `version`, `file`, `outcome` (proved, refuted or undecided), `evidence`, `domain`,
    /// `milliseconds`, `counterexample` and `undecided`. What could not be read or parsed is an object with
    /// `error`, `file`, `line`, `column`, `code`, `message` and `help`.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) within: Within,
}

/// What one statement, program or evaluation may cost, counted before it is spent.
#[derive(Args, Clone, Copy)]
pub(crate) struct Within {
    /// Work that one statement, program or evaluation may take, in units of about a nanosecond: with a suffix k, M, G or T if you like
    ///
    /// It is counted and never measured, so that a verdict does not depend on the load of the machine.
    #[arg(long, value_name = "UNITS", default_value = "1G", value_parser = work)]
    work: u64,
    /// Memory that tables, arrays and numbers may take: with a suffix KiB, MiB, GiB or TiB
    #[arg(long, value_name = "BYTES", default_value = "128MiB", value_parser = memory)]
    memory: u64,
}

impl Within {
    /// As a budget.
    pub(crate) fn budget(self) -> Budget {
        Budget { work: self.work, bytes: self.memory }
    }

    /// The limits of programs, with this budget.
    pub(crate) fn limits(self) -> Limits {
        Limits { budget: self.budget(), ..Limits::default() }
    }
}

/// `pullback verify`
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  pullback verify
  pullback verify --seed 7 --output /tmp/report.json
  pullback verify --suite tensor_graphs --scale 100
  pullback verify --json | jq '.suites[] | {name, holds, counts}'

Exit codes:
  0  everything holds
  1  something does not hold
  2  a suite could not run, or the report could not be written")]
pub(crate) struct Verify {
    /// Where the report goes: a file, or - for standard output, which then has nothing else
    #[arg(long, value_name = "FILE", default_value = "verification-results.json")]
    pub(crate) output: PathBuf,
    /// Where random draws start: the same seed, the same draws
    #[arg(long, value_name = "N", default_value_t = SEED, value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Make this many times as many random draws; suites that draw nothing are as they are
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = scale, allow_negative_numbers = true)]
    pub(crate) scale: usize,
    /// Run this suite and no other; may be given several times
    #[arg(long = "suite", value_name = "NAME", value_parser = PossibleValuesParser::new(SUITES.iter().map(|s| s.name)))]
    pub(crate) suites: Vec<String>,
    /// Print the report as one line of JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pullback check`
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  pullback check model.json
  pullback check model.json --require-proof
  pullback check model.json --json | jq '.saved.bytes'

Exit codes:
  0  the program is well-formed
  1  with --require-proof: its gradient is not proved
  2  it could not be read, or is not well-formed")]
pub(crate) struct Check {
    /// The program: a JSON file, or - for standard input
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: PathBuf,
    /// Exit with 1 if the gradient is not proved
    #[arg(long)]
    pub(crate) require_proof: bool,
    /// The numbers whose bytes are counted
    #[arg(long, value_name = "SCALAR", value_enum, default_value_t = Float::F64)]
    pub(crate) scalar: Float,
    #[command(flatten)]
    pub(crate) within: Within,
    /// Print one JSON object: all that is known, or for each fault an object with `error` and `message`
    #[arg(long)]
    pub(crate) json: bool,
}

/// A scalar of a fixed size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Float {
    /// Four bytes
    F32,
    /// Eight bytes
    F64,
}

/// The numbers of an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Scalar {
    /// Single precision
    F32,
    /// Double precision
    F64,
    /// Exact: for programs without roots, exponentials and the like
    Rational,
}

/// What happens to a value that is infinite or not a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Nonfinite {
    /// It ends the evaluation; the instruction that made it is named
    Refuse,
    /// It goes on, as floats do; what comes out must be finite
    Allow,
}

/// What happens where a boundary of a declared rule is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Boundary {
    /// It is said, on standard error
    Say,
    /// It ends the evaluation
    Refuse,
}

/// A program and what it is evaluated at.
#[derive(Args)]
pub(crate) struct At {
    /// The program: a JSON file, or - for standard input
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: PathBuf,
    /// Arrays for the inputs: a JSON file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) inputs: Option<PathBuf>,
    /// The numbers
    #[arg(long, value_name = "SCALAR", value_enum, default_value_t = Scalar::F64)]
    pub(crate) scalar: Scalar,
    /// What happens to a value on the way that is infinite or not a number
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Nonfinite::Refuse)]
    pub(crate) nonfinite: Nonfinite,
    /// What happens where the point is on a boundary of a declared rule
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Boundary::Say)]
    pub(crate) boundary: Boundary,
    #[command(flatten)]
    pub(crate) within: Within,
    /// Where the result goes, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// `pullback eval`
#[derive(Args)]
#[command(after_long_help = format!("\
{ARRAYS}

Examples:
  pullback eval model.json --inputs point.json
  pullback eval model.json --inputs point.json --scalar rational --output values.json

Exit codes:
  0  evaluated
  2  not evaluated: a bad file, arrays that do not fit, a point outside of the domain, a value
     that is not finite"))]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) at: At,
}

/// `pullback jvp`
#[derive(Args)]
#[command(after_long_help = format!("\
{ARRAYS}

Examples:
  pullback jvp model.json --inputs point.json --tangents direction.json

Exit codes:
  0  evaluated
  2  not evaluated: a bad file, arrays that do not fit, a point outside of the domain, a value
     that is not finite"))]
pub(crate) struct Jvp {
    #[command(flatten)]
    pub(crate) at: At,
    /// Arrays for the tangents, by the names of the inputs: a JSON file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) tangents: PathBuf,
}

/// `pullback vjp`
#[derive(Args)]
#[command(after_long_help = format!("\
{ARRAYS}

Examples:
  pullback vjp model.json --inputs point.json --cotangents seed.json
  echo '{{\"loss\": 1}}' | pullback vjp model.json --inputs point.json --cotangents -

Exit codes:
  0  evaluated
  2  not evaluated: a bad file, arrays that do not fit, a point outside of the domain, a value
     that is not finite"))]
pub(crate) struct Vjp {
    #[command(flatten)]
    pub(crate) at: At,
    /// Arrays for the cotangents, by the names of the outputs: a JSON file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) cotangents: PathBuf,
}

/// A program of the derivative.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Mode {
    /// From cotangents of the outputs to cotangents of the inputs
    Reverse,
    /// From tangents of the inputs to tangents of the outputs
    Forward,
}

/// `pullback transform`
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  pullback transform model.json --to reverse --with-value --output gradient.json
  pullback transform model.json --to reverse | pullback transform - --to forward

Exit codes:
  0  transformed
  2  not transformed: a bad file, or an operation without a rule")]
pub(crate) struct Transform {
    /// The program: a JSON file, or - for standard input
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: PathBuf,
    /// Which program is wanted
    #[arg(long, value_name = "MODE", value_enum)]
    pub(crate) to: Mode,
    /// Keep the outputs, before those of the transformed program
    #[arg(long)]
    pub(crate) with_value: bool,
    #[command(flatten)]
    pub(crate) within: Within,
    /// Where the program goes, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The form of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Picture {
    /// For browsers
    Svg,
    /// For Graphviz
    Dot,
}

/// `pullback draw`
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  pullback draw model.json --output model.svg
  pullback draw model.json --format dot | dot -Tpdf > model.pdf

Exit codes:
  0  drawn
  2  not drawn: a bad file, or a program that is too large for a picture")]
pub(crate) struct Draw {
    /// The program: a JSON file, or - for standard input
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: PathBuf,
    /// The form of the picture
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Picture::Svg)]
    pub(crate) format: Picture,
    #[command(flatten)]
    pub(crate) within: Within,
    /// Where the picture goes, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// `NAME=VALUE`
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// `pullback program`
#[derive(Args, Clone)]
#[command(after_long_help = "\
Examples:
  pullback program matmul --dims m=2 k=3 n=4
  pullback program layer_norm --dims s=8 n=16 --param eps=1e-5 | pullback check -
  pullback program gather --dims m=2 n=3 s=4x5 --map at=2,0
  pullback program my.contract --dims n=7 --output my.json

Exit codes:
  0  made
  2  not made: no such statement, or data that it does not take")]
pub(crate) struct Program {
    /// A statement of the library by its name, or a file that ends in .contract, or - for standard input
    #[arg(value_name = "STATEMENT")]
    pub(crate) statement: String,
    /// The size of each dimension, NAME=SIZE; of a pack NAME=2x3, and NAME= for no axes
    #[arg(long, value_name = "NAME=SIZE", num_args = 1.., value_parser = named)]
    pub(crate) dims: Vec<Named>,
    /// The value of each parameter, exact: NAME=1e-5, NAME=1/3
    #[arg(long = "param", value_name = "NAME=NUMBER", num_args = 1.., value_parser = named)]
    pub(crate) params: Vec<Named>,
    /// Each index map: NAME=2,0,1 for its places in order, - where a partial one has none, or NAME=row-major
    #[arg(long = "map", value_name = "NAME=PLACES", num_args = 1.., value_parser = named)]
    pub(crate) maps: Vec<Named>,
    /// The numbers of each constant, exact: NAME=1,0.5,1/3, or one for all
    #[arg(long = "constant", value_name = "NAME=NUMBERS", num_args = 1.., value_parser = named)]
    pub(crate) constants: Vec<Named>,
    /// Where the program goes, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// A name and what stands for it.
fn named(text: &str) -> Result<Named, String> {
    let split = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = split.ok_or_else(|| "write NAME=VALUE".to_owned())?;
    Ok(Named { name: name.to_owned(), value: value.to_owned() })
}

/// `pullback architecture`
#[derive(Args)]
#[command(after_long_help = "\
An architecture looks like this; docs/architecture.schema.json has every layer:
  {\"version\": 1, \"inputs\": [[32, 5]],
   \"layer\": {\"sequential\": [{\"dense\": {\"features\": 8, \"bias\": true}}, {\"activation\": \"tanh\"}]}}

Examples:
  pullback architecture network.json
  pullback architecture network.json --output - | pullback check -
  pullback architecture network.json --json | jq '.parameters[].path'

Exit codes:
  0  the architecture fits together
  1  it does not, or with --lower: it has no form in the core language
  2  it could not be read, or the program could not be written")]
pub(crate) struct Architecture {
    /// The architecture: a JSON file, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) architecture: PathBuf,
    /// The program in the core language, instead of that of fused operations
    #[arg(long)]
    pub(crate) lower: bool,
    #[command(flatten)]
    pub(crate) within: Within,
    /// Where the program goes: a file, or - for standard output, which then has nothing else
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print one JSON object: all that is known, or for what is wrong an object with `error` and `message`
    #[arg(long)]
    pub(crate) json: bool,
}

/// Units of work; each suffix is 1024 times the one before.
fn work(text: &str) -> Result<u64, String> {
    scaled(text, &["", "k", "M", "G", "T"])
        .ok_or_else(|| format!("a whole number of units, such as 4G, from 1 to {}", u64::MAX))
}

/// Bytes.
fn memory(text: &str) -> Result<u64, String> {
    scaled(text, &["", "KiB", "MiB", "GiB", "TiB"])
        .ok_or_else(|| format!("a whole number of bytes, such as 2GiB, from 1 to {}", u64::MAX))
}

/// A positive whole number with one of the suffixes.
fn scaled(text: &str, suffixes: &[&str]) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let power = suffixes.iter().position(|suffix| *suffix == text[end..].trim_start())?;
    let number: u64 = text[..end].parse().ok()?;
    number.checked_mul(1 << (10 * power)).filter(|n| *n > 0)
}

/// How often random draws are made: once, up to a million times.
fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a whole number from 0 to {}", u64::MAX))
}

fn scale(text: &str) -> Result<usize, String> {
    let wrong = || "a whole number from 1 to 1000000".to_owned();
    text.parse().ok().filter(|scale| (1..=1_000_000).contains(scale)).ok_or_else(wrong)
}

/// What the command line asks for. Help, the version and misuse are printed, and end the run.
pub(crate) fn parse() -> Result<Task, Status> {
    match Cli::try_parse() {
        Ok(cli) => Ok(cli.task.unwrap_or_else(|| {
            let output = PathBuf::from("verification-results.json");
            Task::Verify(Verify { output, seed: SEED, scale: 1, suites: Vec::new(), json: false })
        })),
        Err(error) => {
            // A reader that went away wants no help.
            let _ = error.print();
            Err(if error.use_stderr() { Status::CouldNotRun } else { Status::Holds })
        }
    }
}
