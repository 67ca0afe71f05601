//! The loss of a classifier against labels that are part of the architecture.

use super::emit::{Emit, Emitted};
use super::error::{ArchitectureError, LayerFault};
use super::signature::Place;
use crate::operation::{Binding, IndexData, Shape};
use crate::program::ValueId;

/// The mean over the rows of the cross-entropy of the softmax of the last axis against a label, `[.., c]` to a scalar.
///
/// Rows whose label is the ignored one, such as padding, are left out: of the sum, of the number that it is divided by, and of the gradient, which is exactly zero there.
/// One row at least is left.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct CrossEntropy {
    /// The class of each row, in row-major order.
    pub labels: Vec<usize>,
    /// The label of rows that are left out, which need be no class; none without.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub ignore: Option<usize>,
}

impl CrossEntropy {
    /// The loss against these labels, with no row left out.
    pub fn new(labels: Vec<usize>) -> CrossEntropy {
        CrossEntropy { labels, ignore: None }
    }

    /// The same without the rows of this label.
    pub fn ignoring(mut self, label: usize) -> CrossEntropy {
        self.ignore = Some(label);
        self
    }

    pub(super) fn output(&self, at: &Place, input: &Shape) -> Result<Shape, ArchitectureError> {
        let Some((classes, lead)) = input.sizes().split_last() else {
            return at.fault(LayerFault::Rank { expected: "one axis or more".to_owned(), found: input.clone() });
        };
        at.count("labels", lead.iter().product(), self.labels.len())?;
        if self.kept().next().is_none() {
            return at.fault(LayerFault::Ignored);
        }
        match self.labels.iter().position(|label| label >= classes && Some(*label) != self.ignore) {
            Some(position) => {
                at.fault(LayerFault::Index { what: "labels", position, index: self.labels[position], size: *classes })
            }
            None => Ok(Shape::new(&[])),
        }
    }

    /// Rows that count, and their labels.
    fn kept(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.labels.iter().copied().enumerate().filter(|(_, label)| Some(*label) != self.ignore)
    }

    /// The rows that count, alone: a row that is not gathered has no part in the loss.
    fn gathered(&self, x: ValueId, to: &mut Emit) -> Emitted {
        let sizes = to.sizes(x);
        let rows: Vec<usize> = self.kept().map(|(row, _)| row).collect();
        let classes = sizes[sizes.len() - 1];
        to.charge("the rows of the loss", rows.len())?;
        let flat = to.reshape(x, &[self.labels.len(), classes])?;
        let binding = Binding {
            dims: vec![vec![rows.len()], vec![self.labels.len()], vec![classes]],
            maps: vec![IndexData::Table(rows)],
            ..Binding::default()
        };
        to.with("gather", binding, &[flat])
    }

    pub(super) fn emit(&self, x: ValueId, to: &mut Emit) -> Emitted {
        let labels: Vec<usize> = self.kept().map(|(_, label)| label).collect();
        let x = if labels.len() == self.labels.len() { x } else { self.gathered(x, to)? };
        let sizes = to.sizes(x);
        let (lead, classes) = sizes.split_at(sizes.len() - 1);
        let binding = Binding {
            dims: vec![lead.to_vec(), classes.to_vec()],
            maps: vec![IndexData::Table(labels)],
            ..Binding::default()
        };
        to.with("softmax_cross_entropy_labels", binding, &[x])
    }
}
