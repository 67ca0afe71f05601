//! Tensors: shared immutable arrays with their shape in the type, and the index data that statements speak of.
//!
//! A value that a backward rule saved can't go stale: nothing here changes a tensor that somebody else holds.
//! This module must never compute: arithmetic belongs to the statements, and the only function of numbers here is the matrix product that they call.

mod draft;
mod error;
pub mod index;
#[doc(hidden)]
pub mod storage;
#[expect(clippy::module_inception, reason = "the family of this file is the tensor itself")]
mod tensor;

#[cfg(test)]
mod tests;

pub use draft::Draft;
pub use error::{IndexError, LengthError};
pub use index::{Bijection, IndexMap, PartialMap};
pub use tensor::Tensor;
