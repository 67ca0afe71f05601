//! A point for each index of an axis.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use super::{Over, Space};
use crate::scalar::Scalar;
use crate::shape::Dim;

/// A point of `A` for each index of the axis `B`: the product of `B` copies of `A`, in a shared immutable list.
///
/// It is what a contract that is mapped over a batch saves: one residual for each element.
pub struct Each<A: Space, B: Dim> {
    // Invariant: `B::SIZE` points.
    points: Arc<Vec<A>>,
    axis: PhantomData<fn() -> B>,
}

impl<A: Space, B: Dim> Each<A, B> {
    /// The points computed from their indices, in order.
    #[inline]
    #[must_use]
    pub fn from_fn(point: impl FnMut(usize) -> A) -> Self {
        Self::from_points((0..B::SIZE).map(point).collect())
    }

    /// The points computed from their indices, in order, as far as the first error.
    ///
    /// # Errors
    ///
    /// The first error of the function.
    #[inline]
    pub fn try_from_fn<E>(point: impl FnMut(usize) -> Result<A, E>) -> Result<Self, E> {
        (0..B::SIZE).map(point).collect::<Result<Vec<_>, E>>().map(Self::from_points)
    }

    /// The points, as many as the axis has indices.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[A] {
        &self.points
    }

    fn from_points(points: Vec<A>) -> Self {
        debug_assert_eq!(points.len(), B::SIZE);
        Each { points: Arc::new(points), axis: PhantomData }
    }
}

impl<A: Space, B: Dim> Clone for Each<A, B> {
    #[inline]
    fn clone(&self) -> Self {
        Each { points: Arc::clone(&self.points), axis: PhantomData }
    }
}

impl<A: Space, B: Dim> fmt::Debug for Each<A, B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Each({})", B::NAME)?;
        formatter.debug_list().entries(self.points.iter()).finish()
    }
}

impl<A: Space, B: Dim> Space for Each<A, B> {
    const DIMENSION: usize = B::SIZE.saturating_mul(A::DIMENSION);
    fn zero() -> Self {
        Self::from_fn(|_| A::zero())
    }
    fn accumulate(&mut self, term: &Self) {
        for (point, term) in Arc::make_mut(&mut self.points).iter_mut().zip(term.points.iter()) {
            point.accumulate(term);
        }
    }
}

impl<T: Scalar, A: Over<T>, B: Dim> Over<T> for Each<A, B> {
    fn visit<F: FnMut(&T)>(&self, visit: &mut F) {
        for point in self.points.iter() {
            point.visit(visit);
        }
    }
    fn map_coordinates<F: FnMut(T) -> T>(self, function: &mut F) -> Self {
        Self::from_fn(|index| self.points[index].clone().map_coordinates(function))
    }
    fn zip_coordinates<F: FnMut(T, &T) -> T>(self, other: &Self, function: &mut F) -> Self {
        Self::from_fn(|index| self.points[index].clone().zip_coordinates(&other.points[index], function))
    }
    fn from_coordinates<I: Iterator<Item = T>>(coordinates: &mut I) -> Option<Self> {
        Self::try_from_fn(|_| A::from_coordinates(coordinates).ok_or(())).ok()
    }
    fn dot(&self, other: &Self) -> T {
        let mut sum = T::zero();
        for (left, right) in self.points.iter().zip(other.points.iter()) {
            sum.accumulate(left.dot(right));
        }
        sum
    }
}
