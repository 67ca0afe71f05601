//! The two readings of a lowering: over symbolic dimensions, and over sizes.

use pullback_kernel::eval;
use pullback_kernel::statement::{DimId, MapId, MapKind, Statement, Tensor};
use pullback_kernel::{Argument, Composer, Fixed, Rational, Substitution};

use super::LowerError;
use crate::operation::{Array, Binding, IndexData, Literal, Operation, Operator, Shape};
use crate::program::{Builder, ValueId};

/// Elements of a map as a matrix, at most: each is an exact number.
const MATRIX: usize = 1 << 22;

/// A value of a lowering, in the numbering of its reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value(usize);

/// What a core operation is applied with: declarations of the fused statement.
#[derive(Clone, Debug, Default)]
pub(super) struct With {
    pub(super) dims: Vec<Vec<DimId>>,
    pub(super) maps: Vec<MapId>,
    pub(super) constants: Vec<Fixed>,
}

/// A reading.
pub(super) trait Stage {
    fn input(&self, k: u32) -> Value;
    fn axes(&self, value: Value) -> Vec<DimId>;
    fn apply(&mut self, name: &str, with: With, arguments: &[Value]) -> Result<Value, LowerError>;
}

/// Over symbolic dimensions: one statement.
pub(super) struct Symbolic {
    name: &'static str,
    composer: Composer,
    values: Vec<Tensor>,
}

impl Symbolic {
    pub(super) fn new(name: &'static str, fused: &Statement) -> Symbolic {
        let composer = Composer::like(fused, &format!("{name}_lowered"));
        let values = (0..fused.inputs().len() as u32).map(Tensor::Input).collect();
        Symbolic { name, composer, values }
    }

    pub(super) fn finish(self, outputs: &[Value]) -> Statement {
        let outputs: Vec<Tensor> = outputs.iter().map(|v| self.values[v.0]).collect();
        self.composer.finish(&outputs)
    }
}

impl Stage for Symbolic {
    fn input(&self, k: u32) -> Value {
        Value(k as usize)
    }

    fn axes(&self, value: Value) -> Vec<DimId> {
        self.composer.axes(self.values[value.0])
    }

    fn apply(&mut self, name: &str, with: With, arguments: &[Value]) -> Result<Value, LowerError> {
        let part = Operator::library(name)?;
        let arguments: Vec<Tensor> = arguments.iter().map(|v| self.values[v.0]).collect();
        let With { dims, maps, constants } = with;
        let substitution = Substitution { dims, params: Vec::new(), maps, constants };
        let applied = self.composer.apply(part.statement(), &substitution, &arguments);
        let results = applied.map_err(|error| LowerError::Compose { operator: self.name.to_owned(), error })?;
        self.values.extend(results);
        Ok(Value(self.values.len() - 1))
    }
}

/// Over sizes: instructions of a program.
pub(super) struct Concrete<'a> {
    fused: &'a Operation,
    builder: &'a mut Builder,
    /// Each value with its axes.
    values: Vec<(ValueId, Vec<DimId>)>,
}

