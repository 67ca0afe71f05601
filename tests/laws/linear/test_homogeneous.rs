//! ```text
//!        u ──×c── K ──   =   u ── K ──×c──
//! ```

use proptest::prelude::*;
use pullback::laws::homogeneous;

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, V, breaks, each, ints, running, square, toy};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_over_the_rationals((x, u, _) in points::<Q>()) {
        homogeneous::<Q, _>(&square(), &x, &u)?;
        homogeneous::<Q, _>(&running(), &x, &u)?;
    }

    #[test]
    fn holds_over_floats((x, u, _) in points::<f32>()) {
        homogeneous::<f32, _>(&square(), &x, &u)?;
        homogeneous::<f32, _>(&running(), &x, &u)?;
    }
}

/// Right at ones, and additive nowhere.
#[test]
fn rejects_a_squared_cotangent() {
    let wrong = toy::<Q, V, V>(|x| x.to_vec(), |_, u| each(u, u, |u, v| u * v));
    breaks("homogeneous", homogeneous::<Q, _>(&wrong, &ints(&[1, 2, 3]), &ints(&[1, 1, 1])));
}

/// Positively homogeneous: only a negative factor finds it.
#[test]
fn rejects_the_magnitude_of_a_cotangent() {
    let wrong = toy::<f64, V<f64>, V<f64>>(|x| x.to_vec(), |_, u| u.iter().map(|u| u.abs()).collect());
    let x = V::full(1.0);
    breaks("homogeneous", homogeneous::<f64, _>(&wrong, &x, &x));
}
