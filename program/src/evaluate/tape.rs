//! Forward with a tape of saved values, and the pullback from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use pullback_kernel::eval::{self, EvalError, Forward, Number};
use pullback_kernel::statement::Tensor;

use super::value::{Values, forward, owned};
use super::{Arrays, EvaluateError, Spending, at, bytes, failed, finite, not_finite, zeros};
use crate::numerics::{Given, Numerics, Part};
use crate::operation::Shape;
use crate::program::{DynProgram, ValueId};

/// What an instruction saved: the tensors that its rule reads and no others.
#[derive(Clone, Debug)]
struct Saved<N> {
    inputs: Vec<Arc<Vec<N>>>,
    locals: Vec<Vec<N>>,
    outputs: Vec<Arc<Vec<N>>>,
}

/// The saved values of one run of a program: the residual of the program as a contract (Theorem 2).
///
/// It belongs to the program that made it.
#[derive(Clone, Debug)]
pub struct Tape<N> {
    saved: Vec<Saved<N>>,
    /// As the forward run was made, so is the pullback.
    numerics: Numerics,
}

impl<N: Number> Tape<N> {
    /// Adds the saved values of another run of the same program, coordinate by coordinate; a tape of another program leaves it unchanged.
    pub fn accumulate(&mut self, term: &Tape<N>) {
        let lengths = |saved: &Saved<N>| {
            let shared = saved.inputs.iter().chain(&saved.outputs).map(|data| data.len());
            shared.chain(saved.locals.iter().map(Vec::len)).collect::<Vec<_>>()
        };
        if !self.saved.iter().map(lengths).eq(term.saved.iter().map(lengths)) {
            return;
        }
        let add =
            |sum: &mut Vec<N>, term: &Vec<N>| sum.iter_mut().zip(term).for_each(|(sum, term)| *sum = sum.add(term));
        for (saved, term) in self.saved.iter_mut().zip(&term.saved) {
            let shared = saved.inputs.iter_mut().chain(&mut saved.outputs);
            shared.zip(term.inputs.iter().chain(&term.outputs)).for_each(|(sum, term)| add(Arc::make_mut(sum), term));
            saved.locals.iter_mut().zip(&term.locals).for_each(|(sum, term)| add(sum, term));
        }
    }
}

/// One saved value, known before anything runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TapeEntry {
    /// The instruction whose rule reads it.
    pub reader: usize,
    /// Its name in that instruction's statement.
    pub name: String,
    /// Which value of the program it is; `None` for a local of the statement.
    pub value: Option<ValueId>,
    /// The instruction that makes it; `None` for an input of the program.
    pub maker: Option<usize>,
    /// Its shape.
    pub shape: Shape,
}

/// What the tape of a program holds. See [`DynProgram::tape_report`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TapeReport {
    /// Every saved value, once for each instruction whose rule reads it.
    pub entries: Vec<TapeEntry>,
    /// Elements of all saved values, each value counted once: what is held when the forward sweep ends.
    pub elements: usize,
    /// The most elements that are held at one time: values still to be read and saved ones, forward and back.
    pub peak: usize,
}

impl DynProgram {
    /// The outputs, and the tape for their pullback.
    ///
    /// # Errors
    ///
    /// As [`evaluate`](DynProgram::evaluate); [`EvaluateError::NoRule`] for an operator without a rule.
    pub fn linearize<N: Number>(&self, inputs: &[Vec<N>]) -> Result<(Arrays<N>, Tape<N>), EvaluateError> {
        self.linearize_with(inputs, Numerics::default())
    }

