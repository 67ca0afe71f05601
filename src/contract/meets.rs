//! When contracts meet: conditions with messages of their own.

use super::Contract;
use super::combinators::Nest;
use crate::scalar::Scalar;
use crate::shape::Shape;
use crate::space::{Composite, Cotangent, Pair, Space};
use crate::tensor::Tensor;

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

/// A contract on `(parameters, state)` that gives a state: what [`repeat`](super::ContractExt::repeat) takes.
pub trait Step: Contract {}

impl<F: Contract<Input: Pair>> Step for F where F::Output: Meets<<F::Input as Pair>::Right> {}

/// The fields of a struct are the parameters that a contract takes.
///
/// Implemented for equal types only.
#[diagnostic::on_unimplemented(
    message = "E0101: the fields are not the parameters: the contract takes `{Taken}`, the struct gives `{Self}`",
    label = "expected `{Taken}`, found `{Self}`",
    note = "`then_with` collects parameters in the order of the layers; the fields stand in the same order"
)]
pub trait Fills<Taken> {}

#[diagnostic::do_not_recommend]
impl<P> Fills<P> for P {}

/// A contract whose parameters the fields of `P` are: what [`with_parameters`](super::ContractExt::with_parameters) takes.
pub trait TakesFieldsOf<P>: Contract {}

impl<P, F> TakesFieldsOf<P> for F
where
    P: Composite<Parts: Nest>,
    F: Contract<Input: Pair>,
    <P::Parts as Nest>::Nested: Fills<<F::Input as Pair>::Left>,
{
}

/// One tensor, which may be a row of a batch.
#[diagnostic::on_unimplemented(
    message = "E0114: `{Self}` is not one tensor, so it can't be a row of a batch",
    label = "expected `Tensor<…>`, found `{Self}`",
    note = "`map_over` takes a contract from a tensor to a tensor, `map_over_with` one from parameters and a tensor to a tensor"
)]
pub trait Row: Space {}

#[diagnostic::do_not_recommend]
impl<S: Shape, T: Scalar> Row for Tensor<S, T> {}

/// A contract from a row to a row: what [`map_over`](super::ContractExt::map_over) takes.
pub trait RowToRow: Contract {}

impl<F: Contract<Input: Row, Output: Row>> RowToRow for F {}

/// A contract from parameters and a row to a row: what [`map_over_with`](super::ContractExt::map_over_with) takes.
pub trait RowToRowWith: Contract {}

impl<F: Contract<Input: Pair, Output: Row>> RowToRowWith for F where <F::Input as Pair>::Right: Row {}

/// What may seed a backward pass to an output `A`: a cotangent of it.
#[diagnostic::on_unimplemented(
    message = "E0108: `{Self}` is not a cotangent of `{A}`",
    label = "expected `Cotangent<{A}>`, found `{Self}`",
    note = "`Cotangent::new(…)` makes a cotangent of the coordinates of a primal, if that is what is meant"
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
