//! Doubles that remember how large the terms were that they are sums of.
//!
//! A rounding error of a sum is relative to its terms, and not to what is left when they cancel.
//! The size of a number here is the sum of the magnitudes of all terms that went into it, those of its own factors
//! included: of a directional derivative, the sum over all paths through the graph of the magnitudes of their products.
//! It is the same for the gradient, which is a sum over the same paths (Wilkinson's running error analysis).
//! Nothing here knows a derivative: dual numbers of these are the kernel's.

use std::cmp::Ordering;

use pullback_kernel::Rational;
use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::statement::Function;

/// A double, and the sum of the magnitudes of its terms.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Magnitude {
    /// The double.
    pub value: f64,
    /// At least its magnitude.
    pub size: f64,
}

impl Magnitude {
    /// A double that is no sum.
    pub fn new(value: f64) -> Magnitude {
        Magnitude { value, size: value.abs() }
    }
}

impl Number for Magnitude {
    fn rational(q: &Rational) -> Self {
        Magnitude::new(f64::rational(q))
    }
    fn float(x: f64) -> Self {
        Magnitude::new(x)
    }
    fn add(&self, o: &Self) -> Self {
        Magnitude { value: self.value + o.value, size: self.size + o.size }
    }
    fn neg(&self) -> Self {
        Magnitude { value: -self.value, size: self.size }
    }
    fn mul(&self, o: &Self) -> Self {
        Magnitude { value: self.value * o.value, size: self.size * o.size }
    }
    fn recip(&self) -> Result<Self, EvalError> {
        Number::recip(&self.value).map(Magnitude::new)
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        self.value.call(f).map(Magnitude::new)
    }
    fn sign(&self) -> Option<Ordering> {
        self.value.sign()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_keeps_its_size() {
        let (a, b) = (Magnitude::new(3.0), Magnitude::new(-2.5));
        assert_eq!(a.add(&b).mul(&b), Magnitude { value: -1.25, size: 13.75 });
        assert_eq!(a.add(&a.neg()), Magnitude { value: 0.0, size: 6.0 });
    }
}
