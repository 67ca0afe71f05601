//! What a report says.

use pullback_laws::{Declared, Domain, LAWS, Law, Options, Rule, View};

use crate::rules::{X, each, seeded, square, sum, zip};

#[test]
fn every_law_was_tried_or_says_why_not() {
    let report = sum("n, n -> n").check(&seeded(3)).unwrap();
    for law in LAWS {
        let tried = report.laws.iter().any(|tried| tried.law == *law);
        assert!(tried != report.why_skipped(law.name).is_some(), "{}", law.name);
    }
    assert_eq!((report.cases, report.seed, report.evidence.label()), (12, 3, "unproved"));
    assert_eq!((report.held("shape"), report.held("adjoint"), report.undecided("adjoint")), (12, 12, 0));
    assert_eq!(report.why_skipped("exact"), Some("the rule was not given over the rationals"));
    assert_eq!(report.checks(), report.laws.iter().map(|tried| tried.held).sum::<usize>());
}

#[test]
fn options_choose_laws() {
    let report = square::<f64>("n -> n").check(&Options::new().only(Law::ADJOINT).only(Law::ADDITIVE)).unwrap();
    assert_eq!(report.laws.iter().map(|tried| tried.law.name).collect::<Vec<_>>(), ["additive", "adjoint"]);
    let report = square::<f64>("n -> n").check(&Options::new().without(Law::ADJOINT)).unwrap();
    assert_eq!(report.why_skipped("adjoint"), Some("it was not asked for"));
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let check = |seed| square::<f64>("m n -> m n").check(&seeded(seed)).unwrap();
    assert_eq!(check(5), check(5));
}

/// A surrogate that is the adjoint of nothing is still checked for the rest.
#[test]
fn a_surrogate_is_held_to_the_other_laws() {
    let rule = |wrong: bool| {
        Rule::new(
            "n -> n".parse().unwrap(),
            |x: X<'_, '_>| x[0].to_vec(),
            move |_, u| u.iter().map(|u| if wrong { u + 1.0 } else { 5.0 * u }).collect::<Vec<f64>>(),
        )
        .declared(Declared::Surrogate)
    };
    let report = rule(false).check(&Options::new()).unwrap();
    assert!(report.why_skipped("adjoint").unwrap().contains("surrogate"));
    assert_eq!(rule(true).check(&Options::new()).unwrap_err().law().name, "homogeneous");
}

#[test]
fn the_equation_is_the_first_line_of_a_law_and_in_its_row_of_the_table() {
    let source = [
        include_str!("../../src/equations/adjoint.rs"),
        include_str!("../../src/equations/composition.rs"),
        include_str!("../../src/equations/corner.rs"),
        include_str!("../../src/equations/duplicated.rs"),
        include_str!("../../src/equations/iteration.rs"),
        include_str!("../../src/equations/linear.rs"),
        include_str!("../../src/equations/measured.rs"),
        include_str!("../../src/equations/product.rs"),
        include_str!("../../src/equations/residual.rs"),
        include_str!("../../src/equations/rounded.rs"),
        include_str!("../../src/equations/shape.rs"),
        include_str!("../../src/equations/usage.rs"),
    ]
    .concat();
    let table = include_str!("../../src/lib.rs");
    for (at, law) in LAWS.iter().enumerate() {
        assert!(LAWS[..at].iter().all(|other| other.name != law.name && other.equation != law.equation));
        let row = table.lines().find(|line| line.starts_with(&format!("//! | `{}` |", law.name)));
        assert!(row.unwrap_or_else(|| panic!("{} has no row", law.name)).contains(&format!("`{}`", law.equation)));
        // The law over the rationals is the one over floats.
        if law.name != "exact" {
            assert!(source.contains(&format!("/// `{}`", law.equation)), "{}", law.name);
        }
    }
}

/// The absolute value, with a slope of its own at zero.
fn absolute(at_zero: f64) -> Rule<'static, f64> {
    let slope = move |x: f64, u: f64| if x == 0.0 { at_zero * u } else { x.signum() * u };
    Rule::new(
        "2 -> 2".parse().unwrap(),
        |x: X<'_, '_>| each(&x[0], f64::abs),
        move |tape, u| zip(&tape.inputs[0], &u, slope),
    )
}

