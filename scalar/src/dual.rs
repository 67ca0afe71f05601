//! Dual numbers: a value and its derivative in one direction.

use core::ops::{Add, Div, Mul, Neg, Sub};

use num_rational::BigRational;

use crate::{Precision, Real, Scalar};

/// `value + tangent·ε` with `ε² = 0`: evaluating a function on dual numbers gives its directional derivative.
///
/// Comparisons look at the value alone, so a branch takes the side that the value takes.
///
/// # Example
///
/// ```
/// use pullback_scalar::{Dual, Real, Scalar};
///
/// // The derivative of x² at 3.
/// assert_eq!(Dual::variable(3.0).powi(2), Dual::new(9.0, 6.0));
/// assert_eq!(Dual::variable(0.0_f64).exp(), Dual::new(1.0, 1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<T> {
    /// The number itself.
    pub value: T,
    /// Its derivative in the chosen direction.
    pub tangent: T,
}

impl<T> Dual<T> {
    /// A number with its derivative.
    #[inline]
    pub const fn new(value: T, tangent: T) -> Self {
        Dual { value, tangent }
    }
}

impl<T: Scalar> Dual<T> {
    /// A number that does not move: tangent zero.
    #[inline]
    pub fn constant(value: T) -> Self {
        Dual { value, tangent: T::zero() }
    }

    /// The number that one differentiates by: tangent one.
    #[inline]
    pub fn variable(value: T) -> Self {
        Dual { value, tangent: T::one() }
    }
}

impl<T: Scalar> Add for Dual<T> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Dual { value: self.value + other.value, tangent: self.tangent + other.tangent }
    }
}

impl<T: Scalar> Sub for Dual<T> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Dual { value: self.value - other.value, tangent: self.tangent - other.tangent }
    }
}

impl<T: Scalar> Mul for Dual<T> {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        Dual {
            value: self.value.clone() * other.value.clone(),
            tangent: self.tangent * other.value + self.value * other.tangent,
        }
    }
}

impl<T: Scalar> Div for Dual<T> {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value.clone();
        let tangent = (self.tangent - value.clone() * other.tangent) / other.value;
        Dual { value, tangent }
    }
}

impl<T: Scalar> Neg for Dual<T> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Dual { value: -self.value, tangent: -self.tangent }
    }
}

impl<T: Scalar> Scalar for Dual<T> {
    const PRECISION: Precision = T::PRECISION;

    #[inline]
    fn zero() -> Self {
        Dual::constant(T::zero())
    }
    #[inline]
    fn one() -> Self {
        Dual::constant(T::one())
    }
    #[inline]
    fn from_ratio(numerator: i64, denominator: i64) -> Self {
        Dual::constant(T::from_ratio(numerator, denominator))
    }
    #[inline]
    fn literal(single: f32, double: f64, exact: impl FnOnce() -> BigRational) -> Self {
        Dual::constant(T::literal(single, double, exact))
    }
    #[inline]
    fn from_usize(value: usize) -> Self {
        Dual::constant(T::from_usize(value))
    }
    #[inline]
    fn is_zero(&self) -> bool {
        self.value.is_zero()
    }
    #[inline]
    fn is_positive(&self) -> bool {
        self.value.is_positive()
    }
    #[inline]
    fn maximum(self, other: Self) -> Self {
        if (self.value.clone() - other.value.clone()).is_positive() {
            return self;
        }
        // Equal values, or one that is not comparable: the scalar's own maximum says which value comes out.
        let value = self.value.clone().maximum(other.value.clone());
        let tangent = if value == other.value { other.tangent } else { self.tangent };
        Dual { value, tangent }
    }
    #[inline]
    fn round(self) -> Self {
        // Rounding is flat wherever it has a derivative.
        Dual::constant(self.value.round())
    }
    #[inline]
    fn floor(self) -> Self {
        // As rounding.
        Dual::constant(self.value.floor())
    }
    #[inline]
    fn accumulate(&mut self, term: Self) {
        self.value.accumulate(term.value);
        self.tangent.accumulate(term.tangent);
    }
}

#[diagnostic::do_not_recommend]
impl<T: Real> Real for Dual<T> {
    #[inline]
    fn exp(self) -> Self {
        let value = self.value.exp();
        Dual { tangent: self.tangent * value.clone(), value }
    }
    #[inline]
    fn tanh(self) -> Self {
        let value = self.value.tanh();
        let slope = T::one() - value.clone() * value.clone();
        Dual { tangent: self.tangent * slope, value }
    }
    #[inline]
    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        let slope = (T::from_usize(2) * value.clone()).recip();
        Dual { tangent: self.tangent * slope, value }
    }
    #[inline]
    fn rsqrt(self) -> Self {
        let value = self.value.clone().rsqrt();
        let slope = -(value.clone() / (T::from_usize(2) * self.value));
        Dual { tangent: self.tangent * slope, value }
    }
    #[inline]
    fn log(self) -> Self {
        Dual { tangent: self.tangent / self.value.clone(), value: self.value.log() }
    }
    #[inline]
    fn sin(self) -> Self {
        Dual { tangent: self.tangent * self.value.clone().cos(), value: self.value.sin() }
    }
    #[inline]
    fn cos(self) -> Self {
        Dual { tangent: -(self.tangent * self.value.clone().sin()), value: self.value.cos() }
    }
    #[inline]
    fn erf(self) -> Self {
        Dual { tangent: self.tangent * gauss(self.value.clone()), value: self.value.erf() }
    }
    #[inline]
    fn erfc(self) -> Self {
        Dual { tangent: -(self.tangent * gauss(self.value.clone())), value: self.value.erfc() }
    }
    #[inline]
    fn atan(self) -> Self {
        let slope = (T::one() + self.value.clone() * self.value.clone()).recip();
        Dual { tangent: self.tangent * slope, value: self.value.atan() }
    }
    #[inline]
    fn log1p(self) -> Self {
        Dual { tangent: self.tangent / (T::one() + self.value.clone()), value: self.value.log1p() }
    }
    #[inline]
    fn expm1(self) -> Self {
        Dual { tangent: self.tangent * self.value.clone().exp(), value: self.value.expm1() }
    }
}

/// The slope of the error function: 2 exp(-x²)/√π, and π is 4 atan 1.
fn gauss<T: Real>(x: T) -> T {
    (-(x.clone() * x)).exp() * T::one().atan().rsqrt()
}
