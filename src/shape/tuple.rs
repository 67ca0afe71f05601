//! Shapes: tuples of axes.

use typenum::{U1, Unsigned};

use super::dim::Dim;
use super::extent::Extent;

/// A tuple of up to six axes; `()` is the shape of a scalar.
///
/// Elements are laid out in row-major order: the last axis is contiguous.
/// Every tuple of axes is a shape, so code that is generic over axes needs no bound but `M: Dim, K: Dim`; writing `(M, K): Shape` is allowed and changes nothing.
///
/// # Example
///
/// ```
/// use pullback::{N, Shape, dims};
///
/// dims! { Batch = 32; Features = 784 }
/// type Images = (Batch, Features);
/// assert_eq!(Images::LEN, 25_088);
/// assert_eq!(Images::SIZES, [32, 784]);
/// assert_eq!(Images::NAMES, ["Batch", "Features"]);
/// assert_eq!(<()>::LEN, 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "E0111: `{Self}` is not a shape",
    label = "not a tuple of at most six axes",
    note = "a shape is a tuple of axes such as `(Batch, Features)`; a single axis is written `(Batch,)` and a scalar's shape `()`",
    note = "an axis is named with `dims! {{ Name = 784 }}`; the anonymous `N<784>` exists for 1..=1024, multiples of 128 up to 16384, and powers of two and of ten"
)]
pub trait Shape: Copy + Send + Sync + 'static {
    /// The number of elements in the type: the product of the sizes.
    type Length: Extent;
    /// The number of elements.
    const LEN: usize = <Self::Length as Unsigned>::USIZE;
    /// The number of axes.
    const RANK: usize;
    /// The sizes of the axes.
    const SIZES: &'static [usize];
    /// The names of the axes.
    const NAMES: &'static [&'static str];

    /// The sizes of the axes: [`SIZES`](Shape::SIZES).
    #[inline]
    #[must_use]
    fn dims() -> &'static [usize] {
        Self::SIZES
    }

    /// The names of the axes: [`NAMES`](Shape::NAMES).
    #[inline]
    #[must_use]
    fn names() -> &'static [&'static str] {
        Self::NAMES
    }
}

impl Shape for () {
    type Length = U1;
    const RANK: usize = 0;
    const SIZES: &'static [usize] = &[];
    const NAMES: &'static [&'static str] = &[];
}

/// Fragments: the first axis, then the others. Example: `shape! { A, B C }` is the shape `(A, B, C)`.
macro_rules! shape {
    ($first:ident, $($axis:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<$first: Dim, $($axis: Dim,)*> Shape for ($first, $($axis,)*) {
            type Length = shape!(@length $first::Size, $($axis)*);
            const RANK: usize = <[&str]>::len(Self::NAMES);
            const SIZES: &'static [usize] = &[$first::SIZE, $($axis::SIZE,)*];
            const NAMES: &'static [&'static str] = &[$first::NAME, $($axis::NAME,)*];
        }
    };
    (@length $product:ty,) => { $product };
    (@length $product:ty, $axis:ident $($rest:ident)*) => {
        shape!(@length <$product as Extent>::Times<$axis::Size>, $($rest)*)
    };
}

shape! { A, }
shape! { A, B }
shape! { A, B C }
shape! { A, B C D }
shape! { A, B C D E }
shape! { A, B C D E F }
