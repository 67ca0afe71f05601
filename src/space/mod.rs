//! Spaces: what contracts take and give, finite products of tensors.
//!
//! | space | zero, addition, pairing | dimension |
//! | --- | --- | --- |
//! | `()`, markers (`PhantomData`) | trivial | 0 |
//! | [`Tensor<S, T>`](crate::Tensor) | by element | the length of `S` |
//! | tuples up to twelve, arrays `[A; n]` | by part | the sum |
//! | [`Each<A, B>`] | by part, one for each index of the axis `B` | the size of `B` times that of `A` |
//! | structs with `#[derive(Space)]` | by field | the sum |
//! | nalgebra's `SMatrix` and `SVector` (feature `nalgebra`) | by element | rows times columns |
//!
//! [`Space`] knows no scalar, so a product of spaces is a space without any condition; what needs the scalar (the pairing, scaling, coordinates) is in [`Over`].
//! A [`Cotangent`] is a type of its own: this module must never convert between a primal and a cotangent without being asked by name.

mod array;
mod cotangent;
mod each;
#[cfg(feature = "nalgebra")]
mod matrix;
mod tensor;
mod tuple;
mod vector;

#[cfg(test)]
mod tests;

pub use cotangent::Cotangent;
pub use each::Each;
/// Makes a struct a [`Space`], and a [`Composite`] of its fields; see [`Space`] for an example.
///
/// A struct `Layer` gets the struct `LayerVars` beside it, with the same fields, for its variables in a [`Program`](crate::Program): see [`Traced`](crate::Traced).
/// `#[space(vars = Name)]` calls that one something else.
pub use pullback_macros::Space;
pub use vector::{Composite, Over, Pair, Space};
