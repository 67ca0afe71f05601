//! When contracts meet: conditions with messages of their own.

use super::Contract;
use crate::space::{Cotangent, Pair, Space};

/// What one contract gives is what the next one takes.
///
/// Implemented for equal types only.
#[diagnostic::on_unimplemented(
    message = "E0101: contracts do not meet: the next one takes `{Next}`, this one gives `{Self}`",
    label = "expected `{Self}`, found `{Next}`",
    note = "axes mix only when their names agree; `rename` says that two names mean the same"
)]
pub trait Meets<Next> {}

#[diagnostic::do_not_recommend]
impl<A> Meets<A> for A {}

/// A contract that takes `Given`; implemented for exactly those.
///
/// It stands between [`then`](super::ContractExt::then) and [`Meets`] so that the compiler knows the second contract before it compares: otherwise it would report a mismatch of associated types, without the code.
pub trait Follows<Given>: Contract {}

impl<Given, G: Contract> Follows<Given> for G where Given: Meets<G::Input> {}

/// A contract that takes a pair of parameters and `Given`; implemented for exactly those.
pub trait FollowsWith<Given>: Contract {}

impl<Given, G: Contract<Input: Pair>> FollowsWith<Given> for G where Given: Meets<<G::Input as Pair>::Right> {}

/// What may seed a backward pass to an output `A`: a cotangent of it.
#[diagnostic::on_unimplemented(
    message = "E0108: `{Self}` is a primal, not a cotangent of `{A}`",
    label = "expected `Cotangent<{A}>`, found `{Self}`",
    note = "`Cotangent::new(…)` makes a cotangent of these coordinates, if that is what is meant"
)]
pub trait Seed<A: Space> {
    /// The cotangent.
    fn into_cotangent(self) -> Cotangent<A>;
}

#[diagnostic::do_not_recommend]
impl<A: Space> Seed<A> for Cotangent<A> {
    #[inline]
    fn into_cotangent(self) -> Cotangent<A> {
        self
    }
}
