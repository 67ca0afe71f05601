//! The plan of a program: kernels, steps and places of values, decided before the first number.
//!
//! Instructions run as they stand, in two sweeps: those that do not depend on a cotangent, then those that do.
//! A value takes its part of the arena when it is made, and gives it back after its last reader;
//! what the first sweep leaves for the second stays where it is, so that the second may run again.

use pullback_kernel::statement::Tensor;
use pullback_scalar::Real;
use pullback_schedule::Role;

use super::arena::Arena;
use super::error::CompileError;
use super::group::{Kernel, Kernels, NONE, Part, Prepared};
use super::kernel::{Single, SingleStep, Spot};
use super::memory::{Segment, Slot};
use super::steps::{Operations, Plan, Step, Sweep, Transfer};
use super::tape::TapeStep;
use crate::program::{DynProgram, Instruction, ValueId};

/// Arrays up to this length are copied into the arena and out of it; longer ones are used where the caller has them.
const SMALL: usize = 32;

/// Which inputs of a program are cotangents, and which outputs gradients: those past these numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halves {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
}

/// When something happens: instructions count from one, through both sweeps, and the end of the first sweep counts too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Time(u32);

struct Planner<'a, T> {
    program: &'a DynProgram,
    halves: Halves,
    kernels: Kernels<T>,
    /// The value of which it is another name.
    root: Vec<u32>,
    /// Whether it depends on a cotangent.
    late: Vec<bool>,
    last: Vec<Time>,
    place: Vec<Option<Slot>>,
    arena: Arena,
    /// Where the constants of each operation on numbers start in the arena.
    fixed: Vec<T>,
    consts: Vec<u32>,
    slots: Vec<Slot>,
    tape: Vec<TapeStep>,
    sweeps: [Sweep; 2],
    /// For each value the output that it is written to directly.
    direct: Vec<Option<Slot>>,
    /// The end of the first sweep.
    middle: Time,
    scratch: u32,
    /// The instruction whose steps are the last of the tape.
    previous: u32,
    /// An operator that has no kernel.
    too_large: Option<String>,
}

/// The plan of a program.
pub(crate) fn plan<T: Real>(program: &DynProgram, halves: Halves, finite: bool) -> Result<Plan<T>, CompileError> {
    let kernels = Kernels::new(program, finite);
    let values = program.values();
    let mut planner = Planner {
        program,
        halves,
        kernels,
        root: (0..values as u32).collect(),
        late: vec![false; values],
        last: vec![Time(0); values],
        place: vec![None; values],
        arena: Arena::default(),
        fixed: vec![],
        consts: vec![],
        slots: vec![],
        tape: vec![],
        sweeps: Default::default(),
        direct: vec![None; values],
        middle: Time(0),
        scratch: 0,
        previous: 0,
        too_large: None,
    };
    planner.fix();
    let order = planner.order();
    planner.lives(&order);
    planner.outputs();
    planner.sweep(0, &order[0]);
    planner.sweep(1, &order[1]);
    planner.finish()
}