    /// As [`linearize`](DynProgram::linearize), with a choice of what happens to what is not finite, here and in the [`pullback`](DynProgram::pullback).
    ///
    /// # Errors
    ///
    /// As [`linearize`](DynProgram::linearize).
    pub fn linearize_with<N: Number>(
        &self,
        inputs: &[Vec<N>],
        numerics: Numerics,
    ) -> Result<(Arrays<N>, Tape<N>), EvaluateError> {
        self.ready(numerics, inputs, true)?;
        let mut spending = Spending::new(self);
        let mut taped = 0u64;
        let mut values = Values::new(self, inputs);
        let mut tape = Vec::with_capacity(self.len());
        for (k, instruction) in self.instructions().enumerate() {
            let operation = self.operation_of(&instruction);
            let rule = operation.operator().ruled();
            if rule.gradients().is_none() {
                let (instruction, operator) = at(self, k);
                return Err(EvaluateError::NoRule { instruction, operator });
            }
            let saves = |t: Tensor| rule.saves().contains(&t);
            let arguments: Vec<Arc<Vec<N>>> = instruction.arguments.iter().map(|a| values.read(*a)).collect();
            let copies = arguments.iter().map(|a| (**a).clone()).collect();
            let held = values.held().saturating_add(taped);
            let results = spending
                .step::<N, _>(self, k, held, |meter| forward(self, k, copies, numerics, |_| Part::Value, meter))?;
            let locals = (0..).map(Tensor::Local).zip(results.locals);
            let mut saved = Saved {
                inputs: (0..)
                    .map(Tensor::Input)
                    .zip(arguments)
                    .map(|(t, data)| if saves(t) { data } else { Arc::default() })
                    .collect(),
                locals: locals.map(|(t, data)| if saves(t) { data } else { Vec::new() }).collect(),
                outputs: Vec::new(),
            };
            for (output, (value, data)) in instruction.results().zip(results.outputs).enumerate() {
                let kept = saves(Tensor::Output(output as u32));
                if kept {
                    values.keep(value);
                }
                values.set(value, data);
                saved.outputs.push(if kept { values.read(value) } else { Arc::default() });
            }
            let shared = saved.inputs.iter().chain(&saved.outputs).map(|data| bytes(data));
            taped = shared.chain(saved.locals.iter().map(|data| bytes(data))).fold(taped, u64::saturating_add);
            tape.push(saved);
        }
        let outputs = self.outputs().iter().map(|o| owned(values.read(o.value))).collect();
        Ok((outputs, Tape { saved: tape, numerics }))
    }

    /// The cotangents of the inputs, for cotangents of the outputs, from a tape that this program made. It may be used again.
    ///
    /// An input that no output depends on has a cotangent of zeros, with its shape.
    ///
    /// # Errors
    ///
    /// [`EvaluateError`] for arrays that do not fit, a cotangent that is not finite, or a value that the number type can't say.
    pub fn pullback<N: Number>(&self, tape: &Tape<N>, cotangents: &[Vec<N>]) -> Result<Arrays<N>, EvaluateError> {
        self.fit_outputs(cotangents)?;
        finite(tape.numerics, Given::Cotangent, self.outputs().iter().map(|o| o.name.as_str()), cotangents)?;
        if tape.saved.len() != self.len() {
            return Err(EvaluateError::Count { what: "instructions", expected: self.len(), found: tape.saved.len() });
        }
        let mut spending = Spending::new(self);
        let mut sums: Vec<Option<Vec<N>>> = vec![None; self.values()];
        let mut held = cotangents.iter().map(|u| bytes(u)).fold(0, u64::saturating_add);
        for (output, cotangent) in self.outputs().iter().zip(cotangents) {
            accumulate(&mut sums[output.value.index()], cotangent.clone());
        }
        for (k, instruction) in self.instructions().enumerate().rev() {
            let seeds: Vec<Option<Vec<N>>> = instruction.results().map(|r| sums[r.index()].take()).collect();
            if seeds.iter().all(Option::is_none) {
                continue;
            }
            let operation = self.operation_of(&instruction);
            let shapes = operation.outputs();
            let seeds: Vec<Vec<N>> =
                seeds.into_iter().zip(shapes).map(|(seed, shape)| seed.unwrap_or_else(|| zeros(shape))).collect();
            let saved = &tape.saved[k];
            let copies = |list: &[Arc<Vec<N>>]| list.iter().map(|data| (**data).clone()).collect::<Vec<_>>();
            let point = operation.point(copies(&saved.inputs));
            let values = Forward { locals: saved.locals.clone(), outputs: copies(&saved.outputs) };
            let lost = |error| match error {
                // The rule has a value on the domain: what is undefined was rounded to there.
                EvalError::Undefined(_) if N::ROUNDS => not_finite(self, k, Part::Cotangent, None),
                error => failed(self, k)(error),
            };
            let gradients = spending.step::<N, _>(self, k, held, |meter| {
                eval::backward_within(operation.operator().ruled(), &point, &values, &seeds, meter).map_err(lost)
            })?;
            held = seeds.iter().map(|u| bytes(u)).fold(held, u64::saturating_sub);
            held = gradients.iter().map(|u| bytes(u)).fold(held, u64::saturating_add);
            for (argument, gradient) in instruction.arguments.iter().zip(gradients) {
                let sum = accumulate(&mut sums[argument.index()], gradient);
                if tape.numerics.refuses()
                    && let Some(at) = sum.iter().position(|x| !x.is_finite())
                {
                    return Err(not_finite(self, k, Part::Cotangent, Some(at)));
                }
            }
        }
        let of_input =
            |(k, input): (usize, &crate::program::Input)| sums[k].take().unwrap_or_else(|| zeros(&input.shape));
        Ok(self.inputs().iter().enumerate().map(of_input).collect())
    }

