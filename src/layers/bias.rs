//! Whether a layer adds a bias.

use core::fmt::Debug;

use super::parametric::Parametric;
use crate::scalar::Scalar;
use crate::shape::Dim;
use crate::tensor::Tensor;

mod sealed {
    pub trait Sealed {}
}

/// [`WithBias`] or [`NoBias`]; closed.
pub trait BiasKind: sealed::Sealed + Copy + Debug + Send + Sync + 'static {
    /// What the field `bias` of a layer is.
    type Of<Out: Dim, T: Scalar>: Parametric;
    /// Whether there is one.
    const PRESENT: bool;
}

/// The layer has a bias, a tensor: what a layer has unless it says [`NoBias`].
#[derive(Clone, Copy, Debug)]
pub struct WithBias;

/// The layer has none; its field is `()`. Written as the last parameter of a layer: `Dense<In, Out, f32, NoBias>`.
#[derive(Clone, Copy, Debug)]
pub struct NoBias;

impl sealed::Sealed for WithBias {}
impl sealed::Sealed for NoBias {}

impl BiasKind for WithBias {
    type Of<Out: Dim, T: Scalar> = Tensor<(Out,), T>;
    const PRESENT: bool = true;
}

impl BiasKind for NoBias {
    type Of<Out: Dim, T: Scalar> = ();
    const PRESENT: bool = false;
}
