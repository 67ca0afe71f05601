//! The words that layers are compiled in: a builder with shapes, and operations by name.

use std::collections::HashMap;

use pullback_kernel::Rational;

use super::error::{ArchitectureError, LayerFault};
use super::port;
use super::signature::{Place, Signature};
use crate::operation::{Array, Binding, IndexData, Limits, Literal, Operation, Operator, Shape};
use crate::program::{Builder, DynProgram, ValueId};

/// Words that an exact literal takes.
pub(super) const LITERAL: usize = 16;

/// An emitted value, or why there is none.
pub(super) type Emitted = Result<ValueId, ArchitectureError>;

/// A program on its way.
pub(super) struct Emit {
    builder: Builder,
    /// The inputs that are parameters, by path; and what is read in place of one.
    parameters: HashMap<String, ValueId>,
    /// Operations whose index maps follow from few numbers, by those: their tables are made once.
    known: HashMap<(&'static str, Vec<Vec<usize>>), usize>,
    /// The layer that is emitted.
    place: Place,
    /// The first value of each layer that was entered.
    entered: Vec<(usize, Place)>,
    /// Words of structural data so far.
    data: usize,
}

impl Emit {
    /// A program with the inputs of a signature, and the data among them.
    pub(super) fn new(signature: &Signature, limits: &Limits) -> Result<(Emit, Vec<ValueId>), ArchitectureError> {
        let mut builder = Builder::new(*limits);
        let mut data = Vec::new();
        for input in &signature.data {
            data.push(builder.input(&input.name, input.shape.clone())?);
        }
        let mut parameters = HashMap::new();
        for parameter in &signature.parameters {
            parameters.insert(parameter.path.clone(), builder.input(&parameter.path, parameter.shape.clone())?);
        }
        let (known, entered) = (HashMap::new(), Vec::new());
        Ok((Emit { builder, parameters, known, place: Place::root(), entered, data: 0 }, data))
    }

    /// The program, and the first value of each layer in the order of the program.
    pub(super) fn finish(mut self, outputs: &[ValueId]) -> (DynProgram, Vec<(usize, Place)>) {
        for (k, output) in outputs.iter().enumerate() {
            self.builder.output(&port("y", outputs.len(), k), *output);
        }
        (self.builder.finish(), self.entered)
    }

    /// The input for a parameter of a layer. Verification met every one that emission asks for.
    pub(super) fn parameter(&self, at: &Place, leaf: &str) -> Emitted {
        self.at_path(at.name(leaf))
    }

    fn at_path(&self, path: String) -> Emitted {
        self.parameters.get(&path).copied().ok_or_else(|| ArchitectureError::Operation {
            operator: path,
            fault: "the parameter was not met in verification".to_owned(),
        })
    }

    /// An initial state of a layer.
    pub(super) fn state(&self, at: &Place, leaf: &str) -> Emitted {
        self.at_path(at.state(leaf))
    }

    /// What a layer calls `path` is another parameter, as it is or transposed.
    pub(super) fn tie(&mut self, path: String, of: &str, transposed: bool) -> Result<(), ArchitectureError> {
        let mut value = self.at_path(of.to_owned())?;
        if transposed {
            let sizes = self.sizes(value);
            value = self.op("transpose", &[&[], &sizes[..1], &sizes[1..]], &[value])?;
        }
        self.parameters.insert(path, value);
        Ok(())
    }

    /// What follows is of this layer.
    pub(super) fn enter(&mut self, at: &Place) {
        self.place = at.clone();
        self.entered.push((self.builder.values(), at.clone()));
    }

    /// Takes note of structural data before it is made: so many words of a table, or of literals as [`LITERAL`] words each.
    ///
    /// A few numbers of an architecture may ask for tables without bound; their sum is bounded by the bytes of a budget.
    pub(super) fn charge(&mut self, what: &str, words: usize) -> Result<(), ArchitectureError> {
        self.data = self.data.saturating_add(words);
        // While a table is made, checked and kept it is there up to four times.
        let limit = usize::try_from(self.builder.limits().budget.bytes / 32).unwrap_or(usize::MAX);
        if self.data > limit {
            let what = format!("{what}, with the structural data before it,");
            return self.place.fault(LayerFault::Large { what, limit, of: " words" });
        }
        Ok(())
    }

    pub(super) fn sizes(&self, value: ValueId) -> Vec<usize> {
        self.builder.shape_of(value).sizes().to_vec()
    }

    fn operation(&self, name: &str, binding: Binding) -> Result<Operation, ArchitectureError> {
        let operator = Operator::library(name)?;
        Operation::new(operator, binding, self.builder.limits()).map_err(|faults| ArchitectureError::Operation {
            operator: name.to_owned(),
            fault: faults.first().map(ToString::to_string).unwrap_or_default(),
        })
    }

