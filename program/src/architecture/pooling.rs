//! Pooling: sums, means and maxima of windows.

use super::convolution::around;
use super::emit::{Emit, Emitted, LITERAL, indices, ratio};
use super::error::{ArchitectureError, LayerFault};
use super::signature::Place;
use super::stencil::Stencil;
use crate::operation::{Array, Binding, Elements, Literal, Shape};
use crate::program::ValueId;

/// What becomes of a window.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "snake_case")
)]
pub enum PoolingKind {
    /// Its sum; padding adds nothing.
    Sum,
    /// Its sum over its number of places, those of the padding included.
    Average,
    /// Its sum over its number of places, those of the padding left out.
    AverageInside,
    /// Its largest element; declared where two are equal.
    ///
    /// Padding holds the lowest finite number of single precision, about -3.4e38, so that it is never the largest of numbers above that.
    Max,
}

/// Windows of the last one, two or three axes, each become one element.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Pooling {
    /// What becomes of a window.
    pub kind: PoolingKind,
    /// The window and how it slides.
    pub stencil: Stencil,
}

impl Pooling {
    pub(super) fn output(&self, at: &Place, input: &Shape) -> Result<Shape, ArchitectureError> {
        self.stencil.check(at)?;
        let (sizes, rank) = (input.sizes(), self.stencil.rank());
        let Some(first) = sizes.len().checked_sub(rank) else {
            let expected = format!("{rank} axes or more, which the window slides along");
            return at.fault(LayerFault::Rank { expected, found: input.clone() });
        };
        let outs = self.stencil.windows(at, first, &sizes[first..])?;
        if matches!(self.kind, PoolingKind::AverageInside | PoolingKind::Max) {
            self.stencil.filled(at, first, &sizes[first..])?;
        }
        if self.kind == PoolingKind::Max {
            self.stencil.surrounded(at, sizes)?;
        }
        at.shape("the result", &[&sizes[..first], &outs].concat())
    }

    pub(super) fn emit(&self, x: ValueId, to: &mut Emit) -> Emitted {
        let names = match self.kind {
            PoolingKind::Sum | PoolingKind::AverageInside => ["sum_pool1d", "sum_pool2d"],
            PoolingKind::Average => ["avg_pool1d", "avg_pool2d"],
            PoolingKind::Max => ["max_pool1d", "max_pool2d"],
        };
        let mut stencil = self.stencil.clone();
        let mut x = x;
        if self.kind == PoolingKind::Max && stencil.is_padded() {
            x = around(x, &stencil, &Literal::Float(f64::from(f32::MIN)), to)?;
            stencil.padding.clear();
        }
        let sizes = to.sizes(x);
        let spatial = &sizes[sizes.len() - stencil.rank()..];
        let y = match stencil.rank() {
            3 => slab(names, &stencil, x, to)?,
            rank => pool(names[rank - 1], &stencil, x, to)?,
        };
        if self.kind != PoolingKind::AverageInside || !stencil.is_padded() && stencil.window.iter().all(|n| *n == 1) {
            return Ok(y);
        }
        shares(&stencil, spatial, y, to)
    }
}

/// Windows of the last one or two axes.
fn pool(name: &str, stencil: &Stencil, x: ValueId, to: &mut Emit) -> Emitted {
    let sizes = to.sizes(x);
    let (lead, spatial) = sizes.split_at(sizes.len() - stencil.rank());
    stencil.charge(spatial, to)?;
    let out = |(along, size): (super::stencil::Along, &usize)| {
        let out = along.windows(*size);
        (out, along.map(out, *size))
    };
    let (outs, maps): (Vec<usize>, Vec<_>) = stencil.each().zip(spatial).map(out).unzip();
    let mut dims = vec![lead.to_vec()];
    dims.extend(spatial.iter().chain(&outs).chain(&stencil.window).map(|n| vec![*n]));
    to.with(name, Binding { dims, maps, ..Binding::default() }, &[x])
}

/// Windows of the last three axes: of the last two, then of the one before, brought to the end.
fn slab(names: [&'static str; 2], stencil: &Stencil, x: ValueId, to: &mut Emit) -> Emitted {
    let part = |from: usize, end: usize| Stencil {
        window: stencil.window[from..end].to_vec(),
        stride: stencil.stride.get(from..end).unwrap_or_default().to_vec(),
        padding: stencil.padding.get(from..end).unwrap_or_default().to_vec(),
        dilation: stencil.dilation.get(from..end).unwrap_or_default().to_vec(),
    };
    let y = pool(names[1], &part(1, 3), x, to)?;
    let rank = to.sizes(y).len();
    let lead: Vec<usize> = (0..rank - 3).collect();
    let y = to.permute(y, &[&lead[..], &[rank - 2, rank - 1, rank - 3]].concat())?;
    let y = pool(names[0], &part(0, 1), y, to)?;
    to.permute(y, &[&lead[..], &[rank - 1, rank - 3, rank - 2]].concat())
}

/// Each sum over the number of its places that are no padding.
fn shares(stencil: &Stencil, spatial: &[usize], y: ValueId, to: &mut Emit) -> Emitted {
    let sizes = to.sizes(y);
    let lead = sizes.len() - spatial.len();
    let along: Vec<_> = stencil.each().zip(spatial).collect();
    to.charge("the shares of the windows", sizes[lead..].iter().product::<usize>().saturating_mul(LITERAL))?;
    let count = |index: Vec<usize>| -> usize { index.iter().zip(&along).map(|(i, (a, n))| a.held(*i, **n)).product() };
    let shares = indices(&sizes[lead..]).map(|index| ratio(1, count(index))).collect();
    let table = to.constant(Array { shape: Shape::new(&sizes[lead..]), elements: Elements::Each(shares) })?;
    let axes: Vec<usize> = (lead..sizes.len()).collect();
    let table = to.spread(table, &axes, &sizes)?;
    to.each("multiply", &[y, table])
}
