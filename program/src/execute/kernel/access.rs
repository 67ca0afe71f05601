//! Where a machine reads and writes: places worked out from counters and tables, and the loops over lanes along memory.

use pullback_scalar::Real;
use pullback_schedule::Reduction;

use super::arithmetic::{self, Side};
use super::code::{Entry, Place, Point, Reg, Sum};
use super::concrete::UNDEFINED;
use super::machine::{Frame, Machine};
use crate::execute::memory::Memory;

/// Lanes whose places are evenly spaced. Those before and after have none.
#[derive(Clone, Copy)]
struct Stretch {
    from: usize,
    to: usize,
    /// The place of the first.
    at: i64,
    step: i64,
}

impl Stretch {
    /// The places, where they are side by side.
    fn range(&self) -> Option<core::ops::Range<usize>> {
        let at = self.at as usize;
        (self.step == 1).then(|| at..at + (self.to - self.from))
    }

    /// Each lane with its place.
    #[inline(always)]
    fn each(&self, mut f: impl FnMut(usize, usize)) {
        let mut at = self.at;
        for lane in self.from..self.to {
            f(lane, at as usize);
            at += self.step;
        }
    }
}

impl<T: Real> Machine<T> {
    #[inline(always)]
    pub(super) fn sum(&self, sum: &Sum) -> i64 {
        sum.terms.iter().fold(sum.constant, |at, (counter, factor)| at + self.counters[*counter as usize] * factor)
    }

    /// The position of the first lane, what is looked up for each lane aside; none where it is undefined for all.
    #[inline(always)]
    pub(super) fn base(&self, frame: &Frame<'_, T>, point: &Point) -> Option<i64> {
        let mut base = self.sum(&point.base);
        for entry in &point.shared {
            let value = frame.code.tables[entry.table as usize][self.sum(&entry.at) as usize];
            if value == UNDEFINED {
                return None;
            }
            base += i64::from(value) * entry.scale;
        }
        Some(base)
    }

    /// What is looked up for a lane.
    pub(super) fn entries(&self, frame: &Frame<'_, T>, entries: &[Entry], lane: i64) -> Option<i64> {
        entries.iter().try_fold(0, |at, entry| {
            let value = frame.code.tables[entry.table as usize][(self.sum(&entry.at) + lane * entry.step) as usize];
            (value != UNDEFINED).then(|| at + i64::from(value) * entry.scale)
        })
    }

    /// The lanes as a stretch; none where each needs a look at a table.
    #[inline(always)]
    fn stretch(&self, frame: &Frame<'_, T>, point: &Point) -> Option<Stretch> {
        let nowhere = Stretch { from: 0, to: 0, at: 0, step: 1 };
        match &*point.looked_up {
            [] => Some(self.base(frame, point).map_or(nowhere, |at| Stretch {
                from: 0,
                to: self.width,
                at,
                step: point.step,
            })),
            [entry] => {
                let run = frame.code.runs[entry.runs? as usize][self.sum(&entry.at) as usize];
                Some(self.base(frame, point).map_or(nowhere, |base| Stretch {
                    from: run.from as usize,
                    to: run.to as usize,
                    at: base + i64::from(run.from) * point.step + run.first * entry.scale,
                    step: point.step + run.slope * entry.scale,
                }))
            }
            _ => None,
        }
    }

    /// Calls the function with each lane that has a place, and its place.
    #[inline(always)]
    fn positions(&self, frame: &Frame<'_, T>, point: &Point, mut f: impl FnMut(usize, usize)) {
        let Some(base) = self.base(frame, point) else { return };
        if let [entry] = &*point.looked_up {
            let (table, from) = (&frame.code.tables[entry.table as usize], self.sum(&entry.at));
            for lane in 0..self.width {
                let value = table[(from + lane as i64 * entry.step) as usize];
                if value != UNDEFINED {
                    f(lane, (base + lane as i64 * point.step + i64::from(value) * entry.scale) as usize);
                }
            }
            return;
        }
        for lane in 0..self.width {
            if let Some(at) = self.entries(frame, &point.looked_up, lane as i64) {
                f(lane, (base + lane as i64 * point.step + at) as usize);
            }
        }
    }

    // ---- single numbers --------------------------------------------------------------------------------------------

    pub(super) fn load(&self, frame: &Frame<'_, T>, place: u16, memory: &Memory<'_, '_, '_, T>) -> T {
        let place = &frame.code.places[place as usize];
        match self.base(frame, &place.point) {
            Some(at) => memory.read(frame.slots[place.buffer as usize])[at as usize].clone(),
            None => T::zero(),
        }
    }

    // ---- side by side ----------------------------------------------------------------------------------------------

    pub(super) fn load_lanes(&mut self, frame: &Frame<'_, T>, dst: Reg, place: u16, memory: &Memory<'_, '_, '_, T>) {
        let Place { buffer, point } = &frame.code.places[place as usize];
        let from = memory.read(frame.slots[*buffer as usize]);
        self.with(dst, |m, dst| {
            let Some(stretch) = m.stretch(frame, point) else {
                dst.fill(T::zero());
                return m.positions(frame, point, |lane, at| dst[lane] = from[at].clone());
            };
            dst[..stretch.from].fill(T::zero());
            dst[stretch.to..].fill(T::zero());
            match stretch.range() {
                Some(range) => dst[stretch.from..stretch.to].clone_from_slice(&from[range]),
                None => stretch.each(|lane, at| dst[lane] = from[at].clone()),
            }
        });
    }

    pub(super) fn store(&mut self, frame: &Frame<'_, T>, place: u16, a: Reg, memory: &mut Memory<'_, '_, '_, T>) {
        let Place { buffer, point } = &frame.code.places[place as usize];
        let to = memory.write(frame.slots[*buffer as usize]);
        let a = self.side(a);
        let Some(stretch) = self.stretch(frame, point) else {
            return self.positions(frame, point, |lane, at| to[at] = a.at(lane).clone());
        };
        match (stretch.range(), a) {
            (Some(range), Side::Lanes(a)) => to[range].clone_from_slice(&a[stretch.from..stretch.to]),
            (Some(range), Side::All(a)) => to[range].fill(a.clone()),
            (None, a) => stretch.each(|lane, at| to[at] = a.at(lane).clone()),
        }
    }

    /// Lane after lane, also where several add to one place.
    pub(super) fn add(&mut self, frame: &Frame<'_, T>, place: u16, a: Reg, memory: &mut Memory<'_, '_, '_, T>) {
        let Place { buffer, point } = &frame.code.places[place as usize];
        let to = memory.write(frame.slots[*buffer as usize]);
        let side = self.side(a);
        let Some(stretch) = self.stretch(frame, point) else {
            return self.positions(frame, point, |lane, at| to[at].accumulate(side.at(lane).clone()));
        };
        match (stretch.range(), side) {
            (Some(range), Side::Lanes(a)) => {
                let lanes = &a[stretch.from..stretch.to];
                arithmetic::fold_lanes(Reduction::Sum, &mut to[range], Side::Lanes(lanes));
            }
            (Some(range), all) => arithmetic::fold_lanes(Reduction::Sum, &mut to[range], all),
            (None, Side::Lanes(a)) if stretch.step == 0 && stretch.from < stretch.to => {
                let total = &mut to[stretch.at as usize];
                *total = a[stretch.from..stretch.to].iter().fold(total.clone(), |sum, a| sum + a.clone());
            }
            (None, side) => stretch.each(|lane, at| to[at].accumulate(side.at(lane).clone())),
        }
    }
}
