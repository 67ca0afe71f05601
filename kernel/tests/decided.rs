//! Right rules that were undecided once, each for a kind: all are proved, and so are the statements of them.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use pullback_kernel::statement::Statement;
use pullback_kernel::{Outcome, load, prove};

const RIGHT: &str = include_str!("decided/right.contract");
const DERIVED: &str = include_str!("decided/derived.contract");

fn statements(source: &str) -> Vec<Statement> {
    let (statements, errors) = load(source);
    assert!(errors.is_empty(), "{errors:?}");
    statements
}

fn undecided(name: &str, statement: &Statement) -> Option<String> {
    match prove(statement) {
        Outcome::Proved(_) => None,
        Outcome::Refuted(c) => Some(format!("{name} is refuted: {c}")),
        Outcome::Undecided(d) => Some(format!("{name} is undecided: {d}")),
    }
}

#[test]
fn right_rules_are_proved() {
    let all = statements(RIGHT);
    assert_eq!(all.len(), 12);
    let wrong: Vec<String> = all.iter().filter_map(|s| undecided(&s.name().text, s)).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

/// To the second order: the rule of a rule has no less evidence.
#[test]
fn rules_of_rules_are_proved() {
    let all = |_| true;
    let mut wrong = Vec::new();
    let mut count = 0;
    for s in statements(DERIVED).iter().chain(&statements(RIGHT)) {
        let name = &s.name().text;
        let mut derived = vec![(name.clone(), s.clone())];
        for (what, d) in [
            ("taped", s.taped().ok()),
            ("pullback", s.pullback(&all, &all).unwrap().map(|p| p.statement)),
            ("pushforward", s.pushforward(&all, &all).unwrap().map(|p| p.statement)),
        ] {
            let Some(d) = d else { continue };
            if let Some(p) = d.pullback(&all, &all).unwrap() {
                derived.push((format!("{name} {what} pullback"), p.statement));
            }
            if let Some(p) = d.pushforward(&all, &all).unwrap() {
                derived.push((format!("{name} {what} pushforward"), p.statement));
            }
            derived.push((format!("{name} {what}"), d));
        }
        count += derived.len();
        wrong.extend(derived.iter().filter_map(|(name, d)| undecided(name, d)));
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

/// A rule, a true statement that needs it, and its twin, which would be proved without the rule's side condition.
type Row = (&'static str, &'static str, &'static str);

const RULES: &[Row] = &[
    (
        "a place written with a bijection stays so",
        "dims n, m, k bijection b: n -> k, c: m -> k input x[m] output y[c(i)] = x[i] dx[i] = dy[c(i)]",
        "dims m, k bijection b: m -> k, c: m -> k input x[m] output y[c(i)] = x[i] dx[i] = dy[b(i)]",
    ),
    (
        "terms that are positive have no boundary",
        "input x declares convention \"none\" output y = x * x saves x dx = if x^2 + exp(x) > 0 then 2 * x * dy else 0",
        "input x declares convention \"none\" output y = x * x saves x dx = if x^2 - 1 > 0 then 2 * x * dy else 0",
    ),
    (
        "terms that are not negative are no less than zero",
        "input x declares convention \"none\" output y = x * x saves x dx = if -x^2 > 0 then dy else 2 * x * dy",
        "input x declares convention \"none\" output y = x * x saves x dx = if 1 - x^2 > 0 then dy else 2 * x * dy",
    ),
    (
        "a read that the domain makes positive",
        "dims n, m map f: m -> n input x[n], z[m] where x[i] > 0 declares convention \"none\"
         output y[i] = if x[f(i)] > 0 then z[i] else 0 dz[i] = dy[i] dx[k: n] = 0",
        // What is read where the map is undefined is zero.
        "dims n, m partial map f: m -> n input x[n], z[m] where x[i] > 0 declares convention \"none\"
         output y[i] = if x[f(i)] > 0 then z[i] else 0 dz[i] = dy[i] dx[k: n] = 0",
    ),
    (
        "a read that the domain makes positive at each place",
        "dims n input x[n], z[n] where x[i] > 0, z[i] > 0 output y[i] = sqrt(x[i] * z[i]) saves x, z
         dx[i] = dy[i] * sqrt(z[i]) / (2 * sqrt(x[i])) dz[i] = dy[i] * sqrt(x[i]) / (2 * sqrt(z[i]))",
        // On the diagonal only.
        "dims n input x[n, n], z[n, n] where x[i, j] * z[i, j] > 0, sum(i) x[i, i] > 0
         output y[i, j] = sqrt(x[i, j] * z[i, j]) saves x, z
         dx[i, j] = dy[i, j] * sqrt(z[i, j]) / (2 * sqrt(x[i, j])) dz[i, j] = dy[i, j] * sqrt(x[i, j]) / (2 * sqrt(z[i, j]))",
    ),
    (
        "a root of a product of sums",
        "input x, z output y = sqrt((1 + x^2) * (2 + z^2)) saves x, z
         dx = dy * x * sqrt(2 + z^2) / sqrt(1 + x^2) dz = dy * z * sqrt(1 + x^2) / sqrt(2 + z^2)",
        "input x, z where (x^2 - 1) * (z^2 - 2) > 0 output y = sqrt((x^2 - 1) * (z^2 - 2)) saves x, z
         dx = dy * x * sqrt(z^2 - 2) / sqrt(x^2 - 1) dz = dy * z * sqrt(x^2 - 1) / sqrt(z^2 - 2)",
    ),
    (
        "a root of a quotient, and a logarithm",
        "input x, z output y = log((1 + x^2) / (2 + z^2)) + sqrt((1 + x^2) / (2 + z^2)) saves x, z
         let u = 1 + x^2 let v = 2 + z^2
         dx = dy * (2 * x / u + x / (sqrt(u) * sqrt(v))) dz = -dy * (2 * z / v + z * sqrt(u) / (v * sqrt(v)))",
        "input x, z output y = log((1 + x^2) / (2 + z^2)) + sqrt((1 + x^2) / (2 + z^2)) saves x, z
         let u = 1 + x^2 let v = 2 + z^2
         dx = dy * (2 * x / u + x / (sqrt(u) * sqrt(v))) dz = -dy * (2 * z / v + z * sqrt(u) / (u * sqrt(v)))",
    ),
    (
        "a threshold says more than its sign",
        "input x declares convention \"c\" output y = if x > 0.01 then 1 / x else 0 saves x
         dx = if x > 0.01 then -dy / x^2 else 0",
        "input x declares convention \"c\" output y = if x > 0 then x else 0 saves x
         dx = if x > -0.01 then (if x > 0 then dy * x / x else 0 * dy / x) else 0",
    ),
    (
        "a threshold that another square is above",
        "input x, z declares convention \"c\" output y = if x > z^2 + 1 then log(x) else 0 saves x, z
         dx = if x > z^2 + 1 then dy / x else 0 dz = 0",
        "input x, z declares convention \"c\" output y = if x > z^2 - 1 then x else 0 saves x, z
         dx = if x > z^2 - 1 then dy * (1 + 0 * log(x)) else 0 dz = 0",
    ),
    (
        "a square that is positive is one of what is not zero",
        "input x, z declares convention \"c\" output y = if (x - z)^2 > 0 then 1 / (x - z) else 0 saves x, z
         dx = if (x - z)^2 > 0 then -dy / (x - z)^2 else 0 dz = if (x - z)^2 > 0 then dy / (x - z)^2 else 0",
        "input x, z declares convention \"c\" output y = if (x - z)^2 + 1 > 0 then x else 0 saves x, z
         dx = if (x - z)^2 + 1 > 0 then dy * (x - z) / (x - z) else 0 dz = 0",
    ),
    (
        "an absolute value above a threshold",
        "input x declares convention \"c\" output y = if abs(x) > 0.5 then 1 / x else 0 saves x
         dx = if abs(x) > 0.5 then -dy / x^2 else 0",
        "input x declares convention \"c\" output y = if abs(x) < 0.5 then x else 0 saves x
         dx = if abs(x) < 0.5 then dy * x / x else 0",
    ),
    (
        "a product that is not zero has no factor that is",
        "input x, z declares convention \"c\" output y = if (x * z)^2 > 0 then z / x else 0 saves x, z
         dx = if (x * z)^2 > 0 then -dy * z / x^2 else 0 dz = if (x * z)^2 > 0 then dy / x else 0",
        "input x, z declares convention \"c\" output y = if (x + z)^2 > 0 then z else 0 saves x, z
         dx = 0 dz = if (x + z)^2 > 0 then dy * x / x else 0",
    ),
    (
        "a condition on several indices at each instance",
        "dims m, n map f: n -> m input x[m], z[n] where x[i] - z[j] > 0
         output c[i, j] = sqrt(x[i] - z[j]) output d[j] = log(x[f(j)] - z[j])",
        // What is said of the diagonal says nothing beside it.
        "dims n input x[n], z[n] where x[i] - z[i] > 0 output c[i, j] = x[i] - z[j] saves x, z
         dx[i] = sum(j) dc[i, j] * sqrt(x[i] - z[j]) / sqrt(x[i] - z[j]) dz[j] = -(sum(i) dc[i, j])",
    ),
    (
        "a count that the domain makes positive",
        "dims g, c map of: c -> g input x[c] where sum(j) [h == of(j)] > 0
         output y[h] = (sum(j) [h == of(j)] * x[j]) / sum(j) [h == of(j)]",
        // Another map's.
        "dims g, c map of: c -> g, to: c -> g input x[c] where sum(j) [h == of(j)] > 0
         output y[h] = sum(j) [h == to(j)] * x[j]
         dx[j] = sum(h) [h == to(j)] * dy[h] * (sum(k) [h == to(k)]) / sum(k) [h == to(k)]",
    ),
    (
        "a count that counts its own index",
        "dims g, c map of: c -> g input x[c]
         output y[i] = (sum(j) [of(i) == of(j)] * x[j]) / sum(j) [of(i) == of(j)]",
        // Where a map is undefined nothing is counted.
        "dims g, c partial map of: c -> g input x[c] output y[i] = sum(j) [of(i) == of(j)] * x[j]
         dx[j] = sum(i) [of(i) == of(j)] * dy[i] * (sum(k) [of(i) == of(k)]) / (sum(k) [of(i) == of(k)])
            + 0 * sum(i) 1 / sum(k) [of(i) == of(k)]",
    ),
    (
        "what a branch needs stays known",
        "dims n input x[n], y[n] output z[i] = if x[i] > 0 then x[i] / y[i] else y[i] declares convention \"c\"",
        // What a branch says holds in the branch.
        "dims n input x[n], y[n] output z[i] = if x[i] > 0 then x[i] else y[i] declares convention \"c\" saves x
         dx[i] = if x[i] > 0 then dz[i] else 0 * dz[i] / x[i] dy[i] = if x[i] > 0 then 0 else dz[i]",
    ),
    (
        "the error function",
        "input x output y = 0.5 * x * (1 + erf(x / sqrt(2))) saves x
         dx = dy * (0.5 * (1 + erf(x / sqrt(2))) + x * exp(-x^2 / 2) / sqrt(8 * atan(1)))",
        "input x output y = 0.5 * x * (1 + erf(x / sqrt(2))) saves x
         dx = dy * (0.5 * (1 + erf(x / sqrt(2))) + x * exp(-x^2 / 2) / sqrt(4 * atan(1)))",
    ),
    (
        "the complement of the error function, which is odd",
        "input x output y = erfc(x) + erf(-x) + erf(x) saves x dx = -2 * dy * exp(-x^2) / sqrt(4 * atan(1))",
        "input x output y = erfc(x) + erf(-x) + erf(x) saves x dx = 2 * dy * exp(-x^2) / sqrt(4 * atan(1))",
    ),
    (
        "an angle, and that of a point",
        "input x, z where x > 0 output y = atan2(z, x) saves x, z
         dz = dy * x / (x^2 + z^2) dx = -dy * z / (x^2 + z^2)",
        // On the other side the angle is not that of the quotient.
        "input x, z where x != 0 output y = atan(z / x) saves x, z
         dz = dy * x / (x^2 + z^2) + 0 * atan2(z, x) dx = -dy * z / (x^2 + z^2)",
    ),
    (
        "a logarithm and an exponential next to one",
        "input x where 1 + x > 0 output y = log1p(x) + expm1(x) saves x dx = dy * (1 / (1 + x) + exp(x))",
        "input x where 2 + x > 0 output y = expm1(x) saves x dx = dy * exp(x) + 0 * log1p(x)",
    ),
    (
        "a floor",
        "input x declares convention \"jumps\" output y = x - floor(x) dx = dy",
        "input x declares convention \"jumps\" output y = x - floor(x) saves x dx = dy * (1 + floor(-x) + floor(x))",
    ),
    (
        "roots of numbers",
        "input x output y = x * sqrt(6) / sqrt(8) dx = dy * sqrt(3) / 2",
        "input x output y = x * sqrt(6) / sqrt(8) dx = dy * sqrt(3) / 3",
    ),
    (
        "a double angle",
        "input x output y = sin(x)^2 + cos(3 * x) saves x dx = dy * (sin(2 * x) - 3 * sin(3 * x))",
        "input x output y = sin(x)^2 + cos(3 * x) saves x dx = dy * (sin(2 * x) + 3 * sin(3 * x))",
    ),
    (
        "half an angle",
        "input x output y = sin(x / 2) * cos(x / 2) saves x dx = dy * cos(x) / 2",
        "input x output y = sin(x / 2) * cos(x / 3) saves x dx = dy * cos(x) / 2",
    ),
    (
        "the sine of a sum",
        "input x, z output y = sin(x) * cos(z) + cos(x) * sin(z) saves x, z dx = dy * cos(x + z) dz = dy * cos(x + z)",
        "input x, z output y = sin(x) * cos(z) + cos(x) * sin(z) saves x, z dx = dy * cos(x - z) dz = dy * cos(x + z)",
    ),
];

#[test]
fn each_rule_has_its_use_and_not_more() {
    let mut wrong = Vec::new();
    for (name, right, twin) in RULES {
        for (body, proved) in [(right, true), (twin, false)] {
            let all = statements(&format!("contract rule version 1 {body}"));
            let found = undecided(name, &all[0]);
            if found.is_none() != proved {
                wrong.push(format!("{name}: {}\n    {body}", found.unwrap_or_else(|| "proved".to_owned())));
            }
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}
