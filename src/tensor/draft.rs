//! A tensor that is being written.

use core::fmt;

use super::Tensor;
use super::storage::Storage as _;
use crate::scalar::Scalar;
use crate::shape::{Shape, extent::Store};

/// A tensor before it is finished: its elements may be written, and nobody else holds them.
///
/// Code that fills several tensors in one loop nest makes a draft of each and freezes them at the end; nothing is copied.
///
/// # Example
///
/// ```
/// use pullback::{Draft, N, Tensor};
///
/// let mut squares = Draft::<(N<3>,)>::zeros();
/// for (index, element) in squares.as_mut_slice().iter_mut().enumerate() {
///     *element = (index * index) as f32;
/// }
/// assert_eq!(squares.freeze().as_slice(), [0.0, 1.0, 4.0]);
/// ```
pub struct Draft<S: Shape, T: Scalar = f32> {
    // Invariant: not shared. It is made unshared, can't be cloned, and is given up when it is frozen.
    storage: Store<S::Length, T>,
}

impl<S: Shape, T: Scalar> Draft<S, T> {
    /// A draft of zeros.
    #[inline]
    #[must_use]
    pub fn zeros() -> Self {
        Self::full(T::zero())
    }

    /// A draft of equal elements.
    #[inline]
    #[must_use]
    pub fn full(value: T) -> Self {
        Draft { storage: Store::<S::Length, T>::full(S::LEN, value) }
    }

    /// The elements in row-major order.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.storage.as_slice()
    }

    /// The elements in row-major order, for writing.
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.storage.make_mut()
    }

    /// The finished tensor; nothing is copied.
    #[inline]
    #[must_use]
    pub fn freeze(self) -> Tensor<S, T> {
        Tensor::from_storage(self.storage)
    }
}

impl<S: Shape, T: Scalar> fmt::Debug for Draft<S, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::tensor::debug::<S, T>("Draft", self.as_slice(), formatter)
    }
}
