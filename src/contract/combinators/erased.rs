//! A contract whose type is forgotten, so that a chain of any depth has a short one.

use core::any::Any;
use core::fmt::{self, Debug};
use core::marker::PhantomData;
use std::sync::Arc;

use crate::contract::seal::{MayCarryProof, OfItsParts};
use crate::contract::{Contract, DomainError, Evidence};
use crate::space::{Cotangent, Space};

/// A residual whose type is forgotten.
trait Saved: Any + Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn added(&self, term: &dyn Saved) -> Option<Arc<dyn Saved>>;
}

impl<R: Space> Saved for R {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn added(&self, term: &dyn Saved) -> Option<Arc<dyn Saved>> {
        let term = term.as_any().downcast_ref::<R>()?;
        Some(Arc::new(self.clone().add(term)))
    }
}

/// The residual of an [`Erased`] contract: one whose space is known only while running.
///
/// Its dimension counts as unbounded, so that no residual budget holds for it by accident.
#[derive(Clone, Debug, Default)]
pub struct ErasedResidual {
    /// Nothing for zero.
    saved: Option<Arc<dyn Saved>>,
}

impl Space for ErasedResidual {
    const DIMENSION: usize = usize::MAX;

    fn zero() -> Self {
        Self::default()
    }

    /// Adds a residual of the same contract; one of another contract lies in another space, and leaves it unchanged.
    fn accumulate(&mut self, term: &Self) {
        let Some(term) = &term.saved else { return };
        match &self.saved {
            None => self.saved = Some(Arc::clone(term)),
            Some(saved) => {
                if let Some(sum) = saved.added(&**term) {
                    self.saved = Some(sum);
                }
            }
        }
    }
}

/// A contract without its type.
trait Hidden<A: Space, B: Space>: Send + Sync {
    fn forward(&self, input: A) -> Result<(B, ErasedResidual), DomainError>;
    fn pullback(&self, residual: &ErasedResidual, seed: Cotangent<B>) -> Cotangent<A>;
}

impl<C: Contract + Send + Sync> Hidden<C::Input, C::Output> for C {
    fn forward(&self, input: C::Input) -> Result<(C::Output, ErasedResidual), DomainError> {
        let (output, residual) = Contract::forward(self, input)?;
        Ok((output, ErasedResidual { saved: Some(Arc::new(residual)) }))
    }

    fn pullback(&self, residual: &ErasedResidual, seed: Cotangent<C::Output>) -> Cotangent<C::Input> {
        match &residual.saved {
            None => Contract::pullback(self, &C::Residual::zero(), seed),
            Some(saved) => match saved.as_any().downcast_ref::<C::Residual>() {
                Some(residual) => Contract::pullback(self, residual, seed),
                // Another contract's residual, which no forward of this one made: there is no derivative to give.
                None => Cotangent::zero(),
            },
        }
    }
}

/// A contract from `A` to `B` with evidence `E` and nothing else in its type; made by [`erase`](crate::ContractExt::erase).
///
/// It costs an allocation for the residual and a call through a pointer, and it keeps the evidence.
/// Clones share the contract.
pub struct Erased<A: Space, B: Space, E: Evidence> {
    contract: Arc<dyn Hidden<A, B>>,
    // Invariant: the evidence of the contract that was erased.
    evidence: PhantomData<fn() -> E>,
}

impl<A: Space, B: Space, E: Evidence> Erased<A, B, E> {
    /// Forgets the type of a contract.
    #[must_use]
    pub fn new<C>(contract: C) -> Self
    where
        C: Contract<Input = A, Output = B, Evidence = E> + Send + Sync + 'static,
    {
        Erased { contract: Arc::new(contract), evidence: PhantomData }
    }
}

impl<A: Space, B: Space, E: Evidence> Clone for Erased<A, B, E> {
    fn clone(&self) -> Self {
        Erased { contract: Arc::clone(&self.contract), evidence: PhantomData }
    }
}

impl<A: Space, B: Space, E: Evidence> Debug for Erased<A, B, E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Erased({})", E::LABEL)
    }
}

impl<A: Space, B: Space, E: Evidence> MayCarryProof for Erased<A, B, E> {
    type Grounds = OfItsParts<Self>;
}

impl<A: Space, B: Space, E: Evidence> Contract for Erased<A, B, E> {
    type Input = A;
    type Output = B;
    type Residual = ErasedResidual;
    type Evidence = E::Same<Self>;

    fn forward(&self, input: A) -> Result<(B, ErasedResidual), DomainError> {
        self.contract.forward(input)
    }

    fn pullback(&self, residual: &ErasedResidual, seed: Cotangent<B>) -> Cotangent<A> {
        self.contract.pullback(residual, seed)
    }
}
