//! Layers that arrange axes and compute nothing.

use super::emit::{Emit, Emitted};
use super::error::{ArchitectureError, LayerFault};
use super::signature::Place;
use crate::operation::Shape;
use crate::program::ValueId;

/// Other sizes for the axes after the first.
pub(super) struct Reshape;

impl Reshape {
    pub(super) fn flat(at: &Place, input: &Shape) -> Result<Shape, ArchitectureError> {
        match input.sizes() {
            [] => at.fault(LayerFault::Rank { expected: "one axis or more".to_owned(), found: input.clone() }),
            [batch, rest @ ..] => Ok(Shape::new(&[*batch, rest.iter().product()])),
        }
    }

    pub(super) fn to(at: &Place, input: &Shape, sizes: &[usize]) -> Result<Shape, ArchitectureError> {
        let Some(batch) = input.sizes().first() else {
            return at.fault(LayerFault::Rank { expected: "one axis or more".to_owned(), found: input.clone() });
        };
        let shape = at.shape("the result", &[&[*batch], sizes].concat())?;
        if shape.elements() != input.elements() {
            return at.fault(LayerFault::Elements { given: input.clone(), found: shape });
        }
        Ok(shape)
    }

    pub(super) fn emit_flat(x: ValueId, to: &mut Emit) -> Emitted {
        let sizes = to.sizes(x);
        to.reshape(x, &[sizes[0], sizes[1..].iter().product()])
    }

    pub(super) fn emit(x: ValueId, sizes: &[usize], to: &mut Emit) -> Emitted {
        let batch = to.sizes(x)[0];
        to.reshape(x, &[&[batch], sizes].concat())
    }
}

/// The axes in another order.
pub(super) struct Permute;

impl Permute {
    pub(super) fn output(at: &Place, input: &Shape, order: &[usize]) -> Result<Shape, ArchitectureError> {
        let rank = input.rank();
        at.count("order", rank, order.len())?;
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..rank) {
            return at.fault(LayerFault::Permutation { rank });
        }
        let sizes: Vec<usize> = order.iter().map(|axis| input.sizes()[*axis]).collect();
        Ok(Shape::new(&sizes))
    }
}
