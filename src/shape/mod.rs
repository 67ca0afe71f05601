//! Shapes: axes with names and sizes, tuples of them, and the conditions that operations put on them.
//!
//! Everything here is settled while compiling; no value of a shape exists at run time.
//! This module must never let a number in a type reach a user's message: a condition is a trait of [`rule`] with a code, and [`errors`] explains the codes.
//!
//! | what | written | made by |
//! | --- | --- | --- |
//! | a named axis | `Batch` | [`dims!`](crate::dims) |
//! | an anonymous axis | [`N<784>`](N) | nothing to make |
//! | a shape | `(Batch, N<784>)`, `(Batch,)`, `()` | nothing to make |
//! | a concatenation | [`Joined<S, (N,)>`](Joined) | [`Join`] |
//! | a window | [`Window::<Out>::new().stride::<2>()`](Window) | its methods |
//! | a condition | `S: SameLength<Z>` | [`rule`] |

mod dim;
pub mod errors;
pub(crate) mod extent;
mod join;
pub mod rule;
mod tuple;
mod window;

#[cfg(test)]
mod tests;

pub use dim::{Count, Dim, N};
pub use extent::{Extent, Flag, No, Yes};
pub use join::{Join, Joined, SplitChannel, SplitFirst, SplitLast};
pub use rule::{ConvOut, Divides, FactorsOf, KernelFits, OutputFits, PartsOf, SameLength, SameSizes, SplitOf};
pub use tuple::Shape;
pub use window::{Pool, Slides, Sliding, Window};
