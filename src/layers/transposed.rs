//! Transposed convolutions in one, two and three dimensions.

use core::marker::PhantomData;

use pullback_program::architecture::{self, Layer, Parameter, Stencil};

use super::bias::{BiasKind, WithBias};
use super::convolution::{Side, side, stencil};
use super::parametric::{Parametric, of_layer};
use crate::program::{Applied, Path, Var};
use crate::scalar::Scalar;
use crate::shape::{ConvOut, Count, Dim, Divides, FactorsOf, Sliding, Window};
use crate::space::Space;
use crate::tensor::Tensor;

/// A [`Window`] along which a transposed convolution goes from the axis `In` to the window's output axis.
///
/// It goes back where a convolution comes from: `In` is the output of a convolution over the output axis.
#[diagnostic::on_unimplemented(
    message = "E0103: the output axis of `{Self}` does not fit a transposed convolution of `{In}` with kernel `{Kernel}`",
    label = "expected an axis in which `{Kernel}` has as many places as `{In}` has, found `{Self}`",
    note = "the size must be `stride · (input - 1) + dilation · (kernel - 1) + 1 - low padding - high padding`, or more by less than the stride"
)]
pub trait Spreads<In: Dim, Kernel: Dim>: Sliding {}

#[diagnostic::do_not_recommend]
impl<In, Kernel: Dim, Out: Dim, Stride: Dim, Dilation: Dim, Low: Count, High: Count> Spreads<In, Kernel>
    for Window<Out, Stride, Dilation, Low, High>
where
    In: ConvOut<Out, Kernel, Stride, Dilation, Low, High>,
{
}

fn layer<Out: Dim, B: BiasKind>(groups: usize, stencil: Stencil, extra: Vec<usize>) -> Layer {
    let layer = architecture::TransposedConvolution::new(Out::SIZE, stencil);
    Layer::TransposedConvolution(architecture::TransposedConvolution { groups, bias: B::PRESENT, extra, ..layer })
}

/// Places at the end of the output that no window reaches.
fn extra<In: Dim, W: Sliding>((kernel, stride, [low, high], dilation): Side) -> usize {
    let reached = stride * (In::SIZE - 1) + dilation * (kernel - 1) + 1;
    (W::Out::SIZE + low + high).saturating_sub(reached)
}

