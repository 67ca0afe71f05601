//! ```text
//!        x ── f ── g ──            w ── K_g ── K_f ──
//!             r    s                     s      r
//! ```

use proptest::prelude::*;
use pullback::ContractExt;
use pullback::laws::composite;

use super::strategy::composable;
use crate::strategy::few;
use crate::toys::{Q, V, affine, breaks, each, int, ints, square, toy};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_for_then(([f, g], x, w) in composable::<2>()) {
        composite::<Q, _, _, _>(&f, &g, &f.clone().then(g.clone()), &x, &w)?;
    }
}

/// `(2x + 1)²` in one pass, as a person would fuse it.
#[test]
fn holds_for_a_fused_contract() {
    let fused = toy::<Q, V, V>(
        |x| x.iter().map(|x| (int::<Q>(2) * x + int::<Q>(1)) * (int::<Q>(2) * x + int::<Q>(1))).collect(),
        |x, u| each(x, u, |x, u| int::<Q>(4) * (int::<Q>(2) * x + int::<Q>(1)) * u),
    );
    composite::<Q, _, _, _>(&affine(), &square(), &fused, &ints(&[1, 2, 3]), &ints(&[1, -1, 2])).unwrap();
}

/// The fused rule that forgot the inner derivative.
#[test]
fn rejects_a_forgotten_factor() {
    let wrong = toy::<Q, V, V>(
        |x| x.iter().map(|x| (int::<Q>(2) * x + int::<Q>(1)) * (int::<Q>(2) * x + int::<Q>(1))).collect(),
        |x, u| each(x, u, |x, u| int::<Q>(2) * (int::<Q>(2) * x + int::<Q>(1)) * u),
    );
    let result = composite::<Q, _, _, _>(&affine(), &square(), &wrong, &ints(&[1, 2, 3]), &ints(&[1, -1, 2]));
    breaks("composite", result);
}

#[test]
fn rejects_the_other_order() {
    let other = square::<Q>().then(affine());
    breaks("composite", composite::<Q, _, _, _>(&affine(), &square(), &other, &ints(&[1, 2, 3]), &ints(&[1, 1, 1])));
}
