//! Layers made of layers: sequence, residual, parallel, product.

use super::emit::Emit;
use super::error::{ArchitectureError, LayerFault};
use super::layer::{Layer, Walk};
use super::signature::{Place, Scope};
use crate::operation::Shape;
use crate::program::ValueId;

/// How the arrays of a tuple become one, or stay a tuple.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(
        rename_all = "snake_case",
        expecting = "a join: `tuple`, `add`, `multiply`, or an object with `concatenate` and its axis"
    )
)]
pub enum Join {
    /// They stay a tuple.
    Tuple,
    /// One after the other along this axis; the other axes agree.
    Concatenate(usize),
    /// Their sum; all have one shape.
    Add,
    /// Their product, element by element; all have one shape.
    Multiply,
}

/// Several layers of one input.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Parallel {
    /// The layers; their paths are `branches.0`, `branches.1` and so on.
    pub branches: Vec<Layer>,
    /// What becomes of their results.
    pub join: Join,
}

impl Join {
    pub(super) fn outputs(self, at: &Place, inputs: &[Shape]) -> Walk<Shape> {
        if self == Join::Tuple {
            return Ok(inputs.to_vec());
        }
        let Some((first, rest)) = inputs.split_first() else {
            return at.fault(LayerFault::Tuple { expected: "one array or more".to_owned(), found: 0 });
        };
        let Join::Concatenate(axis) = self else {
            for (k, shape) in rest.iter().enumerate() {
                same(at, &format!("array {}", k + 1), first, shape)?;
            }
            return Ok(vec![first.clone()]);
        };
        at.axes("concatenate", &[axis], first.rank())?;
        let mut sizes = first.sizes().to_vec();
        for (k, shape) in rest.iter().enumerate() {
            let mut expected = first.sizes().to_vec();
            expected[axis] = shape.sizes().get(axis).copied().unwrap_or(expected[axis]);
            same(at, &format!("array {}", k + 1), &Shape::new(&expected), shape)?;
            sizes[axis] = sizes[axis].saturating_add(shape.sizes()[axis]);
        }
        Ok(vec![at.shape("the result", &sizes)?])
    }
}

fn same(at: &Place, what: &str, expected: &Shape, found: &Shape) -> Result<(), ArchitectureError> {
    if expected == found {
        return Ok(());
    }
    at.fault(LayerFault::Shape { what: what.to_owned(), expected: expected.clone(), found: found.clone() })
}

pub(super) fn joined(join: Join, values: &[ValueId], to: &mut Emit) -> Walk<ValueId> {
    let name = match join {
        Join::Tuple => return Ok(values.to_vec()),
        Join::Concatenate(axis) => return Ok(vec![to.concatenation(values, axis)?]),
        Join::Add => "add",
        Join::Multiply => "multiply",
    };
    let mut sum = values[0];
    for value in &values[1..] {
        sum = to.each(name, &[sum, *value])?;
    }
    Ok(vec![sum])
}

impl Parallel {
    pub(super) fn outputs(&self, at: &Place, inputs: &[Shape], scope: &mut Scope) -> Walk<Shape> {
        if self.branches.is_empty() {
            return at.fault(LayerFault::Nothing { what: "branches" });
        }
        let mut shapes = Vec::new();
        for (k, branch) in self.branches.iter().enumerate() {
            shapes.extend(branch.outputs(&at.child(format_args!("branches.{k}")), inputs, scope)?);
            at.tuple(shapes.len())?;
        }
        self.join.outputs(at, &shapes)
    }

    pub(super) fn emit(&self, at: &Place, inputs: &[ValueId], to: &mut Emit) -> Walk<ValueId> {
        let mut values = Vec::new();
        for (k, branch) in self.branches.iter().enumerate() {
            values.extend(branch.emit(&at.child(format_args!("branches.{k}")), inputs, to)?);
        }
        joined(self.join, &values, to)
    }
}

/// `x + f(x)`, array by array.
pub(super) mod residual {
    use super::*;

    pub(in super::super) fn outputs(inner: &Layer, at: &Place, inputs: &[Shape], scope: &mut Scope) -> Walk<Shape> {
        let outputs = inner.outputs(&at.child("inner"), inputs, scope)?;
        if outputs.len() != inputs.len() {
            let expected = format!("as many arrays as its inner layer gives, {}", outputs.len());
            return at.fault(LayerFault::Tuple { expected, found: inputs.len() });
        }
        for (input, output) in inputs.iter().zip(&outputs) {
            same(at, "the result of the inner layer", input, output)?;
        }
        Ok(outputs)
    }

    pub(in super::super) fn emit(inner: &Layer, at: &Place, inputs: &[ValueId], to: &mut Emit) -> Walk<ValueId> {
        let outputs = inner.emit(&at.child("inner"), inputs, to)?;
        inputs.iter().zip(outputs).map(|(x, y)| to.each("add", &[*x, y])).collect()
    }
}

/// One layer after the other.
pub(super) mod sequence {
    use super::*;

    pub(in super::super) fn outputs(layers: &[Layer], at: &Place, inputs: &[Shape], scope: &mut Scope) -> Walk<Shape> {
        let mut shapes = inputs.to_vec();
        for (k, layer) in layers.iter().enumerate() {
            shapes = layer.outputs(&at.child(k), &shapes, scope)?;
        }
        Ok(shapes)
    }

    pub(in super::super) fn emit(layers: &[Layer], at: &Place, inputs: &[ValueId], to: &mut Emit) -> Walk<ValueId> {
        let mut values = inputs.to_vec();
        for (k, layer) in layers.iter().enumerate() {
            values = layer.emit(&at.child(k), &values, to)?;
        }
        Ok(values)
    }
}

/// A layer for each array of a tuple.
pub(super) mod product {
    use super::*;

    pub(in super::super) fn outputs(layers: &[Layer], at: &Place, inputs: &[Shape], scope: &mut Scope) -> Walk<Shape> {
        if layers.len() != inputs.len() {
            let expected = format!("as many arrays as it has parts, {}", layers.len());
            return at.fault(LayerFault::Tuple { expected, found: inputs.len() });
        }
        let mut shapes = Vec::new();
        for (k, (layer, input)) in layers.iter().zip(inputs).enumerate() {
            let at = at.child(format_args!("parts.{k}"));
            shapes.extend(layer.outputs(&at, std::slice::from_ref(input), scope)?);
            at.tuple(shapes.len())?;
        }
        Ok(shapes)
    }

    pub(in super::super) fn emit(layers: &[Layer], at: &Place, inputs: &[ValueId], to: &mut Emit) -> Walk<ValueId> {
        let mut values = Vec::new();
        for (k, (layer, input)) in layers.iter().zip(inputs).enumerate() {
            let at = at.child(format_args!("parts.{k}"));
            values.extend(layer.emit(&at, std::slice::from_ref(input), to)?);
        }
        Ok(values)
    }
}
