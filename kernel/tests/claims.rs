//! Claims and their domains: what is computed has its conditions, no condition vouches for itself, two conditions are the same
//! only over the same dimensions, a whole claims no more than its parts, and every statement that is made is well formed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/library.rs"]
mod library;

use std::path::Path;

use pullback_kernel::eval::{self, Point};
use pullback_kernel::statement::{Label, Sign, Statement};
use pullback_kernel::{Composer, Outcome, Rational, Substitution, domain, equal, load, prove};

fn statement(text: &str) -> Statement {
    let (mut statements, errors) = load(text);
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    assert_eq!(statements.len(), 1);
    statements.remove(0)
}

/// The domain that a proved statement has, in words.
fn proved_on(text: &str) -> Vec<String> {
    let s = statement(text);
    match prove(&s) {
        Outcome::Proved(theorem) => theorem.domain().iter().map(|c| theorem.statement().show_condition(c)).collect(),
        other => panic!("{other:?}\n{s}"),
    }
}

fn undecided(text: &str) -> String {
    match prove(&statement(text)) {
        Outcome::Undecided(d) => d.reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_value_named_by_any_is_computed_and_its_conditions_are_the_domains() {
    let any = |value: &str| {
        format!(
            "contract c version 1 dims s.. input x[s..] any m[i..] = {value} output y[i..] = x[i..] + m[i..] - m[i..]"
        )
    };
    assert_eq!(proved_on(&any("log(x[i..])")), ["x[i..] > 0"]);
    assert_eq!(proved_on(&any("recip(x[i..])")), ["x[i..] != 0"]);
    assert_eq!(proved_on(&any("log(sqrt(x[i..]) - 1)")), ["x[i..] > 0", "sqrt(x[i..]) - 1 > 0"]);
    // What follows from signs is no condition, and a shift that is defined everywhere has none.
    assert!(proved_on(&any("log(1 + x[i..]^2)")).is_empty());
    assert!(proved_on(&any("max(0, x[i..])")).is_empty());
    // The value of another `any` is what it is computed as.
    let two = |first: &str| {
        format!(
            "contract c version 1 dims s.. input x[s..] any m[i..] = {first} any k[i..] = log(m[i..])
             output y[i..] = x[i..] + k[i..] - k[i..]"
        )
    };
    assert!(proved_on(&two("1 + x[i..]^2")).is_empty());
    assert_eq!(proved_on(&two("x[i..]")), ["m[i..] > 0"]);
    // The rest may not need what the values of `any` give it.
    let text = "contract c version 1 dims s.. input x[s..] any m[i..] = x[i..] any k[i..] = log(m[i..])
        output y[i..] = x[i..] + k[i..] - k[i..] + log(m[i..]) - log(m[i..])";
    assert!(undecided(text).contains("the domain depends on `m`"));
}

#[test]
fn equality_asks_where_the_values_of_any_are_defined() {
    let plain = statement("contract a version 1 dims s.. input x[s..] output y[i..] = x[i..]");
    let shifted = statement(
        "contract b version 1 dims s.. input x[s..] any m[i..] = log(x[i..]) output y[i..] = x[i..] + m[i..] - m[i..]",
    );
    assert!(!matches!(equal(&plain, &shifted).unwrap(), Outcome::Proved(_)));
    let Outcome::Proved(theorem) = equal(&shifted, &plain).unwrap() else { panic!() };
    assert_eq!(theorem.domain().len(), 1);
}

/// A condition that is asked for in a branch stands without its guard, and so does what it takes to evaluate it; and one that is
/// written with branches says nothing at their boundary that it does not say there.
#[test]
fn conditions_of_branches() {
    let in_a_branch =
        "contract c version 1 input x output y = if x > 0 then log(log(x)) else x declares convention as written";
    assert_eq!(proved_on(in_a_branch), ["x > 0", "log(x) > 0"]);
    // At zero the condition is 1.5, which is not zero, and the reciprocal has no value.
    let at_the_boundary = "contract c version 1 input x where if 0 > x then x else 1.5 != 0 output y = recip(x) declares convention as written";
    assert_eq!(proved_on(at_the_boundary).last().map(String::as_str), Some("x != 0"));
    let of_logarithms = "contract c version 1 input x where if 0 > x then 1 else x - 2 > 0 output y = log(x) declares convention as written";
    assert_eq!(proved_on(of_logarithms).last().map(String::as_str), Some("x > 0"));
}

/// Conditions of partial functions, in each order: each is defined wherever those before it hold, at every point.
#[test]
fn no_condition_vouches_for_itself() {
    assert_eq!(
        proved_on(
            "contract c version 1 dims n input x[n] where recip(x[i]) * x[i] * x[i] != 0 output z[i] = recip(x[i])"
        )[0],
        "x[i] != 0"
    );
    // What a later one says helps an earlier one.
    assert_eq!(
        proved_on("contract c version 1 dims n input x[n] where log(x[i]) > 0, x[i] > 0 output z[i] = log(log(x[i]))"),
        ["x[i] > 0", "log(x[i]) > 0"]
    );
    // Through a local, too.
    assert_eq!(
        proved_on(
            "contract c version 1 dims n input x[n] let r[i] = recip(x[i]) where r[i] * x[i]^2 != 0
             output z[i] = recip(x[i])"
        )[0],
        "x[i] != 0"
    );
    let conditions = [
        "recip(x) * x * x != 0",
        "x * recip(x) > 0",
        "log(x) * x > 0",
        "sqrt(x) >= 0",
        "rsqrt(x) * x > 0",
        "x / x != 0",
        "1 + log(x) != 0",
        "x^-1 * x^3 > 0",
        "log(exp(log(x))) != 0",
        "x + 1 > 0",
        "x != 0",
        "x > 0",
    ];
    let values = ["recip(x)", "log(x)", "sqrt(x)", "x / (x + 1)", "log(x) * recip(x)", "rsqrt(x + 1)", "x"];
    let (mut points, mut inside) = (0, 0);
    for (a, first) in conditions.iter().enumerate() {
        for (b, second) in conditions.iter().enumerate() {
            let value = values[(a + 3 * b) % values.len()];
            let text = format!(
                "contract c version 1 input x where {first}, {second} any m = {value} output y = m - m + {value}"
            );
            let s = statement(&text);
            let conditions = domain(&s);
            for n in -8..=8 {
                // Halves, and what is no rational is left to doubles.
                let at =
                    |x| Point { sizes: vec![], maps: vec![], params: vec![], constants: vec![], inputs: vec![vec![x]] };
                let point: Point<f64> = at(f64::from(n) / 2.0);
                let nothing = eval::Forward { locals: vec![vec![0.0]], outputs: vec![] };
                points += 1;
                // A condition is reached only where those before it hold: then it has a value.
                match eval::outside(&s, &conditions, &point, &nothing) {
                    Ok(Some(_)) => {}
                    Ok(None) => {
                        let values = eval::forward(&s, &point).unwrap_or_else(|e| panic!("{e} at {n}/2\n{s}"));
                        assert!(values.outputs[0][0].is_finite(), "at {n}/2\n{s}");
                        inside += 1;
                    }
                    Err(e) => panic!("a condition of the domain: {e}, at {n}/2\n{s}"),
                }
            }
        }
    }
    assert_eq!((points, inside > 1000), (17 * 144, true), "{inside}");
}

/// Words are not enough: the same ones speak of other dimensions.
#[test]
fn conditions_are_the_same_only_over_the_same_dimensions() {
    let of = |dim: &str| {
        statement(&format!(
            "contract c version 1 dims m, n input x[m], u[n] where sum(k: {dim}) 1 - 2 > 0
             output y = (sum(i) x[i]) + sum(j) u[j]"
        ))
    };
    let (over_n, over_m) = (of("n"), of("m"));
    assert!(!matches!(equal(&over_n, &over_m), Ok(Outcome::Proved(_))));
    assert!(matches!(equal(&over_n, &of("n")), Ok(Outcome::Proved(_))));
    let of = |c: &str| {
        statement(&format!("contract c version 1 dims n constant w[n], v[n] input x[n] where {c} output y[i] = x[i]"))
    };
    for (given, asked, follows) in [
        ("w[i] >= 0", "w[k] >= 0", true),
        ("w[i] > 0", "w[k] >= 0", true),
        ("w[i] + v[k] >= 0", "w[a] + v[b] >= 0", true),
        ("w[i] + v[i] >= 0", "w[a] + v[b] >= 0", false),
        ("w[i] >= 0", "w[k] > 0", false),
        ("w[i] >= 0", "v[k] >= 0", false),
        ("w[i] > 0", "w[i] * log(w[i])^2 + w[i] > 0", true),
        // What it takes to evaluate the second's is asked for, though its value is that of the first's.
        ("w[i] != 0", "recip(w[i]) * w[i]^2 != 0", true),
        ("w[i] >= 0", "sqrt(w[i])^2 >= 0", false),
    ] {
        let outcome = equal(&of(given), &of(asked)).unwrap();
        assert_eq!(matches!(outcome, Outcome::Proved(_)), follows, "{given} and {asked}: {outcome:?}");
    }
    let outcome = equal(&of("w[i] >= 0"), &of("v[k] >= 0")).unwrap();
    let Outcome::Undecided(why) = outcome else { panic!("{outcome:?}") };
    assert!(why.reason.contains("asks for `v[k] >= 0`"), "{}", why.reason);
    assert_eq!(of("w[i] >= 0").wheres()[0].sign, Sign::NonNegative);
}

#[test]
fn a_composed_statement_carries_the_weakest_label_of_its_parts() {
    let library = |path: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../contracts/{path}.contract"));
        statement(&std::fs::read_to_string(path).unwrap())
    };
    let compose = |paths: &[&str]| {
        let mut composer = Composer::new("whole");
        let s = composer.dim("s", true);
        let mut x = composer.input("x", &[s]);
        for path in paths {
            let on_s = Substitution { dims: vec![vec![s]], ..Substitution::default() };
            x = composer.apply(&library(path), &on_s, &[x]).unwrap()[0];
        }
        composer.finish(&[x])
    };
    let label = |s: &Statement| s.declaration().map(|d| d.label);
    let tanh = compose(&["elementwise/tanh", "elementwise/exponential"]);
    assert_eq!(label(&tanh), None);
    let relu = compose(&["elementwise/tanh", "declared/relu", "declared/relu"]);
    assert!(relu.well_formed().is_ok());
    // A chain of subgradients need not be one.
    assert_eq!(label(&relu), Some(Label::Convention));
    assert_eq!(relu.declaration().unwrap().text.matches("`relu` declares").count(), 1);
    let rounded = compose(&["declared/round_straight_through", "declared/relu"]);
    assert_eq!(label(&rounded), Some(Label::Surrogate));
    let text = &rounded.declaration().unwrap().text;
    assert!(
        text.contains("`round_straight_through` declares surrogate") && text.contains("; `relu` declares"),
        "{text}"
    );
}

/// Text, derived rules, taped statements, pullbacks, pushforwards, and those of these again.
#[test]
fn what_is_made_of_the_library_is_well_formed() {
    let mut made = 0;
    let mut check = |s: &Statement| {
        made += 1;
        s.well_formed().unwrap_or_else(|e| panic!("{e}\n{s}"));
    };
    let all = |_: u32| true;
    for file in library::sources() {
        let (statements, errors) = load(&std::fs::read_to_string(&file).unwrap());
        assert!(errors.is_empty());
        for s in statements {
            check(&s);
            check(&s.with_derived_rule());
            let mut first = Vec::new();
            first.extend(s.taped().ok());
            first.extend(s.pullback(&all, &all).ok().flatten().map(|p| p.statement));
            first.extend(s.pushforward(&all, &all).ok().flatten().map(|p| p.statement));
            for s in &first {
                check(s);
                check(&s.with_derived_rule());
                for again in [s.taped().ok(), s.pullback(&all, &all).ok().flatten().map(|p| p.statement)] {
                    again.iter().for_each(&mut check);
                }
            }
        }
    }
    assert!(made > 1500, "{made}");
}

/// The exact numbers of a statement with an `any` outside of the domain are not asked for.
#[test]
fn the_input_of_the_review_lies_outside() {
    let s = statement(
        "contract shy version 1 dims s.. input x[s..] any m[i..] = recip(x[i..])
         output y[i..] = (x[i..] - m[i..]) + m[i..] dx[i..] = dy[i..]",
    );
    let conditions = domain(&s);
    let number = |n: i64| Rational::from_integer(n.into());
    let point = Point {
        sizes: vec![2],
        maps: vec![],
        params: vec![],
        constants: vec![],
        inputs: vec![vec![number(1), number(0)]],
    };
    let nothing = eval::Forward { locals: vec![], outputs: vec![] };
    assert_eq!(eval::outside(&s, &conditions, &point, &nothing).unwrap(), Some(&conditions[0]));
}
