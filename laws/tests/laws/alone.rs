//! Every law has a rule that this law alone rejects, in 100 of 100 seeds.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pullback_laws::{
    Call, Declared, Domain, Evidence, Flat, LAWS, Law, LawViolation, Options, Refusal, Remembers, Report, Rule, Run,
    Shaped, Storage, Subject, Whole,
};
use pullback_scalar::{Dual, Rational, Scalar};

use crate::rules::{X, each, scaled, seeded, signature, square, square_with, sum, zip};

type Checked = Result<Report, LawViolation>;
type Check = fn(&Options) -> Checked;

/// A wrong rule for each law: how it is checked, with the options that are given.
const WRONG: &[(&str, Check)] = &[
    ("shape", cuts_its_cotangents_at_the_wrong_place),
    ("defined", is_not_defined_everywhere),
    ("refused", accepts_what_lies_outside),
    ("value", computes_something_else),
    ("homogeneous", flushes_small_cotangents),
    ("additive", keeps_the_greatest_cotangent_only),
    ("zero_to_zero", divides_by_the_cotangent),
    ("primal", is_another_function_on_duals),
    ("tangent", detaches_a_factor_on_duals),
    ("adjoint", forgets_a_factor),
    ("exact", rounds_a_constant_of_its_rule),
    ("rounded", rounds_a_constant_of_its_function),
    ("convention", leaves_the_subdifferential),
    ("duplicated", gives_each_of_a_tie_all_of_it),
    ("deterministic", sums_in_an_order_of_its_own),
    ("reusable", uses_its_residual_up),
    ("interleaved", remembers_the_last_input),
    ("recomputable", draws_another_mask_when_recomputed),
    ("residual_suffices", keeps_a_handle_to_its_input),
    ("unchanged", works_in_its_cotangent),
    ("one_storage", identifies_equal_arguments),
    ("tracked", saves_the_wrong_argument),
    ("moved", saves_in_its_thread),
    ("same_contract", |options| alike(options, |f| Whole::Same(f))),
    ("composite", is_made_in_the_other_order),
    ("associative", |options| regrouped(options, |f| Whole::Associated(f))),
    ("left_unit", |options| regrouped(options, |f| Whole::AfterIdentity(f))),
    ("right_unit", |options| regrouped(options, |f| Whole::BeforeIdentity(f))),
    ("recomputed", is_no_checkpoint),
    ("componentwise", is_another_product),
    ("fanned_out", is_another_fan_out),
    ("sharing_adds", is_no_duplicate),
    ("discarding_is_zero", gives_a_cotangent_of_nothing),
    ("shared_argument", shares_another_rule),
    ("repeated", takes_another_number_of_steps),
    ("row_by_row", |options| alike(options, |f| Whole::Rows(f))),
];

const SEEDS: u64 = 100;

fn named(name: &str) -> Law {
    *LAWS.iter().find(|law| law.name == name).unwrap()
}

#[test]
fn every_law_has_its_wrong_rule() {
    let names: Vec<&str> = WRONG.iter().map(|(law, _)| *law).collect();
    let laws: Vec<&str> = LAWS.iter().map(|law| law.name).collect();
    assert_eq!(names, laws);
}

#[test]
fn the_law_rejects_its_rule_in_every_seed() {
    for (law, wrong) in WRONG {
        for seed in 0..SEEDS {
            let violation = wrong(&seeded(seed).only(named(law))).expect_err(law);
            assert!(violation.law().name == *law && !violation.is_undecided(), "{law}, seed {seed}: {violation}");
        }
    }
}

#[test]
fn no_other_law_rejects_it_in_any_seed() {
    for (law, wrong) in WRONG {
        for seed in 0..SEEDS {
            if let Err(violation) = wrong(&seeded(seed).without(named(law))) {
                panic!("{law}, seed {seed}: {violation}");
            }
        }
    }
}

fn cuts_its_cotangents_at_the_wrong_place(options: &Options) -> Checked {
    let forward = |x: X<'_, '_>| vec![x[0].iter().chain(x[1].iter()).sum::<f64>()];
    Rule::new(signature("n, m n -> "), forward, |tape, u| {
        // Two arguments, one list for both.
        vec![vec![u[0]; tape.inputs[0].len() + tape.inputs[1].len()]]
    })
    .check(options)
}

