//! Numbers for the tests.

use pullback::{Over, Rational, Scalar, Space};

pub(crate) type Q = Rational;

pub(crate) fn q(numerator: i64, denominator: i64) -> Q {
    Q::from_ratio(numerator, denominator)
}

/// A point with small rational coordinates, no two neighbours alike.
pub(crate) fn rational<A: Over<Q>>(seed: i64) -> A {
    A::from_coordinates(&mut (0..).map(|k: i64| q((k * 7 + seed * 5) % 13 - 6, 1 + (k + seed) % 4))).unwrap()
}

/// A point with coordinates between -1 and 1.
pub(crate) fn float<A: Over<f64>>(seed: u64) -> A {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    A::from_coordinates(&mut core::iter::repeat_with(&mut next)).unwrap()
}

/// The greatest difference of two coordinates, beside one.
pub(crate) fn distance<A: Over<f64>>(left: &A, right: &A) -> f64 {
    assert_eq!(left.coordinates().len(), right.coordinates().len());
    let pairs = left.coordinates().into_iter().zip(right.coordinates());
    pairs.map(|(l, r)| (l - r).abs() / l.abs().max(r.abs()).max(1.0)).fold(0.0, f64::max)
}

pub(crate) fn assert_close<A: Over<f64> + Space>(left: &A, right: &A) {
    assert!(distance(left, right) < 1e-12, "{left:?}\n{right:?}");
}
