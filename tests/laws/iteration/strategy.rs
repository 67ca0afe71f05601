//! A point and a cotangent.

use proptest::prelude::*;
use pullback::Over;

use crate::strategy::point;
use crate::toys::Q;

pub(crate) fn points<A: Over<Q>, B: Over<Q>>() -> impl Strategy<Value = (A, B)> {
    (point::<Q, _>(), point::<Q, _>())
}
