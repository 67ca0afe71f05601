//! Programs planned once and run often.
//!
//! An [`Executable`] is a program whose order, kernels and buffers were decided before the first number:
//! a run allocates nothing, runs on one thread, and gives the same bits every time.
//!
//! | pass | module | what it does |
//! | --- | --- | --- |
//! | kernels | `kernel` | an operation's routine at its sizes as code that runs in lanes, made once for all instructions that apply it |
//! | runs | `group` | neighbouring instructions over the same elements become one pass over memory |
//! | places | `plan`, `steps`, `arena` | each value gets its part of the arena, from its maker to its last reader; a reshape is no copy |
//! | numbers | `tape` | instructions on scalars become steps of thirteen bytes |
//! | run | here, `memory` | sweeps over the steps: forward, then back |
//!
//! Values of up to 32 elements are copied into the arena and out of it; longer inputs and outputs are used where the caller has them.
//! This module must never decide what a program computes: that it agrees with [`evaluate`](crate::DynProgram::evaluate) is tested.

mod arena;
mod error;
mod group;
mod kernel;
mod memory;
mod plan;
mod steps;
mod tape;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use pullback_kernel::{Exceeded, Meter};
use pullback_scalar::Real;

pub use crate::numerics::{Nonfinite, Numerics};
pub use error::{CompileError, ExecuteError};

use crate::evidence::DomainCondition;
use crate::numerics::{Given, Held, Part, rounded};
use crate::operation::Operation;
use crate::program::DynProgram;
use crate::transform::Origins;
use kernel::{Machine, Requirement};
use memory::{Inputs, Memory};
use plan::Halves;
use steps::{Plan, Step, Sweep};
use tape::Stop;

/// A program ready to run. See the module docs.
#[derive(Clone, Debug)]
pub struct Executable<T> {
    plan: Plan<T>,
    arena: Vec<T>,
    machine: Machine<T>,
    /// Inputs of the last forward run that the way back reads, by position.
    kept: Vec<Vec<T>>,
    /// Whether the arena holds the tape of a forward run.
    taped: bool,
    gradient: bool,
    numerics: Numerics,
    names: Arc<Names>,
}

/// What errors and checks of arguments need.
#[derive(Debug)]
struct Names {
    operators: Vec<String>,
    /// The conditions of each operator, in the names of its statement.
    conditions: Vec<Vec<String>>,
    inputs: Vec<(String, usize)>,
    outputs: Vec<(String, usize)>,
    halves: Halves,
    /// Which instructions of the program those of a joint one come from.
    origins: Option<Origins>,
}

/// What is past the limits for all instructions together.
fn of_all(exceeded: Exceeded) -> CompileError {
    CompileError::Limit { instruction: None, exceeded }
}

/// Asks for the work of a run and for the tables of the operations, before any of them is made.
fn count<T>(program: &DynProgram, origins: Option<&Origins>, meter: &Meter) -> Result<(), CompileError> {
    let mut seen = vec![false; program.operations().len()];
    for (at, instruction) in program.instructions().enumerate() {
        let operation = program.operation_of(&instruction);
        let place = |exceeded| {
            let (at, _) = origins.map_or((at, false), |origins| origins.of(at));
            let instruction = Some((at, operation.operator().shown().to_owned()));
            CompileError::Limit { instruction, exceeded }
        };
        if !std::mem::replace(&mut seen[instruction.operation], true) {
            // Made once as they are, and once as what a kernel looks up.
            let tables = operation.data_bytes(size_of::<T>()).saturating_mul(2);
            meter.hold("its tables and constants, with those before it,", tables).map_err(place)?;
        }
        let work = operation.operator().routine().cost(&|dim| operation.sizes()[dim.0 as usize] as u64);
        meter.spend("a run up to here", work).map_err(place)?;
    }
    Ok(())
}

impl<T: Real> Executable<T> {
    /// Plans the value of a program.
    ///
    /// # Errors
    ///
    /// [`CompileError::TooLarge`] for a program whose values take more than 2³² elements at once;
    /// [`CompileError::Limit`] for one that takes more work or bytes than its [limits](DynProgram::limits) allow.
    ///
    /// # Complexity
    ///
    /// Linear in the length of the program, and in the index maps of its distinct operations.
    pub fn new(program: &DynProgram, numerics: Numerics) -> Result<Self, CompileError> {
        let halves = Halves { inputs: program.inputs().len(), outputs: program.outputs().len() };
        Self::planned(program, halves, numerics, None)
    }