    /// All results of an operation.
    pub(super) fn all(
        &mut self,
        name: &str,
        binding: Binding,
        arguments: &[ValueId],
    ) -> Result<Vec<ValueId>, ArchitectureError> {
        let operation = self.operation(name, binding)?;
        Ok(self.builder.apply(operation, arguments)?)
    }

    /// The first result of an operation.
    pub(super) fn with(&mut self, name: &str, binding: Binding, arguments: &[ValueId]) -> Emitted {
        let operation = self.operation(name, binding)?;
        let at = self.builder.intern(operation);
        Ok(self.builder.apply_interned(at, arguments)?)
    }

    /// An operation that has dimensions and nothing else.
    pub(super) fn op(&mut self, name: &str, dims: &[&[usize]], arguments: &[ValueId]) -> Emitted {
        let dims = dims.iter().map(|d| d.to_vec()).collect();
        self.with(name, Binding { dims, ..Binding::default() }, arguments)
    }

    /// An operation whose data follows from a key.
    pub(super) fn keyed(
        &mut self,
        name: &'static str,
        key: Vec<Vec<usize>>,
        arguments: &[ValueId],
        binding: impl FnOnce() -> Binding,
    ) -> Emitted {
        let key = (name, key);
        let at = match self.known.get(&key) {
            Some(at) => *at,
            None => {
                let operation = self.operation(name, binding())?;
                let at = self.builder.intern(operation);
                self.known.insert(key, at);
                at
            }
        };
        Ok(self.builder.apply_interned(at, arguments)?)
    }

    /// Whether the data of such an operation is there.
    pub(super) fn is_known(&self, name: &'static str, key: &[Vec<usize>]) -> bool {
        self.known.contains_key(&(name, key.to_vec()))
    }

    /// An elementwise operation on values of one shape.
    pub(super) fn each(&mut self, name: &str, arguments: &[ValueId]) -> Emitted {
        let sizes = self.sizes(arguments[0]);
        self.op(name, &[&sizes], arguments)
    }

    /// The same elements in row-major order under other sizes; nothing where they are the same sizes.
    pub(super) fn reshape(&mut self, x: ValueId, to: &[usize]) -> Emitted {
        let from = self.sizes(x);
        if from == to {
            return Ok(x);
        }
        let binding = Binding { dims: vec![from, to.to_vec()], maps: vec![IndexData::RowMajor], ..Binding::default() };
        self.with("reshape", binding, &[x])
    }

    /// The axes in another order: axis `k` of the result is axis `order[k]` of the value.
    pub(super) fn permute(&mut self, x: ValueId, order: &[usize]) -> Emitted {
        if order.iter().enumerate().all(|(k, axis)| k == *axis) {
            return Ok(x);
        }
        let from = self.sizes(x);
        let to: Vec<usize> = order.iter().map(|axis| from[*axis]).collect();
        let key = vec![from.clone(), order.to_vec()];
        if !self.is_known("permute_axes", &key) {
            self.charge("the table of a permutation", from.iter().product())?;
        }
        self.keyed("permute_axes", key, &[x], || {
            let maps = vec![IndexData::Table(places(&from, order))];
            Binding { dims: vec![from, to], maps, ..Binding::default() }
        })
    }

    /// The value with these axes last, as one, and how to bring it back.
    pub(super) fn gathered(&mut self, x: ValueId, axes: &[usize]) -> Result<(ValueId, Back), ArchitectureError> {
        let sizes = self.sizes(x);
        let mut order: Vec<usize> = (0..sizes.len()).filter(|axis| !axes.contains(axis)).collect();
        let kept: Vec<usize> = order.iter().map(|axis| sizes[*axis]).collect();
        order.extend(axes);
        let y = self.permute(x, &order)?;
        let moved = self.sizes(y);
        let mut flat = kept.clone();
        flat.push(moved[kept.len()..].iter().product());
        let mut back = vec![0; order.len()];
        order.iter().enumerate().for_each(|(k, axis)| back[*axis] = k);
        Ok((self.reshape(y, &flat)?, Back { moved, order: back }))
    }

    pub(super) fn back(&mut self, x: ValueId, back: &Back) -> Emitted {
        let y = self.reshape(x, &back.moved)?;
        self.permute(y, &back.order)
    }

    /// The value repeated along new axes: its own become `axes` of the result, in ascending order.
    pub(super) fn spread(&mut self, x: ValueId, axes: &[usize], to: &[usize]) -> Emitted {
        let mut x = x;
        let mut at = 0;
        while at < to.len() {
            if axes.contains(&at) {
                at += 1;
                continue;
            }
            let run = (at..to.len()).take_while(|axis| !axes.contains(axis)).count();
            let sizes = self.sizes(x);
            x = self.op("broadcast_in_dim_axis", &[&sizes[..at], &to[at..at + run], &sizes[at..]], &[x])?;
            at += run;
        }
        Ok(x)
    }

    pub(super) fn constant(&mut self, array: Array) -> Emitted {
        let dims = vec![array.shape.sizes().to_vec()];
        self.with("constant", Binding { dims, constants: vec![array], ..Binding::default() }, &[])
    }