fn is_not_defined_everywhere(options: &Options) -> Checked {
    // The domain should say that there is no zero, and says nothing.
    Rule::new(
        signature("4 -> 4"),
        |x: X<'_, '_>| each(&x[0], |x| 1.0 / x),
        |tape, u| zip(&tape.inputs[0], &u, |x, u| -u / (x * x)),
    )
    .check(options)
}

fn accepts_what_lies_outside(options: &Options) -> Checked {
    let forward = |x: X<'_, '_>| Ok::<_, String>(each(&x[0], |x| x * x));
    Rule::new(signature("n -> n"), forward, |tape, u| zip(&tape.inputs[0], &u, |x, u| 2.0 * x * u))
        .check(&options.clone().domain(Domain::Positive))
}

fn computes_something_else(options: &Options) -> Checked {
    square::<f64>("n -> n").computes(|x| each(&x[0], |x| x * x * x)).check(options)
}

fn flushes_small_cotangents(options: &Options) -> Checked {
    // As half precision does with what is too small for it.
    Rule::new(
        signature("8 4 -> 8 4"),
        |x: X<'_, '_>| x[0].to_vec(),
        |_, u| {
            if u.iter().any(|u| u.abs() > 1.0) { u.to_vec() } else { vec![0.0; u.len()] }
        },
    )
    .check(options)
}

fn keeps_the_greatest_cotangent_only(options: &Options) -> Checked {
    // Gradient compression: a surrogate on purpose, and not even linear.
    Rule::new(
        signature("5 -> 5"),
        |x: X<'_, '_>| x[0].to_vec(),
        |_, u| {
            let greatest = u.iter().fold(0.0_f64, |greatest, u| greatest.max(u.abs()));
            each(&u, |u| if u.abs() == greatest { u } else { 0.0 })
        },
    )
    .declared(Declared::Surrogate)
    .check(options)
}

fn divides_by_the_cotangent(options: &Options) -> Checked {
    Rule::new(
        signature("5 -> 5"),
        |x: X<'_, '_>| x[0].to_vec(),
        |_, u| {
            let size: f64 = u.iter().map(|u| u * u).sum();
            each(&u, |u| u * size / size)
        },
    )
    .check(options)
}

fn is_another_function_on_duals(options: &Options) -> Checked {
    square::<f64>("n -> n")
        .on_duals(|x: X<'_, '_, Dual<f64>>| each(&x[0], |x| x * x + Dual::constant(1.0)))
        .check(options)
}

fn detaches_a_factor_on_duals(options: &Options) -> Checked {
    square_with::<f64>("n -> n", |x, u| x * u)
        .on_duals(|x: X<'_, '_, Dual<f64>>| each(&x[0], |x| Dual::constant(x.value) * x))
        .check(options)
}

fn forgets_a_factor(options: &Options) -> Checked {
    square_with::<f64>("n -> n", |x, u| x * u).check(options)
}

/// A multiple of `x`, whose function and whose rule have the factors that are given.
fn multiple<T: Scalar>(function: (i64, i64), rule: (i64, i64)) -> Rule<'static, T> {
    Rule::new(
        signature("3 -> 3"),
        move |x: X<'_, '_, T>| each(&x[0], |x| T::from_ratio(function.0, function.1) * x),
        move |_, u| each(&u, |u| T::from_ratio(rule.0, rule.1) * u),
    )
    .on_duals(move |x: X<'_, '_, Dual<T>>| each(&x[0], |x| Dual::from_ratio(function.0, function.1) * x))
}

fn beside_rationals(options: &Options, float: &Rule<'_, f64>, exact: &Rule<'_, Rational>) -> Checked {
    let (float, exact) = (float.at(&[]), exact.at(&[]));
    Subject::new(&float).on_duals(&float).exactly(&exact, &exact).check(options)
}

fn rounds_a_constant_of_its_rule(options: &Options) -> Checked {
    let (third, nearly) = ((1, 3), (333_333_333, 1_000_000_000));
    beside_rationals(options, &multiple(third, nearly), &multiple(third, nearly))
}

