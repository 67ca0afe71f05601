//! Activations: the elementwise operations of the library, and the softmax of each row.

use super::emit::{Emit, Emitted};
use super::error::{ArchitectureError, LayerFault};
use super::signature::Place;
use crate::operation::{Binding, Literal, Shape};
use crate::program::ValueId;

/// A function of each element; of each row of the last axis for the softmaxes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(
        rename_all = "snake_case",
        expecting = "an activation: a word such as `tanh`, or an object with `scale`, `shift`, `leaky_relu` or `elu` and its number"
    )
)]
pub enum Activation {
    /// Hyperbolic tangent.
    Tanh,
    /// `1 / (1 + exp(-x))`.
    Logistic,
    /// `x / (1 + exp(-x))`.
    Silu,
    /// The tanh form of GELU.
    GeluTanh,
    /// `log(1 + exp(x))`.
    Softplus,
    /// `-log(1 + exp(-x))`.
    LogLogistic,
    /// e to the element.
    Exponential,
    /// Sine.
    Sine,
    /// Cosine.
    Cosine,
    /// Its square.
    Square,
    /// Its cube.
    Cube,
    /// Its opposite.
    Negate,
    /// A fixed multiple.
    Scale(Literal),
    /// A fixed number added.
    Shift(Literal),
    /// The positive part; declared at zero.
    Relu,
    /// A multiple where it is not positive; declared at zero.
    LeakyRelu(Literal),
    /// `alpha (exp(x) - 1)` where it is not positive; declared at zero.
    Elu(Literal),
    /// Softmax of the last axis.
    Softmax,
    /// The logarithm of the softmax of the last axis.
    LogSoftmax,
}

impl Activation {
    /// The operation of the library.
    pub fn operation(&self) -> &'static str {
        match self {
            Activation::Tanh => "tanh",
            Activation::Logistic => "logistic",
            Activation::Silu => "silu",
            Activation::GeluTanh => "gelu_tanh",
            Activation::Softplus => "softplus",
            Activation::LogLogistic => "log_logistic",
            Activation::Exponential => "exponential",
            Activation::Sine => "sine",
            Activation::Cosine => "cosine",
            Activation::Square => "square",
            Activation::Cube => "cube",
            Activation::Negate => "negate",
            Activation::Scale(_) => "scale",
            Activation::Shift(_) => "shift",
            Activation::Relu => "relu",
            Activation::LeakyRelu(_) => "leaky_relu",
            Activation::Elu(_) => "elu",
            Activation::Softmax => "softmax",
            Activation::LogSoftmax => "log_softmax",
        }
    }

    fn number(&self) -> Option<&Literal> {
        match self {
            Activation::Scale(by) | Activation::Shift(by) | Activation::LeakyRelu(by) | Activation::Elu(by) => Some(by),
            _ => None,
        }
    }

    pub(super) fn output(&self, at: &Place, input: &Shape) -> Result<Shape, ArchitectureError> {
        let rows = matches!(self, Activation::Softmax | Activation::LogSoftmax);
        if rows && input.rank() == 0 {
            return at.fault(LayerFault::Rank { expected: "one axis or more".to_owned(), found: input.clone() });
        }
        if let Some(by) = self.number() {
            at.finite(self.operation(), by)?;
        }
        Ok(input.clone())
    }

    pub(super) fn emit(&self, x: ValueId, to: &mut Emit) -> Emitted {
        let sizes = to.sizes(x);
        let dims = match (self, sizes.split_last()) {
            (Activation::Softmax | Activation::LogSoftmax, Some((n, lead))) => vec![lead.to_vec(), vec![*n]],
            _ => vec![sizes],
        };
        let params = self.number().cloned().into_iter().collect();
        to.with(self.operation(), Binding { dims, params, ..Binding::default() }, &[x])
    }
}
