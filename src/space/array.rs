//! Arrays of a space are spaces.

use super::{Over, Space};
use crate::scalar::Scalar;

impl<A: Space, const SIZE: usize> Space for [A; SIZE] {
    const DIMENSION: usize = SIZE.saturating_mul(A::DIMENSION);
    #[inline]
    fn zero() -> Self {
        core::array::from_fn(|_| A::zero())
    }
    #[inline]
    fn accumulate(&mut self, term: &Self) {
        for (part, term) in self.iter_mut().zip(term) {
            part.accumulate(term);
        }
    }
}

impl<T: Scalar, A: Over<T>, const SIZE: usize> Over<T> for [A; SIZE] {
    #[inline]
    fn visit<F: FnMut(&T)>(&self, visit: &mut F) {
        for part in self {
            part.visit(visit);
        }
    }
    #[inline]
    fn map_coordinates<F: FnMut(T) -> T>(self, function: &mut F) -> Self {
        <[A; SIZE]>::map(self, |part| part.map_coordinates(function))
    }
    #[inline]
    fn zip_coordinates<F: FnMut(T, &T) -> T>(self, other: &Self, function: &mut F) -> Self {
        let mut others = other.iter();
        <[A; SIZE]>::map(self, |part| match others.next() {
            Some(other) => part.zip_coordinates(other, function),
            // Two arrays of one type are equally long.
            None => part,
        })
    }
    fn from_coordinates<I: Iterator<Item = T>>(coordinates: &mut I) -> Option<Self> {
        let mut complete = true;
        let parts = core::array::from_fn(|_| {
            A::from_coordinates(coordinates).unwrap_or_else(|| {
                complete = false;
                A::zero()
            })
        });
        complete.then_some(parts)
    }
    #[inline]
    fn dot(&self, other: &Self) -> T {
        let mut sum = T::zero();
        for (left, right) in self.iter().zip(other) {
            sum.accumulate(left.dot(right));
        }
        sum
    }
}
