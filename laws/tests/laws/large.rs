//! Arrays of a thousand to a hundred thousand numbers: right rules are decided, wrong ones are found, and what is shown is small.

use std::sync::atomic::{AtomicUsize, Ordering};

use pullback_laws::{Law, LawViolation, Options, Report, Rule};
use pullback_scalar::Dual;

use crate::rules::{X, each, signature, zip};

type Checked = Result<Report, LawViolation>;
type Check = fn(usize, &Options) -> Checked;

fn by_element(n: usize, y: fn(f64) -> f64, slope: fn(f64, f64) -> f64, options: &Options) -> Checked {
    let forward = move |x: X<'_, '_>| each(&x[0], y);
    Rule::new(signature(&format!("{n} -> {n}")), forward, move |t, u| zip(&t.inputs[0], &u, slope)).check(options)
}

/// A rule that is right but for one place.
fn one_place(n: usize, place: usize, options: &Options) -> Checked {
    let forward = |x: X<'_, '_>| each(&x[0], |x| x * x);
    let rule = move |t: &pullback_laws::Tape<f64>, u: pullback_laws::View<'_, f64>| {
        let slope = |(at, (x, u)): (usize, (&f64, &f64))| if at == place { x * u } else { 2.0 * x * u };
        t.inputs[0].iter().zip(u.iter()).enumerate().map(slope).collect::<Vec<f64>>()
    };
    Rule::new(signature(&format!("{n} -> {n}")), forward, rule).check(options)
}

fn pooled(x: &[f64]) -> Vec<f64> {
    x.chunks(4).map(|window| window.iter().copied().fold(f64::NEG_INFINITY, f64::max)).collect()
}

/// Max pooling; of each window, `share` of the cotangent goes to each of the greatest, to so many of them.
fn pooling(n: usize, (share, winners): (f64, usize), options: &Options) -> Checked {
    let rule = move |t: &pullback_laws::Tape<f64>, u: pullback_laws::View<'_, f64>| {
        let mut all = vec![0.0; t.inputs[0].len()];
        for (k, window) in t.inputs[0].chunks(4).enumerate() {
            let greatest = (0..window.len()).filter(|at| window[*at] == t.output[k]);
            greatest.take(winners).for_each(|at| all[4 * k + at] = share * u[k]);
        }
        all
    };
    Rule::new(signature(&format!("{n} -> {}", n.div_ceil(4))), |x: X<'_, '_>| pooled(&x[0]), rule).check(options)
}

fn matrix(rows: usize, transposed: bool, options: &Options) -> Checked {
    let (m, k) = (rows, rows / 2);
    let forward =
        move |x: X<'_, '_>| (0..m).map(|i| (0..k).map(|l| x[0][i * k + l] * x[1][l]).sum()).collect::<Vec<f64>>();
    let rule = move |t: &pullback_laws::Tape<f64>, u: pullback_laws::View<'_, f64>| {
        let (a, b) = (&t.inputs[0], &t.inputs[1]);
        let at = |place: usize| if transposed { (place % m, place / m) } else { (place / k, place % k) };
        let of_a = (0..m * k).map(|place| u[at(place).0] * b[at(place).1 % k]).collect::<Vec<f64>>();
        let of_b = (0..k).map(|l| (0..m).map(|i| u[i] * a[i * k + l]).sum()).collect::<Vec<f64>>();
        [of_a, of_b]
    };
    Rule::new(signature(&format!("{m} {k}, {k} -> {m}")), forward, rule).check(options)
}

const RIGHT: &[(&str, Check)] = &[
    ("square", |n, o| by_element(n, |x| x * x, |x, u| 2.0 * x * u, o)),
    ("exponential", |n, o| by_element(n, f64::exp, |x, u| x.exp() * u, &o.clone().scales(&[-20]))),
    ("relu", |n, o| by_element(n, |x| x.max(0.0), |x, u| if x > 0.0 { u } else { 0.0 }, o)),
    ("clamp", |n, o| by_element(n, |x| x.clamp(-1.0, 1.0), |x, u| if x.abs() < 1.0 { u } else { 0.0 }, o)),
    ("max pooling", |n, o| pooling(n, (1.0, 1), o)),
    ("product", |n, o| matrix(n.isqrt(), false, o)),
    ("sum of squares", |n, o| {
        let forward = |x: X<'_, '_>| vec![x[0].iter().map(|x| x * x).sum::<f64>()];
        let text = format!("{n} -> ");
        Rule::new(signature(&text), forward, |t, u| each(&t.inputs[0], |x| 2.0 * x * u[0])).check(o)
    }),
    ("square, with dual numbers", |n, o| {
        let forward = |x: X<'_, '_>| each(&x[0], |x| x * x);
        Rule::new(signature(&format!("{n} -> {n}")), forward, |t, u| zip(&t.inputs[0], &u, |x, u| 2.0 * x * u))
            .on_duals(|x: X<'_, '_, Dual<f64>>| each(&x[0], |x| x * x))
            .check(o)
    }),
];

