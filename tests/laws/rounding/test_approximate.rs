//! Equality: exact by default, to half of the digits for floats.

use proptest::prelude::*;
use pullback::Scalar;
use pullback::laws::Approximate;

use crate::toys::Q;

proptest! {
    #[test]
    fn agreement_is_reflexive_and_symmetric(x in -1e3..1e3_f64, y in -1e3..1e3_f64, scale in 0.0..1e6_f64) {
        prop_assert!(x.agrees(&x, &scale));
        prop_assert_eq!(x.agrees(&y, &scale), y.agrees(&x, &scale));
        prop_assert_eq!((x as f32).agrees(&(y as f32), &1.0), (y as f32).agrees(&(x as f32), &1.0));
    }

    #[test]
    fn rationals_agree_when_they_are_equal(n in -99..99_i64, m in -99..99_i64, d in 1..99_i64) {
        let scale = Q::from_ratio(1_000_000, 1);
        prop_assert_eq!(Q::from_ratio(n, d).agrees(&Q::from_ratio(m, d), &scale), n == m);
    }

    #[test]
    fn a_wrong_first_half_of_the_digits_is_found(x in 1.0..2.0_f64) {
        prop_assert!(x.agrees(&(x * (1.0 + 1e-9)), &x));
        prop_assert!(!x.agrees(&(x * (1.0 + 1e-7)), &x));
        prop_assert!((x as f32).agrees(&(x as f32 * (1.0 + 1e-5)), &(x as f32)));
        prop_assert!(!(x as f32).agrees(&(x as f32 * (1.0 + 1e-3)), &(x as f32)));
    }
}

#[test]
fn nothing_agrees_with_what_is_not_finite() {
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(!odd.agrees(&odd, &1.0) && !odd.agrees(&1.0, &odd) && !1.0.agrees(&odd, &f64::INFINITY));
        assert!(!1.0.agrees(&1.0, &f64::NAN) || f64::NAN.max(1.0) == 1.0);
    }
}
