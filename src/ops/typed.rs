//! Constructors that make their index maps from types, so that a size that does not fit is a compile error.
//!
//! The functions of [`super`] take any maps; these take [`Window`]s and axes.
//!
//! | function | makes | checked |
//! | --- | --- | --- |
//! | [`conv1d`], [`conv2d`] | convolution | E0103 |
//! | [`sum_pool1d`], [`sum_pool2d`], [`avg_pool1d`], [`avg_pool2d`] | pooling | E0103 |
//! | [`max_pool1d`], [`max_pool2d`] | pooling, without padding | E0103, E0104 |
//! | [`reshape()`] | the same elements under another shape | E0102 |
//! | [`split_heads`], [`merge_heads`] | a width as heads, and back | E0105, E0102 |
//! | [`slice()`], [`pad()`] | part of an axis, a longer axis | when made, as [`IndexError`] |

use super::{AvgPool1d, AvgPool2d, Conv1d, Conv2d, MaxPool1d, MaxPool2d, Pad, Reshape, Slice, SumPool1d, SumPool2d};
use crate::scalar::Scalar;
use crate::shape::{ConvOut, Dim, Divides, Join, SameLength, Shape};
pub use crate::shape::{Pool, Slides, Window};
use crate::tensor::{Bijection, IndexError, IndexMap, PartialMap};

/// Output and kernel position to the input position, undefined in the padding.
fn places<In: Dim, Kernel: Dim, W: Slides<In, Kernel>>(_: W) -> PartialMap<(W::Out, Kernel), (In,)> {
    // The only error is a stride of zero, and an axis has at least one element.
    PartialMap::window(W::STRIDE, W::DILATION, W::LOW)
        .unwrap_or_else(|_| unreachable!("the stride is an axis, so it is not zero"))
}

/// The same without padding, defined everywhere.
fn inner_places<Out, Stride, Dilation, In: Dim, Kernel: Dim>(
    _: Window<Out, Stride, Dilation>,
) -> IndexMap<(Out, Kernel), (In,)>
where
    Out: ConvOut<In, Kernel, Stride, Dilation>,
    Stride: Dim,
    Dilation: Dim,
{
    // The condition says that the last window ends inside of the input.
    IndexMap::from_fn(|at| at / Kernel::SIZE * Stride::SIZE + at % Kernel::SIZE * Dilation::SIZE)
        .unwrap_or_else(|_| unreachable!("the output fits the input"))
}

/// Convolution along one axis: see [`Conv1d`].
#[must_use]
pub fn conv1d<B: Dim, G: Dim, C: Dim, W: Dim, O: Dim, K: Dim, Along: Slides<W, K>, T: Scalar>(
    along: Along,
) -> Conv1d<B, G, C, W, O, Along::Out, K, T> {
    super::conv1d(places(along))
}

/// Convolution of images: see [`Conv2d`].
///
/// # Example
///
/// ```
/// use pullback::ops::typed::{Window, conv2d};
/// use pullback::{Contract, N, Tensor, dims};
///
/// dims! { Batch = 2; Channel = 3; Filter = 4; Height = 9; Width = 8; OutHeight = 5; OutWidth = 4; Side = 3 }
/// let conv = conv2d(
///     Window::<OutHeight>::new().stride::<2>().padding::<1>(),
///     Window::<OutWidth>::new().stride::<2>().padding::<1>(),
/// );
/// let images = Tensor::<(Batch, N<1>, Channel, Height, Width)>::full(1.0);
/// let kernel = Tensor::<(N<1>, Filter, Channel, Side, Side)>::full(1.0);
/// let (output, _) = conv.forward((images, kernel))?;
/// // Away from the border a window has 3 channels of 3 × 3 ones.
/// assert_eq!(output.as_slice()[5], 27.0);
/// # Ok::<(), pullback::DomainError>(())
/// ```
#[must_use]
#[expect(clippy::type_complexity, reason = "the shapes are what the function is about")]
pub fn conv2d<B: Dim, G: Dim, C: Dim, H: Dim, W: Dim, O: Dim, KH: Dim, KW: Dim, Rows, Columns, T: Scalar>(
    rows: Rows,
    columns: Columns,
) -> Conv2d<B, G, C, H, W, O, Rows::Out, Columns::Out, KH, KW, T>
where
    Rows: Slides<H, KH>,
    Columns: Slides<W, KW>,
{
    super::conv2d(places(rows), places(columns))
}

/// The sums of windows along the last axis: see [`SumPool1d`]. The padding reads as zero.
#[must_use]
pub fn sum_pool1d<S, W: Dim, K: Dim, Along: Slides<W, K>, T: Scalar>(
    along: Pool<W, K, Along>,
) -> SumPool1d<S, W, Along::Out, K, T>
where
    S: Shape + Join<(W,)> + Join<(Along::Out,)>,
{
    super::sum_pool1d(places(along.window()))
}

/// The sums of windows over the last two axes: see [`SumPool2d`]. The padding reads as zero.
#[must_use]
pub fn sum_pool2d<S, H: Dim, W: Dim, KH: Dim, KW: Dim, Rows: Slides<H, KH>, Columns: Slides<W, KW>, T: Scalar>(
    rows: Pool<H, KH, Rows>,
    columns: Pool<W, KW, Columns>,
) -> SumPool2d<S, H, W, Rows::Out, Columns::Out, KH, KW, T>
where
    S: Shape + Join<(H, W)> + Join<(Rows::Out, Columns::Out)>,
{
    super::sum_pool2d(places(rows.window()), places(columns.window()))
}

