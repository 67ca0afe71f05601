//! Numbers with nilpotent parts: values and mixed derivatives to third order, without a rule.
//!
//! `a + Σ aₛ εₛ` over the sets `s` of three generators, whose squares are zero: a function of such a number is its Taylor series,
//! which ends after the third power. A program at `x + ε₁ v + ε₂ w` has `D²f(x)[v, w]` at `ε₁ ε₂`.
//! What a function's derivatives are is written here once more, and nowhere does it come from the kernel's:
//! this is what derivatives are compared with, and so it must never share code with what it judges.

use std::cmp::Ordering;

use pullback_kernel::Rational;
use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::statement::Function;

/// A number and its nilpotent parts.
///
/// # Example
///
/// ```
/// use pullback_kernel::eval::Number;
/// use pullback_evidence::nilpotent::Nilpotent;
///
/// // The second derivative of x³ at 2.
/// let x = Nilpotent::new(2.0).plus(0, &Nilpotent::new(1.0)).plus(1, &Nilpotent::new(1.0));
/// assert_eq!(x.mul(&x).mul(&x).part(0).part(1).value(), &12.0);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Nilpotent<N> {
    /// By the bits of the set; those past the end are zero. There is at least one.
    parts: Vec<N>,
}

/// Generators, at most.
pub const GENERATORS: u32 = 3;

impl<N: Number> Nilpotent<N> {
    /// A number without nilpotent parts.
    pub fn new(value: N) -> Self {
        Nilpotent { parts: vec![value] }
    }

    /// The number itself.
    pub fn value(&self) -> &N {
        &self.parts[0]
    }

    /// `self + ε · other`, with the generator of that number. One past the last is the last.
    #[must_use]
    pub fn plus(&self, generator: u32, other: &Self) -> Self {
        let bit = 1 << generator.min(GENERATORS - 1);
        let mut shifted = vec![zero(); (other.parts.len().max(bit)) * 2];
        for (set, part) in other.parts.iter().enumerate().filter(|(set, _)| set & bit == 0) {
            shifted[set | bit] = part.clone();
        }
        self.add(&Nilpotent { parts: shifted })
    }

    /// What stands at the generator: a number without it.
    #[must_use]
    pub fn part(&self, generator: u32) -> Self {
        let bit = 1 << generator.min(GENERATORS - 1);
        let part = |set: usize| self.parts.get(set | bit).filter(|_| set & bit == 0).cloned().unwrap_or_else(zero);
        Nilpotent { parts: (0..self.parts.len()).map(part).collect() }
    }

    /// A function whose value here and first three derivatives are these.
    fn series(&self, [value, first, second, third]: [N; 4]) -> Self {
        let mut rest = self.clone();
        rest.parts[0] = zero();
        let square = rest.mul(&rest);
        let cube = square.mul(&rest);
        let over = |n: i64| N::rational(&Rational::new(1.into(), n.into()));
        let times = |a: &Self, by: N| Nilpotent { parts: a.parts.iter().map(|part| part.mul(&by)).collect() };
        let mut sum =
            times(&rest, first).add(&times(&square, second.mul(&over(2)))).add(&times(&cube, third.mul(&over(6))));
        sum.parts[0] = value;
        sum
    }
}

fn integer<N: Number>(n: i64) -> N {
    N::rational(&Rational::from_integer(n.into()))
}

fn zero<N: Number>() -> N {
    integer(0)
}

fn ratio<N: Number>(n: i64, d: i64) -> N {
    N::rational(&Rational::new(n.into(), d.into()))
}

/// The value of a function and its first three derivatives.
fn derivatives<N: Number>(f: Function, a: &N) -> Result<[N; 4], EvalError> {
    let value = a.call(f)?;
    let times = |x: &N, n: i64, d: i64| x.mul(&ratio(n, d));
    Ok(match f {
        Function::Exp => [value.clone(), value.clone(), value.clone(), value],
        Function::Tanh => {
            // With t for the value: t' = 1 - t².
            let square = value.mul(&value);
            let slope = integer::<N>(1).add(&square.neg());
            let second = times(&value.mul(&slope), -2, 1);
            let third = slope.mul(&times(&square, 6, 1).add(&integer(-2)));
            [value, slope, second, third]
        }
        Function::Recip => {
            let square = value.mul(&value);
            [value.clone(), square.neg(), times(&square.mul(&value), 2, 1), times(&square.mul(&square), -6, 1)]
        }
        Function::Sqrt => {
            // √a, and it over a, a², a³.
            let over = a.recip()?;
            let first = value.mul(&over);
            let second = first.mul(&over);
            let third = second.mul(&over);
            [value, times(&first, 1, 2), times(&second, -1, 4), times(&third, 3, 8)]
        }
        Function::Rsqrt => {
            let over = a.recip()?;
            let first = value.mul(&over);
            let second = first.mul(&over);
            let third = second.mul(&over);
            [value, times(&first, -1, 2), times(&second, 3, 4), times(&third, -15, 8)]
        }
        Function::Log => {
            let over = a.recip()?;
            let square = over.mul(&over);
            [value, over.clone(), square.neg(), times(&square.mul(&over), 2, 1)]
        }
        Function::Sin => {
            let cos = a.call(Function::Cos)?;
            [value.clone(), cos.clone(), value.neg(), cos.neg()]
        }
        Function::Cos => {
            let sin = a.call(Function::Sin)?;
            [value.clone(), sin.neg(), value.neg(), sin]
        }
        Function::Round | Function::Floor => [value, zero(), zero(), zero()],
        Function::Expm1 => {
            let e = a.call(Function::Exp)?;
            [value, e.clone(), e.clone(), e]
        }
        Function::Log1p => {
            let over = integer::<N>(1).add(a).recip()?;
            let square = over.mul(&over);
            [value, over.clone(), square.neg(), times(&square.mul(&over), 2, 1)]
        }
        Function::Atan => {
            // With s for 1/(1 + a²): s' = -2a s².
            let square = a.mul(a);
            let slope = integer::<N>(1).add(&square).recip()?;
            let second = times(&a.mul(&slope).mul(&slope), -2, 1);
            let third = times(&square, 6, 1).add(&integer(-2)).mul(&slope).mul(&slope).mul(&slope);
            [value, slope, second, third]
        }
        Function::Erf | Function::Erfc => {
            // 2 exp(-a²)/√π, and π is 4 atan 1.
            let square = a.mul(a);
            let root = integer::<N>(1).call(Function::Atan)?.call(Function::Rsqrt)?;
            let slope = square.neg().call(Function::Exp)?.mul(&root);
            let slope = if f == Function::Erf { slope } else { slope.neg() };
            let second = times(&a.mul(&slope), -2, 1);
            let third = times(&square, 4, 1).add(&integer(-2)).mul(&slope);
            [value, slope, second, third]
        }
    })
}

