//! nalgebra's static matrices and vectors are spaces.
//!
//! Coordinates come in nalgebra's own order, column by column.

use nalgebra::SMatrix;

use super::{Over, Space};
use crate::scalar::Scalar;

impl<T, const ROWS: usize, const COLS: usize> Space for SMatrix<T, ROWS, COLS>
where
    T: Scalar + nalgebra::Scalar,
{
    const DIMENSION: usize = ROWS * COLS;
    #[inline]
    fn zero() -> Self {
        SMatrix::from_fn(|_, _| T::zero())
    }
    #[inline]
    fn accumulate(&mut self, term: &Self) {
        for (element, term) in self.iter_mut().zip(term.iter()) {
            element.accumulate(term.clone());
        }
    }
}

impl<T, const ROWS: usize, const COLS: usize> Over<T> for SMatrix<T, ROWS, COLS>
where
    T: Scalar + nalgebra::Scalar,
{
    #[inline]
    fn visit<F: FnMut(&T)>(&self, visit: &mut F) {
        self.iter().for_each(visit);
    }
    #[inline]
    fn map_coordinates<F: FnMut(T) -> T>(self, function: &mut F) -> Self {
        nalgebra::Matrix::map(&self, function)
    }
    #[inline]
    fn zip_coordinates<F: FnMut(T, &T) -> T>(self, other: &Self, function: &mut F) -> Self {
        nalgebra::Matrix::zip_map(&self, other, |left, right| function(left, &right))
    }
    fn from_coordinates<I: Iterator<Item = T>>(coordinates: &mut I) -> Option<Self> {
        let mut point = Self::zero();
        for element in &mut point {
            *element = coordinates.next()?;
        }
        Some(point)
    }
    #[inline]
    fn dot(&self, other: &Self) -> T {
        let mut sum = T::zero();
        for (left, right) in self.iter().zip(other.iter()) {
            sum.accumulate(left.clone() * right.clone());
        }
        sum
    }
}
