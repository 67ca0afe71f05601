//! What the exit code says.

use std::process::ExitCode;

/// How a run ended. The worse of two is the greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Status {
    /// 0: everything holds.
    Holds,
    /// 1: something was tried and does not hold.
    Fails,
    /// 2: something could not be read, parsed, tried or written.
    CouldNotRun,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}
