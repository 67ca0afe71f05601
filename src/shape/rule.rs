//! Side conditions on shapes, each a trait with a message of its own.
//!
//! A condition is reduced to arithmetic in types, and the arithmetic stays inside the impl: `#[diagnostic::do_not_recommend]` makes the compiler report the condition that the user wrote, with its code and both names, instead of the number that came out wrong.
//! The codes are explained in [`errors`](super::errors).
//!
//! | code | condition | holds when |
//! | --- | --- | --- |
//! | E0102 | `S: SameLength<Z>` | the shapes have equally many elements |
//! | E0103 | `Out: OutputFits<…>` | `Out` is the number of places of the window |
//! | E0104 | `Kernel: KernelFits<…>` | the dilated kernel is no longer than the padded input |
//! | E0105 | `Heads: Divides<Width>` | `Width` is a multiple of `Heads` |
//! | E0106 | `(A, B): SplitOf<N>` | the sizes of the parts add up to that of `N` |
//! | E0106 | `((A,), S): PartsOf<Z>` | the same of lists of axes: the lengths of the parts add up to that of `Z` |
//! | E0107 | `(A, B): FactorsOf<N>` | the sizes multiply to that of `N` |
//! | E0110 | `S: SameSizes<Z>` | the shapes have equal sizes, axis by axis |

use core::ops::Rem;

use typenum::UTerm;

use super::dim::{Count, Dim};
use super::extent::{Extent, Flag, Yes};
use super::tuple::Shape;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

/// The shapes have equally many elements, so that a tensor of one can be read as a tensor of the other.
#[diagnostic::on_unimplemented(
    message = "E0102: a tensor of shape `{Self}` can't be reshaped to `{Z}`: they differ in length",
    label = "expected as many elements as `{Self}` has, found `{Z}`"
)]
pub trait SameLength<Z: Shape>: Shape {
    /// Reads the elements under the other shape, without copying more than 16 of them.
    #[doc(hidden)]
    fn recast<T: Scalar>(tensor: Tensor<Self, T>) -> Tensor<Z, T>;
}

#[diagnostic::do_not_recommend]
impl<S: Shape, Z: Shape<Length = S::Length>> SameLength<Z> for S {
    #[inline]
    fn recast<T: Scalar>(tensor: Tensor<Self, T>) -> Tensor<Z, T> {
        Tensor::from_storage(tensor.into_storage())
    }
}

/// The shapes have equal sizes axis by axis and differ at most in the names.
#[diagnostic::on_unimplemented(
    message = "E0110: the axes of `{Self}` can't be renamed to `{Z}`: their sizes differ",
    label = "expected the sizes of `{Self}`, found `{Z}`",
    note = "`reshape` changes sizes that multiply to the same length"
)]
pub trait SameSizes<Z: Shape>: SameLength<Z> {}

/// Fragments: pairs of an old and a new axis. Example: `same_sizes! { A X, B Y }` lets `(A, B)` be renamed to `(X, Y)`.
macro_rules! same_sizes {
    ($($old:ident $new:ident),*) => {
        #[diagnostic::do_not_recommend]
        impl<$($old: Dim, $new: Dim<Size = $old::Size>,)*> SameSizes<($($new,)*)> for ($($old,)*) {}
    };
}

same_sizes! {}
same_sizes! { A U }
same_sizes! { A U, B V }
same_sizes! { A U, B V, C W }
same_sizes! { A U, B V, C W, D X }
same_sizes! { A U, B V, C W, D X, E Y }
same_sizes! { A U, B V, C W, D X, E Y, F Z }

/// The size of an input axis with its padding.
type Padded<Input, Low, High> =
    <<<Input as Dim>::Size as Extent>::Plus<<Low as Count>::Value> as Extent>::Plus<<High as Count>::Value>;

/// How many input elements a dilated kernel reaches over: `dilation · (kernel - 1) + 1`.
type Reach<Kernel, Dilation> =
    <<<<Kernel as Dim>::Size as Extent>::Pred as Extent>::Times<<Dilation as Count>::Value> as Extent>::Succ;

/// How many input elements all windows together reach over: `stride · (output - 1) + reach`.
type Span<Output, Stride, R> =
    <<<<Output as Dim>::Size as Extent>::Pred as Extent>::Times<<Stride as Dim>::Size> as Extent>::Plus<R>;

