//! ```text
//!           ┌── x            u ─┐
//!        x ─●                   + ──
//!           └── x            w ─┘
//! ```

use proptest::prelude::*;
use pullback::duplicate;
use pullback::laws::sharing_adds;

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, S, V, breaks, ints, toy};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_for_duplicate((x, u) in points::<V, (V, V)>()) {
        sharing_adds::<Q, _>(&duplicate(), &x, &u)?;
    }

    #[test]
    fn holds_for_a_pair((x, u) in points::<(V, S), ((V, S), (V, S))>()) {
        sharing_adds::<Q, _>(&duplicate(), &x, &u)?;
    }
}

#[test]
fn rejects_one_contribution() {
    let wrong = toy::<Q, V, (V, V)>(|x| [x, x].concat(), |_, u| u[3..].to_vec());
    breaks("sharing_adds", sharing_adds::<Q, _>(&wrong, &ints(&[1, 2, 3]), &ints(&[1, 1, 1, 2, 2, 2])));
}

#[test]
fn rejects_what_is_no_copy() {
    let wrong =
        toy::<Q, V, (V, V)>(|x| [x, &[x[2].clone(), x[1].clone(), x[0].clone()]].concat(), |_, u| u[..3].to_vec());
    breaks("sharing_adds", sharing_adds::<Q, _>(&wrong, &ints(&[1, 2, 3]), &ints(&[1, 1, 1, 2, 2, 2])));
}