/// A convention may lie outside of the generalised gradient if it says so, and then it gives what it says.
#[test]
fn a_convention_is_held_to_its_words() {
    let says = |at_zero: f64| {
        move |x: X<'_, '_>, u: View<'_, f64>| zip(&x[0], &u, |x, u| if x == 0.0 { at_zero * u } else { x.signum() * u })
    };
    let options = Options::new().seed(1);
    let three = || absolute(3.0).declared(Declared::Convention);
    assert!(three().declares(says(3.0)).check(&options).unwrap().held("convention") > 0);
    let violation = three().declares(says(1.0)).check(&options).unwrap_err();
    assert!(violation.law().name == "convention" && violation.to_string().contains("what was declared"), "{violation}");
    let words = three().check(&options).unwrap();
    assert!(words.why_skipped("convention").unwrap().contains("in words only"));
    // Not a subgradient, whatever is said.
    let violation = absolute(3.0).declared(Declared::Subgradient).declares(says(3.0)).check(&options).unwrap_err();
    assert!(violation.to_string().contains("the nearest derivative around x"), "{violation}");
}

/// No words make up for a rule that is no derivative where the function of equal numbers is smooth.
#[test]
fn a_convention_for_ties_shares_them() {
    let ties = |rule: fn(&[f64], f64) -> Vec<f64>, declared: Declared| {
        let stated = move |x: X<'_, '_>, u: View<'_, f64>| rule(&x[0], u[0]);
        Rule::new(
            "3 -> ".parse().unwrap(),
            |x: X<'_, '_>| vec![x[0].iter().copied().fold(f64::NEG_INFINITY, f64::max)],
            move |tape, u| rule(&tape.inputs[0], u[0]),
        )
        .declared(declared)
        .declares(stated)
        .check(&Options::new().seed(1))
    };
    let all = |x: &[f64], u: f64| each(x, |one| if x.iter().all(|other| *other <= one) { u } else { 0.0 });
    let shared = |x: &[f64], u: f64| {
        let greatest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ties = x.iter().filter(|x| **x == greatest).count() as f64;
        each(x, |x| if x == greatest { u / ties } else { 0.0 })
    };
    let first = |x: &[f64], u: f64| {
        let best = (1..x.len()).fold(0, |best, at| if x[at] > x[best] { at } else { best });
        (0..x.len()).map(|at| if at == best { u } else { 0.0 }).collect::<Vec<f64>>()
    };
    for rule in [shared as fn(&[f64], f64) -> Vec<f64>, first] {
        let report = ties(rule, Declared::Convention).unwrap();
        assert!(report.held("duplicated") > 10 && report.held("convention") > 0, "{report:?}");
    }
    let violation = ties(all, Declared::Convention).unwrap_err();
    let text = violation.to_string();
    assert_eq!(violation.law(), Law::DUPLICATED, "{text}");
    assert!(text.contains("x = [0.0, 0.0, ") && text.contains("help      equal numbers share"), "{text}");
    // Who wants it all the same says that it is none.
    let report = ties(all, Declared::Surrogate).unwrap();
    assert!(report.why_skipped("duplicated").unwrap().contains("surrogate"));
}

/// Where no two numbers may be equal there is nothing to say, and where a function is smooth nowhere between equal ones nothing is asked.
#[test]
fn the_law_of_duplicates_says_where_it_does_not_apply() {
    let alone = square::<f64>(" -> ").check(&Options::new()).unwrap();
    assert_eq!(alone.why_skipped("duplicated"), Some("no two of its numbers may be equal"));
    let apart = square::<f64>("n -> n").check(&Options::new().domain(Domain::Distinct)).unwrap();
    assert_eq!(apart.why_skipped("duplicated"), Some("no two of its numbers may be equal"));
    let constant = zip_product().check(&Options::new().constant(1)).unwrap();
    assert_eq!(constant.why_skipped("duplicated"), Some("no two of its numbers may be equal"));
    assert!(zip_product().check(&Options::new()).unwrap().held("duplicated") > 0);
    let distance = || {
        Rule::new(
            "2 -> ".parse().unwrap(),
            |x: X<'_, '_>| vec![1.0 / (x[0][0] - x[0][1])],
            |tape, u| {
                let y = tape.output[0];
                vec![-y * y * u[0], y * y * u[0]]
            },
        )
    };
    let options = Options::new().inside(|x| (x[0][0] - x[0][1]).abs() > 1e-3);
    let report = distance().check(&options).unwrap();
    assert!(report.held("duplicated") == 0 && report.undecided("duplicated") > 0, "{report:?}");
    let asked = distance().check(&options.only(Law::DUPLICATED)).unwrap_err();
    assert!(asked.is_undecided() && asked.to_string().contains("not defined where the numbers are equal"), "{asked}");
}

/// The product of two single numbers.
fn zip_product() -> Rule<'static, f64> {
    Rule::new(
        ", -> ".parse().unwrap(),
        |x: X<'_, '_>| vec![x[0][0] * x[1][0]],
        |tape, u| [vec![tape.inputs[1][0] * u[0]], vec![tape.inputs[0][0] * u[0]]],
    )
}
