//! Convolutions in one, two and three dimensions.

use num_traits::Zero;
use pullback_kernel::Rational;

use super::emit::{Emit, Emitted};
use super::error::{ArchitectureError, LayerFault};
use super::signature::{Place, Role, Scope};
use super::stencil::Stencil;
use crate::operation::{Binding, Literal, Shape};
use crate::program::ValueId;

/// Convolution of `[batch, channels, ..]`, with `weight[out, in / groups, ..]` and `bias[out]`. The kernel is not reversed.
///
/// # Source
///
/// Theorem 3: a gather of patches, fixed padding constants, and a contraction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Convolution {
    /// Channels of the result.
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub channels: usize,
    /// The kernel's window and how it slides: one, two or three axes.
    pub stencil: Stencil,
    /// The channels in so many groups, each convolved by itself.
    #[cfg_attr(feature = "json", serde(default = "super::stencil::one"))]
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub groups: usize,
    /// Whether a bias is added to each channel.
    pub bias: bool,
    /// What the padding holds; zero without.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub padding_value: Option<Literal>,
}

impl Convolution {
    /// A convolution in one group, with a bias and zeros for padding.
    pub fn new(channels: usize, stencil: Stencil) -> Convolution {
        Convolution { channels, stencil, groups: 1, bias: true, padding_value: None }
    }

    /// Each channel by itself.
    pub fn depthwise(channels: usize, stencil: Stencil) -> Convolution {
        Convolution { groups: channels, ..Convolution::new(channels, stencil) }
    }

    pub(super) fn output(&self, at: &Place, input: &Shape, scope: &mut Scope) -> Result<Shape, ArchitectureError> {
        let (batch, channels) = convolved(at, &self.stencil, self.channels, self.groups, input)?;
        if let Some(value) = &self.padding_value {
            at.finite("padding_value", value)?;
        }
        let outs = self.stencil.windows(at, 2, &input.sizes()[2..])?;
        if self.padding_value.is_some() {
            self.stencil.surrounded(at, input.sizes())?;
        }
        let weight = [&[self.channels, channels / self.groups], &self.stencil.window[..]].concat();
        scope.parameter(at, "weight", &weight, fans(at, &weight, self.channels / self.groups)?)?;
        if self.bias {
            scope.parameter(at, "bias", &[self.channels], Role::Bias)?;
        }
        at.shape("the result", &[&[batch, self.channels], &outs[..]].concat())
    }

    pub(super) fn emit(&self, at: &Place, x: ValueId, to: &mut Emit) -> Emitted {
        let weight = to.parameter(at, "weight")?;
        let (x, stencil) = self.padded(x, to)?;
        let sizes = to.sizes(x);
        let (batch, channels, spatial) = (sizes[0], sizes[1], &sizes[2..]);
        let (each, out) = (channels / self.groups, self.channels / self.groups);
        let along: Vec<_> = stencil.each().zip(spatial).collect();
        let outs: Vec<usize> = along.iter().map(|(a, size)| a.windows(**size)).collect();
        let x = to.reshape(x, &[&[batch, self.groups, each], spatial].concat())?;
        let weight = to.reshape(weight, &[&[self.groups, out, each], &stencil.window[..]].concat())?;
        stencil.charge(spatial, to)?;
        let maps = along.iter().zip(&outs).map(|((a, size), out)| a.map(*out, **size)).collect();
        let dims = [&[batch, self.groups, each], spatial, &[out], &outs, &stencil.window].concat();
        let binding = Binding { dims: dims.into_iter().map(|n| vec![n]).collect(), maps, ..Binding::default() };
        let name = ["conv1d", "conv2d", "conv3d"][stencil.rank() - 1];
        let y = to.with(name, binding, &[x, weight])?;
        let y = to.reshape(y, &[&[batch, self.channels], &outs[..]].concat())?;
        if self.bias { biased(at, y, to) } else { Ok(y) }
    }

    /// The input with its padding, where that is not zero, and the stencil that is left.
    fn padded(&self, x: ValueId, to: &mut Emit) -> Result<(ValueId, Stencil), ArchitectureError> {
        let value = self.padding_value.as_ref().filter(|value| !value.to::<Rational>().is_zero());
        let Some(value) = value.filter(|_| self.stencil.is_padded()) else { return Ok((x, self.stencil.clone())) };
        let stencil = Stencil { padding: Vec::new(), ..self.stencil.clone() };
        Ok((around(x, &self.stencil, value, to)?, stencil))
    }
}

/// The last axes with the padding of a stencil, which holds a number.
pub(super) fn around(x: ValueId, stencil: &Stencil, number: &Literal, to: &mut Emit) -> Emitted {
    let sizes = to.sizes(x);
    let spatial = sizes[sizes.len() - stencil.rank()..].to_vec();
    let along: Vec<_> = stencil.each().collect();
    let longer: Vec<usize> = along.iter().zip(&spatial).map(|(a, size)| a.low + size + a.high).collect();
    to.padded(x, &longer, number, |index| {
        index.iter().zip(&along).zip(&spatial).try_fold(0, |flat, ((i, a), size)| {
            let place = i.checked_sub(a.low).filter(|place| place < size)?;
            Some(flat * size + place)
        })
    })
}

/// A bias for each channel.
pub(super) fn biased(at: &Place, y: ValueId, to: &mut Emit) -> Emitted {
    let bias = to.parameter(at, "bias")?;
    let sizes = to.sizes(y);
    to.op("bias_add_channels", &[&sizes[..1], &sizes[1..2], &sizes[2..]], &[y, bias])
}

/// Batch and channels of what is convolved.
pub(super) fn convolved(
    at: &Place,
    stencil: &Stencil,
    channels: usize,
    groups: usize,
    input: &Shape,
) -> Result<(usize, usize), ArchitectureError> {
    stencil.check(at)?;
    at.positive("channels", channels)?;
    at.positive("groups", groups)?;
    let (sizes, rank) = (input.sizes(), stencil.rank() + 2);
    if sizes.len() != rank {
        let expected = format!("{rank} axes, batch, channels and {} that the window slides along", stencil.rank());
        return at.fault(LayerFault::Rank { expected, found: input.clone() });
    }
    for (what, size) in [("the size of axis 1", sizes[1]), ("`channels`", channels)] {
        if size % groups != 0 {
            return at.fault(LayerFault::Multiple { what, size, parts: groups, of: "groups" });
        }
    }
    Ok((sizes[0], sizes[1]))
}

/// The fans of a kernel: its own elements for one output, and those of a group's outputs for one input.
pub(super) fn fans(at: &Place, weight: &[usize], outs: usize) -> Result<Role, ArchitectureError> {
    at.shape("a parameter", weight)?;
    let window: usize = weight[2..].iter().product();
    Ok(Role::Weight { fan_in: weight[1] * window, fan_out: outs.saturating_mul(window) })
}
