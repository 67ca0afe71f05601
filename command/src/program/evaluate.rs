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

/// How a scalar is evaluated: floats by executables, exact numbers by the statements as they are written.
trait Runs: Scalar {
    /// The outputs for these inputs.
    fn values(program: &DynProgram, inputs: &[Vec<Self>], numerics: Numerics) -> Result<Vec<Vec<Self>>, String>;

    /// The cotangents of the inputs for these inputs and cotangents of the outputs.
    fn pulled(
        program: &DynProgram,
        inputs: &[Vec<Self>],
        cotangents: &[Vec<Self>],
        numerics: Numerics,
    ) -> Result<Vec<Vec<Self>>, String>;

    /// The tangents of the outputs for these inputs and tangents of theirs.
    fn pushed(
        program: &DynProgram,
        inputs: &[Vec<Self>],
        tangents: &[Vec<Self>],
        numerics: Numerics,
    ) -> Result<Vec<Vec<Self>>, String>;

    /// The boundaries of declared rules that are touched at these inputs.
    fn touched(program: &DynProgram, inputs: &[Vec<Self>], numerics: Numerics) -> Result<Vec<Touched>, String>;
}

impl Runs for Rational {
    fn values(program: &DynProgram, inputs: &[Vec<Self>], numerics: Numerics) -> Result<Vec<Vec<Self>>, String> {
        program.evaluate_with(inputs, numerics).map_err(words)
    }

    fn pulled(
        program: &DynProgram,
        inputs: &[Vec<Self>],
        cotangents: &[Vec<Self>],
        numerics: Numerics,
    ) -> Result<Vec<Vec<Self>>, String> {
        let (_, tape) = program.linearize_with(inputs, numerics).map_err(words)?;
        program.pullback(&tape, cotangents).map_err(words)
    }

    fn pushed(
        program: &DynProgram,
        inputs: &[Vec<Self>],
        tangents: &[Vec<Self>],
        numerics: Numerics,
    ) -> Result<Vec<Vec<Self>>, String> {
        directional(program, inputs, tangents, numerics)
    }

    fn touched(program: &DynProgram, inputs: &[Vec<Self>], numerics: Numerics) -> Result<Vec<Touched>, String> {
        program.touched(inputs, numerics).map_err(words)
    }
}

macro_rules! floats {
    ($($float:ty),*) => {$(
        impl Runs for $float {
            fn values(program: &DynProgram, inputs: &[Vec<Self>], numerics: Numerics) -> Result<Vec<Vec<Self>>, String> {
                if program.is_core_form() {
                    return program.evaluate_bounded(inputs).map_err(words);
                }
                planned(program, inputs, numerics)
            }

            fn pulled(
                program: &DynProgram,
                inputs: &[Vec<Self>],
                cotangents: &[Vec<Self>],
                numerics: Numerics,
            ) -> Result<Vec<Vec<Self>>, String> {
                if program.is_core_form() {
                    return program.pullback_bounded(inputs, cotangents).map_err(words);
                }
                gradient(program, inputs, cotangents, numerics)
            }

            fn pushed(
                program: &DynProgram,
                inputs: &[Vec<Self>],
                tangents: &[Vec<Self>],
                numerics: Numerics,
            ) -> Result<Vec<Vec<Self>>, String> {
                if program.is_core_form() {
                    return program.pushforward_bounded(inputs, tangents).map_err(words);
                }
                directional(program, inputs, tangents, numerics)
            }

            fn touched(program: &DynProgram, inputs: &[Vec<Self>], numerics: Numerics) -> Result<Vec<Touched>, String> {
                let probe = program.probe().map_err(words)?;
                let arguments = planned(probe.program(), inputs, numerics)?;
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
fn directional<N: Scalar>(
    program: &DynProgram,
    inputs: &[Vec<N>],
    tangents: &[Vec<N>],
    numerics: Numerics,
) -> Result<Vec<Vec<N>>, String> {
    Ok(program.directional_with(inputs, tangents, numerics).map_err(words)?.1)
}

/// The outputs of a program, planned and run once.
fn planned<T: Real>(program: &DynProgram, inputs: &[Vec<T>], numerics: Numerics) -> Result<Vec<Vec<T>>, String> {
    let mut executable = Executable::new(program, numerics).map_err(words)?;
    let mut outputs = values(program);
    executable.run(&slices(inputs), &mut slots(&mut outputs)).map_err(words)?;
    Ok(outputs)
}

/// The cotangents of the inputs of a program, planned with its gradient and run once.
fn gradient<T: Real>(
    program: &DynProgram,
    inputs: &[Vec<T>],
    cotangents: &[Vec<T>],
    numerics: Numerics,
) -> Result<Vec<Vec<T>>, String> {
    let mut executable = Executable::with_gradient(program, numerics).map_err(words)?;
    let mut outputs = values(program);
    let mut gradients: Vec<Vec<T>> = inputs.iter().map(|x| vec![T::zero(); x.len()]).collect();
    let (x, u) = (slices(inputs), slices(cotangents));
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
        let evaluation = |error: String| vec![self.problem(ProgramProblem::Evaluation, error)];
        let touched = || {
            let touched = N::touched(&program, &x, self.numerics).map_err(evaluation)?;
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
                let y = N::values(&program, &x, self.numerics).map_err(evaluation)?;
                Arrays::of_outputs(&program, &y)
            }
            Verb::Jvp => {
                let v = fits(along, Arrays::for_inputs)?;
                tell("evaluating");
                Arrays::of_outputs(&program, &N::pushed(&program, &x, &v, self.numerics).map_err(evaluation)?)
            }
            Verb::Vjp => {
                let u = fits(along, Arrays::for_outputs)?;
                tell("evaluating");
                Arrays::of_inputs(&program, &N::pulled(&program, &x, &u, self.numerics).map_err(evaluation)?)
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
