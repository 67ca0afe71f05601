//! What has no input of its own: rows of a table at fixed indices, and what is added by position.

use super::emit::{Emit, Emitted, LITERAL};
use super::error::{ArchitectureError, LayerFault};
use super::signature::{Place, Role, Scope};
use crate::operation::{Array, Binding, Elements, IndexData, Literal, Shape};
use crate::program::ValueId;

/// Rows of the parameter `table[vocabulary, features]` at fixed indices: a fixed gather.
///
/// A row that is read twice gets both cotangents.
/// What the layer is given is discarded, so that an embedding may stand at the beginning of a sequence or in a branch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Embedding {
    /// Rows of the table.
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub vocabulary: usize,
    /// The size of a row.
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub features: usize,
    /// The sizes of the array of indices; the result has one more axis, of the features.
    #[cfg_attr(feature = "json", schemars(inner(range(min = 1))))]
    pub shape: Vec<usize>,
    /// The row at each place, in row-major order.
    pub indices: Vec<usize>,
}

impl Embedding {
    pub(super) fn output(&self, at: &Place, scope: &mut Scope) -> Result<Shape, ArchitectureError> {
        at.positive("vocabulary", self.vocabulary)?;
        at.positive("features", self.features)?;
        let shape = at.shape("shape", &self.shape)?;
        at.count("indices", shape.elements(), self.indices.len())?;
        if let Some(position) = self.indices.iter().position(|index| *index >= self.vocabulary) {
            let (index, size) = (self.indices[position], self.vocabulary);
            return at.fault(LayerFault::Index { what: "indices", position, index, size });
        }
        scope.parameter(at, "table", &[self.vocabulary, self.features], Role::Table)?;
        at.shape("the result", &[&self.shape[..], &[self.features]].concat())
    }

    pub(super) fn emit(&self, at: &Place, to: &mut Emit) -> Emitted {
        let table = to.parameter(at, "table")?;
        let binding = Binding {
            dims: vec![vec![self.indices.len()], vec![self.vocabulary], vec![self.features]],
            maps: vec![IndexData::Table(self.indices.clone())],
            ..Binding::default()
        };
        let rows = to.with("gather", binding, &[table])?;
        to.reshape(rows, &[&self.shape[..], &[self.features]].concat())
    }
}

/// An array `[t, f]` added to the last two axes of `[.., t, f]`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "snake_case", expecting = "positions: `sinusoidal`, `learned`, or an object with `table`")
)]
pub enum Positional {
    /// `sin(p / 10000^(2k/f))` at feature `2k`, the cosine of the same at `2k + 1` (Vaswani et al. 2017). A constant.
    Sinusoidal,
    /// A constant.
    Table(Array),
    /// The parameter `table[t, f]`.
    Learned,
}

impl Positional {
    pub(super) fn output(&self, at: &Place, input: &Shape, scope: &mut Scope) -> Result<Shape, ArchitectureError> {
        let [.., t, f] = *input.sizes() else {
            return at.fault(LayerFault::Rank { expected: "two axes or more".to_owned(), found: input.clone() });
        };
        match self {
            Positional::Sinusoidal => {}
            Positional::Learned => scope.parameter(at, "table", &[t, f], Role::Table)?,
            Positional::Table(array) => table(at, array, &Shape::new(&[t, f]))?,
        }
        Ok(input.clone())
    }

    pub(super) fn emit(&self, at: &Place, x: ValueId, to: &mut Emit) -> Emitted {
        let sizes = to.sizes(x);
        let rank = sizes.len();
        let table = match self {
            Positional::Sinusoidal => {
                let shape = Shape::new(&sizes[rank - 2..]);
                to.charge("the table of positions", shape.elements().saturating_mul(LITERAL))?;
                let values = sinusoids(sizes[rank - 2], sizes[rank - 1]);
                to.constant(Array::floats(shape, &values))?
            }
            Positional::Table(array) => to.constant(array.clone())?,
            Positional::Learned => to.parameter(at, "table")?,
        };
        let table = to.spread(table, &[rank - 2, rank - 1], &sizes)?;
        to.each("add", &[x, table])
    }
}

fn table(at: &Place, array: &Array, expected: &Shape) -> Result<(), ArchitectureError> {
    if array.shape != *expected {
        let (expected, found) = (expected.clone(), array.shape.clone());
        return at.fault(LayerFault::Shape { what: "the table".to_owned(), expected, found });
    }
    let literals: &[Literal] = match &array.elements {
        Elements::Splat(literal) => std::slice::from_ref(literal),
        Elements::Each(all) => {
            at.count("table", expected.elements(), all.len())?;
            all
        }
    };
    literals.iter().try_for_each(|literal| at.finite("table", literal))
}

fn sinusoids(positions: usize, features: usize) -> Vec<f64> {
    let mut values = Vec::with_capacity(positions * features);
    for position in 0..positions {
        for feature in 0..features {
            let rate = 10_000_f64.powf(-((feature / 2 * 2) as f64) / features as f64);
            let angle = position as f64 * rate;
            values.push(if feature % 2 == 0 { angle.sin() } else { angle.cos() });
        }
    }
    values
}
