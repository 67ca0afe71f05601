//! Numbers of twice the precision: the sum of two doubles, about 106 bits.
//!
//! They measure what is computed in doubles and are never measured themselves.
//! With them a central difference has digits to spare: at a step of 2⁻¹⁰ it loses ten bits of its hundred and six,
//! and what the step leaves out is extrapolated away (see [`ridders`](crate::ridders)).
//! Nothing here knows a derivative, and nothing is taken from the platform but the basic operations and first guesses.
//!
//! # Source
//!
//! Dekker, *A floating-point technique for extending the available precision*, 1971;
//! Hida, Li, Bailey, *Algorithms for quad-double precision floating point arithmetic*, 2001.

use std::cmp::Ordering;

use num_traits::ToPrimitive;
use pullback_kernel::Rational;
use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::statement::Function;

/// The unevaluated sum of two doubles, the second at most half a unit in the last place of the first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Double {
    /// The nearest double.
    pub high: f64,
    /// What is left.
    pub low: f64,
}

/// A sum and its rounding error.
fn two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let part = high - a;
    Double { high, low: (a - (high - part)) + (b - part) }
}

/// The same, for `|a| >= |b|`.
fn quick_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

const LOG_2: Double = Double { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
const HALF_PI: Double = Double { high: std::f64::consts::FRAC_PI_2, low: 6.123_233_995_736_766e-17 };

impl Double {
    /// Zero.
    pub const ZERO: Double = Double::new(0.0);
    /// One.
    pub const ONE: Double = Double::new(1.0);

    /// A double as it is.
    pub const fn new(x: f64) -> Double {
        Double { high: x, low: 0.0 }
    }

    /// The product of two doubles, without an error.
    pub fn product(a: f64, b: f64) -> Double {
        let high = a * b;
        Double { high, low: a.mul_add(b, -high) }
    }

    /// Sum.
    pub fn plus(self, o: Double) -> Double {
        let (high, low) = (two_sum(self.high, o.high), two_sum(self.low, o.low));
        let first = quick_sum(high.high, high.low + low.high);
        quick_sum(first.high, first.low + low.low)
    }

    /// Negative.
    pub fn minus(self) -> Double {
        Double { high: -self.high, low: -self.low }
    }

    /// Product.
    pub fn times(self, o: Double) -> Double {
        let exact = Double::product(self.high, o.high);
        quick_sum(exact.high, exact.low + (self.high * o.low + self.low * o.high))
    }

    /// Product with a power of two, which is exact.
    pub fn scaled(self, power: f64) -> Double {
        Double { high: self.high * power, low: self.low * power }
    }

    /// Quotient: a first guess and two corrections.
    pub fn over(self, o: Double) -> Double {
        let first = self.high / o.high;
        let rest = self.plus(o.times(Double::new(first)).minus());
        let second = rest.high / o.high;
        let rest = rest.plus(o.times(Double::new(second)).minus());
        quick_sum(first, second).plus(Double::new(rest.high / o.high))
    }

    /// Its size.
    pub fn abs(self) -> Double {
        if self.high < 0.0 { self.minus() } else { self }
    }

    /// The terms of a power series from `first` on, each made from the one before, until they no longer matter.
    fn series(first: Double, mut next: impl FnMut(Double, f64) -> Double) -> Double {
        let (mut sum, mut term) = (first, first);
        for n in 1..60 {
            term = next(term, f64::from(n));
            sum = sum.plus(term);
            // A NaN does not matter, and ends it too.
            let matters = term.high.abs() > 1e-34 * sum.high.abs();
            if !matters {
                break;
            }
        }
        sum
    }

    /// `e^r - 1` and `n` with `x = r + n ln 2`, the first with all its digits.
    fn reduced(self) -> (Double, f64) {
        let turns = (self.high / LOG_2.high).round();
        let rest = self.plus(LOG_2.times(Double::new(turns)).minus());
        if rest.high == 0.0 {
            return (Double::ZERO, turns);
        }
        // By its series at r / 2⁶, and six times from r to 2r: e^2r - 1 = (e^r - 1)² + 2 (e^r - 1).
        let small = rest.scaled(1.0 / 64.0);
        let mut found = Double::series(small, |term, n| term.times(small).over(Double::new(n + 1.0)));
        for _ in 0..6 {
            found = found.times(found).plus(found.scaled(2.0));
        }
        (found, turns)
    }

    fn exp(self) -> Double {
        let (found, turns) = self.reduced();
        // In two steps, so that no power of two overflows before the result does.
        let half = (turns / 2.0).floor();
        found.plus(Double::ONE).scaled(half.exp2()).scaled((turns - half).exp2())
    }

    /// The exponential less one, with all its digits near zero.
    fn exp_minus_one(self) -> Double {
        match self.reduced() {
            (found, 0.0) => found,
            _ => self.exp().plus(Double::ONE.minus()),
        }
    }

    fn tanh(self) -> Double {
        if self.high.abs() > 40.0 {
            return Double::new(self.high.signum());
        }
        let twice = self.scaled(2.0).exp_minus_one();
        twice.over(twice.plus(Double::new(2.0)))
    }

    /// Sine and cosine.
    fn circular(self) -> (Double, Double) {
        let quarters = (self.high / HALF_PI.high).round();
        let rest = self.plus(HALF_PI.times(Double::new(quarters)).minus());
        let square = rest.times(rest).minus();
        let sine = if rest.high == 0.0 {
            Double::ZERO
        } else {
            Double::series(rest, |term, n| term.times(square).over(Double::new(2.0 * n * (2.0 * n + 1.0))))
        };
        let cosine =
            Double::series(Double::ONE, |term, n| term.times(square).over(Double::new(2.0 * n * (2.0 * n - 1.0))));
        match quarters.rem_euclid(4.0) as u8 {
            0 => (sine, cosine),
            1 => (cosine, sine.minus()),
            2 => (sine.minus(), cosine.minus()),
            _ => (cosine.minus(), sine),
        }
    }

    fn log(self) -> Double {
        let mut found = Double::new(self.high.ln());
        // Newton's iteration: y + x e^-y - 1, twice as many digits each time.
        for _ in 0..2 {
            found = found.plus(self.times(found.minus().exp())).plus(Double::ONE.minus());
        }
        found
    }

    /// The logarithm of one more, with all its digits near zero.
    fn log_of_one_more(self) -> Double {
        let mut found = Double::new(self.high.ln_1p());
        // Newton's iteration: y + (x - (e^y - 1)) / e^y.
        for _ in 0..2 {
            let rest = self.plus(found.exp_minus_one().minus());
            found = found.plus(rest.times(found.minus().exp()));
        }
        found
    }

    /// By `tan (atan x - y) = (x cos y - sin y) / (cos y + x sin y)` from a y that is close: cubic.
    fn arctangent(self) -> Double {
        if self.high == 0.0 {
            return Double::ZERO;
        }
        let near = Double::new(self.high.atan());
        let (sine, cosine) = near.circular();
        let rest = self.times(cosine).plus(sine.minus());
        near.plus(rest.over(cosine.plus(self.times(sine))))
    }

    /// `2 x / √π e^(-x²) (1 + 2x²/3 + (2x²)²/15 + ...)`: all terms are positive.
    fn error_function(self) -> Double {
        if self.high.abs() > 9.0 {
            return Double::new(self.high.signum());
        }
        let square = self.times(self);
        let twice = square.scaled(2.0);
        let (mut sum, mut term, mut n) = (Double::ONE, Double::ONE, 1.0);
        while term.high > 1e-34 * sum.high {
            term = term.times(twice).over(Double::new(2.0 * n + 1.0));
            sum = sum.plus(term);
            n += 1.0;
        }
        let root_of_pi = HALF_PI.scaled(2.0).sqrt();
        self.scaled(2.0).times(square.minus().exp()).times(sum).over(root_of_pi)
    }

    fn sqrt(self) -> Double {
        let guess = Double::new(self.high.sqrt());
        let rest = self.plus(guess.times(guess).minus());
        guess.plus(rest.over(guess.scaled(2.0)))
    }
}

impl Number for Double {
    fn rational(q: &Rational) -> Self {
        let high = f64::rational(q);
        let low = Rational::from_float(high).map(|near| q - near).and_then(|rest| rest.to_f64());
        quick_sum(high, low.unwrap_or(0.0))
    }
    fn float(x: f64) -> Self {
        Double::new(x)
    }
    fn add(&self, o: &Self) -> Self {
        self.plus(*o)
    }
    fn neg(&self) -> Self {
        self.minus()
    }
    fn mul(&self, o: &Self) -> Self {
        self.times(*o)
    }
    fn recip(&self) -> Result<Self, EvalError> {
        if self.high == 0.0 { Err(EvalError::Undefined("1/0")) } else { Ok(Double::ONE.over(*self)) }
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        let positive = self.high > 0.0;
        let outside = match f {
            Function::Sqrt | Function::Rsqrt | Function::Log => !positive,
            Function::Log1p => self.high <= -1.0,
            _ => false,
        };
        if outside {
            return Err(EvalError::Undefined("a root or logarithm of it"));
        }
        let size = if matches!(f, Function::Exp | Function::Expm1) { self.high } else { self.high.abs() };
        let moderate = size < 700.0;
        if matches!(f, Function::Exp | Function::Expm1 | Function::Sin | Function::Cos) && !moderate {
            return Err(EvalError::Unknown("a function of a large number"));
        }
        match f {
            // Below anything that is measured, and below the smallest double soon.
            Function::Exp if self.high < -700.0 => Ok(Double::ZERO),
            Function::Exp => Ok(self.exp()),
            Function::Tanh => Ok(self.tanh()),
            Function::Recip => Number::recip(self),
            Function::Sqrt => Ok(self.sqrt()),
            Function::Rsqrt => Ok(Double::ONE.over(self.sqrt())),
            Function::Log => Ok(self.log()),
            Function::Sin => Ok(self.circular().0),
            Function::Cos => Ok(self.circular().1),
            Function::Expm1 if self.high < -700.0 => Ok(Double::ONE.minus()),
            Function::Expm1 => Ok(self.exp_minus_one()),
            Function::Log1p => Ok(self.log_of_one_more()),
            Function::Atan => Ok(self.arctangent()),
            Function::Erf => Ok(self.error_function()),
            Function::Erfc => Ok(Double::ONE.plus(self.error_function().minus())),
            // Not smooth: there is nothing to measure.
            Function::Round | Function::Floor => Err(EvalError::Unknown("a rounded value")),
        }
    }
    fn sign(&self) -> Option<Ordering> {
        self.high.partial_cmp(&0.0)
    }
}
