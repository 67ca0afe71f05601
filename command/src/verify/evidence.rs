//! The suites of the crate of evidence, as those of the command.

use pullback_evidence::{Count, Event, Options, Outcome, hostile};

use std::process::Command;

use super::suites::{Context, Failure, Measure, Run, Suite, SuiteResult};
use crate::arguments;
use crate::output::{Closed, Console};
use crate::status::Status;

/// The row of a suite.
pub(crate) const fn row(suite: &pullback_evidence::Suite) -> Suite {
    Suite { name: suite.name, about: suite.about, draws: suite.draws, run: Run::Evidence(suite.run) }
}

/// Runs a suite, with its progress on the console.
pub(crate) fn result(run: fn(&Options, &mut dyn FnMut(Event)) -> Outcome, context: &mut Context<'_>) -> SuiteResult {
    let Context { seed, scale, console } = context;
    let outcome = run(&Options { seed: *seed, scale: *scale, worker: Some(worker) }, &mut |event| match event {
        Event::Steps(steps) => console.begin(Some(steps)),
        Event::Step => console.advance(),
    });
    let Outcome { counts, measures, failures, results } = outcome;
    SuiteResult {
        recorded: counts.iter().filter_map(|Count { name, expected, .. }| Some((*name, (*expected)?))).collect(),
        counts: counts.into_iter().map(|Count { name, found, .. }| (name, found)).collect(),
        measures: measures
            .into_iter()
            .map(|pullback_evidence::Measure { name, largest, bound }| Measure { name, largest, bound })
            .collect(),
        failures: failures
            .into_iter()
            .map(|pullback_evidence::Failure { name, message }| Failure::Law { name, message })
            .collect(),
        results,
    }
}

/// This program, as a worker: what an input does to its process is nothing to the report.
fn worker() -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("worker");
    Ok(command)
}

/// What the worker does.
///
/// # Errors
///
/// [`Closed`] where nobody listens any more.
pub(crate) fn work(arguments: &arguments::Worker, console: &mut Console) -> Result<Status, Closed> {
    // Its last words are for the report.
    drop(std::panic::take_hook());
    let arguments::Worker { seed, from, to } = *arguments;
    let mut closed = Ok(());
    hostile::work(seed, from, to, &mut |line| {
        if closed.is_ok() {
            closed = console.result(&line);
        }
    });
    closed.map(|()| Status::Holds)
}
