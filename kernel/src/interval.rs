//! Intervals of reals with outward rounding: what is computed always encloses the true value.
//!
//! Nothing here trusts the platform's mathematical library. Two foundations carry everything:
//!
//! * Sums, products and quotients of floats are correctly rounded (IEEE 754), so that the true result
//!   lies between the neighbours of the rounded one. Sums, products and reciprocals are made this way.
//! * Integers are exact. Everything else is computed in integers of 128 bits, once rounded down and
//!   once rounded up, and turned into floats at the end: see `elementary`.
//!
//! For a point argument the ends of `exp`, `tanh`, `sin`, `cos`, `log`, `sqrt`, `rsqrt`, `erf`, `erfc`, `atan`,
//! `log1p`, `expm1` and of powers
//! are almost always neighbouring floats, and at most two units in the last place apart; of `sin` and `cos`
//! at most three for |x| < 100, more next to their zeros beyond, and [-1, 1] from 2^14 on.
//! A power has one more unit for every hundred factors or so.
//!
//! A wider argument gives a wider result: every end is computed by steps that are monotone in the argument,
//! or so precise that neighbouring floats stay in order.

mod elementary;
mod error_function;

use std::cmp::Ordering;

use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

use elementary::{LARGEST_ANGLE, TINY, atan, ceil_div, circular, exp, expm1, log, log1p, outward, power, roots, tanh};

use crate::Rational;
use crate::eval::{EvalError, Number};
use crate::statement::Function;

/// An interval of reals: the true value lies between the ends, or is one of them.
///
/// The ends are not NaN, and `low <= high`; an infinite end says that there is no bound on that side.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// All reals: what is returned where nothing is known.
const WHOLE: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

impl Interval {
    /// The interval of one float.
    pub const fn point(x: f64) -> Self {
        Interval { low: x, high: x }
    }
    /// Whether the two cannot be the same real.
    pub fn apart(&self, o: &Self) -> bool {
        self.high < o.low || o.high < self.low
    }
    /// Its middle.
    pub fn middle(&self) -> f64 {
        self.low / 2.0 + self.high / 2.0
    }

    /// The image under a function that does not decrease, from enclosures of its values at the ends.
    fn increasing(&self, f: impl Fn(f64) -> Interval) -> Self {
        let low = f(self.low);
        if self.low == self.high { low } else { Interval { low: low.low, high: f(self.high).high } }
    }

    /// The image under the sine, moved by `quarter` right angles.
    ///
    /// Sound: between two neighbouring multiples of a right angle the function is monotone, so that its
    /// extremes are at the ends or at such a multiple inside, where it is 0, 1 or -1.
    fn wave(&self, quarter: i128) -> Self {
        if !(self.low.abs() < LARGEST_ANGLE && self.high.abs() < LARGEST_ANGLE) {
            return Interval { low: -1.0, high: 1.0 };
        }
        let (mut v, from) = circular(self.low, quarter);
        let (end, to) = if self.low == self.high { (v, from) } else { circular(self.high, quarter) };
        v = Interval { low: v.low.min(end.low), high: v.high.max(end.high) };
        // Even places are the multiples; four in a row are a whole turn.
        for multiple in (ceil_div(from, 2)..=to.div_euclid(2)).take(4) {
            match (multiple + quarter).rem_euclid(4) {
                1 => v.high = 1.0,
                3 => v.low = -1.0,
                _ => {}
            }
        }
        v
    }
}

impl Number for Interval {
    fn cost(&self) -> u64 {
        48
    }
    fn cost_of_call(&self) -> u64 {
        // Series in fixed point, at both ends.
        8_192
    }
    fn rational(q: &Rational) -> Self {
        let (n, d) = (q.numer(), q.denom());
        // A quotient of at least 62 bits, rounded down and up.
        let shift = 62 + d.bits() as i64 - n.bits() as i64;
        if let (Some(n), Some(d)) = (n.to_i64(), d.to_i64())
            && shift >= 0
        {
            let (n, d) = (i128::from(n) << shift, i128::from(d));
            return outward(n.div_euclid(d), ceil_div(n, d), -shift);
        }
        let (low, rest) = (n << shift.max(0)).div_mod_floor(&(d << (-shift).max(0)));
        match low.to_i128() {
            Some(low) => outward(low, low + i128::from(!rest.is_zero()), -shift),
            None => WHOLE,
        }
    }

    /// Sound, and exact where the ends' sums are: see `sum`. An exact zero stays one, and a difference
    /// of equal points is one: a denominator that vanishes is seen to.
    fn add(&self, o: &Self) -> Self {
        proper(sum(self.low, o.low).0, sum(self.high, o.high).1)
    }

    fn neg(&self) -> Self {
        Interval { low: -self.high, high: -self.low }
    }

    /// Sound: a product of two intervals has its extremes at ends of both, and each is rounded outwards.
    fn mul(&self, o: &Self) -> Self {
        let (a, b) = (product(self.low, o.low), product(self.low, o.high));
        let (c, d) = (product(self.high, o.low), product(self.high, o.high));
        if [a.1, b.1, c.1, d.1].iter().any(|x| x.is_nan()) {
            return WHOLE;
        }
        Interval { low: a.0.min(b.0).min(c.0.min(d.0)), high: a.1.max(b.1).max(c.1.max(d.1)) }
    }

