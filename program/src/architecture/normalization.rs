//! Normalisation by mean and variance, over any axes: layer, batch, instance, group, root mean square.

use super::emit::{Emit, Emitted};
use super::error::{ArchitectureError, LayerFault};
use super::signature::{Place, Role, Scope};
use crate::operation::{Binding, Literal, Shape};
use crate::program::ValueId;

/// What is required of `eps`.
const EPS: &str = "positive and finite, in single precision as well";

/// What is brought to a fixed value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "snake_case", expecting = "statistics: `mean_variance` or `root_mean_square`")
)]
pub enum Statistics {
    /// `(x - mean) / sqrt(variance + eps)`.
    MeanVariance,
    /// `x / sqrt(mean of squares + eps)`.
    RootMeanSquare,
}

/// Normalisation over some axes, then `gain x + bias` along others.
///
/// The statistics are those of the elements that differ in `axes` alone, and the variance is divided by their number.
///
/// # Source
///
/// Theorem 3, with a fixed positive `eps`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Normalization {
    /// What is brought to a fixed value.
    pub statistics: Statistics,
    /// The axes that statistics are taken over, in ascending order.
    pub axes: Vec<usize>,
    /// Axis 1 in so many groups, each with statistics of its own; axis 1 is among `axes` then.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub groups: Option<usize>,
    /// What is added to the variance. Positive and finite, also once it is rounded to single precision.
    pub eps: Literal,
    /// The axes that the gain has, in ascending order; no gain without.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub gain: Option<Vec<usize>>,
    /// The axes that the bias has, in ascending order; no bias without.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub bias: Option<Vec<usize>>,
}

impl Normalization {
    fn affine(axes: Vec<usize>, groups: Option<usize>, eps: Literal, along: usize) -> Normalization {
        let statistics = Statistics::MeanVariance;
        Normalization { statistics, axes, groups, eps, gain: Some(vec![along]), bias: Some(vec![along]) }
    }

    /// Layer normalisation over the last axis of an array of that rank (Ba, Kiros, Hinton 2016).
    pub fn layer(rank: usize, eps: Literal) -> Normalization {
        let last = rank.saturating_sub(1);
        Self::affine(vec![last], None, eps, last)
    }

    /// Batch normalisation of each channel, axis 1 (Ioffe, Szegedy 2015).
    pub fn batch(rank: usize, eps: Literal) -> Normalization {
        Self::affine((0..rank).filter(|axis| *axis != 1).collect(), None, eps, 1)
    }

    /// Instance normalisation: of each channel of each element of the batch.
    pub fn instance(rank: usize, eps: Literal) -> Normalization {
        Self::affine((2..rank).collect(), None, eps, 1)
    }

    /// Group normalisation, the channels in so many groups (Wu, He 2018).
    pub fn group(rank: usize, groups: usize, eps: Literal) -> Normalization {
        Self::affine((1..rank).collect(), Some(groups), eps, 1)
    }

    /// Root mean square normalisation over the last axis, with a gain (Zhang, Sennrich 2019).
    pub fn rms(rank: usize, eps: Literal) -> Normalization {
        let last = rank.saturating_sub(1);
        let (axes, gain) = (vec![last], Some(vec![last]));
        Normalization { statistics: Statistics::RootMeanSquare, axes, groups: None, eps, gain, bias: None }
    }

    pub(super) fn output(&self, at: &Place, input: &Shape, scope: &mut Scope) -> Result<Shape, ArchitectureError> {
        let (sizes, rank) = (input.sizes(), input.rank());
        if self.axes.is_empty() {
            return at.fault(LayerFault::Nothing { what: "axes" });
        }
        at.axes("axes", &self.axes, rank)?;
        // The sign alone does not do: the square root is taken of what it is once it is rounded.
        let (double, single) = (self.eps.to::<f64>(), self.eps.to::<f32>());
        if !(double > 0.0 && double.is_finite() && single > 0.0 && single.is_finite()) {
            return at.number("eps", &self.eps, EPS);
        }
        if let Some(groups) = self.groups {
            at.positive("groups", groups)?;
            if !self.axes.contains(&1) {
                return at.fault(LayerFault::NoAxis { what: "groups", axis: 1, rank });
            }
            if !sizes[1].is_multiple_of(groups) {
                let (what, of) = ("the size of axis 1", "groups");
                return at.fault(LayerFault::Multiple { what, size: sizes[1], parts: groups, of });
            }
        }
        for (leaf, along, role) in [("gain", &self.gain, Role::Gain), ("bias", &self.bias, Role::Bias)] {
            let Some(along) = along else { continue };
            at.axes(leaf, along, rank)?;
            let sizes: Vec<usize> = along.iter().map(|axis| sizes[*axis]).collect();
            scope.parameter(at, leaf, &sizes, role)?;
        }
        Ok(input.clone())
    }

