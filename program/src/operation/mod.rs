//! Operations: a statement with sizes, parameters and index data, ready to be applied to values.
//!
//! | type | what it is |
//! | --- | --- |
//! | [`Operator`] | a statement by name and content, or one derived from it |
//! | [`Operation`] | an operator with its [`Binding`]: sizes, parameters, index maps, constants |
//! | [`Shape`], [`Literal`], [`Array`], [`IndexData`] | the data |
//!
//! An [`Operation`] that exists is well-formed: [`Operation::new`] is the only way to one, and it reports every fault at once.
//! This module must never know a derivative: operators derived from a statement come from the kernel.

mod data;
mod fault;
mod operator;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pullback_kernel::eval::Point;
use pullback_kernel::statement::{DimId, Map, MapKind, Sign, Statement, Tensor};
use pullback_kernel::{Budget, Rational};

pub use data::{Array, Elements, IndexData, Literal, Shape};
pub use fault::OperationFault;
pub use operator::{Derivation, Digest, Operator, OperatorError, Standing, Wiring};
pub use pullback_kernel::eval::Number;

/// How large a program may be, and what may be spent on it. A program keeps those that it was made within:
/// its transforms and evaluations are held to them too, so that what is written can be read.
///
/// | limit | default | what is past it |
/// | --- | --- | --- |
/// | [`instructions`](Limits::instructions) | 2²⁴ | `more than … inputs`, `instructions` or `outputs` |
/// | [`elements`](Limits::elements) | 2²⁸ | an array of an operation, an input, a local |
/// | [`total`](Limits::total) | 2³¹ | the values of a program together |
/// | [`derivations`](Limits::derivations) | 8 | derivatives of derivatives |
/// | [`budget`](Limits::budget) | 2³⁰ units of work, 128 MiB | an evaluation, a plan, tables, arrays: before they are made |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Inputs, instructions and outputs, each.
    pub instructions: usize,
    /// Elements of one array.
    pub elements: usize,
    /// Elements of all values together.
    pub total: usize,
    /// How often an operator may be derived from a derived one.
    pub derivations: usize,
    /// What one evaluation or plan may cost.
    pub budget: Budget,
}

impl Limits {
    /// For programs that are written in code: their author knows what is asked for, and memory is the bound.
    pub const OF_CODE: Limits =
        Limits { instructions: 1 << 24, elements: 1 << 28, total: 1 << 31, derivations: 8, budget: Budget::UNLIMITED };
}

impl Default for Limits {
    /// Those of a document from anywhere: see the table.
    fn default() -> Self {
        Limits { budget: Budget::default(), ..Limits::OF_CODE }
    }
}

/// The data of an operation, in the order of the statement's declarations.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(
        default,
        deny_unknown_fields,
        expecting = "the data of an operation: an object with `dims`, `params`, `maps`, `constants`"
    )
)]
pub struct Binding {
    /// The sizes of each dimension: one, or any number for a pack.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"), schemars(inner(inner(range(min = 1)))))]
    pub dims: Vec<Vec<usize>>,
    /// The value of each parameter.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub params: Vec<Literal>,
    /// The values of each index map. The parts of splits are none: they follow from the sizes.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub maps: Vec<IndexData>,
    /// The constant arrays.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub constants: Vec<Array>,
}

/// An operator with its data. See the module docs.
#[derive(Clone, Debug)]
pub struct Operation {
    operator: Arc<Operator>,
    binding: Arc<Binding>,
    /// The operation that it is derived from, with the same binding.
    base: Option<Arc<Operation>>,
    sizes: Box<[usize]>,
    inputs: Box<[Shape]>,
    outputs: Box<[Shape]>,
}

impl PartialEq for Operation {
    fn eq(&self, other: &Self) -> bool {
        let same = Arc::ptr_eq(&self.operator, &other.operator);
        same && (Arc::ptr_eq(&self.binding, &other.binding) || self.binding == other.binding)
    }
}

impl Eq for Operation {}

impl Hash for Operation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.operator).hash(state);
        self.binding.hash(state);
    }
}