impl<'a> Concrete<'a> {
    pub(super) fn new(fused: &'a Operation, arguments: &[ValueId], builder: &'a mut Builder) -> Concrete<'a> {
        let inputs = fused.statement().inputs().iter().map(|t| t.axes.clone());
        let values = arguments.iter().copied().zip(inputs).collect();
        Concrete { fused, builder, values }
    }

    pub(super) fn values(&self, outputs: &[Value]) -> Vec<ValueId> {
        outputs.iter().map(|v| self.values[v.0].0).collect()
    }

    fn sizes(&self, dims: &[DimId]) -> Vec<usize> {
        dims.iter().flat_map(|d| &self.fused.binding().dims[d.0 as usize]).copied().collect()
    }

    /// The values of a map of the fused statement, the parts of splits included.
    fn table(&self, map: MapId) -> IndexData {
        let statement = self.fused.statement();
        let declared = &statement.maps()[map.0 as usize];
        if let MapKind::Total | MapKind::Partial | MapKind::Bijection = declared.kind {
            let given = |m: &&pullback_kernel::statement::Map| !matches!(m.kind, MapKind::Part { .. });
            let before = statement.maps()[..map.0 as usize].iter().filter(given).count();
            return self.fused.binding().maps[before].clone();
        }
        IndexData::Table(self.fused.tables()[map.0 as usize].iter().flatten().copied().collect())
    }

    fn literal(&self, value: &Argument) -> Literal {
        let positions = |dims: &[DimId]| Rational::from_integer(self.sizes(dims).iter().product::<usize>().into());
        match value {
            Argument::Number(q) => Literal::Exact(q.clone()),
            Argument::Param(p) => self.fused.binding().params[p.0 as usize].clone(),
            Argument::Positions(dims) => Literal::Exact(positions(dims)),
            Argument::PerPosition(dims) => Literal::Exact(positions(dims).recip()),
        }
    }
}

impl Stage for Concrete<'_> {
    fn input(&self, k: u32) -> Value {
        Value(k as usize)
    }

    fn axes(&self, value: Value) -> Vec<DimId> {
        self.values[value.0].1.clone()
    }

    fn apply(&mut self, name: &str, with: With, arguments: &[Value]) -> Result<Value, LowerError> {
        let operator = Operator::library(name)?;
        let statement = operator.statement();
        let flat = |axes: &[DimId]| axes.iter().flat_map(|d| &with.dims[d.0 as usize]).copied().collect::<Vec<_>>();
        let axes = flat(&statement.outputs()[0].tensor.axes);
        let constant = |(declared, fixed): (&pullback_kernel::statement::TensorDecl, &Fixed)| match fixed {
            Fixed::Constant(k) => self.fused.binding().constants[*k as usize].clone(),
            Fixed::Splat(value) => Array::splat(Shape::new(&self.sizes(&flat(&declared.axes))), self.literal(value)),
        };
        let binding = Binding {
            dims: with.dims.iter().map(|dims| self.sizes(dims)).collect(),
            params: Vec::new(),
            maps: with.maps.iter().map(|m| self.table(*m)).collect(),
            constants: statement.constants().iter().zip(&with.constants).map(constant).collect(),
        };
        let wrong = |fault: String| LowerError::Data { operator: self.fused.operator().name().to_owned(), fault };
        let operation = Operation::new(operator.clone(), binding, self.builder.limits())
            .map_err(|faults| wrong(faults.first().map(ToString::to_string).unwrap_or_default()))?;
        // A map as a matrix is a constant: its numbers are those that the statement says.
        let operation = if name == "one_hot" {
            let (elements, limit) = (operation.outputs()[0].elements(), MATRIX);
            if elements > limit {
                let operator = self.fused.operator().name().to_owned();
                return Err(LowerError::Large { operator, elements, limit });
            }
            let values = eval::forward::<Rational>(operation.statement(), &operation.point(Vec::new()))
                .map_err(|error| wrong(error.to_string()))?;
            let shape = operation.outputs()[0].clone();
            let constants = vec![Array::rationals(shape.clone(), &values.outputs[0])];
            let binding = Binding { dims: vec![shape.sizes().to_vec()], constants, ..Binding::default() };
            Operation::new(Operator::library("constant")?, binding, self.builder.limits())
                .map_err(|faults| wrong(faults.first().map(ToString::to_string).unwrap_or_default()))?
        } else {
            operation
        };
        let arguments: Vec<ValueId> = arguments.iter().map(|v| self.values[v.0].0).collect();
        let result = self.builder.apply(operation, &arguments)?;
        self.values.push((result[0], axes));
        Ok(Value(self.values.len() - 1))
    }
}

/// The words that lowerings are written in.
pub(super) struct Lower<'a> {
    fused: &'a Statement,
    stage: &'a mut dyn Stage,
}

type Lowered = Result<Value, LowerError>;

