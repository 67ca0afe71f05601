//! Doubles that carry a bound on their own rounding error (Wilkinson's running error analysis).
//!
//! Two ways to one number differ by what they round, and that is relative to the terms and not to what is left when these cancel.
//! What a function makes of an error is the kernel's to say: its derivative comes from dual numbers, and none is written here.
//! This module must never judge: it says how far apart two right ways may be.
//!
//! # Source
//!
//! Wilkinson, *Error analysis of floating-point computation*, 1960; Higham, *Accuracy and stability of numerical algorithms*, 2002, §3.3.

use std::cmp::Ordering;

use pullback_kernel::Rational;
use pullback_kernel::eval::{Dual, EvalError, Number};
use pullback_kernel::statement::Function;

/// A double with a bound on its error, in whatever order sums are added, and with its size: the same without counting how often it was rounded.
///
/// Both grow by the same rules: those of a sum add up, a product and a function pass them on by their derivatives.
/// The bound is charged for each operation; the size begins with what goes in and is charged where a result is larger than what was passed on to it.
/// So an error over the size says how many roundings it is worth, however much cancels on the way.
///
/// # Example
///
/// ```
/// use pullback_kernel::eval::Number;
/// use pullback_program::running::Running;
///
/// let third = Running::exact(3.0).recip().expect("three is not zero");
/// let rest = third.add(&Running::exact(-0.333_333_333));
/// // What cancelled has the size of its terms, and what divides by it magnifies that.
/// assert!(rest.size() > 1e8 * rest.value.abs());
/// assert!(rest.recip().expect("it is not zero").size() > 1e17);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Running {
    /// The double.
    pub value: f64,
    error: f64,
    size: f64,
}

impl Running {
    /// An input, which has no error, and its own size.
    pub fn exact(value: f64) -> Running {
        Running { value, error: 0.0, size: value.abs() }
    }

    /// By how much it moves, to first order, if what it was made from moves by the whole of its own size: at least its magnitude.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// How far apart two ways to this number may be, each of which rounds as often as this one did, up to a small factor for other orders.
    pub fn apart(&self) -> f64 {
        16.0 * f64::EPSILON * (self.error + self.value.abs()) + f64::MIN_POSITIVE
    }

    /// A function of it, by its value and derivative there.
    fn moved(&self, image: Dual<f64>) -> Running {
        let (own, slope) = (image.value.abs(), image.tangent.abs());
        Running { value: image.value, error: slope * self.error + own, size: own.max(slope * self.size) }
    }

    fn dual(&self) -> Dual<f64> {
        Dual { value: self.value, tangent: 1.0 }
    }
}

impl Number for Running {
    const ROUNDS: bool = true;
    fn rational(q: &Rational) -> Self {
        let value = f64::rational(q);
        Running { value, error: value.abs(), size: value.abs() }
    }
    fn float(x: f64) -> Self {
        Running::exact(x)
    }
    fn add(&self, o: &Self) -> Self {
        // The magnitudes of the terms, since another order meets other partial sums.
        let error = self.error + o.error + self.value.abs() + o.value.abs();
        Running { value: self.value + o.value, error, size: self.size + o.size }
    }
    fn neg(&self) -> Self {
        Running { value: -self.value, ..*self }
    }
    fn mul(&self, o: &Self) -> Self {
        let (value, left, right) = (self.value * o.value, self.value.abs(), o.value.abs());
        let own = value.abs();
        // What both factors pass on has the product itself twice in it.
        let size = (left * o.size + self.size * right - own).max(own);
        Running { value, error: left * o.error + right * self.error + own, size }
    }
    fn recip(&self) -> Result<Self, EvalError> {
        self.dual().recip().map(|image| self.moved(image))
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        self.dual().call(f).map(|image| self.moved(image))
    }
    fn is_finite(&self) -> bool {
        self.value.is_finite()
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

    #[test]
    fn a_size_is_that_of_the_terms_and_not_of_their_number() {
        let (a, b) = (Running::exact(3.0), Running::exact(-2.5));
        assert_eq!(a.add(&a.neg()).size(), 6.0);
        // (3 − 2.5) · −2.5: of both terms.
        assert_eq!(a.add(&b).mul(&b).size(), 13.75);
        let product = (0..100).fold(a, |product, _| product.mul(&Running::exact(-1.0)));
        assert_eq!((product.size(), product.value), (3.0, 3.0));
    }

    #[test]
    fn functions_pass_a_size_on_by_their_condition() {
        // 0.5 of terms of 5.5: one over it moves by 5.5 / 0.25.
        let sum = Running::exact(3.0).add(&Running::exact(-2.5));
        assert_eq!(sum.recip().unwrap().size(), 22.0);
        // The exponential of 10 moves ten times its own value, the cosine at zero has its own.
        let ten = Running::exact(10.0);
        assert_eq!(ten.call(Function::Exp).unwrap().size(), 10.0 * 10_f64.exp());
        assert_eq!(Running::exact(0.0).call(Function::Cos).unwrap().size(), 1.0);
    }
}
