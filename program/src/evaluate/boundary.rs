//! Where a run touches a boundary of a declared rule: a kink, a tie or a jump, where the derivative is what the rule says and not a limit.
//!
//! Values are those of whichever way the program runs; a [`Probe`] is the part of the program that leads to the operations with a boundary,
//! and looks at their arguments with the kernel's evaluator.
//! This module must never change a value or a derivative.

use std::fmt;

use pullback_kernel::budget::Meter;
use pullback_kernel::eval::{self, EvalError, Number};
use pullback_kernel::statement::Label;

use super::{Arrays, EvaluateError};
use crate::numerics::Numerics;
use crate::operation::{Operation, Standing};
use crate::program::{Builder, DynProgram, ValueId};
use crate::transform::TransformError;

/// A boundary of a declared rule that a run touched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touched {
    /// Which instruction.
    pub instruction: usize,
    /// Its operator.
    pub operator: String,
    /// The output or local of the statement whose elements are on a boundary.
    pub tensor: String,
    /// The flat index of the first of them.
    pub first: usize,
    /// How many they are.
    pub elements: usize,
    /// How often evaluating them met a boundary: more than once an element where it sums over several.
    pub times: usize,
    /// What the rule claims to be.
    pub label: Label,
    /// What it is checked to give there, in the language of statements; of a label that is taken on trust, its author's words.
    /// Empty where the label says it all.
    pub convention: String,
}

impl fmt::Display for Touched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Touched { instruction, operator, tensor, first, elements, times, label, convention } = self;
        let of = if *elements == 1 { "element" } else { "elements" };
        write!(
            f,
            "instruction {instruction} (`{operator}`): `{tensor}` is on a boundary in {elements} {of}, at {first}"
        )?;
        if *elements > 1 {
            f.write_str(" first")?;
        }
        if times > elements {
            write!(f, ", at {times} places in all")?;
        }
        write!(f, "; the rule {}", Standing::Declared(*label, convention.clone()))
    }
}

/// A result, and the boundaries that were touched on the way to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked<V> {
    /// The result.
    pub value: V,
    /// The boundaries, instruction by instruction. Nothing where the function is smooth in a neighbourhood of the point, as far as its form tells.
    pub touched: Vec<Touched>,
}

/// What happens at a boundary of a declared rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum AtBoundary {
    /// It is part of the result.
    #[default]
    Say,
    /// It is an error.
    Refuse,
}

/// The part of a program that leads to the operations with a declared rule. See [`DynProgram::probe`].
#[derive(Clone, Debug)]
pub struct Probe {
    program: DynProgram,
    watched: Vec<Watched>,
}

/// An operation with a declared rule.
#[derive(Clone, Debug)]
struct Watched {
    instruction: usize,
    operation: Operation,
    label: Label,
    /// What it says after its label.
    convention: String,
    /// Which outputs of the probe are its arguments.
    arguments: Vec<usize>,
}

/// What the statement that an operation comes from declares: the label, and what is said after it.
fn declaration(operation: &Operation) -> Option<(Label, String)> {
    let mut root = operation;
    while let Some(base) = root.base() {
        root = base;
    }
    let statement = root.statement();
    statement.declaration().map(|d| (d.label, statement.show_declaration(d)))
}

impl Probe {
    /// The program whose outputs [`touched`](Probe::touched) looks at; its inputs are those of the program that is probed.
    pub fn program(&self) -> &DynProgram {
        &self.program
    }

