//! What is saved and what is computed again.

use crate::contract::seal::{MayCarryProof, OfItsParts};
use crate::contract::{Contract, DomainError, Evidence};
use crate::space::Cotangent;

/// A contract that saves its input and computes its residual again; made by [`checkpoint`](crate::ContractExt::checkpoint).
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint<F> {
    pub(crate) inner: F,
}

impl<F> MayCarryProof for Checkpoint<F> {
    type Grounds = OfItsParts<Self>;
}

impl<F: Contract> Contract for Checkpoint<F> {
    type Input = F::Input;
    type Output = F::Output;
    type Residual = F::Input;
    type Evidence = <F::Evidence as Evidence>::Same<Self>;

    #[inline]
    fn forward(&self, input: F::Input) -> Result<(F::Output, F::Input), DomainError> {
        let (output, _) = self.inner.forward(input.clone())?;
        Ok((output, input))
    }

    #[inline]
    fn pullback(&self, residual: &F::Input, seed: Cotangent<F::Output>) -> Cotangent<F::Input> {
        match self.inner.forward(residual.clone()) {
            Ok((_, residual)) => self.inner.pullback(&residual, seed),
            // Only for a residual that no forward made: it lies outside of the domain, where there is no derivative to give.
            Err(_) => Cotangent::zero(),
        }
    }
}
