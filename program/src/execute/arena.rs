//! Which part of the arena a value takes: freed parts are taken again, by classes of size.
//!
//! A part is at most a quarter longer than asked for, and to give and take is a step or two: linear in the length of a program.

/// The parts of an arena.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    /// The starts of free parts, by class.
    free: Vec<Vec<usize>>,
    end: usize,
}

impl Arena {
    /// A part of so many elements: where it starts.
    pub(crate) fn take(&mut self, length: usize) -> usize {
        let (class, rounded) = class(length);
        if let Some(start) = self.free.get_mut(class).and_then(Vec::pop) {
            return start;
        }
        self.end += rounded;
        self.end - rounded
    }

    /// Gives a part of so many elements back.
    pub(crate) fn give(&mut self, start: usize, length: usize) {
        let (class, _) = class(length);
        if self.free.len() <= class {
            self.free.resize_with(class + 1, Vec::new);
        }
        self.free[class].push(start);
    }

    /// How long the arena is.
    pub(crate) fn end(&self) -> usize {
        self.end
    }
}

/// The class of a length and the length of its parts: exact up to eight, then four to a power of two.
fn class(length: usize) -> (usize, usize) {
    if length <= 8 {
        return (length, length);
    }
    let step = 1usize << (length.ilog2() - 2);
    let rounded = length.div_ceil(step) * step;
    let power = rounded.ilog2() as usize;
    (9 + (power - 3) * 4 + (rounded >> (power - 2) & 3), rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_holds_what_it_is_for() {
        for length in 1..5000 {
            let (of, rounded) = class(length);
            assert!(rounded >= length && rounded * 4 <= length * 5, "{length} in {rounded}");
            assert_eq!(class(rounded), (of, rounded));
        }
    }

    #[test]
    fn a_part_is_taken_again() {
        let mut arena = Arena::default();
        let (a, b) = (arena.take(100), arena.take(100));
        assert_ne!(a, b);
        arena.give(a, 100);
        assert_eq!(arena.take(100), a);
        assert_ne!(arena.take(100), b);
    }
}
