//! Shapes that a rule sees, several outputs, and what a violation says of several arguments.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use pullback_laws::{Call, Law, LawViolation, Options, Report, Rule, Several, Tape, View, check_rule};

use crate::rules::{X, each, signature, zip};

/// The sum and the product of the halves of an array.
fn halves(x: X<'_, '_>) -> [Vec<f64>; 2] {
    let n = x[0].shape()[0] / 2;
    let (left, right) = x[0].split_at(n);
    [zip(left, right, |a, b| a + b), vec![left.iter().chain(right).map(|x| x * x).sum()]]
}

fn pulled(tape: &Tape<f64>, u: View<'_, f64>, factor: f64) -> Vec<f64> {
    let parts = u.parts();
    let [sums, square] = &parts[..] else { panic!("two outputs") };
    assert_eq!((sums.shape(), square.shape()), (&[tape.shapes[0][0] / 2][..], &[][..]));
    let x = tape.arguments()[0];
    (0..x.len()).map(|at| sums[at % sums.len()] + factor * x[at] * square[0]).collect()
}

#[test]
fn several_outputs_have_cotangents_of_their_own() {
    let check = |factor: f64, seed: u64| {
        let options = Options::new().seed(seed);
        check_rule(&signature("n -> n/2, "), halves, move |tape: &Tape<f64>, u| pulled(tape, u, factor), &options)
    };
    for seed in 0..20 {
        assert!(check(2.0, seed).unwrap().held("adjoint") > 0);
        assert_eq!(check(1.0, seed).unwrap_err().law(), Law::ADJOINT);
    }
    // What is saved may be said apart.
    let saving = |x: X<'_, '_>| Several(halves(x).to_vec()).saving(x[0].to_vec());
    let rule = |x: &Vec<f64>, u: View<'_, f64>| {
        let (sums, square) = (u.parts()[0], u.parts()[1]);
        (0..x.len()).map(|at| sums[at % sums.len()] + 2.0 * x[at] * square[0]).collect::<Vec<f64>>()
    };
    check_rule(&signature("n -> n/2, "), saving, rule, &Options::new()).unwrap();
    // Their lengths are those of the signature, one by one.
    let swapped = |x: X<'_, '_>| {
        let [one, other] = halves(x);
        [other, one]
    };
    let violation = check_rule(
        &signature("n -> n/2, "),
        swapped,
        |tape: &Tape<f64>, u| pulled(tape, u, 2.0),
        &Options::new().case(3),
    )
    .unwrap_err();
    assert_eq!(violation.law(), Law::SHAPE);
    assert!(violation.to_string().contains("the lengths of f(x)"), "{violation}");
}

/// Arguments, tape, calls and cotangents have their shapes.
#[test]
fn a_rule_sees_shapes() {
    let forward = |x: X<'_, '_>| {
        let [m, k] = [x[0].shape()[0], x[0].shape()[1]];
        (0..m).map(|i| (0..k).map(|l| x[0][i * k + l] * x[1][l]).sum()).collect::<Vec<f64>>()
    };
    let rule = |tape: &Tape<f64>, u: View<'_, f64>| {
        let [a, b] = [tape.arguments()[0], tape.arguments()[1]];
        let [m, k] = [a.shape()[0], a.shape()[1]];
        assert_eq!((u.shape(), tape.results()[0].shape(), b.shape()), (&[m][..], &[m][..], &[k][..]));
        let of_a = (0..m * k).map(|at| u[at / k] * b[at % k]).collect::<Vec<f64>>();
        [of_a, (0..k).map(|l| (0..m).map(|i| u[i] * a[i * k + l]).sum()).collect()]
    };
    check_rule(&signature("m k, k -> m"), forward, rule, &Options::new()).unwrap();
    let stored = |call: &Call<f64>| {
        assert_eq!((call.shapes.len(), call.outputs.len()), (2, 1));
        assert_eq!(call.shapes[0], [call.outputs[0][0], call.shapes[1][0]]);
        let (a, b, k) = (call.arguments[0].read(), call.arguments[1].read(), call.shapes[1][0]);
        let y: Vec<f64> = a.chunks(k).map(|row| row.iter().zip(&b).map(|(a, b)| a * b).sum()).collect();
        (y, (a, b, k))
    };
    Rule::in_storage(signature("m k, k -> m"), stored, |(a, b, k): &(Vec<f64>, Vec<f64>, usize), u| {
        let u = u.read();
        let of_a: Vec<f64> = (0..a.len()).map(|at| u[at / k] * b[at % k]).collect();
        [of_a, (0..*k).map(|l| (0..u.len()).map(|i| u[i] * a[i * k + l]).sum()).collect()]
    })
    .check(&Options::new())
    .unwrap();
}

/// Several inputs are printed apart, and a difference says in which argument it is.
#[test]
fn several_inputs_are_printed_apart() {
    let forward = |x: X<'_, '_>| zip(&x[0], &x[1], |a, b| a * b);
    let rule = |t: &Tape<f64>, u: View<'_, f64>| {
        [zip(&t.inputs[1], &u, |b, u| b * u), zip(&t.inputs[0], &u, |a, u| if u == 0.0 { 1.0 } else { a * u })]
    };
    let violation = check_rule(&signature("2, 2 -> 2"), forward, rule, &Options::new()).unwrap_err();
    let text = violation.to_string();
    assert_eq!(violation.law(), Law::ZERO_TO_ZERO);
    assert!(text.contains("at        x₀ = [") && text.contains("at        x₁ = ["), "{text}");
    assert!(text.contains("differ    at coordinate 2, which is 0 of argument 1: 1.0 and 0.0, by 1.0"), "{text}");
}

