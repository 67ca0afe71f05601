//! Four ways to one gradient, compared: the tape, the directional interpreter, the reverse program, the forward program.
//!
//! ```text
//!   tape         (x, u) ↦ K(F(x), u)       reverse program: the same, as a program
//!   directional  (x, v) ↦ Df(x) v          forward program: the same, as a program
//!   ⟨u, Df(x) v⟩ = ⟨K(F(x), u), v⟩         ties the two pairs together
//! ```
//!
//! The four share the statements and nothing else, so that what one of them gets wrong another one shows.
//! An [`executable`] is compared with the first of them, and with itself to the bit.
//! This module must never widen a comparison: exact numbers agree exactly, doubles of four ways to 1e-12 of the largest number around, and those of an executable to what running error analysis allows each number.

use pullback_kernel::Rational;
use pullback_kernel::eval::EvalError;

use crate::evaluate::{Arrays, EvaluateError};
use crate::execute::{CompileError, Executable, ExecuteError, Numerics};
use crate::operation::Number;
use crate::program::DynProgram;
use crate::random::Random;
use crate::running::Running;
use crate::transform::TransformError;

/// How numbers are compared.
pub trait Close: Number {
    /// The first place at which they differ, where `scale` is the size of the largest number around.
    fn differ(a: &[Self], b: &[Self], scale: f64) -> Option<usize>;
    /// The size of a number.
    fn size(&self) -> f64;
}

/// Exactly.
impl Close for Rational {
    fn differ(a: &[Self], b: &[Self], _: f64) -> Option<usize> {
        a.iter().zip(b).position(|(a, b)| a != b)
    }
    fn size(&self) -> f64 {
        f64::rational(self).abs()
    }
}

/// To 1e-12 of the largest number around.
impl Close for f64 {
    fn differ(a: &[Self], b: &[Self], scale: f64) -> Option<usize> {
        let scale = a.iter().chain(b).fold(scale, |s, x| s.max(x.abs()));
        a.iter().zip(b).position(|(a, b)| (a - b).abs() > 1e-12 * scale || (a - b).is_nan())
    }
    fn size(&self) -> f64 {
        self.abs()
    }
}

/// What came of a comparison that found no difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// All four ways agree.
    Agree,
    /// The number type can't say: an irrational root on the way, for one.
    Unknown,
}

/// Two ways that differ, or one that failed where the others did not.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Disagreement {
    /// Two arrays differ.
    #[error("{what}: array {array} differs at {at}\n{program}")]
    Differ {
        /// What was compared.
        what: &'static str,
        /// Which array.
        array: usize,
        /// The first place.
        at: usize,
        /// The program, a line an instruction.
        program: String,
    },
    /// No value.
    #[error("{what}: {error}")]
    Evaluate {
        /// What was evaluated.
        what: &'static str,
        /// Why there is none.
        error: EvaluateError,
    },
    /// No transformed program.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// No plan.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// No value of an executable where the statements have one.
    #[error("{what}: {error}")]
    Execute {
        /// What was run.
        what: &'static str,
        /// Why there is no value.
        error: ExecuteError,
    },
}

/// Compares the four ways at a point, along a random direction and with random cotangents.
///
/// # Errors
///
/// [`Disagreement`], with the first place at which two ways differ.
///
/// # Example
///
/// ```
/// use pullback_program::agreement::{Agreement, four_ways};
/// use pullback_program::random::{Options, Random, sample};
///
/// let sample = sample(7, &Options { rational: true, ..Options::default() }).expect("any operation will do");
/// assert_eq!(four_ways(&sample.program, &sample.inputs, &mut Random(1)), Ok(Agreement::Agree));
/// ```
pub fn four_ways<N: Close>(
    program: &DynProgram,
    inputs: &[Vec<N>],
    random: &mut Random,
) -> Result<Agreement, Disagreement> {
    match compare(program, inputs, random) {
        Err(Disagreement::Evaluate {
            error: EvaluateError::Value { error: EvalError::Inexact(_) | EvalError::Unknown(_), .. },
            ..
        }) => Ok(Agreement::Unknown),
        other => other.map(|()| Agreement::Agree),
    }
}

fn compare<N: Close>(program: &DynProgram, inputs: &[Vec<N>], random: &mut Random) -> Result<(), Disagreement> {
    let of = |what| move |error| Disagreement::Evaluate { what, error };
    let value = program.evaluate(inputs).map_err(of("value"))?;
    let (outputs, tape) = program.linearize(inputs).map_err(of("tape"))?;
    same("value of the tape", program, &value, &outputs, 0.0)?;
    let (u, v) = (draw(random, &value), draw(random, inputs));
    let pulled = program.pullback(&tape, &u).map_err(of("pullback"))?;
    let (again, pushed) = program.directional(inputs, &v).map_err(of("directional derivative"))?;
    same("value of the directional derivative", program, &value, &again, 0.0)?;

    let largest = |a: &[Vec<N>]| a.iter().flatten().fold(0.0_f64, |s, x| s.max(x.size()));
    let scale = largest(&pulled).max(largest(&pushed)).max(1.0);
    let both = |more: &[Vec<N>]| inputs.iter().chain(more).cloned().collect::<Vec<_>>();
    let reversed = program.with_reverse()?.evaluate(&both(&u)).map_err(of("reverse program"))?;
    let (again, by_reverse) = reversed.split_at(value.len());
    same("value of the reverse program", program, &value, again, 0.0)?;
    same("reverse program and tape", program, &pulled, by_reverse, scale)?;

    let moved = program.forward_mode()?.evaluate(&both(&v)).map_err(of("forward program"))?;
    same("forward program and directional derivative", program, &pushed, &moved, scale)?;

    // Its terms are products of the numbers above.
    same("pairing", program, &[vec![dot(&u, &pushed)]], &[vec![dot(&pulled, &v)]], scale)
}