impl<T: Real> Planner<'_, T> {
    // ---- before anything is placed ---------------------------------------------------------------------------------

    /// The first places of the arena: scratch numbers, then the constants of the operations on numbers.
    fn fix(&mut self) {
        let singles = self.kernels.operations.iter().flatten().filter_map(|p| p.single.as_ref());
        let scratch = singles.map(|s| s.scratch as usize).max().unwrap_or(0).max(1);
        self.fixed = vec![T::zero(); scratch];
        for prepared in &self.kernels.operations {
            self.consts.push(self.fixed.len() as u32);
            if let Some(prepared) = prepared
                && let Some(single) = &prepared.single
            {
                self.fixed.extend(single.consts.iter().cloned());
                let from = prepared.first_constant as usize;
                let constants = &self.kernels.constants[from..from + prepared.constants];
                self.fixed.extend(constants.iter().filter_map(|c| c.first().cloned()));
            }
        }
        self.scratch = scratch as u32;
        self.arena.take(self.fixed.len());
    }

    /// The instructions of each sweep.
    fn order(&mut self) -> [Vec<u32>; 2] {
        let inputs = self.program.inputs().len();
        (self.halves.inputs..inputs).for_each(|i| self.late[i] = true);
        let mut order = [vec![], vec![]];
        for (at, instruction) in (0..).zip(self.program.instructions()) {
            let late = instruction.arguments.iter().any(|a| self.late[a.index()]);
            instruction.results().for_each(|r| self.late[r.index()] = late);
            for (result, copied) in instruction.results().zip(&self.kernels.operation(instruction.operation).copies) {
                if let Some(argument) = copied {
                    self.root[result.index()] = self.root[instruction.arguments[*argument as usize].index()];
                }
            }
            order[usize::from(late)].push(at);
        }
        order
    }

    fn lives(&mut self, order: &[Vec<u32>; 2]) {
        self.middle = Time(order[0].len() as u32 + 1);
        for (time, at) in (1..).zip(&order[0]).chain((self.middle.0 + 1..).zip(&order[1])) {
            for argument in self.program.instruction(*at as usize).arguments {
                let root = self.root[argument.index()] as usize;
                self.last[root] = self.last[root].max(Time(time));
            }
        }
    }

    /// Outputs are read when their sweep ends, or written directly by whoever makes them.
    fn outputs(&mut self) {
        let program = self.program;
        let mut readers = vec![0u32; program.values()];
        program.outputs().iter().for_each(|o| readers[self.root[o.value.index()] as usize] += 1);
        for (at, output) in program.outputs().iter().enumerate() {
            let value = output.value.index();
            let root = self.root[value] as usize;
            let gradient = at >= self.halves.outputs;
            let to = self.output(at);
            let length = program.shape_of(output.value).elements();
            let made_late = self.late[value];
            let here = if gradient { made_late } else { self.last[root] < self.middle };
            let made = program.producer(output.value).is_some() && value == root;
            if length > SMALL && here && made && readers[root] == 1 {
                self.direct[value] = Some(to);
                continue;
            }
            let end = if gradient { Time(u32::MAX) } else { self.middle };
            self.last[root] = self.last[root].max(end);
        }
    }

    fn output(&self, at: usize) -> Slot {
        match at.checked_sub(self.halves.outputs) {
            Some(at) => Slot { segment: Segment::Gradient, at: at as u32 },
            None => Slot { segment: Segment::Output, at: at as u32 },
        }
    }

    fn length(&self, value: usize) -> usize {
        self.program.shape_of(ValueId(value as u32)).elements()
    }

    // ---- a sweep ---------------------------------------------------------------------------------------------------

    fn sweep(&mut self, sweep: usize, order: &[u32]) {
        let inputs = if sweep == 0 { 0..self.halves.inputs } else { self.halves.inputs..self.program.inputs().len() };
        inputs.for_each(|i| self.input(sweep, i));
        let start = if sweep == 0 { 1 } else { self.middle.0 + 1 };
        let mut at = 0;
        while at < order.len() {
            let instruction = self.program.instruction(order[at] as usize);
            let prepared = self.kernels.operation(instruction.operation);
            let count = if prepared.nest.body.is_empty() {
                // Nothing but other names; it does not end a tape either.
                self.previous += u32::from(self.previous + 1 == order[at]);
                1
            } else if prepared.single.is_some() {
                self.single(sweep, order[at], &instruction);
                1
            } else {
                self.group(sweep, &order[at..], start + at as u32)
            };
            for (time, at) in (start + at as u32..).zip(&order[at..at + count]) {
                self.release(Time(time), &self.program.instruction(*at as usize));
            }
            at += count;
        }
        self.end(sweep);
    }

    /// Small inputs go to the arena.
    fn input(&mut self, sweep: usize, value: usize) {
        let (segment, at) = match value.checked_sub(self.halves.inputs) {
            Some(at) => (Segment::Seed, at as u32),
            None => (Segment::Input, value as u32),
        };
        let given = Slot { segment, at };
        let length = self.length(value);
        if self.last[value] == Time(0) {
            return;
        }
        if length > SMALL {
            self.place[value] = Some(given);
            return;
        }
        let to = self.take(length);
        self.place[value] = Some(to);
        self.sweeps[sweep].before.push(Transfer { to, from: given, length: length as u32 });
    }

    fn take(&mut self, length: usize) -> Slot {
        Slot { segment: Segment::Arena, at: self.arena.take(length) as u32 }
    }

    fn result(&mut self, value: usize) -> Slot {
        let slot = match self.direct[value] {
            Some(slot) => slot,
            None => self.take(self.length(value)),
        };
        self.place[value] = Some(slot);
        slot
    }

    fn slot(&self, value: usize) -> Slot {
        // A verified program refers to earlier values only.
        self.place[self.root[value] as usize].unwrap_or(Slot { segment: Segment::Arena, at: 0 })
    }

    /// Gives back what nobody reads any more.
    fn release(&mut self, time: Time, instruction: &Instruction<'_>) {
        for argument in instruction.arguments {
            self.give(self.root[argument.index()] as usize, time);
        }
        for result in instruction.results() {
            self.give(result.index(), time);
        }
    }

    fn give(&mut self, root: usize, time: Time) {
        // What the first sweep leaves for the second stays.
        let stays = time > self.middle && !self.late[root];
        if self.last[root] > time || stays {
            return;
        }
        if let Some(Slot { segment: Segment::Arena, at }) = self.place[root].take() {
            self.arena.give(at as usize, self.length(root));
        }
    }

    /// Copies outputs out.
    fn end(&mut self, sweep: usize) {
        let program = self.program;
        let outputs = if sweep == 0 { 0..self.halves.outputs } else { self.halves.outputs..program.outputs().len() };
        for at in outputs.clone() {
            let value = program.outputs()[at].value.index();
            if self.direct[value] != Some(self.output(at)) {
                let (to, from) = (self.output(at), self.slot(value));
                let length = self.length(value) as u32;
                self.sweeps[sweep].after.push(Transfer { to, from, length });
            }
        }
        if sweep == 0 {
            for at in outputs {
                self.give(self.root[program.outputs()[at].value.index()] as usize, self.middle);
            }
        }
    }

    // ---- numbers ---------------------------------------------------------------------------------------------------

    fn single(&mut self, sweep: usize, at: u32, instruction: &Instruction<'_>) {
        for result in instruction.results().filter(|r| self.root[r.index()] == r.0).collect::<Vec<_>>() {
            self.result(result.index());
        }
        let from = self.tape.len() as u32;
        let prepared = self.kernels.operation(instruction.operation);
        let Some(single) = &prepared.single else { return };
        let steps: Vec<TapeStep> = single.steps.iter().map(|step| self.tape_step(step, single, instruction)).collect();
        self.tape.extend(steps);
        let to = self.tape.len() as u32;
        match self.sweeps[sweep].steps.last_mut() {
            Some(Step::Tape { to: end, .. }) if self.previous + 1 == at => *end = to,
            _ => self.sweeps[sweep].steps.push(Step::Tape { from, to, instruction: at }),
        }
        self.previous = at;
    }

    fn tape_step(&self, step: &SingleStep, single: &Single<T>, instruction: &Instruction<'_>) -> TapeStep {
        let spot = |spot: Spot| self.spot(spot, single, instruction);
        TapeStep { op: step.op, target: spot(step.target), a: spot(step.a), b: spot(step.b) }
    }

    fn spot(&self, spot: Spot, single: &Single<T>, instruction: &Instruction<'_>) -> u32 {
        let consts = self.consts[instruction.operation];
        match spot {
            Spot::Scratch(at) => u32::from(at),
            Spot::Const(at) => consts + u32::from(at),
            Spot::Plain(number) => number as u32,
            Spot::Buffer(buffer) => match self.kernels.operation(instruction.operation).roles[buffer as usize] {
                Role::Given(Tensor::Input(i)) => self.slot(instruction.arguments[i as usize].index()).at,
                Role::Given(Tensor::Constant(c)) => consts + single.consts.len() as u32 + c,
                Role::Result(Tensor::Output(o)) => self.slot(instruction.result(o as usize).index()).at,
                _ => 0,
            },
        }
    }

    // ---- kernels ---------------------------------------------------------------------------------------------------

    /// Places as many instructions as run as one; how many.
    fn group(&mut self, sweep: usize, order: &[u32], time: u32) -> usize {
        let mut run = NONE;
        // The values of the run's buffers.
        let mut values: Vec<Option<usize>> = vec![];
        let mut count = 0;
        while let Some(at) = order.get(count) {
            let instruction = self.program.instruction(*at as usize);
            let prepared = self.kernels.operation(instruction.operation);
            let neighbours = count == 0 || order[count - 1] + 1 == *at && prepared.single.is_none();
            if !neighbours {
                break;
            }
            let (arguments, fresh) = self.wiring(&values, &instruction);
            let Some(next) = self.kernels.extend(run, instruction.operation, &arguments) else { break };
            run = next;
            values.extend(fresh.into_iter().map(Some));
            for part in &self.kernels.parts(run)[values.len()..] {
                values.push(match part {
                    Part::Result { output, .. } => Some(instruction.result(*output as usize).index()),
                    _ => None,
                });
            }
            count += 1;
        }
        let live = self.live(run, &values, Time(time + count as u32 - 1));
        let Some(kernel) = self.kernels.kernel(run, &live) else {
            let operator = self.program.instruction(order[0] as usize).operation;
            self.too_large = Some(self.program.operations()[operator].operator().shown().to_owned());
            return count.max(1);
        };
        let slots = self.kernel_slots(kernel, &values);
        self.sweeps[sweep].steps.push(Step::Kernel { kernel, slots, instruction: order[0] });
        count
    }

    /// For each argument the buffer of the run that it is, and the values of buffers that are new.
    fn wiring(&self, values: &[Option<usize>], instruction: &Instruction<'_>) -> (Vec<u16>, Vec<usize>) {
        let mut fresh: Vec<usize> = vec![];
        let arguments = instruction.arguments.iter().map(|argument| {
            let root = self.root[argument.index()] as usize;
            if let Some(known) = values.iter().position(|v| *v == Some(root)) {
                return known as u16;
            }
            let at = fresh.iter().position(|f| *f == root).unwrap_or_else(|| {
                fresh.push(root);
                fresh.len() - 1
            });
            (values.len() + at) as u16
        });
        (arguments.collect(), fresh)
    }

    /// Which results of the run are read after it.
    fn live(&self, run: u32, values: &[Option<usize>], end: Time) -> Vec<bool> {
        let parts = self.kernels.parts(run);
        let results = parts.iter().zip(values).filter(|(part, _)| matches!(part, Part::Result { .. }));
        results.map(|(_, value)| value.is_some_and(|v| self.last[v] > end || self.direct[v].is_some())).collect()
    }

    /// Places the buffers of a kernel, one after the other from the slot that is returned.
    fn kernel_slots(&mut self, kernel: u32, values: &[Option<usize>]) -> u32 {
        let first = self.slots.len() as u32;
        let Kernel { parts, used, code, .. } = &self.kernels.kernels[kernel as usize];
        let (parts, used, lengths) = (parts.clone(), used.clone(), code.lengths.clone());
        let mut locals = vec![];
        for (at, part) in parts.iter().enumerate() {
            let slot = match (part, values[at]) {
                (Part::Constant(constant), _) => Slot { segment: Segment::Constant, at: *constant },
                (Part::Argument, Some(value)) => self.slot(value),
                (Part::Result { .. }, Some(value)) if used[at] => self.result(value),
                _ if used[at] => {
                    let slot = self.take(lengths[at]);
                    locals.push((slot, lengths[at]));
                    slot
                }
                _ => Slot { segment: Segment::Arena, at: 0 },
            };
            self.slots.push(slot);
        }
        locals.into_iter().for_each(|(slot, length)| self.arena.give(slot.at as usize, length));
        first
    }

    // ---- the end ---------------------------------------------------------------------------------------------------

    fn finish(mut self) -> Result<Plan<T>, CompileError> {
        let large = |value: usize| self.length(value) > SMALL && self.last[value] > self.middle;
        let kept = (0..self.halves.inputs).filter(|i| large(*i)).map(|i| i as u32).collect();
        let arena = self.arena.end();
        let steps = |p: &Prepared<T>| p.single.as_ref().map_or(0, |s| s.steps.len() as u32);
        let texts = |p: &Prepared<T>| match p.single {
            Some(_) => p.nest.conditions.iter().map(|c| c.text.clone()).collect(),
            None => vec![],
        };
        self.slots.shrink_to_fit();
        self.tape.shrink_to_fit();
        if let Some(operator) = self.too_large {
            return Err(CompileError::Statement(operator));
        }
        u32::try_from(arena).map_err(|_| CompileError::TooLarge)?;
        Ok(Plan {
            conditions: self.kernels.operations.iter().map(|p| p.as_ref().map(texts).unwrap_or_default()).collect(),
            tape_steps: self.kernels.operations.iter().map(|p| p.as_ref().map_or(0, steps)).collect(),
            operations: Operations::of(self.program),
            sweeps: self.sweeps,
            kernels: self.kernels.kernels,
            slots: self.slots,
            tape: self.tape,
            constants: self.kernels.constants,
            scratch: self.scratch,
            fixed: self.fixed,
            arena,
            kept,
        })
    }
}
