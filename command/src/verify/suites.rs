//! The table of suites: what `pullback verify` runs, in order.
//!
//! A suite is a name, what it is about, and a function that gives counts and failures.
//! One that could not run must say so in its failures and never pass for one that held.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use pullback_evidence::{Event, Options, Outcome};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{architectures, contracts, evidence, laws, lowerings, programs, recorded};
use crate::output::Console;
use crate::problem::Problem;
use crate::record::{Record, map, milliseconds};
use crate::source::Source;
use crate::status::Status;
use crate::work::guarded;

/// All suites. A later one is a row.
pub(crate) const SUITES: &[Suite] = &[
    Suite {
        name: "contracts",
        about: "every statement of the library is proved by the kernel",
        draws: false,
        run: Run::Here(contracts::run),
    },
    Suite {
        name: "laws",
        about: "the code made from the statements satisfies the laws of contracts",
        draws: true,
        run: Run::Here(laws::run),
    },
    Suite {
        name: "programs",
        about: "four ways to the gradient of random programs agree, and so do executables",
        draws: true,
        run: Run::Here(programs::run),
    },
    Suite {
        name: "lowerings",
        about: "fused operations are equal to their lowerings, for all shapes",
        draws: false,
        run: Run::Here(lowerings::run),
    },
    Suite {
        name: "architectures",
        about: "random layers are what the loops of their definitions say, compiled and lowered, with their gradients",
        draws: true,
        run: Run::Here(architectures::run),
    },
    evidence::row(&pullback_evidence::claims::SUITE),
    evidence::row(&pullback_evidence::rational::SUITE),
    evidence::row(&pullback_evidence::gathers::SUITE),
    evidence::row(&pullback_evidence::tensor_graphs::SUITE),
    evidence::row(&pullback_evidence::random_statements::SUITE),
    evidence::row(&pullback_evidence::networks::SUITE),
    evidence::row(&pullback_evidence::random_programs::SUITE),
    evidence::row(&pullback_evidence::hostile::SUITE),
    evidence::row(&pullback_evidence::serialisation::SUITE),
    evidence::row(&pullback_evidence::edges::SUITE),
    evidence::row(&pullback_evidence::gallery::SUITE),
];

/// A row of the table.
pub(crate) struct Suite {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it shows, in one sentence.
    pub(crate) about: &'static str,
    /// Whether it draws anything: the seed and the scale are nothing to one that does not.
    pub(crate) draws: bool,
    /// Runs it.
    pub(crate) run: Run,
}

/// Where a suite stands.
pub(crate) enum Run {
    /// In the command.
    Here(fn(&mut Context<'_>) -> SuiteResult),
    /// In the crate of evidence, which knows nothing of the command.
    Evidence(fn(&Options, &mut dyn FnMut(Event)) -> Outcome),
}

/// What a suite gets.
pub(crate) struct Context<'a> {
    /// Where random numbers start.
    pub(crate) seed: u64,
    /// How often the usual number of random draws is made.
    pub(crate) scale: usize,
    /// For progress only: a suite prints nothing.
    pub(crate) console: &'a mut Console,
}

/// What a suite gives.
#[derive(Default)]
pub(crate) struct SuiteResult {
    /// How much was done, in the order in which it is shown.
    pub(crate) counts: Vec<(&'static str, usize)>,
    /// The counts that must be reached.
    pub(crate) recorded: Vec<(&'static str, usize)>,
    /// The worst of what was measured.
    pub(crate) measures: Vec<Measure>,
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
#[derive(Serialize, JsonSchema)]
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

/// The worst of a number.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Measure {
    /// Of what.
    pub(crate) name: &'static str,
    /// The largest that was found; `null` for no number.
    #[schemars(with = "Option<f64>")]
    pub(crate) largest: f64,
    /// How large it may be; `null` for what is only told.
    pub(crate) bound: Option<f64>,
}

/// A suite that has run: a part of the report.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Suite", deny_unknown_fields)]
pub(crate) struct Finished {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it shows, in one sentence.
    pub(crate) about: &'static str,
    /// Whether it is so.
    pub(crate) holds: bool,
    /// Where its random numbers started; not there for a suite that draws nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub(crate) seed: Option<u64>,
    /// How often the usual number of its random draws was made; not there for a suite that draws nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize")]
    pub(crate) scale: Option<usize>,
    /// How much was done.
    #[serde(serialize_with = "map")]
    #[schemars(with = "BTreeMap<String, usize>")]
    pub(crate) counts: Vec<(&'static str, usize)>,
    /// The counts that must be reached, exactly.
    #[serde(serialize_with = "map")]
    #[schemars(with = "BTreeMap<String, usize>")]
    pub(crate) recorded: Vec<(&'static str, usize)>,
    /// The worst of what was measured.
    pub(crate) measures: Vec<Measure>,
    /// What does not hold, or could not be tried.
    pub(crate) failures: Vec<Failure>,
    /// How long it took.
    pub(crate) milliseconds: f64,
    /// What came of each thing that was tried, for suites that keep it: each in a form of its own.
    pub(crate) results: Vec<Value>,
}

impl Suite {
    /// Runs it. One that panics could not run, and says so.
    pub(crate) fn run(&self, context: &mut Context<'_>) -> Finished {
        let started = Instant::now();
        context.console.title(self.name);
        let result = guarded(|| match self.run {
            Run::Here(run) => {
                let mut result = run(context);
                recorded::hold(self.name, context.scale, &mut result);
                result
            }
            Run::Evidence(run) => evidence::result(run, context),
        });
        context.console.end();
        let result = result.unwrap_or_else(|stopped| {
            let failures = vec![Failure::Internal { error: stopped.to_string() }];
            SuiteResult { failures, ..SuiteResult::default() }
        });
        let (seed, scale) = (context.seed, context.scale);
        self.finished(result, (seed, scale), milliseconds(started.elapsed()))
    }

    /// The suite with its result.
    fn finished(&self, result: SuiteResult, (seed, scale): (u64, usize), milliseconds: f64) -> Finished {
        let SuiteResult { counts, recorded, measures, failures, results } = result;
        let holds = failures.is_empty();
        let (name, about) = (self.name, self.about);
        let (seed, scale) = (self.draws.then_some(seed), self.draws.then_some(scale));
        Finished { name, about, holds, seed, scale, counts, recorded, measures, failures, milliseconds, results }
    }
}
