//! ```text
//!        0 ── K ──   =   0
//! ```

use proptest::prelude::*;
use pullback::Scalar;
use pullback::laws::{homogeneous, zero_to_zero};

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, V, breaks, ints, running, square, toy};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds((x, _, _) in points::<Q>()) {
        zero_to_zero::<Q, _>(&square(), &x)?;
        zero_to_zero::<Q, _>(&running(), &x)?;
    }
}

#[test]
fn rejects_a_bias_in_the_rule() {
    let wrong = toy::<Q, V, V>(|x| x.to_vec(), |_, u| u.iter().map(|u| u.clone() + Q::from_ratio(1, 7)).collect());
    breaks("zero_to_zero", zero_to_zero::<Q, _>(&wrong, &ints(&[1, 2, 3])));
}

/// `u·u/u` is linear but at zero, where a float gives no number.
#[test]
fn rejects_a_division_by_the_cotangent() {
    let wrong = toy::<f64, V<f64>, V<f64>>(|x| x.to_vec(), |_, u| u.iter().map(|u| u * u / u).collect());
    let x = V::full(1.0);
    homogeneous::<f64, _>(&wrong, &x, &x).unwrap();
    breaks("zero_to_zero", zero_to_zero::<f64, _>(&wrong, &x));
}
