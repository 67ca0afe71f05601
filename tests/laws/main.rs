//! The laws: that they hold where they should, and that each rejects a contract which breaks it and nothing else.
//!
//! One folder a theory, one file a law; `strategy.rs` draws what its laws are about, so that nothing has to be discarded.
//! A law's file has the law on right contracts, and its negative twin: a contract written to be wrong in the way that the law is there to find.

// Tests fail by panicking.
#![allow(clippy::unwrap_used, missing_docs)]

mod adjoint;
mod composition;
mod iteration;
mod library;
mod linear;
mod macros;
mod product;
mod residual;
mod rounding;
mod strategy;
mod toys;
