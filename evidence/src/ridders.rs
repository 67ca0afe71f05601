//! Extrapolated central differences that say how far they can be trusted.
//!
//! `(f(x + hv) − f(x − hv)) / 2h` at ever smaller `h`, extrapolated to `h = 0` in a triangle; what is taken is the entry
//! whose neighbours differ least from it, and that difference is its error estimate.
//! The step is no choice of the caller's, and whoever compares must add the estimate to what is found:
//! so a step that is too large or too small can't pass for agreement.
//!
//! # Source
//!
//! Ridders, *Accurate computation of F′(x) and F′(x)F″(x)*, 1982.

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
    let mut best = Differences { tangents: Vec::new(), estimate: f64::INFINITY };
    let mut row: Vec<Vec<Double>> = Vec::new();
    let mut step = FIRST;
    for _ in 0..STEPS {
        let (ahead, behind) = (f(step)?, f(-step)?);
        let difference = |(a, b): (&Double, &Double)| a.plus(b.minus()).scaled(0.5 / step);
        let mut next = vec![ahead.iter().zip(&behind).map(difference).collect::<Vec<_>>()];
        let mut power = 1.0;
        for before in &row {
            power *= 4.0;
            let current = &next[next.len() - 1];
            let better = |(c, b): (&Double, &Double)| c.scaled(power).plus(b.minus()).over(Double::new(power - 1.0));
            let entry: Vec<Double> = current.iter().zip(before).map(better).collect();
            let estimate = distance(&entry, current).max(distance(&entry, before));
            if estimate <= best.estimate {
                best = Differences { tangents: entry.clone(), estimate };
            }
            next.push(entry);
        }
        let worse = match (row.last(), next.last()) {
            (Some(before), Some(after)) => distance(before, after) >= 2.0 * best.estimate,
            _ => false,
        };
        row = next;
        if best.estimate <= wanted || worse {
            break;
        }
        step *= 0.5;
    }
    Ok(best)
}

fn distance(a: &[Double], b: &[Double]) -> f64 {
    let apart = a.iter().zip(b).map(|(a, b)| a.plus(b.minus()).high.abs());
    // A NaN is further away than anything.
    apart.fold(0.0, |most, x| if x.is_nan() { f64::INFINITY } else { most.max(x) })
}
