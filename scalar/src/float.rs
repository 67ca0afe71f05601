//! Floats, of both sizes.

use crate::gemm;
use crate::{Real, Scalar};

macro_rules! float {
    ($($float:ident)*) => {$(
        impl Scalar for $float {
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
                numerator as $float / denominator as $float
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
        }
    )*};
}

float! { f32 f64 }
