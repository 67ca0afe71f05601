//! Transposed convolutions in one, two and three dimensions.

use super::convolution::{biased, convolved};
use super::emit::{Emit, Emitted};
use super::error::{ArchitectureError, LayerFault};
use super::signature::{Place, Role, Scope};
use super::stencil::{Along, Stencil, index_data};
use crate::operation::{Binding, Shape};
use crate::program::ValueId;

/// The transpose of a convolution: each element of `[batch, channels, ..]` spreads `weight[in, out / groups, ..]`.
///
/// An axis of size `t` becomes `stride (t - 1) + dilation (window - 1) + 1 - padding + extra`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct TransposedConvolution {
    /// Channels of the result.
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub channels: usize,
    /// The kernel's window and how it is placed. Its padding is taken away from the result.
    pub stencil: Stencil,
    /// Places at the end of each axis that no window reaches, for sizes that a stride skips; none given is none.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub extra: Vec<usize>,
    /// The channels in so many groups, each by itself.
    #[cfg_attr(feature = "json", serde(default = "super::stencil::one"))]
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub groups: usize,
    /// Whether a bias is added to each channel.
    pub bias: bool,
}

impl TransposedConvolution {
    /// One group, with a bias.
    pub fn new(channels: usize, stencil: Stencil) -> TransposedConvolution {
        TransposedConvolution { channels, stencil, extra: Vec::new(), groups: 1, bias: true }
    }

    fn size(&self, axis: usize, along: &Along, size: usize) -> usize {
        let extra = self.extra.get(axis).copied().unwrap_or(0);
        (along.stride * (size - 1) + along.span() + extra).saturating_sub(along.low + along.high)
    }

    pub(super) fn output(&self, at: &Place, input: &Shape, scope: &mut Scope) -> Result<Shape, ArchitectureError> {
        let (batch, channels) = convolved(at, &self.stencil, self.channels, self.groups, input)?;
        if !self.extra.is_empty() {
            at.count("extra", self.stencil.rank(), self.extra.len())?;
        }
        let mut sizes = vec![batch, self.channels];
        for (axis, (along, size)) in self.stencil.each().zip(&input.sizes()[2..]).enumerate() {
            let stride = along.stride;
            if let Some(extra) = self.extra.get(axis).filter(|extra| **extra >= stride) {
                let found = extra.to_string();
                return at.fault(LayerFault::Number { what: "extra", found, required: "less than the stride" });
            }
            let out = self.size(axis, &along, *size);
            if out == 0 {
                let (padding, size) = (along.low + along.high, stride * (size - 1) + along.span());
                return at.fault(LayerFault::Crop { axis: axis + 2, padding, size });
            }
            at.shape("an index map", &[*size.max(&out), along.window])?;
            sizes.push(out);
        }
        let each = self.channels / self.groups;
        let weight = [&[channels, each], &self.stencil.window[..]].concat();
        let window: usize = at.shape("a parameter", &weight)?.sizes()[2..].iter().product();
        let fan_in = (channels / self.groups).saturating_mul(window);
        scope.parameter(at, "weight", &weight, Role::Weight { fan_in, fan_out: each * window })?;
        if self.bias {
            scope.parameter(at, "bias", &[self.channels], Role::Bias)?;
        }
        at.shape("the result", &sizes)
    }

    pub(super) fn emit(&self, at: &Place, x: ValueId, to: &mut Emit) -> Emitted {
        let weight = to.parameter(at, "weight")?;
        let sizes = to.sizes(x);
        let (batch, spatial) = (sizes[0], &sizes[2..]);
        let (each, out) = (sizes[1] / self.groups, self.channels / self.groups);
        let along: Vec<Along> = self.stencil.each().collect();
        let outs: Vec<usize> = along.iter().zip(spatial).enumerate().map(|(k, (a, n))| self.size(k, a, *n)).collect();
        let window = &self.stencil.window[..];
        let x = to.reshape(x, &[&[batch, self.groups, each], spatial].concat())?;
        let weight = to.reshape(weight, &[&[self.groups, each, out], window].concat())?;
        let dims = [&[batch, self.groups, each], spatial, &[out], &outs, window].concat();
        let dims = dims.into_iter().map(|n| vec![n]).collect();
        let entries = |k: usize| spatial[k].max(outs[k]).saturating_mul(window[k]);
        to.charge("the maps of the windows", (0..window.len()).map(|k| 2 * entries(k)).sum())?;
        let sides = || along.iter().zip(spatial.iter().zip(&outs));
        let y = match self.stencil.rank() {
            3 => {
                // The library has none in three dimensions: it is a convolution whose map names the element that spread to a place.
                let maps = sides().map(|(a, (size, out))| index_data(spread_from(a, *size, *out))).collect();
                let order: Vec<usize> = [0, 2, 1, 3, 4, 5].to_vec();
                let weight = to.permute(weight, &order)?;
                to.with("conv3d", Binding { dims, maps, ..Binding::default() }, &[x, weight])?
            }
            rank => {
                let maps = sides().map(|(a, (size, out))| a.map(*size, *out)).collect();
                let name = ["conv_transpose1d", "conv_transpose2d"][rank - 1];
                to.with(name, Binding { dims, maps, ..Binding::default() }, &[x, weight])?
            }
        };
        let y = to.reshape(y, &[&[batch, self.channels], &outs[..]].concat())?;
        if self.bias { biased(at, y, to) } else { Ok(y) }
    }
}

/// The element that reaches a place of the result through place `k` of its window.
fn spread_from(along: &Along, size: usize, out: usize) -> Vec<Option<usize>> {
    let at = |place: usize, k: usize| {
        let offset = (place + along.low).checked_sub(along.dilation * k)?;
        let element = offset / along.stride;
        (offset % along.stride == 0 && element < size).then_some(element)
    };
    (0..out * along.window).map(|flat| at(flat / along.window, flat % along.window)).collect()
}
