//! Numbers alone: a flat list of steps on the arena, thirteen bytes each.
//!
//! Instructions on scalars would drown in the care that a kernel takes of its loops and buffers.
//! They are copied from their operation's pattern into one list, which runs like a hand-written tape of scalars.

use pullback_kernel::statement::Sign;
use pullback_scalar::Real;

use super::kernel::{self, Requirement, SingleOp};

/// A step on places of the arena.
///
/// Packed: a long program is mostly these, and what does not fit the cache is slower than what does not lie even.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, packed)]
pub(crate) struct TapeStep {
    pub(crate) op: SingleOp,
    pub(crate) target: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// Why a tape ended early, and at which step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// A condition does not hold; which one is in the step's `b`.
    Condition(usize),
    /// A value is not finite.
    NotFinite(usize),
}

/// Runs steps. With `finite`, a value that is not finite ends the run; places before `scratch` are no values.
pub(crate) fn run<T: Real>(steps: &[TapeStep], arena: &mut [T], finite: bool, scratch: u32) -> Result<(), Stop> {
    if !finite {
        return go(steps, arena, |_, _| true);
    }
    // Nearly every number is finite: that is asked first.
    go(steps, arena, |target, value| (value.clone() - value.clone()).is_zero() || target < scratch)
}

#[inline(always)]
fn go<T: Real>(steps: &[TapeStep], arena: &mut [T], sound: impl Fn(u32, &T) -> bool) -> Result<(), Stop> {
    let (mut difference, mut strict) = (T::zero(), false);
    for (at, step) in steps.iter().enumerate() {
        let TapeStep { op, target, a, b } = *step;
        let a = arena[a as usize].clone();
        let second = || arena[b as usize].clone();
        let value = match op {
            SingleOp::Copy => a,
            SingleOp::Neg => -a,
            SingleOp::Call(f) => kernel::call(f, a),
            SingleOp::Sound => kernel::sound(a),
            SingleOp::Add => a + second(),
            SingleOp::Sub => a - second(),
            SingleOp::Mul => a * second(),
            SingleOp::Div => a / second(),
            SingleOp::Slope => {
                let b = second();
                a * (T::one() - b.clone() * b)
            }
            SingleOp::Power => a.powi(b as i32),
            SingleOp::Choose => kernel::choose(strict, difference.clone(), T::zero(), a, second()),
            SingleOp::Exceeds | SingleOp::Reaches => {
                (difference, strict) = (a - second(), op == SingleOp::Exceeds);
                continue;
            }
            SingleOp::Positive | SingleOp::NonNegative | SingleOp::NonZero => {
                if !kernel::holds(Requirement::Sign(sign(op)), &a) {
                    return Err(Stop::Condition(at));
                }
                continue;
            }
            SingleOp::Finite => {
                if !kernel::holds(Requirement::Finite, &a) {
                    return Err(Stop::NotFinite(at));
                }
                continue;
            }
        };
        if !sound(target, &value) {
            return Err(Stop::NotFinite(at));
        }
        arena[target as usize] = value;
    }
    Ok(())
}

/// The sign that a condition asks for.
fn sign(op: SingleOp) -> Sign {
    match op {
        SingleOp::Positive => Sign::Positive,
        SingleOp::NonNegative => Sign::NonNegative,
        _ => Sign::NonZero,
    }
}
