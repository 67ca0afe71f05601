//! ```text
//!        x ──●            0 ──
//! ```

use proptest::prelude::*;
use pullback::laws::discarding_is_zero;
use pullback::{ContractExt, discard};

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, V, breaks, ints, square, toy};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_for_discard((x, _) in points::<(V, V), ()>()) {
        discarding_is_zero::<Q, _>(&discard(), &x)?;
    }

    #[test]
    fn holds_after_a_contract((x, _) in points::<V, ()>()) {
        discarding_is_zero::<Q, _>(&square::<Q>().then(discard()), &x)?;
    }
}

#[test]
fn rejects_a_cotangent_from_nothing() {
    let wrong = toy::<Q, V, ()>(|_| vec![], |x, _| x.to_vec());
    let violation = breaks("discarding_is_zero", discarding_is_zero::<Q, _>(&wrong, &ints(&[0, 2, 3])));
    assert_eq!(violation.index(), Some(1));
}
