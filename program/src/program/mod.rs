//! Programs: finite lists of operations in static single assignment.
//!
//! | type | what it is |
//! | --- | --- |
//! | [`DynProgram`] | a verified program; shapes are data |
//! | [`Builder`] | makes one, an instruction at a time, refusing what is wrong at once |
//! | [`Draft`] | an unverified one, as it comes from a file; [`Draft::verify`] reports every fault |
//! | [`ValueId`] | an input, or a result of an instruction |
//!
//! Values are numbered: the inputs first, then the results of each instruction in order.
//! An instruction refers to earlier values only, so that the list is its own topological order and nothing recurs over it.
//! This module must never evaluate or differentiate: it says what a program is.

mod builder;
mod draft;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub use builder::{ApplyError, Builder};
pub use draft::{
    Draft, Fault, FaultKind, Faults, InputDraft, InstructionDraft, OperationDraft, OutputDraft, Place, StatementDraft,
};

use pullback_kernel::Budget;

use crate::operation::{Limits, Operation, Shape};

/// Which value, in the numbering of its program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ValueId(pub u32);

impl ValueId {
    /// Its position among the values.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ValueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// An input of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Its name: a path such as `0.weight`.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
}

/// An output of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Which value it is. Several outputs may be one value, and an output may be an input.
    pub value: ValueId,
}

/// Where an instruction's parts stand in the program's lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Record {
    operation: u32,
    first_argument: u32,
    first_result: u32,
}

/// An instruction: an operation applied to earlier values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction<'a> {
    /// Which operation, as a position in [`DynProgram::operations`].
    pub operation: usize,
    /// Its arguments, one for each input of the operation.
    pub arguments: &'a [ValueId],
    first_result: u32,
    results: u32,
}

impl Instruction<'_> {
    /// Its results, one for each output of the operation.
    pub fn results(&self) -> impl DoubleEndedIterator<Item = ValueId> + ExactSizeIterator + use<> {
        (self.first_result..self.first_result + self.results).map(ValueId)
    }

    /// The result for that output of the operation.
    pub fn result(&self, output: usize) -> ValueId {
        ValueId(self.first_result + output as u32)
    }
}

/// A verified program. See the module docs.
///
/// Two programs are equal if they compute the same in the same way, whatever they may cost.
#[derive(Clone, Debug)]
pub struct DynProgram {
    limits: Limits,
    inputs: Vec<Input>,
    operations: Vec<Arc<Operation>>,
    records: Vec<Record>,
    arguments: Vec<ValueId>,
    /// The instruction of each value that is no input.
    producers: Vec<u32>,
    outputs: Vec<Output>,
}

impl PartialEq for DynProgram {
    fn eq(&self, other: &Self) -> bool {
        let DynProgram { limits: _, inputs, operations, records, arguments, producers, outputs } = self;
        *inputs == other.inputs
            && *operations == other.operations
            && *records == other.records
            && *arguments == other.arguments
            && *producers == other.producers
            && *outputs == other.outputs
    }
}

impl Eq for DynProgram {}

impl DynProgram {
    /// The limits that it was made within, to which its transforms and evaluations are held.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The same program with another bound on what an evaluation or a plan may cost.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> DynProgram {
        self.limits.budget = budget;
        self
    }

    /// The inputs.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The distinct operations that instructions apply.
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// The outputs.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// The number of instructions.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is no instruction.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The number of values: inputs and results.
    pub fn values(&self) -> usize {
        self.inputs.len() + self.producers.len()
    }

    /// An instruction.
    ///
    /// # Panics
    ///
    /// For a position past the last instruction.
    pub fn instruction(&self, at: usize) -> Instruction<'_> {
        let record = self.records[at];
        let operation = &self.operations[record.operation as usize];
        let first = record.first_argument as usize;
        Instruction {
            operation: record.operation as usize,
            arguments: &self.arguments[first..first + operation.inputs().len()],
            first_result: record.first_result,
            results: operation.outputs().len() as u32,
        }
    }

    /// The instructions, in order.
    pub fn instructions(&self) -> impl DoubleEndedIterator<Item = Instruction<'_>> + ExactSizeIterator {
        (0..self.records.len()).map(|at| self.instruction(at))
    }

    /// The operation of an instruction.
    pub fn operation_of(&self, instruction: &Instruction<'_>) -> &Arc<Operation> {
        &self.operations[instruction.operation]
    }

    /// The instruction that a value is a result of, and which result; `None` for an input.
    pub fn producer(&self, value: ValueId) -> Option<(usize, usize)> {
        let at = self.producers[value.index().checked_sub(self.inputs.len())?] as usize;
        Some((at, (value.0 - self.records[at].first_result) as usize))
    }

    /// The shape of a value.
    ///
    /// # Panics
    ///
    /// For a value that is not one of the program's.
    pub fn shape_of(&self, value: ValueId) -> &Shape {
        match self.producer(value) {
            None => &self.inputs[value.index()].shape,
            Some((at, result)) => &self.operations[self.records[at].operation as usize].outputs()[result],
        }
    }

    /// The values of the inputs.
    pub fn input_values(&self) -> Range<u32> {
        0..self.inputs.len() as u32
    }

    /// Whether each instruction has a result that an output needs, by position.
    pub(crate) fn live(&self) -> Vec<bool> {
        let mut needed = vec![false; self.values()];
        self.outputs.iter().for_each(|o| needed[o.value.index()] = true);
        let mut live = vec![false; self.len()];
        for (at, instruction) in self.instructions().enumerate().rev() {
            if instruction.results().any(|r| needed[r.index()]) {
                live[at] = true;
                instruction.arguments.iter().for_each(|a| needed[a.index()] = true);
            }
        }
        live
    }
}

/// The program as text, a line an instruction: for people and for tests.
impl fmt::Display for DynProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, input) in self.inputs.iter().enumerate() {
            writeln!(f, "%{at} = input {}: {}", input.name, input.shape)?;
        }
        for instruction in self.instructions() {
            let operation = self.operation_of(&instruction);
            let list = |values: &mut dyn Iterator<Item = ValueId>| {
                values.map(|v| v.to_string()).collect::<Vec<_>>().join(", ")
            };
            let shapes: Vec<String> = operation.outputs().iter().map(Shape::to_string).collect();
            writeln!(
                f,
                "{} = {}({}): {}",
                list(&mut instruction.results()),
                operation.operator().shown(),
                list(&mut instruction.arguments.iter().copied()),
                shapes.join(", ")
            )?;
        }
        for output in &self.outputs {
            writeln!(f, "output {} = {}", output.name, output.value)?;
        }
        Ok(())
    }
}
