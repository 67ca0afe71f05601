//! A point, a cotangent that is not uniform, and a direction.

use proptest::prelude::*;
use pullback::{Over, Scalar};

use crate::strategy::point;

pub(crate) fn points<T: Scalar, A: Over<T>, B: Over<T>>() -> impl Strategy<Value = (A, B, A)> {
    let seed = point::<T, B>().prop_map(|u| {
        let mut size = 0;
        // No two coordinates are alike: a wrong transpose can agree under a uniform cotangent.
        u.map_coordinates(&mut |u| {
            size += 10;
            u + T::from_usize(size)
        })
    });
    (point::<T, A>(), seed, point::<T, A>())
}
