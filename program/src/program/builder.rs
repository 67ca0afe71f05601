//! Building a program, one instruction at a time.

use std::collections::HashMap;
use std::sync::Arc;

use super::{DynProgram, Input, Output, Record, ValueId};
use crate::operation::{Limits, Operation, Shape};

/// Why an operation can't be applied to these values.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ApplyError {
    /// Another number of arguments.
    #[error("`{operator}` takes {expected} arguments, {found} are given")]
    Arguments {
        /// The operator's name.
        operator: String,
        /// How many it takes.
        expected: usize,
        /// How many are given.
        found: usize,
    },
    /// A value that is not there yet.
    #[error("argument {argument} of `{operator}` is value {value}, and only {known} values stand before")]
    NotEarlier {
        /// The operator's name.
        operator: String,
        /// Which argument.
        argument: usize,
        /// The value.
        value: usize,
        /// How many values there are.
        known: usize,
    },
    /// An argument of another shape.
    #[error("argument {argument}, `{name}` of `{operator}`, has shape {found}, expected {expected}{}", axis_note(*.axis))]
    Shape {
        /// The operator's name.
        operator: String,
        /// Which argument.
        argument: usize,
        /// Its name in the statement.
        name: String,
        /// The shape it must have.
        expected: Shape,
        /// The shape it has.
        found: Shape,
        /// The first axis that differs, for shapes of equal rank.
        axis: Option<usize>,
    },
    /// Past the limits.
    #[error("the program has more than {limit} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

fn axis_note(axis: Option<usize>) -> String {
    axis.map_or(String::new(), |axis| format!(" (they differ at axis {axis})"))
}

/// Makes a [`DynProgram`]; what it holds is well-formed at every moment.
///
/// # Example
///
/// ```
/// use pullback_program::{Binding, Builder, Limits, Operation, Operator, Shape};
///
/// let mut builder = Builder::new(Limits::default());
/// let x = builder.input("x", Shape::new(&[3]))?;
/// let binding = Binding { dims: vec![vec![3]], ..Binding::default() };
/// let tanh = Operation::new(Operator::library("tanh")?, binding, &Limits::default()).expect("a size");
/// let y = builder.apply(tanh, &[x])?;
/// builder.output("y", y[0]);
/// let program = builder.finish();
/// assert_eq!(program.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    limits: Limits,
    program: DynProgram,
    known: HashMap<Arc<Operation>, u32>,
    total: usize,
}

impl Builder {
    /// A program without inputs and instructions.
    pub fn new(limits: Limits) -> Builder {
        let program = DynProgram {
            limits,
            inputs: Vec::new(),
            operations: Vec::new(),
            records: Vec::new(),
            arguments: Vec::new(),
            producers: Vec::new(),
            outputs: Vec::new(),
        };
        Builder { limits, program, known: HashMap::new(), total: 0 }
    }

    /// Another input.
    ///
    /// # Errors
    ///
    /// [`ApplyError::TooMany`] past the limits, or after the first instruction, where inputs would renumber results.
    pub fn input(&mut self, name: &str, shape: Shape) -> Result<ValueId, ApplyError> {
        let limit = if self.program.is_empty() { self.limits.instructions } else { self.program.inputs.len() };
        if self.program.inputs.len() >= limit {
            return Err(ApplyError::TooMany { what: "inputs", limit });
        }
        self.count(&shape)?;
        self.program.inputs.push(Input { name: name.to_owned(), shape });
        Ok(ValueId(self.program.inputs.len() as u32 - 1))
    }

