//! Runs code: registers, counters, and one pass over the steps.

use pullback_scalar::Real;

use super::arithmetic::{self, Side};
use super::code::{Code, ONE, Op, Point, Product, Reg};
use super::lanes::LANES;
use crate::execute::memory::{Memory, Slot};

/// A condition that does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Violation {
    /// Which condition of the code.
    pub(crate) check: u16,
    /// The flat index of the first place where it does not hold.
    pub(crate) at: usize,
}

/// What code runs on. One machine serves all kernels, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Machine<T> {
    lanes: Vec<Box<[T]>>,
    singles: Vec<T>,
    pub(super) counters: Vec<i64>,
    /// How many lanes run; one outside of loops with lanes.
    pub(super) width: usize,
}

/// Kernel and buffers of one run.
pub(super) struct Frame<'a, T> {
    pub(super) code: &'a Code<T>,
    pub(super) slots: &'a [Slot],
}

impl<T: Real> Machine<T> {
    /// A machine without registers.
    pub(crate) fn new() -> Self {
        Machine { lanes: vec![], singles: vec![], counters: vec![], width: 1 }
    }

    /// Makes registers enough for the code.
    pub(crate) fn fit(&mut self, code: &Code<T>) {
        let lanes = || vec![T::zero(); LANES].into_boxed_slice();
        self.lanes.resize_with(code.lanes.max(self.lanes.len()), lanes);
        self.singles.resize(code.singles.max(self.singles.len()), T::zero());
        self.counters.resize(code.counters.max(self.counters.len()), 0);
    }

    /// Runs code for which the machine is large enough, its buffers at the slots.
    pub(crate) fn run(
        &mut self,
        code: &Code<T>,
        slots: &[Slot],
        memory: &mut Memory<'_, '_, '_, T>,
    ) -> Result<(), Violation> {
        self.width = 1;
        self.singles[..code.consts.len()].clone_from_slice(&code.consts);
        self.steps(&Frame { code, slots }, &code.ops, memory)
    }

    fn steps(&mut self, frame: &Frame<'_, T>, ops: &[Op], memory: &mut Memory<'_, '_, '_, T>) -> Result<(), Violation> {
        let mut rest = ops;
        while let Some((op, next)) = rest.split_first() {
            rest = next;
            match *op {
                Op::Repeat { counter, extent, length } => {
                    let (body, after) = rest.split_at(length as usize);
                    for i in 0..i64::from(extent) {
                        self.counters[counter as usize] = i;
                        self.steps(frame, body, memory)?;
                    }
                    rest = after;
                }
                Op::Lanes { counter, extent, length } => {
                    let (body, after) = rest.split_at(length as usize);
                    self.blocks(frame, counter, extent as usize, body, memory)?;
                    rest = after;
                }
                Op::Check { check, a } => self.check(frame, check, a)?,
                _ => self.step(frame, op, memory),
            }
        }
        Ok(())
    }

    fn blocks(
        &mut self,
        frame: &Frame<'_, T>,
        counter: u16,
        extent: usize,
        body: &[Op],
        memory: &mut Memory<'_, '_, '_, T>,
    ) -> Result<(), Violation> {
        let mut from = 0;
        while from < extent {
            self.counters[counter as usize] = from as i64;
            self.width = LANES.min(extent - from);
            self.steps(frame, body, memory)?;
            from += LANES;
        }
        self.width = 1;
        Ok(())
    }

    #[inline]
    fn step(&mut self, frame: &Frame<'_, T>, op: &Op, memory: &mut Memory<'_, '_, '_, T>) {
        match *op {
            Op::Load { dst, place } if dst >= ONE => {
                self.singles[(dst - ONE) as usize] = self.load(frame, place, memory);
            }
            Op::Load { dst, place } => self.load_lanes(frame, dst, place, memory),
            Op::Unary { op, dst, a } => match self.single(dst, a) {
                Some(a) => self.singles[(dst - ONE) as usize] = arithmetic::unary(op, a),
                None => self.with(dst, |m, dst| arithmetic::unary_lanes(op, dst, m.many(a))),
            },
            Op::Power { dst, a, exponent } => match self.single(dst, a) {
                Some(a) => self.singles[(dst - ONE) as usize] = a.powi(exponent),
                None => self.with(dst, |m, dst| {
                    dst.iter_mut().zip(m.many(a)).for_each(|(dst, a)| *dst = a.clone().powi(exponent));
                }),
            },
            Op::Binary { op, dst, a, b } if dst >= ONE => {
                let (a, b) = (self.one(a).clone(), self.one(b).clone());
                self.singles[(dst - ONE) as usize] = arithmetic::binary(op, a, b);
            }
            Op::Binary { op, dst, a, b } => {
                self.with(dst, |m, dst| arithmetic::binary_lanes(op, dst, m.side(a), m.side(b)));
            }
            Op::Choose { strict, dst, parts } if dst >= ONE => {
                let [left, right, then, otherwise] = parts.map(|p| self.one(p).clone());
                self.singles[(dst - ONE) as usize] = arithmetic::choose(strict, left, right, then, otherwise);
            }
            Op::Choose { strict, dst, parts } => {
                self.with(dst, |m, dst| arithmetic::choose_lanes(strict, dst, parts.map(|p| m.many(p))));
            }
            Op::Equal { dst, p, q } => self.equal(frame, dst, p, q),
            Op::Store { place, a } => self.store(frame, place, a, memory),
            Op::Add { place, a } => self.add(frame, place, a, memory),
            Op::Move { dst, a } if dst >= ONE => self.singles[(dst - ONE) as usize] = self.one(a).clone(),
            Op::Move { dst, a } => self.with(dst, |m, dst| match m.side(a) {
                Side::Lanes(a) => dst.clone_from_slice(a),
                Side::All(a) => dst.fill(a.clone()),
            }),
            Op::Fold { how, dst, a } if dst >= ONE => {
                let a = self.one(a).clone();
                let acc = &mut self.singles[(dst - ONE) as usize];
                *acc = arithmetic::fold(how, acc.clone(), a);
            }
            Op::Fold { how, dst, a } => self.with(dst, |m, dst| arithmetic::fold_lanes(how, dst, m.side(a))),
            Op::Spread { dst, a, extent } => {
                let value = self.one(a).clone();
                self.lanes[dst as usize][..LANES.min(extent as usize)].fill(value);
            }
            Op::Combine { how, dst, lanes, extent } => {
                let lanes = &mut self.lanes[lanes as usize][..LANES.min(extent as usize)];
                if let Some(total) = arithmetic::combine(how, lanes) {
                    let acc = &mut self.singles[(dst - ONE) as usize];
                    *acc = arithmetic::fold(how, acc.clone(), total.clone());
                }
            }
            Op::Zero { buffer } => {
                let length = frame.code.lengths[buffer as usize];
                memory.write(frame.slots[buffer as usize])[..length].fill(T::zero());
            }
            Op::Copy { target, source } => {
                let length = frame.code.lengths[target as usize];
                memory.copy(frame.slots[target as usize], frame.slots[source as usize], length);
            }
            Op::Gemm { product } => self.gemm(frame, &frame.code.products[product as usize], memory),
            Op::Repeat { .. } | Op::Lanes { .. } | Op::Check { .. } => {}
        }
    }

