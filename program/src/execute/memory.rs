//! Where values lie: in the arena of an executable, in constants, or in what the caller gave.

use std::sync::Arc;

/// Which storage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Segment {
    /// From an element of the arena on.
    Arena,
    /// A constant of an operation, by position.
    Constant,
    /// An input of the call, by position.
    Input,
    /// A cotangent of the call, by position.
    Seed,
    /// An output of the call, by position.
    Output,
    /// A gradient that the call asks for, by position.
    Gradient,
}

/// Where a buffer starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Slot {
    pub(crate) segment: Segment,
    pub(crate) at: u32,
}

/// The inputs of a call, or copies of them that were kept.
#[derive(Clone, Copy)]
pub(crate) enum Inputs<'a, T> {
    Given(&'a [&'a [T]]),
    Kept(&'a [Vec<T>]),
}

/// All storage of a run.
pub(crate) struct Memory<'a, 'b, 'c, T> {
    pub(crate) arena: &'a mut [T],
    pub(crate) constants: &'a [Arc<[T]>],
    pub(crate) inputs: Inputs<'a, T>,
    pub(crate) seeds: &'a [&'a [T]],
    pub(crate) outputs: &'a mut [&'b mut [T]],
    pub(crate) gradients: &'a mut [&'c mut [T]],
}

impl<T: Clone> Memory<'_, '_, '_, T> {
    /// What lies at the slot and behind it.
    #[inline]
    pub(crate) fn read(&self, slot: Slot) -> &[T] {
        let at = slot.at as usize;
        match slot.segment {
            Segment::Arena => &self.arena[at..],
            Segment::Constant => &self.constants[at],
            Segment::Input => match self.inputs {
                Inputs::Given(inputs) => inputs[at],
                Inputs::Kept(inputs) => &inputs[at],
            },
            Segment::Seed => self.seeds[at],
            Segment::Output => &self.outputs[at][..],
            Segment::Gradient => &self.gradients[at][..],
        }
    }

    /// What lies at the slot and behind it, to be written; nothing where the slot is not the run's own.
    #[inline]
    pub(crate) fn write(&mut self, slot: Slot) -> &mut [T] {
        let at = slot.at as usize;
        match slot.segment {
            Segment::Arena => &mut self.arena[at..],
            Segment::Output => &mut *self.outputs[at],
            Segment::Gradient => &mut *self.gradients[at],
            Segment::Constant | Segment::Input | Segment::Seed => &mut [],
        }
    }

    /// The first `length` elements from one slot to another.
    pub(crate) fn copy(&mut self, to: Slot, from: Slot, length: usize) {
        self.apart(to, length, from, from, |to, from, _| to[..length].clone_from_slice(&from[..length]));
    }

    /// Calls the function with the first `length` elements of a slot, to be written, and two others that do not meet it.
    pub(crate) fn apart(&mut self, to: Slot, length: usize, a: Slot, b: Slot, f: impl FnOnce(&mut [T], &[T], &[T])) {
        let at = to.at as usize;
        match to.segment {
            Segment::Arena => {
                let arena = std::mem::take(&mut self.arena);
                let (before, rest) = arena.split_at_mut(at);
                let (own, after) = rest.split_at_mut(length);
                {
                    let side = |slot: Slot| match slot.segment {
                        Segment::Arena if (slot.at as usize) < at => &before[slot.at as usize..],
                        Segment::Arena => &after[slot.at as usize - at - length..],
                        _ => self.read(slot),
                    };
                    f(own, side(a), side(b));
                }
                self.arena = arena;
            }
            Segment::Output => {
                let own = std::mem::take(&mut self.outputs[at]);
                f(own, self.read(a), self.read(b));
                self.outputs[at] = own;
            }
            Segment::Gradient => {
                let own = std::mem::take(&mut self.gradients[at]);
                f(own, self.read(a), self.read(b));
                self.gradients[at] = own;
            }
            Segment::Constant | Segment::Input | Segment::Seed => {}
        }
    }
}
