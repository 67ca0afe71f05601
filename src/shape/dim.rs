//! Axes: named ones made by [`dims!`](crate::dims), and anonymous ones written [`N<784>`](N).

use typenum::{NonZero, Unsigned};

use super::extent::Extent;

/// An axis: a name and a positive size, both known to the compiler.
///
/// Two axes of equal size and different names are different types and do not mix: a batch of 64 is not a hidden layer of 64.
/// Make them with [`dims!`](crate::dims), or write [`N<784>`](N) where a name says nothing.
///
/// # Example
///
/// ```
/// use pullback::{Dim, dims};
///
/// dims! { Batch = 32; Features = 28 * 28 }
/// assert_eq!(Features::SIZE, 784);
/// assert_eq!(Batch::NAME, "Batch");
/// ```
#[diagnostic::on_unimplemented(
    message = "E0112: `{Self}` is not an axis",
    label = "`{Self}` has no size",
    note = "name an axis with `dims! {{ Name = 784 }}`; the anonymous `N<784>` exists for 1..=1024, multiples of 128 up to 16384, and powers of two and of ten"
)]
pub trait Dim: Copy + core::fmt::Debug + Send + Sync + 'static {
    /// The size in the type.
    type Size: Extent + NonZero;
    /// The size.
    const SIZE: usize = <Self::Size as Unsigned>::USIZE;
    /// The name, for messages.
    const NAME: &'static str;
}

/// An anonymous axis of a given size.
///
/// A user writes it for axes that need no name of their own: `Tensor<(N<3>, N<3>)>`.
/// It is an axis for `1..=1024`, the multiples of 128 up to 16384, and the powers of two and of ten up to a thousand million; [`dims!`](crate::dims) names an axis of any size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct N<const SIZE: usize>;

pullback_macros::__numerals!();

/// A number in a type that may be zero: the amount of padding, a stride, a dilation.
///
/// Every axis is one, and so is `N<0>`.
#[diagnostic::on_unimplemented(
    message = "E0112: `{Self}` is not a number in a type",
    label = "`{Self}` has no value",
    note = "write `N<2>`; `N<0>` is one too"
)]
pub trait Count: 'static {
    /// The number in the type.
    type Value: Extent;
    /// The number.
    const COUNT: usize = <Self::Value as Unsigned>::USIZE;
}

impl<D: Dim> Count for D {
    type Value = D::Size;
}

impl Count for N<0> {
    type Value = typenum::UTerm;
}
