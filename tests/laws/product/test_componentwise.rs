//! ```text
//!        x ── f ──
//!        y ── g ──
//! ```

use proptest::prelude::*;
use pullback::laws::componentwise;
use pullback::{ContractExt, swap};

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, S, V, affine, breaks, ints, scale, square, total};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_for_par((x, u) in points::<(V, V), (V, S)>()) {
        let (f, g) = (square::<Q>(), total::<Q>());
        componentwise::<Q, _, _, _>(&f, &g, &f.par(g), &x, &u)?;
    }

    #[test]
    fn holds_for_pairs((x, u) in points::<((V, V), V), (V, V)>()) {
        let (f, g) = (scale::<Q>(), square::<Q>());
        componentwise::<Q, _, _, _>(&f, &g, &f.par(g), &x, &u)?;
    }
}

/// The cotangents went to the wrong sides.
#[test]
fn rejects_crossed_components() {
    let (f, g) = (square::<Q>(), affine::<Q>());
    let crossed = swap::<V, V>().then(f.par(g)).then(swap());
    let (x, u) = (ints(&[1, 2, 3, 4, 5, 6]), ints(&[1, 1, 1, 2, 2, 2]));
    breaks("componentwise", componentwise::<Q, _, _, _>(&f, &g, &crossed, &x, &u));
}
