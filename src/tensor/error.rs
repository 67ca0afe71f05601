//! What can be wrong with data that a tensor or an index map is made of.

use thiserror::Error;

/// A vector that does not have as many elements as the shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a tensor of shape {shape:?} {sizes:?} has {expected} elements, found {found}")]
pub struct LengthError {
    /// The names of the shape's axes.
    pub shape: &'static [&'static str],
    /// The sizes of the shape's axes.
    pub sizes: &'static [usize],
    /// The number of elements of the shape.
    pub expected: usize,
    /// The number of elements given.
    pub found: usize,
}

/// Index data that is not a map between two shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IndexError {
    /// The map has another number of entries than its domain has elements.
    #[error("a map from {from:?} has {expected} entries, found {found}")]
    Length {
        /// The names of the domain's axes.
        from: &'static [&'static str],
        /// The number of elements of the domain.
        expected: usize,
        /// The number of entries given.
        found: usize,
    },
    /// An entry lies outside of the codomain.
    #[error("entry {at} is {found}, but {to:?} has {size} elements, 0 to {}", size - 1)]
    Range {
        /// The names of the codomain's axes.
        to: &'static [&'static str],
        /// The flat index of the entry.
        at: usize,
        /// The entry.
        found: usize,
        /// The number of elements of the codomain.
        size: usize,
    },
    /// Two entries of a bijection are the same.
    #[error("entries {first} and {second} are both {found}, so the map is not a bijection")]
    Repeated {
        /// The flat index of the first of the two.
        first: usize,
        /// The flat index of the second.
        second: usize,
        /// Their common value.
        found: usize,
    },
    /// A bijection between shapes of different length.
    #[error("{from:?} has {from_size} elements and {to:?} has {to_size}, so no map between them is a bijection")]
    Unequal {
        /// The names of the domain's axes.
        from: &'static [&'static str],
        /// The number of elements of the domain.
        from_size: usize,
        /// The names of the codomain's axes.
        to: &'static [&'static str],
        /// The number of elements of the codomain.
        to_size: usize,
    },
    /// A list of axes that does not carry the one shape to the other.
    #[error("taking the axes of {from:?} in the order {order:?} does not give {to:?}")]
    Axes {
        /// The names of the domain's axes.
        from: &'static [&'static str],
        /// The names of the codomain's axes.
        to: &'static [&'static str],
        /// The order, as far as six axes.
        order: [usize; 6],
    },
    /// A window without a step.
    #[error("the stride of a window is at least one")]
    Stride,
}
