//! What the codes in compiler messages mean, and what to do.
//!
//! A condition that does not hold is reported by its code and by the names of the axes, shapes or contracts in it.
//!
//! | code | says | trait |
//! | --- | --- | --- |
//! | [E0101](#e0101) | contracts do not meet | [`Meets`](crate::contract::Meets), [`Fills`](crate::contract::Fills) |
//! | [E0102](#e0102) | a reshape changes the number of elements | [`SameLength`](super::SameLength) |
//! | [E0103](#e0103) | the output axis of a convolution does not fit | [`OutputFits`](super::OutputFits) |
//! | [E0104](#e0104) | the kernel is longer than the padded input | [`KernelFits`](super::KernelFits) |
//! | [E0105](#e0105) | heads or groups do not divide the width | [`Divides`](super::Divides) |
//! | [E0106](#e0106) | parts do not add up to the whole | [`SplitOf`](super::SplitOf), [`PartsOf`](super::PartsOf) |
//! | [E0107](#e0107) | factors do not multiply to the whole | [`FactorsOf`](super::FactorsOf) |
//! | [E0108](#e0108) | a primal, or a cotangent of another space, stands for a cotangent | [`Seed`](crate::contract::Seed) |
//! | [E0109](#e0109) | `Proved` is claimed by hand | [`EvidenceFor`](crate::EvidenceFor) |
//! | [E0110](#e0110) | a renaming changes sizes | [`SameSizes`](super::SameSizes) |
//! | [E0111](#e0111) | not a shape | [`Shape`](super::Shape), [`Join`](super::Join) |
//! | [E0112](#e0112) | not an axis | [`Dim`](super::Dim), [`Count`](super::Count) |
//! | [E0113](#e0113) | a scalar without transcendental functions | [`Real`](crate::Real) |
//! | [E0114](#e0114) | not a space, or not one of the kind | [`Space`](crate::Space) and its kind, [`Row`](crate::contract::Row) |
//! | [E0115](#e0115) | a residual over its budget | [`assert_residual_at_most`](crate::contract::assert_residual_at_most) |
//! | [E0116](#e0116) | variables of a program do not agree | [`Agrees`](crate::program::Agrees) |
//! | [E0117](#e0117) | a space without variables | [`Traced`](crate::Traced) |
//! | [E0118](#e0118) | a contract without a statement in a program | [`Symbolic`](crate::Symbolic) |
//! | [E0119](#e0119) | a number that is not one real in a program | [`Exact`](crate::program::Exact) |
//!
//! # E0101
//!
//! What one contract gives is not what the next one takes: other axes, another order of axes, another scalar, or a pair where one tensor is taken.
//! The inner dimensions of a matrix product are the usual case.
//! Axes of equal size and different names do not mix; where two names mean the same, [`rename`](crate::Tensor::rename) says so.
//! A step that is repeated meets itself: it gives the state that it takes.
//! The fields of a struct of parameters are what the contract takes, in the order of its layers.
//!
//! ```compile_fail,E0277
//! use pullback::{ContractExt, Tensor, dims, identity};
//! dims! { Hidden = 64; Other = 64 }
//! let _ = identity::<Tensor<(Hidden,)>>().then(identity::<Tensor<(Other,)>>());
//! ```
//!
//! # E0102
//!
//! [`reshape`](crate::Tensor::reshape) and [`Bijection::row_major`](crate::Bijection::row_major) keep every element, so both shapes have equally many.
//!
//! ```compile_fail,E0277
//! use pullback::{N, Tensor};
//! let _ = Tensor::<(N<2>, N<3>)>::zeros().reshape::<(N<5>,)>();
//! ```
//!
//! # E0103
//!
//! The output axis is named by the user and checked: its size is `floor((input + low + high - dilation · (kernel - 1) - 1) / stride) + 1`.
//! A [window](super::Slides) of a layer is refused under the same code, whether its output axis does not fit or its kernel is too long; a [transposed convolution](crate::layers::Spreads) asks that its input has as many elements as a convolution over the output would give.
//!
//! # E0104
//!
//! The kernel has no place in the padded input: `dilation · (kernel - 1) + 1` is more than `input + low + high`.
//!
//! # E0105
//!
//! Attention gives every head an equal part of the width, and a convolution every group an equal part of the channels: the width is a multiple of their number.
//!
//! # E0106
//!
//! The parts of a concatenation, or of a split, have sizes that add up to that of the whole axis.
//! Where parts or the whole are lists of axes, their lengths do: [`PartsOf`](super::PartsOf). A split has at most twelve parts.
//!
//! # E0107
//!
//! An axis is regrouped into factors, such as channels into groups and channels of a group, whose sizes multiply to its own.
//!
//! # E0108
//!
//! A backward pass starts from a cotangent.
//! It has the coordinates of the output but is another type, so that an output is not fed back by accident; [`Cotangent::new`](crate::Cotangent::new) makes one of coordinates.
//! A cotangent of another space than the output, such as one with other axes, is refused under the same code.
//! Called directly, [`Contract::pullback`](crate::Contract::pullback) reports the same mistake as mismatched types, with both of them named.
//!
//! # E0109
//!
//! [`Proved`](crate::Proved) means that the kernel proved the rule, so it can't be written down.
//! Write the rule as a statement in `contract!`, or say what it is: `type Evidence = Declared<Unproved>`.
//! A proof is about the type that it was made for: that of another type, or of what a type wraps, is refused under the same code.
//!
//! ```compile_fail,E0277
//! use pullback::{Contract, Cotangent, DomainError, Proved};
//! struct Mine;
//! impl Contract for Mine {
//!     type Input = ();
//!     type Output = ();
//!     type Residual = ();
//!     type Evidence = Proved;
//!     fn forward(&self, _: ()) -> Result<((), ()), DomainError> { Ok(((), ())) }
//!     fn pullback(&self, _: &(), seed: Cotangent<()>) -> Cotangent<()> { seed }
//! }
//! ```
//!
//! # E0110
//!
//! [`rename`](crate::Tensor::rename) changes names and keeps the size of every axis; [`reshape`](crate::Tensor::reshape) changes sizes.
//!
//! # E0111
//!
//! A shape is a tuple of at most six axes: `(Batch, Features)`, `(Batch,)` with its comma, or `()`.
//! Each of them is an axis: see [E0112](#e0112).
//! The indices of a map are a shape too, and so are those of a value that a derived rule saves.
//!
//! # E0112
//!
//! An axis is made by [`dims!`](crate::dims) or written [`N<784>`](super::N); a bare type or number is none, and an axis has at least one element.
//! `N` knows 1 to 1024, the multiples of 128 up to 16384, and powers of two and of ten; `dims!` knows every size.
//!
//! # E0113
//!
//! A contract with `exp`, `tanh`, `sqrt` and their kind works on `f32`, `f64` and dual numbers over them.
//! Exact rationals have no such functions: rounding them silently would make an exact law a lie.
//!
//! # E0114
//!
//! A contract takes, gives and saves points of spaces: tensors, tuples and arrays of spaces, and structs that derive `Space`.
//! Some combinators want a kind of space: a pair of parameters and input, or one tensor that is a row of a batch.
//!
//! # E0115
//!
//! The residual has more coordinates than its budget.
//! [`checkpoint`](crate::ContractExt::checkpoint) saves the input instead; an erased residual has no known dimension and satisfies no budget.
//!
//! # E0116
//!
//! An operation takes variables of the shapes that it says: equal ones for `+ - * /`, a bias of the last axis, rows of a matrix that are the columns of the one before.
//! Axes of equal size and different names do not mix; where two names mean the same, [`rename`](crate::Var::rename) says so.
//! Nothing is broadcast unasked: [`broadcast_in_dim`](crate::Var::broadcast_in_dim) and its kin do it.
//!
//! ```compile_fail,E0277
//! use pullback::{Program, Tensor, dims};
//! dims! { Batch = 32; Features = 32 }
//! let _ = Program::<(Tensor<(Batch,)>, Tensor<(Features,)>), Tensor<(Batch,)>>::trace(|(x, y)| x + y);
//! ```
//!
//! # E0117
//!
//! The inputs and outputs of a program are tensors, and tuples, arrays and structs with `#[derive(Space)]` of such.
//! Another space has coordinates, but no tensor that an operation could take.
//!
//! # E0118
//!
//! A program is a list of statements, so it applies contracts that `contract!` made.
//! What is composed of such contracts is traced part by part; a rule written by hand is a statement first.
//!
//! # E0119
//!
//! Parameters and constants of a program are real numbers, exactly: floats and rationals.
//! A dual number is a real and a tangent; differentiate the program instead.
