//! What a suite takes and gives.

use std::fmt::Display;
use std::process::Command;

use serde::Serialize;
use serde_json::Value;

/// Makes the command of a process that calls [`hostile::work`](crate::hostile::work) with its last three arguments.
pub type Worker = fn() -> std::io::Result<Command>;

/// What a suite is run with.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where random draws start.
    pub seed: u64,
    /// How often the recorded number of random draws is made; at least 1.
    pub scale: usize,
    /// What runs inputs that may end their process; without it they run in this one.
    pub worker: Option<Worker>,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: crate::SEED, scale: 1, worker: None }
    }
}

/// What a suite says while it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// So many steps are to come.
    Steps(usize),
    /// One is done.
    Step,
}

/// A suite: what it shows, and how it is run.
#[derive(Clone, Copy, Debug)]
pub struct Suite {
    /// Its name.
    pub name: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    /// Whether it draws anything: the seed and the scale are nothing to one that does not.
    pub draws: bool,
    /// Runs it; the listener is for progress only.
    pub run: fn(&Options, &mut dyn FnMut(Event)) -> Outcome,
}

/// How much was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// Of what.
    pub name: &'static str,
    /// How much.
    pub found: usize,
    /// How much there must be, where that is recorded.
    pub expected: Option<usize>,
}

/// The worst of a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measure {
    /// Of what.
    pub name: &'static str,
    /// The largest that was found.
    pub largest: f64,
    /// How large it may be; none for what is only told.
    pub bound: Option<f64>,
}

/// Something that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Of what: a graph by its seed, a count, an edge.
    pub name: String,
    /// What is wrong, in several lines.
    pub message: String,
}

/// What a suite found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outcome {
    /// Counts, in the order in which they are shown.
    pub counts: Vec<Count>,
    /// The worst of what was measured.
    pub measures: Vec<Measure>,
    /// What does not hold.
    pub failures: Vec<Failure>,
    /// What came of each thing that was tried, for suites that keep it.
    pub results: Vec<Value>,
}

impl Outcome {
    /// Whether everything holds.
    pub fn holds(&self) -> bool {
        self.failures.is_empty()
    }

    /// Something does not hold.
    pub(crate) fn fail(&mut self, name: impl Display, message: impl Display) {
        self.failures.push(Failure { name: name.to_string(), message: message.to_string() });
    }

    /// Keeps what came of something that was tried.
    pub(crate) fn push(&mut self, result: &impl Serialize) {
        self.results.push(serde_json::to_value(result).unwrap_or(Value::Null));
    }

    /// Another count. One that is not the expected one is a failure.
    pub(crate) fn count(&mut self, name: &'static str, found: usize, expected: impl Into<Option<usize>>) {
        let expected = expected.into();
        if let Some(expected) = expected.filter(|expected| *expected != found) {
            self.fail(name, format!("{found} {name}, where {expected} are recorded"));
        }
        self.counts.push(Count { name, found, expected });
    }

    /// Another measure. One past its bound, or not a number, is a failure.
    pub(crate) fn measure(&mut self, name: &'static str, largest: f64, bound: impl Into<Option<f64>>) {
        let bound = bound.into();
        // A NaN is not below anything.
        if let Some(bound) = bound.filter(|bound| largest.is_nan() || largest > *bound) {
            self.fail(name, format!("{name}: {largest:e}, where at most {bound:e} is allowed"));
        }
        self.measures.push(Measure { name, largest, bound });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_is_not_reached_and_a_bound_that_is_passed_are_failures() {
        let mut outcome = Outcome::default();
        outcome.count("maps", 494, 494);
        outcome.count("pairs", 7, None);
        outcome.measure("error", 1e-16, 4e-16);
        outcome.measure("told", 1.0, None);
        assert!(outcome.holds());
        outcome.count("maps", 493, 494);
        outcome.measure("error", 5e-16, 4e-16);
        outcome.measure("no number", f64::NAN, 4e-16);
        let names: Vec<&str> = outcome.failures.iter().map(|failure| failure.name.as_str()).collect();
        assert_eq!(names, ["maps", "error", "no number"]);
    }
}
