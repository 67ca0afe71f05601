//! ```text
//!        u ── K ──ᵢ──            u ──┐
//!                      =             ⟨,⟩    for each i
//!                        eᵢ ── Df ───┘
//! ```

use proptest::prelude::*;
use pullback::laws::{adjoint, coordinatewise};
use pullback::{Dual, Tensor};

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, V, breaks, ints, running, scale, square, toy};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds((x, u, _) in points::<Q, V, V>()) {
        coordinatewise::<Q, _, _>(&square(), &square(), &x, &u)?;
        coordinatewise::<Q, _, _>(&running(), &running(), &x, &u)?;
    }

    #[test]
    fn holds_for_two_arguments((x, u, _) in points::<f64, (V<f64>, V<f64>), V<f64>>()) {
        coordinatewise::<f64, _, _>(&scale(), &scale(), &x, &u)?;
    }
}

/// One coordinate is wrong: a direction that doesn't move it sees nothing, and this law names it.
#[test]
fn rejects_a_dropped_coordinate() {
    let wrong = toy::<Q, V, V>(|x| x.to_vec(), |_, u| vec![u[0].clone(), u[1].clone(), u[1].clone()]);
    let right = toy::<Dual<Q>, V<Dual<Q>>, V<Dual<Q>>>(|x| x.to_vec(), |_, u| u.to_vec());
    let (x, u) = (ints(&[1, 2, 3]), ints(&[4, 5, 6]));
    adjoint::<Q, _, _>(&wrong, &right, &x, &u, &ints(&[1, 1, 0])).unwrap();
    let violation = breaks("adjoint", coordinatewise::<Q, _, _>(&wrong, &right, &x, &u));
    assert_eq!(violation.index(), Some(2));
}

/// Beside a coordinate of 10⁹, half of the right number looks like rounding in a sum of all; in its own terms it does not.
#[test]
fn a_great_coordinate_hides_no_small_one() {
    const GREAT: f64 = 1e9;
    let wrong = toy::<f64, V<f64>, V<f64>>(
        |x| vec![GREAT * x[0], x[1] * x[1], x[2]],
        |x, u| vec![GREAT * u[0], x[1] * u[1], u[2]],
    );
    let right = toy::<Dual<f64>, V<Dual<f64>>, V<Dual<f64>>>(
        |x| vec![Dual::new(GREAT, 0.0) * x[0], x[1] * x[1], x[2]],
        |_, u| u.to_vec(),
    );
    let (x, u) = (Tensor::from_fn(|n| 1.0 + n as f64), Tensor::from_fn(|n| 2.0 - n as f64 / 4.0));
    let violation = breaks("adjoint", coordinatewise::<f64, _, _>(&wrong, &right, &x, &u));
    assert_eq!(violation.index(), Some(1));
}
