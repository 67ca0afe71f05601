//! The command line: what may be written there, and the help that explains it.
//!
//! Nothing here runs anything. Everything that a stranger needs to know is in these texts.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::status::Status;

/// The seed of a run that names none.
const SEED: u64 = 20_261_021;

const PROVE: &str = "Prove the statements of files and folders.\n\n\
    For each statement: whether its backward rule is the adjoint of the derivative for all shapes and \
    all inputs of the domain, the domain, why the rule may be believed (proved, or what it declares of \
    its nonsmooth points), and the time. A refuted rule is shown with a counterexample: dimensions, \
    inputs, cotangents, and the number that the rule gives beside the right one. A rule that is \
    neither proved nor refuted is undecided, and counts as failing. A statement without a rule gets \
    the one that the kernel derives.";

const VERIFY: &str = "Run all evidence that the library has, and write a report.\n\n\
    Every statement that the library is made of is proved again, and the laws are run on the code that \
    was made from it. The report is a JSON file with the results of each suite. It is replaced as a \
    whole: a run that is stopped, or that can't write, leaves the old one as it was.";

/// Proves backward rules, or shows where they are wrong.
#[derive(Parser)]
#[command(
    name = "pullback",
    version,
    about = "Proves backward rules for all shapes and inputs, or shows where they are wrong",
    long_about = "Proves backward rules for all shapes and inputs, or shows where they are wrong.\n\n\
                  A statement is a tensor operation and its backward rule, written in index notation in a \
                  .contract file. `pullback prove` checks statements of your own; `pullback verify` runs all \
                  evidence that the library has for itself, and is what happens without a subcommand.",
    after_long_help = "\
Examples:
  pullback                              run all evidence, write verification-results.json
  pullback prove softmax.contract       prove the statements of a file
  pullback prove contracts --json       prove every file of a folder, one JSON object a line

Exit codes:
  0  everything holds
  1  something does not hold: refuted, or not proved
  2  something could not be read, parsed or written",
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
    /// Give up on a statement after this time: it is undecided then
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) time_limit: Duration,
}

/// `pullback verify`
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  pullback verify
  pullback verify --seed 7 --output /tmp/report.json
  pullback verify --json | jq '.suites[] | {name, holds, counts}'

Exit codes:
  0  everything holds
  1  something does not hold
  2  a suite could not run, or the report could not be written")]
pub(crate) struct Verify {
    /// Where the report goes
    #[arg(long, value_name = "FILE", default_value = "verification-results.json")]
    pub(crate) output: PathBuf,
    /// Where the random points of the laws start: the same seed, the same points
    #[arg(long, value_name = "N", default_value_t = SEED)]
    pub(crate) seed: u64,
    /// Print the report as one line of JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// A positive number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "a positive number of seconds, such as 60 or 0.5".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    if seconds > 0.0 { Duration::try_from_secs_f64(seconds).map_err(|_| wrong()) } else { Err(wrong()) }
}

/// What the command line asks for. Help, the version and misuse are printed, and end the run.
pub(crate) fn parse() -> Result<Task, Status> {
    match Cli::try_parse() {
        Ok(cli) => Ok(cli.task.unwrap_or_else(|| {
            Task::Verify(Verify { output: PathBuf::from("verification-results.json"), seed: SEED, json: false })
        })),
        Err(error) => {
            // A reader that went away wants no help.
            let _ = error.print();
            Err(if error.use_stderr() { Status::CouldNotRun } else { Status::Holds })
        }
    }
}
