//! Windows that slide along axes: what convolution and pooling have in common.

use core::marker::PhantomData;

use super::dim::{Count, Dim, N};
use super::rule::ConvOut;

/// How a window slides along an axis: the output axis, the stride, the dilation, and the padding before and after.
///
/// # Example
///
/// ```
/// use pullback::dims;
/// use pullback::shape::Window;
///
/// dims! { OutHeight = 14 }
/// let rows = Window::<OutHeight>::new().stride::<2>().padding::<1>();
/// ```
#[derive(Debug, Default)]
pub struct Window<Out, Stride = N<1>, Dilation = N<1>, Low = N<0>, High = N<0>> {
    #[expect(clippy::type_complexity, reason = "a marker lists what it marks")]
    of: PhantomData<fn() -> (Out, Stride, Dilation, Low, High)>,
}

impl<Out: Dim> Window<Out> {
    /// Stride and dilation one, no padding.
    #[must_use]
    pub const fn new() -> Self {
        Window { of: PhantomData }
    }
}

impl<Out, Stride, Dilation, Low, High> Window<Out, Stride, Dilation, Low, High> {
    /// With another stride.
    #[must_use]
    pub const fn stride<const STRIDE: usize>(self) -> Window<Out, N<STRIDE>, Dilation, Low, High> {
        Window { of: PhantomData }
    }
    /// With another dilation.
    #[must_use]
    pub const fn dilation<const DILATION: usize>(self) -> Window<Out, Stride, N<DILATION>, Low, High> {
        Window { of: PhantomData }
    }
    /// With as much padding before as after.
    #[must_use]
    pub const fn padding<const PADDING: usize>(self) -> Window<Out, Stride, Dilation, N<PADDING>, N<PADDING>> {
        Window { of: PhantomData }
    }
    /// With padding of its own at each end.
    #[must_use]
    pub const fn padding_low_high<const LOW: usize, const HIGH: usize>(
        self,
    ) -> Window<Out, Stride, Dilation, N<LOW>, N<HIGH>> {
        Window { of: PhantomData }
    }

    /// Over this input axis, with this kernel axis: what pooling needs, since no tensor of it has them.
    #[must_use]
    pub const fn over<In: Dim, Kernel: Dim>(self) -> Pool<In, Kernel, Self> {
        Pool { window: self, of: PhantomData }
    }
}

impl<Out, Stride, Dilation, Low, High> Clone for Window<Out, Stride, Dilation, Low, High> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Out, Stride, Dilation, Low, High> Copy for Window<Out, Stride, Dilation, Low, High> {}

mod sealed {
    pub trait Sealed {}
}

impl<Out, Stride, Dilation, Low, High> sealed::Sealed for Window<Out, Stride, Dilation, Low, High> {}

/// A [`Window`] of any numbers; closed. A user never writes it.
pub trait Sliding: sealed::Sealed + Copy {
    /// The output axis.
    type Out: Dim;
    /// From one window to the next.
    const STRIDE: usize;
    /// From one place of a window to the next.
    const DILATION: usize;
    /// Places before the axis.
    const LOW: usize;
    /// Places after it.
    const HIGH: usize;
}

impl<Out: Dim, Stride: Dim, Dilation: Dim, Low: Count, High: Count> Sliding
    for Window<Out, Stride, Dilation, Low, High>
{
    type Out = Out;
    const STRIDE: usize = Stride::SIZE;
    const DILATION: usize = Dilation::SIZE;
    const LOW: usize = Low::COUNT;
    const HIGH: usize = High::COUNT;
}

/// A [`Window`] that fits an input axis and a kernel axis: its output axis is [`ConvOut`] of both.
///
/// Generic code writes this one bound in place of five, and says which axis comes out where it matters: `W: Slides<In, Kernel, Out = Half>`.
#[diagnostic::on_unimplemented(
    message = "E0103: the output axis of `{Self}` does not fit `{In}` with kernel `{Kernel}`",
    label = "expected the number of places of `{Kernel}` in `{In}`, found `{Self}`",
    note = "the size must be `floor((input + low padding + high padding - dilation · (kernel - 1) - 1) / stride) + 1`, and the dilated kernel no longer than the padded input"
)]
pub trait Slides<In: Dim, Kernel: Dim>: Sliding {}

#[diagnostic::do_not_recommend]
impl<In: Dim, Kernel: Dim, Out: Dim, Stride: Dim, Dilation: Dim, Low: Count, High: Count> Slides<In, Kernel>
    for Window<Out, Stride, Dilation, Low, High>
where
    Out: ConvOut<In, Kernel, Stride, Dilation, Low, High>,
{
}

/// A window over an input axis with a kernel axis, made by [`Window::over`].
#[derive(Clone, Copy, Debug)]
pub struct Pool<In, Kernel, Sliding> {
    window: Sliding,
    of: PhantomData<fn() -> (In, Kernel)>,
}

impl<In, Kernel, Sliding> Pool<In, Kernel, Sliding> {
    /// How it slides.
    pub fn window(self) -> Sliding {
        self.window
    }
}
