//! All laws, on every operation, at generated points.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;
use pullback::laws::{check_library, operation_names};
use pullback::ops::STATEMENTS;

proptest! {
    // A case is one point for each instance of every operation: shrinking its seed would say nothing.
    #![proptest_config(ProptestConfig { max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::with_cases(3) })]

    #[test]
    fn the_laws_hold(seed: u64) {
        let report = check_library(seed, 1, |_| {});
        let refused: Vec<&String> = report.operations.iter().flat_map(|operation| &operation.refused).collect();
        prop_assert!(refused.is_empty(), "{refused:?}");
        let violations: Vec<String> = report.violations().map(ToString::to_string).collect();
        prop_assert!(violations.is_empty(), "{} violations\n{}", violations.len(), violations.join("\n\n"));
    }
}

/// The registry lists every statement once, and nothing else.
#[test]
fn every_statement_is_in_the_registry_once() {
    let names: Vec<&str> = operation_names();
    let listed: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(listed.len(), names.len(), "an operation is listed twice");
    let stem = |path: &'static str| Path::new(path).file_stem().unwrap().to_str().unwrap();
    let statements: BTreeSet<&str> = STATEMENTS.iter().map(|(path, _)| stem(path)).collect();
    let missing: Vec<_> = statements.difference(&listed).collect();
    let unknown: Vec<_> = listed.difference(&statements).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:?}, unknown {unknown:?}");
}