/// Transposed convolutions over so many axes.
/// Fragments: the struct and its variables, those in groups, the rank in words, then for each axis the type parameters of its size, kernel and window, and an argument.
/// Example: `TransposedConvolution1d TransposedConvolution1dVars "one": W K Along along`.
macro_rules! transposed {
    ($name:ident $vars:ident $grouped:ident $grouped_vars:ident $rank:literal: $($size:ident $kernel:ident $window:ident $argument:ident),+) => {
        #[doc = concat!("Transposed convolution along ", $rank, " after batch and channels: each element spreads the kernel.")]
        ///
        /// The padding of a window is taken away from the result.
        #[derive(Clone, Debug, Space)]
        #[space(layer)]
        pub struct $name<In: Dim, Out: Dim, $($kernel: Dim,)+ T: Scalar = f32, B: BiasKind = WithBias> {
            /// The kernel.
            pub weight: Tensor<(In, Out, $($kernel,)+), T>,
            /// What is added to each channel.
            pub bias: B::Of<Out, T>,
        }

        impl<In: Dim, Out: Dim, $($kernel: Dim,)+ T: Scalar, B: BiasKind> Parametric for $name<In, Out, $($kernel,)+ T, B> {
            fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
                let layer = layer::<Out, B>(1, Stencil::new(&[$($kernel::SIZE),+]), Vec::new());
                of_layer::<Self>(&[&[1, In::SIZE, $($kernel::SIZE),+]], layer, path, visit);
            }
        }

        impl<In: Dim, Out: Dim, $($kernel: Dim,)+ T: Scalar, B: BiasKind> $vars<In, Out, $($kernel,)+ T, B> {
            /// The layer.
            ///
            /// An output axis that does not fit is E0103: the input axis must be the output of a convolution over it.
            #[track_caller]
            #[must_use]
            pub fn apply<N: Dim, $($size: Dim, $window: Spreads<$size, $kernel>),+>(
                self,
                x: Var<(N, In, $($size,)+)>,
                $($argument: $window),+
            ) -> Var<(N, Out, $($window::Out,)+)> {
                $(let _ = $argument;)+
                let extra = vec![$(extra::<$size, $window>(side::<$kernel, $window>())),+];
                Applied::new(layer::<Out, B>(1, stencil(&[$(side::<$kernel, $window>()),+]), extra))
                    .data::<Tensor<(N, In, $($size,)+)>>(&x)
                    .parameters::<$name<In, Out, $($kernel,)+ T, B>>(&self)
                    .gives::<Tensor<(N, Out, $($window::Out,)+)>>()
            }
        }

        #[doc = concat!("Transposed convolution along ", $rank, " of each group of channels by itself: each of `Groups` groups gives `Each` channels.")]
        #[derive(Clone, Debug, Space)]
        #[space(layer)]
        pub struct $grouped<In: Dim, Groups: Dim, Each: Dim, Out: Dim, $($kernel: Dim,)+ T: Scalar = f32, B: BiasKind = WithBias> {
            /// The kernel.
            pub weight: Tensor<(In, Each, $($kernel,)+), T>,
            /// What is added to each channel.
            pub bias: B::Of<Out, T>,
            /// How many groups there are.
            pub groups: PhantomData<Groups>,
        }

        impl<In: Dim, Groups: Dim, Each: Dim, Out: Dim, $($kernel: Dim,)+ T: Scalar, B: BiasKind> Parametric
            for $grouped<In, Groups, Each, Out, $($kernel,)+ T, B>
        {
            fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
                let layer = layer::<Out, B>(Groups::SIZE, Stencil::new(&[$($kernel::SIZE),+]), Vec::new());
                of_layer::<Self>(&[&[1, In::SIZE, $($kernel::SIZE),+]], layer, path, visit);
            }
        }

        impl<In: Dim, Groups: Divides<In>, Each: Dim, Out: Dim, $($kernel: Dim,)+ T: Scalar, B: BiasKind>
            $grouped_vars<In, Groups, Each, Out, $($kernel,)+ T, B>
        where
            (Groups, Each): FactorsOf<Out>,
        {
            /// The layer; the conditions are those of the one without groups.
            #[track_caller]
            #[must_use]
            pub fn apply<N: Dim, $($size: Dim, $window: Spreads<$size, $kernel>),+>(
                self,
                x: Var<(N, In, $($size,)+)>,
                $($argument: $window),+
            ) -> Var<(N, Out, $($window::Out,)+)> {
                $(let _ = $argument;)+
                let extra = vec![$(extra::<$size, $window>(side::<$kernel, $window>())),+];
                Applied::new(layer::<Out, B>(Groups::SIZE, stencil(&[$(side::<$kernel, $window>()),+]), extra))
                    .data::<Tensor<(N, In, $($size,)+)>>(&x)
                    .parameters::<$grouped<In, Groups, Each, Out, $($kernel,)+ T, B>>(&self)
                    .gives::<Tensor<(N, Out, $($window::Out,)+)>>()
            }
        }
    };
}

transposed! { TransposedConvolution1d TransposedConvolution1dVars GroupedTransposedConvolution1d GroupedTransposedConvolution1dVars "one axis": W KW Along along }
transposed! { TransposedConvolution2d TransposedConvolution2dVars GroupedTransposedConvolution2d GroupedTransposedConvolution2dVars "two axes": H KH Rows rows, W KW Columns columns }
transposed! { TransposedConvolution3d TransposedConvolution3dVars GroupedTransposedConvolution3d GroupedTransposedConvolution3dVars "three axes": D KD Planes planes, H KH Rows rows, W KW Columns columns }