    // ---- registers -------------------------------------------------------------------------------------------------

    pub(super) fn one(&self, reg: Reg) -> &T {
        &self.singles[(reg - ONE) as usize]
    }

    /// The operand where the step is on single registers.
    fn single(&self, dst: Reg, a: Reg) -> Option<T> {
        (dst >= ONE).then(|| self.one(a).clone())
    }

    pub(super) fn many(&self, reg: Reg) -> &[T] {
        &self.lanes[reg as usize][..self.width]
    }

    pub(super) fn side(&self, reg: Reg) -> Side<'_, T> {
        if reg < ONE { Side::Lanes(self.many(reg)) } else { Side::All(self.one(reg)) }
    }

    /// Takes a register of lanes out while it is written; no operand of the step is the same one.
    #[inline(always)]
    pub(super) fn with(&mut self, dst: Reg, f: impl FnOnce(&Self, &mut [T])) {
        let mut taken = std::mem::take(&mut self.lanes[dst as usize]);
        f(self, &mut taken[..self.width]);
        self.lanes[dst as usize] = taken;
    }

    // ---- the rest --------------------------------------------------------------------------------------------------

    fn equal(&mut self, frame: &Frame<'_, T>, dst: Reg, p: u16, q: u16) {
        let (p, q) = (&frame.code.points[p as usize], &frame.code.points[q as usize]);
        let indicator = |equal: bool| if equal { T::one() } else { T::zero() };
        if dst >= ONE {
            let (p, q) = (self.base(frame, p), self.base(frame, q));
            self.singles[(dst - ONE) as usize] = indicator(p.is_some() && p == q);
            return;
        }
        let (base_p, base_q) = (self.base(frame, p), self.base(frame, q));
        self.with(dst, |m, dst| {
            for (lane, dst) in (0..).zip(dst) {
                let at = |point: &Point, base: Option<i64>| {
                    Some(base? + lane * point.step + m.entries(frame, &point.looked_up, lane)?)
                };
                let (p, q) = (at(p, base_p), at(q, base_q));
                *dst = indicator(p.is_some() && p == q);
            }
        });
    }

    fn check(&self, frame: &Frame<'_, T>, check: u16, a: Reg) -> Result<(), Violation> {
        let condition = &frame.code.checks[check as usize];
        let failed = match self.side(a) {
            Side::All(a) => (!arithmetic::holds(condition.required, a)).then_some(0),
            Side::Lanes(a) => arithmetic::first_failure(condition.required, a),
        };
        match failed {
            None => Ok(()),
            Some(lane) => {
                let at = self.sum(&condition.at) + lane as i64 * condition.step;
                Err(Violation { check, at: at as usize })
            }
        }
    }

    fn gemm(&self, frame: &Frame<'_, T>, p: &Product, memory: &mut Memory<'_, '_, '_, T>) {
        let place = |side: usize| {
            let place = &frame.code.places[p.places[side] as usize];
            self.base(frame, &place.point).map(|at| (frame.slots[place.buffer as usize], at as usize))
        };
        let (Some(target), Some(left), Some(right)) = (place(0), place(1), place(2)) else { return };
        let extent = |rows: usize, cols: usize, side: usize| {
            rows.saturating_sub(1) * p.rows[side] + cols.saturating_sub(1) * p.cols[side] + 1
        };
        memory.apart(target.0, target.1 + extent(p.m, p.n, 0), left.0, right.0, |dst, lhs, rhs| {
            T::gemm(
                p.m, p.k, p.n, dst, target.1, p.rows[0], p.cols[0], lhs, left.1, p.rows[1], p.cols[1], rhs, right.1,
                p.rows[2], p.cols[2],
            );
        });
    }
}
