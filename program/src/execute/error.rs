//! Why a program is not planned, and why a run ends early.
//!
//! | error | from |
//! | --- | --- |
//! | [`CompileError`] | planning |
//! | [`ExecuteError`] | a run |

use pullback_kernel::Exceeded;

use crate::numerics::{Given, Part, Rounded};
use crate::transform::TransformError;

/// Why a program has no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CompileError {
    /// Its values take more elements at once than a plan can name.
    #[error("the values of the program take more than 2^32 elements at once")]
    TooLarge,
    /// More work or bytes than the program's [limits](crate::Limits::budget) allow, counted before they were spent.
    #[error("{}: {exceeded}", .instruction.as_ref().map_or("the program".to_owned(), |(at, of)| format!("instruction {at} (`{of}`)")))]
    Limit {
        /// The instruction that asks for it and its operator; `None` for what all ask for together.
        instruction: Option<(usize, String)>,
        /// What there was not enough of.
        exceeded: Exceeded,
    },
    /// A statement of its is past what a kernel can number.
    #[error("the statement of `{0}` has more terms than a kernel can number")]
    Statement(String),
    /// A number of the program that the scalar makes zero or infinite.
    #[error("instruction {instruction} (`{operator}`): {rounded}")]
    Rounded {
        /// Which instruction.
        instruction: usize,
        /// Its operator.
        operator: String,
        /// Which number.
        rounded: Rounded,
    },
    /// It has no reverse program.
    #[error(transparent)]
    Transform(#[from] TransformError),
}

/// Why a run gives no values. What it had written by then is of no use.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExecuteError {
    /// Another number of arrays than the program has inputs or outputs.
    #[error("{found} arrays are given, the program has {expected} {what}")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An array of another length than its shape.
    #[error("the array for `{name}` has {found} elements, its shape has {expected}")]
    Length {
        /// Of which input or output.
        name: String,
        /// How many elements its shape has.
        expected: usize,
        /// How many elements there are.
        found: usize,
    },
    /// A number given by the caller that is infinite or not a number, where that is refused.
    #[error("the {what} `{name}` has a value that is not finite, at {at}")]
    Given {
        /// An input or a cotangent.
        what: Given,
        /// Of which input or output.
        name: String,
        /// The flat index of the first such value.
        at: usize,
    },
    /// A condition of the domain that does not hold.
    #[error("instruction {instruction} (`{operator}`): outside of the domain `{condition}` at {at}")]
    Domain {
        /// Which instruction of the program.
        instruction: usize,
        /// Its operator.
        operator: String,
        /// The condition.
        condition: String,
        /// The flat index of the first place at which it does not hold.
        at: usize,
    },
    /// A value that is infinite or not a number, where that is refused.
    #[error("instruction {instruction} (`{operator}`): {part} is not finite, at {at}")]
    NotFinite {
        /// Which instruction of the program.
        instruction: usize,
        /// Its operator.
        operator: String,
        /// A value, or a cotangent on the way back.
        part: Part,
        /// The flat index of the value in its array, or of the condition whose value it is.
        at: usize,
    },
    /// No gradient was planned.
    #[error("no gradient was planned: use `Executable::with_gradient`")]
    NoGradient,
    /// A pullback without a forward run before it.
    #[error("there is no tape: call `forward` first, and nothing else before the pullback")]
    NoTape,
}
