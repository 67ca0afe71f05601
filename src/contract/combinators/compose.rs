//! One after the other.

use crate::contract::seal::{MayCarryProof, OfItsParts};
use crate::contract::{Contract, DomainError, Evidence};
use crate::space::{Cotangent, Pair};

/// `first`, then `second`; made by [`then`](crate::ContractExt::then).
#[derive(Clone, Copy, Debug)]
pub struct Then<F, G> {
    pub(crate) first: F,
    pub(crate) second: G,
}

impl<F, G> MayCarryProof for Then<F, G> {
    type Grounds = OfItsParts<Self>;
}

impl<F, G> Contract for Then<F, G>
where
    F: Contract,
    G: Contract<Input = F::Output>,
{
    type Input = F::Input;
    type Output = G::Output;
    type Residual = (F::Residual, G::Residual);
    type Evidence = <F::Evidence as Evidence>::And<G::Evidence, Self>;

    #[inline]
    fn forward(&self, input: F::Input) -> Result<(G::Output, Self::Residual), DomainError> {
        let (middle, first) = self.first.forward(input)?;
        let (output, second) = self.second.forward(middle)?;
        Ok((output, (first, second)))
    }

    #[inline]
    fn pullback(&self, residual: &Self::Residual, seed: Cotangent<G::Output>) -> Cotangent<F::Input> {
        self.first.pullback(&residual.0, self.second.pullback(&residual.1, seed))
    }
}

/// `first` and then `second`, each with parameters of its own; made by [`then_with`](crate::ContractExt::then_with).
#[derive(Clone, Copy, Debug)]
pub struct ThenWith<F, G> {
    pub(crate) first: F,
    pub(crate) second: G,
}

impl<F, G> MayCarryProof for ThenWith<F, G> {
    type Grounds = OfItsParts<Self>;
}

// The parts of the inputs are projections and not parameters of the impl: with parameters, the compiler would infer them anew at every level of a chain.
impl<F, G> Contract for ThenWith<F, G>
where
    F: Contract<Input: Pair>,
    G: Contract<Input: Pair<Right = F::Output>>,
{
    type Input = <F::Input as Pair>::With<<G::Input as Pair>::Left>;
    type Output = G::Output;
    type Residual = (F::Residual, G::Residual);
    type Evidence = <F::Evidence as Evidence>::And<G::Evidence, Self>;

    #[inline]
    fn forward(&self, input: Self::Input) -> Result<(G::Output, Self::Residual), DomainError> {
        let (input, parameters) = F::Input::without(input);
        let (middle, first) = self.first.forward(input)?;
        let (output, second) = self.second.forward(Pair::pair(parameters, middle))?;
        Ok((output, (first, second)))
    }

    #[inline]
    fn pullback(&self, residual: &Self::Residual, seed: Cotangent<G::Output>) -> Cotangent<Self::Input> {
        let (parameters, middle) = self.second.pullback(&residual.1, seed).into_inner().unpair();
        let input = self.first.pullback(&residual.0, Cotangent::new(middle)).into_inner();
        Cotangent::new(input.with(parameters))
    }
}
