//! The same numbers at several scalars.

use proptest::prelude::*;
use pullback::Scalar;
use pullback::laws::{Domain, Draw, TypedDraw};

use crate::toys::{Q, V};

/// A point, exactly and rounded.
pub(crate) struct Both<T: Scalar> {
    pub(crate) exact: V<Q>,
    pub(crate) rounded: V<T>,
}

pub(crate) fn both<T: Scalar>() -> impl Strategy<Value = Both<T>> {
    any::<u64>().prop_map(|seed| Both {
        exact: Draw::new(seed).point::<Q, _>(Domain::NonZero),
        rounded: Draw::new(seed).point::<T, _>(Domain::NonZero),
    })
}

impl<T: Scalar> std::fmt::Debug for Both<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?}", self.rounded)
    }
}