    /// The boundaries that are touched where the probe's program has these outputs.
    ///
    /// # Errors
    ///
    /// [`EvaluateError`] where the number type can't tell, or past the program's [limits](DynProgram::limits).
    pub fn touched<N: Number>(&self, outputs: &[Vec<N>]) -> Result<Vec<Touched>, EvaluateError> {
        let (mut all, meter) = (Vec::new(), Meter::new(self.program.limits().budget));
        for watched in &self.watched {
            let Watched { instruction, operation, label, convention, arguments } = watched;
            let statement = operation.statement();
            let point = operation.point(arguments.iter().map(|a| outputs[*a].clone()).collect());
            let (instruction, operator) = (*instruction, || operation.operator().shown().to_owned());
            let met = eval::boundaries(statement, &point, &meter).map_err(|error| match error {
                EvalError::Limit(exceeded) => EvaluateError::Limit { instruction, operator: operator(), exceeded },
                error => EvaluateError::Value { instruction, operator: operator(), error },
            })?;
            meter.release(meter.held());
            for group in met.chunk_by(|a, b| a.tensor == b.tensor) {
                all.push(Touched {
                    instruction,
                    operator: operator(),
                    tensor: statement.tensor(group[0].tensor).name.text,
                    first: group[0].at,
                    elements: group.len(),
                    times: group.iter().map(|met| met.times).sum(),
                    label: *label,
                    convention: convention.clone(),
                });
            }
        }
        Ok(all)
    }
}

impl DynProgram {
    /// What tells which boundaries of declared rules a run touches, whichever way it runs.
    ///
    /// # Errors
    ///
    /// None but those of a program past the limits.
    pub fn probe(&self) -> Result<Probe, TransformError> {
        let mut builder = Builder::new(*self.limits());
        for input in self.inputs() {
            builder.input(&input.name, input.shape.clone())?;
        }
        let mut outputs: Vec<ValueId> = Vec::new();
        let mut watched = Vec::new();
        for (instruction, applied) in self.instructions().enumerate() {
            let operation = self.operation_of(&applied);
            let at = builder.intern(operation.clone());
            builder.apply_interned(at, applied.arguments)?;
            let Some((label, convention)) = declaration(operation) else { continue };
            let arguments = applied.arguments.iter().map(|argument| {
                outputs.iter().position(|known| known == argument).unwrap_or_else(|| {
                    outputs.push(*argument);
                    outputs.len() - 1
                })
            });
            let (arguments, operation) = (arguments.collect(), (**operation).clone());
            watched.push(Watched { instruction, operation, label, convention, arguments });
        }
        for (at, value) in outputs.iter().enumerate() {
            builder.output(&format!("probe{at}"), *value);
        }
        Ok(Probe { program: builder.finish().pruned()?, watched })
    }

    /// The boundaries of declared rules that this program touches at these inputs, by the statements as they are written.
    ///
    /// # Errors
    ///
    /// As [`evaluate`](DynProgram::evaluate).
    pub fn touched<N: Number>(&self, inputs: &[Vec<N>], numerics: Numerics) -> Result<Vec<Touched>, EvaluateError> {
        let probe = self.probe().map_err(EvaluateError::Transform)?;
        probe.touched(&probe.program.evaluate_with(inputs, numerics)?)
    }

    /// As [`evaluate_with`](DynProgram::evaluate_with), with the boundaries of declared rules that it touched.
    /// A derivative at these inputs touches the same ones.
    ///
    /// # Errors
    ///
    /// As [`evaluate`](DynProgram::evaluate); [`EvaluateError::Boundary`] for a boundary, where that is refused.
    pub fn evaluate_checked<N: Number>(
        &self,
        inputs: &[Vec<N>],
        numerics: Numerics,
        boundary: AtBoundary,
    ) -> Result<Checked<Arrays<N>>, EvaluateError> {
        let value = self.evaluate_with(inputs, numerics)?;
        let touched = self.touched(inputs, numerics)?;
        boundary.admit(&touched)?;
        Ok(Checked { value, touched })
    }
}

impl AtBoundary {
    /// Whether what was touched is no error.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::Boundary`] for the first of what was touched, where that is refused.
    pub fn admit(self, touched: &[Touched]) -> Result<(), EvaluateError> {
        match touched.first() {
            Some(first) if self == AtBoundary::Refuse => Err(EvaluateError::Boundary(Box::new(first.clone()))),
            _ => Ok(()),
        }
    }
}
