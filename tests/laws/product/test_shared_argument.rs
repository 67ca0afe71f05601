//! ```text
//!           ┌──┐                      ┌── p ─┐
//!        x ─●   f ──          u ── K_f       + ──
//!           └──┘                      └── q ─┘
//! ```

use proptest::prelude::*;
use pullback::laws::shared_argument;
use pullback::ops::multiply;
use pullback::{ContractExt, N, duplicate};

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, V, breaks, each, ints, scale, square, toy};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_after_duplicate((x, u) in points::<V, V>()) {
        shared_argument::<Q, _, _>(&scale(), &duplicate().then(scale()), &x, &u)?;
        let product = multiply::<(N<3>,), Q>();
        shared_argument::<Q, _, _>(&product, &duplicate().then(&product), &x, &u)?;
    }

    #[test]
    fn a_square_is_a_product_with_a_shared_argument((x, u) in points::<V, V>()) {
        shared_argument::<Q, _, _>(&scale(), &square(), &x, &u)?;
    }
}

/// The contribution of the second argument is lost.
#[test]
fn rejects_one_contribution() {
    let wrong = toy::<Q, V, V>(|x| each(x, x, |x, y| x * y), |x, u| each(x, u, |x, u| x * u));
    breaks("shared_argument", shared_argument::<Q, _, _>(&scale(), &wrong, &ints(&[1, 2, 3]), &ints(&[1, 1, 1])));
}
