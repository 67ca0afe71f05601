//! The library's own operations: every one a statement from `contracts/`, and nothing else.
//!
//! A statement `softmax` gives the type [`Softmax`] and the function [`softmax()`] that makes it; the type parameters are the
//! statement's dimensions in order, a pack of axes as a shape, and then the scalar.
//! No derivative is written in this module, and none may be: a rule stands in a statement, where the kernel proves it.
//!
//! | family | operations |
//! | --- | --- |
//! | [`mod@arithmetic`] | Arithmetic of tensors of one shape, with constants and with broadcast operands |
//! | [`mod@attention`] | Scaled dot-product attention, with and without masks and biases, and rotary position embedding |
//! | [`mod@contraction`] | Products summed over shared axes: matrices, vectors, batches of them |
//! | [`mod@convolution`] | Convolution and transposed convolution |
//! | [`mod@declared`] | Operations that are not smooth everywhere: their rules are proved between the boundaries and declared on them |
//! | [`mod@elementwise`] | Smooth functions applied to every element |
//! | [`mod@loss`] | Losses |
//! | [`mod@normalization`] | Normalisation over an axis, a batch or groups, with closed-form backward rules |
//! | [`mod@pooling`] | Sums and averages over windows |
//! | [`mod@recurrent`] | One step of a recurrent network |
//! | [`mod@regularization`] | Dropout, its mask an input: a recomputed step sees the same mask |
//! | [`mod@softmax`] | Softmax and its relatives, safe from overflow |
//! | [`mod@statistics`] | Means, variances and norms |
//! | [`typed`] | Constructors that check sizes in types |
//! | [`mod@structure`] | Rearrangements: reshape, permutation, gather, slices, concatenation, broadcast, reduction |

pub mod arithmetic;
pub mod attention;
pub mod contraction;
pub mod convolution;
pub mod declared;
pub mod elementwise;
pub mod loss;
pub mod normalization;
pub mod pooling;
pub mod recurrent;
pub mod regularization;
pub mod softmax;
mod statements;
pub mod statistics;
pub mod structure;
pub mod typed;

pub use arithmetic::*;
pub use attention::*;
pub use contraction::*;
pub use convolution::*;
pub use declared::*;
pub use elementwise::*;
pub use loss::*;
pub use normalization::*;
pub use pooling::*;
pub use recurrent::*;
pub use regularization::*;
pub use softmax::*;
pub use statements::STATEMENTS;
pub use statistics::*;
pub use structure::*;
