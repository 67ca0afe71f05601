//! What a violation says, and that its last line reproduces it.

use pullback_laws::{Domain, Law, Options, Rule, check_rule};

use crate::rules::{X, each, seeded, signature, square_with, zip};

/// The first index, both sides, the shrunk point, and the line that leads back to it.
#[test]
fn a_violation_says_it_all() {
    let violation = square_with::<f64>("m n -> m n", |x, u| x * u).check(&Options::new().seed(11)).unwrap_err();
    assert_eq!(
        violation.named("half").to_string(),
        "half does not satisfy the law `adjoint`
  equation  ⟨K(r, u), v⟩ = ⟨u, Df(x)·v⟩
  takes     [1, 1]
  gives     [1, 1]
  seed      11
  at        x = [1.0]
  at        u = [1.0]
  at        v = [0.25]
  left      ⟨K(r, u), v⟩ = [0.25]
  right     ⟨u, Df(x)·v⟩ by differences = [0.5]
  differ    at coordinate 0: 0.25 and 0.5, by 0.25
  again     Options::new().seed(11).case(0).only(Law::ADJOINT)"
    );
}

#[test]
fn the_last_line_reproduces_it() {
    // Wrong at zero alone, which random reals never are.
    let rule = square_with::<f64>("n -> n", |x, u| if x == 0.0 { u } else { 2.0 * x * u });
    for seed in 0..20 {
        let violation = rule.check(&seeded(seed)).unwrap_err();
        let case = violation.case().unwrap();
        let again = format!("  again     Options::new().seed({seed}).case({case}).only(Law::ADJOINT)");
        assert!(violation.to_string().ends_with(&again), "{violation}");
        let other = rule.check(&Options::new().seed(seed).case(case).only(Law::ADJOINT)).unwrap_err();
        assert_eq!(other.to_string(), violation.to_string());
    }
}

/// Many numbers are wrong, and the point that is shown has as few as possible.
#[test]
fn the_point_is_shrunk_inside_of_the_domain() {
    let rule = Rule::new(
        signature("6 -> "),
        |x: X<'_, '_>| vec![x[0].iter().map(|x| x.ln()).sum::<f64>()],
        |tape, u| each(&tape.inputs[0], |x| 2.0 * u[0] / x),
    );
    let violation = rule.check(&Options::new().domain(Domain::Positive)).unwrap_err().to_string();
    assert!(
        violation.contains("x = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]\n") && violation.contains("u = [1.0]\n"),
        "{violation}"
    );
}

#[test]
fn a_refusal_inside_of_the_domain_says_where() {
    let forward = |x: X<'_, '_>| match x[0].iter().position(|x| *x == 0.0) {
        Some(at) => Err(format!("zero at {at}")),
        None => Ok(each(&x[0], |x| 1.0 / x)),
    };
    let rule = Rule::new(signature("n -> n"), forward, |tape, u| zip(&tape.inputs[0], &u, |x, u| -u / (x * x)));
    let violation = rule.check(&Options::new()).unwrap_err();
    assert_eq!((violation.law().name, violation.index()), ("defined", None));
    assert!(violation.refusal().is_some() && violation.to_string().contains("outside   zero at"), "{violation}");
    rule.check(&Options::new().domain(Domain::NonZero)).unwrap();
}

#[test]
fn what_was_accepted_outside_is_shown() {
    let forward = |x: X<'_, '_>| Ok::<_, String>(each(&x[0], |x| 1.0 / x));
    let rule = |tape: &pullback_laws::Tape<f64>, u: pullback_laws::View<'_, f64>| {
        zip(&tape.inputs[0], &u, |x, u| -u / (x * x))
    };
    let options = Options::new().domain(Domain::NonZero);
    let violation = check_rule(&signature("1 -> 1"), forward, rule, &options).unwrap_err();
    let text = violation.to_string();
    assert!(
        violation.law().name == "refused" && text.contains("x ∉ D = [0.0]") && text.contains("accepted  f(x) = [inf]"),
        "{text}"
    );
}

/// A rule of which nothing can be decided does not pass.
#[test]
fn nothing_decided_is_no_success() {
    // A step everywhere: no difference settles.
    let noise = |x: f64| (x * 1e9).sin();
    let rule = Rule::new(signature("2 -> 2"), move |x: X<'_, '_>| each(&x[0], noise), |_, u| u.to_vec());
    let violation = rule.check(&Options::new().scales(&[])).unwrap_err();
    assert!(violation.law().name == "adjoint", "{violation}");
    let infinite = Rule::new(signature("2 -> 2"), |x: X<'_, '_>| each(&x[0], |_| f64::NAN), |_, u| u.to_vec());
    let violation = infinite.check(&Options::new().without(Law::DEFINED)).unwrap_err();
    assert!(violation.is_undecided() && violation.to_string().contains("this is no success"), "{violation}");
}
