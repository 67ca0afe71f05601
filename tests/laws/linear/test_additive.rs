//! ```text
//!        u ─┐                    u ── K ─┐
//!           + ── K ──    =               + ──
//!        w ─┘                    w ── K ─┘
//! ```

use proptest::prelude::*;
use pullback::laws::{additive, homogeneous};
use pullback::{Over, Scalar};

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, V, breaks, ints, running, square, toy};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_over_the_rationals((x, u, w) in points::<Q>()) {
        additive::<Q, _>(&square(), &x, &u, &w)?;
        additive::<Q, _>(&running(), &x, &u, &w)?;
    }

    #[test]
    fn holds_over_floats((x, u, w) in points::<f64>()) {
        additive::<f64, _>(&square(), &x, &u, &w)?;
        additive::<f64, _>(&running(), &x, &u, &w)?;
    }
}

/// Every coordinate gets the cotangent of the greatest magnitude: homogeneous and not additive.
#[test]
fn rejects_the_greatest_cotangent() {
    let wrong = toy::<Q, V, V>(
        |x| x.to_vec(),
        |_, u| {
            let size = |u: &Q| if u.is_positive() { u.clone() } else { -u.clone() };
            let mut greatest = u[0].clone();
            for u in u {
                if size(u) > size(&greatest) {
                    greatest = u.clone();
                }
            }
            vec![greatest; 3]
        },
    );
    let (x, u, w): (V, V, V) = (ints(&[1, 2, 3]), ints(&[5, 1, -2]), ints(&[1, 6, 4]));
    homogeneous::<Q, _>(&wrong, &x, &u).unwrap();
    let violation = breaks("additive", additive::<Q, _>(&wrong, &x, &u, &w));
    assert_eq!(violation.index(), Some(0));
    assert_eq!(x.coordinates().len(), 3);
}
