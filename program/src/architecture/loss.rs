//! The loss of a classifier against labels that are part of the architecture.

use super::emit::{Emit, Emitted};
use super::error::{ArchitectureError, LayerFault};
use super::signature::Place;
use crate::operation::{Binding, IndexData, Shape};
use crate::program::ValueId;

/// The mean over all rows of the cross-entropy of the softmax of the last axis against a label, `[.., c]` to a scalar.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct CrossEntropy {
    /// The class of each row, in row-major order.
    pub labels: Vec<usize>,
}

impl CrossEntropy {
    pub(super) fn output(&self, at: &Place, input: &Shape) -> Result<Shape, ArchitectureError> {
        let Some((classes, lead)) = input.sizes().split_last() else {
            return at.fault(LayerFault::Rank { expected: "one axis or more".to_owned(), found: input.clone() });
        };
        at.count("labels", lead.iter().product(), self.labels.len())?;
        match self.labels.iter().position(|label| label >= classes) {
            Some(position) => {
                at.fault(LayerFault::Index { what: "labels", position, index: self.labels[position], size: *classes })
            }
            None => Ok(Shape::new(&[])),
        }
    }

    pub(super) fn emit(&self, x: ValueId, to: &mut Emit) -> Emitted {
        let sizes = to.sizes(x);
        let (lead, classes) = sizes.split_at(sizes.len() - 1);
        let binding = Binding {
            dims: vec![lead.to_vec(), classes.to_vec()],
            maps: vec![IndexData::Table(self.labels.clone())],
            ..Binding::default()
        };
        to.with("softmax_cross_entropy_labels", binding, &[x])
    }
}