    pub(super) fn emit(&self, at: &Place, x: ValueId, to: &mut Emit) -> Emitted {
        let gain = if self.gain.is_some() { Some(to.parameter(at, "gain")?) } else { None };
        let bias = if self.bias.is_some() { Some(to.parameter(at, "bias")?) } else { None };
        if let Some(y) = self.fused(x, gain, bias, to)? {
            return Ok(y);
        }
        let sizes = to.sizes(x);
        let mut y = self.normal(x, to)?;
        if let (Some(axes), Some(gain)) = (&self.gain, gain) {
            let gain = to.spread(gain, axes, &sizes)?;
            y = to.each("multiply", &[gain, y])?;
        }
        if let (Some(axes), Some(bias)) = (&self.bias, bias) {
            let bias = to.spread(bias, axes, &sizes)?;
            y = to.each("add", &[y, bias])?;
        }
        Ok(y)
    }

    /// The operation of the library that does it all, if one does.
    fn fused(
        &self,
        x: ValueId,
        gain: Option<ValueId>,
        bias: Option<ValueId>,
        to: &mut Emit,
    ) -> Result<Option<ValueId>, ArchitectureError> {
        let sizes = to.sizes(x);
        let last = sizes.len() - 1;
        let rest = |from: usize| self.axes.iter().copied().eq(from..sizes.len());
        let along = |axes: &Option<Vec<usize>>, axis: usize| axes.as_deref() == Some(&[axis][..]);
        let both = |axis: usize| along(&self.gain, axis) && along(&self.bias, axis);
        let data = |dims: &[&[usize]]| Binding {
            dims: dims.iter().map(|d| d.to_vec()).collect(),
            params: vec![self.eps.clone()],
            ..Binding::default()
        };
        let Some(gain) = gain else { return Ok(None) };
        let (lead, n) = sizes.split_at(last);
        if self.statistics == Statistics::RootMeanSquare {
            let fits = self.groups.is_none() && rest(last) && along(&self.gain, last) && bias.is_none();
            return if fits { to.with("rms_norm", data(&[lead, n]), &[x, gain]).map(Some) } else { Ok(None) };
        }
        let Some(bias) = bias else { return Ok(None) };
        if self.groups.is_none() && rest(last) && both(last) {
            return to.with("layer_norm", data(&[lead, n]), &[x, gain, bias]).map(Some);
        }
        if last == 0 || !both(1) {
            return Ok(None);
        }
        let others = (0..sizes.len()).filter(|axis| *axis != 1);
        if self.groups.is_none() && others.eq(self.axes.iter().copied()) {
            let dims = data(&[&sizes[..1], &sizes[1..2], &sizes[2..]]);
            return to.with("batch_norm", dims, &[x, gain, bias]).map(Some);
        }
        let groups = match self.groups {
            Some(groups) if rest(1) => groups,
            // Instances: each channel is a group.
            None if rest(2) => sizes[1],
            _ => return Ok(None),
        };
        let grouped = [groups, sizes[1] / groups];
        let y = to.reshape(x, &[&sizes[..1], &grouped, &sizes[2..]].concat())?;
        let (gain, bias) = (to.reshape(gain, &grouped)?, to.reshape(bias, &grouped)?);
        let dims = data(&[&sizes[..1], &grouped[..1], &grouped[1..], &sizes[2..]]);
        let y = to.with("group_norm", dims, &[y, gain, bias])?;
        to.reshape(y, &sizes).map(Some)
    }

    /// Without gain and bias: the axes become one, the last.
    fn normal(&self, x: ValueId, to: &mut Emit) -> Emitted {
        let sizes = to.sizes(x);
        let (mut view, mut axes) = (sizes.clone(), self.axes.clone());
        if let Some(groups) = self.groups {
            view.splice(1..2, [groups, sizes[1] / groups]);
            axes.iter_mut().filter(|axis| **axis >= 1).for_each(|axis| *axis += 1);
        }
        let y = to.reshape(x, &view)?;
        let (rows, back) = to.gathered(y, &axes)?;
        let flat = to.sizes(rows);
        let (lead, n) = flat.split_at(flat.len() - 1);
        let binding =
            Binding { dims: vec![lead.to_vec(), n.to_vec()], params: vec![self.eps.clone()], ..Binding::default() };
        let y = match self.statistics {
            Statistics::MeanVariance => to.with("standardize", binding, &[rows])?,
            Statistics::RootMeanSquare => {
                let ones = to.splat(n, Literal::integer(1))?;
                to.with("rms_norm", binding, &[rows, ones])?
            }
        };
        let y = to.back(y, &back)?;
        to.reshape(y, &sizes)
    }
}