fn rounds_a_constant_of_its_function(options: &Options) -> Checked {
    beside_rationals(options, &multiple((333, 1000), (333, 1000)), &multiple((1, 3), (1, 3)))
}

fn leaves_the_subdifferential(options: &Options) -> Checked {
    let slope = |x: f64, u: f64| match x {
        x if x > 0.0 => u,
        0.0 => 2.0 * u,
        _ => 0.0,
    };
    Rule::new(
        signature("n -> n"),
        |x: X<'_, '_>| each(&x[0], |x| x.max(0.0)),
        move |tape, u| zip(&tape.inputs[0], &u, slope),
    )
    .declared(Declared::Subgradient)
    .check(options)
}

fn gives_each_of_a_tie_all_of_it(options: &Options) -> Checked {
    // A convention in words: nothing else is asked on the corner.
    let won = |a: &[f64], b: &[f64], u: &[f64]| {
        (0..u.len()).map(|at| if a[at] >= b[at] { u[at] } else { 0.0 }).collect::<Vec<f64>>()
    };
    Rule::new(
        signature("n, n -> n"),
        |x: X<'_, '_>| zip(&x[0], &x[1], f64::max),
        move |t, u| [won(&t.inputs[0], &t.inputs[1], &u), won(&t.inputs[1], &t.inputs[0], &u)],
    )
    .declared(Declared::Convention)
    .check(options)
}

fn sums_in_an_order_of_its_own(options: &Options) -> Checked {
    let runs = AtomicUsize::new(0);
    let forward = move |x: X<'_, '_>| {
        let turn = runs.fetch_add(1, Ordering::Relaxed);
        vec![if turn.is_multiple_of(2) { x[0].iter().sum() } else { x[0].iter().rev().sum::<f64>() }]
    };
    Rule::new(signature("9 -> "), forward, |tape, u| vec![u[0]; tape.inputs[0].len()]).check(options)
}

fn uses_its_residual_up(options: &Options) -> Checked {
    let forward = |x: X<'_, '_>| (each(&x[0], |x| x * x), Mutex::new(x[0].to_vec()));
    Rule::new(signature("n -> n"), forward, |residual: &Mutex<Vec<f64>>, u| {
        let mut saved = residual.lock().unwrap();
        let pulled = zip(&saved, &u, |x, u| 2.0 * x * u);
        saved.fill(0.0);
        pulled
    })
    .check(options)
}

fn remembers_the_last_input(options: &Options) -> Checked {
    let last = Mutex::new(vec![]);
    let forward = |x: X<'_, '_>| {
        *last.lock().unwrap() = x[0].to_vec();
        (each(&x[0], |x| x * x), ())
    };
    Rule::new(signature("3 -> 3"), forward, |(), u| zip(&last.lock().unwrap(), &u, |x, u| 2.0 * x * u)).check(options)
}

fn draws_another_mask_when_recomputed(options: &Options) -> Checked {
    // Seeded by how many inputs there were: the mask is the same as long as the input is.
    let seen = Mutex::new((vec![], 0_u32));
    let forward = |x: X<'_, '_>| {
        let mut seen = seen.lock().unwrap();
        if seen.0 != x[0].to_vec() {
            *seen = (x[0].to_vec(), seen.1 + 1);
        }
        (x[0].to_vec(), f64::from(seen.1 % 5))
    };
    Rule::new(signature("3 -> 3"), forward, |mask, u| each(&u, |u| (1.0 + mask) * u))
        .declared(Declared::Surrogate)
        .check(options)
}

fn keeps_a_handle_to_its_input(options: &Options) -> Checked {
    let forward = |call: &Call<f64>| (each(&call.arguments[0].read(), |x| x * x), call.arguments[0].clone());
    Rule::in_storage(signature("n -> n"), forward, |x: &Storage<f64>, u| zip(&x.read(), &u.read(), |x, u| 2.0 * x * u))
        .check(options)
}

