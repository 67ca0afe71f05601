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

pub use error::{CompileError, ExecuteError};

use crate::program::DynProgram;
use kernel::{Machine, Requirement};
use memory::{Inputs, Memory};
use plan::Halves;
use steps::{Plan, Step, Sweep};
use tape::Stop;

/// What happens to a value that is infinite or not a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Nonfinite {
    /// It goes on, as floats do.
    #[default]
    Allow,
    /// It ends the run with an error: one that names the input, if the caller gave it, else the instruction that made it.
    Refuse,
}

/// How an executable treats numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Numerics {
    /// Values that are not finite.
    pub nonfinite: Nonfinite,
}

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
    inputs: Vec<(String, usize)>,
    outputs: Vec<(String, usize)>,
    halves: Halves,
}

/// What is past the limits for all instructions together.
fn of_all(exceeded: Exceeded) -> CompileError {
    CompileError::Limit { instruction: None, exceeded }
}

/// Asks for the work of a run and for the tables of the operations, before any of them is made.
fn count<T>(program: &DynProgram, meter: &Meter) -> Result<(), CompileError> {
    let mut seen = vec![false; program.operations().len()];
    for (at, instruction) in program.instructions().enumerate() {
        let operation = program.operation_of(&instruction);
        let place = |exceeded| {
            let instruction = Some((at, operation.statement().name().text.clone()));
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
        Self::planned(program, halves, numerics, false)
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
        let joint = program.with_reverse()?;
        let halves = Halves { inputs: program.inputs().len(), outputs: program.outputs().len() };
        Self::planned(&joint, halves, numerics, true)
    }

    fn planned(program: &DynProgram, halves: Halves, numerics: Numerics, gradient: bool) -> Result<Self, CompileError> {
        let finite = numerics.nonfinite == Nonfinite::Refuse;
        let meter = Meter::new(program.limits().budget);
        count::<T>(program, &meter)?;
        let plan = plan::plan(program, halves, finite)?;
        let mut machine = Machine::new();
        plan.kernels.iter().for_each(|k| machine.fit(&k.code));
        let kept = plan.kept.iter().map(|i| program.inputs()[*i as usize].shape.elements());
        let elements = kept.fold(plan.arena, usize::saturating_add);
        meter.hold("its values", elements as u64 * size_of::<T>() as u64).map_err(of_all)?;
        let mut arena = plan.fixed.clone();
        arena.resize(plan.arena, T::zero());
        let names = Names {
            operators: program.operations().iter().map(|o| o.operator().shown().to_owned()).collect(),
            inputs: program.inputs().iter().map(|i| (i.name.clone(), i.shape.elements())).collect(),
            outputs: program.outputs().iter().map(|o| (o.name.clone(), program.shape_of(o.value).elements())).collect(),
            halves,
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
        self.given(&self.names.inputs, inputs)?;
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
        self.given(&self.names.inputs[self.names.halves.inputs..], cotangents)?;
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
        self.given(&self.names.inputs, inputs)?;
        self.names.fit_seeds(cotangents)?;
        self.given(&self.names.inputs[self.names.halves.inputs..], cotangents)?;
        self.names.fit_outputs(outputs)?;
        self.names.fit_gradients(gradients)?;
        self.sweep(0, Inputs::Given(inputs), &[], outputs, &mut [])?;
        self.sweep(1, Inputs::Given(inputs), cotangents, outputs, gradients)
    }

    /// Bytes that the plan and the storage of a run take, what the caller gives aside.
    pub fn bytes(&self) -> usize {
        self.plan.bytes() + (self.arena.len() + self.kept.iter().map(Vec::len).sum::<usize>()) * size_of::<T>()
    }

    /// Where that is refused, no number of the caller's is infinite or not a number: a comparison would hide it.
    fn given(&self, ports: &[(String, usize)], arrays: &[&[T]]) -> Result<(), ExecuteError> {
        if self.numerics.nonfinite == Nonfinite::Allow {
            return Ok(());
        }
        for ((name, _), array) in ports.iter().zip(arrays) {
            if let Some(at) = kernel::first_failure(Requirement::Finite, array) {
                return Err(ExecuteError::Given { name: name.clone(), at });
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
        let finite = numerics.nonfinite == Nonfinite::Refuse;
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
    let instruction = fault.instruction as usize;
    let operator = plan.operations.get(instruction).map(|o| names.operators[o].clone()).unwrap_or_default();
    match fault.condition {
        Some(condition) => ExecuteError::Domain { instruction, operator, condition, at: fault.at },
        None => ExecuteError::NotFinite { instruction, operator, at: fault.at },
    }
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