/// Compares a program's executables with its statements at a point: every way to run them, and every way again to the bit.
///
/// # Errors
///
/// [`Disagreement`], with the first place at which two ways differ.
pub fn executable(
    program: &DynProgram,
    inputs: &[Vec<f64>],
    random: &mut Random,
    numerics: Numerics,
) -> Result<(), Disagreement> {
    let of = |what| move |error| Disagreement::Evaluate { what, error };
    let ran = |what| move |error| Disagreement::Execute { what, error };
    let running = |arrays: &[Vec<f64>]| -> Arrays<Running> {
        arrays.iter().map(|x| x.iter().map(|x| Running::exact(*x)).collect()).collect()
    };
    let (value, tape) = program.linearize(&running(inputs)).map_err(of("tape"))?;
    let plain = |arrays: &[Vec<Running>]| -> Arrays<f64> {
        arrays.iter().map(|x| x.iter().map(|x| x.value).collect()).collect()
    };
    let u = draw(random, &plain(&value));
    let pulled = program.pullback(&tape, &running(&u)).map_err(of("pullback"))?;
    let (x, u) = (slices(inputs), slices(&u));

    let mut planned = Executable::new(program, numerics)?;
    let mut y = unset(&value);
    planned.run(&x, &mut slots(&mut y)).map_err(ran("executable"))?;
    close("value of the executable", program, &value, &y)?;
    let first = bits(&y);
    y = unset(&value);
    planned.run(&x, &mut slots(&mut y)).map_err(ran("executable"))?;
    bitwise("executable run again", program, &first, &y)?;

    let mut both = Executable::with_gradient(program, numerics)?;
    let (mut y, mut dx) = (unset(&value), unset(inputs));
    both.forward(&x, &mut slots(&mut y)).map_err(ran("forward sweep"))?;
    both.pullback(&u, &mut slots(&mut dx)).map_err(ran("sweep back"))?;
    close("value of the forward sweep", program, &value, &y)?;
    close("gradient of the executable", program, &pulled, &dx)?;
    let first = (bits(&y), bits(&dx));
    dx = unset(inputs);
    both.pullback(&u, &mut slots(&mut dx)).map_err(ran("sweep back"))?;
    bitwise("pulled back again", program, &first.1, &dx)?;
    (y, dx) = (unset(&value), unset(inputs));
    both.value_and_gradient(&x, &u, &mut slots(&mut y), &mut slots(&mut dx)).map_err(ran("both sweeps"))?;
    bitwise("value in one call", program, &first.0, &y)?;
    bitwise("gradient in one call", program, &first.1, &dx)
}

/// Each number as near as two ways to it can be.
fn close(what: &'static str, program: &DynProgram, a: &[Vec<Running>], b: &[Vec<f64>]) -> Result<(), Disagreement> {
    for (array, (a, b)) in a.iter().zip(b).enumerate() {
        let far = |(a, b): (&Running, &f64)| (a.value - b).abs() > a.apart() || (a.value - b).is_nan();
        if let Some(at) = a.iter().zip(b).position(far) {
            return Err(Disagreement::Differ { what, array, at, program: program.to_string() });
        }
    }
    Ok(())
}

fn bitwise(what: &'static str, program: &DynProgram, a: &[Vec<u64>], b: &[Vec<f64>]) -> Result<(), Disagreement> {
    for (array, (a, b)) in a.iter().zip(bits(b)).enumerate() {
        if let Some(at) = a.iter().zip(&b).position(|(a, b)| a != b) {
            return Err(Disagreement::Differ { what, array, at, program: program.to_string() });
        }
    }
    Ok(())
}

fn bits(arrays: &[Vec<f64>]) -> Vec<Vec<u64>> {
    arrays.iter().map(|x| x.iter().map(|x| x.to_bits()).collect()).collect()
}

/// Arrays of as many numbers, which whoever leaves one out leaves a NaN in.
fn unset<N>(like: &[Vec<N>]) -> Arrays<f64> {
    like.iter().map(|x| vec![f64::NAN; x.len()]).collect()
}

fn slices(arrays: &[Vec<f64>]) -> Vec<&[f64]> {
    arrays.iter().map(Vec::as_slice).collect()
}

fn slots(arrays: &mut [Vec<f64>]) -> Vec<&mut [f64]> {
    arrays.iter_mut().map(Vec::as_mut_slice).collect()
}

fn same<N: Close>(
    what: &'static str,
    program: &DynProgram,
    a: &[Vec<N>],
    b: &[Vec<N>],
    scale: f64,
) -> Result<(), Disagreement> {
    let differ = |array: usize, at: usize| Disagreement::Differ { what, array, at, program: program.to_string() };
    if a.len() != b.len() {
        return Err(differ(a.len().min(b.len()), 0));
    }
    for (array, (a, b)) in a.iter().zip(b).enumerate() {
        if a.len() != b.len() {
            return Err(differ(array, a.len().min(b.len())));
        }
        if let Some(at) = N::differ(a, b, scale) {
            return Err(differ(array, at));
        }
    }
    Ok(())
}

fn dot<N: Number>(a: &[Vec<N>], b: &[Vec<N>]) -> N {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.fold(N::rational(&Rational::from_integer(0.into())), |sum, (a, b)| sum.add(&a.mul(b)))
}

/// Random numbers, as many as there are.
pub fn draw<N: Number>(random: &mut Random, like: &[Vec<N>]) -> Arrays<N> {
    like.iter().map(|x| random.rationals(x.len()).iter().map(N::rational).collect()).collect()
}