fn works_in_its_cotangent(options: &Options) -> Checked {
    let forward = |call: &Call<f64>| (each(&call.arguments[0].read(), |x| x * x), call.arguments[0].read());
    Rule::in_storage(signature("n -> n"), forward, |x: &Vec<f64>, u| {
        u.write(zip(x, &u.read(), |x, u| 2.0 * x * u));
        u.read()
    })
    .check(options)
}

fn identifies_equal_arguments(options: &Options) -> Checked {
    let forward = |call: &Call<f64>| {
        let (a, b) = (&call.arguments[0], &call.arguments[1]);
        (zip(&a.read(), &b.read(), |a, b| a + b), if a.is(b) { 2.0 } else { 1.0 })
    };
    Rule::in_storage(signature("n, n -> n"), forward, |times: &f64, u| {
        let both = each(&u.read(), |u| times * u);
        [both.clone(), both]
    })
    .check(options)
}

fn saves_the_wrong_argument(options: &Options) -> Checked {
    let forward = |call: &Call<f64>| {
        let (a, b) = (call.arguments[0].read(), call.arguments[1].read());
        let saved = if call.tracked == [false, true] { (b.clone(), a.clone()) } else { (a.clone(), b.clone()) };
        (zip(&a, &b, |a, b| a * b), saved)
    };
    Rule::in_storage(signature("n, n -> n"), forward, |(a, b): &(Vec<f64>, Vec<f64>), u| {
        [zip(b, &u.read(), |b, u| b * u), zip(a, &u.read(), |a, u| a * u)]
    })
    .check(options)
}

thread_local! {
    static SAVED: RefCell<HashMap<usize, Vec<f64>>> = RefCell::default();
}

fn saves_in_its_thread(options: &Options) -> Checked {
    let runs = AtomicUsize::new(0);
    let forward = |x: X<'_, '_>| {
        let run = runs.fetch_add(1, Ordering::Relaxed);
        SAVED.with_borrow_mut(|saved| saved.insert(run, x[0].to_vec()));
        (each(&x[0], |x| x * x), run)
    };
    Rule::new(signature("3 -> 3"), forward, |run: &usize, u| {
        let saved = SAVED.with_borrow(|saved| saved.get(run).cloned()).unwrap_or_else(|| vec![0.0; u.len()]);
        zip(&saved, &u, |x, u| 2.0 * x * u)
    })
    .check(options)
}

/// Three times the numbers, claimed to be made of the double.
fn alike(options: &Options, claim: for<'a> fn(&'a dyn Flat<f64>) -> Whole<'a, f64>) -> Checked {
    let (double, triple) = (scaled("3 -> 3", 2.0), scaled("3 -> 3", 3.0));
    let (double, triple) = (double.at(&[]), triple.at(&[]));
    Subject::new(&triple).is(claim(&double)).check(options)
}

fn is_made_in_the_other_order(options: &Options) -> Checked {
    let (double, square, whole) = (scaled("3 -> 3", 2.0), square("3 -> 3"), square_of_double());
    let (double, square, whole) = (double.at(&[]), square.at(&[]), whole.at(&[]));
    Subject::new(&whole).is(Whole::Composite(&square, &double)).check(options)
}

/// `(2·x)²`.
fn square_of_double() -> Rule<'static, f64> {
    Rule::new(
        signature("3 -> 3"),
        |x: X<'_, '_>| each(&x[0], |x| 4.0 * x * x),
        |tape, u| zip(&tape.inputs[0], &u, |x, u| 8.0 * x * u),
    )
}

/// A rule with the residual that is said.
struct Saving<'a>(&'a dyn Flat<f64>, fn(&[f64]) -> Vec<f64>);

impl Shaped for Saving<'_> {
    fn dimensions(&self) -> (usize, usize) {
        self.0.dimensions()
    }
    fn spaces(&self) -> (String, String) {
        self.0.spaces()
    }
    fn evidence(&self) -> Evidence {
        self.0.evidence()
    }
}

impl Flat<f64> for Saving<'_> {
    fn run<'a>(&'a self, input: &[f64]) -> Result<Run<'a, f64>, Refusal> {
        self.0.run(input)
    }
}

impl Remembers<f64> for Saving<'_> {
    fn residual(&self, input: &[f64]) -> Result<Vec<f64>, Refusal> {
        Ok((self.1)(input))
    }
}

