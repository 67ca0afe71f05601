//! Partial maps: padding and sliding windows.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use crate::shape::{Dim, Shape};
use crate::tensor::IndexError;

/// How an undefined point is stored; no shape is as long.
const UNDEFINED: usize = usize::MAX;

/// A map from points of one shape to those of another that is undefined at some; a statement reads zero there.
///
/// # Example
///
/// ```
/// use pullback::{PartialMap, dims};
///
/// dims! { In = 4; Out = 4; Kernel = 3 }
/// // Kernel of three, padded by one on either side.
/// let rows = PartialMap::<(Out, Kernel), (In,)>::window(1, 1, 1)?;
/// assert_eq!(rows.at(0), None);
/// assert_eq!(rows.at(1), Some(0));
/// # Ok::<(), pullback::IndexError>(())
/// ```
pub struct PartialMap<From: Shape, To: Shape> {
    // Invariant: `From::LEN` entries, each less than `To::LEN` or `UNDEFINED`.
    entries: Arc<[usize]>,
    shapes: PhantomData<fn(From) -> To>,
}

impl<From: Shape, To: Shape> PartialMap<From, To> {
    /// The map with the given entries, one for each point of the domain in row-major order.
    ///
    /// # Errors
    ///
    /// [`IndexError::Length`] for another number of entries, [`IndexError::Range`] for an entry outside of the codomain.
    pub fn new(entries: Vec<Option<usize>>) -> Result<Self, IndexError> {
        if entries.len() != From::LEN {
            return Err(IndexError::Length { from: From::NAMES, expected: From::LEN, found: entries.len() });
        }
        entries
            .into_iter()
            .enumerate()
            .map(|(at, entry)| match entry {
                Some(found) if found >= To::LEN => Err(IndexError::Range { to: To::NAMES, at, found, size: To::LEN }),
                Some(found) => Ok(found),
                None => Ok(UNDEFINED),
            })
            .collect::<Result<_, _>>()
            .map(|entries| PartialMap { entries, shapes: PhantomData })
    }

    /// The map that a function describes, asked once for each point of the domain.
    ///
    /// # Errors
    ///
    /// [`IndexError::Range`] where the function leaves the codomain.
    pub fn from_fn(entry: impl FnMut(usize) -> Option<usize>) -> Result<Self, IndexError> {
        Self::new((0..From::LEN).map(entry).collect())
    }

    /// Where a point goes, if anywhere.
    ///
    /// # Panics
    ///
    /// For a point outside of the domain.
    #[inline]
    #[must_use]
    pub fn at(&self, from: usize) -> Option<usize> {
        let entry = self.entries[from];
        (entry != UNDEFINED).then_some(entry)
    }
}

impl<Out: Dim, Kernel: Dim, In: Dim> PartialMap<(Out, Kernel), (In,)> {
    /// The sliding window: `(o, k)` goes to `o · stride + k · dilation - padding`, where that lies in the input.
    ///
    /// # Errors
    ///
    /// [`IndexError::Stride`] for a stride of zero.
    pub fn window(stride: usize, dilation: usize, padding: usize) -> Result<Self, IndexError> {
        if stride == 0 {
            return Err(IndexError::Stride);
        }
        Self::from_fn(|point| {
            let (output, kernel) = (point / Kernel::SIZE, point % Kernel::SIZE);
            // An overflow lies beyond every input, so it is as undefined as any other point outside.
            let padded = output.checked_mul(stride)?.checked_add(kernel.checked_mul(dilation)?)?;
            padded.checked_sub(padding).filter(|&input| input < In::SIZE)
        })
    }
}

impl<From: Shape, To: Shape> Clone for PartialMap<From, To> {
    #[inline]
    fn clone(&self) -> Self {
        PartialMap { entries: Arc::clone(&self.entries), shapes: PhantomData }
    }
}

impl<From: Shape, To: Shape> PartialEq for PartialMap<From, To> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<From: Shape, To: Shape> Eq for PartialMap<From, To> {}

impl<From: Shape, To: Shape> fmt::Debug for PartialMap<From, To> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PartialMap({:?} -> {:?})", From::NAMES, To::NAMES)?;
        formatter.debug_list().entries((0..self.entries.len()).map(|point| self.at(point))).finish()
    }
}
