//! Where the elements of a tensor lie: inline, or in a shared buffer.
//!
//! The choice is made by the length in the type, so it costs nothing at run time.
//! A large `GenericArray` would pass over the stack when it is made or cloned in a debug build, and 64 MiB of it overflow it; the shared buffer never does.

use std::sync::Arc;

use generic_array::sequence::GenericSequence as _;
use generic_array::{ArrayLength, GenericArray};

/// Elements of a fixed number; closed.
///
/// Every function that takes a length is given the number that the type says, by [`Tensor`](super::Tensor) alone.
pub trait Storage<T>: Clone + Send + Sync + 'static {
    /// Elements computed from their indices, in order.
    fn from_fn(len: usize, element: impl FnMut(usize) -> T) -> Self;
    /// Equal elements.
    fn full(len: usize, value: T) -> Self;
    /// The elements of a vector of the right length.
    fn from_vec(elements: Vec<T>) -> Self;
    /// The elements.
    fn as_slice(&self) -> &[T];
    /// The elements for writing: in place when nobody else holds them, in a copy otherwise.
    fn make_mut(&mut self) -> &mut [T];
    /// Whether writing would be in place.
    fn is_unique(&mut self) -> bool;
    /// Equally many elements, each computed from the one here.
    ///
    /// The loop is over iterators and not over indices: a bound checked at every index would keep the compiler from using vector instructions.
    #[inline]
    fn map_to<U, Z: Storage<U>>(&self, mut function: impl FnMut(T) -> U) -> Z
    where
        T: Clone,
    {
        Z::from_iter(self.as_slice().iter().map(|element| function(element.clone())))
    }
    /// Equally many elements, each computed from the one here and the one there.
    #[inline]
    fn zip_to<U: Clone, Y: Storage<U>, V, Z: Storage<V>>(&self, other: &Y, mut function: impl FnMut(T, U) -> V) -> Z
    where
        T: Clone,
    {
        let pairs = self.as_slice().iter().zip(other.as_slice());
        Z::from_iter(pairs.map(|(left, right)| function(left.clone(), right.clone())))
    }
    /// The elements of an iterator of the right length.
    fn from_iter(elements: impl ExactSizeIterator<Item = T>) -> Self;
}

/// A few elements, stored where the tensor is.
///
/// The alignment keeps them apart from the pointer of an error in the same place of a `Result`: where the two overlap, the
/// compiler moves the elements through integer registers in pieces, and a chain of small contracts takes five times as long.
#[derive(Clone)]
#[repr(align(16))]
pub struct Inline<T, L: ArrayLength>(GenericArray<T, L>);

impl<T, L> Storage<T> for Inline<T, L>
where
    T: Clone + Send + Sync + 'static,
    L: ArrayLength,
{
    #[inline]
    fn from_fn(_len: usize, element: impl FnMut(usize) -> T) -> Self {
        Inline(GenericArray::generate(element))
    }
    #[inline]
    fn full(_len: usize, value: T) -> Self {
        Inline(GenericArray::generate(|_| value.clone()))
    }
    #[inline]
    fn from_vec(elements: Vec<T>) -> Self {
        debug_assert_eq!(elements.len(), GenericArray::<T, L>::len());
        Self::from_iter(elements.into_iter())
    }
    #[inline]
    fn from_iter(mut elements: impl ExactSizeIterator<Item = T>) -> Self {
        // As many as the type says: `Tensor` checked it before it called.
        Inline(GenericArray::generate(|_| {
            elements.next().unwrap_or_else(|| unreachable!("elements of the checked number"))
        }))
    }
    #[inline]
    fn as_slice(&self) -> &[T] {
        self.0.as_slice()
    }
    #[inline]
    fn make_mut(&mut self) -> &mut [T] {
        self.0.as_mut_slice()
    }
    #[inline]
    fn is_unique(&mut self) -> bool {
        true
    }
}

/// Many elements, in an immutable buffer that its clones share.
#[derive(Clone)]
pub struct Shared<T>(Arc<Vec<T>>);

impl<T> Storage<T> for Shared<T>
where
    T: Clone + Send + Sync + 'static,
{
    #[inline]
    fn from_fn(len: usize, element: impl FnMut(usize) -> T) -> Self {
        Shared(Arc::new((0..len).map(element).collect()))
    }
    #[inline]
    fn full(len: usize, value: T) -> Self {
        Shared(Arc::new(vec![value; len]))
    }
    #[inline]
    fn from_vec(elements: Vec<T>) -> Self {
        Shared(Arc::new(elements))
    }
    #[inline]
    fn from_iter(elements: impl ExactSizeIterator<Item = T>) -> Self {
        Shared(Arc::new(elements.collect()))
    }
    #[inline]
    fn as_slice(&self) -> &[T] {
        &self.0
    }
    #[inline]
    fn make_mut(&mut self) -> &mut [T] {
        Arc::make_mut(&mut self.0).as_mut_slice()
    }
    #[inline]
    fn is_unique(&mut self) -> bool {
        Arc::get_mut(&mut self.0).is_some()
    }
}
