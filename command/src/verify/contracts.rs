//! Suite `contracts`: the kernel proves every statement that the library is made of.
//!
//! The texts are those that the library was compiled from, so that nothing else can be proved by mistake.

use std::sync::Arc;

use pullback::ops::STATEMENTS;
use pullback_kernel::Budget;

use super::suites::{Context, Failure, SuiteResult};
use crate::prove::{Finding, source_of};
use crate::record::Verdict;
use crate::source::Source;

/// Runs the suite.
pub(crate) fn run(context: &mut Context<'_>) -> SuiteResult {
    let mut result = SuiteResult::default();
    let (mut statements, mut proved, mut declared, mut refuted, mut undecided, mut problems) = (0, 0, 0, 0, 0, 0);
    context.console.begin(Some(STATEMENTS.len()));
    for (path, text) in STATEMENTS {
        let source = Arc::new(Source::new((*path).to_owned(), text.as_bytes().to_vec()));
        let told = source_of(&source, &Budget::default(), context.console, &mut |_, finding| {
            match finding {
                Finding::Problem(problem) => {
                    problems += 1;
                    let source = Arc::clone(&source);
                    result.failures.push(Failure::Problem { source, problem: Box::new(problem) });
                }
                Finding::Record(record) => {
                    statements += 1;
                    result.push(&record);
                    match record.outcome {
                        Verdict::Proved => proved += 1,
                        Verdict::Refuted => refuted += 1,
                        Verdict::Undecided => undecided += 1,
                    }
                    if record.outcome == Verdict::Proved {
                        declared += usize::from(record.evidence.as_ref().is_some_and(|e| e.kind != "proved"));
                    } else {
                        result.failures.push(Failure::Statement { source: Arc::clone(&source), record });
                    }
                }
            }
            Ok(())
        });
        if let Err(closed) = told {
            result.failures.push(Failure::Internal { error: closed.to_string() });
        }
        context.console.advance();
    }
    if statements == 0 {
        result.failures.push(Failure::Internal { error: "the library holds no statement".into() });
    }
    result.counts = vec![
        ("statements", statements),
        ("proved", proved),
        ("declared", declared),
        ("refuted", refuted),
        ("undecided", undecided),
        ("errors", problems),
    ];
    result
}
