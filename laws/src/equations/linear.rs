//! The backward rule is linear.

use crate::approximate::{Approximate, magnitude};
use crate::flat::Flat;
use crate::rounding::{Near, beside, greatest};
use crate::trial::{Sums, Trial, plus, times};
use crate::violation::{Law, LawViolation};

pub(crate) const HOMOGENEOUS: Law = Law { name: "homogeneous", equation: "K(r, c·u) = c·K(r, u)" };
pub(crate) const ADDITIVE: Law = Law { name: "additive", equation: "K(r, u + w) = K(r, u) + K(r, w)" };
pub(crate) const ZERO_TO_ZERO: Law = Law { name: "zero_to_zero", equation: "K(r, 0) = 0" };

/// `K(r, c·u) = c·K(r, u)`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn homogeneous<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: HOMOGENEOUS, about: f, at: &[("x", x), ("u", u)] };
    for (numerator, denominator, left, right) in FACTORS {
        let factor = T::from_ratio(numerator, denominator);
        // Beyond the greatest number there is nothing to compare.
        if !times(&factor, &trial.inside(f.run(x))?.pull(u)).iter().all(T::is_finite) {
            continue;
        }
        // A run for each use: whether a residual can be used twice is the question of another law.
        let scaled = |x: &[T], near: Near| Ok(f.run(x)?.pull(&times(&factor, &near.of(u))).into());
        let once = |x: &[T], near: Near| Ok(times(&factor, &f.run(x)?.pull(&near.of(u))).into());
        trial.agree_steadily(x, greatest(u) * beside(x) * factor.to_f64().abs(), (left, &scaled), (right, &once))?;
    }
    Ok(())
}

/// A sign, a factor that rounds, and two that leave the range in which a rule may have been tried, without rounding.
const FACTORS: [(i64, i64, &str, &str); 4] = [
    (-2, 1, "K(r, −2·u)", "−2·K(r, u)"),
    (1, 3, "K(r, 1/3·u)", "1/3·K(r, u)"),
    (1 << 20, 1, "K(r, 2²⁰·u)", "2²⁰·K(r, u)"),
    (-1, 1 << 20, "K(r, −2⁻²⁰·u)", "−2⁻²⁰·K(r, u)"),
];

/// `K(r, u + w) = K(r, u) + K(r, w)`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn additive<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T], w: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: ADDITIVE, about: f, at: &[("x", x), ("u", u), ("w", w)] };
    let both = |x: &[T], near: Near| Ok(f.run(x)?.pull(&plus(&near.of(u), &near.of(w))).into());
    let apart = |x: &[T], near: Near| {
        let (one, other) = (f.run(x)?.pull(&near.of(u)), f.run(x)?.pull(&near.of(w)));
        let added = |(a, b): (T, T)| (a.clone() + b.clone(), magnitude(&a) + magnitude(&b));
        Ok(one.into_iter().zip(other).map(added).collect::<Sums<T>>())
    };
    trial.agree_steadily(
        x,
        (greatest(u) + greatest(w)) * beside(x),
        ("K(r, u + w)", &both),
        ("K(r, u) + K(r, w)", &apart),
    )
}

/// `K(r, 0) = 0`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn zero_to_zero<T: Approximate>(f: &dyn Flat<T>, x: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: ZERO_TO_ZERO, about: f, at: &[("x", x)] };
    let run = trial.inside(f.run(x))?;
    let (takes, gives) = f.dimensions();
    trial.same(("K(r, 0)", &run.pull(&vec![T::zero(); gives])), ("0", &vec![T::zero(); takes]))
}
