//! The levels of an architecture, compared: its loops, its compiled program, the core program, and gradients by every way that there is.
//!
//! ```text
//!   direct ── = ── compile ── = by proof ── lower
//!     │ dual numbers    │ four ways             │ tape
//!     └────── = ────────┴────────── = ──────────┘
//! ```
//!
//! The loops share no code with the other two, so that what one of them gets wrong another one shows.
//! This module must never widen a comparison: rationals agree exactly, values to 1e-10 of the largest number of their array, gradients to 1e-10 of the terms that they are sums of.

use pullback_kernel::eval::{Dual, EvalError, Number};
use pullback_kernel::{Outcome, Rational};

use super::boundary::{Watch, watched};
use super::random::Sample;
use super::{Architecture, ArchitectureError, DirectError, LayerFault};
use crate::agreement::{self, four_ways};
use crate::evaluate::EvaluateError;
use crate::lowering::{CORE, Lowering};
use crate::program::DynProgram;
use crate::random::Random;

/// How far apart values and gradients may be.
const BOUND: f64 = 1e-10;
/// How far apart the gradient of the core may be: its sums cancel more.
const CORE_BOUND: f64 = 1e-9;

/// What came of a comparison that found no difference.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Agreed {
    /// Whether values were compared on exact rationals as well.
    pub exact: bool,
    /// Whether there is a core program; what has none has a kink, a logarithm or a sine.
    pub lowered: bool,
    /// Whether a tie or a kink was met along some input, where the derivative of the loops may not be what the rule declares.
    pub tied: bool,
    /// Inputs whose gradient was compared with that of the loops.
    pub compared: usize,
    /// Inputs whose gradient was not, for a tie or a kink on the way.
    pub skipped: usize,
    /// How far apart values were at most, relative.
    pub value: f64,
    /// How far apart gradients were at most, relative.
    pub gradient: f64,
}

