//! The value of a program.

use std::sync::Arc;

use pullback_kernel::Meter;
use pullback_kernel::eval::{self, EvalError, Forward, Number};

use super::{Arrays, EvaluateError, Spending, at, bytes, failed, not_finite};
use crate::numerics::{Numerics, Part};
use crate::program::{DynProgram, ValueId};

/// The values of a program while it runs; one that nobody reads any more is dropped.
pub(super) struct Values<N> {
    values: Vec<Option<Arc<Vec<N>>>>,
    /// How many readers are left, outputs included.
    readers: Vec<u32>,
    /// The bytes of all values that are there.
    held: u64,
}

impl<N: Number> Values<N> {
    pub(super) fn new(program: &DynProgram, inputs: &[Vec<N>]) -> Self {
        let mut readers = vec![0; program.values()];
        program.instructions().for_each(|i| i.arguments.iter().for_each(|a| readers[a.index()] += 1));
        program.outputs().iter().for_each(|o| readers[o.value.index()] += 1);
        let mut values: Vec<Option<Arc<Vec<N>>>> = inputs.iter().map(|x| Some(Arc::new(x.clone()))).collect();
        values.resize_with(program.values(), || None);
        let held = inputs.iter().map(|x| bytes(x)).fold(0, u64::saturating_add);
        Values { values, readers, held }
    }

    pub(super) fn set(&mut self, value: ValueId, data: Vec<N>) {
        if self.readers[value.index()] > 0 {
            self.held = self.held.saturating_add(bytes(&data));
            self.values[value.index()] = Some(Arc::new(data));
        }
    }

    /// The value, for one reader.
    pub(super) fn read(&mut self, value: ValueId) -> Arc<Vec<N>> {
        let at = value.index();
        self.readers[at] = self.readers[at].saturating_sub(1);
        let last = self.readers[at] == 0;
        let data = if last { self.values[at].take() } else { self.values[at].clone() };
        // Verified programs refer to earlier values only.
        let data = data.unwrap_or_default();
        if last {
            self.held = self.held.saturating_sub(bytes(&data));
        }
        data
    }

    /// The bytes of all values that are there.
    pub(super) fn held(&self) -> u64 {
        self.held
    }

    /// Another reader, who keeps the value.
    pub(super) fn keep(&mut self, value: ValueId) {
        self.readers[value.index()] += 1;
    }
}

/// The data of a value that is no longer shared, or a copy.
pub(super) fn owned<N: Clone>(data: Arc<Vec<N>>) -> Vec<N> {
    Arc::try_unwrap(data).unwrap_or_else(|shared| (*shared).clone())
}

/// Runs the forward part of an instruction, inside of its domain, to results that are finite where that is asked for.
///
/// The domain is a matter of the conditions: what has no value inside of it, or a condition without one, is not finite.
/// `part` says what of a number that is not finite is not.
pub(super) fn forward<N: Number>(
    program: &DynProgram,
    instruction: usize,
    inputs: Vec<Vec<N>>,
    numerics: Numerics,
    part: fn(&N) -> Part,
    meter: &Meter,
) -> Result<Forward<N>, EvaluateError> {
    let of = program.instruction(instruction);
    let operation = program.operation_of(&of);
    let point = operation.point(inputs);
    let outside = |values: &Forward<N>| {
        let conditions = operation.operator().conditions().iter();
        let mut failing = conditions.map(|(condition, words)| {
            match eval::outside_within(operation.statement(), std::slice::from_ref(condition), &point, values, meter) {
                // What is no number neither holds nor fails.
                Err(EvalError::NotFinite(_)) if !numerics.refuses() => Ok(None),
                found => found.map(|found| found.map(|_| words.clone())),
            }
        });
        failing.find_map(Result::transpose)
    };
    let domain = |condition| {
        let (instruction, operator) = at(program, instruction);
        EvaluateError::Domain { instruction, operator, condition }
    };
    let value = |error| match error {
        EvalError::NotFinite(_) => not_finite(program, instruction, Part::Value, None),
        error => failed(program, instruction)(error),
    };
    let values = match eval::forward_within(operation.statement(), &point, meter) {
        Ok(values) => values,
        // Said in the words of the domain, if a condition on the inputs is what fails.
        Err(error) => {
            let none = Forward { locals: Vec::new(), outputs: Vec::new() };
            return Err(match (&error, outside(&none)) {
                (EvalError::Undefined(_), Some(Ok(condition))) => domain(condition),
                // Inside of the domain a real is there: it was lost to rounding.
                (EvalError::Undefined(_), Some(Err(EvalError::NotFinite(_)))) => value(EvalError::NotFinite("")),
                (EvalError::Undefined(_), _) if N::ROUNDS => value(EvalError::NotFinite("")),
                _ => value(error),
            });
        }
    };
    match outside(&values) {
        Some(Ok(condition)) => return Err(domain(condition)),
        Some(Err(error)) => return Err(value(error)),
        None => {}
    }
    if numerics.refuses() {
        for output in &values.outputs {
            if let Some(at) = output.iter().position(|x| !x.is_finite()) {
                return Err(not_finite(program, instruction, part(&output[at]), Some(at)));
            }
        }
    }
    Ok(values)
}

impl DynProgram {
    /// The outputs for these inputs, each an array in row-major order. A value that is not finite ends the evaluation.
    ///
    /// # Errors
    ///
    /// [`EvaluateError`] for arrays that do not fit, a point outside of the domain, a value that is not finite, or one that the number type can't say (the exponential of a rational);
    /// [`EvaluateError::Limit`] before more is spent than the program's [limits](DynProgram::limits) allow.
    ///
    /// # Complexity
    ///
    /// That of the statements as they are written, one instruction after the other.
    pub fn evaluate<N: Number>(&self, inputs: &[Vec<N>]) -> Result<Arrays<N>, EvaluateError> {
        self.evaluate_with(inputs, Numerics::default())
    }

    /// As [`evaluate`](DynProgram::evaluate), with a choice of what happens to what is not finite.
    ///
    /// # Errors
    ///
    /// As [`evaluate`](DynProgram::evaluate).
    pub fn evaluate_with<N: Number>(&self, inputs: &[Vec<N>], numerics: Numerics) -> Result<Arrays<N>, EvaluateError> {
        self.evaluate_watched(inputs, numerics, &mut |_, _| {})
    }

    /// As [`evaluate_with`](DynProgram::evaluate_with); `watch` sees the results of each instruction.
    pub(crate) fn evaluate_watched<N: Number>(
        &self,
        inputs: &[Vec<N>],
        numerics: Numerics,
        watch: &mut dyn FnMut(usize, &[Vec<N>]),
    ) -> Result<Arrays<N>, EvaluateError> {
        self.ready(numerics, inputs, false)?;
        let mut spending = Spending::new(self);
        let mut values = Values::new(self, inputs);
        for (at, instruction) in self.instructions().enumerate() {
            let held = values.held();
            let arguments = instruction.arguments.iter().map(|a| owned(values.read(*a))).collect();
            let run = |meter: &Meter| forward(self, at, arguments, numerics, |_| Part::Value, meter);
            let results = spending.step::<N, _>(self, at, held, run)?;
            watch(at, &results.outputs);
            instruction.results().zip(results.outputs).for_each(|(value, data)| values.set(value, data));
        }
        Ok(self.outputs().iter().map(|o| owned(values.read(o.value))).collect())
    }
}
