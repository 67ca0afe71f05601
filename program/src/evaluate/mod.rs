//! Evaluation by the statements as they are written: slow, plain, and for every number type.
//!
//! | way | file | what it does |
//! | --- | --- | --- |
//! | value | `value` | each instruction's forward part |
//! | tape and pullback | `tape` | forward with an explicit tape of saved values, then the backward rules in reverse |
//! | directional derivative | `directional` | dual numbers through the forward parts; the transposed rule where one is declared |
//!
//! Numbers are whatever the kernel's evaluator takes: `f32`, `f64`, exact rationals, intervals, dual numbers.
//! What is fast is in [`execute`](crate::execute) and is tested against this.
//! This module must never hold a derivative rule, and never choose an order of its own: instructions run as they stand.

mod directional;
mod tape;
mod value;

use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::{Budget, Exceeded, Meter};

use crate::operation::Shape;
use crate::program::DynProgram;

pub use tape::{Tape, TapeEntry, TapeReport};

/// One array for each input or output, in row-major order.
pub type Arrays<N> = Vec<Vec<N>>;

/// Why a program has no value here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EvaluateError {
    /// Another number of arrays than the program has inputs or outputs.
    #[error("{found} arrays are given, the program has {expected} {what}")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An array of another length than its shape.
    #[error("the array for `{name}` has {found} elements, shape {shape} has {}", .shape.elements())]
    Length {
        /// Of which input or output.
        name: String,
        /// Its shape.
        shape: Shape,
        /// How many elements there are.
        found: usize,
    },
    /// A condition of the domain that does not hold.
    #[error("instruction {instruction} (`{operator}`): outside of the domain `{condition}`")]
    Domain {
        /// Which instruction.
        instruction: usize,
        /// Its operator.
        operator: String,
        /// The condition.
        condition: String,
    },
    /// A value that the number type can't say, or that is not defined.
    #[error("instruction {instruction} (`{operator}`): {error}")]
    Value {
        /// Which instruction.
        instruction: usize,
        /// Its operator.
        operator: String,
        /// What the evaluator says.
        error: EvalError,
    },
    /// More work or bytes than the program's [limits](crate::Limits::budget) allow, counted before they were spent.
    #[error("instruction {instruction} (`{operator}`): {exceeded}")]
    Limit {
        /// Which instruction.
        instruction: usize,
        /// Its operator.
        operator: String,
        /// What there was not enough of.
        exceeded: Exceeded,
    },
    /// An operator without a rule within the kernel's limits.
    #[error("instruction {instruction} (`{operator}`) has no backward rule within the kernel's limits")]
    NoRule {
        /// Which instruction.
        instruction: usize,
        /// Its operator.
        operator: String,
    },
}

/// A place in a program, for errors.
pub(crate) fn at(program: &DynProgram, instruction: usize) -> (usize, String) {
    let of = program.instruction(instruction);
    (instruction, program.operation_of(&of).operator().shown().to_owned())
}

fn failed(program: &DynProgram, instruction: usize) -> impl Fn(EvalError) -> EvaluateError {
    move |error| {
        let (instruction, operator) = at(program, instruction);
        match error {
            EvalError::Limit(exceeded) => EvaluateError::Limit { instruction, operator, exceeded },
            error => EvaluateError::Value { instruction, operator, error },
        }
    }
}

/// What is left of a program's budget while it is evaluated.
struct Spending {
    budget: Budget,
}

impl Spending {
    fn new(program: &DynProgram) -> Spending {
        Spending { budget: program.limits().budget }
    }

    /// One instruction, beside so many bytes that are held: it may spend the work that is left, and what it makes on the way is given back.
    fn step<N: Number, T>(
        &mut self,
        program: &DynProgram,
        instruction: usize,
        held: u64,
        run: impl FnOnce(&Meter) -> Result<T, EvaluateError>,
    ) -> Result<T, EvaluateError> {
        let of = program.instruction(instruction);
        let operation = program.operation_of(&of);
        let meter = Meter::new(self.budget);
        // Its arguments are copies, if somebody else reads them later.
        let copies = operation.inputs().iter().map(|shape| (shape.elements() * size_of::<N>()) as u64).sum::<u64>();
        let beside = held.saturating_add(copies).saturating_add(operation.data_bytes(size_of::<N>()));
        meter.hold("its data, with the values before it,", beside).map_err(|exceeded| {
            let (instruction, operator) = at(program, instruction);
            EvaluateError::Limit { instruction, operator, exceeded }
        })?;
        let result = run(&meter);
        self.budget.work = meter.left();
        result
    }
}

fn bytes<N: Number>(data: &[N]) -> u64 {
    data.iter().map(Number::bytes).fold(0, u64::saturating_add)
}

/// Whether there is one array of the right length for each port.
fn fit<'a, N>(
    what: &'static str,
    ports: impl ExactSizeIterator<Item = (&'a str, &'a Shape)>,
    arrays: &[Vec<N>],
) -> Result<(), EvaluateError> {
    if ports.len() != arrays.len() {
        return Err(EvaluateError::Count { what, expected: ports.len(), found: arrays.len() });
    }
    for ((name, shape), array) in ports.zip(arrays) {
        if shape.elements() != array.len() {
            return Err(EvaluateError::Length { name: name.to_owned(), shape: shape.clone(), found: array.len() });
        }
    }
    Ok(())
}

impl DynProgram {
    fn fit_inputs<N>(&self, arrays: &[Vec<N>]) -> Result<(), EvaluateError> {
        fit("inputs", self.inputs().iter().map(|i| (i.name.as_str(), &i.shape)), arrays)
    }

    fn fit_outputs<N>(&self, arrays: &[Vec<N>]) -> Result<(), EvaluateError> {
        fit("outputs", self.outputs().iter().map(|o| (o.name.as_str(), self.shape_of(o.value))), arrays)
    }
}

fn zeros<N: Number>(shape: &Shape) -> Vec<N> {
    vec![N::rational(&pullback_kernel::Rational::from_integer(0.into())); shape.elements()]
}
