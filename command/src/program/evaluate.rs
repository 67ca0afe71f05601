//! `pullback eval`, `jvp` and `vjp`: values and derivatives at a point.
//!
//! [`Runs`] says how each verb is evaluated: by an executable for floats, by the statements as they are written for exact numbers.

use std::path::{Path, PathBuf};

use pullback_kernel::Rational;
use pullback_program::evaluate::{AtBoundary, Touched};
use pullback_program::execute::{Executable, Nonfinite, Numerics};
use pullback_program::interchange::{Arrays, ArraysError, Scalar};
use pullback_program::{DynProgram, Limits};
use pullback_scalar::Real;

use crate::arguments;
use crate::output::{Closed, Console};
use crate::problem::{Problem, ProgramProblem};
use crate::source::Origin;
use crate::status::Status;

use super::{Document, Problems, document, read};

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

/// Arrays, each in row-major order.
type Numbers<N> = Vec<Vec<N>>;

/// A program and what it is run at.
struct Point<'a, N> {
    program: &'a DynProgram,
    inputs: &'a [Vec<N>],
    numerics: Numerics,
}

/// How a scalar is evaluated: floats by executables, exact numbers by the statements as they are written.
trait Runs: Scalar {
    /// The outputs.
    fn values(at: &Point<'_, Self>) -> Result<Numbers<Self>, String>;

    /// The cotangents of the inputs, for cotangents of the outputs.
    fn pulled(at: &Point<'_, Self>, cotangents: &[Vec<Self>]) -> Result<Numbers<Self>, String>;

    /// The tangents of the outputs, for tangents of the inputs: by dual numbers.
    fn pushed(at: &Point<'_, Self>, tangents: &[Vec<Self>]) -> Result<Numbers<Self>, String> {
        directional(at, tangents)
    }

    /// The boundaries of declared rules that are touched.
    fn touched(at: &Point<'_, Self>) -> Result<Vec<Touched>, String>;
}

impl Runs for Rational {
    fn values(at: &Point<'_, Self>) -> Result<Numbers<Self>, String> {
        at.program.evaluate_with(at.inputs, at.numerics).map_err(words)
    }

    fn pulled(at: &Point<'_, Self>, cotangents: &[Vec<Self>]) -> Result<Numbers<Self>, String> {
        let (_, tape) = at.program.linearize_with(at.inputs, at.numerics).map_err(words)?;
        at.program.pullback(&tape, cotangents).map_err(words)
    }

    fn touched(at: &Point<'_, Self>) -> Result<Vec<Touched>, String> {
        at.program.touched(at.inputs, at.numerics).map_err(words)
    }
}

/// A float: a program in the core form is evaluated with bounds on its error, others are planned.
macro_rules! floats {
    ($($float:ty),*) => {$(
        impl Runs for $float {
            fn values(at: &Point<'_, Self>) -> Result<Numbers<Self>, String> {
                if at.program.is_core_form() {
                    return at.program.evaluate_bounded(at.inputs).map_err(words);
                }
                planned(at)
            }

            fn pulled(at: &Point<'_, Self>, cotangents: &[Vec<Self>]) -> Result<Numbers<Self>, String> {
                if at.program.is_core_form() {
                    return at.program.pullback_bounded(at.inputs, cotangents).map_err(words);
                }
                gradient(at, cotangents)
            }

            fn pushed(at: &Point<'_, Self>, tangents: &[Vec<Self>]) -> Result<Numbers<Self>, String> {
                if at.program.is_core_form() {
                    return at.program.pushforward_bounded(at.inputs, tangents).map_err(words);
                }
                directional(at, tangents)
            }

            fn touched(at: &Point<'_, Self>) -> Result<Vec<Touched>, String> {
                let probe = at.program.probe().map_err(words)?;
                let arguments = planned(&Point { program: probe.program(), ..*at })?;
                probe.touched(&arguments).map_err(words)
            }
        }
    )*};
}

floats!(f32, f64);

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The tangents of the outputs, by dual numbers.
fn directional<N: Scalar>(at: &Point<'_, N>, tangents: &[Vec<N>]) -> Result<Numbers<N>, String> {
    Ok(at.program.directional_with(at.inputs, tangents, at.numerics).map_err(words)?.1)
}

/// The outputs of a program, planned and run once.
fn planned<T: Real>(at: &Point<'_, T>) -> Result<Numbers<T>, String> {
    let mut executable = Executable::new(at.program, at.numerics).map_err(words)?;
    let mut outputs = values(at.program);
    executable.run(&slices(at.inputs), &mut slots(&mut outputs)).map_err(words)?;
    Ok(outputs)
}

/// The cotangents of the inputs of a program, planned with its gradient and run once.
fn gradient<T: Real>(at: &Point<'_, T>, cotangents: &[Vec<T>]) -> Result<Numbers<T>, String> {
    let mut executable = Executable::with_gradient(at.program, at.numerics).map_err(words)?;
    let mut outputs = values(at.program);
    let mut gradients: Numbers<T> = at.inputs.iter().map(|x| vec![T::zero(); x.len()]).collect();
    let (x, u) = (slices(at.inputs), slices(cotangents));
    executable.value_and_gradient(&x, &u, &mut slots(&mut outputs), &mut slots(&mut gradients)).map_err(words)?;
    Ok(gradients)
}

/// Places for the outputs of a program.
fn values<T: Real>(program: &DynProgram) -> Vec<Vec<T>> {
    program.outputs().iter().map(|o| vec![T::zero(); program.shape_of(o.value).elements()]).collect()
}

fn slices<T>(arrays: &[Vec<T>]) -> Vec<&[T]> {
    arrays.iter().map(Vec::as_slice).collect()
}

fn slots<T>(arrays: &mut [Vec<T>]) -> Vec<&mut [T]> {
    arrays.iter_mut().map(Vec::as_mut_slice).collect()
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
    numerics: Numerics,
    boundary: AtBoundary,
    limits: Limits,
}

fn run(at: &arguments::At, verb: Verb, along: Option<&PathBuf>, console: &mut Console) -> Result<Status, Closed> {
    let numerics = Numerics {
        nonfinite: match at.nonfinite {
            arguments::Nonfinite::Refuse => Nonfinite::Refuse,
            arguments::Nonfinite::Allow => Nonfinite::Allow,
        },
    };
    let (program, inputs, limits) = (at.program.clone(), at.inputs.clone(), at.within.limits());
    let boundary = match at.boundary {
        arguments::Boundary::Say => AtBoundary::Say,
        arguments::Boundary::Refuse => AtBoundary::Refuse,
    };
    let job = Job { verb, program, inputs, along: along.cloned(), numerics, boundary, limits };
    let scalar = at.scalar;
    document(console, &at.program, at.output.as_deref(), move |tell| match scalar {
        arguments::Scalar::F32 => job.run::<f32>(tell),
        arguments::Scalar::F64 => job.run::<f64>(tell),
        arguments::Scalar::Rational => job.run::<Rational>(tell),
    })
}

impl Job {
    fn run<N: Runs>(&self, tell: &mut dyn FnMut(&str)) -> Result<Document, Problems> {
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
        let at = Point { program: &program, inputs: &x, numerics: self.numerics };
        let evaluation = |error: String| vec![self.problem(ProgramProblem::Evaluation, error)];
        let touched = || {
            let touched = N::touched(&at).map_err(evaluation)?;
            self.boundary.admit(&touched).map_err(|error| evaluation(error.to_string()))?;
            Ok::<_, Problems>(touched.iter().map(ToString::to_string).collect())
        };
        let room = if self.verb == Verb::Vjp { Arrays::room_for_inputs::<N> } else { Arrays::room_for_outputs::<N> };
        room(&program).map_err(|error| {
            let problem = self.problem(ProgramProblem::Evaluation, error.to_string());
            vec![problem.with_help("allow more with --memory")]
        })?;
        let result = match self.verb {
            Verb::Eval => {
                tell("evaluating");
                let y = N::values(&at).map_err(evaluation)?;
                Arrays::of_outputs(&program, &y)
            }
            Verb::Jvp => {
                let v = fits(along, Arrays::for_inputs)?;
                tell("evaluating");
                Arrays::of_outputs(&program, &N::pushed(&at, &v).map_err(evaluation)?)
            }
            Verb::Vjp => {
                let u = fits(along, Arrays::for_outputs)?;
                tell("evaluating");
                Arrays::of_inputs(&program, &N::pulled(&at, &u).map_err(evaluation)?)
            }
        };
        let result = result.map_err(|error| vec![self.problem(ProgramProblem::Evaluation, error.to_string())])?;
        let text = result.to_json().map_err(|error| read::unwritten(&self.program, &error))?;
        Ok(Document { text, notes: touched()? })
    }

    fn problem(&self, kind: ProgramProblem, message: String) -> Problem {
        Problem::of_program(kind, &Origin::of(&self.program).name(), message)
    }
}
