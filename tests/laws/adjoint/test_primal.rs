//! ```text
//!        x + ε·v ── f ──₀──   =   x ── f ──
//! ```

use proptest::prelude::*;
use pullback::Dual;
use pullback::laws::primal;

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, V, affine, breaks, ints, running, square};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds((x, _, v) in points::<Q, V, V>()) {
        primal::<Q, _, _>(&square(), &square(), &x, &v)?;
        primal::<Q, _, _>(&running(), &running(), &x, &v)?;
    }
}

/// With the derivative of another function the adjoint law would be about nothing.
#[test]
fn rejects_another_function() {
    let (x, v) = (ints(&[1, 2, 3]), ints(&[1, 1, 1]));
    breaks("primal", primal::<Q, _, _>(&square(), &affine::<Dual<Q>>(), &x, &v));
}
