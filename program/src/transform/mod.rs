//! Transforms: from a program to a program.
//!
//! | transform | inputs | outputs |
//! | --- | --- | --- |
//! | [`reverse`](DynProgram::reverse) | the inputs, then a cotangent of each output | a cotangent of each input |
//! | [`with_reverse`](DynProgram::with_reverse) | the same | the outputs, then a cotangent of each input |
//! | [`forward_mode`](DynProgram::forward_mode) | the inputs, then a tangent of each | a tangent of each output |
//! | [`with_forward_mode`](DynProgram::with_forward_mode) | the same | the outputs, then a tangent of each |
//! | [`pruned`](DynProgram::pruned) | the inputs | the outputs |
//!
//! The results are programs like any other, so that transforms apply again: to third order in the tests.
//! Saved values are edges, each accumulation is an `add` of its own, cotangents that are zero by form are never computed, and dead code is gone.
//! A result that is zero by form is a constant of zeros with its shape.
//! Invariant: a transform only arranges operators that the kernel derives; it knows no derivative.

mod forward;
mod prune;
mod reverse;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub(crate) use reverse::Origins;

use pullback_kernel::statement::Tensor;

use crate::operation::{
    Array, Binding, Derivation, Limits, Literal, Operation, Operator, OperatorError, Shape, Wiring,
};
use crate::program::{ApplyError, Builder, DynProgram, Instruction, ValueId};

