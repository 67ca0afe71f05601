//! The backward rule is linear.

use super::approximate::Approximate;
use super::flat::{Flat, Subject, Trial, plus, times};
use super::violation::{Law, LawViolation};

pub(super) const HOMOGENEOUS: Law = Law { name: "homogeneous", equation: "K(r, c·u) = c·K(r, u)" };
pub(super) const ADDITIVE: Law = Law { name: "additive", equation: "K(r, u + w) = K(r, u) + K(r, w)" };
pub(super) const ZERO_TO_ZERO: Law = Law { name: "zero_to_zero", equation: "K(r, 0) = 0" };

/// `K(r, c·u) = c·K(r, u)`, for `c` of −2 and of 1/3.
///
/// A negative factor tells a rule apart that takes magnitudes or signs of its cotangent, a fraction one that squares it.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn homogeneous<T: Approximate, C: Subject<T>>(
    contract: &C,
    input: &C::Input,
    seed: &C::Output,
) -> Result<(), LawViolation> {
    homogeneous_at(contract, &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

pub(super) fn homogeneous_at<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: HOMOGENEOUS, about: f, at: &[("x", x), ("u", u)] };
    let run = trial.inside(f.run(x))?;
    let once = run.pull(u);
    for (factor, left, right) in
        [(T::from_ratio(-2, 1), "K(r, −2·u)", "−2·K(r, u)"), (T::from_ratio(1, 3), "K(r, 1/3·u)", "1/3·K(r, u)")]
    {
        trial.agree((left, &run.pull(&times(&factor, u))), (right, &times(&factor, &once)))?;
    }
    Ok(())
}

/// `K(r, u + w) = K(r, u) + K(r, w)`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn additive<T: Approximate, C: Subject<T>>(
    contract: &C,
    input: &C::Input,
    seed: &C::Output,
    other: &C::Output,
) -> Result<(), LawViolation> {
    additive_at(contract, &coordinates::<T, _>(input), &coordinates::<T, _>(seed), &coordinates::<T, _>(other))
}

pub(super) fn additive_at<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T], w: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: ADDITIVE, about: f, at: &[("x", x), ("u", u), ("w", w)] };
    let run = trial.inside(f.run(x))?;
    let (one, other) = (run.pull(u), run.pull(w));
    trial.agree(("K(r, u + w)", &run.pull(&plus(u, w))), ("K(r, u) + K(r, w)", &plus(&one, &other)))
}

/// `K(r, 0) = 0`.
///
/// It follows from [`homogeneous`] over the reals and not for floats: a rule that divides by its cotangent gives 0/0 here and nowhere else.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn zero_to_zero<T: Approximate, C: Subject<T>>(contract: &C, input: &C::Input) -> Result<(), LawViolation> {
    zero_to_zero_at(contract, &coordinates::<T, _>(input))
}

pub(super) fn zero_to_zero_at<T: Approximate>(f: &dyn Flat<T>, x: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: ZERO_TO_ZERO, about: f, at: &[("x", x)] };
    let run = trial.inside(f.run(x))?;
    let (takes, gives) = f.dimensions();
    trial.same(("K(r, 0)", &run.pull(&vec![T::zero(); gives])), ("0", &vec![T::zero(); takes]))
}

/// The coordinates of a point, where its type does not say over which scalar.
pub(super) fn coordinates<T: Approximate, A: crate::space::Over<T>>(point: &A) -> Vec<T> {
    point.coordinates()
}