    /// Plans the value of a program and the gradient of its outputs, which is the program [`with_reverse`](DynProgram::with_reverse).
    ///
    /// # Errors
    ///
    /// As [`new`](Executable::new), and where there is no reverse program.
    ///
    /// # Complexity
    ///
    /// As [`new`](Executable::new).
    pub fn with_gradient(program: &DynProgram, numerics: Numerics) -> Result<Self, CompileError> {
        let (joint, origins) = program.joint()?;
        let halves = Halves { inputs: program.inputs().len(), outputs: program.outputs().len() };
        Self::planned(&joint, halves, numerics, Some(origins))
    }

    fn planned(
        program: &DynProgram,
        halves: Halves,
        numerics: Numerics,
        origins: Option<Origins>,
    ) -> Result<Self, CompileError> {
        let gradient = origins.is_some();
        let meter = Meter::new(program.limits().budget);
        count::<T>(program, origins.as_ref(), &meter)?;
        survive::<T>(program, origins.as_ref())?;
        let plan = plan::plan(program, halves, numerics.refuses())?;
        let mut machine = Machine::new();
        plan.kernels.iter().for_each(|k| machine.fit(&k.code));
        let kept = plan.kept.iter().map(|i| program.inputs()[*i as usize].shape.elements());
        let elements = kept.fold(plan.arena, usize::saturating_add);
        meter.hold("its values", elements as u64 * size_of::<T>() as u64).map_err(of_all)?;
        let mut arena = plan.fixed.clone();
        arena.resize(plan.arena, T::zero());
        let names = Names {
            operators: program.operations().iter().map(|o| o.operator().shown().to_owned()).collect(),
            conditions: program.operations().iter().map(|o| texts(o)).collect(),
            inputs: program.inputs().iter().map(|i| (i.name.clone(), i.shape.elements())).collect(),
            outputs: program.outputs().iter().map(|o| (o.name.clone(), program.shape_of(o.value).elements())).collect(),
            halves,
            origins,
        };
        let mut kept = vec![vec![]; halves.inputs];
        plan.kept.iter().for_each(|i| kept[*i as usize] = vec![T::zero(); names.inputs[*i as usize].1]);
        let names = Arc::new(names);
        Ok(Executable { plan, arena, machine, kept, taped: false, gradient, numerics, names })
    }

    /// The outputs for these inputs, each an array in row-major order. No tape is kept.
    ///
    /// # Errors
    ///
    /// [`ExecuteError`] for arrays that do not fit, a point outside of the domain, or a value that is not finite where that is refused.
    pub fn run(&mut self, inputs: &[&[T]], outputs: &mut [&mut [T]]) -> Result<(), ExecuteError> {
        self.taped = false;
        self.names.fit_inputs(inputs)?;
        self.given(Given::Input, inputs)?;
        self.names.fit_outputs(outputs)?;
        self.sweep(0, Inputs::Given(inputs), &[], outputs, &mut [])
    }

    /// As [`run`](Executable::run), and keeps what [`pullback`](Executable::pullback) needs.
    ///
    /// # Errors
    ///
    /// As [`run`](Executable::run); [`ExecuteError::NoGradient`] where none was planned.
    pub fn forward(&mut self, inputs: &[&[T]], outputs: &mut [&mut [T]]) -> Result<(), ExecuteError> {
        if !self.gradient {
            return Err(ExecuteError::NoGradient);
        }
        self.run(inputs, outputs)?;
        for at in &self.plan.kept {
            self.kept[*at as usize].clone_from_slice(inputs[*at as usize]);
        }
        self.taped = true;
        Ok(())
    }

    /// The cotangents of the inputs, for cotangents of the outputs, at the inputs of the last [`forward`](Executable::forward).
    /// It may be called any number of times.
    ///
    /// # Errors
    ///
    /// As [`run`](Executable::run); [`ExecuteError::NoTape`] where no forward run came before it, or another run came between.
    pub fn pullback(&mut self, cotangents: &[&[T]], gradients: &mut [&mut [T]]) -> Result<(), ExecuteError> {
        if !self.gradient {
            return Err(ExecuteError::NoGradient);
        }
        if !self.taped {
            return Err(ExecuteError::NoTape);
        }
        self.names.fit_seeds(cotangents)?;
        self.given(Given::Cotangent, cotangents)?;
        self.names.fit_gradients(gradients)?;
        let kept = std::mem::take(&mut self.kept);
        let done = self.sweep(1, Inputs::Kept(&kept), cotangents, &mut [], gradients);
        self.kept = kept;
        done
    }

