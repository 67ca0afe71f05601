//! Suite `lowerings`: the kernel proves that each fused operation is equal to its lowering to the core language.

use pullback_kernel::Outcome;
use pullback_program::lowering::Lowering;
use serde::Serialize;

use super::suites::{Context, Failure, SuiteResult};

/// A lowering in the report.
#[derive(Serialize)]
struct Equality {
    name: &'static str,
    outcome: &'static str,
}

/// Runs the suite.
pub(crate) fn run(context: &mut Context<'_>) -> SuiteResult {
    let mut result = SuiteResult::default();
    let (mut proved, mut refuted, mut undecided) = (0, 0, 0);
    context.console.begin(Some(Lowering::all().len()));
    for lowering in Lowering::all() {
        let name = lowering.name();
        context.console.at(name);
        let law = |message: String| Failure::Law { name: name.to_owned(), message };
        let outcome = match lowering.equality() {
            Ok(Outcome::Proved(_)) => {
                proved += 1;
                "proved"
            }
            Ok(Outcome::Refuted(found)) => {
                refuted += 1;
                result.failures.push(law(found.to_string()));
                "refuted"
            }
            Ok(Outcome::Undecided(difference)) => {
                undecided += 1;
                result.failures.push(law(difference.to_string()));
                "undecided"
            }
            Err(error) => {
                result.failures.push(Failure::Internal { error: error.to_string() });
                "broken"
            }
        };
        result.push(&Equality { name, outcome });
        context.console.advance();
    }
    result.counts =
        vec![("lowerings", Lowering::all().len()), ("proved", proved), ("refuted", refuted), ("undecided", undecided)];
    result
}