/// Whether the reach of a kernel is at most the padded input.
type Fits<Input, Kernel, Dilation, Low, High> = <Reach<Kernel, Dilation> as Extent>::AtMost<Padded<Input, Low, High>>;

/// Whether the windows stay inside of the padded input, and one more would not.
type Exact<S, Stride, P> = <AtMost<S, P> as Flag>::And<AtMost<<P as Extent>::Succ, Plus<S, <Stride as Dim>::Size>>>;

type AtMost<A, B> = <A as Extent>::AtMost<B>;
type Plus<A, B> = <A as Extent>::Plus<B>;

/// The kernel is no longer than the padded input: `dilation · (kernel - 1) + 1 ≤ input + low + high`.
#[diagnostic::on_unimplemented(
    message = "E0104: the kernel `{Self}` is longer than the padded input `{Input}`",
    label = "expected a kernel that fits into `{Input}`, found `{Self}`",
    note = "`dilation · (kernel - 1) + 1` must be at most `input + low padding + high padding`"
)]
pub trait KernelFits<Input: Dim, Dilation: Count, Low: Count, High: Count>: Dim {}

#[diagnostic::do_not_recommend]
impl<Kernel: Dim, Input: Dim, Dilation: Dim, Low: Count, High: Count> KernelFits<Input, Dilation, Low, High> for Kernel where
    Fits<Input, Kernel, Dilation, Low, High>: Holds
{
}

/// The output axis is as long as there are places for the window: `floor((input + low + high - dilation · (kernel - 1) - 1) / stride) + 1`.
///
/// It holds too where the kernel does not fit at all, so that such a mistake gets one message, that of [`KernelFits`].
#[diagnostic::on_unimplemented(
    message = "E0103: the output axis `{Self}` does not fit the convolution over `{Input}` with kernel `{Kernel}`",
    label = "expected the number of places of `{Kernel}` in `{Input}`, found `{Self}`",
    note = "the size must be `floor((input + low padding + high padding - dilation · (kernel - 1) - 1) / stride) + 1`"
)]
pub trait OutputFits<Input: Dim, Kernel: Dim, Stride: Dim, Dilation: Dim, Low: Count, High: Count>: Dim {}

#[diagnostic::do_not_recommend]
impl<Output: Dim, Input: Dim, Kernel: Dim, Stride: Dim, Dilation: Dim, Low: Count, High: Count>
    OutputFits<Input, Kernel, Stride, Dilation, Low, High> for Output
where
    <Exact<Span<Output, Stride, Reach<Kernel, Dilation>>, Stride, Padded<Input, Low, High>> as Flag>::Or<
        <Fits<Input, Kernel, Dilation, Low, High> as Flag>::Not,
    >: Holds,
{
}

/// The axis is the output of a window that slides over an input: the kernel fits, and the output has the right size.
///
/// Generic code writes this one bound: `Out: ConvOut<In, Kernel, Stride, Dilation, Low, High>`; the padding defaults to none.
///
/// # Example
///
/// ```
/// use pullback::{Dim, N, dims};
/// use pullback::shape::ConvOut;
///
/// dims! { Height = 28; OutHeight = 13; Kernel = 3 }
/// fn places<Out, In, K, Stride>() -> usize
/// where
///     In: Dim, K: Dim, Stride: Dim,
///     Out: ConvOut<In, K, Stride>,
/// {
///     Out::SIZE
/// }
/// assert_eq!(places::<OutHeight, Height, Kernel, N<2>>(), 13);
/// ```
#[diagnostic::on_unimplemented(
    message = "E0103: the output axis `{Self}` does not fit the convolution over `{Input}` with kernel `{Kernel}`",
    label = "expected the number of places of `{Kernel}` in `{Input}`, found `{Self}`",
    note = "the size must be `floor((input + low padding + high padding - dilation · (kernel - 1) - 1) / stride) + 1`"
)]
pub trait ConvOut<
    Input: Dim,
    Kernel: Dim,
    Stride: Dim = super::N<1>,
    Dilation: Dim = super::N<1>,
    Low: Count = super::N<0>,
    High: Count = super::N<0>,
>: Dim
{
}

