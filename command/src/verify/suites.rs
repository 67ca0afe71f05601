//! The table of suites: what `pullback verify` runs, in order.
//!
//! A suite is a name, what it is about, and a function that gives counts and failures.
//! One that could not run must say so in its failures and never pass for one that held.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::{architectures, contracts, laws, lowerings, programs};
use crate::output::Console;
use crate::problem::Problem;
use crate::record::{Record, map};
use crate::source::Source;
use crate::status::Status;

/// All suites. A later one is a row.
pub(crate) const SUITES: &[Suite] = &[
    Suite { name: "contracts", about: "every statement of the library is proved by the kernel", run: contracts::run },
    Suite { name: "laws", about: "the code made from the statements satisfies the laws of contracts", run: laws::run },
    Suite {
        name: "programs",
        about: "four ways to the gradient of random programs agree, and so do executables",
        run: programs::run,
    },
    Suite {
        name: "lowerings",
        about: "fused operations are equal to their lowerings, for all shapes",
        run: lowerings::run,
    },
    Suite {
        name: "architectures",
        about: "random layers are what the loops of their definitions say, compiled and lowered, with their gradients",
        run: architectures::run,
    },
];

/// A row of the table.
pub(crate) struct Suite {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it shows, in one sentence.
    pub(crate) about: &'static str,
    /// Runs it.
    pub(crate) run: fn(&mut Context<'_>) -> SuiteResult,
}

/// What a suite gets.
pub(crate) struct Context<'a> {
    /// Where random numbers start.
    pub(crate) seed: u64,
    /// For progress only: a suite prints nothing.
    pub(crate) console: &'a mut Console,
}

/// What a suite gives.
#[derive(Default)]
pub(crate) struct SuiteResult {
    /// How much was done, in the order in which it is shown.
    pub(crate) counts: Vec<(&'static str, usize)>,
    /// What does not hold.
    pub(crate) failures: Vec<Failure>,
    /// What came of each thing that was tried, for the report.
    pub(crate) results: Vec<Value>,
}

impl SuiteResult {
    /// Adds something that was tried to the report.
    pub(crate) fn push(&mut self, result: &impl Serialize) {
        self.results.push(serde_json::to_value(result).unwrap_or(Value::Null));
    }
}

/// What does not hold, or could not be tried.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Failure {
    /// A statement that is not proved.
    Statement {
        #[serde(skip)]
        source: Arc<Source>,
        #[serde(flatten)]
        record: Box<Record>,
    },
    /// A source that could not be read.
    Problem {
        #[serde(skip)]
        source: Arc<Source>,
        #[serde(flatten)]
        problem: Box<Problem>,
    },
    /// A law that does not hold.
    Law {
        /// Of what.
        name: String,
        /// Which, where and how, in several lines.
        message: String,
    },
    /// The suite could not run.
    Internal {
        /// Why.
        error: String,
    },
}

impl Failure {
    /// How bad it is.
    pub(crate) fn status(&self) -> Status {
        match self {
            Failure::Statement { .. } | Failure::Law { .. } => Status::Fails,
            Failure::Problem { .. } | Failure::Internal { .. } => Status::CouldNotRun,
        }
    }
}

/// A suite that has run: a part of the report.
#[derive(Serialize)]
pub(crate) struct Finished {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) holds: bool,
    #[serde(serialize_with = "map")]
    pub(crate) counts: Vec<(&'static str, usize)>,
    pub(crate) failures: Vec<Failure>,
    pub(crate) milliseconds: f64,
    pub(crate) results: Vec<Value>,
}

impl Suite {
    /// The suite with its result.
    pub(crate) fn finished(&self, result: SuiteResult, milliseconds: f64) -> Finished {
        let SuiteResult { counts, failures, results } = result;
        let holds = failures.is_empty();
        Finished { name: self.name, about: self.about, holds, counts, failures, milliseconds, results }
    }
}