const WRONG: &[(&str, Check)] = &[
    ("half of a square", |n, o| by_element(n, |x| x * x, |x, u| x * u, o)),
    ("a tenth too much", |n, o| by_element(n, f64::sin, |x, u| 1.1 * x.cos() * u, o)),
    ("relu the other way", |n, o| by_element(n, |x| x.max(0.0), |x, u| if x > 0.0 { 0.0 } else { u }, o)),
    ("clamp that lets all pass", |n, o| by_element(n, |x| x.clamp(-1.0, 1.0), |_, u| u, o)),
    ("one place of all", |n, o| one_place(n, n / 3, o)),
    ("the last place", |n, o| one_place(n, n - 1, o)),
    ("max pooling of a half", |n, o| pooling(n, (0.5, 1), o)),
    ("max pooling of all in each of a tie", |n, o| pooling(n, (1.0, 4), o)),
    ("a product with its matrix transposed", |n, o| matrix(n.isqrt(), true, o)),
    ("an affine rule", |n, o| by_element(n, |x| 3.0 * x, |_, u| 3.0 * u + 1e-3, o)),
];

#[test]
fn right_rules_of_large_arrays_are_decided() {
    for (what, check) in RIGHT {
        for (n, cases) in [(1_000, 16), (10_000, 4), (100_000, 1)] {
            let report = check(n, &Options::new().cases(cases)).unwrap_or_else(|e| panic!("{what} of {n}: {e}"));
            assert!(report.held("adjoint") > 0, "{what} of {n}: {report:?}");
        }
    }
}

#[test]
fn wrong_rules_of_large_arrays_are_found() {
    for (what, check) in WRONG {
        for (n, cases) in [(1_000, 16), (4_000, 4)] {
            match check(n, &Options::new().cases(cases)) {
                Ok(_) => panic!("wrong {what} of {n} passes"),
                Err(violation) => assert!(!violation.is_undecided(), "{what} of {n}: {violation}"),
            }
        }
    }
}

/// One of the largest, by one way of being wrong.
#[test]
fn a_wrong_rule_of_a_hundred_thousand_numbers_is_found() {
    let violation = by_element(100_000, |x| x * x, |x, u| x * u, &Options::new().cases(1)).unwrap_err();
    assert_eq!(violation.law(), Law::ADJOINT);
}

/// Evaluations do not grow with the array: neither to decide nor to shrink.
#[test]
fn evaluations_do_not_grow_with_the_array() {
    let calls = |n: usize, wrong: bool, duals: bool| {
        let count = AtomicUsize::new(0);
        let forward = |x: X<'_, '_>| {
            count.fetch_add(1, Ordering::Relaxed);
            each(&x[0], |x| x * x)
        };
        let factor = if wrong { 1.0 } else { 2.0 };
        let text = format!("{n} -> {n}");
        let mut rule = Rule::new(signature(&text), forward, |t, u| zip(&t.inputs[0], &u, |x, u| factor * x * u));
        if duals {
            rule = rule.on_duals(|x: X<'_, '_, Dual<f64>>| {
                count.fetch_add(1, Ordering::Relaxed);
                each(&x[0], |x| x * x)
            });
        }
        assert_eq!(rule.check(&Options::new().cases(2)).is_err(), wrong);
        drop(rule);
        count.into_inner()
    };
    for (wrong, duals) in [(false, false), (true, false), (false, true), (true, true)] {
        let (few, many) = (calls(600, wrong, duals), calls(3_000, wrong, duals));
        assert!(many < 2 * few + 1000, "{wrong} {duals}: {few} evaluations of six hundred, {many} of three thousand");
        assert!(many < 40_000, "{many}");
    }
}

/// What is wrong at one place of many is shown at a point that is nothing elsewhere.
#[test]
fn what_is_wrong_at_one_place_is_shrunk_to_it() {
    let violation = one_place(5_000, 3_777, &Options::new().cases(1)).unwrap_err();
    assert_eq!(violation.law(), Law::ADJOINT);
    let text = violation.to_string();
    assert!(text.contains("u = [0.0, 0.0, 0.0, 0.0,") && text.contains("… 4976 more]"), "{text}");
}