// Not hidden from messages: where the kernel does not fit, its own condition is what the user should read.
impl<Output: Dim, Input: Dim, Kernel: Dim, Stride: Dim, Dilation: Dim, Low: Count, High: Count>
    ConvOut<Input, Kernel, Stride, Dilation, Low, High> for Output
where
    Kernel: KernelFits<Input, Dilation, Low, High>,
    Output: OutputFits<Input, Kernel, Stride, Dilation, Low, High>,
{
}

/// The size of the other axis is a multiple of this one's.
#[diagnostic::on_unimplemented(
    message = "E0105: `{Self}` does not divide the width `{Width}`",
    label = "expected an axis whose size divides that of `{Width}`, found `{Self}`",
    note = "heads and groups get equal parts of a width"
)]
pub trait Divides<Width: Dim>: Dim {}

#[diagnostic::do_not_recommend]
impl<Heads: Dim, Width: Dim> Divides<Width> for Heads where Width::Size: Rem<Heads::Size, Output = UTerm> {}

/// The sizes of the parts add up to that of the whole.
#[diagnostic::on_unimplemented(
    message = "E0106: the parts `{Self}` do not add up to `{Whole}`",
    label = "expected sizes with the sum of `{Whole}`, found `{Self}`"
)]
pub trait SplitOf<Whole: Dim>: Shape {}

/// The sizes of the factors multiply to that of the whole.
#[diagnostic::on_unimplemented(
    message = "E0107: the factors `{Self}` do not multiply to `{Whole}`",
    label = "expected sizes with the product of `{Whole}`, found `{Self}`"
)]
pub trait FactorsOf<Whole: Dim>: Shape {}

#[diagnostic::do_not_recommend]
impl<S: Shape, Whole: Dim<Size = S::Length>> FactorsOf<Whole> for S {}

/// Fragments: the first part, then the others. Example: `split! { A, B }` says when `(A, B)` are the parts of an axis.
macro_rules! split {
    ($first:ident, $($part:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<$first: Dim, $($part: Dim,)* Whole: Dim<Size = split!(@sum $first::Size, $($part)*)>> SplitOf<Whole>
            for ($first, $($part,)*)
        {
        }
    };
    (@sum $sum:ty,) => { $sum };
    (@sum $sum:ty, $part:ident $($rest:ident)*) => {
        split!(@sum <$sum as Extent>::Plus<$part::Size>, $($rest)*)
    };
}

split! { A, }
split! { A, B }
split! { A, B C }
split! { A, B C D }
split! { A, B C D E }
split! { A, B C D E F }

/// The lengths of the parts, each a shape, add up to that of the whole: what a split says whose parts are lists of axes, or more than six.
///
/// `contract!` asks for it; a user's own code rarely has to.
///
/// # Example
///
/// ```
/// use pullback::N;
/// use pullback::shape::PartsOf;
///
/// fn splits<P: PartsOf<(N<2>, N<5>)>>() {}
/// splits::<((N<2>, N<3>), (N<4>,))>();
/// ```
#[diagnostic::on_unimplemented(
    message = "E0106: the parts `{Self}` do not add up to `{Whole}`",
    label = "expected lengths with the sum of `{Whole}`, found `{Self}`"
)]
pub trait PartsOf<Whole: Shape> {}

/// Fragments: the first part, then the others. Example: `parts! { A, B }` says when `(A, B)` are the parts of a shape.
macro_rules! parts {
    ($first:ident, $($part:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<$first: Shape, $($part: Shape,)* Whole: Shape<Length = parts!(@sum $first::Length, $($part)*)>> PartsOf<Whole>
            for ($first, $($part,)*)
        {
        }
    };
    (@sum $sum:ty,) => { $sum };
    (@sum $sum:ty, $part:ident $($rest:ident)*) => {
        parts!(@sum <$sum as Extent>::Plus<$part::Length>, $($rest)*)
    };
}

parts! { A, }
parts! { A, B }
parts! { A, B C }
parts! { A, B C D }
parts! { A, B C D E }
parts! { A, B C D E F }
parts! { A, B C D E F G }
parts! { A, B C D E F G H }
parts! { A, B C D E F G H I }
parts! { A, B C D E F G H I J }
parts! { A, B C D E F G H I J K }
parts! { A, B C D E F G H I J K L }

/// A truth value that is true; a user never writes it.
pub trait Holds: Flag {}
impl Holds for Yes {}
