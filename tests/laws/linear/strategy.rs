//! A point and two cotangents of a contract from three numbers to three.

use proptest::prelude::*;
use pullback::Scalar;

use crate::strategy::point;
use crate::toys::V;

pub(crate) fn points<T: Scalar>() -> impl Strategy<Value = (V<T>, V<T>, V<T>)> {
    (point::<T, _>(), point::<T, _>(), point::<T, _>())
}
