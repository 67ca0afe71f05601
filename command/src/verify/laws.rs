//! Suite `laws`: the laws of contracts, run on the code that was made from each statement of the library.

use pullback::laws::{self, OperationReport};
use pullback::ops::STATEMENTS;
use serde::Serialize;

use super::suites::{Context, Failure, SuiteResult};
use crate::work::{self, Event};

/// Points for each instance of an operation.
const CASES: usize = 8;

/// An operation in the report.
#[derive(Serialize)]
struct Operation<'a> {
    name: &'a str,
    evidence: &'a str,
    instances: Vec<String>,
    checks: usize,
    violated: usize,
}

/// Runs the suite.
pub(crate) fn run(context: &mut Context<'_>) -> SuiteResult {
    let mut result = SuiteResult::default();
    let Context { seed, scale, console } = context;
    let (seed, cases) = (*seed, CASES * *scale);
    // About one operation a statement; asking for their names would compile all of them once more.
    console.begin(Some(STATEMENTS.len()));
    let watch = |event| match event {
        Event::Tick => console.tick(),
        Event::At(name) => {
            console.advance();
            console.at(&name);
        }
    };
    let report = match work::run(watch, move |tell| laws::check_library(seed, cases, tell)) {
        Ok(report) => report,
        Err(stopped) => {
            result.failures.push(Failure::Internal { error: stopped.to_string() });
            return result;
        }
    };
    for operation in &report.operations {
        let OperationReport { name, evidence, instances, violations, violated, refused, .. } = operation;
        let (checks, violated) = (operation.checks(), *violated);
        // As they were written, on one line.
        let line = |text: &&str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let instances = instances.iter().map(line).collect();
        result.push(&Operation { name, evidence, instances, checks, violated });
        let messages = violations.iter().map(ToString::to_string);
        let refusals = refused.iter().map(|why| format!("an instance could not be made: {why}"));
        for message in messages.chain(refusals) {
            result.failures.push(Failure::Law { name: (*name).to_owned(), message });
        }
        if checks == 0 && operation.holds() {
            result.failures.push(Failure::Internal { error: format!("no law was tried on `{name}`") });
        }
    }
    result.counts = vec![
        ("operations", report.operations.len()),
        ("instances", report.operations.iter().map(|o| o.instances.len()).sum()),
        ("laws", report.held().len()),
        ("checks", report.checks()),
        ("violations", report.operations.iter().map(|o| o.violated).sum()),
    ];
    if !report.holds() && result.failures.is_empty() {
        result.failures.push(Failure::Internal { error: "the laws do not hold, and no violation was kept".into() });
    }
    result
}
