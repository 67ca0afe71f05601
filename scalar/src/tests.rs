//! One law text for every scalar.

use proptest::prelude::*;

use crate::*;

fn powers<T: Scalar>(base: T) {
    let mut product = T::one();
    for exponent in 0..9 {
        assert_eq!(base.clone().powi(exponent), product);
        assert_eq!(base.clone().powi(-exponent), product.clone().recip());
        product = product * base.clone();
    }
}

#[test]
fn integer_powers_are_products() {
    // Powers of two are exact in every scalar.
    powers(2.0_f32);
    powers(-0.5_f64);
    powers(Rational::from_ratio(-2, 3));
    powers(Dual::constant(Rational::from_ratio(3, 2)));
}

#[test]
fn halves_round_to_the_even_neighbour() {
    for (numerator, expected) in [(1, 0), (3, 2), (5, 2), (7, 4), (-1, 0), (-3, -2), (-5, -2)] {
        let (ratio, expected) = (Rational::from_ratio(numerator, 2), Rational::from_ratio(expected, 1));
        assert_eq!(Scalar::round(ratio), expected, "{numerator}/2");
        assert_eq!(Scalar::round(f64::from_ratio(numerator, 2)), f64::from_ratio(numerator, 2).round_ties_even());
    }
    assert_eq!(Scalar::round(Rational::from_ratio(-7, 3)), Rational::from_ratio(-2, 1));
}

#[test]
fn a_floor_is_not_above() {
    for (numerator, expected) in [(1, 0), (6, 2), (7, 2), (-1, -1), (-6, -2), (-7, -3), (0, 0)] {
        let (ratio, expected) = (Rational::from_ratio(numerator, 3), Rational::from_ratio(expected, 1));
        assert_eq!(Scalar::floor(ratio), expected, "{numerator}/3");
        assert_eq!(Scalar::floor(Dual::new(f64::from_ratio(numerator, 3), 5.0)).tangent, 0.0);
        assert_eq!(Scalar::floor(f64::from_ratio(numerator, 3)), f64::from_ratio(numerator, 3).floor());
    }
}

#[test]
fn a_nan_is_not_positive_and_comes_out_of_a_maximum() {
    assert!(!Scalar::is_positive(&f64::NAN));
    assert!(Scalar::maximum(f64::NAN, 1.0).is_nan());
    assert!(Scalar::maximum(1.0, f64::NAN).is_nan());
    assert_eq!(Scalar::maximum(f32::NEG_INFINITY, 1.0), 1.0);
    assert_eq!(Scalar::maximum(Dual::new(2.0, 5.0), Dual::new(1.0, 7.0)), Dual::new(2.0, 5.0));
    assert_eq!(Scalar::maximum(Dual::new(1.0, 5.0), Dual::new(2.0, 7.0)), Dual::new(2.0, 7.0));
}

/// The difference quotient of a function, to compare a tangent with.
fn slope(function: impl Fn(f64) -> f64, at: f64) -> f64 {
    let step = 1e-5;
    (function(at + step) - function(at - step)) / (2.0 * step)
}

proptest! {
    #[test]
    fn tangents_are_derivatives(at in 0.2..3.0_f64) {
        macro_rules! check {
            ($($function:ident)*) => {$(
                let dual = Real::$function(Dual::variable(at));
                prop_assert!((dual.value - Real::$function(at)).abs() < 1e-12);
                let expected = slope(Real::$function, at);
                prop_assert!((dual.tangent - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{}", stringify!($function));
            )*};
        }
        check!(exp tanh sqrt rsqrt log sin cos erf erfc atan log1p expm1);
        let quotient = Dual::variable(at).recip() / (Dual::variable(at) - Dual::constant(5.0));
        let expected = slope(|x| 1.0 / x / (x - 5.0), at);
        prop_assert!((quotient.tangent - expected).abs() < 1e-6 * (1.0 + expected.abs()));
    }

    #[test]
    fn dual_rationals_obey_the_product_and_quotient_rules(a in -9..9i64, b in 1..9i64, da in -9..9i64, db in -9..9i64) {
        let int = |n| Rational::from_ratio(n, 1);
        let (x, y) = (Dual::new(int(a), int(da)), Dual::new(int(b), int(db)));
        prop_assert_eq!((x.clone() * y.clone()).tangent, int(a * db + da * b));
        prop_assert_eq!((x / y).tangent, Rational::from_ratio(da * b - a * db, b * b));
    }
}
