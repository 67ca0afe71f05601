//! Scalars: the numbers that a tensor holds.
//!
//! [`Scalar`] is a field with exact rationals in it; [`Real`] adds the transcendental functions.
//! The split is the point: a contract with an exponential asks for [`Real`], so it does not compile for exact rationals, instead of rounding them silently.
//!
//! | scalar | traits | exact |
//! | --- | --- | --- |
//! | `f32`, `f64` | `Scalar`, `Real` | no |
//! | [`Rational`] | `Scalar` | yes |
//! | [`Dual<T>`] | those of `T` | as `T` |
//!
//! Beside them stands what everything that measures numbers starts from: one stream of random bits ([`SplitMix64`]) and one way to extrapolate differences ([`extrapolation`]).
//!
//! This module must never decide an accumulation order behind a caller's back: every function of a scalar is one operation on one or two numbers, but for the matrix product, whose order belongs to the kernel that it calls.

mod dual;
pub mod extrapolation;
mod float;
mod gemm;
mod random;
mod rational;

#[cfg(test)]
mod tests;

use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Sub};

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use num_traits::ToPrimitive;

pub use dual::Dual;
pub use random::SplitMix64;
pub use rational::Rational;

/// How many digits a scalar keeps, and how large and small it can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// As `f32` has them.
    Single,
    /// As `f64` has them.
    Double,
    /// As many as it takes, or unknown.
    Other,
}

/// A number that tensors are made of.
///
/// Operations take their operands by value; `clone` is free for floats and a copy for rationals.
///
/// # Example
///
/// ```
/// use pullback_scalar::{Rational, Scalar};
///
/// fn third<T: Scalar>() -> T {
///     T::one() / T::from_usize(3)
/// }
/// assert_eq!(third::<f64>(), 1.0 / 3.0);
/// assert_eq!(third::<Rational>(), Rational::from_ratio(1, 3));
/// ```
pub trait Scalar:
    Clone
    + PartialEq
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Whose digits it has: what a literal is checked against, so that none becomes zero or infinite unsaid.
    const PRECISION: Precision = Precision::Other;

    /// The neutral element of addition.
    fn zero() -> Self;

    /// The neutral element of multiplication.
    fn one() -> Self;

    /// The rational `numerator / denominator`, rounded once where the scalar is not exact.
    ///
    /// The denominator is a literal's, so it is not zero; a zero one gives what the scalar's division by zero gives.
    fn from_ratio(numerator: i64, denominator: i64) -> Self;

    /// A number that a statement writes, of which the nearest floats are known: `single`, `double`, and what it is exactly.
    ///
    /// Floats take theirs. Other scalars make theirs of the exact number, by default by arithmetic on integers that fit a machine.
    #[inline]
    fn literal(single: f32, double: f64, exact: impl FnOnce() -> BigRational) -> Self {
        let _ = (single, double);
        of_digits(&exact())
    }

    /// A natural number, such as the size of a dimension.
    fn from_usize(value: usize) -> Self;

    /// One divided by the number.
    #[inline]
    #[must_use]
    fn recip(self) -> Self {
        Self::one() / self
    }

    /// Whether the number is zero.
    fn is_zero(&self) -> bool;

    /// Whether the number is strictly greater than zero; false for a NaN.
    fn is_positive(&self) -> bool;

    /// The greater of two numbers; a NaN if one of them is.
    #[must_use]
    fn maximum(self, other: Self) -> Self;

    /// The nearest integer, halves to the even one.
    #[must_use]
    fn round(self) -> Self;

    /// The greatest integer that is not above the number.
    #[must_use]
    fn floor(self) -> Self;

    /// Adds `term` to the number.
    fn accumulate(&mut self, term: Self);

    /// An integer power, by repeated squaring; a negative exponent is the reciprocal of the power.
    #[inline]
    #[must_use]
    fn powi(self, exponent: i32) -> Self {
        let mut left = exponent.unsigned_abs();
        let mut square = self;
        let mut power = Self::one();
        while left > 0 {
            if left & 1 == 1 {
                power = power * square.clone();
            }
            left >>= 1;
            if left > 0 {
                square = square.clone() * square;
            }
        }
        if exponent < 0 { power.recip() } else { power }
    }

    /// The matrix product: `dst[i, j] = sum(l) lhs[i, l] * rhs[l, j]`, for `i < m`, `l < k`, `j < n`.
    ///
    /// An operand is a slice, the offset of its first element, and the distance in elements from one row, and from one column, to the next.
    /// What `dst` held is not read, and its elements outside of the view are left alone.
    /// Floats call a blocked kernel for all but small products; other scalars run three loops.
    ///
    /// # Panics
    ///
    /// Where a view reaches outside of its slice, which is a fault of the caller's index arithmetic and not of any data.
    #[expect(clippy::too_many_arguments, reason = "three strided matrices are what a product is about")]
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
        gemm::plain(
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

/// A rational in a scalar of which nothing is known but its arithmetic.
fn of_digits<T: Scalar>(exact: &BigRational) -> T {
    if let (Some(n), Some(d)) = (exact.numer().to_i64(), exact.denom().to_i64()) {
        return T::from_ratio(n, d);
    }
    let piece = |n: i64| T::from_ratio(n, 1);
    let whole = |value: &BigInt| {
        let (sign, digits) = value.to_u32_digits();
        let size = digits.iter().rev().fold(T::zero(), |high, d| high * piece(1 << 32) + piece(i64::from(*d)));
        if sign == Sign::Minus { -size } else { size }
    };
    whole(exact.numer()) / whole(exact.denom())
}

/// A scalar with the transcendental functions of the statement language.
#[diagnostic::on_unimplemented(
    message = "E0113: `{Self}` has no transcendental functions",
    label = "`{Self}` is not a `Real`",
    note = "`exp`, `tanh`, `sqrt` and their kind need f32, f64 or dual numbers over them; exact rationals would have to be rounded"
)]
pub trait Real: Scalar {
    /// The exponential.
    #[must_use]
    fn exp(self) -> Self;
    /// The hyperbolic tangent.
    #[must_use]
    fn tanh(self) -> Self;
    /// The square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// The reciprocal of the square root.
    #[inline]
    #[must_use]
    fn rsqrt(self) -> Self {
        self.sqrt().recip()
    }
    /// The natural logarithm.
    #[must_use]
    fn log(self) -> Self;
    /// The sine of an angle in radians.
    #[must_use]
    fn sin(self) -> Self;
    /// The cosine of an angle in radians.
    #[must_use]
    fn cos(self) -> Self;
    /// The error function, the integral of 2 exp(-t²)/√π from zero to the number.
    #[must_use]
    fn erf(self) -> Self;
    /// One less the error function, with all digits where that is small.
    #[must_use]
    fn erfc(self) -> Self;
    /// The angle whose tangent the number is, in radians between -π/2 and π/2.
    #[must_use]
    fn atan(self) -> Self;
    /// The logarithm of one more than the number, with all digits near zero.
    #[must_use]
    fn log1p(self) -> Self;
    /// The exponential less one, with all digits near zero.
    #[must_use]
    fn expm1(self) -> Self;
}
