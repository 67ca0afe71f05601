//! The backward rule is linear.

use crate::approximate::Approximate;
use crate::flat::Flat;
use crate::trial::{Trial, plus, times};
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
    // A run for each use: whether a residual can be used twice is the question of another law.
    let once = trial.inside(f.run(x))?.pull(u);
    for (factor, left, right) in
        [(T::from_ratio(-2, 1), "K(r, −2·u)", "−2·K(r, u)"), (T::from_ratio(1, 3), "K(r, 1/3·u)", "1/3·K(r, u)")]
    {
        let scaled = trial.inside(f.run(x))?.pull(&times(&factor, u));
        trial.agree((left, &scaled), (right, &times(&factor, &once)))?;
    }
    Ok(())
}

/// `K(r, u + w) = K(r, u) + K(r, w)`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn additive<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T], w: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: ADDITIVE, about: f, at: &[("x", x), ("u", u), ("w", w)] };
    let pull = |seed: &[T]| Ok(trial.inside(f.run(x))?.pull(seed));
    let (one, other, both) = (pull(u)?, pull(w)?, pull(&plus(u, w))?);
    trial.agree(("K(r, u + w)", &both), ("K(r, u) + K(r, w)", &plus(&one, &other)))
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
