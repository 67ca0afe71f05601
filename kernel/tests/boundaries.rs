//! What a rule is on the boundaries of the forward formula: each claim with the right rule that shows it and the false
//! twins that must not pass, and with the inputs that once did.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use pullback_kernel::eval::{self, Point};
use pullback_kernel::{Outcome, Rational, Statement, Wrong, load, prove};

fn statement(body: &str) -> Statement {
    let (mut statements, errors) = load(&format!("contract tried version 1 {body}"));
    assert!(errors.is_empty(), "{body}: {errors:?}");
    statements.remove(0)
}

fn outcome(body: &str) -> Outcome {
    prove(&statement(body))
}

fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Proved(_) => "proved".into(),
        Outcome::Refuted(c) => format!("refuted\n{c}"),
        Outcome::Undecided(d) => format!("undecided: {d}"),
    }
}

fn proved(table: &[&str]) {
    for body in table {
        let outcome = outcome(body);
        assert!(matches!(outcome, Outcome::Proved(_)), "{body}\n{}", shown(&outcome));
    }
}

/// A statement, and whether what is wrong with it is what it should be.
type Twin<'a> = (&'a str, fn(&Wrong) -> bool);

fn refuted(table: &[Twin<'_>]) {
    for (body, wrong) in table {
        match outcome(body) {
            Outcome::Refuted(c) if wrong(&c.wrong) => {}
            other => panic!("{body}\n{}", shown(&other)),
        }
    }
}

fn refused(table: &[(&str, &str)]) {
    for (body, reason) in table {
        match outcome(body) {
            Outcome::Undecided(d) if d.reason.contains(reason) => {}
            other => panic!("{body}\n{}", shown(&other)),
        }
    }
}

/// Refuted, or not shown to be independent.
fn not_independent(table: &[&str]) {
    for body in table {
        match outcome(body) {
            Outcome::Refuted(_) => {}
            Outcome::Undecided(d) if d.reason.contains("independent") => {}
            other => panic!("{body}\n{}", shown(&other)),
        }
    }
}

const RELU: &str = "dims n input x[n] output y[i] = max(x[i], 0) saves x ";

/// The rule at a point, exactly.
fn rule_at(statement: &Statement, inputs: &[&[i64]], cotangent: i64) -> Vec<Vec<Rational>> {
    let integer = |n: i64| Rational::from_integer(n.into());
    let sizes = statement.dims().iter().map(|_| inputs[0].len()).collect();
    let inputs: Vec<Vec<Rational>> = inputs.iter().map(|t| t.iter().copied().map(integer).collect()).collect();
    let point = Point { sizes, maps: Vec::new(), params: Vec::new(), constants: Vec::new(), inputs };
    let values = eval::forward(statement, &point).unwrap();
    let cotangents: Vec<Vec<Rational>> =
        values.outputs.iter().map(|y| y.iter().map(|_| integer(cotangent)).collect()).collect();
    eval::backward(statement, &point, &values, &cotangents).unwrap()
}

#[test]
fn a_subgradient_lies_between_the_sides() {
    for weight in ["0", "0.25 * dy[i]", "dy[i] / 2", "dy[i]"] {
        proved(&[&format!(
            "{RELU} dx[i] = if x[i] > 0 then dy[i] else (if x[i] < 0 then 0 else {weight}) declares subgradient"
        )]);
    }
    for weight in ["7 * dy[i]", "1.001 * dy[i]", "-dy[i] / 100"] {
        let rule = format!("{RELU} dx[i] = if x[i] > 0 then dy[i] else (if x[i] < 0 then 0 else {weight})");
        refuted(&[
            (&format!("{rule} declares subgradient"), |w| matches!(w, Wrong::Outside { .. })),
            (&format!("{rule} declares convention"), |w| matches!(w, Wrong::Outside { .. })),
        ]);
        // Named, it is what it says.
        proved(&[&format!("{rule} declares convention at x[i] == 0: dx[i] = {weight}")]);
    }
}

#[test]
fn the_weight_is_one_for_all_cotangents() {
    let rule = |first: &str, second: &str| {
        format!(
            "input x, y output z = max(x, y) saves x, y
             dx = if x > y then dz else (if x < y then 0 else {first})
             dy = if x > y then 0 else (if x < y then dz else {second}) declares subgradient"
        )
    };
    proved(&[&rule("dz / 2", "dz / 2"), &rule("0.25 * dz", "0.75 * dz"), &rule("dz", "0"), &rule("0", "dz")]);
    for (first, second) in [("dz", "dz"), ("0", "0"), ("dz / 2", "dz")] {
        refuted(&[(&rule(first, second), |w| matches!(w, Wrong::Outside { .. }))]);
    }
}

#[test]
fn what_is_named_is_checked() {
    let clamp = |at: &str| {
        format!(
            "param low param high input x output y = min(max(x, low), high) saves x
             dx = if x > low then (if x < high then dy else 0) else 0 declares convention {at}"
        )
    };
    proved(&[&clamp("at x == low: dx = 0, at x == high: dx = 0"), &clamp("at high == x: dx = 0 * dy"), &clamp("")]);
    refused(&[
        // "derivative 1 at both bounds", now a claim.
        (&clamp("at x == low: dx = dy, at x == high: dx = dy"), "does not give what is named for `dx`"),
        (&clamp("at x == low: dx = 0, at x == high: dx = dy"), "does not give what is named for `dx`"),
        (&clamp("at x == high: dx = 1"), "not linear"),
    ]);
    // Another boundary than the one at which the rule is neither side's.
    let elsewhere = format!(
        "{RELU} dx[i] = if x[i] > 0 then dy[i] else (if x[i] < 0 then 0 else 7 * dy[i])
         declares convention at x[i] == 1: dx[i] = dy[i]"
    );
    assert!(!matches!(outcome(&elsewhere), Outcome::Proved(_)));
}

#[test]
fn nothing_is_declared_where_there_is_no_boundary() {
    let square = "dims n input x[n] output y[i] = x[i]^2 saves x
        dx[i] = if x[i] >= 0.7 then (if x[i] <= 0.7 then 0 else 2 * x[i] * dy[i]) else 2 * x[i] * dy[i]";
    // In one factor of a branch, and on a boundary of another branch.
    let guarded = "input x, y output z = if x > 0 then max(y, 0) else 0 saves x, y dx = 0 * dz
        dy = if x > 0 then (if y > 0 then dz else 0) else (if y > 0 then 0 else (if y < 0 then 0 else 7 * dz))";
    // Both sides of the formula are one line.
    let line = "input x output y = max(x, 0) - max(-x, 0) saves x
        dx = (if x > 0 then dy else 0) + (if -x > 0 then dy else 0)";
    for (rule, named) in [
        (square, "at x[i] == 0.7: dx[i] = 0"),
        (guarded, "at y == 0: dy = if x > 0 then 0 else 7 * dz"),
        (line, "at x == 0: dx = 0"),
    ] {
        for label in ["subgradient", "convention", "convention as written", &format!("convention {named}")] {
            refuted(&[(&format!("{rule} declares {label}"), |w| matches!(w, Wrong::Differs { .. }))]);
        }
    }
    // Where two guards of the rule's own meet.
    let corner = "input x, y output z = x * y saves x, y dx = y * dz
        dy = if x >= 0.7 then (if 0.7 >= x then (if y >= 0.3 then (if 0.3 >= y then 0 else x * dz) else x * dz)
             else x * dz) else x * dz declares convention";
    assert!(!matches!(outcome(corner), Outcome::Proved(_)));
    // A guard of the rule's own that changes nothing.
    proved(&[
        "input x output y = x^2 saves x dx = if x > 3 then 2 * x * dy else (if x < 3 then 2 * x * dy else 6 * dy)
        declares convention",
    ]);
}

#[test]
fn a_rule_is_linear_in_the_cotangent_on_boundaries_too() {
    for label in ["subgradient", "convention", "convention at x[i] == 0: dx[i] = dy[i] + 1"] {
        refuted(&[(
            &format!("{RELU} dx[i] = if x[i] > 0 then dy[i] else (if x[i] < 0 then 0 else dy[i] + 1) declares {label}"),
            |w| matches!(w, Wrong::NotLinear { .. }),
        )]);
    }
}

/// A smooth function written with branches: its derived rule is its derivative, also on the thin branch.
#[test]
fn a_derived_rule_is_right_where_the_sides_agree() {
    let asinh = "input x output y = if x > 0 then log(x + sqrt(x^2 + 1))
        else (if x < 0 then -log(-x + sqrt(x^2 + 1)) else 0) declares convention";
    for body in [
        asinh,
        "input x output y = max(x, 0) - max(-x, 0) declares convention",
        "input x let p = max(-x, 0) let q = max(x, 0) output y = q - p declares convention",
        "input x output y = if x > 0 then x else (if 0 > x then x else 0) declares subgradient",
    ] {
        let Outcome::Proved(theorem) = outcome(body) else { panic!("{body}\n{}", shown(&outcome(body))) };
        assert_eq!(rule_at(theorem.statement(), &[&[0]], 1), [[Rational::from_integer(1.into())]], "{body}");
        // The formula as it is written has another derivative on the thin branch, and may not be declared.
        let written = format!("{body} as written");
        if written.ends_with("convention as written") {
            assert!(!matches!(outcome(&written), Outcome::Proved(_)), "{written}");
        }
    }
}

#[test]
fn a_subgradient_has_sides_that_meet_and_boundaries_that_are_independent() {
    refused(&[
        ("input x output y = if x > 0 then 1 else 0 dx = 0 * dy declares subgradient", "have one value"),
        ("input x output y = x * round(x) saves x dx = dy * round(x) declares subgradient", "round"),
        // Each of two boundaries may be on either side, though no point is on those sides of both.
        (
            "dims m, n input x[m], y[n] output z[i, j] = max(x[i] - y[j], 0) saves x, y
             dx[i] = sum(j) if x[i] > y[j] then dz[i, j] else 0
             dy[j] = -(sum(i) if x[i] > y[j] then dz[i, j] else 0) declares subgradient",
            "independent",
        ),
    ]);
    proved(&[
        "dims m, n input x[m], y[n] output z[i, j] = max(x[i] - y[j], 0) saves x, y
         dx[i] = sum(j) if x[i] > y[j] then dz[i, j] else 0
         dy[j] = -(sum(i) if x[i] > y[j] then dz[i, j] else 0) declares convention",
        "input x output y = if x > 0 then 1 else 0 dx = 0 * dy declares convention",
        "input x output y = x * round(x) saves x dx = dy * round(x) declares convention",
    ]);
}

#[test]
fn ties_of_a_maximum_share_evenly() {
    let maximum = |share: &str| {
        format!(
            "dims n input x[n] output y = max(k) x[k] saves x, y let count = sum(k) (if x[k] >= y then 1 else 0)
             dx[j] = if x[j] >= y then {share} else 0 declares subgradient"
        )
    };
    proved(&[&maximum("dy / count"), "dims n input x[n] output y = max(k) x[k] declares subgradient"]);
    refuted(&[(&maximum("dy"), |w| matches!(w, Wrong::Outside { .. }))]);
    // The count of ties is one or more only where all places of the maximum are counted.
    for count in ["sum(k) (if x[f(k)] >= y then 1 else 0)", "sum(k) (if x[k] > y then 1 else 0)"] {
        let body = format!(
            "dims n map f: n -> n input x[n] output y = max(k) x[k] saves x, y let count = {count}
             dx[j] = if x[j] >= y then dy / count else 0 declares subgradient"
        );
        assert!(!matches!(outcome(&body), Outcome::Proved(_)), "{body}");
    }
    // A place that a map repeats is one function met twice, and no tie.
    proved(&["dims n, m map f: m -> n input x[n] output y = max(k) x[f(k)] saves x, y
        let count = sum(k) (if x[f(k)] >= y then 1 else 0)
        dx[j] = sum(k) [f(k) == j] * (if x[f(k)] >= y then dy / count else 0) declares convention"]);
    let theorem = match outcome("dims n input x[n] output y = max(k) x[k] declares subgradient") {
        Outcome::Proved(theorem) => theorem,
        other => panic!("{}", shown(&other)),
    };
    let third = |n: i64| Rational::new(n.into(), 3.into());
    assert_eq!(rule_at(theorem.statement(), &[&[5, 2, 5, 5]], 1), [[third(1), third(0), third(1), third(1)]]);
}

/// The derivative along a direction at a tie is that of the rule: values, dual numbers and rule say one thing.
#[test]
fn dual_numbers_share_ties_as_the_rule_does() {
    let whole = statement("dims n input x[n] output y = max(k) x[k] declares subgradient");
    let integer = |n: i64| Rational::from_integer(n.into());
    let inputs = [4, 1, 4, 4];
    let rule = rule_at(&whole.with_derived_rule(), &[&inputs], 1);
    for (moved, expected) in rule[0].iter().enumerate() {
        let dual = |k: usize| eval::Dual { value: integer(inputs[k]), tangent: integer(i64::from(k == moved)) };
        let point = Point {
            sizes: vec![4],
            maps: Vec::new(),
            params: Vec::new(),
            constants: Vec::new(),
            inputs: vec![(0..4).map(dual).collect()],
        };
        let values = eval::forward(&whole, &point).unwrap();
        assert_eq!(values.outputs[0][0].tangent, *expected);
    }
}

/// A guard that vanishes to second order holds on both sides: neither side is the branch that is taken on the boundary itself.
#[test]
fn the_sides_of_a_guard_that_touches_zero() {
    // Both sides go to -inf: there is no derivative that the rule could be held to.
    let jump = "input x output y = if log1p(x) * x > 0 then log(x * x) else x saves x
                dx = dy * (if log1p(x) * x > 0 then 2 * recip(x) else 0) declares subgradient";
    assert!(!matches!(outcome(jump), Outcome::Refuted(_)), "{}", shown(&outcome(jump)));
    // Both sides have slope 2, and so has the function.
    refuted(&[(
        "input x output y = if x * x > 0 then 2 * x else x saves x dx = dy * (if x * x > 0 then 2 else 3) declares subgradient",
        |wrong| matches!(wrong, Wrong::Differs { expected, claimed, .. } if expected != claimed),
    )]);
}

/// A value that jumps has no side that begins at it, and a coordinate that is not moved lies on no boundary by chance.
#[test]
fn the_sides_of_a_jump() {
    for body in [
        "dims s.. input x[s..] output y[i..] = -(if x[i..] > floor(x[i..]) then floor(x[i..]) else x[i..]) saves x
         dx[i..] = dy[i..] * (if x[i..] > floor(x[i..]) then 0 else -(if 0 > 0 then 1 else 0)) declares convention",
        "input x output y = if x > floor(x) then floor(x) else 2 * x - 1 saves x
         dx = dy * (if x > floor(x) then 0 else 1) declares convention",
    ] {
        let found = outcome(body);
        assert!(!matches!(found, Outcome::Refuted(_)), "{body}\n{}", shown(&found));
    }
}

/// What differs far behind the point is shown with the digits that differ.
#[test]
fn numbers_that_differ_are_shown_apart() {
    refuted(&[(
        "input x output y = exp(x) saves x dx = 1.0000000001 * exp(x) * dy",
        |wrong| matches!(wrong, Wrong::Differs { expected, claimed, .. } if expected != claimed),
    )]);
}

/// What has one element as two arguments of several maxima gets shares by how often, and those add up to no derivative.
#[test]
fn ties_through_maps_are_a_subgradient_of_one_maximum_alone() {
    not_independent(&[
        "dims n, k map f: k -> n map g: k -> n input x[n]
             output z = (max(l) x[f(l)]) - (max(l) x[g(l)]) declares subgradient",
        "dims n, k partial map f: k -> n input x[n]
             output z = (max(l) x[f(l)]) - (max(l: n) x[l]) declares subgradient",
        "dims t, u, k map at: u, k -> t input x[t] output y[j] = max(l) x[at(j, l)] declares subgradient",
        "dims n, k map f: k -> n input x[n] output y = max(l) x[f(l)] output z = max(l: n) x[l] declares subgradient",
    ]);
    proved(&[
        "dims n, k map f: k -> n input x[n] output y = max(l) x[f(l)] declares subgradient",
        "dims t, u, k map at: u, k -> t input x[t] output y[j] = max(l) x[at(j, l)] declares convention",
        "dims n, k bijection r: n -> k input x[k] output z = (max(l) x[r(l)]) - (max(l: k) x[l]) declares subgradient",
        "dims m, n input x[m, n] output y[i] = max(j) x[i, j] declares subgradient",
    ]);
}

/// Two boundaries of one read never meet at one place; at two places of an index that the read has no place for they may.
#[test]
fn boundaries_of_one_read_at_other_places() {
    let clamp = |label: &str| {
        format!(
            "dims m constant c[m] input x output y[j] = min(max(x, c[j]), c[j] + 1) saves x
             dx = sum(j) (if x > c[j] then (if x < c[j] + 1 then dy[j] else 0) else 0) declares {label}"
        )
    };
    not_independent(&[
        &clamp("subgradient"),
        "dims m constant c[m] input x output y = sum(j) (max(x - c[j], 0) - max(x - c[j] - 1, 0)) saves x
             dx = sum(j) ((if x - c[j] > 0 then dy else 0) - (if x - c[j] - 1 >= 0 then dy else 0)) declares subgradient",
        "dims k, m map f: m -> k input x output y[i, k1: k] = max(x - [f(i) == k1], 0)
             output z[i: m, k1: k] = max(x - [f(i) == k1] - 1, 0) declares subgradient",
    ]);
    proved(&[
        &clamp("convention"),
        // Each read has a place for each index.
        "dims m constant c[m] input x[m] output y[j] = min(max(x[j], c[j]), c[j] + 1) saves x
         dx[j] = if x[j] > c[j] then (if x[j] < c[j] + 1 then dy[j] else 0) else 0 declares subgradient",
        // One boundary, taken from one side at all places.
        "dims m constant c[m] input x output y[j] = max(x - c[j], 0) saves x
         dx = sum(j) (if x > c[j] then dy[j] else 0) declares subgradient",
    ]);
}

/// A side beyond the edge of the domain is none of those whose rules may be combined.
#[test]
fn a_subgradient_needs_both_sides_in_the_domain() {
    let below = |condition: &str, label: &str| {
        format!(
            "dims n input x[n] where {condition} output y[i] = -abs(x[i]) saves x
             dx[i] = if x[i] > 0 then -dy[i] else dy[i] declares {label}"
        )
    };
    refused(&[(&below("x[i] >= 0", "subgradient"), "edge")]);
    proved(&[&below("x[i] + 1 > 0", "subgradient"), &below("x[i] >= 0", "convention")]);
}
