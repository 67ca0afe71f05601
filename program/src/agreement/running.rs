//! Doubles that carry a bound on their own rounding error (Wilkinson's running error analysis).
//!
//! Two ways to one number differ by what they round, and that is relative to the terms and not to what is left when these cancel.
//! This module must never judge: it says how far apart two right ways may be.

use std::cmp::Ordering;

use pullback_kernel::Rational;
use pullback_kernel::eval::{Dual, EvalError, Number};
use pullback_kernel::statement::Function;

/// A double, and a bound on its error in units of the rounding of doubles, in whatever order sums are added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    pub(super) value: f64,
    error: f64,
}

impl Running {
    /// An input, which has no error.
    pub(super) fn exact(value: f64) -> Running {
        Running { value, error: 0.0 }
    }

    /// How far apart two ways to this number may be, each of which rounds as often as this one did, up to a small factor for other orders.
    pub(super) fn apart(&self) -> f64 {
        16.0 * f64::EPSILON * (self.error + self.value.abs()) + f64::MIN_POSITIVE
    }

    /// A function of it, by its value and derivative there.
    fn moved(&self, image: Dual<f64>) -> Running {
        let own = image.value.abs();
        Running { value: image.value, error: image.tangent.abs() * self.error + own }
    }

    fn dual(&self) -> Dual<f64> {
        Dual { value: self.value, tangent: 1.0 }
    }
}

impl Number for Running {
    fn rational(q: &Rational) -> Self {
        let value = f64::rational(q);
        Running { value, error: value.abs() }
    }
    fn float(x: f64) -> Self {
        Running::exact(x)
    }
    fn add(&self, o: &Self) -> Self {
        // The magnitudes of the terms, since another order meets other partial sums.
        Running { value: self.value + o.value, error: self.error + o.error + self.value.abs() + o.value.abs() }
    }
    fn neg(&self) -> Self {
        Running { value: -self.value, error: self.error }
    }
    fn mul(&self, o: &Self) -> Self {
        let value = self.value * o.value;
        Running { value, error: self.value.abs() * o.error + o.value.abs() * self.error + value.abs() }
    }
    fn recip(&self) -> Result<Self, EvalError> {
        self.dual().recip().map(|image| self.moved(image))
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        self.dual().call(f).map(|image| self.moved(image))
    }
    fn sign(&self) -> Option<Ordering> {
        self.value.sign()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails where it unwraps nothing")]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_keeps_its_error() {
        let (a, b) = (Running::exact(6e3), Running::exact(-6e3 + 1e-3));
        let sum = a.add(&b);
        assert!(sum.apart() > 1e3 * f64::EPSILON && sum.apart() < 1e-10);
        // What divides by it magnifies it, what is added to it does not hide it.
        let r = sum.recip().unwrap();
        assert!(r.apart() > 1e6 * sum.apart());
        assert!(Running::exact(1.0).mul(&Running::exact(3.0)).apart() < 100.0 * f64::EPSILON);
    }
}
