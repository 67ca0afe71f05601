//! What a run of the laws reports.

use pullback::laws::{Domain, Evidence, Options, adjoint, check, check_exactly, check_library, check_operation};
use pullback::ops::{round_straight_through, stop_gradient};
use pullback::{Contract, Cotangent, Declared, DomainError, Dual, N, Scalar, Surrogate};

use crate::toys::{Q, V, each, ints, square, toy};

#[test]
fn a_run_depends_on_its_seed_alone() {
    let mut heard = vec![];
    let report = check_library(5, 1, |name| heard.push(name.to_string()));
    assert!(heard.iter().eq(report.operations.iter().map(|operation| operation.name)));
    for name in ["matmul", "softmax", "stop_gradient"] {
        let again = check_operation(name, 5, 1).unwrap();
        assert_eq!(Some(&again), report.operations.iter().find(|operation| operation.name == name));
    }
    assert!(check_operation("no_such_operation", 5, 1).is_none());
}

#[test]
fn counts_add_up() {
    let report = check_operation("gather", 5, 4).unwrap();
    assert!(report.holds());
    assert_eq!((report.name, report.evidence, report.instances.len()), ("gather", "proved", 2));
    // Two instances at four points each; the rounding law at two floats, combinators for the first instance.
    let expected = |law: &str| match law {
        "rounded" => 16,
        "composite" | "left_unit" | "right_unit" | "recomputed" | "componentwise" => 4,
        "fanned_out" | "sharing_adds" | "discarding_is_zero" => 4,
        _ => 8,
    };
    for (law, times) in &report.held {
        assert_eq!(*times, expected(law.name), "{}", law.name);
    }
    assert_eq!(report.checks(), report.held.iter().map(|(_, times)| times).sum::<usize>());
    let tried: Vec<&str> = report.held.iter().map(|(law, _)| law.name).collect();
    for law in ["homogeneous", "adjoint", "interleaved", "residual_suffices", "left_unit", "fanned_out"] {
        assert!(tried.contains(&law), "{law}");
    }
}

#[test]
fn a_surrogate_is_not_held_to_be_an_adjoint_and_is_none() {
    for name in ["round_straight_through", "stop_gradient"] {
        let report = check_operation(name, 5, 2).unwrap();
        assert!(report.holds() && report.evidence == "surrogate");
        assert!(report.held.iter().all(|(law, _)| law.name != "adjoint"));
    }
    let (x, u) = (ints(&[1, 2, 3]), ints(&[4, 5, 6]));
    let (f, on_duals) = (stop_gradient::<(N<3>,), Q>(), stop_gradient::<(N<3>,), Dual<Q>>());
    assert!(adjoint::<Q, _, _>(&f, &on_duals, &x, &u, &x).is_err());
    let (f, on_duals) = (round_straight_through::<(N<3>,), Q>(), round_straight_through::<(N<3>,), Dual<Q>>());
    assert!(adjoint::<Q, _, _>(&f, &on_duals, &x, &u, &x).is_err());
}

#[test]
fn a_contract_of_ones_own_is_checked() {
    let exact = (&square::<Q>(), &square::<Dual<Q>>());
    let report = check_exactly(&square::<f64>(), &square::<Dual<f64>>(), exact, &Options::new().seed(3)).unwrap();
    for law in ["adjoint", "exact", "rounded", "tangent", "primal", "moved"] {
        assert_eq!(report.held(law), 32, "{law}");
    }
    let wrong = toy::<f64, V<f64>, V<f64>>(|x| each(x, x, |x, y| x * y), |x, u| each(x, u, |x, u| x * u));
    let violation = check(&wrong, &Options::new().seed(3)).unwrap_err();
    assert_eq!(violation.law().name, "adjoint");
    assert!(violation.to_string().contains("Options::new().seed(3).case("), "{violation}");
    assert!(violation.to_string().contains("takes     Tensor("), "{violation}");
}

#[test]
fn the_domain_of_an_operation_is_checked() {
    use pullback::ops::log;
    let report = check(&log::<(N<3>,), f64>(), &Options::new().domain(Domain::Positive)).unwrap();
    assert!(report.held("refused") == 32 && report.evidence == Evidence::Proved);
    assert_eq!(check(&log::<(N<3>,), f64>(), &Options::new()).unwrap_err().law().name, "defined");
}

#[test]
fn subgradients_of_the_library_are_checked_on_their_corners() {
    use pullback::laws::{Checked, On};
    use pullback::ops::{abs, reduce_max, relu};
    let report = check(&abs::<(N<3>,), f64>(), &Options::new()).unwrap();
    assert!(report.held("convention") > 0 && report.held("adjoint") > 0, "{report:?}");
    // Ties share the cotangent, which is between the sides.
    let report = check(&reduce_max::<(N<2>,), N<3>, f64>(), &Options::new()).unwrap();
    assert!(report.held("convention") > 0 && report.held("adjoint") > 0, "{report:?}");
    let stated =
        |x: &[f64], u: &[f64]| -> Vec<f64> { x.iter().zip(u).map(|(x, u)| if *x > 0.0 { *u } else { 0.0 }).collect() };
    let relu = On(relu::<(N<2>, N<3>), f64>());
    let report = Checked::new(&relu).declares(&stated).check(&Options::new()).unwrap();
    assert!(report.held("convention") > 0);
}

/// The straight-through estimator of a user, declared as what it is.
struct StraightThrough<T>(std::marker::PhantomData<T>);

impl<T: Scalar> Contract for StraightThrough<T> {
    type Input = V<T>;
    type Output = V<T>;
    type Residual = ();
    type Evidence = Declared<Surrogate>;
    fn forward(&self, input: V<T>) -> Result<(V<T>, ()), DomainError> {
        Ok((input.map(|x: T| if x.is_positive() { T::one() } else { -T::one() }), ()))
    }
    fn pullback(&self, (): &(), seed: Cotangent<V<T>>) -> Cotangent<V<T>> {
        seed
    }
}

#[test]
fn a_surrogate_of_ones_own_is_checked_for_the_rest() {
    let report = check(&StraightThrough::<f64>(Default::default()), &Options::new()).unwrap();
    assert!(report.why_skipped("adjoint").unwrap().contains("surrogate") && report.held("additive") == 32);
}

/// A point outside of the domain is no success of a law.
#[test]
fn outside_of_the_domain_no_law_holds() {
    use pullback::laws::homogeneous;
    use pullback::ops::reciprocal;
    let result = homogeneous::<Q, _>(&reciprocal::<(N<3>,), Q>(), &ints(&[1, 0, 3]), &ints(&[1, 1, 1]));
    let violation = result.unwrap_err();
    assert_eq!(violation.refusal().unwrap().index(), Some(1));
    assert!(violation.index().is_none() && violation.to_string().contains("outside   reciprocal"), "{violation}");
}
