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
//! | [`variables`] | The operations as methods of the variables of a program |
//! | [`typed`] | Constructors that check sizes in types |
//! | [`mod@structure`] | Rearrangements: reshape, permutation, gather, slices, concatenation, broadcast, reduction |
//!
//! The schemas of the theory (its section 2), and what StableHLO and this library call them:
//!
//! | schema | StableHLO | here |
//! | --- | --- | --- |
//! | constant | `constant` | [`constant()`] |
//! | equal-shape addition | `add` | [`add()`] |
//! | elementwise multiplication | `multiply` | [`multiply()`] |
//! | reshape | `reshape` | [`reshape()`](structure::reshape) |
//! | permutation | `transpose` | [`transpose()`](structure::transpose), [`permute_axes()`] |
//! | fixed gather | `gather`, `slice` | [`take()`], [`gather()`], [`slice()`](structure::slice) |
//! | sum reduction | `reduce` with addition | [`reduce_sum()`], [`reduce_sum_axis()`], [`reduce_sum_leading()`], [`reduce_sum_all()`] |
//! | concatenation | `concatenate` | [`concatenate()`](structure::concatenate), [`concatenate_leading()`] |
//! | rank-two matrix product | `dot_general` | [`matmul()`], [`dot_general()`] |
//! | exponential | `exponential` | [`exponential()`] |
//! | hyperbolic tangent | `tanh` | [`tanh()`] |
//! | reciprocal | `divide` of one | [`reciprocal()`] |
//! | inverse square root | `rsqrt` | [`rsqrt()`] |
//! | explicit broadcast | `broadcast_in_dim` | [`broadcast_in_dim()`], [`broadcast_in_dim_leading()`], [`broadcast_in_dim_axis()`], [`broadcast_in_dim_scalar()`] |

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

pub mod statistics;
pub mod structure;
pub mod typed;
pub mod variables;

pub use arithmetic::*;
pub use attention::*;
pub use contraction::*;
pub use convolution::*;
pub use declared::*;
pub use elementwise::*;
pub use loss::*;
pub use normalization::*;
pub use pooling::*;
pub use pullback_program::STATEMENTS;
pub use recurrent::*;
pub use regularization::*;
pub use softmax::*;
pub use statistics::*;
pub use structure::*;