    /// Sound: one over x decreases on either side of zero, and a quotient of floats is rounded correctly.
    fn recip(&self) -> Result<Self, EvalError> {
        if self.low == 0.0 && self.high == 0.0 {
            Err(EvalError::Undefined("1/0"))
        } else if self.low <= 0.0 && self.high >= 0.0 {
            Err(EvalError::Unknown("one over an interval around zero"))
        } else {
            let (low, high) = ((1.0 / self.high).next_down(), (1.0 / self.low).next_up());
            // The sign is known, also where an end is infinite and its reciprocal rounds to zero.
            Ok(if self.low > 0.0 { proper(low.max(0.0), high) } else { proper(low, high.min(0.0)) })
        }
    }

    /// Sound: x^n increases with x for odd n, and with |x| for even n. So the square of an interval
    /// around zero is not negative. Each partial product of a machine number is charged for as one.
    fn power(&self, n: u32, charge: &mut dyn FnMut(&Self) -> Result<(), EvalError>) -> Result<Self, EvalError> {
        for _ in 0..n {
            charge(self)?;
        }
        if n == 0 {
            return Ok(Interval::point(1.0));
        }
        let magnitudes = if n % 2 == 1 || self.low >= 0.0 {
            *self
        } else if self.high <= 0.0 {
            self.neg()
        } else {
            Interval { low: 0.0, high: self.high.max(-self.low) }
        };
        Ok(magnitudes.increasing(|x| power(x, n)))
    }

    fn call(&self, f: Function) -> Result<Self, EvalError> {
        if matches!(f, Function::Rsqrt | Function::Sqrt | Function::Log) && self.low <= 0.0 {
            return Err(if self.high <= 0.0 {
                EvalError::Undefined("a root or logarithm of it")
            } else {
                EvalError::Unknown("a root or logarithm near zero")
            });
        }
        match f {
            Function::Exp => Ok(self.increasing(exp)),
            Function::Tanh => Ok(self.increasing(tanh)),
            Function::Recip => Number::recip(self),
            // It decreases: the ends change places.
            Function::Rsqrt => Ok(Interval { low: roots(self.high).1.low, high: roots(self.low).1.high }),
            Function::Sqrt => Ok(self.increasing(|x| roots(x).0)),
            Function::Log => Ok(self.increasing(log)),
            Function::Sin => Ok(self.wave(0)),
            Function::Cos => Ok(self.wave(1)),
            Function::Erf => Ok(self.increasing(|x| error_function::both(x).0)),
            // It decreases: the ends change places.
            Function::Erfc => Ok(self.neg().increasing(|x| error_function::both(-x).1)),
            Function::Atan => Ok(self.increasing(atan)),
            Function::Expm1 => Ok(self.increasing(expm1)),
            Function::Log1p if self.high <= -1.0 => Err(EvalError::Undefined("a root or logarithm of it")),
            Function::Log1p if self.low <= -1.0 => Err(EvalError::Unknown("a root or logarithm near zero")),
            Function::Log1p => Ok(self.increasing(log1p)),
            Function::Floor => {
                let (a, b) = (floor(self.low), floor(self.high));
                if a == b { Ok(Interval { low: a, high: b }) } else { Err(EvalError::Unknown("a floor at a jump")) }
            }
            Function::Round => {
                let (a, b) = (nearest(self.low), nearest(self.high));
                if a == b { Ok(Interval { low: a, high: b }) } else { Err(EvalError::Unknown("rounding at a jump")) }
            }
        }
    }

    fn sign(&self) -> Option<Ordering> {
        if self.low > 0.0 {
            Some(Ordering::Greater)
        } else if self.high < 0.0 {
            Some(Ordering::Less)
        } else if self.low == 0.0 && self.high == 0.0 {
            Some(Ordering::Equal)
        } else {
            None
        }
    }
}

/// The interval of two ends, unless one is NaN: then nothing is known.
fn proper(low: f64, high: f64) -> Interval {
    if low.is_nan() || high.is_nan() { WHOLE } else { Interval { low, high } }
}

/// `a + b` rounded down and up.
///
/// Sound: with |a| >= |b| the rounding error of `s` is exactly `b - (s - a)` (Dekker 1971), so its sign says
/// on which side of `s` the sum lies. Where `s` overflows the error is infinite with the other sign, which
/// says that as well. Where `a` is infinite it is NaN, and both neighbours are taken.
fn sum(a: f64, b: f64) -> (f64, f64) {
    let (a, b) = if a.abs() < b.abs() { (b, a) } else { (a, b) };
    let s = a + b;
    let error = b - (s - a);
    (if error >= 0.0 { s } else { s.next_down() }, if error <= 0.0 { s } else { s.next_up() })
}

/// `a * b` rounded down and up; zero times a bound that is infinite is zero, as for every real below it.
///
/// Sound: the product is rounded correctly, and where it underflows to zero its sign is still right.
fn product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    if a == 0.0 || b == 0.0 {
        (0.0, 0.0)
    } else if p == 0.0 {
        if p.is_sign_negative() { (-TINY, 0.0) } else { (0.0, TINY) }
    } else {
        (p.next_down(), p.next_up())
    }
}

/// The greatest integer that is not above: the nearest one, or the one below that.
fn floor(x: f64) -> f64 {
    let near = nearest(x);
    if near > x { near - 1.0 } else { near }
}

/// The nearest integer, half to even: adding 2^52 leaves no place for a fraction.
fn nearest(x: f64) -> f64 {
    let large = (1u64 << 52) as f64;
    if x.abs() < large { (x.abs() + large - large).copysign(x) } else { x }
}