impl Operation {
    /// Applies a statement to data.
    ///
    /// # Errors
    ///
    /// All that is wrong with the data: counts, sizes, parameters, index maps, splits, constants.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback_program::{Binding, Limits, Operation, Operator};
    ///
    /// let matmul = Operator::library("matmul")?;
    /// let binding = Binding { dims: vec![vec![2], vec![3], vec![4]], ..Binding::default() };
    /// let operation = Operation::new(matmul, binding, &Limits::default()).expect("three positive sizes");
    /// assert_eq!(operation.inputs()[1].sizes(), [3, 4]);
    /// assert_eq!(operation.outputs()[0].sizes(), [2, 4]);
    /// # Ok::<(), pullback_program::OperatorError>(())
    /// ```
    pub fn new(operator: Arc<Operator>, binding: Binding, limits: &Limits) -> Result<Operation, Vec<OperationFault>> {
        let check = Check { statement: operator.statement(), binding: &binding, limits, faults: Vec::new() };
        let sizes = check.run()?;
        let (inputs, outputs) = signature(operator.statement(), &binding);
        Ok(Operation { operator, binding: binding.into(), base: None, sizes, inputs, outputs })
    }

    /// The operation of a derived operator, with the same data.
    ///
    /// # Errors
    ///
    /// As [`Operator::derive`].
    pub fn derive(self: &Arc<Self>, derivation: &Derivation) -> Result<Operation, OperatorError> {
        let operator = self.operator.derive(derivation)?;
        let (inputs, outputs) = signature(operator.statement(), &self.binding);
        let (binding, sizes) = (self.binding.clone(), self.sizes.clone());
        Ok(Operation { operator, binding, base: Some(self.clone()), sizes, inputs, outputs })
    }

    /// The operator.
    pub fn operator(&self) -> &Arc<Operator> {
        &self.operator
    }

    /// The statement of the operator.
    pub fn statement(&self) -> &Statement {
        self.operator.statement()
    }

    /// Its data.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// What it is derived from, if it is.
    pub fn base(&self) -> Option<&Arc<Operation>> {
        self.base.as_ref()
    }

    /// The number of positions of each dimension: the product of a pack's sizes.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The shapes of its inputs.
    pub fn inputs(&self) -> &[Shape] {
        &self.inputs
    }

    /// The shapes of its outputs.
    pub fn outputs(&self) -> &[Shape] {
        &self.outputs
    }

    /// The bytes of [`tables`](Operation::tables) and of the constants in numbers of so many bytes.
    pub(crate) fn data_bytes(&self, number: usize) -> u64 {
        let positions =
            |map: &Map| map.from.iter().fold(1u64, |n, d| n.saturating_mul(self.sizes[d.0 as usize] as u64));
        let entries = self.statement().maps().iter().map(positions).fold(0, u64::saturating_add);
        let constants = self.binding.constants.iter().map(|array| array.shape.elements() as u64);
        let constants = constants.fold(0, u64::saturating_add).saturating_mul(number as u64);
        entries.saturating_mul(size_of::<Option<usize>>() as u64).saturating_add(constants)
    }

    /// How many operations it is derived from, one after the other.
    pub(crate) fn derivations(&self) -> usize {
        std::iter::successors(self.base.as_ref(), |of| of.base.as_ref()).count()
    }

    /// The values of all index maps of the statement, the parts of splits included.
    pub fn tables(&self) -> Vec<Vec<Option<usize>>> {
        let statement = self.statement();
        let mut given = self.binding.maps.iter();
        let size = |dim: DimId| self.sizes[dim.0 as usize];
        let positions = |map: &Map| map.from.iter().map(|d| size(*d)).product();
        statement
            .maps()
            .iter()
            .map(|map| match map.kind {
                MapKind::Part { split, part } => {
                    let parts = &statement.splits()[split as usize].parts[..part as usize];
                    let before: usize = parts.iter().map(|m| positions(&statement.maps()[m.0 as usize])).sum();
                    (0..positions(map)).map(|k| Some(before + k)).collect()
                }
                _ => given.next().map(|data| data.table(positions(map))).unwrap_or_default(),
            })
            .collect()
    }

    /// The shape of a tensor of the statement with these axes.
    pub(crate) fn shape(&self, axes: &[DimId]) -> Shape {
        shape(&self.binding, axes)
    }

