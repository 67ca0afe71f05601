//! Literals: each is the nearest number of the scalar, in generated code, in executables and in the evaluator.
//!
//! What is expected is what the language reads of the same decimal.

use pullback::program::{Numerics, Program};
use pullback::{Contract, Dual, N, Rational, Symbolic, Tensor, contract};

type V<T> = Tensor<(N<1>,), T>;

macro_rules! literals {
    ($($name:ident $literal:literal $kind:ident;)*) => {
        $(contract! { contract $name version 1 dims n input x[n] output y[i] = x[i] * $literal })*

        $(literals! { @test $kind $name $literal })*
    };
    (@test both $name:ident $literal:literal) => {
        mod $name {
            use super::*;

            #[test]
            fn is_the_nearest_number() {
                let decimal = stringify!($literal);
                literals! { @ways f32, $name, decimal }
                literals! { @ways f64, $name, decimal }
                literals! { @exact $name, decimal }
            }
        }
    };
    // No single: it would be zero or infinite.
    (@test double $name:ident $literal:literal) => {
        mod $name {
            use super::*;

            #[test]
            fn is_the_nearest_number() {
                let decimal = stringify!($literal);
                literals! { @ways f64, $name, decimal }
                literals! { @exact $name, decimal }
            }
        }
    };
    (@ways $float:ident, $name:ident, $decimal:ident) => {{
        let expected: $float = $decimal.parse().unwrap();
        let of = super::$name::<N<1>, $float>();
        let x = V::<$float>::full(1.0);
        let generated = of.forward(x.clone()).unwrap().0;
        let program = Program::<V<$float>, V<$float>>::trace(|v| of.of(v)).unwrap();
        let evaluated = program.evaluate(x.clone()).unwrap();
        let planned = program.compile::<$float>(Numerics::default()).unwrap().evaluate(&x).unwrap();
        for (way, found) in [("generated", generated), ("evaluated", evaluated), ("planned", planned)] {
            assert_eq!(found.as_slice()[0].to_bits(), expected.to_bits(), "{way} {}", stringify!($float));
        }
        let moving = super::$name::<N<1>, Dual<$float>>().forward(V::full(Dual::variable(1.0))).unwrap().0;
        assert_eq!(moving.as_slice()[0], Dual::new(expected, expected));
    }};
    (@exact $name:ident, $decimal:ident) => {{
        let number = pullback_kernel::syntax::Number::new($decimal).unwrap();
        let found = super::$name::<N<1>, Rational>().forward(V::full(pullback::Scalar::one())).unwrap().0;
        assert_eq!(found.as_slice()[0], *number.value());
    }};
}

literals! {
    pi 3.141592653589793238462643383279502884197169 both;
    least_normal_single 1.17549435e-38 both;
    almost_a_hundredth 1.000000000000000000000000000000000000001e-2 both;
    elementary_charge_squared 1.602176634e-30 both;
    eighteen_digits 0.123456789123456789 both;
    least_single 1e-45 both;
    // Half a unit and a little, which a double can't tell from half: to the other side than through it.
    between_singles 1.00000005960464477539062500001 both;
    odd_integer 16777219 both;
    great_integer 9007199254740993 both;
    greatest_single 3.4028235e38 both;
    no_single 1.234567890123456789012345678901234567890e-300 double;
    least_normal 2.2250738585072014e-308 double;
    not_normal 1.7e-309 double;
    least 5e-324 double;
    greatest 1.7976931348623157e308 double;
}
