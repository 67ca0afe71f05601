//! The suites of the crate of evidence, as those of the command.

use pullback_evidence::{Count, Event, Options, Outcome};

use super::suites::{Context, Failure, Measure, Run, Suite, SuiteResult};

/// The row of a suite.
pub(crate) const fn row(suite: &pullback_evidence::Suite) -> Suite {
    Suite { name: suite.name, about: suite.about, draws: suite.draws, run: Run::Evidence(suite.run) }
}

/// Runs a suite, with its progress on the console.
pub(crate) fn result(run: fn(&Options, &mut dyn FnMut(Event)) -> Outcome, context: &mut Context<'_>) -> SuiteResult {
    let Context { seed, scale, console } = context;
    let outcome = run(&Options { seed: *seed, scale: *scale }, &mut |event| match event {
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
