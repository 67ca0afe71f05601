//! Operations of nalgebra and ndarray: a right rule passes, a wrong one is caught, and the law is named.

use nalgebra::{DMatrix, Matrix3, Vector3};
use ndarray::{ArrayView2, Axis};
use pullback_laws::{Options, Rule, View, check_rule};

use crate::rules::{X, signature};

/// The solution of a linear system, by nalgebra: `a = (I + m mᵀ)⁻¹·b`.
#[test]
fn a_solver_of_nalgebra() {
    let matrix = |m: &[f64]| Matrix3::identity() + Matrix3::from_row_slice(m) * Matrix3::from_row_slice(m).transpose();
    let forward = move |x: X<'_, '_>| {
        let inverse = matrix(&x[0]).try_inverse().ok_or("a singular matrix")?;
        let solution = inverse * Vector3::from_row_slice(&x[1]);
        Ok::<_, &str>((solution.as_slice().to_vec(), (Matrix3::from_row_slice(&x[0]), inverse, solution)))
    };
    let backward = |missing: f64| {
        move |(m, inverse, solution): &(Matrix3<f64>, Matrix3<f64>, Vector3<f64>), u: View<'_, f64>| {
            let gradient = inverse.transpose() * Vector3::from_row_slice(&u);
            // The matrix is symmetric in m, so both sides of the product contribute.
            let outer = -gradient * solution.transpose();
            let by_m = (outer + missing * outer.transpose()) * m;
            [by_m.transpose().as_slice().to_vec(), gradient.as_slice().to_vec()]
        }
    };
    let options = Options::new().scales(&[-20]);
    check_rule(&signature("3 3, 3 -> 3"), forward, backward(1.0), &options).unwrap();
    let violation = check_rule(&signature("3 3, 3 -> 3"), forward, backward(0.0), &options).unwrap_err();
    assert_eq!(violation.law().name, "adjoint");
}

/// nalgebra's matrices are column-major: a rule that forgets it transposes its cotangent.
#[test]
fn a_layout_of_nalgebra() {
    let square = |x: &[f64]| DMatrix::from_row_slice(3, 3, x);
    let rows = |m: DMatrix<f64>| m.transpose().as_slice().to_vec();
    let forward = |x: X<'_, '_>| rows(square(&x[0]) * square(&x[1]));
    let right = check_rule(
        &signature("3 3, 3 3 -> 3 3"),
        forward,
        |tape, u| {
            let (a, b, u) = (square(&tape.inputs[0]), square(&tape.inputs[1]), square(&u));
            [rows(&u * b.transpose()), rows(a.transpose() * &u)]
        },
        &Options::new(),
    );
    right.unwrap();
    let wrong = check_rule(
        &signature("3 3, 3 3 -> 3 3"),
        forward,
        |tape, u| {
            let (a, b, u) = (square(&tape.inputs[0]), square(&tape.inputs[1]), square(&u));
            [(&u * b.transpose()).as_slice().to_vec(), rows(a.transpose() * &u)]
        },
        &Options::new(),
    );
    assert_eq!(wrong.unwrap_err().law().name, "adjoint");
}

/// Rows of ndarray divided by their means: the sum over the broadcast axis is what people forget.
#[test]
fn a_broadcast_of_ndarray() {
    fn array<'a>(x: &'a View<'_, f64>) -> ArrayView2<'a, f64> {
        ArrayView2::from_shape((x.shape()[0], x.shape()[1]), x).unwrap()
    }
    let rule = |sums: bool| {
        Rule::new(
            signature("m n, m 1 -> m n"),
            |x: X<'_, '_>| {
                let (a, scale) = (array(&x[0]).to_owned(), array(&x[1]).to_owned());
                ((&a * &scale).into_raw_vec_and_offset().0, (a, scale))
            },
            move |(a, scale), u| {
                let u = array(&u);
                let by_scale = &u * a;
                // Without the sum the cotangent has the shape of the other argument.
                let by_scale =
                    if sums { by_scale.sum_axis(Axis(1)).to_vec() } else { by_scale.iter().copied().collect() };
                [(&u * scale).iter().copied().collect(), by_scale]
            },
        )
    };
    rule(true).check(&Options::new()).unwrap();
    assert_eq!(rule(false).check(&Options::new()).unwrap_err().law().name, "shape");
}