/// Two levels that differ, or one that failed where the others did not.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Disagreement {
    /// Numbers that differ.
    #[error("{what}: {apart:e} apart; {bound:e} is allowed")]
    Apart {
        /// What was compared.
        what: String,
        /// How far apart, relative.
        apart: f64,
        /// How far they may be.
        bound: f64,
    },
    /// Exact numbers that differ.
    #[error("the loops and the compiled program differ on exact rationals")]
    Exact,
    /// No program.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// No value of the loops.
    #[error("the loops: {0}")]
    Direct(#[from] DirectError),
    /// No value of a program.
    #[error("{what}: {error}")]
    Evaluate {
        /// Which program.
        what: &'static str,
        /// Why there is none.
        error: EvaluateError,
    },
    /// The core program has an operation that is not of the core.
    #[error("the core program has `{operator}`, which is not of the core")]
    NotCore {
        /// The operation.
        operator: String,
    },
    /// An operation was replaced by a lowering that no theorem says is equal.
    #[error("the lowering of `{operator}` is not proved")]
    NotProved {
        /// The operation.
        operator: String,
    },
    /// Two of the four ways.
    #[error(transparent)]
    Ways(#[from] agreement::Disagreement),
}

/// Compares the levels of an architecture at its values, with random cotangents and directions that follow from the seed.
///
/// # Errors
///
/// [`Disagreement`] with what differs, and by how much.
///
/// # Example
///
/// ```
/// use pullback_program::architecture::agreement::levels;
/// use pullback_program::architecture::random::{Options, sample};
///
/// let sample = sample(2, &Options { depth: 2, ..Options::default() }).expect("any layer will do");
/// assert!(levels(&sample, 1)?.value <= 1e-10);
/// # Ok::<(), pullback_program::architecture::agreement::Disagreement>(())
/// ```
pub fn levels(sample: &Sample, seed: u64) -> Result<Agreed, Disagreement> {
    let Sample { architecture, inputs, .. } = sample;
    let mut agreed = Agreed::default();
    let program = architecture.compile()?;
    let point = floats(inputs);
    let value = evaluated("the compiled program", &program, &point)?;
    agreed.value = near("value of the loops", distance(&architecture.direct(&point)?, &value), BOUND)?;
    agreed.exact = exact(architecture, &program, inputs)?;

    let seeds = draw(&mut Random(seed), &value);
    let gradient = pulled("the compiled program", &program, &point, &seeds)?;
    match architecture.lower() {
        Ok(core) => {
            proved(&program, &core)?;
            let again = evaluated("the core program", &core, &point)?;
            agreed.value = agreed.value.max(near("value of the core program", distance(&again, &value), BOUND)?);
            let of_core = pulled("the core program", &core, &point, &seeds)?;
            // Sums of terms that cancel are small beside their terms.
            let scale = gradient.iter().flatten().fold(1.0_f64, |s, x| s.max(x.abs()));
            let apart = of_core.iter().flatten().zip(gradient.iter().flatten()).map(|(a, b)| (a - b).abs() / scale);
            near("gradient of the core program", worst(apart), CORE_BOUND)?;
            agreed.lowered = true;
        }
        Err(ArchitectureError::Layer { fault: LayerFault::NoCore { .. }, .. }) => {}
        Err(error) => return Err(error.into()),
    }

    let directions = draw(&mut Random(!seed), &point);
    against_loops(architecture, &point, [&seeds, &gradient, &directions], &mut agreed)?;
    four_ways(&program, &point, &mut Random(seed))?;
    Ok(agreed)
}

/// A gradient, given with its cotangents and directions, and that of the loops: each input by itself, parameters and states among them.
fn against_loops(
    architecture: &Architecture,
    point: &[Vec<f64>],
    [seeds, gradient, directions]: [&[Vec<f64>]; 3],
    agreed: &mut Agreed,
) -> Result<(), Disagreement> {
    // Numbers cancel on their way: what is compared is a difference of numbers of this size.
    let terms = magnitude(gradient, directions);
    for k in 0..point.len() {
        let alone: Vec<Vec<f64>> =
            directions.iter().enumerate().map(|(j, v)| if j == k { v.clone() } else { vec![0.0; v.len()] }).collect();
        let (tangents, tied) = directional(architecture, point, &alone)?;
        if tied {
            agreed.tied = true;
            agreed.skipped += 1;
            continue;
        }
        agreed.compared += 1;
        let (a, b) = (dot(seeds, &tangents), dot(gradient, &alone));
        let apart = (a - b).abs() / terms.max(magnitude(seeds, &tangents)).max(1e-3);
        let apart = near(&format!("gradient of input {k}: {a} and {b}"), apart, BOUND)?;
        agreed.gradient = agreed.gradient.max(apart);
    }
    Ok(())
}

/// Whether the loops have a value on exact rationals; it is that of the program then.
fn exact(architecture: &Architecture, program: &DynProgram, inputs: &[Vec<Rational>]) -> Result<bool, Disagreement> {
    let exact = match architecture.direct::<Rational>(inputs) {
        Ok(exact) => exact,
        Err(DirectError::Number(_)) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    match program.evaluate::<Rational>(inputs) {
        Ok(value) if value == exact => Ok(true),
        Ok(_) => Err(Disagreement::Exact),
        // The softmax over one key is rational, and its hidden exponentials are not.
        Err(EvaluateError::Value { error: EvalError::Inexact(_) | EvalError::Unknown(_), .. }) => Ok(false),
        Err(error) => Err(Disagreement::Evaluate { what: "the compiled program", error }),
    }
}

/// Each operation of the core program is of the core; each of the compiled one is as well, or is proved equal to its lowering.
fn proved(program: &DynProgram, core: &DynProgram) -> Result<(), Disagreement> {
    let name = |operation: &crate::operation::Operation| operation.operator().name().to_owned();
    if let Some(operation) = core.operations().iter().find(|o| !CORE.contains(&o.operator().name())) {
        return Err(Disagreement::NotCore { operator: name(operation) });
    }
    let holds = |operator: &str| {
        CORE.contains(&operator)
            || Lowering::of(operator).is_some_and(|l| matches!(l.equality(), Ok(Outcome::Proved(_))))
    };
    match program.operations().iter().find(|o| !holds(o.operator().name())) {
        Some(operation) => Err(Disagreement::NotProved { operator: name(operation) }),
        None => Ok(()),
    }
}

fn evaluated(what: &'static str, program: &DynProgram, point: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, Disagreement> {
    program.evaluate(point).map_err(|error| Disagreement::Evaluate { what, error })
}

/// The gradient by the tape.
fn pulled(
    what: &'static str,
    program: &DynProgram,
    point: &[Vec<f64>],
    seeds: &[Vec<f64>],
) -> Result<Vec<Vec<f64>>, Disagreement> {
    let failed = |error| Disagreement::Evaluate { what, error };
    let (_, tape) = program.linearize(point).map_err(failed)?;
    program.pullback(&tape, seeds).map_err(failed)
}

fn near(what: &str, apart: f64, bound: f64) -> Result<f64, Disagreement> {
    // A NaN is not below anything.
    if apart <= bound { Ok(apart) } else { Err(Disagreement::Apart { what: what.to_owned(), apart, bound }) }
}

/// The largest number; not a number where one is.
fn worst(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |s, x| if s.is_nan() || x.is_nan() { f64::NAN } else { s.max(x) })
}

/// The largest difference over the largest number, array by array; infinite where lengths differ.
pub fn distance(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    if !a.iter().map(Vec::len).eq(b.iter().map(Vec::len)) {
        return f64::INFINITY;
    }
    let one = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        let scale = a.iter().chain(b).fold(0.0_f64, |s, x| s.max(x.abs()));
        let apart = worst(a.iter().zip(b).map(|(a, b)| (a - b).abs()));
        if scale == 0.0 { apart } else { apart / scale.max(1e-3) }
    };
    worst(a.iter().zip(b).map(one))
}

/// The sum of the products of all elements.
pub fn dot(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
}

fn magnitude(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a * b).abs()).sum()
}

/// Rationals as doubles.
pub fn floats(arrays: &[Vec<Rational>]) -> Vec<Vec<f64>> {
    arrays.iter().map(|x| x.iter().map(f64::rational).collect()).collect()
}

/// Random numbers of small denominators, as many as there are.
pub fn draw(random: &mut Random, like: &[Vec<f64>]) -> Vec<Vec<f64>> {
    floats(&like.iter().map(|x| random.rationals(x.len())).collect::<Vec<_>>())
}

/// The directional derivative of the loops, by dual numbers, and whether a tie or a kink was met that the direction crosses.
///
/// # Errors
///
/// As [`Architecture::direct`].
pub fn directional(
    architecture: &Architecture,
    inputs: &[Vec<f64>],
    tangents: &[Vec<f64>],
) -> Result<(Vec<Vec<f64>>, bool), DirectError> {
    let dual = |(x, v): (&f64, &f64)| Watch::new(Dual { value: *x, tangent: *v });
    let pairs: Vec<Vec<_>> = inputs.iter().zip(tangents).map(|(x, v)| x.iter().zip(v).map(dual).collect()).collect();
    let (outputs, met) = watched(|| architecture.direct(&pairs));
    let tangents = outputs?.iter().map(|y| y.iter().map(|d| d.dual.tangent).collect()).collect();
    Ok((tangents, met))
}

#[cfg(test)]
mod tests;
