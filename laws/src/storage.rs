//! Storage as most frameworks have it: shared, and changed in place.

use std::sync::{Arc, PoisonError, RwLock};

/// A list of numbers that several hold and each may change.
///
/// Slices can't be kept or changed by who borrows them, so a rule over slices can't show the faults of code that works in place.
/// A rule over storage can: it may keep a handle to its input where it should keep a copy, and write into its cotangent.
/// A clone is another handle to the same numbers.
///
/// # Example
///
/// ```
/// use pullback_laws::Storage;
///
/// let one = Storage::new(vec![1.0, 2.0]);
/// let other = one.clone();
/// other.write(vec![3.0, 4.0]);
/// assert_eq!(one.read(), [3.0, 4.0]);
/// assert!(one.is(&other) && !one.is(&Storage::new(vec![3.0, 4.0])));
/// ```
#[derive(Debug)]
pub struct Storage<T>(Arc<RwLock<Vec<T>>>);

impl<T> Clone for Storage<T> {
    fn clone(&self) -> Self {
        Storage(Arc::clone(&self.0))
    }
}

impl<T> Storage<T> {
    /// Storage of its own for these numbers.
    #[must_use]
    pub fn new(numbers: Vec<T>) -> Self {
        Storage(Arc::new(RwLock::new(numbers)))
    }

    /// A copy of the numbers.
    #[must_use]
    pub fn read(&self) -> Vec<T>
    where
        T: Clone,
    {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Overwrites the numbers, for all who hold them.
    pub fn write(&self, numbers: Vec<T>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = numbers;
    }

    /// Whether both are handles to the same numbers.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
