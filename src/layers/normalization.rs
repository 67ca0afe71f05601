//! Normalisation by mean and variance, with gain and bias.

use pullback_program::Literal;
use pullback_program::architecture::{Layer, Normalization, Parameter, Statistics};

use super::dense::Lead;
use super::parametric::{Parametric, of_layer};
use crate::program::{Agrees, Applied, Exact, Path, Var, Variable};
use crate::scalar::Scalar;
use crate::shape::{Dim, Divides, Join, Joined, Shape, SplitChannel, SplitLast};
use crate::space::Space;
use crate::tensor::Tensor;

/// Normalisation over any axes, given in ascending order, without gain and bias: `(x - mean) / sqrt(variance + eps)`, or `x / sqrt(mean of squares + eps)`.
///
/// Axes that the variable does not have, none at all, and an `eps` that is not positive make the trace an error.
///
/// # Example
///
/// ```
/// use pullback::layers::{Statistics, normalize};
/// use pullback::{Program, Tensor, dims};
///
/// dims! { Batch = 2; Row = 3; Column = 4 }
/// type X = Tensor<(Batch, Row, Column)>;
/// let program = Program::<X, X>::trace(|x| normalize(x, Statistics::MeanVariance, &[0, 2], 1e-5))?;
/// assert!(Program::<X, X>::trace(|x| normalize(x, Statistics::MeanVariance, &[3], 1e-5)).is_err());
/// # Ok::<(), pullback::TraceError>(())
/// ```
#[track_caller]
#[must_use]
pub fn normalize<S: Shape>(x: Var<S>, statistics: Statistics, axes: &[usize], eps: impl Exact) -> Var<S> {
    let (axes, eps) = (axes.to_vec(), eps.literal());
    let layer = Normalization { statistics, axes, groups: None, eps, gain: None, bias: None };
    Applied::new(Layer::Normalization(layer)).data::<Tensor<S>>(&x).gives::<Tensor<S>>()
}

/// What [`Parametric`] asks about: the roles do not depend on `eps`.
fn any_eps() -> Literal {
    Literal::integer(1)
}

/// The shape of a variable with these channels.
type With<V, C> = <<V as Variable>::Shape as SplitChannel>::With<C>;

/// Normalisation over the last axis: a line is the struct, its variables, its fields, the layer of the grammar, and what it is.
macro_rules! last {
    ($($name:ident $vars:ident { $($field:ident)+ } $layer:ident $what:literal;)*) => {$(
        #[doc = $what]
        #[derive(Clone, Debug, Space)]
        #[space(layer)]
        pub struct $name<F: Dim, T: Scalar = f32> {$(
            #[doc = concat!("The ", stringify!($field), " of each feature.")]
            pub $field: Tensor<(F,), T>,
        )+}

        impl<F: Dim, T: Scalar> Parametric for $name<F, T> {
            fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
                let layer = Layer::Normalization(Normalization::$layer(2, any_eps()));
                of_layer::<Self>(&[&[1, F::SIZE]], layer, path, visit);
            }
        }

        impl<F: Dim, T: Scalar> $vars<F, T> {
            /// The layer of `[.., F]`. An `eps` that is not positive makes the trace an error.
            #[track_caller]
            #[must_use]
            pub fn apply<V>(self, x: V, eps: impl Exact) -> Var<Joined<Lead<V>, (F,)>>
            where
                V: Variable<Shape: SplitLast> + Agrees<Var<Joined<Lead<V>, (F,)>>>,
                Lead<V>: Join<(F,)>,
            {
                Applied::new(Layer::Normalization(Normalization::$layer(V::Shape::RANK, eps.literal())))
                    .data::<Tensor<Joined<Lead<V>, (F,)>>>(&x.agree())
                    .parameters::<$name<F, T>>(&self)
                    .gives::<Tensor<Joined<Lead<V>, (F,)>>>()
            }
        }
    )*};
}

last! {
    LayerNorm LayerNormVars { gain bias } layer "Layer normalisation: of each row along the last axis (Ba, Kiros, Hinton 2016).";
    RmsNorm RmsNormVars { gain } rms "Root mean square normalisation along the last axis (Zhang, Sennrich 2019).";
}

/// Normalisation with a gain and a bias for each channel, the second axis: a line is the struct, its variables, the layer of the grammar with what it takes, and what it is.
macro_rules! channels {
    ($($name:ident $vars:ident $layer:ident($($groups:ident)?) $what:literal;)*) => {$(
        #[doc = $what]
        #[derive(Clone, Debug, Space)]
        #[space(layer)]
        pub struct $name<C: Dim, T: Scalar = f32> {
            /// The gain of each channel.
            pub gain: Tensor<(C,), T>,
            /// The bias of each channel.
            pub bias: Tensor<(C,), T>,
        }

        impl<C: Dim, T: Scalar> Parametric for $name<C, T> {
            fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
                let layer = Normalization::batch(3, any_eps());
                of_layer::<Self>(&[&[1, C::SIZE, 1]], Layer::Normalization(layer), path, visit);
            }
        }

        impl<C: Dim, T: Scalar> $vars<C, T> {
            /// The layer of `[batch, C, ..]`. An `eps` that is not positive makes the trace an error.
            #[track_caller]
            #[must_use]
            pub fn apply<V $(, $groups: Divides<C>)?>(self, $(channels!(@argument $groups): $groups,)? x: V, eps: impl Exact) -> Var<With<V, C>>
            where
                V: Variable<Shape: SplitChannel> + Agrees<Var<With<V, C>>>,
            {
                let layer = Normalization::$layer(V::Shape::RANK, $($groups::SIZE,)? eps.literal());
                Applied::new(Layer::Normalization(layer))
                    .data::<Tensor<With<V, C>>>(&x.agree())
                    .parameters::<$name<C, T>>(&self)
                    .gives::<Tensor<With<V, C>>>()
            }
        }
    )*};
    (@argument $groups:ident) => { _ };
}

channels! {
    BatchNorm BatchNormVars batch() "Batch normalisation: of each channel over the batch and all places (Ioffe, Szegedy 2015).";
    InstanceNorm InstanceNormVars instance() "Instance normalisation: of each channel of each element of the batch.";
    GroupNorm GroupNormVars group(Groups) "Group normalisation: of each group of channels of each element of the batch (Wu, He 2018). Groups that do not divide the channels are E0105.";
}
