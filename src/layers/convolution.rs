//! Convolutions in one, two and three dimensions.

use core::marker::PhantomData;

use pullback_program::architecture::{self, Layer, Parameter, Stencil};

use super::bias::{BiasKind, WithBias};
use super::parametric::{Parametric, of_layer};
use crate::program::{Applied, Exact, Path, Var};
use crate::scalar::Scalar;
use crate::shape::{Dim, Divides, FactorsOf, Slides, Sliding};
use crate::space::Space;
use crate::tensor::Tensor;

/// A window and its kernel as data: kernel, stride, padding, dilation.
pub(super) type Side = (usize, usize, [usize; 2], usize);

/// What a window and its kernel say.
pub(super) fn side<K: Dim, W: Sliding>() -> Side {
    (K::SIZE, W::STRIDE, [W::LOW, W::HIGH], W::DILATION)
}

pub(super) fn stencil(sides: &[Side]) -> Stencil {
    Stencil {
        window: sides.iter().map(|side| side.0).collect(),
        stride: sides.iter().map(|side| side.1).collect(),
        padding: sides.iter().map(|side| side.2).collect(),
        dilation: sides.iter().map(|side| side.3).collect(),
    }
}

/// Convolutions over so many axes.
/// Fragments: the struct and its variables, those in groups, the rank in words, then for each axis the type parameters of its size, kernel and window, and an argument.
/// Example: `Convolution1d Convolution1dVars GroupedConvolution1d GroupedConvolution1dVars "one": W K Along along`.
macro_rules! convolution {
    ($name:ident $vars:ident $grouped:ident $grouped_vars:ident $rank:literal: $($size:ident $kernel:ident $window:ident $argument:ident),+) => {
        #[doc = concat!("Convolution along ", $rank, " after batch and channels. As in StableHLO, the kernel is not reversed.")]
        #[derive(Clone, Debug, Space)]
        #[space(layer)]
        pub struct $name<In: Dim, Out: Dim, $($kernel: Dim,)+ T: Scalar = f32, B: BiasKind = WithBias> {
            /// The kernel.
            pub weight: Tensor<(Out, In, $($kernel,)+), T>,
            /// What is added to each channel.
            pub bias: B::Of<Out, T>,
        }

        impl<In: Dim, Out: Dim, $($kernel: Dim,)+ T: Scalar, B: BiasKind> Parametric for $name<In, Out, $($kernel,)+ T, B> {
            fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
                let layer = layer::<Out, B>(1, Stencil::new(&[$($kernel::SIZE),+]));
                of_layer::<Self>(&[&[1, In::SIZE, $($kernel::SIZE),+]], Layer::Convolution(layer), path, visit);
            }
        }

        impl<In: Dim, Out: Dim, $($kernel: Dim,)+ T: Scalar, B: BiasKind> $vars<In, Out, $($kernel,)+ T, B> {
            /// The layer, with zeros for padding.
            ///
            /// A window that does not fit, for its output axis or for its kernel, is E0103.
            #[track_caller]
            #[must_use]
            pub fn apply<N: Dim, $($size: Dim, $window: Slides<$size, $kernel>),+>(
                self,
                x: Var<(N, In, $($size,)+)>,
                $($argument: $window),+
            ) -> Var<(N, Out, $($window::Out,)+)> {
                self.apply_padded(x, $($argument,)+ 0.0)
            }

            /// The layer, with a number for padding.
            #[track_caller]
            #[must_use]
            pub fn apply_padded<N: Dim, $($size: Dim, $window: Slides<$size, $kernel>),+>(
                self,
                x: Var<(N, In, $($size,)+)>,
                $($argument: $window,)+
                padding: impl Exact,
            ) -> Var<(N, Out, $($window::Out,)+)> {
                $(let _ = $argument;)+
                let layer = layer::<Out, B>(1, stencil(&[$(side::<$kernel, $window>()),+]));
                let layer = architecture::Convolution { padding_value: Some(padding.literal()), ..layer };
                Applied::new(Layer::Convolution(layer))
                    .data::<Tensor<(N, In, $($size,)+)>>(&x)
                    .parameters::<$name<In, Out, $($kernel,)+ T, B>>(&self)
                    .gives::<Tensor<(N, Out, $($window::Out,)+)>>()
            }
        }

        #[doc = concat!("Convolution along ", $rank, " of each group of channels by itself: `Groups` groups of `Each` channels.")]
        ///
        /// Depthwise convolution has as many groups as channels, and `N<1>` for `Each`.
        #[derive(Clone, Debug, Space)]
        #[space(layer)]
        pub struct $grouped<Groups: Dim, Each: Dim, Out: Dim, $($kernel: Dim,)+ T: Scalar = f32, B: BiasKind = WithBias> {
            /// The kernel.
            pub weight: Tensor<(Out, Each, $($kernel,)+), T>,
            /// What is added to each channel.
            pub bias: B::Of<Out, T>,
            /// How many groups there are.
            pub groups: PhantomData<Groups>,
        }

        impl<Groups: Dim, Each: Dim, Out: Dim, $($kernel: Dim,)+ T: Scalar, B: BiasKind> Parametric
            for $grouped<Groups, Each, Out, $($kernel,)+ T, B>
        {
            fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
                let layer = layer::<Out, B>(Groups::SIZE, Stencil::new(&[$($kernel::SIZE),+]));
                let channels = Groups::SIZE.saturating_mul(Each::SIZE);
                of_layer::<Self>(&[&[1, channels, $($kernel::SIZE),+]], Layer::Convolution(layer), path, visit);
            }
        }

        impl<Groups: Divides<Out>, Each: Dim, Out: Dim, $($kernel: Dim,)+ T: Scalar, B: BiasKind>
            $grouped_vars<Groups, Each, Out, $($kernel,)+ T, B>
        {
            /// The layer, with zeros for padding.
            ///
            /// Channels that are not `Groups` times `Each` are E0107, groups that do not divide `Out` are E0105.
            #[track_caller]
            #[must_use]
            pub fn apply<N: Dim, In: Dim, $($size: Dim, $window: Slides<$size, $kernel>),+>(
                self,
                x: Var<(N, In, $($size,)+)>,
                $($argument: $window),+
            ) -> Var<(N, Out, $($window::Out,)+)>
            where
                (Groups, Each): FactorsOf<In>,
            {
                self.apply_padded(x, $($argument,)+ 0.0)
            }

            /// The layer, with a number for padding.
            #[track_caller]
            #[must_use]
            pub fn apply_padded<N: Dim, In: Dim, $($size: Dim, $window: Slides<$size, $kernel>),+>(
                self,
                x: Var<(N, In, $($size,)+)>,
                $($argument: $window,)+
                padding: impl Exact,
            ) -> Var<(N, Out, $($window::Out,)+)>
            where
                (Groups, Each): FactorsOf<In>,
            {
                $(let _ = $argument;)+
                let layer = layer::<Out, B>(Groups::SIZE, stencil(&[$(side::<$kernel, $window>()),+]));
                let layer = architecture::Convolution { padding_value: Some(padding.literal()), ..layer };
                Applied::new(Layer::Convolution(layer))
                    .data::<Tensor<(N, In, $($size,)+)>>(&x)
                    .parameters::<$grouped<Groups, Each, Out, $($kernel,)+ T, B>>(&self)
                    .gives::<Tensor<(N, Out, $($window::Out,)+)>>()
            }
        }
    };
}

fn layer<Out: Dim, B: BiasKind>(groups: usize, stencil: Stencil) -> architecture::Convolution {
    architecture::Convolution { groups, bias: B::PRESENT, ..architecture::Convolution::new(Out::SIZE, stencil) }
}

convolution! { Convolution1d Convolution1dVars GroupedConvolution1d GroupedConvolution1dVars "one axis": W KW Along along }
convolution! { Convolution2d Convolution2dVars GroupedConvolution2d GroupedConvolution2dVars "two axes": H KH Rows rows, W KW Columns columns }
convolution! { Convolution3d Convolution3dVars GroupedConvolution3d GroupedConvolution3dVars "three axes": D KD Planes planes, H KH Rows rows, W KW Columns columns }