/// The same rule with its residual the other way round: no regrouping.
fn regrouped(options: &Options, claim: for<'a> fn(&'a dyn Remembers<f64>) -> Whole<'a, f64>) -> Checked {
    let square = square("5 -> 5");
    let square = square.at(&[]);
    let turned = |x: &[f64]| x.iter().enumerate().map(|(at, x)| x + at as f64).collect();
    let (one, other) = (Saving(&square, |x| x.to_vec()), Saving(&square, turned));
    Subject::new(&other).remembers(&other).is(claim(&one)).check(options)
}

fn is_no_checkpoint(options: &Options) -> Checked {
    let square = square("5 -> 5");
    let square = square.at(&[]);
    // It saves twice its input, which is enough, and not what a checkpoint saves.
    let other = Saving(&square, |x| x.iter().map(|x| 2.0 * x + 1.0).collect());
    Subject::new(&other).remembers(&other).is(Whole::Checkpoint(&square)).check(options)
}

/// `(a·x, b·y)` of two arguments.
fn side_by_side(text: &str, a: f64, b: f64) -> Rule<'static, f64> {
    let both = move |x: &[f64]| x.iter().enumerate().map(|(at, x)| if at < 3 { a * x } else { b * x }).collect();
    Rule::new(signature(text), move |x: X<'_, '_>| -> Vec<f64> { both(&x[0]) }, move |_, u| -> Vec<f64> { both(&u) })
}

fn is_another_product(options: &Options) -> Checked {
    let (double, triple, whole) = (scaled("3 -> 3", 2.0), scaled("3 -> 3", 3.0), side_by_side("6 -> 6", 3.0, 2.0));
    let (double, triple, whole) = (double.at(&[]), triple.at(&[]), whole.at(&[]));
    Subject::new(&whole).is(Whole::Product(&double, &triple)).check(options)
}

/// `(a·x, b·x)`.
fn fan(a: f64, b: f64) -> Rule<'static, f64> {
    Rule::new(
        signature("3 -> 6"),
        move |x: X<'_, '_>| [each(&x[0], |x| a * x), each(&x[0], |x| b * x)].concat(),
        move |_, u| zip(&u[..3], &u[3..], |u, w| a * u + b * w),
    )
}

fn is_another_fan_out(options: &Options) -> Checked {
    let (double, triple, whole) = (scaled("3 -> 3", 2.0), scaled("3 -> 3", 3.0), fan(3.0, 2.0));
    let (double, triple, whole) = (double.at(&[]), triple.at(&[]), whole.at(&[]));
    Subject::new(&whole).is(Whole::FanOut(&double, &triple)).check(options)
}

fn is_no_duplicate(options: &Options) -> Checked {
    let whole = fan(1.0, -1.0);
    Subject::new(&whole.at(&[])).is(Whole::Duplicate).check(options)
}

fn gives_a_cotangent_of_nothing(options: &Options) -> Checked {
    let whole = Rule::new(signature("3 -> 0"), |_: X<'_, '_>| vec![], |_, _| vec![1.0, 0.0, 0.0]);
    Subject::new(&whole.at(&[])).is(Whole::Discard).check(options)
}

fn shares_another_rule(options: &Options) -> Checked {
    let (sum, whole) = (sum("3, 3 -> 3"), square("3 -> 3"));
    Subject::new(&whole.at(&[])).is(Whole::SharedArgument(&sum.at(&[]))).check(options)
}

fn takes_another_number_of_steps(options: &Options) -> Checked {
    // The state plus the parameters, twice.
    let whole = Rule::new(
        signature("3, 3 -> 3"),
        |x: X<'_, '_>| zip(&x[0], &x[1], |p, x| x + 2.0 * p),
        |_, u| [each(&u, |u| 2.0 * u), u.to_vec()],
    );
    let (step, whole) = (sum("3, 3 -> 3"), whole);
    let (step, whole) = (step.at(&[]), whole.at(&[]));
    Subject::new(&whole).is(Whole::Repeat { step: &step, parameters: 3, steps: 3 }).check(options)
}