impl<N: Number> Number for Nilpotent<N> {
    fn rational(q: &Rational) -> Self {
        Nilpotent::new(N::rational(q))
    }
    fn float(x: f64) -> Self {
        Nilpotent::new(N::float(x))
    }
    fn add(&self, o: &Self) -> Self {
        let (long, short) = if self.parts.len() < o.parts.len() { (o, self) } else { (self, o) };
        let mut parts = long.parts.clone();
        parts.iter_mut().zip(&short.parts).for_each(|(part, more)| *part = part.add(more));
        Nilpotent { parts }
    }
    fn neg(&self) -> Self {
        Nilpotent { parts: self.parts.iter().map(N::neg).collect() }
    }
    fn mul(&self, o: &Self) -> Self {
        let length = self.parts.len().max(o.parts.len());
        let mut parts: Vec<Option<N>> = vec![None; length];
        for (s, a) in self.parts.iter().enumerate() {
            for (t, b) in o.parts.iter().enumerate().filter(|(t, _)| s & t == 0) {
                let product = a.mul(b);
                let part = &mut parts[s | t];
                *part = Some(match part.take() {
                    Some(sum) => sum.add(&product),
                    None => product,
                });
            }
        }
        Nilpotent { parts: parts.into_iter().map(|part| part.unwrap_or_else(zero)).collect() }
    }
    fn recip(&self) -> Result<Self, EvalError> {
        self.call(Function::Recip)
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        if self.parts.len() == 1 {
            return self.parts[0].call(f).map(Nilpotent::new);
        }
        derivatives(f, &self.parts[0]).map(|all| self.series(all))
    }
    fn sign(&self) -> Option<Ordering> {
        self.parts[0].sign()
    }
    fn cost(&self) -> u64 {
        self.parts.iter().map(N::cost).sum()
    }
    fn bytes(&self) -> u64 {
        size_of::<Self>() as u64 + self.parts.iter().map(N::bytes).sum::<u64>()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails where it unwraps nothing")]
mod tests {
    use super::*;

    /// Each function's derivatives against differences of the one before.
    #[test]
    fn derivatives_are_those_of_the_functions() {
        use Function::{Atan, Cos, Erf, Erfc, Exp, Expm1, Log, Log1p, Recip, Rsqrt, Sin, Sqrt, Tanh};
        for f in [Exp, Tanh, Recip, Rsqrt, Sqrt, Log, Sin, Cos, Erf, Erfc, Atan, Log1p, Expm1] {
            for x in [0.3, 0.9, 2.5] {
                let h = 1e-5;
                let at = |x: f64| derivatives(f, &x).unwrap();
                for k in 0..3 {
                    let slope = (at(x + h)[k] - at(x - h)[k]) / (2.0 * h);
                    let found = at(x)[k + 1];
                    assert!((slope - found).abs() < 1e-7 * (1.0 + found.abs()), "{f:?} {k}: {slope} and {found}");
                }
            }
        }
    }

    /// The third derivative of `x³ y²` by x, x and y, and of a quotient.
    #[test]
    fn mixed_derivatives() {
        let q = |n: i64| Rational::from_integer(n.into());
        let one = Nilpotent::new(q(1));
        let x = Nilpotent::new(q(5)).plus(0, &one).plus(1, &one);
        let y = Nilpotent::new(q(7)).plus(2, &one);
        let f = x.mul(&x).mul(&x).mul(&y).mul(&y);
        assert_eq!(f.part(0).part(1).part(2).value(), &q(6 * 5 * 2 * 7));
        assert_eq!(f.part(0).value(), &q(3 * 25 * 49));
        // y / x, twice by x and once by y: 2 / x³.
        let f = y.mul(&x.recip().unwrap());
        assert_eq!(f.part(1).part(0).part(2).value(), &Rational::new(2.into(), 125.into()));
    }
}
