//! Total maps: gather.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use crate::shape::Shape;
use crate::tensor::IndexError;

/// A map from the points of one shape to those of another; many points may go to one.
///
/// # Example
///
/// ```
/// use pullback::{IndexMap, dims};
///
/// dims! { Token = 3; Vocab = 50257 }
/// let words = IndexMap::<(Token,), (Vocab,)>::new(vec![17, 50256, 17])?;
/// assert_eq!(words.at(1), 50256);
/// assert!(IndexMap::<(Token,), (Vocab,)>::new(vec![17, 50257, 17]).is_err());
/// # Ok::<(), pullback::IndexError>(())
/// ```
pub struct IndexMap<From: Shape, To: Shape> {
    // Invariant: `From::LEN` entries, each less than `To::LEN`.
    entries: Arc<[usize]>,
    shapes: PhantomData<fn(From) -> To>,
}

impl<From: Shape, To: Shape> IndexMap<From, To> {
    /// The map with the given entries, one for each point of the domain in row-major order.
    ///
    /// # Errors
    ///
    /// [`IndexError::Length`] for another number of entries, [`IndexError::Range`] for an entry outside of the codomain.
    pub fn new(entries: Vec<usize>) -> Result<Self, IndexError> {
        if entries.len() != From::LEN {
            return Err(IndexError::Length { from: From::NAMES, expected: From::LEN, found: entries.len() });
        }
        if let Some((at, &found)) = entries.iter().enumerate().find(|&(_, &entry)| entry >= To::LEN) {
            return Err(IndexError::Range { to: To::NAMES, at, found, size: To::LEN });
        }
        Ok(IndexMap { entries: entries.into(), shapes: PhantomData })
    }

    /// The map that a function describes, asked once for each point of the domain.
    ///
    /// # Errors
    ///
    /// [`IndexError::Range`] where the function leaves the codomain.
    pub fn from_fn(entry: impl FnMut(usize) -> usize) -> Result<Self, IndexError> {
        Self::new((0..From::LEN).map(entry).collect())
    }

    /// Where a point goes.
    ///
    /// # Panics
    ///
    /// For a point outside of the domain.
    #[inline]
    #[must_use]
    pub fn at(&self, from: usize) -> usize {
        self.entries[from]
    }

    /// The entries, one for each point of the domain, each less than the length of the codomain.
    #[inline]
    #[must_use]
    pub fn entries(&self) -> &[usize] {
        &self.entries
    }
}

impl<From: Shape, To: Shape> Clone for IndexMap<From, To> {
    #[inline]
    fn clone(&self) -> Self {
        IndexMap { entries: Arc::clone(&self.entries), shapes: PhantomData }
    }
}

impl<From: Shape, To: Shape> PartialEq for IndexMap<From, To> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<From: Shape, To: Shape> Eq for IndexMap<From, To> {}

impl<From: Shape, To: Shape> fmt::Debug for IndexMap<From, To> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "IndexMap({:?} -> {:?})", From::NAMES, To::NAMES)?;
        formatter.debug_list().entries(self.entries.iter()).finish()
    }
}