    /// What the tape will hold, before anything runs.
    ///
    /// Theorem 2: the residual of a program is the residuals of its instructions.
    pub fn tape_report(&self) -> TapeReport {
        let mut entries = Vec::new();
        for (reader, instruction) in self.instructions().enumerate() {
            let operation = self.operation_of(&instruction);
            let rule = operation.operator().ruled();
            for tensor in rule.saves() {
                let value = match tensor {
                    Tensor::Input(k) => Some(instruction.arguments[*k as usize]),
                    Tensor::Output(k) => Some(instruction.result(*k as usize)),
                    _ => None,
                };
                let declared = rule.tensor(*tensor);
                entries.push(TapeEntry {
                    reader,
                    value,
                    maker: value.map_or(Some(reader), |v| self.producer(v).map(|p| p.0)),
                    shape: operation.shape(&declared.axes),
                    name: declared.name.text,
                });
            }
        }
        let elements = self.held(&entries);
        TapeReport { peak: self.peak(&entries), elements, entries }
    }

    /// Elements of the entries, each value once.
    fn held(&self, entries: &[TapeEntry]) -> usize {
        let mut seen = vec![false; self.values()];
        let fresh = |e: &&TapeEntry| e.value.is_none_or(|v| !std::mem::replace(&mut seen[v.index()], true));
        entries.iter().filter(fresh).map(|e| e.shape.elements()).fold(0, usize::saturating_add)
    }

    /// The most elements held at once: forward, a value lives until its last reader, or until it is pulled back if it is saved;
    /// on the way back, cotangents live from the first contribution to the pullback of the instruction that made the value.
    fn peak(&self, entries: &[TapeEntry]) -> usize {
        let steps = self.len();
        // Time runs forward over 0..steps, then back over steps..2 steps: instruction k is pulled back at 2 steps - 1 - k.
        let back = |k: usize| 2 * steps - 1 - k;
        let mut last: Vec<usize> = vec![0; self.values()];
        let mut first_contribution: BTreeMap<ValueId, usize> = BTreeMap::new();
        for output in self.outputs() {
            last[output.value.index()] = steps;
            first_contribution.insert(output.value, steps);
        }
        let mut locals: Vec<(usize, usize, usize)> = Vec::new();
        for (k, instruction) in self.instructions().enumerate().rev() {
            for argument in instruction.arguments {
                last[argument.index()] = last[argument.index()].max(k);
                first_contribution.entry(*argument).or_insert(back(k));
            }
        }
        for entry in entries {
            match entry.value {
                Some(v) => last[v.index()] = last[v.index()].max(back(entry.reader)),
                None => locals.push((entry.reader, back(entry.reader), entry.shape.elements())),
            }
        }
        let mut change = vec![0i128; 2 * steps + 2];
        let mut live = |from: usize, to: usize, elements: usize| {
            change[from] += elements as i128;
            change[to + 1] -= elements as i128;
        };
        for (v, last) in (0..self.values() as u32).map(ValueId).zip(&last) {
            let made = self.producer(v).map(|p| p.0);
            let elements = self.shape_of(v).elements();
            live(made.unwrap_or(0), (*last).max(made.unwrap_or(0)), elements);
            if let Some(first) = first_contribution.get(&v) {
                // An input's cotangent is a result: it lives to the end.
                live(*first, made.map_or(2 * steps, |k| back(k).max(*first)), elements);
            }
        }
        locals.into_iter().for_each(|(from, to, elements)| live(from, to, elements));
        let mut held = 0i128;
        let peak = change.iter().map(|change| {
            held += change;
            held
        });
        usize::try_from(peak.max().unwrap_or(0)).unwrap_or(usize::MAX)
    }
}

fn accumulate<N: Number>(sum: &mut Option<Vec<N>>, term: Vec<N>) -> &[N] {
    if let Some(sum) = sum {
        sum.iter_mut().zip(&term).for_each(|(sum, term)| *sum = sum.add(term));
    }
    sum.get_or_insert(term)
}
