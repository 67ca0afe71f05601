//! What a report says.

use pullback_laws::{Declared, LAWS, Law, Options, Rule, View};

use crate::rules::{X, seeded, square, sum};

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

/// A convention may lie outside of the generalised gradient if it says so, and then it gives what it says.
#[test]
fn a_convention_is_held_to_its_words() {
    let ties = |u: f64| {
        Rule::new(
            "2 -> ".parse().unwrap(),
            |x: X<'_, '_>| vec![x[0][0].max(x[0][1])],
            move |tape, seed| {
                let y = tape.output[0];
                tape.inputs[0].iter().map(|x| if *x == y { u * seed[0] } else { 0.0 }).collect::<Vec<f64>>()
            },
        )
    };
    let all = |x: X<'_, '_>, u: View<'_, f64>| {
        let y = x[0][0].max(x[0][1]);
        x[0].iter().map(|x| if *x == y { u[0] } else { 0.0 }).collect::<Vec<f64>>()
    };
    let half = |x: X<'_, '_>, u: View<'_, f64>| vec![u[0] / 2.0; x[0].len()];
    let options = Options::new().seed(1);
    assert!(ties(1.0).declared(Declared::Convention).declares(all).check(&options).unwrap().held("convention") > 0);
    let violation = ties(1.0).declared(Declared::Convention).declares(half).check(&options).unwrap_err();
    assert!(violation.law().name == "convention" && violation.to_string().contains("what was declared"), "{violation}");
    let words = ties(1.0).declared(Declared::Convention).check(&options).unwrap();
    assert!(words.why_skipped("convention").unwrap().contains("in words only"));
    // Not a subgradient, whatever is said.
    let violation = ties(1.0).declared(Declared::Subgradient).declares(all).check(&options).unwrap_err();
    assert!(violation.to_string().contains("the nearest derivative around x"), "{violation}");
}
