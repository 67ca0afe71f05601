//! Points of any space.

use proptest::prelude::*;
use pullback::{Over, Scalar, Space};

use crate::toys::at;

/// A point with coordinates between −4 and 4.
pub(crate) fn point<T: Scalar, A: Over<T>>() -> impl Strategy<Value = A> {
    numbers::<T>(<A as Space>::DIMENSION).prop_map(at)
}

/// A list of numbers between −4 and 4.
pub(crate) fn numbers<T: Scalar>(length: usize) -> impl Strategy<Value = Vec<T>> {
    let ratio = (-12..=12_i64, 3..=7_i64).prop_map(|(numerator, denominator)| T::from_ratio(numerator, denominator));
    prop::collection::vec(ratio, length)
}

/// Few cases each, for the laws are many.
pub(crate) fn few() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) }
}
