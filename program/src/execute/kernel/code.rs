//! The code that a nest becomes: steps over registers, and loops over steps.
//!
//! A register is one number, or as many numbers as run side by side ([`LANES`](super::lanes::LANES)).
//! An operand names either kind: numbers from [`ONE`] on are single, and the first of these are the constants.

use std::sync::Arc;

use pullback_schedule::Reduction;

use super::nest::{Binary, Condition, Requirement, Unary};

/// A register, of lanes below [`ONE`].
pub(crate) type Reg = u16;
/// The first single register.
pub(crate) const ONE: Reg = 1 << 15;

/// A step. Steps that write a register of lanes do so for all lanes that run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// The next `length` steps, `extent` times.
    Repeat { counter: u16, extent: u32, length: u32 },
    /// The next `length` steps, once for each block of lanes.
    Lanes { counter: u16, extent: u32, length: u32 },
    /// From memory.
    Load { dst: Reg, place: u16 },
    /// A function of one number.
    Unary { op: Unary, dst: Reg, a: Reg },
    /// An integer power.
    Power { dst: Reg, a: Reg, exponent: i32 },
    /// A function of two numbers.
    Binary { op: Binary, dst: Reg, a: Reg, b: Reg },
    /// `then` where left is greater than right (or, not strict, equal to it).
    Choose { strict: bool, dst: Reg, parts: [Reg; 4] },
    /// One where two points are equal, else zero.
    Equal { dst: Reg, p: u16, q: u16 },
    /// To memory; to undefined places nothing.
    Store { place: u16, a: Reg },
    /// Adds to memory, lane after lane.
    Add { place: u16, a: Reg },
    /// The same number.
    Move { dst: Reg, a: Reg },
    /// Brings a number into an accumulator of the same kind.
    Fold { how: Reduction, dst: Reg, a: Reg },
    /// Brings the lanes of an accumulator into a single one.
    Combine { how: Reduction, dst: Reg, lanes: Reg, extent: u32 },
    /// Sets the lanes that a loop of this extent uses.
    Spread { dst: Reg, a: Reg, extent: u32 },
    /// Ends the kernel where a condition does not hold.
    Check { check: u16, a: Reg },
    /// Sets a buffer to zero.
    Zero { buffer: u16 },
    /// Copies a buffer.
    Copy { target: u16, source: u16 },
    /// A matrix product.
    Gemm { product: u16 },
}

/// `constant + Σ factor · counter`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) constant: i64,
    pub(crate) terms: Box<[(u16, i64)]>,
}

/// A value of a table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Entry {
    pub(crate) table: u16,
    pub(crate) at: Sum,
    pub(crate) scale: i64,
    /// How far the place in the table moves from lane to lane.
    pub(crate) step: i64,
    /// The runs of the table from each place, where the lanes make runs.
    pub(crate) runs: Option<u16>,
}

/// What lanes find in a table: from one lane to before another values that are evenly spaced, and nothing before and after.
/// The border of a padded window is where such a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Run {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) first: i64,
    pub(crate) slope: i64,
}

/// A number of elements from a buffer's start, or a position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Point {
    pub(crate) base: Sum,
    /// How far it moves from lane to lane, the tables aside.
    pub(crate) step: i64,
    /// What is the same for all lanes.
    pub(crate) shared: Box<[Entry]>,
    /// What is looked up for each lane.
    pub(crate) looked_up: Box<[Entry]>,
}

/// An element of a buffer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    pub(crate) buffer: u16,
    pub(crate) point: Point,
}

/// A condition.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) condition: Condition,
    pub(crate) required: Requirement,
    /// The flat index that an error names, for the first lane.
    pub(crate) at: Sum,
    pub(crate) step: i64,
}

/// A matrix product: places and strides of target, left and right.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    pub(crate) m: usize,
    pub(crate) k: usize,
    pub(crate) n: usize,
    pub(crate) places: [u16; 3],
    pub(crate) rows: [usize; 3],
    pub(crate) cols: [usize; 3],
}

/// All that a routine needs to run, its buffers aside.
#[derive(Clone, Debug)]
pub(crate) struct Code<T> {
    pub(crate) ops: Vec<Op>,
    /// What the first single registers hold.
    pub(crate) consts: Vec<T>,
    pub(crate) places: Vec<Place>,
    pub(crate) points: Vec<Point>,
    pub(crate) products: Vec<Product>,
    pub(crate) checks: Vec<Check>,
    pub(crate) tables: Vec<Arc<[u32]>>,
    /// For each place in a table the run from there.
    pub(crate) runs: Vec<Box<[Run]>>,
    /// How many counters, single registers and registers of lanes it uses.
    pub(crate) counters: usize,
    pub(crate) singles: usize,
    pub(crate) lanes: usize,
    /// The length of each buffer.
    pub(crate) lengths: Vec<usize>,
}

impl Op {
    /// Calls the function with every register that the step names.
    pub(crate) fn registers(&mut self, f: &mut impl FnMut(&mut Reg)) {
        match self {
            Op::Repeat { .. } | Op::Lanes { .. } | Op::Zero { .. } | Op::Copy { .. } | Op::Gemm { .. } => {}
            Op::Load { dst, .. } | Op::Equal { dst, .. } => f(dst),
            Op::Store { a, .. } | Op::Add { a, .. } | Op::Check { a, .. } => f(a),
            Op::Unary { dst, a, .. }
            | Op::Power { dst, a, .. }
            | Op::Move { dst, a }
            | Op::Fold { dst, a, .. }
            | Op::Spread { dst, a, .. }
            | Op::Combine { dst, lanes: a, .. } => {
                f(dst);
                f(a);
            }
            Op::Binary { dst, a, b, .. } => {
                f(dst);
                f(a);
                f(b);
            }
            Op::Choose { dst, parts, .. } => {
                f(dst);
                parts.iter_mut().for_each(f);
            }
        }
    }
}
