//! The methods that a user calls on a contract.

use core::marker::PhantomData;

use super::combinators::{
    Checkpoint, Erased, FanOut, MapOver, MapOverWith, Par, Repeat, Then, ThenWith, WithParameters,
};
use super::meets::{Follows, FollowsWith, RowToRow, RowToRowWith, Seed, Step, TakesFieldsOf};
use super::{Contract, DomainError};
use crate::scalar::Scalar;
use crate::shape::Dim;
use crate::space::{Composite, Cotangent, Space};
use crate::tensor::Tensor;

/// Methods of every contract; the combinators are in the table of [`combinators`](super::combinators).
pub trait ContractExt: Contract {
    /// This, then `next`: the output of the one is the input of the other.
    #[inline]
    fn then<G>(self, next: G) -> Then<Self, G>
    where
        Self: Sized,
        G: Follows<Self::Output>,
    {
        Then { first: self, second: next }
    }

    /// This on `(P, A)`, then `next` on `(Q, B)`: a contract on `((P, Q), A)`, which keeps the parameters apart.
    #[inline]
    fn then_with<G>(self, next: G) -> ThenWith<Self, G>
    where
        Self: Sized,
        G: FollowsWith<Self::Output>,
    {
        ThenWith { first: self, second: next }
    }

    /// This and `other` side by side, on a pair.
    #[inline]
    fn par<G>(self, other: G) -> Par<Self, G>
    where
        Self: Sized,
        G: Contract,
    {
        Par { left: self, right: other }
    }

    /// This and `other` on the same input.
    #[inline]
    fn fan_out<G>(self, other: G) -> FanOut<Self, G>
    where
        Self: Sized,
        G: Follows<Self::Input>,
    {
        FanOut { left: self, right: other }
    }

    /// This `TIMES` times, with the same parameters: on `(P, A)` with output `A`.
    ///
    /// The residual is an array of `TIMES` residuals; for very many steps of large inline residuals, erase the step.
    #[inline]
    fn repeat<const TIMES: usize>(self) -> Repeat<Self, TIMES>
    where
        Self: Sized + Step,
    {
        Repeat { step: self }
    }

    /// This on each row of a batch: `Tensor<S>` becomes `Tensor<(N, S..)>`.
    #[inline]
    fn map_over<N: Dim>(self) -> MapOver<Self, N>
    where
        Self: Sized + RowToRow,
    {
        MapOver { each: self, axis: PhantomData }
    }

    /// This on each row of a batch, with the same parameters: `(P, Tensor<S>)` becomes `(P, Tensor<(N, S..)>)`.
    #[inline]
    fn map_over_with<N: Dim>(self) -> MapOverWith<Self, N>
    where
        Self: Sized + RowToRowWith,
    {
        MapOverWith { each: self, axis: PhantomData }
    }

    /// This with its input for a residual: it saves less and computes more.
    #[inline]
    fn checkpoint(self) -> Checkpoint<Self>
    where
        Self: Sized,
    {
        Checkpoint { inner: self }
    }

    /// This with its parameters in a struct: the fields of `P` are the parameters that [`then_with`](ContractExt::then_with) collected, in order.
    #[inline]
    fn with_parameters<P: Composite>(self) -> WithParameters<Self, P>
    where
        Self: Sized + TakesFieldsOf<P>,
    {
        WithParameters { inner: self, parameters: PhantomData }
    }

    /// This without its type, which then stays short however deep the chain is; the evidence is kept.
    fn erase(self) -> Erased<Self::Input, Self::Output, Self::Evidence>
    where
        Self: Sized + Send + Sync + 'static,
    {
        Erased::new(self)
    }

    /// This, if its residual has at most `LIMIT` coordinates; otherwise the program does not compile.
    #[inline]
    fn with_residual_at_most<const LIMIT: usize>(self) -> Self
    where
        Self: Sized,
    {
        assert_residual_at_most::<Self, LIMIT>();
        self
    }

    /// The output, and the backward rule at this input.
    ///
    /// # Errors
    ///
    /// [`DomainError`] for an input outside of the domain.
    #[inline]
    fn linearize(&self, input: Self::Input) -> Result<(Self::Output, Linearized<'_, Self>), DomainError> {
        let (output, residual) = self.forward(input)?;
        Ok((output, Linearized { contract: self, residual }))
    }

    /// The value of a scalar contract, and its gradient.
    ///
    /// # Errors
    ///
    /// [`DomainError`] for an input outside of the domain.
    #[inline]
    fn value_and_gradient<T: Scalar>(&self, input: Self::Input) -> Result<(T, Cotangent<Self::Input>), DomainError>
    where
        Self: Contract<Output = Tensor<(), T>>,
    {
        let (output, residual) = self.forward(input)?;
        let gradient = self.pullback(&residual, Cotangent::new(Tensor::scalar(T::one())));
        Ok((output.to_scalar(), gradient))
    }
}

impl<C: Contract + ?Sized> ContractExt for C {}

/// A contract at one input: its backward rule with what was saved there; made by [`linearize`](ContractExt::linearize).
#[derive(Debug)]
pub struct Linearized<'a, C: Contract + ?Sized> {
    contract: &'a C,
    residual: C::Residual,
}

impl<C: Contract + ?Sized> Linearized<'_, C> {
    /// The cotangent of the input for a cotangent of the output.
    #[inline]
    #[must_use]
    pub fn pullback(&self, seed: impl Seed<C::Output>) -> Cotangent<C::Input> {
        self.contract.pullback(&self.residual, seed.into_cotangent())
    }

    /// What was saved.
    #[inline]
    #[must_use]
    pub fn residual(&self) -> &C::Residual {
        &self.residual
    }
}

/// Asserts while compiling that the residual of `C` has at most `LIMIT` coordinates.
///
/// # Example
///
/// ```
/// use pullback::{N, Tensor, identity};
/// use pullback::contract::assert_residual_at_most;
///
/// fn budget<C: pullback::Contract>(_: &C) {
///     const { assert_residual_at_most::<C, 100>() }
/// }
/// budget(&identity::<Tensor<(N<784>,)>>());
/// ```
pub const fn assert_residual_at_most<C: Contract, const LIMIT: usize>() {
    const {
        assert!(
            <C::Residual as Space>::DIMENSION <= LIMIT,
            "E0115: the residual has more coordinates than its budget allows"
        );
    }
}
