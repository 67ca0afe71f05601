//! The affine map of the last axis.

use pullback_program::architecture::{self, Layer, Parameter};

use super::bias::{BiasKind, WithBias};
use super::parametric::{Parametric, of_layer};
use crate::program::{Agrees, Applied, Path, Var, Variable};
use crate::scalar::Scalar;
use crate::shape::{Dim, Join, Joined, SplitLast};
use crate::space::Space;
use crate::tensor::Tensor;

/// `x weight + bias` along the last axis.
///
/// # Example
///
/// A width that does not fit does not compile; the message is E0116, with both shapes.
///
/// ```
/// use pullback::layers::{Dense, NoBias};
/// use pullback::{Program, Tensor, dims};
///
/// dims! { Batch = 2; Features = 3; Hidden = 4; Class = 5 }
/// type Model = (Dense<Features, Hidden>, Dense<Hidden, Class, f32, NoBias>);
/// type Given = (Model, Tensor<(Batch, Features)>);
/// let program = Program::<Given, Tensor<(Batch, Class)>>::trace(|((one, two), x)| two.apply(one.apply(x).tanh()))?;
/// assert_eq!(program.as_dynamic().len(), 3);
/// # Ok::<(), pullback::TraceError>(())
/// ```
#[derive(Clone, Debug, Space)]
#[space(layer)]
pub struct Dense<In: Dim, Out: Dim, T: Scalar = f32, B: BiasKind = WithBias> {
    /// The matrix.
    pub weight: Tensor<(In, Out), T>,
    /// What is added.
    pub bias: B::Of<Out, T>,
}

fn layer<Out: Dim, B: BiasKind>() -> Layer {
    Layer::Dense(architecture::Dense { features: Out::SIZE, bias: B::PRESENT })
}

impl<In: Dim, Out: Dim, T: Scalar, B: BiasKind> Parametric for Dense<In, Out, T, B> {
    fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
        of_layer::<Self>(&[&[In::SIZE]], layer::<Out, B>(), path, visit);
    }
}

/// All axes of a variable but the last.
pub(super) type Lead<V> = <<V as Variable>::Shape as SplitLast>::Init;

impl<In: Dim, Out: Dim, T: Scalar, B: BiasKind> DenseVars<In, Out, T, B> {
    /// The layer of `[.., In]`, which gives `[.., Out]`.
    #[track_caller]
    #[must_use]
    pub fn apply<V>(self, x: V) -> Var<Joined<Lead<V>, (Out,)>>
    where
        V: Variable<Shape: SplitLast> + Agrees<Var<Joined<Lead<V>, (In,)>>>,
        Lead<V>: Join<(In,)> + Join<(Out,)>,
    {
        Applied::new(layer::<Out, B>())
            .data::<Tensor<Joined<Lead<V>, (In,)>>>(&x.agree())
            .parameters::<Dense<In, Out, T, B>>(&self)
            .gives::<Tensor<Joined<Lead<V>, (Out,)>>>()
    }
}
