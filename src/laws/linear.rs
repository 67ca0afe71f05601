//! The backward rule is linear.

use super::contract::{On, Subject, coordinates};
use super::{Approximate, LawViolation, equations};

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
    equations::homogeneous(&On(contract), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
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
    equations::additive(
        &On(contract),
        &coordinates::<T, _>(input),
        &coordinates::<T, _>(seed),
        &coordinates::<T, _>(other),
    )
}

/// `K(r, 0) = 0`.
///
/// It follows from [`homogeneous`] over the reals and not for floats: a rule that divides by its cotangent gives 0/0 here and nowhere else.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn zero_to_zero<T: Approximate, C: Subject<T>>(contract: &C, input: &C::Input) -> Result<(), LawViolation> {
    equations::zero_to_zero(&On(contract), &coordinates::<T, _>(input))
}
