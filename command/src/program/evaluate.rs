//! `pullback eval`, `jvp` and `vjp`: values and derivatives at a point.
//!
//! [`Runs`] says how each verb is evaluated: by an executable for floats, by the statements as they are written for exact numbers.

use std::path::{Path, PathBuf};

use pullback_kernel::Rational;
use pullback_program::execute::{Executable, Numerics};
use pullback_program::interchange::{Arrays, ArraysError, Scalar};
use pullback_program::{DynProgram, Limits};
use pullback_scalar::Real;

use crate::arguments;
use crate::output::{Closed, Console};
use crate::problem::{Problem, ProgramProblem};
use crate::source::Origin;
use crate::status::Status;

use super::{Problems, document, read};

/// Runs `pullback eval`.
pub(crate) fn eval(arguments: &arguments::Eval, console: &mut Console) -> Result<Status, Closed> {
    run(&arguments.at, Verb::Eval, None, console)
}

/// Runs `pullback jvp`.
pub(crate) fn jvp(arguments: &arguments::Jvp, console: &mut Console) -> Result<Status, Closed> {
    run(&arguments.at, Verb::Jvp, Some(&arguments.tangents), console)
}

/// Runs `pullback vjp`.
pub(crate) fn vjp(arguments: &arguments::Vjp, console: &mut Console) -> Result<Status, Closed> {
    run(&arguments.at, Verb::Vjp, Some(&arguments.cotangents), console)
}

/// How a scalar is evaluated: floats by executables, exact numbers by the statements as they are written.
trait Runs: Scalar {
    /// The outputs for these inputs.
    fn values(program: &DynProgram, inputs: &[Vec<Self>]) -> Result<Vec<Vec<Self>>, String>;

    /// The cotangents of the inputs for these inputs and cotangents of the outputs.
    fn pulled(program: &DynProgram, inputs: &[Vec<Self>], cotangents: &[Vec<Self>]) -> Result<Vec<Vec<Self>>, String>;

    /// The tangents of the outputs for these inputs and tangents of theirs.
    fn pushed(program: &DynProgram, inputs: &[Vec<Self>], tangents: &[Vec<Self>]) -> Result<Vec<Vec<Self>>, String> {
        let pushed = program.directional(inputs, tangents);
        pushed.map(|(_, tangents)| tangents).map_err(|error| error.to_string())
    }
}

impl Runs for Rational {
    fn values(program: &DynProgram, inputs: &[Vec<Self>]) -> Result<Vec<Vec<Self>>, String> {
        program.evaluate(inputs).map_err(|error| error.to_string())
    }

    fn pulled(program: &DynProgram, inputs: &[Vec<Self>], cotangents: &[Vec<Self>]) -> Result<Vec<Vec<Self>>, String> {
        let (_, tape) = program.linearize(inputs).map_err(|error| error.to_string())?;
        program.pullback(&tape, cotangents).map_err(|error| error.to_string())
    }
}

macro_rules! floats {
    ($($float:ty),*) => {$(
        impl Runs for $float {
            fn values(program: &DynProgram, inputs: &[Vec<Self>]) -> Result<Vec<Vec<Self>>, String> {
                planned(program, inputs)
            }

            fn pulled(
                program: &DynProgram,
                inputs: &[Vec<Self>],
                cotangents: &[Vec<Self>],
            ) -> Result<Vec<Vec<Self>>, String> {
                // An instruction outside of its domain is named in the numbering of the program, not of its reverse.
                planned(program, inputs)?;
                let reverse = program.reverse().map_err(|error| error.to_string())?;
                planned(&reverse, &[inputs, cotangents].concat())
            }
        }
    )*};
}

floats!(f32, f64);

/// The outputs of a program, planned and run once.
fn planned<T: Real>(program: &DynProgram, inputs: &[Vec<T>]) -> Result<Vec<Vec<T>>, String> {
    let mut executable = Executable::new(program, Numerics::default()).map_err(|error| error.to_string())?;
    let lengths = program.outputs().iter().map(|o| program.shape_of(o.value).elements());
    let mut outputs: Vec<Vec<T>> = lengths.map(|n| vec![T::zero(); n]).collect();
    let inputs: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
    let mut slots: Vec<&mut [T]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    executable.run(&inputs, &mut slots).map_err(|error| error.to_string())?;
    Ok(outputs)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verb {
    Eval,
    Jvp,
    Vjp,
}

/// Arrays of a document as those of a program.
type Fit<N> = fn(&Arrays, &DynProgram) -> Result<Vec<Vec<N>>, ArraysError>;

/// What a job needs.
struct Job {
    verb: Verb,
    program: PathBuf,
    inputs: Option<PathBuf>,
    /// Tangents or cotangents.
    along: Option<PathBuf>,
    limits: Limits,
}

fn run(at: &arguments::At, verb: Verb, along: Option<&PathBuf>, console: &mut Console) -> Result<Status, Closed> {
    let (program, inputs, limits) = (at.program.clone(), at.inputs.clone(), at.within.limits());
    let job = Job { verb, program, inputs, along: along.cloned(), limits };
    let scalar = at.scalar;
    document(console, &at.program, at.output.as_deref(), move |tell| match scalar {
        arguments::Scalar::F32 => job.run::<f32>(tell),
        arguments::Scalar::F64 => job.run::<f64>(tell),
        arguments::Scalar::Rational => job.run::<Rational>(tell),
    })
}

impl Job {
    fn run<N: Runs>(&self, tell: &mut dyn FnMut(&str)) -> Result<String, Problems> {
        let (inputs, along) = (self.inputs.as_deref(), self.along.as_deref());
        read::once(&[Some(&self.program), inputs, along])?;
        tell("reading");
        let program = read::program(&self.program, &self.limits)?;
        let fits = |path: Option<&Path>, of: Fit<N>| {
            of(&read::arrays(path)?, &program).map_err(|error| {
                let file = Origin::of(path.unwrap_or(&self.program)).name();
                let problem = Problem::of_program(ProgramProblem::Arrays, &file, error.to_string());
                vec![if path.is_none() { problem.with_help("name a file of arrays with --inputs") } else { problem }]
            })
        };
        let x = fits(inputs, Arrays::for_inputs)?;
        let evaluation = |error: String| vec![self.problem(ProgramProblem::Evaluation, error)];
        let result = match self.verb {
            Verb::Eval => {
                tell("evaluating");
                let y = N::values(&program, &x).map_err(evaluation)?;
                Arrays::of_outputs(&program, &y)
            }
            Verb::Jvp => {
                let v = fits(along, Arrays::for_inputs)?;
                tell("evaluating");
                Arrays::of_outputs(&program, &N::pushed(&program, &x, &v).map_err(evaluation)?)
            }
            Verb::Vjp => {
                let u = fits(along, Arrays::for_outputs)?;
                tell("evaluating");
                Arrays::of_inputs(&program, &N::pulled(&program, &x, &u).map_err(evaluation)?)
            }
        };
        let result = result.map_err(|error| vec![self.problem(ProgramProblem::Evaluation, error.to_string())])?;
        result.to_json().map_err(|error| read::unwritten(&self.program, &error))
    }

    fn problem(&self, kind: ProgramProblem, message: String) -> Problem {
        Problem::of_program(kind, &Origin::of(&self.program).name(), message)
    }
}