/// The averages of windows along the last axis: see [`AvgPool1d`]. The padding reads as zero and counts.
#[must_use]
pub fn avg_pool1d<S, W: Dim, K: Dim, Along: Slides<W, K>, T: Scalar>(
    along: Pool<W, K, Along>,
) -> AvgPool1d<S, W, Along::Out, K, T>
where
    S: Shape + Join<(W,)> + Join<(Along::Out,)>,
{
    super::avg_pool1d(places(along.window()))
}

/// The averages of windows over the last two axes: see [`AvgPool2d`]. The padding reads as zero and counts.
#[must_use]
pub fn avg_pool2d<S, H: Dim, W: Dim, KH: Dim, KW: Dim, Rows: Slides<H, KH>, Columns: Slides<W, KW>, T: Scalar>(
    rows: Pool<H, KH, Rows>,
    columns: Pool<W, KW, Columns>,
) -> AvgPool2d<S, H, W, Rows::Out, Columns::Out, KH, KW, T>
where
    S: Shape + Join<(H, W)> + Join<(Rows::Out, Columns::Out)>,
{
    super::avg_pool2d(places(rows.window()), places(columns.window()))
}

/// The greatest elements of windows along the last axis: see [`MaxPool1d`]. There is no padding: it would have no greatest element.
#[must_use]
pub fn max_pool1d<S, W: Dim, Out, K: Dim, Stride: Dim, Dilation: Dim, T: Scalar>(
    along: Pool<W, K, Window<Out, Stride, Dilation>>,
) -> MaxPool1d<S, W, Out, K, T>
where
    S: Shape + Join<(W,)> + Join<(Out,)>,
    Out: ConvOut<W, K, Stride, Dilation>,
{
    super::max_pool1d(inner_places(along.window()))
}

/// The greatest elements of windows over the last two axes: see [`MaxPool2d`]. There is no padding: it would have no greatest element.
#[must_use]
pub fn max_pool2d<
    S,
    H: Dim,
    W: Dim,
    OutH,
    OutW,
    KH: Dim,
    KW: Dim,
    StrideH: Dim,
    DilationH: Dim,
    StrideW: Dim,
    DilationW: Dim,
    T: Scalar,
>(
    rows: Pool<H, KH, Window<OutH, StrideH, DilationH>>,
    columns: Pool<W, KW, Window<OutW, StrideW, DilationW>>,
) -> MaxPool2d<S, H, W, OutH, OutW, KH, KW, T>
where
    S: Shape + Join<(H, W)> + Join<(OutH, OutW)>,
    OutH: ConvOut<H, KH, StrideH, DilationH>,
    OutW: ConvOut<W, KW, StrideW, DilationW>,
{
    super::max_pool2d(inner_places(rows.window()), inner_places(columns.window()))
}

/// Reads the elements in the same order under another shape: see [`Reshape`].
#[must_use]
pub fn reshape<S: Shape + SameLength<Z>, Z: Shape + SameLength<S>, T: Scalar>() -> Reshape<S, Z, T> {
    super::reshape(Bijection::row_major())
}

/// A width as heads of equal size, each with its own axis.
#[must_use]
#[expect(clippy::type_complexity, reason = "the two shapes are what the function is about")]
pub fn split_heads<Batch: Dim, Place: Dim, Width: Dim, Heads: Dim + Divides<Width>, Head: Dim, T: Scalar>()
-> Reshape<(Batch, Place, Width), (Batch, Place, Heads, Head), T>
where
    (Batch, Place, Width): SameLength<(Batch, Place, Heads, Head)>,
    (Batch, Place, Heads, Head): SameLength<(Batch, Place, Width)>,
{
    reshape()
}

/// Heads side by side as one width.
#[must_use]
#[expect(clippy::type_complexity, reason = "the two shapes are what the function is about")]
pub fn merge_heads<Batch: Dim, Place: Dim, Width: Dim, Heads: Dim + Divides<Width>, Head: Dim, T: Scalar>()
-> Reshape<(Batch, Place, Heads, Head), (Batch, Place, Width), T>
where
    (Batch, Place, Width): SameLength<(Batch, Place, Heads, Head)>,
    (Batch, Place, Heads, Head): SameLength<(Batch, Place, Width)>,
{
    reshape()
}

/// Every `stride`-th element of the last axis, from `start` on: see [`Slice`].
///
/// # Errors
///
/// [`IndexError::Range`] where an element would lie beyond the axis.
pub fn slice<S, Part: Dim, Whole: Dim, T: Scalar>(
    start: usize,
    stride: usize,
) -> Result<Slice<S, Part, Whole, T>, IndexError>
where
    S: Shape + Join<(Whole,)> + Join<(Part,)>,
{
    // What overflows lies beyond every axis.
    Ok(super::slice(IndexMap::from_fn(|at| at.saturating_mul(stride).saturating_add(start))?))
}

/// The last axis made longer: `low` places before, the rest after, all with `value`: see [`Pad`].
///
/// # Errors
///
/// [`IndexError::Range`] where the element would lie beyond the longer axis.
pub fn pad<S, Short: Dim, Long: Dim, T: Scalar>(low: usize, value: T) -> Result<Pad<S, Short, Long, T>, IndexError>
where
    S: Shape + Join<(Short,)> + Join<(Long,)>,
{
    Ok(super::pad(IndexMap::from_fn(|at| at.saturating_add(low))?, value))
}
