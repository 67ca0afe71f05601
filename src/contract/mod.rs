//! Contracts: differentiable operations with typed shapes, and what they are made of.
//!
//! A contract is the triple (F, K, R): a forward function, a backward rule, and the residual that the one saves for the other.
//! This module knows no operation: primitives come from statements, through `contract!`, and nothing here contains a derivative but the sums and zeros of sharing and dropping.
//! It must never give the evidence [`Proved`] to anything but what the kernel proved and combinators of such.
//!
//! | part | what |
//! | --- | --- |
//! | [`Contract`] | the trait |
//! | [`ContractExt`] | what a user calls on a contract |
//! | [`combinators`] | the table of combinators |
//! | [`Evidence`], [`Proved`], [`Declared`] | why a rule may be believed |
//! | [`DomainError`] | an input outside of the domain |
//! | [`Meets`], [`Fills`], [`Row`], [`Seed`] | conditions with messages of their own |

pub mod combinators;
mod digest;
mod error;
mod evidence;
mod ext;
mod meets;
pub(crate) mod seal;
mod triple;

#[cfg(test)]
mod tests;

pub use error::{Condition, DomainError};
pub use evidence::{Convention, Declared, Evidence, EvidenceFor, Label, Proved, Subgradient, Surrogate, Unproved};
pub use ext::{ContractExt, Linearized, assert_residual_at_most};
pub use meets::{Fills, Follows, FollowsWith, Meets, Row, RowToRow, RowToRowWith, Seed, Step, TakesFieldsOf};
pub use triple::{Contract, ProvedContract};

#[doc(hidden)]
pub use seal::{MayCarryProof, Seal, proved};
