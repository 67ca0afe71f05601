//! What can go wrong with typed programs.

use std::fmt;
use std::panic::Location;

use pullback_program::architecture::ArchitectureError;
use pullback_program::{ApplyError, OperationFault, OperatorError, Shape};

use crate::contract::DomainError;

/// Why a contract is no operation of a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OperationError {
    /// The kernel does not take the statement.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// The data does not fit the statement.
    #[error("`{operator}`: {}", listed(.faults))]
    Faults {
        /// The name of the statement.
        operator: String,
        /// All that is wrong.
        faults: Vec<OperationFault>,
    },
}

fn listed(faults: &[OperationFault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// What was wrong at one place of a trace.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TraceFault {
    /// A variable of another trace, or of one that is over.
    #[error("a variable of another trace is used here; a value that comes from outside is an input, or a constant")]
    Foreign,
    /// A contract that is no operation.
    #[error(transparent)]
    Operation(#[from] OperationError),
    /// A parameter that the contract does not take.
    #[error(transparent)]
    Parameter(#[from] DomainError),
    /// A contract whose statement has other outputs than its type says.
    #[error("`{operator}` gives {found}, its type says {expected}")]
    Signature {
        /// The name of the statement.
        operator: String,
        /// The shapes of the statement's outputs.
        found: String,
        /// The shapes in the type.
        expected: String,
    },
    /// Arguments that the statement does not take, or a program past its limits.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// Data of a layer that does not fit, such as a mask with a row that sees nothing.
    #[error(transparent)]
    Layer(#[from] ArchitectureError),
}

/// Why a closure is no program: the first thing that was wrong, and the line of the source that did it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceError {
    at: &'static Location<'static>,
    fault: Box<TraceFault>,
}

impl TraceError {
    pub(crate) fn new(at: &'static Location<'static>, fault: impl Into<TraceFault>) -> TraceError {
        TraceError { at, fault: Box::new(fault.into()) }
    }

    /// The line of the source.
    #[must_use]
    pub fn location(&self) -> &'static Location<'static> {
        self.at
    }

    /// What was wrong there.
    #[must_use]
    pub fn fault(&self) -> &TraceFault {
        &self.fault
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.fault)
    }
}

impl std::error::Error for TraceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.fault)
    }
}

/// Why a program whose shapes are data has not the shapes of a type.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ShapeError {
    /// Another number of inputs or outputs.
    #[error("the program has {found} {what}, its type has {expected}")]
    Count {
        /// Inputs or outputs.
        what: &'static str,
        /// How many the type has.
        expected: usize,
        /// How many the program has.
        found: usize,
    },
    /// Another number of axes.
    #[error("{what} {port} (`{name}`) has shape {found}, its type has the axes ({})", .expected.join(", "))]
    Rank {
        /// Input or output.
        what: &'static str,
        /// Which of them.
        port: usize,
        /// Its name in the program.
        name: String,
        /// The names of the axes in the type.
        expected: &'static [&'static str],
        /// The shape in the program.
        found: Shape,
    },
    /// An axis of another size.
    #[error("{what} {port} (`{name}`): axis {axis} is `{axis_name}` of size {expected}, the program has size {found}")]
    Axis {
        /// Input or output.
        what: &'static str,
        /// Which of them.
        port: usize,
        /// Its name in the program.
        name: String,
        /// Which axis.
        axis: usize,
        /// The name of the axis in the type.
        axis_name: &'static str,
        /// Its size in the type.
        expected: usize,
        /// Its size in the program.
        found: usize,
    },
}
