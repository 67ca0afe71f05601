//! Side by side.

use crate::contract::seal::{MayCarryProof, OfItsParts};
use crate::contract::{Contract, DomainError, Evidence};
use crate::space::Cotangent;

/// Two contracts on the parts of a pair; made by [`par`](crate::ContractExt::par).
#[derive(Clone, Copy, Debug)]
pub struct Par<F, G> {
    pub(crate) left: F,
    pub(crate) right: G,
}

impl<F, G> MayCarryProof for Par<F, G> {
    type Grounds = OfItsParts<Self>;
}

impl<F: Contract, G: Contract> Contract for Par<F, G> {
    type Input = (F::Input, G::Input);
    type Output = (F::Output, G::Output);
    type Residual = (F::Residual, G::Residual);
    type Evidence = <F::Evidence as Evidence>::And<G::Evidence, Self>;

    #[inline]
    fn forward(&self, (left, right): Self::Input) -> Result<(Self::Output, Self::Residual), DomainError> {
        let (left, left_residual) = self.left.forward(left)?;
        let (right, right_residual) = self.right.forward(right)?;
        Ok(((left, right), (left_residual, right_residual)))
    }

    #[inline]
    fn pullback(&self, residual: &Self::Residual, seed: Cotangent<Self::Output>) -> Cotangent<Self::Input> {
        let (left, right) = seed.split();
        (self.left.pullback(&residual.0, left), self.right.pullback(&residual.1, right)).into()
    }
}

/// Two contracts on one input; made by [`fan_out`](crate::ContractExt::fan_out).
#[derive(Clone, Copy, Debug)]
pub struct FanOut<F, G> {
    pub(crate) left: F,
    pub(crate) right: G,
}

impl<F, G> MayCarryProof for FanOut<F, G> {
    type Grounds = OfItsParts<Self>;
}

impl<F, G> Contract for FanOut<F, G>
where
    F: Contract,
    G: Contract<Input = F::Input>,
{
    type Input = F::Input;
    type Output = (F::Output, G::Output);
    type Residual = (F::Residual, G::Residual);
    type Evidence = <F::Evidence as Evidence>::And<G::Evidence, Self>;

    #[inline]
    fn forward(&self, input: F::Input) -> Result<(Self::Output, Self::Residual), DomainError> {
        let (left, left_residual) = self.left.forward(input.clone())?;
        let (right, right_residual) = self.right.forward(input)?;
        Ok(((left, right), (left_residual, right_residual)))
    }

    #[inline]
    fn pullback(&self, residual: &Self::Residual, seed: Cotangent<Self::Output>) -> Cotangent<F::Input> {
        let (left, right) = seed.split();
        self.left.pullback(&residual.0, left).add(&self.right.pullback(&residual.1, right))
    }
}
