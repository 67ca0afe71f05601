//! What can be wrong with the data of an operation.

use super::data::Shape;

/// Why a statement can't be applied with this data. Dimensions, maps and tensors are named as in the statement.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OperationFault {
    /// Another number of entries than the statement has.
    #[error("{found} {what} are given, the statement has {expected}")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A plain dimension with other than one size.
    #[error("dimension `{dim}` has one size, {found} are given; only a pack has several")]
    Rank {
        /// The dimension.
        dim: String,
        /// How many sizes are given.
        found: usize,
    },
    /// A size of zero.
    #[error("axis {axis} of dimension `{dim}` has size 0; sizes are positive")]
    Empty {
        /// The dimension.
        dim: String,
        /// Which of its axes.
        axis: usize,
    },
    /// A product of sizes past the limits.
    #[error("`{what}` has shape {shape}, more than {limit} elements")]
    TooLarge {
        /// Which tensor, map or dimension.
        what: String,
        /// Its shape.
        shape: Shape,
        /// The most elements of one array.
        limit: usize,
    },
    /// A parameter outside of what the statement requires of it.
    #[error("parameter `{param}` is {found}; it must be {required}")]
    Parameter {
        /// The parameter.
        param: String,
        /// Its value.
        found: String,
        /// What is required.
        required: String,
    },
    /// An index map of another length than its arguments have positions.
    #[error("map `{map}` has {found} values; its arguments have {expected} positions")]
    MapLength {
        /// The map.
        map: String,
        /// How many values it must have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A value of an index map outside of its dimension.
    #[error("map `{map}` takes position {at} to {found}; `{dim}` has {size} positions")]
    MapRange {
        /// The map.
        map: String,
        /// The flat position of its arguments.
        at: usize,
        /// Its value there.
        found: usize,
        /// The dimension of its value.
        dim: String,
        /// The size of that dimension.
        size: usize,
    },
    /// A value that is missing from a map that is defined everywhere.
    #[error("map `{map}` is not defined at position {at}; only a partial map may be")]
    MapUndefined {
        /// The map.
        map: String,
        /// The flat position.
        at: usize,
    },
    /// Two positions of a bijection with one value.
    #[error("map `{map}` takes positions {first} and {second} both to {found}; a bijection does not")]
    NotABijection {
        /// The map.
        map: String,
        /// One position.
        first: usize,
        /// The other.
        second: usize,
        /// The value of both.
        found: usize,
    },
    /// Sizes that a bijection can't connect.
    #[error("map `{map}` is a bijection of {from} positions and {to}; they must be equally many")]
    Unequal {
        /// The map.
        map: String,
        /// Positions of its arguments.
        from: usize,
        /// Positions of its value.
        to: usize,
    },
    /// Parts that do not make up the whole.
    #[error("the parts of `{whole}` have {parts} positions together; `{whole}` has {size}")]
    Split {
        /// The dimension that is split.
        whole: String,
        /// The sizes of the parts, added.
        parts: usize,
        /// Its size.
        size: usize,
    },
    /// A constant array of another shape than the statement says.
    #[error("constant `{constant}` has shape {found}, the statement asks for {expected}")]
    ConstantShape {
        /// The constant.
        constant: String,
        /// The shape it must have.
        expected: Shape,
        /// The shape it has.
        found: Shape,
    },
    /// A constant array with another number of elements than its shape.
    #[error("constant `{constant}` has {found} elements, its shape {shape} has {expected}")]
    ConstantLength {
        /// The constant.
        constant: String,
        /// Its shape.
        shape: Shape,
        /// How many elements it must have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A literal that is not a real.
    #[error("{what} is not finite")]
    NotFinite {
        /// Which.
        what: String,
    },
}
