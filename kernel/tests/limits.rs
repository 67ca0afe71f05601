//! Limits hold before the work: what asks for too much ends soon, within its budget, with a right answer or a refusal.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use pullback_kernel::{Outcome, load, prove};

fn outcome(text: &str) -> Outcome {
    let (statements, errors) = load(text);
    assert!(errors.is_empty(), "{errors:#?}");
    prove(&statements[0])
}

/// The tables of a map of sixteen indices would take 64 GiB at sizes of four: only points that fit are tried.
#[test]
fn a_point_with_large_tables_is_not_drawn() {
    assert!(matches!(outcome(include_str!("hostile/abort.contract")), Outcome::Proved(_)));
}

/// Eleven indices of one dimension: 4^11 elements.
#[test]
fn a_point_with_large_arrays_is_not_drawn() {
    assert!(matches!(outcome(include_str!("hostile/slow.contract")), Outcome::Proved(_)));
}

/// The sizes of a bijection of sixteen bijections pass the largest number.
#[test]
fn sizes_past_the_largest_number_are_not_drawn() {
    assert!(!matches!(outcome(include_str!("hostile/panic.contract")), Outcome::Refuted(_)));
}
