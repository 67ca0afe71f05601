//! A contract through a pointer is the contract.

use std::sync::Arc;

use crate::contract::seal::{MayCarryProof, OfItsParts};
use crate::contract::{Contract, DomainError, Evidence};
use crate::space::Cotangent;

macro_rules! pointer {
    ($($pointer:ty),*) => {$(
        // Only of a contract: a pointer to a type of a user's own counts as the user's own, so without the bound
        // anybody could implement `Contract` for it and claim a proof.
        #[diagnostic::do_not_recommend]
        impl<C: Contract> MayCarryProof for $pointer {
            type Grounds = OfItsParts<Self>;
        }

        impl<C: Contract> Contract for $pointer {
            type Input = C::Input;
            type Output = C::Output;
            type Residual = C::Residual;
            type Evidence = <C::Evidence as Evidence>::Same<Self>;

            #[inline]
            fn forward(&self, input: C::Input) -> Result<(C::Output, C::Residual), DomainError> {
                (**self).forward(input)
            }

            #[inline]
            fn pullback(&self, residual: &C::Residual, seed: Cotangent<C::Output>) -> Cotangent<C::Input> {
                (**self).pullback(residual, seed)
            }
        }
    )*};
}

pointer! { &C, Box<C>, Arc<C> }