impl<'a> Lower<'a> {
    pub(super) fn new(fused: &'a Statement, stage: &'a mut dyn Stage) -> Lower<'a> {
        Lower { fused, stage }
    }

    /// A dimension of the fused statement, by name. Names are those of the library's own text.
    pub(super) fn dim(&self, name: &str) -> DimId {
        let at = self.fused.dims().iter().position(|d| d.name.text == name);
        DimId(at.unwrap_or(usize::MAX) as u32)
    }

    pub(super) fn dims<const K: usize>(&self, names: [&str; K]) -> [DimId; K] {
        names.map(|name| self.dim(name))
    }

    pub(super) fn input(&self, name: &str) -> Value {
        let at = self.fused.inputs().iter().position(|t| t.name.text == name);
        self.stage.input(at.unwrap_or(usize::MAX) as u32)
    }

    pub(super) fn param(&self, name: &str) -> Argument {
        let at = self.fused.params().iter().position(|p| p.name.text == name);
        Argument::Param(pullback_kernel::statement::ParamId(at.unwrap_or(usize::MAX) as u32))
    }

    pub(super) fn map(&self, name: &str) -> MapId {
        let at = self.fused.maps().iter().position(|m| m.name.text == name);
        MapId(at.unwrap_or(usize::MAX) as u32)
    }

    pub(super) fn axes(&self, value: Value) -> Vec<DimId> {
        self.stage.axes(value)
    }

    /// A constant of the fused statement, as a value.
    pub(super) fn constant(&mut self, name: &str) -> Lowered {
        let at = self.fused.constants().iter().position(|t| t.name.text == name).unwrap_or(usize::MAX);
        let axes = self.fused.constants().get(at).map(|t| t.axes.clone()).unwrap_or_default();
        let with = With { dims: vec![axes], constants: vec![Fixed::Constant(at as u32)], ..With::default() };
        self.stage.apply("constant", with, &[])
    }

    /// One number at every place of these axes.
    pub(super) fn splat(&mut self, axes: &[DimId], value: Argument) -> Lowered {
        let with = With { dims: vec![axes.to_vec()], constants: vec![Fixed::Splat(value)], ..With::default() };
        self.stage.apply("constant", with, &[])
    }

    fn elementwise(&mut self, name: &str, arguments: &[Value]) -> Lowered {
        let with = With { dims: vec![self.axes(arguments[0])], ..With::default() };
        self.stage.apply(name, with, arguments)
    }

    pub(super) fn exp(&mut self, x: Value) -> Lowered {
        self.elementwise("exponential", &[x])
    }

    pub(super) fn tanh(&mut self, x: Value) -> Lowered {
        self.elementwise("tanh", &[x])
    }

    pub(super) fn recip(&mut self, x: Value) -> Lowered {
        self.elementwise("reciprocal", &[x])
    }

    pub(super) fn rsqrt(&mut self, x: Value) -> Lowered {
        self.elementwise("rsqrt", &[x])
    }

    pub(super) fn add(&mut self, x: Value, y: Value) -> Lowered {
        self.elementwise("add", &[x, y])
    }

    pub(super) fn mul(&mut self, x: Value, y: Value) -> Lowered {
        self.elementwise("multiply", &[x, y])
    }

    /// A value times one number.
    pub(super) fn scale(&mut self, x: Value, by: Argument) -> Lowered {
        let by = self.splat(&self.axes(x), by)?;
        self.mul(x, by)
    }

    pub(super) fn times(&mut self, x: Value, numerator: i64, denominator: i64) -> Lowered {
        self.scale(x, Argument::Number(Rational::new(numerator.into(), denominator.into())))
    }

    pub(super) fn plus(&mut self, x: Value, by: Argument) -> Lowered {
        let by = self.splat(&self.axes(x), by)?;
        self.add(x, by)
    }

    pub(super) fn plus_one(&mut self, x: Value) -> Lowered {
        self.plus(x, Argument::Number(Rational::from_integer(1.into())))
    }

    pub(super) fn sub(&mut self, x: Value, y: Value) -> Lowered {
        let y = self.times(y, -1, 1)?;
        self.add(x, y)
    }

    pub(super) fn square(&mut self, x: Value) -> Lowered {
        self.mul(x, x)
    }

    /// The value with further axes, along which it repeats. Its own stand among `to` in their order.
    pub(super) fn spread(&mut self, x: Value, to: &[DimId]) -> Lowered {
        let mut x = x;
        let mut from = self.axes(x);
        let mut at = 0;
        while at < to.len() {
            if from.get(at) == Some(&to[at]) {
                at += 1;
                continue;
            }
            // A run of axes that are not there.
            let next = from.get(at);
            let run = to[at..].iter().take_while(|d| Some(*d) != next).count();
            let with = With {
                dims: vec![from[..at].to_vec(), to[at..at + run].to_vec(), from[at..].to_vec()],
                ..With::default()
            };
            x = self.stage.apply("broadcast_in_dim_axis", with, &[x])?;
            from.splice(at..at, to[at..at + run].iter().copied());
            at += run;
        }
        Ok(x)
    }

    /// The value with one further axis at this place among those of the statement, along which it repeats.
    /// Unlike [`spread`](Lower::spread) also where it has such an axis already.
    pub(super) fn repeat(&mut self, x: Value, at: usize, dim: DimId) -> Lowered {
        let axes = self.axes(x);
        let with = With { dims: vec![axes[..at].to_vec(), vec![dim], axes[at..].to_vec()], ..With::default() };
        self.stage.apply("broadcast_in_dim_axis", with, &[x])
    }

    /// The sum over axes, wherever they stand.
    pub(super) fn sum(&mut self, x: Value, over: &[DimId]) -> Lowered {
        let mut x = x;
        for dim in over.iter().rev() {
            let axes = self.axes(x);
            let at = axes.iter().position(|d| d == dim).unwrap_or(axes.len());
            let after = axes.get(at + 1..).unwrap_or_default().to_vec();
            let with = With { dims: vec![axes[..at].to_vec(), vec![*dim], after], ..With::default() };
            x = self.stage.apply("reduce_sum_axis", with, &[x])?;
        }
        Ok(x)
    }

    pub(super) fn mean(&mut self, x: Value, over: &[DimId]) -> Lowered {
        let sum = self.sum(x, over)?;
        self.scale(sum, Argument::PerPosition(over.to_vec()))
    }

    /// The product of two values at each place of `all`, summed over some of it.
    pub(super) fn contract(&mut self, x: Value, y: Value, all: &[DimId], over: &[DimId]) -> Lowered {
        let (x, y) = (self.spread(x, all)?, self.spread(y, all)?);
        let product = self.mul(x, y)?;
        self.sum(product, over)
    }

    /// The matrix product of two inputs.
    pub(super) fn matmul(&mut self, x: &str, y: &str, dims: [&str; 3]) -> Lowered {
        let dims = self.dims(dims).map(|d| vec![d]).to_vec();
        let arguments = [self.input(x), self.input(y)];
        self.stage.apply("matmul", With { dims, ..With::default() }, &arguments)
    }

    /// A map as a matrix, `[v == at(i..)]` at `i.., v`.
    pub(super) fn one_hot(&mut self, map: MapId) -> Lowered {
        let declared = &self.fused.maps()[map.0 as usize];
        let with = With { dims: vec![declared.from.clone(), vec![declared.to]], maps: vec![map], ..With::default() };
        self.stage.apply("one_hot", with, &[])
    }

    /// The last axis read through a map.
    pub(super) fn slice(&mut self, x: Value, map: MapId) -> Lowered {
        let declared = &self.fused.maps()[map.0 as usize];
        let (from, to) = (declared.from.clone(), declared.to);
        let mut axes = self.axes(x);
        axes.pop();
        let with = With { dims: vec![axes, from, vec![to]], maps: vec![map], ..With::default() };
        self.stage.apply("slice", with, &[x])
    }
}
