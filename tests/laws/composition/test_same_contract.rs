//! ```text
//!        ── f ──   =   ── g ──
//! ```

use proptest::prelude::*;
use pullback::ContractExt;
use pullback::laws::same_contract;

use super::strategy::composable;
use crate::strategy::few;
use crate::toys::{Q, V, affine, breaks, ints, square, toy};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn nesting_does_not_matter(([f, g, h], x, u) in composable::<3>()) {
        let left = f.clone().then(g.clone()).then(h.clone());
        same_contract::<Q, _, _>(&left, &f.then(g.then(h)), &x, &u)?;
    }

    #[test]
    fn a_pointer_to_a_contract_is_the_contract(([f], x, u) in composable::<1>()) {
        same_contract::<Q, _, _>(&f, &&f, &x, &u)?;
        same_contract::<Q, _, _>(&f, &Box::new(f.clone()), &x, &u)?;
        same_contract::<Q, _, _>(&f, &f.clone().erase(), &x, &u)?;
    }
}

#[test]
fn rejects_another_value() {
    let (x, u) = (ints(&[1, 2, 3]), ints(&[1, 1, 1]));
    breaks("same_contract", same_contract::<Q, _, _>(&square(), &affine(), &x, &u));
}

/// Equal functions with unequal rules are not equal contracts.
#[test]
fn rejects_another_rule() {
    let other = toy::<Q, V, V>(|x| x.iter().map(|x| x.clone() * x.clone()).collect(), |_, u| u.to_vec());
    let (x, u) = (ints(&[1, 2, 3]), ints(&[1, 1, 1]));
    breaks("same_contract", same_contract::<Q, _, _>(&square(), &other, &x, &u));
}