/// Why there is no such program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TransformError {
    /// An operator without a rule within the kernel's limits.
    #[error("instruction {instruction}: {error}")]
    Operator {
        /// Which instruction.
        instruction: usize,
        /// What is wrong.
        error: OperatorError,
    },
    /// The program would be past the limits.
    #[error(transparent)]
    Limit(#[from] ApplyError),
    /// A derivative of too many derivatives.
    #[error("instruction {instruction}: an operation is derived more than {limit} times")]
    Derivations {
        /// Which instruction.
        instruction: usize,
        /// How often it may be.
        limit: usize,
    },
    /// A statement of the library that transforms are made of.
    #[error(transparent)]
    Library(#[from] OperatorError),
}

/// A builder of a transformed program.
struct Emitter {
    builder: Builder,
    add: HashMap<Shape, usize>,
    /// The names of the outputs.
    names: HashSet<String>,
}

impl Emitter {
    fn new(limits: &Limits) -> Emitter {
        Emitter { builder: Builder::new(*limits), add: HashMap::new(), names: HashSet::new() }
    }

    /// The inputs of a program, and more of the same shapes as some values.
    fn inputs<'a>(
        &mut self,
        program: &DynProgram,
        prefix: &str,
        more: impl Iterator<Item = (&'a str, &'a Shape)>,
    ) -> Result<Vec<ValueId>, TransformError> {
        let mut names: HashSet<String> = program.inputs().iter().map(|i| i.name.clone()).collect();
        for input in program.inputs() {
            self.builder.input(&input.name, input.shape.clone())?;
        }
        let mut values = Vec::new();
        for (name, shape) in more {
            values.push(self.builder.input(&free(&mut names, prefix, name), shape.clone())?);
        }
        Ok(values)
    }

    /// Another output.
    fn output(&mut self, prefix: &str, name: &str, value: ValueId) -> Result<(), TransformError> {
        let name = free(&mut self.names, prefix, name);
        if self.builder.output(&name, value) {
            return Ok(());
        }
        let limit = self.builder.limits().instructions;
        Err(ApplyError::TooMany { what: "outputs", limit }.into())
    }

    fn add(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, TransformError> {
        let shape = self.builder.shape_of(a).clone();
        let at = match self.add.get(&shape) {
            Some(at) => *at,
            None => {
                let binding = Binding { dims: vec![shape.sizes().to_vec()], ..Binding::default() };
                let at = self.builder.intern(of_library("add", binding, self.builder.limits())?);
                self.add.insert(shape, at);
                at
            }
        };
        Ok(self.builder.apply_interned(at, &[a, b])?)
    }

    /// The value, or zeros where nothing was ever added.
    fn or_zeros(&mut self, value: Option<ValueId>, shape: &Shape) -> Result<ValueId, TransformError> {
        match value {
            Some(value) => Ok(value),
            None => {
                let zeros = Array::splat(shape.clone(), Literal::integer(0));
                let dims = vec![shape.sizes().to_vec()];
                let binding = Binding { dims, constants: vec![zeros], ..Binding::default() };
                let at = self.builder.intern(of_library("constant", binding, self.builder.limits())?);
                Ok(self.builder.apply_interned(at, &[])?)
            }
        }
    }
}

/// A name after a prefix; an apostrophe is added to one that is taken.
fn free(taken: &mut HashSet<String>, prefix: &str, name: &str) -> String {
    let mut name = format!("{prefix}{name}");
    while !taken.insert(name.clone()) {
        name.push('\'');
    }
    name
}

/// An operation of the library on sizes that a verified program has.
fn of_library(name: &str, binding: Binding, limits: &Limits) -> Result<Operation, TransformError> {
    let operator = Operator::library(name)?;
    Operation::new(operator, binding, limits).map_err(|faults| {
        let words = faults.first().map(ToString::to_string).unwrap_or_default();
        TransformError::Library(OperatorError::Text(words))
    })
}

/// What an instruction becomes in a transformed program: a derived operation, and the forward part that it needs.
#[derive(Clone)]
struct Derived {
    operation: Arc<Operation>,
    /// The taped operation, if locals are read that the plain one does not give.
    taped: Option<Arc<Operation>>,
}

/// Derived operations, each made once; `None` for one that is zero.
#[derive(Default)]
struct Derivations {
    known: HashMap<(usize, Derivation), Option<Derived>>,
}

impl Derivations {
    /// What is derived for an instruction. Zero is nothing; what can't be derived is an error and not zero.
    fn of(
        &mut self,
        program: &DynProgram,
        instruction: usize,
        derivation: Derivation,
    ) -> Result<Option<Derived>, TransformError> {
        let at = program.instruction(instruction).operation;
        let key = (at, derivation);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let base = &program.operations()[at];
        let limit = program.limits().derivations;
        if base.derivations() >= limit {
            return Err(TransformError::Derivations { instruction, limit });
        }
        let failed = |error| TransformError::Operator { instruction, error };
        let derived = match base.derive(&key.1) {
            Err(OperatorError::Zero(_)) => None,
            Err(error) => return Err(failed(error)),
            Ok(operation) => {
                let reads_locals = operation.operator().wiring().saved.iter().any(|t| matches!(t, Tensor::Local(_)));
                let taped = reads_locals.then(|| base.derive(&Derivation::Taped).map(Arc::new)).transpose();
                Some(Derived { operation: operation.into(), taped: taped.map_err(failed)? })
            }
        };
        Ok(self.known.entry(key).or_insert(derived).clone())
    }
}

/// The values that a derived operator reads of the forward sweep, in its order.
///
/// `place` has the new number of each value, and `further` is the first of the locals that the taped instruction gives.
fn saved<'a>(
    program: &DynProgram,
    instruction: &'a Instruction<'_>,
    wiring: &'a Wiring,
    place: &'a [ValueId],
    further: u32,
) -> impl Iterator<Item = ValueId> + 'a {
    let locals = program.operation_of(instruction).operator().ruled().saved_locals();
    wiring.saved.iter().filter_map(move |tensor| match tensor {
        Tensor::Input(i) => Some(place[instruction.arguments[*i as usize].index()]),
        Tensor::Output(o) => Some(place[instruction.result(*o as usize).index()]),
        local => locals.iter().position(|l| l == local).map(|at| ValueId(further + at as u32)),
    })
}
