//! Dense affine layers.

use super::emit::{Emit, Emitted};
use super::error::{ArchitectureError, LayerFault};
use super::signature::{Place, Role, Scope};
use crate::operation::Shape;
use crate::program::ValueId;

/// `x weight + bias` along the last axis, `[.., k]` to `[.., features]`, with `weight[k, features]` and `bias[features]`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Dense {
    /// The size of the last axis of the result.
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub features: usize,
    /// Whether a bias is added.
    pub bias: bool,
}

impl Dense {
    pub(super) fn output(&self, at: &Place, input: &Shape, scope: &mut Scope) -> Result<Shape, ArchitectureError> {
        let Some((k, lead)) = input.sizes().split_last() else {
            return at.fault(LayerFault::Rank { expected: "one axis or more".to_owned(), found: input.clone() });
        };
        at.positive("features", self.features)?;
        let weight = Role::Weight { fan_in: *k, fan_out: self.features };
        scope.parameter(at, "weight", &[*k, self.features], weight)?;
        if self.bias {
            scope.parameter(at, "bias", &[self.features], Role::Bias)?;
        }
        at.shape("the result", &[lead, &[self.features]].concat())
    }

    pub(super) fn emit(&self, at: &Place, x: ValueId, to: &mut Emit) -> Emitted {
        let weight = to.parameter(at, "weight")?;
        let bias = if self.bias { Some(to.parameter(at, "bias")?) } else { None };
        to.affine(x, weight, bias)
    }
}
