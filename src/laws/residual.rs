//! The residual is all that the backward rule needs, and both functions are functions.

use super::approximate::Approximate;
use super::flat::{Flat, Subject, Trial};
use super::linear::coordinates;
use super::violation::{Law, LawViolation};

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
    deterministic_at(contract, &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

/// `K(r, u) after F(y), K(s, w) = K(r, u)`, where `r` was saved at `x`, `s` at `y`, and `x` is gone.
///
/// A rule that looks at anything but its residual, such as storage that a later forward run changed, gives another cotangent the second time.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn residual_suffices<T: Approximate, C: Subject<T>>(
    contract: &C,
    input: &C::Input,
    seed: &C::Output,
    later_input: &C::Input,
    later_seed: &C::Output,
) -> Result<(), LawViolation> {
    let (x, u) = (coordinates::<T, _>(input), coordinates::<T, _>(seed));
    residual_suffices_at(contract, &x, &u, &coordinates::<T, _>(later_input), &coordinates::<T, _>(later_seed))
}
