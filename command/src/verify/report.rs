//! The report of `verify`.

use std::io;

use serde::Serialize;

use super::suites::{Failure, Finished};
use crate::status::Status;

/// The version of the report's form.
const VERSION: u32 = 1;

/// All evidence of one run.
#[derive(Serialize)]
pub(crate) struct Report {
    /// The version of this form.
    version: u32,
    /// The version of the library: the workspace has one for all its crates.
    library: &'static str,
    /// Where random numbers started.
    seed: u64,
    /// Whether everything holds.
    pub(crate) holds: bool,
    /// How long everything took.
    pub(crate) milliseconds: f64,
    /// The suites, in order.
    pub(crate) suites: Vec<Finished>,
}

impl Report {
    pub(crate) fn new(seed: u64, suites: Vec<Finished>, milliseconds: f64) -> Report {
        let holds = suites.iter().all(|suite| suite.holds);
        Report { version: VERSION, library: env!("CARGO_PKG_VERSION"), seed, holds, milliseconds, suites }
    }

    /// The report as its file holds it.
    pub(crate) fn text(&self) -> io::Result<Vec<u8>> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        Ok(text)
    }

    /// What the exit code says.
    pub(crate) fn status(&self) -> Status {
        self.suites.iter().flat_map(|s| &s.failures).map(Failure::status).max().unwrap_or(Status::Holds)
    }
}
