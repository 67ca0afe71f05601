//! Contracts that fit together, with a point and a cotangent for their composite.

use proptest::prelude::*;
use pullback::contract::combinators::Erased;
use pullback::{ContractExt, Declared, Unproved};

use crate::strategy::point;
use crate::toys::{Q, V, affine, running, square};

/// A contract from three numbers to three.
pub(crate) type Any = Erased<V, V, Declared<Unproved>>;

pub(crate) fn contract() -> impl Strategy<Value = Any> {
    prop_oneof![
        Just(()).prop_map(|()| square::<Q>().erase()),
        Just(()).prop_map(|()| affine::<Q>().erase()),
        Just(()).prop_map(|()| running::<Q>().erase()),
    ]
}

pub(crate) fn composable<const LENGTH: usize>() -> impl Strategy<Value = ([Any; LENGTH], V, V)> {
    let contracts = prop::collection::vec(contract(), LENGTH).prop_map(|list| <[Any; LENGTH]>::try_from(list).unwrap());
    (contracts, point::<Q, V>(), point::<Q, V>())
}
