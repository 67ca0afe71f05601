//! Evaluation by the statements as they are written: slow, plain, and for every number type.
//!
//! | way | file | what it does |
//! | --- | --- | --- |
//! | value | `value` | each instruction's forward part |
//! | tape and pullback | `tape` | forward with an explicit tape of saved values, then the backward rules in reverse |
//! | boundary | `boundary` | which kinks, ties and jumps of declared rules a run touches |
//! | directional derivative | `directional` | dual numbers through the forward parts; the transposed rule where one is declared |
//!
//! Numbers are whatever the kernel's evaluator takes: `f32`, `f64`, exact rationals, intervals, dual numbers.
//! What is fast is in [`execute`](crate::execute) and is tested against this.
//! What is not finite ends a run unless its [`Numerics`] allow it.
//! This module must never hold a derivative rule, and never choose an order of its own: instructions run as they stand.

mod boundary;
mod directional;
mod tape;
mod value;

use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::{Budget, Exceeded, Meter};

use crate::numerics::{Given, Held, Numerics, Part, Rounded, rounded};
use crate::operation::{Literal, Shape};
use crate::program::DynProgram;
use crate::transform::TransformError;

pub use boundary::{AtBoundary, Checked, Probe, Touched};
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
    /// A number of the caller's that is infinite or not a number, where that is refused.
    #[error("the {what} `{name}` has a value that is not finite, at {at}")]
    Given {
        /// An input, a tangent or a cotangent.
        what: Given,
        /// Of which input or output.
        name: String,
        /// The flat index of the first one.
        at: usize,
    },
    /// A result that is infinite or not a number, where that is refused.
    #[error("instruction {instruction} (`{operator}`): {part} is not finite{}", .at.map(|at| format!(", at {at}")).unwrap_or_default())]
    NotFinite {
        /// Which instruction.
        instruction: usize,
        /// Its operator.
        operator: String,
        /// A value, a tangent or a cotangent.
        part: Part,
        /// The flat index of the first one in its array; nothing where it is none of a result: a step on the way to one, or a condition's value.
        at: Option<usize>,
    },
    /// A number of the program that the number type makes zero or infinite.
    #[error("instruction {instruction} (`{operator}`): {rounded}")]
    Rounded {
        /// Which instruction.
        instruction: usize,
        /// Its operator.
        operator: String,
        /// Which number.
        rounded: Box<Rounded>,
    },
    /// A boundary of a declared rule, where that is refused.
    #[error("{0}")]
    Boundary(Box<Touched>),
    /// Too few digits are left of a result, where a bound on its error is asked for.
    #[error(
        "instruction {instruction} (`{operator}`): the digits of {part} are lost: its array goes up to {size}, its error to {error}"
    )]
    Digits {
        /// Which instruction.
        instruction: usize,
        /// Its operator.
        operator: String,
        /// A value, or a cotangent on the way back.
        part: Part,
        /// The greatest magnitude in its array.
        size: String,
        /// The greatest bound on an error in it.
        error: String,
    },
    /// No transformed program.
    #[error("{0}")]
    Transform(TransformError),
    /// An operator without a rule within the kernel's limits.
    #[error("instruction {instruction} (`{operator}`) has no backward rule within the kernel's limits")]
    NoRule {
        /// Which instruction.
        instruction: usize,
        /// Its operator.
        operator: String,
    },
}

impl EvaluateError {
    /// The same, at the instruction that one of a joint program comes from, which may be on the way back.
    pub(crate) fn moved(mut self, origin: impl Fn(usize) -> (usize, bool)) -> Self {
        match &mut self {
            EvaluateError::NotFinite { instruction, part, .. } | EvaluateError::Digits { instruction, part, .. } => {
                let (at, back) = origin(*instruction);
                (*instruction, *part) = (at, if back { Part::Cotangent } else { *part });
            }
            EvaluateError::Domain { instruction, .. }
            | EvaluateError::Value { instruction, .. }
            | EvaluateError::Limit { instruction, .. }
            | EvaluateError::Rounded { instruction, .. }
            | EvaluateError::NoRule { instruction, .. } => *instruction = origin(*instruction).0,
            _ => {}
        }
        self
    }
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

/// No number of the caller's is infinite or not a number, where that is refused.
fn finite<'a, N: Number>(
    numerics: Numerics,
    what: Given,
    names: impl Iterator<Item = &'a str>,
    arrays: &[Vec<N>],
) -> Result<(), EvaluateError> {
    if !numerics.refuses() {
        return Ok(());
    }
    for (name, array) in names.zip(arrays) {
        if let Some(at) = array.iter().position(|x| !x.is_finite()) {
            return Err(EvaluateError::Given { what, name: name.to_owned(), at });
        }
    }
    Ok(())
}

/// A part of an instruction's results that is not finite.
fn not_finite(program: &DynProgram, instruction: usize, part: Part, at: Option<usize>) -> EvaluateError {
    let (instruction, operator) = self::at(program, instruction);
    EvaluateError::NotFinite { instruction, operator, part, at }
}

impl DynProgram {
    /// The inputs fit, are finite where that is asked for, and so is every number that the program names.
    fn ready<N: Number>(&self, numerics: Numerics, inputs: &[Vec<N>], rules: bool) -> Result<(), EvaluateError> {
        self.fit_inputs(inputs)?;
        finite(numerics, Given::Input, self.inputs().iter().map(|i| i.name.as_str()), inputs)?;
        self.numbers_held::<N>(rules)
    }

    /// No number of the program becomes zero or infinite in the number type; with `rules`, none of the backward rules either.
    fn numbers_held<N: Number>(&self, rules: bool) -> Result<(), EvaluateError> {
        let held = |literal: &Literal| {
            let number: N = literal.to();
            match number.sign() {
                _ if !number.is_finite() => Held::Infinite,
                Some(std::cmp::Ordering::Equal) => Held::Zero,
                _ => Held::Fine,
            }
        };
        let mut seen = vec![false; self.operations().len()];
        for (k, instruction) in self.instructions().enumerate() {
            if std::mem::replace(&mut seen[instruction.operation], true) {
                continue;
            }
            if let Some(rounded) = rounded::<N>(self.operation_of(&instruction), rules, held) {
                let (instruction, operator) = at(self, k);
                return Err(EvaluateError::Rounded { instruction, operator, rounded: Box::new(rounded) });
            }
        }
        Ok(())
    }

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