    /// Value and gradient in one: as [`forward`](Executable::forward) and [`pullback`](Executable::pullback), without a copy of the inputs.
    /// No tape is left.
    ///
    /// # Errors
    ///
    /// As [`forward`](Executable::forward).
    pub fn value_and_gradient(
        &mut self,
        inputs: &[&[T]],
        cotangents: &[&[T]],
        outputs: &mut [&mut [T]],
        gradients: &mut [&mut [T]],
    ) -> Result<(), ExecuteError> {
        if !self.gradient {
            return Err(ExecuteError::NoGradient);
        }
        self.taped = false;
        self.names.fit_inputs(inputs)?;
        self.given(Given::Input, inputs)?;
        self.names.fit_seeds(cotangents)?;
        self.given(Given::Cotangent, cotangents)?;
        self.names.fit_outputs(outputs)?;
        self.names.fit_gradients(gradients)?;
        self.sweep(0, Inputs::Given(inputs), &[], outputs, &mut [])?;
        self.sweep(1, Inputs::Given(inputs), cotangents, outputs, gradients)
    }

    /// The conditions that a run asks, in the order of the program; with a gradient, those of the way back are among them.
    ///
    /// Some of them hold in the reals whatever the inputs, and may be lost to rounding all the same: `1 - p > 0`, where `p` rounds to one.
    /// [`DynProgram::conditions`] says which.
    pub fn conditions(&self) -> Vec<DomainCondition> {
        let names = &self.names;
        let instructions = (0..).map_while(|at| self.plan.operations.get(at).map(|operation| (at, operation)));
        let asked = |(place, operation): (usize, usize)| {
            let (instruction, _) = names.origins.as_ref().map_or((place, false), |origins| origins.of(place));
            names.conditions[operation].iter().map(move |condition| DomainCondition {
                instruction,
                operator: names.operators[operation].clone(),
                condition: condition.clone(),
                in_inputs: None,
            })
        };
        instructions.flat_map(asked).collect()
    }

    /// Bytes that the plan and the storage of a run take, what the caller gives aside.
    pub fn bytes(&self) -> usize {
        let origins = self.names.origins.as_ref().map_or(0, Origins::bytes);
        origins
            + self.plan.bytes()
            + (self.arena.len() + self.kept.iter().map(Vec::len).sum::<usize>()) * size_of::<T>()
    }

    /// Where that is refused, no number of the caller's is infinite or not a number: a comparison would hide it.
    fn given(&self, what: Given, arrays: &[&[T]]) -> Result<(), ExecuteError> {
        if !self.numerics.refuses() {
            return Ok(());
        }
        let ports = if what == Given::Cotangent { &self.names.outputs } else { &self.names.inputs };
        for ((name, _), array) in ports.iter().zip(arrays) {
            if let Some(at) = kernel::first_failure(Requirement::Finite, array) {
                return Err(ExecuteError::Given { what, name: name.clone(), at });
            }
        }
        Ok(())
    }

    fn sweep(
        &mut self,
        sweep: usize,
        inputs: Inputs<'_, T>,
        seeds: &[&[T]],
        outputs: &mut [&mut [T]],
        gradients: &mut [&mut [T]],
    ) -> Result<(), ExecuteError> {
        let Executable { plan, arena, machine, numerics, names, .. } = self;
        let mut memory = Memory { arena, constants: &plan.constants, inputs, seeds, outputs, gradients };
        let finite = numerics.refuses();
        let Sweep { before, steps, after } = &plan.sweeps[sweep];
        before.iter().for_each(|t| memory.copy(t.to, t.from, t.length as usize));
        for step in steps {
            let done = match *step {
                Step::Tape { from, to, instruction } => {
                    let steps = &plan.tape[from as usize..to as usize];
                    let done = tape::run(steps, memory.arena, finite, plan.scratch);
                    done.map_err(|stop| stopped(plan, stop, from, instruction))
                }
                Step::Kernel { kernel, slots, instruction } => {
                    let kernel = &plan.kernels[kernel as usize];
                    let slots = &plan.slots[slots as usize..slots as usize + kernel.parts.len()];
                    let done = machine.run(&kernel.code, slots, &mut memory);
                    let done = done.map_err(|v| violated(&kernel.code, v, instruction));
                    if finite { done.and_then(|()| scan(kernel, slots, &memory, instruction)) } else { done }
                }
            };
            if let Err(fault) = done {
                return Err(named(plan, names, fault));
            }
        }
        after.iter().for_each(|t| memory.copy(t.to, t.from, t.length as usize));
        Ok(())
    }
}

/// A run that ended early: at which instruction, why, and at which place.
struct Fault {
    instruction: u32,
    /// The condition; none for a value that is not finite.
    condition: Option<String>,
    at: usize,
}

fn violated<T>(code: &kernel::Code<T>, violation: kernel::Violation, instruction: u32) -> Fault {
    let check = &code.checks[violation.check as usize];
    let condition = match check.required {
        Requirement::Finite => None,
        Requirement::Sign(_) => Some(check.condition.text.to_string()),
    };
    Fault { instruction: instruction + u32::from(check.condition.member), condition, at: violation.at }
}

