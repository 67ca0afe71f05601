//! Reductions of whole axes: sums, means, log-sum-exps. Global pooling is one.

use super::emit::{Emit, Emitted};
use super::error::{ArchitectureError, LayerFault};
use super::signature::Place;
use crate::operation::Shape;
use crate::program::ValueId;

/// What becomes of the elements along the axes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "snake_case")
)]
pub enum Reduction {
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
    /// The logarithm of the sum of their exponentials.
    LogSumExp,
}

/// A reduction of some axes, which are gone from the result.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Reduce {
    /// What becomes of the elements.
    pub by: Reduction,
    /// The axes, in ascending order.
    pub axes: Vec<usize>,
}

impl Reduce {
    pub(super) fn output(&self, at: &Place, input: &Shape) -> Result<Shape, ArchitectureError> {
        if self.axes.is_empty() {
            return at.fault(LayerFault::Nothing { what: "axes" });
        }
        at.axes("axes", &self.axes, input.rank())?;
        let kept = input.sizes().iter().enumerate().filter(|(axis, _)| !self.axes.contains(axis));
        Ok(Shape::new(&kept.map(|(_, size)| *size).collect::<Vec<_>>()))
    }

    pub(super) fn emit(&self, x: ValueId, to: &mut Emit) -> Emitted {
        let name = match self.by {
            Reduction::Sum => "reduce_sum_axis",
            Reduction::Mean => "mean_axis",
            Reduction::LogSumExp => {
                let (rows, _) = to.gathered(x, &self.axes)?;
                let sizes = to.sizes(rows);
                let (lead, n) = sizes.split_at(sizes.len() - 1);
                return to.op("logsumexp", &[lead, n], &[rows]);
            }
        };
        let mut x = x;
        // Neighbouring axes at once, the last ones first, so that those before keep their numbers.
        let mut end = self.axes.len();
        while end > 0 {
            let mut start = end - 1;
            while start > 0 && self.axes[start - 1] + 1 == self.axes[start] {
                start -= 1;
            }
            let (first, last) = (self.axes[start], self.axes[end - 1]);
            let sizes = to.sizes(x);
            x = to.op(name, &[&sizes[..first], &sizes[first..=last], &sizes[last + 1..]], &[x])?;
            end = start;
        }
        Ok(x)
    }
}