    /// Applies an operation, given as the position that [`intern`](Builder::intern) gave.
    ///
    /// # Errors
    ///
    /// [`ApplyError`] for arguments that do not fit, or past the limits.
    pub fn apply_interned(&mut self, operation: usize, arguments: &[ValueId]) -> Result<ValueId, ApplyError> {
        let of = self.program.operations[operation].clone();
        let operator = || of.operator().shown().to_owned();
        if self.program.records.len() >= self.limits.instructions {
            return Err(ApplyError::TooMany { what: "instructions", limit: self.limits.instructions });
        }
        if arguments.len() != of.inputs().len() {
            let (expected, found) = (of.inputs().len(), arguments.len());
            return Err(ApplyError::Arguments { operator: operator(), expected, found });
        }
        let known = self.program.values();
        for (argument, (value, expected)) in arguments.iter().zip(of.inputs()).enumerate() {
            if value.index() >= known {
                return Err(ApplyError::NotEarlier { operator: operator(), argument, value: value.index(), known });
            }
            let found = self.program.shape_of(*value);
            if found != expected {
                let (found, expected) = (found.clone(), expected.clone());
                let name = of.statement().inputs()[argument].name.text.clone();
                let pairs = || found.sizes().iter().zip(expected.sizes()).position(|(a, b)| a != b);
                let axis = if found.rank() == expected.rank() { pairs() } else { None };
                return Err(ApplyError::Shape { operator: operator(), argument, name, expected, found, axis });
            }
        }
        for shape in of.outputs() {
            self.count(shape)?;
        }
        let record = Record {
            operation: operation as u32,
            first_argument: self.program.arguments.len() as u32,
            first_result: known as u32,
        };
        let at = self.program.records.len() as u32;
        self.program.arguments.extend_from_slice(arguments);
        self.program.producers.extend(of.outputs().iter().map(|_| at));
        self.program.records.push(record);
        Ok(ValueId(record.first_result))
    }

    /// Applies an operation and gives its results.
    ///
    /// # Errors
    ///
    /// As [`apply_interned`](Builder::apply_interned).
    pub fn apply(&mut self, operation: Operation, arguments: &[ValueId]) -> Result<Vec<ValueId>, ApplyError> {
        let results = operation.outputs().len() as u32;
        let at = self.intern(operation);
        let first = self.apply_interned(at, arguments)?.0;
        Ok((first..first + results).map(ValueId).collect())
    }

    /// The position of an operation among the program's; equal ones have one.
    ///
    /// What it is derived from stands before it, whether an instruction applies that or not: so a file can say it.
    pub fn intern(&mut self, operation: impl Into<Arc<Operation>>) -> usize {
        let operation = operation.into();
        if let Some(at) = self.known.get(&operation) {
            return *at as usize;
        }
        let mut chain = vec![operation];
        while let Some(base) = chain.last().and_then(|of| of.base()).filter(|base| !self.known.contains_key(*base)) {
            chain.push(base.clone());
        }
        for operation in chain.into_iter().rev() {
            self.known.insert(operation.clone(), self.program.operations.len() as u32);
            self.program.operations.push(operation);
        }
        self.program.operations.len() - 1
    }

    /// Another output. A value that is not one of the program's, or an output past the limits, is left out and gives `false`.
    pub fn output(&mut self, name: &str, value: ValueId) -> bool {
        let room = self.program.outputs.len() < self.limits.instructions;
        let known = room && value.index() < self.program.values();
        if known {
            self.program.outputs.push(Output { name: name.to_owned(), value });
        }
        known
    }

    /// The shape of a value of the program so far.
    ///
    /// # Panics
    ///
    /// For a value that is not one of the program's.
    pub fn shape_of(&self, value: ValueId) -> &Shape {
        self.program.shape_of(value)
    }

    /// The number of instructions so far.
    pub(crate) fn instructions(&self) -> usize {
        self.program.len()
    }

    /// The number of values so far.
    pub fn values(&self) -> usize {
        self.program.values()
    }

    /// How many results an interned operation has.
    pub(super) fn results_of(&self, operation: usize) -> usize {
        self.program.operations[operation].outputs().len()
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The program.
    pub fn finish(self) -> DynProgram {
        self.program
    }

    fn count(&mut self, shape: &Shape) -> Result<(), ApplyError> {
        let limit = self.limits.total;
        let elements = shape.checked_len().filter(|n| *n <= self.limits.elements);
        let total = elements.and_then(|n| self.total.checked_add(n)).filter(|n| *n <= limit);
        self.total = total.ok_or(ApplyError::TooMany { what: "elements in its values", limit })?;
        Ok(())
    }
}
