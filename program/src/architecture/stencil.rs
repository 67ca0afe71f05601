//! Windows that slide along axes: what convolutions and pooling have in common.

use super::emit::Emit;
use super::error::{ArchitectureError, LayerFault};
use super::signature::{LARGEST, Place};
use crate::operation::IndexData;

/// Windows along the last axes, one number for each.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Stencil {
    /// Places of a window.
    #[cfg_attr(feature = "json", schemars(inner(range(min = 1))))]
    pub window: Vec<usize>,
    /// From one window to the next; none given is 1 along every axis.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    #[cfg_attr(feature = "json", schemars(inner(range(min = 1))))]
    pub stride: Vec<usize>,
    /// Places before and after; none given is none. For a transposed convolution, places taken away.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub padding: Vec<[usize; 2]>,
    /// From one place of a window to the next; none given is 1 along every axis.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    #[cfg_attr(feature = "json", schemars(inner(range(min = 1))))]
    pub dilation: Vec<usize>,
}

/// A stencil along one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    pub(super) window: usize,
    pub(super) stride: usize,
    pub(super) low: usize,
    pub(super) high: usize,
    pub(super) dilation: usize,
}

impl Stencil {
    /// Windows of these sizes, one place from each other, without padding and dilation.
    pub fn new(window: &[usize]) -> Stencil {
        Stencil { window: window.to_vec(), stride: Vec::new(), padding: Vec::new(), dilation: Vec::new() }
    }

    /// The same with these strides.
    pub fn stride(mut self, stride: &[usize]) -> Stencil {
        self.stride = stride.to_vec();
        self
    }

    /// The same with this padding before and after.
    pub fn padding(mut self, padding: &[[usize; 2]]) -> Stencil {
        self.padding = padding.to_vec();
        self
    }

    /// The same with these dilations.
    pub fn dilation(mut self, dilation: &[usize]) -> Stencil {
        self.dilation = dilation.to_vec();
        self
    }

    /// How many axes.
    pub(super) fn rank(&self) -> usize {
        self.window.len()
    }

    pub(super) fn along(&self, axis: usize) -> Along {
        let [low, high] = self.padding.get(axis).copied().unwrap_or([0, 0]);
        Along {
            window: self.window[axis],
            stride: self.stride.get(axis).copied().unwrap_or(1),
            low,
            high,
            dilation: self.dilation.get(axis).copied().unwrap_or(1),
        }
    }

    pub(super) fn each(&self) -> impl Iterator<Item = Along> {
        (0..self.rank()).map(|axis| self.along(axis))
    }

    pub(super) fn is_padded(&self) -> bool {
        self.padding.iter().any(|sides| *sides != [0, 0])
    }

    /// The numbers alone, whatever they are applied to.
    pub(super) fn check(&self, at: &Place) -> Result<(), ArchitectureError> {
        let rank = self.rank();
        if !(1..=3).contains(&rank) {
            let found = format!("a list of {rank}");
            return at.fault(LayerFault::Number { what: "window", found, required: "a list of 1, 2 or 3 sizes" });
        }
        for (what, list) in [("stride", &self.stride), ("dilation", &self.dilation)] {
            if !list.is_empty() {
                at.count(what, rank, list.len())?;
            }
            list.iter().try_for_each(|n| at.positive(what, *n))?;
        }
        self.window.iter().try_for_each(|n| at.positive("window", *n))?;
        if !self.padding.is_empty() {
            at.count("padding", rank, self.padding.len())?;
        }
        match self.padding.iter().flatten().any(|n| *n > LARGEST) {
            true => at.fault(LayerFault::Large { what: "`padding`".to_owned(), limit: LARGEST, of: "" }),
            false => Ok(()),
        }
    }

    /// How many windows there are along axes of these sizes, of which the first is that axis.
    pub(super) fn windows(&self, at: &Place, first: usize, sizes: &[usize]) -> Result<Vec<usize>, ArchitectureError> {
        let mut outs = Vec::new();
        for (axis, (along, size)) in self.each().zip(sizes).enumerate() {
            let (span, padded) = (along.span(), along.low + size + along.high);
            if span > padded {
                return at.fault(LayerFault::Window { axis: first + axis, span, size: padded });
            }
            let out = along.windows(*size);
            at.shape("an index map", &[out, along.window])?;
            outs.push(out);
        }
        Ok(outs)
    }

    /// Whether an array of these sizes, with the padding around its last axes, is within the limits.
    pub(super) fn surrounded(&self, at: &Place, sizes: &[usize]) -> Result<(), ArchitectureError> {
        let mut longer = sizes.to_vec();
        let first = sizes.len() - self.rank();
        longer[first..].iter_mut().zip(self.each()).for_each(|(size, along)| *size += along.low + along.high);
        at.shape("the input with its padding", &longer).map(|_| ())
    }

    /// Takes note of the maps of all windows along axes of these sizes.
    pub(super) fn charge(&self, sizes: &[usize], to: &mut Emit) -> Result<(), ArchitectureError> {
        // An entry may be undefined: two words each.
        let entries = self.each().zip(sizes).map(|(a, size)| 2 * a.windows(*size) * a.window).sum();
        to.charge("the maps of the windows", entries)
    }

    /// Whether every window holds a place that is no padding.
    pub(super) fn filled(&self, at: &Place, first: usize, sizes: &[usize]) -> Result<(), ArchitectureError> {
        for (axis, (along, size)) in self.each().zip(sizes).enumerate() {
            let empty = (0..along.windows(*size)).find(|window| along.held(*window, *size) == 0);
            if let Some(window) = empty {
                return at.fault(LayerFault::Padding { axis: first + axis, window });
            }
        }
        Ok(())
    }
}

impl Along {
    /// The places from the first of a window to its last.
    pub(super) fn span(&self) -> usize {
        self.dilation * (self.window - 1) + 1
    }

    /// How many windows there are, of which verification has found one.
    pub(super) fn windows(&self, size: usize) -> usize {
        (self.low + size + self.high - self.span()) / self.stride + 1
    }

    /// The place of the input that place `k` of a window is, if it is no padding.
    pub(super) fn place(&self, window: usize, k: usize, size: usize) -> Option<usize> {
        (self.stride * window + self.dilation * k).checked_sub(self.low).filter(|place| *place < size)
    }

    /// How many places of a window are no padding.
    pub(super) fn held(&self, window: usize, size: usize) -> usize {
        // The first of them, and the first past them, counted from the beginning of the padding.
        let start = self.stride * window;
        let from = self.low.saturating_sub(start).div_ceil(self.dilation);
        let to = (self.low + size).saturating_sub(start).div_ceil(self.dilation).min(self.window);
        to.saturating_sub(from)
    }

    /// The map from window and place of it to place of the input.
    pub(super) fn map(&self, out: usize, size: usize) -> IndexData {
        index_data((0..out * self.window).map(|at| self.place(at / self.window, at % self.window, size)).collect())
    }
}

/// A table where the map is defined everywhere.
pub(super) fn index_data(partial: Vec<Option<usize>>) -> IndexData {
    match partial.iter().copied().collect::<Option<Vec<usize>>>() {
        Some(table) => IndexData::Table(table),
        None => IndexData::Partial(partial),
    }
}

#[cfg(feature = "json")]
pub(super) fn one() -> usize {
    1
}
