//! Limits hold before the work: what asks for too much ends soon, within its budget, with a right answer or a refusal.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use pullback_kernel::{Budget, Cause, Outcome, load, prove, prove_within};

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
    assert!(matches!(outcome(include_str!("hostile/panic.contract")), Outcome::Proved(_)));
}

/// A wrong rule that multiplies out to a sixth power: the proof is given up at a bound of work, and the search still shows a point.
#[test]
fn a_proof_that_takes_too_long_leaves_work_for_the_search() {
    assert!(matches!(outcome(include_str!("hostile/slow_gru.contract")), Outcome::Refuted(_)));
}

/// Bijections of sixteen bijections, in the order in which each looks small when it is declared.
#[test]
fn a_chain_of_bijections_is_not_ranged_over() {
    let from = |dim: &str| vec![dim; 16].join(" * ");
    let chain: Vec<String> =
        (1..8).rev().map(|k| format!("bijection b{k}: {} -> d{k}", from(&format!("d{}", k - 1)))).collect();
    let dims: Vec<String> = (0..8).map(|k| format!("d{k}")).collect();
    let text = format!(
        "contract chain version 1 dims {}\n{}\ninput x[d7] output y[i] = x[i] * x[i]",
        dims.join(", "),
        chain.join("\n")
    );
    let found = outcome(&text);
    assert!(matches!(found, Outcome::Proved(_)), "{found:?}");
}

/// Names read at maps of maps: sixteen to the power of the names, written out.
#[test]
fn an_index_that_multiplies_is_refused_where_it_stands() {
    let at = vec!["i"; 16].join(", ");
    let names: Vec<String> = (1..20)
        .map(|k| format!("let l{k}[i] = {}[q({at})]", if k == 1 { "x".to_owned() } else { format!("l{}", k - 1) }))
        .collect();
    let text = format!(
        "contract deep version 1 dims n\nmap q: {} -> n\ninput x[n]\n{}\noutput y[i] = l19[i]",
        vec!["n"; 16].join(" * "),
        names.join("\n")
    );
    let Outcome::Undecided(why) = outcome(&text) else { panic!("{:?}", outcome(&text)) };
    assert_eq!(why.cause, Cause::Limit);
    assert_eq!(why.reason, "this grows past the kernel's limits: more than 1024 maps in an index");
    let clause = &text[why.span.range()];
    assert!(clause.contains("[q(i"), "{clause}");
}

/// The work is counted and not the time: a smaller budget gives the same refusal each time, and a larger one the proof.
#[test]
fn a_verdict_depends_on_the_budget_and_on_nothing_else() {
    let text =
        "contract cube version 1 dims n input x[n] output y[i] = x[i] * x[i] * x[i] saves x dx[i] = 3 * x[i]^2 * dy[i]";
    let statement = load(text).0.remove(0);
    let small = Budget::default().with_work(1 << 10);
    let reasons: Vec<String> = (0..3)
        .map(|_| match prove_within(&statement, &small) {
            Outcome::Undecided(why) => why.reason,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(reasons.iter().all(|r| *r == reasons[0]), "{reasons:?}");
    assert!(reasons[0].contains("units of work or more, and 512 are allowed"), "{}", reasons[0]);
    assert!(matches!(prove_within(&statement, &Budget::default()), Outcome::Proved(_)));
}