/// Which instruction a step of the tape belongs to.
fn stopped<T>(plan: &Plan<T>, stop: Stop, from: u32, instruction: u32) -> Fault {
    let (Stop::Condition(step) | Stop::NotFinite(step)) = stop;
    let (mut instruction, mut left) = (instruction as usize, step);
    while left >= plan.steps_of(instruction) {
        left -= plan.steps_of(instruction);
        instruction += 1;
    }
    let condition = match stop {
        Stop::NotFinite(_) => None,
        Stop::Condition(_) => {
            let check = plan.tape[from as usize + step].b as usize;
            Some(plan.conditions_of(instruction)[check].to_string())
        }
    };
    Fault { instruction: instruction as u32, condition, at: 0 }
}

fn scan<T: Real>(
    kernel: &group::Kernel<T>,
    slots: &[memory::Slot],
    memory: &Memory<'_, '_, '_, T>,
    instruction: u32,
) -> Result<(), Fault> {
    for buffer in &kernel.scanned {
        let buffer = *buffer as usize;
        if !kernel.used[buffer] {
            continue;
        }
        let values = &memory.read(slots[buffer])[..kernel.code.lengths[buffer]];
        if let Some(at) = kernel::first_failure(Requirement::Finite, values) {
            let member = match kernel.parts[buffer] {
                group::Part::Result { member, .. } => member,
                _ => 0,
            };
            return Err(Fault { instruction: instruction + u32::from(member), condition: None, at });
        }
    }
    Ok(())
}

fn named<T>(plan: &Plan<T>, names: &Names, fault: Fault) -> ExecuteError {
    let place = fault.instruction as usize;
    let operator = plan.operations.get(place).map(|o| names.operators[o].clone()).unwrap_or_default();
    let (instruction, back) = names.origins.as_ref().map_or((place, false), |origins| origins.of(place));
    match fault.condition {
        Some(condition) => ExecuteError::Domain { instruction, operator, condition, at: fault.at },
        None => {
            let part = if back { Part::Cotangent } else { Part::Value };
            ExecuteError::NotFinite { instruction, operator, part, at: fault.at }
        }
    }
}

fn texts(operation: &Operation) -> Vec<String> {
    operation.operator().conditions().iter().map(|(_, words)| words.clone()).collect()
}

/// Whether every number of the program stays what it is in the scalar: apart from zero, and finite.
fn survive<T: Real>(program: &DynProgram, origins: Option<&Origins>) -> Result<(), CompileError> {
    let held = |literal: &crate::operation::Literal| {
        let number: T = group::literal(literal);
        if !(number.clone() - number.clone()).is_zero() {
            Held::Infinite
        } else if number.is_zero() {
            Held::Zero
        } else {
            Held::Fine
        }
    };
    let mut seen = vec![false; program.operations().len()];
    for (place, applied) in program.instructions().enumerate() {
        if std::mem::replace(&mut seen[applied.operation], true) {
            continue;
        }
        let operation = program.operation_of(&applied);
        if let Some(rounded) = rounded::<T>(operation, false, held) {
            let (instruction, _) = origins.map_or((place, false), |origins| origins.of(place));
            let operator = operation.operator().shown().to_owned();
            return Err(CompileError::Rounded { instruction, operator, rounded });
        }
    }
    Ok(())
}

impl Names {
    fn fit_inputs<T>(&self, inputs: &[&[T]]) -> Result<(), ExecuteError> {
        fit("inputs", &self.inputs[..self.halves.inputs], inputs.iter().map(|x| x.len()))
    }

    fn fit_seeds<T>(&self, seeds: &[&[T]]) -> Result<(), ExecuteError> {
        fit("outputs", &self.inputs[self.halves.inputs..], seeds.iter().map(|x| x.len()))
    }

    fn fit_outputs<T>(&self, outputs: &[&mut [T]]) -> Result<(), ExecuteError> {
        fit("outputs", &self.outputs[..self.halves.outputs], outputs.iter().map(|x| x.len()))
    }

    fn fit_gradients<T>(&self, gradients: &[&mut [T]]) -> Result<(), ExecuteError> {
        fit("inputs", &self.outputs[self.halves.outputs..], gradients.iter().map(|x| x.len()))
    }
}

/// Whether there is one array of the right length for each port.
fn fit(
    what: &'static str,
    ports: &[(String, usize)],
    arrays: impl ExactSizeIterator<Item = usize>,
) -> Result<(), ExecuteError> {
    if ports.len() != arrays.len() {
        return Err(ExecuteError::Count { what, expected: ports.len(), found: arrays.len() });
    }
    for ((name, expected), found) in ports.iter().zip(arrays) {
        if *expected != found {
            return Err(ExecuteError::Length { name: name.clone(), expected: *expected, found });
        }
    }
    Ok(())
}
