//! Exact rationals.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::Scalar;

/// A rational number of any size: laws of rational contracts hold for it to the last digit.
pub type Rational = BigRational;

impl Scalar for BigRational {
    fn zero() -> Self {
        Zero::zero()
    }
    fn one() -> Self {
        One::one()
    }
    fn from_ratio(numerator: i64, denominator: i64) -> Self {
        BigRational::new(BigInt::from(numerator), BigInt::from(denominator))
    }
    fn from_usize(value: usize) -> Self {
        BigRational::from_integer(BigInt::from(value))
    }
    fn is_zero(&self) -> bool {
        Zero::is_zero(self)
    }
    fn is_positive(&self) -> bool {
        Signed::is_positive(self)
    }
    fn maximum(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    fn round(self) -> Self {
        let floor = self.floor();
        let up = floor.clone() + <Self as Scalar>::one();
        let twice = (self - floor.clone()) * <Self as Scalar>::from_usize(2);
        match twice.cmp(&<Self as Scalar>::one()) {
            core::cmp::Ordering::Less => floor,
            core::cmp::Ordering::Greater => up,
            core::cmp::Ordering::Equal if (floor.to_integer() % 2u32).is_zero() => floor,
            core::cmp::Ordering::Equal => up,
        }
    }
    fn accumulate(&mut self, term: Self) {
        *self += term;
    }
}
