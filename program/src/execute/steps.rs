//! What a plan consists of: steps, the places that they work on, and what errors need.

use std::sync::Arc;

use super::group::Kernel;
use super::memory::Slot;
use super::tape::TapeStep;
use crate::program::DynProgram;

/// A step of a sweep.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// These steps of the tape, the first of them for that instruction.
    Tape { from: u32, to: u32, instruction: u32 },
    /// A kernel with its buffers from that slot on, the first of its operations being that instruction.
    Kernel { kernel: u32, slots: u32, instruction: u32 },
}

/// Elements that are brought from one place to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) to: Slot,
    pub(crate) from: Slot,
    pub(crate) length: u32,
}

/// What one sweep does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweep {
    pub(crate) before: Vec<Transfer>,
    pub(crate) steps: Vec<Step>,
    pub(crate) after: Vec<Transfer>,
}

/// The operation of each instruction, for errors: in a byte where there are few.
#[derive(Clone, Debug)]
pub(crate) enum Operations {
    Few(Box<[u8]>),
    Many(Box<[u32]>),
}

impl Operations {
    /// Of all instructions.
    pub(crate) fn of(program: &DynProgram) -> Self {
        if program.operations().len() <= 256 {
            Operations::Few(program.instructions().map(|i| i.operation as u8).collect())
        } else {
            Operations::Many(program.instructions().map(|i| i.operation as u32).collect())
        }
    }

    /// The operation of an instruction.
    pub(crate) fn get(&self, instruction: usize) -> Option<usize> {
        match self {
            Operations::Few(few) => few.get(instruction).map(|o| usize::from(*o)),
            Operations::Many(many) => many.get(instruction).map(|o| *o as usize),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Operations::Few(few) => few.len(),
            Operations::Many(many) => size_of_val(&**many),
        }
    }
}

/// A plan.
#[derive(Clone, Debug)]
pub(crate) struct Plan<T> {
    pub(crate) sweeps: [Sweep; 2],
    pub(crate) kernels: Vec<Kernel<T>>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) tape: Vec<TapeStep>,
    pub(crate) constants: Vec<Arc<[T]>>,
    /// What the first places of the arena hold: scratch numbers, then constants of the tape.
    pub(crate) fixed: Vec<T>,
    pub(crate) scratch: u32,
    pub(crate) arena: usize,
    /// Inputs that the second sweep reads where the caller has them.
    pub(crate) kept: Vec<u32>,
    /// The operation of each instruction, and how many steps of the tape each operation has.
    pub(crate) operations: Operations,
    pub(crate) tape_steps: Vec<u32>,
    /// The texts of the conditions of each operation on numbers.
    pub(crate) conditions: Vec<Vec<Arc<str>>>,
}

impl<T> Plan<T> {
    /// How many steps of the tape an instruction has.
    pub(crate) fn steps_of(&self, instruction: usize) -> usize {
        self.operations.get(instruction).map_or(usize::MAX, |o| self.tape_steps[o] as usize)
    }

    /// The texts of the conditions of an instruction on numbers.
    pub(crate) fn conditions_of(&self, instruction: usize) -> &[Arc<str>] {
        self.operations.get(instruction).map_or(&[], |o| &self.conditions[o])
    }

    /// Bytes that grow with the program, the arena aside.
    pub(crate) fn bytes(&self) -> usize {
        let sweeps =
            self.sweeps.iter().map(|s| size_of_val(&*s.before) + size_of_val(&*s.steps) + size_of_val(&*s.after));
        sweeps.sum::<usize>()
            + size_of_val(&*self.slots)
            + size_of_val(&*self.tape)
            + self.operations.bytes()
            + self.kernels.iter().map(|k| size_of_val(k) + size_of_val(&*k.code.ops)).sum::<usize>()
            + self.constants.iter().map(|c| size_of_val(&**c)).sum::<usize>()
    }
}
