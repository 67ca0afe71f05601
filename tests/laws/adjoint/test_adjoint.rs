//! ```text
//!        u ── K ──┐                    u ──┐
//!                 ⟨,⟩     =                ⟨,⟩
//!        v ───────┘            v ── Df ────┘
//! ```

use proptest::prelude::*;
use pullback::laws::{adjoint, coordinatewise};
use pullback::ops::{layer_norm, matmul, softmax};
use pullback::{Dual, N, Scalar, Tensor};

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, V, breaks, each, ints, running, scale, square, total, toy};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_exactly((x, u, v) in points::<Q, V, V>()) {
        adjoint::<Q, _, _>(&square(), &square(), &x, &u, &v)?;
        adjoint::<Q, _, _>(&running(), &running(), &x, &u, &v)?;
    }

    #[test]
    fn holds_for_two_arguments((x, u, v) in points::<Q, (V, V), V>()) {
        adjoint::<Q, _, _>(&scale(), &scale(), &x, &u, &v)?;
    }

    #[test]
    fn holds_for_a_matrix_product((x, u, v) in points::<Q, (Tensor<_, _>, Tensor<_, _>), Tensor<_, _>>()) {
        type F<T> = (N<2>, N<3>, N<5>, T);
        fn make<T: Scalar>(_: Option<F<T>>) -> pullback::ops::Matmul<N<2>, N<3>, N<5>, T> { matmul() }
        adjoint::<Q, _, _>(&make(None), &make::<Dual<Q>>(None), &x, &u, &v)?;
    }

    #[test]
    fn holds_over_floats((x, u, v) in points::<f64, Tensor<(N<2>, N<3>), f64>, Tensor<(N<2>, N<3>), f64>>()) {
        let on_duals = softmax::<(N<2>,), N<3>, Dual<f64>>();
        adjoint::<f64, _, _>(&softmax::<(N<2>,), N<3>, f64>(), &on_duals, &x, &u, &v)?;
    }

    #[test]
    fn holds_through_statistics(
        (x, u, v) in points::<f64, (Tensor<(N<2>, N<3>), f64>, V<f64>, V<f64>), Tensor<(N<2>, N<3>), f64>>(),
    ) {
        let on_duals = layer_norm::<(N<2>,), N<3>, _>(Dual::constant(0.125)).unwrap();
        adjoint::<f64, _, _>(&layer_norm::<(N<2>,), N<3>, _>(0.125).unwrap(), &on_duals, &x, &u, &v)?;
    }
}

#[test]
fn rejects_a_missing_factor() {
    let wrong = toy::<Q, V, V>(|x| each(x, x, |x, y| x * y), |x, u| each(x, u, |x, u| x * u));
    let (x, u, v) = (ints(&[1, 2, 3]), ints(&[1, -1, 2]), ints(&[2, 5, 7]));
    breaks("adjoint", adjoint::<Q, _, _>(&wrong, &square::<Dual<Q>>(), &x, &u, &v));
}

/// The adjoint of the nonlinear map itself would be something else: a rule may not forget the point.
#[test]
fn rejects_a_rule_at_another_point() {
    let wrong = toy::<Q, V, V>(|x| each(x, x, |x, y| x * y), |_, u| each(u, u, |u, _| u.clone() + u));
    let (u, v) = (ints(&[1, -1, 2]), ints(&[2, 5, 7]));
    adjoint::<Q, _, _>(&wrong, &square::<Dual<Q>>(), &ints(&[1, 1, 1]), &u, &v).unwrap();
    breaks("adjoint", adjoint::<Q, _, _>(&wrong, &square::<Dual<Q>>(), &ints(&[1, 2, 3]), &u, &v));
}

/// The transpose that reads sums in the wrong direction: under a uniform cotangent and direction nobody sees it.
#[test]
fn a_uniform_cotangent_is_not_enough() {
    fn sums<T: Scalar>(x: &[T]) -> Vec<T> {
        vec![x[0].clone(), x[0].clone() + x[1].clone(), x[0].clone() + x[1].clone() + x[2].clone()]
    }
    let wrong = toy::<Q, V, V>(sums, |_, u| sums(u));
    let (x, ones) = (ints(&[1, 2, 3]), ints(&[1, 1, 1]));
    adjoint::<Q, _, _>(&wrong, &running::<Dual<Q>>(), &x, &ones, &ones).unwrap();
    breaks("adjoint", adjoint::<Q, _, _>(&wrong, &running::<Dual<Q>>(), &x, &ints(&[1, 2, 4]), &ints(&[1, 3, 9])));
}

/// A small error that no float tolerance would find, found exactly.
#[test]
fn is_exact_over_the_rationals() {
    let nearly = toy::<Q, V, pullback::Tensor<(), Q>>(
        |x| vec![x.iter().cloned().fold(Scalar::zero(), |sum: Q, x| sum + x)],
        |_, u| vec![u[0].clone() * Q::from_ratio(1_000_000_000_001, 1_000_000_000_000); 3],
    );
    let (x, u) = (ints(&[1, 2, 3]), ints(&[4]));
    let violation = breaks("adjoint", coordinatewise::<Q, _, _>(&nearly, &total::<Dual<Q>>(), &x, &u));
    assert!(violation.to_string().ends_with("by 1/250000000000"), "{violation}");
}
