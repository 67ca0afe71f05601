//! Floats, of both sizes.

use num_rational::BigRational;

use crate::gemm;
use crate::{Precision, Real, Scalar};

/// A quotient of two integers, not both small, as so many binary digits times a power of two: rounded, halves to even.
///
/// None where it is zero or divided by zero. No quotient of two such integers is near the ends of a float's range.
#[cold]
fn ratio(numerator: i64, denominator: i64, digits: u32) -> Option<(i64, i32)> {
    let (n, d) = (u128::from(numerator.unsigned_abs()), u128::from(denominator.unsigned_abs()));
    if n == 0 || d == 0 {
        return None;
    }
    // At least two digits more than are kept; what is past them is known to be zero or not.
    let shift = (digits + 2 + d.ilog2()).saturating_sub(n.ilog2());
    let (quotient, rest) = ((n << shift) / d, (n << shift) % d);
    let dropped = quotient.ilog2() + 1 - digits;
    let (kept, half) = (quotient >> dropped, 1 << (dropped - 1));
    let low = quotient & ((1 << dropped) - 1);
    let up = low > half || low == half && (rest > 0 || kept % 2 == 1);
    let units = (kept + u128::from(up)) as i64;
    Some((if (numerator < 0) == (denominator < 0) { units } else { -units }, dropped as i32 - shift as i32))
}

macro_rules! float {
    ($($float:ident $own:tt $erf:ident $erfc:ident;)*) => {$(
        impl Scalar for $float {
            const PRECISION: Precision = [Precision::Single, Precision::Double][$own];

            #[inline]
            fn zero() -> Self {
                0.0
            }
            #[inline]
            fn one() -> Self {
                1.0
            }
            #[inline]
            fn from_ratio(numerator: i64, denominator: i64) -> Self {
                // A quotient of two floats that are exact is rounded once.
                const EXACT: u64 = 1 << $float::MANTISSA_DIGITS;
                if numerator.unsigned_abs() <= EXACT && denominator.unsigned_abs() <= EXACT {
                    return numerator as $float / denominator as $float;
                }
                match ratio(numerator, denominator, $float::MANTISSA_DIGITS) {
                    None => numerator as $float / denominator as $float,
                    // Powers of two, which change no digit.
                    Some((units, power)) if power < 0 => units as $float / (1_u128 << -power) as $float,
                    Some((units, power)) => units as $float * (1_u128 << power) as $float,
                }
            }
            #[inline]
            fn literal(single: f32, double: f64, _: impl FnOnce() -> BigRational) -> Self {
                (single, double).$own
            }
            #[inline]
            fn from_usize(value: usize) -> Self {
                value as $float
            }
            #[inline]
            fn is_zero(&self) -> bool {
                *self == 0.0
            }
            #[inline]
            fn is_positive(&self) -> bool {
                *self > 0.0
            }
            #[inline]
            fn maximum(self, other: Self) -> Self {
                // The second comparison is true for a NaN alone, so a NaN on either side comes out.
                if self > other || self.is_nan() { self } else { other }
            }
            #[inline]
            fn round(self) -> Self {
                self.round_ties_even()
            }
            #[inline]
            fn floor(self) -> Self {
                $float::floor(self)
            }
            #[inline]
            fn accumulate(&mut self, term: Self) {
                *self += term;
            }
            #[inline]
            fn gemm(
                m: usize,
                k: usize,
                n: usize,
                dst: &mut [Self],
                dst_offset: usize,
                dst_row_stride: usize,
                dst_col_stride: usize,
                lhs: &[Self],
                lhs_offset: usize,
                lhs_row_stride: usize,
                lhs_col_stride: usize,
                rhs: &[Self],
                rhs_offset: usize,
                rhs_row_stride: usize,
                rhs_col_stride: usize,
            ) {
                gemm::$float(
                    gemm::Extent { m, k, n },
                    dst,
                    gemm::View { offset: dst_offset, row_stride: dst_row_stride, col_stride: dst_col_stride },
                    lhs,
                    gemm::View { offset: lhs_offset, row_stride: lhs_row_stride, col_stride: lhs_col_stride },
                    rhs,
                    gemm::View { offset: rhs_offset, row_stride: rhs_row_stride, col_stride: rhs_col_stride },
                );
            }
        }

        #[diagnostic::do_not_recommend]
        impl Real for $float {
            #[inline]
            fn exp(self) -> Self {
                $float::exp(self)
            }
            #[inline]
            fn tanh(self) -> Self {
                $float::tanh(self)
            }
            #[inline]
            fn sqrt(self) -> Self {
                $float::sqrt(self)
            }
            #[inline]
            fn log(self) -> Self {
                $float::ln(self)
            }
            #[inline]
            fn sin(self) -> Self {
                $float::sin(self)
            }
            #[inline]
            fn cos(self) -> Self {
                $float::cos(self)
            }
            // The platform has no error function in Rust; libm's is musl's, whose source states less than one unit in the last place.
            #[inline]
            fn erf(self) -> Self {
                libm::$erf(self)
            }
            #[inline]
            fn erfc(self) -> Self {
                libm::$erfc(self)
            }
            #[inline]
            fn atan(self) -> Self {
                $float::atan(self)
            }
            #[inline]
            fn log1p(self) -> Self {
                $float::ln_1p(self)
            }
            #[inline]
            fn expm1(self) -> Self {
                $float::exp_m1(self)
            }
        }
    )*};
}

float! { f32 0 erff erfcf; f64 1 erf erfc; }
