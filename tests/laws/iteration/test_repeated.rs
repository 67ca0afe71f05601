//! ```text
//!        p ─●───●───●                 p₁ + p₂ + p₃ ──
//!           │   │   │                  │    │    │
//!        x ─ f ─ f ─ f ──          ── K ─── K ── K ── u
//! ```

use proptest::prelude::*;
use pullback::ContractExt;
use pullback::laws::repeated;

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, V, breaks, each, ints, scale, toy};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_for_repeat((x, u) in points::<(V, V), V>()) {
        repeated::<Q, _, _, V, V>(&scale(), 3, &scale::<Q>().repeat::<3>(), &x, &u)?;
        repeated::<Q, _, _, V, V>(&scale(), 1, &scale(), &x, &u)?;
        repeated::<Q, _, _, V, V>(&scale(), 0, &scale::<Q>().repeat::<0>(), &x, &u)?;
    }
}

/// `p²·x`, whose parameter gets the contribution of the last step alone.
#[test]
fn rejects_the_last_step_alone() {
    let wrong = toy::<Q, (V, V), V>(
        |px| each(&px[..3], &each(&px[..3], &px[3..], |p, x| p * x), |p, x| p * x),
        |px, u| {
            let (p, x) = px.split_at(3);
            let last = each(&each(p, x, |p, x| p * x), u, |x, u| x * u);
            [last, each(&each(p, p, |p, q| p * q), u, |p, u| p * u)].concat()
        },
    );
    let (x, u) = (ints(&[1, 2, 3, 4, 5, 6]), ints(&[1, -1, 2]));
    breaks("repeated", repeated::<Q, _, _, V, V>(&scale(), 2, &wrong, &x, &u));
}

#[test]
fn rejects_one_step_too_few() {
    let (x, u) = (ints(&[1, 2, 3, 4, 5, 6]), ints(&[1, -1, 2]));
    breaks("repeated", repeated::<Q, _, _, V, V>(&scale(), 3, &scale::<Q>().repeat::<2>(), &x, &u));
}
