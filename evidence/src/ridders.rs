//! Extrapolated central differences that say how far they can be trusted.
//!
//! `(f(x + hv) − f(x − hv)) / 2h` at ever smaller `h`, in numbers of 106 bits, extrapolated to `h = 0` by the [`Tableau`]
//! that measures all of the library; its error estimate comes with what it finds.
//! The step is no choice of the caller's, and whoever compares must add the estimate to what is found:
//! so a step that is too large or too small can't pass for agreement.
//!
//! # Source
//!
//! Ridders, *Accurate computation of F′(x) and F′(x)F″(x)*, 1982.

use pullback_scalar::extrapolation::{Entry, Extrapolated, Tableau};

use crate::double::Double;

/// A directional derivative by differences.
#[derive(Clone, PartialEq, Debug)]
pub struct Differences {
    /// The derivative of each output.
    pub tangents: Vec<Double>,
    /// How far any of them may be off, by the method's own estimate.
    pub estimate: f64,
}

/// The first step: a power of two, so that it divides without an error.
const FIRST: f64 = 1.0 / 1024.0;
/// Steps at most, each half of the one before.
const STEPS: usize = 12;

/// The derivative of `f` at zero, where `f(t)` is the value at `x + tv`.
///
/// It ends as soon as the estimate is below `wanted`, or when smaller steps only add rounding.
///
/// # Errors
///
/// Those of `f`.
pub fn derivative<E>(mut f: impl FnMut(f64) -> Result<Vec<Double>, E>, wanted: f64) -> Result<Differences, E> {
    let mut tableau = Tableau::new(4.0);
    let mut step = FIRST;
    for _ in 0..STEPS {
        let (ahead, behind) = (f(step)?, f(-step)?);
        let difference = |(a, b): (&Double, &Double)| a.plus(b.minus()).scaled(0.5 / step);
        // Rounding is far below anything that is asked of the estimate.
        tableau.push(ahead.iter().zip(&behind).map(difference).collect::<Vec<_>>(), 0.0);
        if tableau.is_past_best() || tableau.best().is_some_and(|best| best.error <= wanted) {
            break;
        }
        step *= 0.5;
    }
    Ok(match tableau.best().cloned() {
        Some(Extrapolated { value, error }) => Differences { tangents: value, estimate: error },
        // Nothing that could be trusted at all.
        None => Differences { tangents: Vec::new(), estimate: f64::INFINITY },
    })
}

impl Entry for Double {
    fn without(&self, before: &Self, power: f64) -> Self {
        self.scaled(power).plus(before.minus()).over(Double::new(power - 1.0))
    }
    fn distance(&self, other: &Self) -> f64 {
        let apart = self.plus(other.minus()).high.abs();
        if apart.is_nan() { f64::INFINITY } else { apart }
    }
}
