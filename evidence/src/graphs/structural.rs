//! The graph of structure and reciprocals: every schema that moves elements, and a reciprocal in between.

use std::sync::Arc;

use pullback_kernel::Rational;
use pullback_program::random::Random;
use pullback_program::{
    Array, Binding, Builder, DynProgram, IndexData, Limits, Literal, Operation, Operator, Shape, ValueId,
};

use super::{Graph, of_shape};

/// Applies operations of the library by name.
pub(crate) struct Hand(Builder);

impl Hand {
    pub(crate) fn new() -> Hand {
        Hand(Builder::new(Limits::default()))
    }

    pub(crate) fn input(&mut self, name: &str, sizes: &[usize]) -> Result<ValueId, String> {
        self.0.input(name, Shape::new(sizes)).map_err(|error| error.to_string())
    }

    /// The first result of an operation.
    pub(crate) fn apply(&mut self, name: &str, binding: Binding, arguments: &[ValueId]) -> Result<ValueId, String> {
        let operator = Operator::library(name).map_err(|error| error.to_string())?;
        self.with(operator, binding, arguments)
    }

    /// The first result of an operation that is not the library's.
    pub(crate) fn with(
        &mut self,
        operator: Arc<Operator>,
        binding: Binding,
        arguments: &[ValueId],
    ) -> Result<ValueId, String> {
        let name = operator.statement().name().text.clone();
        let list = |faults: Vec<_>| {
            let words: Vec<String> =
                faults.iter().map(|fault: &pullback_program::OperationFault| fault.to_string()).collect();
            format!("{name}: {}", words.join("; "))
        };
        let operation = Operation::new(operator, binding, &Limits::default()).map_err(list)?;
        let results = self.0.apply(operation, arguments).map_err(|error| error.to_string())?;
        results.first().copied().ok_or_else(|| format!("{name} has no result"))
    }

    /// An operation of dimensions alone.
    pub(crate) fn plain(&mut self, name: &str, dims: &[&[usize]], arguments: &[ValueId]) -> Result<ValueId, String> {
        self.apply(name, sized(dims), arguments)
    }

    pub(crate) fn finish(mut self, outputs: &[ValueId]) -> DynProgram {
        for (k, value) in outputs.iter().enumerate() {
            self.0.output(&if outputs.len() == 1 { "y".to_owned() } else { format!("y{k}") }, *value);
        }
        self.0.finish()
    }
}

/// A binding of dimensions alone.
pub(crate) fn sized(dims: &[&[usize]]) -> Binding {
    Binding { dims: dims.iter().map(|sizes| sizes.to_vec()).collect(), ..Binding::default() }
}

/// A binding of dimensions and one index map.
pub(crate) fn mapped(dims: &[&[usize]], map: &[usize]) -> Binding {
    Binding { maps: vec![IndexData::Table(map.to_vec())], ..sized(dims) }
}

/// The graph, at a random point.
pub(super) fn graph(seed: u64) -> Result<Graph, String> {
    let name = format!("structure and reciprocals, {seed}");
    let program = program().map_err(|error| format!("{name}: {error}"))?;
    let mut random = Random(seed);
    let inputs = program.inputs().iter().map(|input| of_shape(&mut random, &input.shape, 1.0)).collect();
    Ok(Graph { name, program, inputs, seed })
}

fn program() -> Result<DynProgram, String> {
    let mut hand = Hand::new();
    let (x, w) = (hand.input("x", &[3, 4])?, hand.input("w", &[4])?);
    // Twice as many rows, some of them twice, their columns turned around and moved.
    let rows = hand.apply("gather", mapped(&[&[6], &[3], &[4]], &[2, 0, 1, 1, 0, 2]), &[x])?;
    let mirrored = hand.apply("reverse", mapped(&[&[6], &[4]], &[3, 2, 1, 0]), &[rows])?;
    let permuted = hand.apply("permute", mapped(&[&[6], &[4]], &[1, 3, 0, 2]), &[mirrored])?;
    // 1 / (1 + x²) is defined everywhere.
    let square = hand.plain("square", &[&[6, 4]], &[permuted])?;
    let params = vec![Literal::integer(1)];
    let shifted = hand.apply("shift", Binding { params, ..sized(&[&[6, 4]]) }, &[square])?;
    let reciprocal = hand.plain("reciprocal", &[&[6, 4]], &[shifted])?;
    let spread = hand.plain("broadcast_in_dim_leading", &[&[6], &[4]], &[w])?;
    let product = hand.plain("multiply", &[&[6, 4]], &[reciprocal, spread])?;
    // In two parts, put together the other way round, padded, and as one row.
    let left = hand.apply("slice", mapped(&[&[6], &[1], &[4]], &[0]), &[product])?;
    let right = hand.apply("slice", mapped(&[&[6], &[3], &[4]], &[1, 2, 3]), &[product])?;
    let joined = hand.plain("concatenate", &[&[6], &[3], &[1], &[4]], &[right, left])?;
    let params = vec![Literal::Exact(Rational::new(1.into(), 3.into()))];
    let padded = Binding { params, ..mapped(&[&[6], &[4], &[6]], &[1, 3, 4, 5]) };
    let padded = hand.apply("pad", padded, &[joined])?;
    let order = Binding { maps: vec![IndexData::RowMajor], ..sized(&[&[6, 6], &[36]]) };
    let flat = hand.apply("reshape", order, &[padded])?;
    let weights: Vec<Rational> = (0..36).map(|k| Rational::new((k - 17).into(), 7.into())).collect();
    let weights = vec![Array::rationals(Shape::new(&[36]), &weights)];
    let weights = hand.apply("constant", Binding { constants: weights, ..sized(&[&[36]]) }, &[])?;
    let weighted = hand.plain("multiply", &[&[36]], &[flat, weights])?;
    let total = hand.plain("reduce_sum", &[&[], &[36]], &[weighted])?;
    let diagonal = hand.plain("diagonal", &[&[], &[6]], &[padded])?;
    Ok(hand.finish(&[total, diagonal]))
}
