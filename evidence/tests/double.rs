//! Numbers of twice the precision against numbers of 256 places, which have elementary functions of their own.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../kernel/tests/support/mod.rs"]
mod support;

use num_traits::ToPrimitive;
use pullback_evidence::double::Double;
use pullback_kernel::Rational;
use pullback_kernel::eval::Number;
use pullback_kernel::statement::Function;
use support::{Fixed, Random};

const FUNCTIONS: [Function; 13] = [
    Function::Exp,
    Function::Tanh,
    Function::Recip,
    Function::Sqrt,
    Function::Rsqrt,
    Function::Log,
    Function::Sin,
    Function::Cos,
    Function::Erf,
    Function::Erfc,
    Function::Atan,
    Function::Log1p,
    Function::Expm1,
];

/// How far apart two numbers are, over the larger of the second and `least`.
fn apart(found: Double, expected: &Fixed, least: f64) -> f64 {
    let float = |x: f64| Fixed::rational(&Rational::from_float(x).unwrap());
    let difference = float(found.high).add(&float(found.low)).add(&expected.neg());
    difference.to_f64().abs() / expected.to_f64().abs().max(least)
}

#[test]
fn functions_have_twenty_nine_digits() {
    let mut random = Random(1);
    for k in 0..4000 {
        let f = FUNCTIONS[k % FUNCTIONS.len()];
        let positive = matches!(f, Function::Sqrt | Function::Rsqrt | Function::Log | Function::Log1p);
        let bits = random.below(1 << 30) as i64 - if positive { -1 } else { 1 << 29 };
        // From a millionth to about a hundred.
        let q = Rational::new((bits | 1).into(), [3_i64 << 23, 7 << 29, 5 << 40][random.below(3)].into());
        let (found, expected) = (Double::rational(&q).call(f).unwrap(), Fixed::rational(&q).call(f).unwrap());
        // A sine or a logarithm near its zero has an absolute error.
        let least =
            if matches!(f, Function::Sin | Function::Cos | Function::Log | Function::Erfc) { 1.0 } else { 1e-40 };
        let apart = apart(found, &expected, least);
        assert!(apart < 1e-29, "{f:?} of {q}, about {:?}: {apart:e}", q.to_f64());
    }
}

#[test]
fn sums_and_products_have_thirty_digits() {
    let mut random = Random(2);
    let mut draw = || Rational::new((random.below(1 << 40) as i64 - (1 << 39)).into(), (3_i64 << 37).into());
    for _ in 0..4000 {
        let (a, b) = (draw(), draw());
        let (x, y) = (Double::rational(&a), Double::rational(&b));
        let fixed = |q: &Rational| Fixed::rational(q);
        assert!(apart(x.plus(y), &fixed(&(&a + &b)), 1e-2) < 1e-29);
        assert!(apart(x.times(y), &fixed(&(&a * &b)), 1e-40) < 1e-30);
        assert!(b == Rational::new(0.into(), 1.into()) || apart(x.over(y), &fixed(&(&a / &b)), 1e-40) < 1e-30);
    }
    // What a double can't hold.
    assert_eq!(Double::new(1e16).plus(Double::ONE).plus(Double::new(-1e16)), Double::ONE);
}
