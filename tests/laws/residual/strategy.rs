//! Two points with a cotangent for each.

use proptest::prelude::*;
use pullback::Over;

use crate::strategy::point;
use crate::toys::Q;

pub(crate) fn points<A: Over<Q>, B: Over<Q>>() -> impl Strategy<Value = ((A, B), (A, B))> {
    ((point::<Q, _>(), point::<Q, _>()), (point::<Q, _>(), point::<Q, _>()))
}
