//! The oracle: fractions of polynomials with exact coefficients, differentiated by their coefficients.
//!
//! `∂(c x₁^a x₂^b)/∂x₁ = a c x₁^(a−1) x₂^b`, and `(p/q)′ = (p′q − pq′)/q²`: nothing else is known here, neither a chain
//! rule nor a tape, and no code of a program.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use pullback_kernel::Rational;

/// Inputs at most.
pub const INPUTS: usize = 4;

/// The exponent of each input.
type Exponents = [u8; INPUTS];

/// A polynomial: its coefficients that are not zero, by exponents.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Polynomial(BTreeMap<Exponents, Rational>);

impl Polynomial {
    /// A constant.
    pub fn constant(value: Rational) -> Polynomial {
        let mut polynomial = Polynomial::default();
        polynomial.add_term([0; INPUTS], value);
        polynomial
    }

    /// An input.
    pub fn input(at: usize) -> Polynomial {
        let mut exponents = [0; INPUTS];
        exponents[at] = 1;
        Polynomial(BTreeMap::from([(exponents, Rational::one())]))
    }

    /// Whether it is zero everywhere.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The largest sum of exponents.
    pub fn degree(&self) -> u32 {
        self.0.keys().map(|e| e.iter().map(|n| u32::from(*n)).sum()).max().unwrap_or(0)
    }

    fn add_term(&mut self, exponents: Exponents, coefficient: Rational) {
        let sum = self.0.entry(exponents).or_insert_with(Rational::zero);
        *sum += coefficient;
        if sum.is_zero() {
            self.0.remove(&exponents);
        }
    }

    fn plus(&self, o: &Polynomial) -> Polynomial {
        let mut sum = self.clone();
        o.0.iter().for_each(|(e, c)| sum.add_term(*e, c.clone()));
        sum
    }

    fn scaled(&self, factor: &Rational) -> Polynomial {
        self.times(&Polynomial::constant(factor.clone()))
    }

    fn times(&self, o: &Polynomial) -> Polynomial {
        let mut product = Polynomial::default();
        for (a, c) in &self.0 {
            for (b, d) in &o.0 {
                product.add_term(std::array::from_fn(|k| a[k] + b[k]), c * d);
            }
        }
        product
    }

    /// Its derivative by an input: exponents come down as factors.
    fn by(&self, input: usize) -> Polynomial {
        let mut derivative = Polynomial::default();
        for (exponents, coefficient) in self.0.iter().filter(|(e, _)| e[input] > 0) {
            let mut lower = *exponents;
            lower[input] -= 1;
            derivative.add_term(lower, coefficient * Rational::from_integer(exponents[input].into()));
        }
        derivative
    }

    fn at(&self, point: &[Rational]) -> Rational {
        let power = |(x, n): (&Rational, &u8)| (0..*n).fold(Rational::one(), |p, _| p * x);
        let term = |(e, c): (&Exponents, &Rational)| point.iter().zip(e).map(power).fold(c.clone(), |p, x| p * x);
        self.0.iter().map(term).fold(Rational::zero(), |sum, term| sum + term)
    }
}

/// A fraction of polynomials.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fraction {
    over: Polynomial,
    under: Polynomial,
}

impl Fraction {
    /// A constant.
    pub fn constant(value: Rational) -> Fraction {
        Fraction { over: Polynomial::constant(value), under: Polynomial::constant(Rational::one()) }
    }

    /// An input.
    pub fn input(at: usize) -> Fraction {
        Fraction { over: Polynomial::input(at), under: Polynomial::constant(Rational::one()) }
    }

    /// The larger degree of the two polynomials.
    pub fn degree(&self) -> u32 {
        self.over.degree().max(self.under.degree())
    }

    /// Sum.
    pub fn plus(&self, o: &Fraction) -> Fraction {
        if self.under == o.under {
            return Fraction { over: self.over.plus(&o.over), under: self.under.clone() };
        }
        let over = self.over.times(&o.under).plus(&o.over.times(&self.under));
        Fraction { over, under: self.under.times(&o.under) }
    }

    /// Product.
    pub fn times(&self, o: &Fraction) -> Fraction {
        Fraction { over: self.over.times(&o.over), under: self.under.times(&o.under) }
    }

    /// Product with a constant.
    pub fn scaled(&self, factor: &Rational) -> Fraction {
        Fraction { over: self.over.scaled(factor), under: self.under.clone() }
    }

    /// One over it; none for the fraction that is zero everywhere.
    pub fn reciprocal(&self) -> Option<Fraction> {
        (!self.over.is_zero()).then(|| Fraction { over: self.under.clone(), under: self.over.clone() })
    }

    /// Its value; none where the denominator is zero.
    pub fn at(&self, point: &[Rational]) -> Option<Rational> {
        let under = self.under.at(point);
        (!under.is_zero()).then(|| self.over.at(point) / under)
    }

    /// Its derivative by each of so many inputs; none where the denominator is zero.
    pub fn gradient(&self, point: &[Rational]) -> Option<Vec<Rational>> {
        let (over, under) = (self.over.at(point), self.under.at(point));
        if under.is_zero() {
            return None;
        }
        let square = &under * &under;
        let by = |k| (self.over.by(k).at(point) * &under - &over * self.under.by(k).at(point)) / &square;
        Some((0..point.len()).map(by).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    #[test]
    fn a_derivative_by_hand() {
        // (x² + 3y) / (x y): by x it is (x² − 3y) / (x² y), by y −x / y².
        let (x, y) = (Fraction::input(0), Fraction::input(1));
        let f = x.times(&x).plus(&y.scaled(&q(3, 1))).times(&x.times(&y).reciprocal().expect("not zero"));
        let (a, b) = (q(2, 1), q(5, 3));
        assert_eq!(f.at(&[a.clone(), b.clone()]), Some(q(27, 10)));
        assert_eq!(f.gradient(&[a, b]), Some(vec![q(-3, 20), q(-18, 25)]));
        assert_eq!(f.at(&[q(0, 1), q(1, 1)]), None);
        assert_eq!(x.plus(&x.scaled(&q(-1, 1))).reciprocal(), None);
    }
}