/// A mask for which the rule gives zeros, or nothing.
#[test]
fn a_gradient_of_zeros_is_advised_to_be_none() {
    let masked = |zeros: bool| {
        Rule::new(
            signature("n, n -> n"),
            |x: X<'_, '_>| (zip(&x[0], &x[1], |x, m| x * m), x[1].to_vec()),
            move |mask: &Vec<f64>, u| vec![Some(zip(mask, &u, |m, u| m * u)), zeros.then(|| vec![0.0; u.len()])],
        )
    };
    for (zeros, word) in [(true, "zero"), (false, "nothing")] {
        let text = masked(zeros).check(&Options::new()).unwrap_err().to_string();
        let help = format!(
            "help      the rule gives {word} for argument 1: if that needs no gradient, as a mask, `Options::constant(1)` says so"
        );
        assert!(text.contains(&help), "{text}");
        masked(zeros).check(&Options::new().constant(1)).unwrap();
    }
    // Zero at one point by itself is no reason.
    let half = Rule::new(
        signature("n, n -> n"),
        |x: X<'_, '_>| zip(&x[0], &x[1], |a, b| a * b),
        |t: &Tape<f64>, u| [zip(&t.inputs[1], &u, |b, u| b * u), zip(&t.inputs[0], &u, |a, u| 2.0 * a * u)],
    );
    assert!(!half.check(&Options::new()).unwrap_err().to_string().contains("constant("));
}

/// A rule that has no value where its function has one is not to be hidden by a domain.
#[test]
fn an_undefined_function_is_told_from_an_undefined_rule() {
    let quotient = |x: f64, u: f64| u * (x * x.cos() - x.sin()) / (x * x);
    let sinc = |x: f64| if x == 0.0 { 1.0 } else { x.sin() / x };
    let text = |forward: fn(f64) -> f64| {
        let rule = move |t: &Tape<f64>, u: View<'_, f64>| zip(&t.inputs[0], &u, quotient);
        let check =
            Rule::new(signature("n -> n"), move |x: X<'_, '_>| each(&x[0], forward), rule).check(&Options::new());
        let violation = check.unwrap_err();
        assert_eq!(violation.law(), Law::DEFINED, "{violation}");
        violation.to_string()
    };
    let (of_rule, of_function) = (text(sinc), text(|x| x.sin() / x));
    assert!(of_rule.contains("the function has a value there, and its rule has none"), "{of_rule}");
    assert!(!of_rule.contains("Options::domain"), "{of_rule}");
    assert!(of_function.contains("the function itself has no value there: `Options::domain`"), "{of_function}");
}

/// Wrong in the first calls alone, of the rule or of the function.
#[test]
fn first_calls_are_judged_like_the_others() {
    let check = |first: usize, of_rule: bool, seed: u64| -> Result<Report, LawViolation> {
        let count = AtomicUsize::new(0);
        let is_cold = || count.fetch_add(1, Ordering::Relaxed) < first;
        let forward = |x: X<'_, '_>| {
            let cold = !of_rule && is_cold();
            each(&x[0], |x| if cold { 2.0 * x } else { x * x })
        };
        let rule = |t: &Tape<f64>, u: View<'_, f64>| {
            let cold = of_rule && is_cold();
            zip(&t.inputs[0], &u, |x, u| if cold { u } else { 2.0 * x * u })
        };
        check_rule(&signature("3 -> 3"), forward, rule, &Options::new().seed(seed))
    };
    for seed in 0..20 {
        check(0, true, seed).unwrap();
        for first in 1..12 {
            let found = check(first, true, seed).unwrap_err();
            assert!(!found.is_undecided(), "the first {first} backward calls, seed {seed}: {found}");
        }
        for first in 1..12 {
            let found = check(first, false, seed).unwrap_err();
            assert!(!found.is_undecided(), "the first {first} forward calls, seed {seed}: {found}");
        }
    }
}

/// A sum whose order varies is right, where the options say so; a wrong one is found all the same.
#[test]
fn rounding_may_vary_where_it_is_said() {
    let check = |factor: f64, noise: f64, options: &Options| {
        let count = AtomicU64::new(1);
        let atomic = |numbers: Vec<f64>| {
            // The numbers of a generator, so that no two runs add up in one order.
            let turn = count.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let start = turn as usize % numbers.len().max(1);
            let sum: f64 = (0..numbers.len()).map(|at| numbers[(at + start) % numbers.len()]).sum();
            sum * (1.0 + noise * (turn % 7) as f64)
        };
        let forward = |x: X<'_, '_>| vec![atomic(each(&x[0], |x| x * x / 3.0))];
        let rule = |t: &Tape<f64>, u: View<'_, f64>| {
            let scale = atomic([0.1, 0.2, 0.3, 0.7, -0.6].map(|part| part * u[0]).to_vec()) + 0.3 * u[0];
            each(&t.inputs[0], |x| factor * x * scale)
        };
        check_rule(&signature("n+6 -> "), forward, rule, options)
    };
    for seed in 0..10 {
        let options = Options::new().seed(seed);
        let exact = check(2.0 / 3.0, 0.0, &options).unwrap_err();
        assert!([Law::DETERMINISTIC, Law::REUSABLE].contains(&exact.law()), "{exact}");
        let varies = options.rounding_varies();
        let report = check(2.0 / 3.0, 0.0, &varies).unwrap();
        assert!(report.held("deterministic") > 0 && report.held("adjoint") > 0);
        assert_eq!(check(1.0, 0.0, &varies).unwrap_err().law(), Law::ADJOINT);
        // More than rounding.
        assert!(check(2.0 / 3.0, 1e-4, &varies).is_err());
    }
}
