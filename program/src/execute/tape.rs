//! Numbers alone: a flat list of steps on the arena, thirteen bytes each.
//!
//! Instructions on scalars would drown in the care that a kernel takes of its loops and buffers.
//! They are copied from their operation's pattern into one list, which runs like a hand-written tape of scalars.

use pullback_scalar::Real;

use super::kernel::{SingleOp, call};

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
    go(steps, arena, |target, value| target < scratch || (value.clone() - value.clone()).is_zero())
}

#[inline(always)]
fn go<T: Real>(steps: &[TapeStep], arena: &mut [T], sound: impl Fn(u32, &T) -> bool) -> Result<(), Stop> {
    let mut holds = false;
    for (at, step) in steps.iter().enumerate() {
        let TapeStep { op, target, a, b } = *step;
        let a = arena[a as usize].clone();
        let second = || arena[b as usize].clone();
        let value = match op {
            SingleOp::Copy => a,
            SingleOp::Neg => -a,
            SingleOp::Call(f) => call(f, a),
            SingleOp::Add => a + second(),
            SingleOp::Sub => a - second(),
            SingleOp::Mul => a * second(),
            SingleOp::Div => a / second(),
            SingleOp::Slope => {
                let b = second();
                a * (T::one() - b.clone() * b)
            }
            SingleOp::Power => a.powi(b as i32),
            SingleOp::Choose => {
                if holds {
                    a
                } else {
                    second()
                }
            }
            SingleOp::Exceeds | SingleOp::Reaches => {
                let difference = a - second();
                holds = difference.is_positive() || op == SingleOp::Reaches && difference.is_zero();
                continue;
            }
            SingleOp::Positive | SingleOp::NonNegative | SingleOp::NonZero => {
                if !fulfils(op, &a) {
                    return Err(Stop::Condition(at));
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

fn fulfils<T: Real>(op: SingleOp, a: &T) -> bool {
    match op {
        SingleOp::Positive => a.is_positive(),
        SingleOp::NonNegative => a.is_positive() || a.is_zero(),
        _ => a.is_positive() || (-a.clone()).is_positive(),
    }
}