    /// One number everywhere.
    pub(super) fn splat(&mut self, sizes: &[usize], number: Literal) -> Emitted {
        self.constant(Array::splat(Shape::new(sizes), number))
    }

    /// The last axes with places around them that hold a number, as `at` says for each new place; `None` is such a place.
    pub(super) fn padded(
        &mut self,
        x: ValueId,
        to: &[usize],
        number: &Literal,
        at: impl Fn(&[usize]) -> Option<usize>,
    ) -> Emitted {
        let sizes = self.sizes(x);
        let lead = &sizes[..sizes.len() - to.len()];
        let (rows, from) = (lead.iter().product::<usize>(), sizes[lead.len()..].iter().product::<usize>());
        let flat = self.reshape(x, &[rows, from])?;
        let one = self.splat(&[rows, 1], number.clone())?;
        let longer = self.op("concatenate", &[&[rows], &[from], &[1], &[from + 1]], &[flat, one])?;
        self.charge("the places of the padding", to.iter().product())?;
        let table: Vec<usize> = indices(to).map(|index| at(&index).unwrap_or(from)).collect();
        let binding = Binding {
            dims: vec![vec![rows], vec![table.len()], vec![from + 1]],
            maps: vec![IndexData::Table(table)],
            ..Binding::default()
        };
        let y = self.with("slice", binding, &[longer])?;
        self.reshape(y, &[lead, to].concat())
    }

    /// Two values one after the other along an axis.
    pub(super) fn concatenated(&mut self, x: ValueId, y: ValueId, axis: usize) -> Emitted {
        let (a, b) = (self.sizes(x), self.sizes(y));
        if axis == 0 {
            return self.op("concatenate_leading", &[&a[..1], &b[..1], &[a[0] + b[0]], &a[1..]], &[x, y]);
        }
        let after: usize = a[axis + 1..].iter().product();
        let flat = |sizes: &[usize]| [&sizes[..axis], &[sizes[axis] * after]].concat();
        let (p, q) = (self.reshape(x, &flat(&a))?, self.reshape(y, &flat(&b))?);
        let (m, n) = (a[axis] * after, b[axis] * after);
        let z = self.op("concatenate", &[&a[..axis], &[m], &[n], &[m + n]], &[p, q])?;
        let mut to = a.clone();
        to[axis] += b[axis];
        self.reshape(z, &to)
    }

    /// Values one after the other along an axis, pairs first: each element is copied a logarithmic number of times.
    pub(super) fn concatenation(&mut self, values: &[ValueId], axis: usize) -> Emitted {
        let mut values = values.to_vec();
        while values.len() > 1 {
            let mut next = Vec::with_capacity(values.len().div_ceil(2));
            for pair in values.chunks(2) {
                next.push(match pair {
                    [x, y] => self.concatenated(*x, *y, axis)?,
                    _ => pair[0],
                });
            }
            values = next;
        }
        Ok(values[0])
    }

    /// `x weight (+ bias)` along the last axis.
    pub(super) fn affine(&mut self, x: ValueId, weight: ValueId, bias: Option<ValueId>) -> Emitted {
        let (sizes, matrix) = (self.sizes(x), self.sizes(weight));
        let lead = &sizes[..sizes.len() - 1];
        if let Some(bias) = bias {
            return self.op("linear", &[lead, &matrix[..1], &matrix[1..]], &[x, weight, bias]);
        }
        let rows: usize = lead.iter().product();
        let flat = self.reshape(x, &[rows, matrix[0]])?;
        let y = self.op("matmul", &[&[rows], &matrix[..1], &matrix[1..]], &[flat, weight])?;
        self.reshape(y, &[lead, &matrix[1..]].concat())
    }
}

/// How a value comes back from [`Emit::gathered`].
pub(super) struct Back {
    moved: Vec<usize>,
    order: Vec<usize>,
}

/// Where each element goes when axis `k` of the result is axis `order[k]`.
fn places(from: &[usize], order: &[usize]) -> Vec<usize> {
    let mut strides = vec![0; from.len()];
    let mut stride = 1;
    for axis in order.iter().rev() {
        strides[*axis] = stride;
        stride *= from[*axis];
    }
    indices(from).map(|index| index.iter().zip(&strides).map(|(i, s)| i * s).sum()).collect()
}

/// All multi-indices of these sizes, in row-major order.
pub(super) fn indices(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let total = sizes.iter().product();
    let mut index = vec![0; sizes.len()];
    let sizes = sizes.to_vec();
    (0..total).map(move |_| {
        let now = index.clone();
        for axis in (0..sizes.len()).rev() {
            index[axis] += 1;
            if index[axis] < sizes[axis] {
                break;
            }
            index[axis] = 0;
        }
        now
    })
}

/// A rational literal.
pub(super) fn ratio(numerator: usize, denominator: usize) -> Literal {
    Literal::Exact(Rational::new(numerator.into(), denominator.into()))
}