    /// Everything that the statement is evaluated at, for these inputs.
    pub fn point<N: Number>(&self, inputs: Vec<Vec<N>>) -> Point<N> {
        Point {
            sizes: self.sizes.to_vec(),
            maps: self.tables(),
            params: self.binding.params.iter().map(Literal::to).collect(),
            constants: self.binding.constants.iter().map(Array::to).collect(),
            inputs,
        }
    }
}

/// The shape of a tensor with these axes.
fn shape(binding: &Binding, axes: &[DimId]) -> Shape {
    let sizes: Vec<usize> = axes.iter().flat_map(|d| &binding.dims[d.0 as usize]).copied().collect();
    Shape::new(&sizes)
}

fn signature(statement: &Statement, binding: &Binding) -> (Box<[Shape]>, Box<[Shape]>) {
    let inputs = statement.inputs().iter().map(|t| shape(binding, &t.axes)).collect();
    let outputs = statement.outputs().iter().map(|t| shape(binding, &t.tensor.axes)).collect();
    (inputs, outputs)
}

/// The check of a binding against a statement.
struct Check<'a> {
    statement: &'a Statement,
    binding: &'a Binding,
    limits: &'a Limits,
    faults: Vec<OperationFault>,
}

impl Check<'_> {
    fn run(mut self) -> Result<Box<[usize]>, Vec<OperationFault>> {
        self.counts();
        // What follows looks at sizes by dimension.
        let sizes = self.dims().filter(|_| self.faults.is_empty());
        let Some(sizes) = sizes else { return Err(self.faults) };
        self.tensors();
        self.params();
        self.splits(&sizes);
        self.maps(&sizes);
        self.constants();
        if self.faults.is_empty() { Ok(sizes) } else { Err(self.faults) }
    }

    fn counts(&mut self) {
        let given = self.statement.maps().iter().filter(|m| !matches!(m.kind, MapKind::Part { .. })).count();
        for (what, expected, found) in [
            ("dimensions", self.statement.dims().len(), self.binding.dims.len()),
            ("parameters", self.statement.params().len(), self.binding.params.len()),
            ("maps", given, self.binding.maps.len()),
            ("constants", self.statement.constants().len(), self.binding.constants.len()),
        ] {
            if expected != found {
                self.faults.push(OperationFault::Count { what, expected, found });
            }
        }
    }

    fn dims(&mut self) -> Option<Box<[usize]>> {
        let mut sizes = Vec::new();
        for (dim, given) in self.statement.dims().iter().zip(&self.binding.dims) {
            let name = || dim.name.text.clone();
            if !dim.pack && given.len() != 1 {
                self.faults.push(OperationFault::Rank { dim: name(), found: given.len() });
            }
            if let Some(axis) = given.iter().position(|size| *size == 0) {
                self.faults.push(OperationFault::Empty { dim: name(), axis });
            }
            sizes.push(self.product(&name(), Shape::new(given))?);
        }
        Some(sizes.into())
    }

    /// The number of elements, if it is within the limits.
    fn product(&mut self, what: &str, shape: Shape) -> Option<usize> {
        let limit = self.limits.elements;
        let product = shape.checked_len().filter(|n| *n <= limit);
        if product.is_none() {
            self.faults.push(OperationFault::TooLarge { what: what.to_owned(), shape, limit });
        }
        product
    }

    fn tensors(&mut self) {
        let statement = self.statement;
        let named = |t: &pullback_kernel::statement::TensorDecl| (t.name.text.clone(), shape(self.binding, &t.axes));
        let locals = (0..statement.locals().len() as u32).map(Tensor::Local);
        let backward = (0..statement.backward_locals().len() as u32).map(Tensor::BackwardLocal);
        let all: Vec<(String, Shape)> = statement
            .inputs()
            .iter()
            .cloned()
            .chain(statement.outputs().iter().map(|o| o.tensor.clone()))
            .chain(locals.chain(backward).map(|t| statement.tensor(t)))
            .map(|t| named(&t))
            .collect();
        for (name, shape) in all {
            self.product(&name, shape);
        }
    }

    fn params(&mut self) {
        for (param, value) in self.statement.params().iter().zip(&self.binding.params) {
            if !value.is_finite() {
                self.faults.push(OperationFault::NotFinite { what: format!("parameter `{}`", param.name) });
                continue;
            }
            let (exact, zero) = (value.to::<Rational>(), Rational::from_integer(0.into()));
            let holds = match param.sign {
                None => true,
                Some(Sign::Positive) => exact > zero,
                Some(Sign::NonNegative) => exact >= zero,
                Some(Sign::NonZero) => exact != zero,
            };
            if let (Some(sign), false) = (param.sign, holds) {
                self.faults.push(OperationFault::Parameter {
                    param: param.name.text.clone(),
                    found: value.to_string(),
                    required: format!("{sign} 0"),
                });
            }
        }
    }

    fn splits(&mut self, sizes: &[usize]) {
        for split in self.statement.splits() {
            let size = sizes[split.whole.0 as usize];
            let of = |map: &Map| map.from.iter().map(|d| sizes[d.0 as usize]).product::<usize>();
            let parts =
                split.parts.iter().fold(0usize, |sum, m| sum.saturating_add(of(&self.statement.maps()[m.0 as usize])));
            if parts != size {
                let whole = self.statement.dims()[split.whole.0 as usize].name.text.clone();
                self.faults.push(OperationFault::Split { whole, parts, size });
            }
        }
    }

    fn maps(&mut self, sizes: &[usize]) {
        let declared = self.statement.maps().iter().filter(|m| !matches!(m.kind, MapKind::Part { .. }));
        for (map, data) in declared.zip(&self.binding.maps) {
            let from = Shape::new(&map.from.iter().map(|d| sizes[d.0 as usize]).collect::<Vec<_>>());
            let Some(positions) = self.product(&map.name.text, from) else { continue };
            if let Err(fault) = self.map(map, data, positions, sizes[map.to.0 as usize]) {
                self.faults.push(fault);
            }
        }
    }

    fn map(&self, map: &Map, data: &IndexData, positions: usize, size: usize) -> Result<(), OperationFault> {
        let name = || map.name.text.clone();
        let found = match data {
            IndexData::RowMajor => positions,
            IndexData::Table(table) => table.len(),
            IndexData::Partial(table) => table.len(),
        };
        if found != positions {
            return Err(OperationFault::MapLength { map: name(), expected: positions, found });
        }
        if map.kind == MapKind::Bijection && positions != size {
            return Err(OperationFault::Unequal { map: name(), from: positions, to: size });
        }
        if *data == IndexData::RowMajor && positions <= size {
            return Ok(());
        }
        let mut taken = vec![None; if map.kind == MapKind::Bijection { size } else { 0 }];
        for at in 0..positions {
            match data.at(at) {
                None if map.kind == MapKind::Partial => {}
                None => return Err(OperationFault::MapUndefined { map: name(), at }),
                Some(found) if found >= size => {
                    let dim = self.statement.dims()[map.to.0 as usize].name.text.clone();
                    return Err(OperationFault::MapRange { map: name(), at, found, dim, size });
                }
                Some(found) => {
                    if let Some(place) = taken.get_mut(found)
                        && let Some(first) = place.replace(at)
                    {
                        return Err(OperationFault::NotABijection { map: name(), first, second: at, found });
                    }
                }
            }
        }
        Ok(())
    }

    fn constants(&mut self) {
        for (declared, array) in self.statement.constants().iter().zip(&self.binding.constants) {
            let constant = || declared.name.text.clone();
            let expected = shape(self.binding, &declared.axes);
            if array.shape != expected {
                let found = array.shape.clone();
                self.faults.push(OperationFault::ConstantShape { constant: constant(), expected, found });
                continue;
            }
            let Some(expected) = self.product(&declared.name.text, array.shape.clone()) else { continue };
            let finite = match &array.elements {
                Elements::Splat(literal) => literal.is_finite(),
                Elements::Each(all) if all.len() != expected => {
                    let (shape, found) = (array.shape.clone(), all.len());
                    self.faults.push(OperationFault::ConstantLength { constant: constant(), shape, expected, found });
                    continue;
                }
                Elements::Each(all) => all.iter().all(Literal::is_finite),
            };
            if !finite {
                self.faults.push(OperationFault::NotFinite { what: format!("constant `{}`", declared.name) });
            }
        }
    }
}
