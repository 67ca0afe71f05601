//! Tensors are spaces.

use super::{Over, Space};
use crate::scalar::Scalar;
use crate::shape::Shape;
use crate::tensor::Tensor;

impl<S: Shape, T: Scalar> Space for Tensor<S, T> {
    const DIMENSION: usize = S::LEN;

    #[inline]
    fn zero() -> Self {
        Tensor::zeros()
    }

    #[inline]
    fn accumulate(&mut self, term: &Self) {
        self.update_in_place(|elements| {
            for (element, term) in elements.iter_mut().zip(term.as_slice()) {
                element.accumulate(term.clone());
            }
        });
    }
}

impl<S: Shape, T: Scalar> Over<T> for Tensor<S, T> {
    #[inline]
    fn visit<F: FnMut(&T)>(&self, visit: &mut F) {
        self.as_slice().iter().for_each(visit);
    }

    #[inline]
    fn map_coordinates<F: FnMut(T) -> T>(mut self, function: &mut F) -> Self {
        if !self.is_unique() {
            return Tensor::map(&self, function);
        }
        self.update_in_place(|elements| {
            for element in elements {
                *element = function(element.clone());
            }
        });
        self
    }

    #[inline]
    fn zip_coordinates<F: FnMut(T, &T) -> T>(mut self, other: &Self, function: &mut F) -> Self {
        self.update_in_place(|elements| {
            for (element, other) in elements.iter_mut().zip(other.as_slice()) {
                *element = function(element.clone(), other);
            }
        });
        self
    }

    fn from_coordinates<I: Iterator<Item = T>>(coordinates: &mut I) -> Option<Self> {
        Tensor::from_vec(coordinates.take(S::LEN).collect()).ok()
    }

    #[inline]
    fn dot(&self, other: &Self) -> T {
        let mut sum = T::zero();
        for (left, right) in self.as_slice().iter().zip(other.as_slice()) {
            sum.accumulate(left.clone() * right.clone());
        }
        sum
    }
}
