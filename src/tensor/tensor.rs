//! The tensor.

use core::fmt;

use super::storage::Storage as _;
use super::{Draft, LengthError};
use crate::scalar::Scalar;
use crate::shape::{SameLength, SameSizes, Shape, extent::Store};

/// An immutable array of scalars `T` in row-major order, with its shape `S` in the type.
///
/// A clone shares the elements (up to 16 lie inline and are copied).
/// The scalar defaults to `f32`.
///
/// # Example
///
/// ```
/// use pullback::{Tensor, dims};
///
/// dims! { Row = 2; Col = 3 }
/// let counted = Tensor::<(Row, Col)>::from_fn(|index| index as f32);
/// assert_eq!(counted.as_slice(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
/// let doubled = counted.map(|element| element * 2.0);
/// assert_eq!(doubled.as_slice()[5], 10.0);
/// ```
pub struct Tensor<S: Shape, T: Scalar = f32> {
    storage: Store<S::Length, T>,
}

impl<S: Shape, T: Scalar> Tensor<S, T> {
    /// The elements computed from their flat indices, in order.
    #[inline]
    #[must_use]
    pub fn from_fn(element: impl FnMut(usize) -> T) -> Self {
        Self::from_storage(Store::<S::Length, T>::from_fn(S::LEN, element))
    }

    /// The elements of a vector in row-major order; a long one is taken over without a copy.
    ///
    /// # Errors
    ///
    /// [`LengthError`] where the vector does not have as many elements as the shape.
    #[inline]
    pub fn from_vec(elements: Vec<T>) -> Result<Self, LengthError> {
        if elements.len() == S::LEN {
            Ok(Self::from_storage(Store::<S::Length, T>::from_vec(elements)))
        } else {
            Err(LengthError { shape: S::NAMES, sizes: S::SIZES, expected: S::LEN, found: elements.len() })
        }
    }

    /// A tensor of zeros.
    #[inline]
    #[must_use]
    pub fn zeros() -> Self {
        Self::full(T::zero())
    }

    /// A tensor of equal elements.
    #[inline]
    #[must_use]
    pub fn full(value: T) -> Self {
        Self::from_storage(Store::<S::Length, T>::full(S::LEN, value))
    }

    /// A tensor that a function writes over zeros; nothing is copied.
    ///
    /// # Errors
    ///
    /// The error of the function; the half-written elements are dropped.
    #[inline]
    pub fn build<E>(fill: impl FnOnce(&mut [T]) -> Result<(), E>) -> Result<Self, E> {
        let mut draft = Draft::zeros();
        fill(draft.as_mut_slice())?;
        Ok(draft.freeze())
    }

    /// A tensor that a function writes over zeros and that can't fail; nothing is copied.
    #[inline]
    #[must_use]
    pub fn build_with(fill: impl FnOnce(&mut [T])) -> Self {
        let mut draft = Draft::zeros();
        fill(draft.as_mut_slice());
        draft.freeze()
    }

    /// The elements in row-major order.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.storage.as_slice()
    }

    /// The elements in row-major order, in a vector of their own.
    #[inline]
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        self.as_slice().to_vec()
    }

    /// The element at a flat index, or nothing beyond the last.
    #[inline]
    #[must_use]
    pub fn get(&self, flat: usize) -> Option<&T> {
        self.as_slice().get(flat)
    }

    /// The function applied to every element.
    #[inline]
    #[must_use]
    pub fn map<U: Scalar>(&self, function: impl FnMut(T) -> U) -> Tensor<S, U> {
        Tensor::from_storage(self.storage.map_to::<U, Store<S::Length, U>>(function))
    }

    /// The function applied to the elements of two tensors at the same index.
    #[inline]
    #[must_use]
    pub fn zip_map<U: Scalar, V: Scalar>(&self, other: &Tensor<S, U>, function: impl FnMut(T, U) -> V) -> Tensor<S, V> {
        Tensor::from_storage(
            self.storage.zip_to::<U, Store<S::Length, U>, V, Store<S::Length, V>>(&other.storage, function),
        )
    }

    /// The same elements under other names of the axes; the sizes must agree axis by axis.
    ///
    /// This is the one way to say that two names mean the same.
    #[inline]
    #[must_use]
    pub fn rename<Z: Shape>(self) -> Tensor<Z, T>
    where
        S: SameSizes<Z>,
    {
        S::recast(self)
    }

    /// The same elements in the same row-major order under another shape; the lengths must agree.
    ///
    /// Nothing is copied but elements that lie inline.
    #[inline]
    #[must_use]
    pub fn reshape<Z: Shape>(self) -> Tensor<Z, T>
    where
        S: SameLength<Z>,
    {
        S::recast(self)
    }

    /// Lets a function write the elements: in place when nobody else holds them, in a copy otherwise.
    ///
    /// Another holder of the tensor, such as a residual that saved it, never sees the change.
    #[inline]
    pub fn update_in_place(&mut self, update: impl FnOnce(&mut [T])) {
        update(self.storage.make_mut());
    }

    /// Whether [`update_in_place`](Tensor::update_in_place) would write without copying.
    #[inline]
    pub fn is_unique(&mut self) -> bool {
        self.storage.is_unique()
    }

    #[inline]
    pub(crate) fn from_storage(storage: Store<S::Length, T>) -> Self {
        Tensor { storage }
    }

    #[inline]
    pub(crate) fn into_storage(self) -> Store<S::Length, T> {
        self.storage
    }
}

impl<T: Scalar> Tensor<(), T> {
    /// The tensor of one scalar.
    #[inline]
    #[must_use]
    pub fn scalar(value: T) -> Self {
        Self::full(value)
    }

    /// The scalar in it.
    #[inline]
    #[must_use]
    pub fn to_scalar(&self) -> T {
        self.as_slice()[0].clone()
    }
}

impl<S: Shape, T: Scalar> Clone for Tensor<S, T> {
    #[inline]
    fn clone(&self) -> Self {
        Tensor { storage: self.storage.clone() }
    }
}

impl<S: Shape, T: Scalar> PartialEq for Tensor<S, T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<S: Shape, T: Scalar> fmt::Debug for Tensor<S, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug::<S, T>("Tensor", self.as_slice(), formatter)
    }
}

/// How many elements a debug print shows; a longer tensor would bury the message that it stands in.
const SHOWN: usize = 32;

/// `Tensor(Row = 2, Col = 3)[0.0, 1.0, …]`.
pub(super) fn debug<S: Shape, T: Scalar>(
    kind: &str,
    elements: &[T],
    formatter: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    write!(formatter, "{kind}(")?;
    for (index, (name, size)) in S::NAMES.iter().zip(S::SIZES).enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(formatter, "{comma}{name} = {size}")?;
    }
    formatter.write_str(")")?;
    let mut list = formatter.debug_list();
    list.entries(&elements[..elements.len().min(SHOWN)]);
    if elements.len() > SHOWN { list.finish_non_exhaustive() } else { list.finish() }
}
