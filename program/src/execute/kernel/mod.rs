//! Kernels: routines at concrete sizes, as code for a small machine.
//!
//! | pass | module | what it does |
//! | --- | --- | --- |
//! | concrete | `concrete` | sizes, maps and parameters become numbers: a [`Nest`] |
//! | merge | `merge` | two loops that run along memory together become one |
//! | fuse | `fuse` | sweeps over the same elements become one, within an operation and across operations |
//! | sound | `sound` | what is not finite is not hidden by a later step |
//! | results | `results` | what is a copy, what nobody reads, what must be finite |
//! | choose | `lanes` | which loops run their iterations side by side |
//! | graph | `dag` | equal expressions once, what was just stored not loaded again |
//! | emit | `emit`, `runs` | registers and steps: [`Code`]; where a table is straight along the lanes |
//! | run | `machine` | one pass over the steps, with `access` to memory and `arithmetic` on slices |
//!
//! Code is shared by all instructions with the same operation: it knows its buffers by number only.
//!
//! The order of every accumulation is fixed by the code: a sum inside of lanes runs in the order of its loop,
//! a sum across lanes has one partial sum a lane, and these are brought together the upper half into the lower.

mod access;
mod arithmetic;
mod code;
mod concrete;
mod dag;
mod emit;
mod fuse;
mod lanes;
mod machine;
mod merge;
mod nest;
mod results;
mod runs;
mod single;
mod sound;

#[cfg(test)]
mod tests;

use pullback_scalar::Real;
use pullback_schedule::Routine;

pub(crate) use arithmetic::{call, choose, first_failure, holds, sound};
pub(crate) use code::Code;
pub(crate) use concrete::{Setting, float, number};
pub(crate) use fuse::{append, is_one_sweep, last_sweep};
pub(crate) use machine::{Machine, Violation};
pub(crate) use nest::{Nest, Requirement, Stmt};
pub(crate) use results::{copies, pass_on, require_finite};
pub(crate) use single::{Single, SingleOp, SingleStep, Spot, single};
pub(crate) use sound::keep;

/// The nest of a routine.
pub(crate) fn nest<T: Real>(routine: &Routine, setting: Setting<'_, T>) -> Nest<T> {
    let mut nest = concrete::concrete(routine, setting);
    tidy(&mut nest);
    nest
}

/// Brings loops together.
pub(crate) fn tidy<T>(nest: &mut Nest<T>) {
    merge::merge(&mut nest.body);
    fuse::fuse(nest);
}

/// The code of a nest; none for one that is too large.
pub(crate) fn code<T: Real>(mut nest: Nest<T>) -> Option<Code<T>> {
    merge::merge(&mut nest.body);
    lanes::choose(&mut nest.body);
    debug_assert!(nest.is_closed(), "a counter without a loop");
    emit::emit(nest)
}
