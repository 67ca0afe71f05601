//! The residual is all that the backward rule needs, and both functions are functions.

use super::contract::{On, Subject, coordinates};
use super::{Approximate, LawViolation, equations};

/// `F(x) = F(x)`: two runs at one point give the same value, and residuals with the same backward rule, to the bit.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn deterministic<T: Approximate, C: Subject<T>>(
    contract: &C,
    input: &C::Input,
    seed: &C::Output,
) -> Result<(), LawViolation> {
    equations::deterministic(&On(contract), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

/// `K(r, u) = K(r, u)`: a residual is not used up; the second use of a tape gives the same to the bit.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn reusable<T: Approximate, C: Subject<T>>(
    contract: &C,
    input: &C::Input,
    seed: &C::Output,
) -> Result<(), LawViolation> {
    equations::reusable(&On(contract), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

/// `K(r, u) after F(y), K(s, w) = K(r, u)`, where `r` was saved at `x` and `s` at `y`: the calls of two runs may be interleaved.
///
/// A rule that looks at anything but its residual, such as storage that a later forward run changed, gives another cotangent.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn interleaved<T: Approximate, C: Subject<T>>(
    contract: &C,
    input: &C::Input,
    seed: &C::Output,
    later_input: &C::Input,
    later_seed: &C::Output,
) -> Result<(), LawViolation> {
    let (x, u) = (coordinates::<T, _>(input), coordinates::<T, _>(seed));
    let (y, w) = (coordinates::<T, _>(later_input), coordinates::<T, _>(later_seed));
    equations::interleaved(&On(contract), &x, &u, &y, &w)
}
