//! Reals as balls: a double and how far from it the real may be, with its derivative along one direction.
//!
//! Sums and products say exactly what rounding took, so that what is exact stays exact, and a zero is known to be one.
//! Nothing here comes from the kernel: neither its intervals nor its dual numbers.
//! A ball must never be smaller than what it stands for; elementary functions of the platform are trusted to 4 units in the
//! last place.

use std::cmp::Ordering;
use std::f64::consts::FRAC_2_SQRT_PI;

use num_traits::ToPrimitive;
use pullback_kernel::Rational;

/// Why there is no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt {
    /// It is not defined: one over zero, a logarithm of a number that is not positive.
    Undefined(&'static str),
    /// These numbers can't tell: a sign within rounding, something too large.
    Unknown(&'static str),
}

/// A value or none.
pub type Told<T> = Result<T, Halt>;

/// The units in the last place that a function of the platform may be off.
const FUNCTION: f64 = 4.0 * f64::EPSILON;

/// A real within `radius` of `middle`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ball {
    middle: f64,
    radius: f64,
}

/// A bound, with what its own arithmetic may have rounded away.
fn up(bound: f64) -> f64 {
    if bound > 0.0 { bound * (1.0 + 8.0 * f64::EPSILON) + f64::MIN_POSITIVE } else { bound }
}

impl Ball {
    /// Zero.
    pub const ZERO: Ball = Ball::exact(0.0);
    /// One.
    pub const ONE: Ball = Ball::exact(1.0);

    /// A double.
    pub const fn exact(middle: f64) -> Ball {
        Ball { middle, radius: 0.0 }
    }

    /// The ball around the nearest double.
    pub fn rational(q: &Rational) -> Ball {
        let middle = q.to_f64().unwrap_or(f64::NAN);
        let same = Rational::from_float(middle).is_some_and(|back| back == *q);
        Ball { middle, radius: if same { 0.0 } else { up(middle.abs() * f64::EPSILON) } }
    }

    /// The middle.
    pub fn middle(self) -> f64 {
        self.middle
    }

    /// Whether the two can't be the same real.
    pub fn apart(self, o: Ball) -> bool {
        (self.middle - o.middle).abs() > up(self.radius + o.radius)
    }

    /// Whether its real is known to six digits, or to six places.
    pub fn is_sharp(self) -> bool {
        self.radius <= 1e-6 * self.middle.abs().max(1.0)
    }

    /// Whether nothing is known of it.
    fn checked(self) -> Told<Ball> {
        if self.middle.is_finite() && self.radius.is_finite() && self.middle.abs() < 1e150 {
            Ok(self)
        } else {
            Err(Halt::Unknown("something too large"))
        }
    }

    fn plus(self, o: Ball) -> Told<Ball> {
        // Knuth's sum: what was rounded away is a double.
        let middle = self.middle + o.middle;
        let part = middle - self.middle;
        let lost = (self.middle - (middle - part)) + (o.middle - part);
        Ball { middle, radius: up(self.radius + o.radius + lost.abs()) }.checked()
    }

    fn minus(self) -> Ball {
        Ball { middle: -self.middle, radius: self.radius }
    }

    fn times(self, o: Ball) -> Told<Ball> {
        let middle = self.middle * o.middle;
        let mut lost = self.middle.mul_add(o.middle, -middle).abs();
        if middle.abs() < 1e-280 && self.middle != 0.0 && o.middle != 0.0 {
            // The rest itself may have been too small to be seen.
            lost += 1e-290;
        }
        let spread = self.middle.abs() * o.radius + o.middle.abs() * self.radius + self.radius * o.radius;
        Ball { middle, radius: up(spread + lost) }.checked()
    }

    /// Its sign, if it can be told.
    pub fn sign(self) -> Option<Ordering> {
        if self.middle.abs() > self.radius {
            self.middle.partial_cmp(&0.0)
        } else {
            (self.middle == 0.0 && self.radius == 0.0).then_some(Ordering::Equal)
        }
    }

    fn recip(self) -> Told<Ball> {
        match self.sign() {
            None => return Err(Halt::Unknown("one over something near zero")),
            Some(Ordering::Equal) => return Err(Halt::Undefined("one over zero")),
            _ => {}
        }
        let middle = 1.0 / self.middle;
        let low = self.middle.abs() - self.radius;
        let lost = (middle.mul_add(-self.middle, 1.0) / self.middle).abs();
        Ball { middle, radius: up(self.radius / (low * self.middle.abs()) + lost) }.checked()
    }

    /// The least and the largest real that it may be, where it must be positive.
    fn positive(self) -> Told<(f64, f64)> {
        match self.sign() {
            Some(Ordering::Greater) => Ok((self.middle - self.radius, self.middle + self.radius)),
            Some(_) => Err(Halt::Undefined("a root or logarithm of a number that is not positive")),
            None => Err(Halt::Unknown("a root or logarithm near zero")),
        }
    }

    /// A function with this value at the middle, and this slope at most.
    fn called(self, middle: f64, slope: f64) -> Told<Ball> {
        let exact =
            self.radius == 0.0 && (middle == 0.0 || (middle == 1.0 && (self.middle == 0.0 || self.middle == 1.0)));
        let lost = if exact { 0.0 } else { FUNCTION * middle.abs() + f64::MIN_POSITIVE };
        Ball { middle, radius: up(slope * self.radius + lost) }.checked()
    }

    fn exp(self) -> Told<Ball> {
        if self.middle.abs() > 300.0 {
            return Err(Halt::Unknown("an exponential of something large"));
        }
        let value = self.middle.exp();
        self.called(value, (self.middle + self.radius).exp() * (1.0 + FUNCTION))
    }

    fn log(self) -> Told<Ball> {
        let (low, _) = self.positive()?;
        self.called(self.middle.ln(), 1.0 / low)
    }

    fn sqrt(self) -> Told<Ball> {
        let (low, _) = self.positive()?;
        let root = self.middle.sqrt();
        let lost = (root.mul_add(-root, self.middle) / root).abs();
        Ball { middle: root, radius: up(self.radius / low.sqrt() + lost) }.checked()
    }

    /// A function that steps, where it is the same on all of the ball.
    fn stepped(self, f: fn(f64) -> f64) -> Told<Ball> {
        let (low, high) = (f(self.middle - up(self.radius)), f(self.middle + up(self.radius)));
        if low == high && self.middle.abs() < 1e15 { Ok(Ball::exact(low)) } else { Err(Halt::Unknown("a jump")) }
    }
}

/// A value and its derivative along one direction: `value + derivative·ε` with `ε² = 0`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moving {
    /// The value.
    pub value: Ball,
    /// Its derivative.
    pub derivative: Ball,
}

impl Moving {
    /// Zero.
    pub const ZERO: Moving = Moving::still(Ball::ZERO);
    /// One.
    pub const ONE: Moving = Moving::still(Ball::ONE);

    /// Something that does not move.
    pub const fn still(value: Ball) -> Moving {
        Moving { value, derivative: Ball::ZERO }
    }

    /// Sum.
    ///
    /// # Errors
    /// [`Halt`], as of all operations here.
    pub fn plus(self, o: Moving) -> Told<Moving> {
        Ok(Moving { value: self.value.plus(o.value)?, derivative: self.derivative.plus(o.derivative)? })
    }
    /// Negative.
    pub fn minus(self) -> Moving {
        Moving { value: self.value.minus(), derivative: self.derivative.minus() }
    }
    /// Product.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn times(self, o: Moving) -> Told<Moving> {
        let derivative = self.derivative.times(o.value)?.plus(self.value.times(o.derivative)?)?;
        Ok(Moving { value: self.value.times(o.value)?, derivative })
    }
    /// A function by its value and its slope here.
    fn along(self, value: Ball, slope: Ball) -> Told<Moving> {
        Ok(Moving { value, derivative: slope.times(self.derivative)? })
    }
    /// One over it.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn recip(self) -> Told<Moving> {
        let value = self.value.recip()?;
        self.along(value, value.times(value)?.minus())
    }
    /// Its exponential.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn exp(self) -> Told<Moving> {
        let value = self.value.exp()?;
        self.along(value, value)
    }
    /// Its hyperbolic tangent.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn tanh(self) -> Told<Moving> {
        let value = self.value.called(self.value.middle.tanh(), 1.0)?;
        self.along(value, Ball::ONE.plus(value.times(value)?.minus())?)
    }
    /// Its logarithm.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn log(self) -> Told<Moving> {
        self.along(self.value.log()?, self.value.recip()?)
    }
    /// Its square root.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn sqrt(self) -> Told<Moving> {
        let value = self.value.sqrt()?;
        self.along(value, value.plus(value)?.recip()?)
    }
    /// Its sine.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn sin(self) -> Told<Moving> {
        self.along(self.value.called(self.value.middle.sin(), 1.0)?, self.value.called(self.value.middle.cos(), 1.0)?)
    }
    /// Its cosine.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn cos(self) -> Told<Moving> {
        let slope = self.value.called(self.value.middle.sin(), 1.0)?.minus();
        self.along(self.value.called(self.value.middle.cos(), 1.0)?, slope)
    }
    /// The nearest integer, half to even, and whether it stands at a jump.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn round(self) -> Told<(Moving, bool)> {
        let jump = self.value.radius == 0.0 && (self.value.middle - self.value.middle.trunc()).abs() == 0.5;
        if jump {
            return Ok((Moving::still(Ball::exact(self.value.middle.round_ties_even())), true));
        }
        Ok((Moving::still(self.value.stepped(f64::round_ties_even)?), false))
    }
    /// The largest integer that is not larger, and whether it stands at a jump.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn floor(self) -> Told<(Moving, bool)> {
        let jump = self.value.radius == 0.0 && self.value.middle == self.value.middle.trunc();
        if jump {
            return Ok((Moving::still(self.value), true));
        }
        Ok((Moving::still(self.value.stepped(f64::floor)?), false))
    }
    /// Its error function.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn erf(self) -> Told<Moving> {
        let slope = self.gauss()?;
        self.along(self.value.called(libm::erf(self.value.middle), FRAC_2_SQRT_PI)?, slope)
    }
    /// One minus its error function.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn erfc(self) -> Told<Moving> {
        let slope = self.gauss()?.minus();
        self.along(self.value.called(libm::erfc(self.value.middle), FRAC_2_SQRT_PI)?, slope)
    }
    /// The slope of the error function: `2 exp(-x²)/√π`.
    fn gauss(self) -> Told<Ball> {
        let root = Ball::exact(FRAC_2_SQRT_PI).called(FRAC_2_SQRT_PI, 0.0)?;
        self.value.times(self.value)?.minus().exp()?.times(root)
    }
    /// Its arc tangent.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn atan(self) -> Told<Moving> {
        let slope = Ball::ONE.plus(self.value.times(self.value)?)?.recip()?;
        self.along(self.value.called(self.value.middle.atan(), 1.0)?, slope)
    }
    /// The logarithm of one more.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn log1p(self) -> Told<Moving> {
        let more = Ball::ONE.plus(self.value)?;
        let (low, _) = more.positive()?;
        self.along(self.value.called(self.value.middle.ln_1p(), 1.0 / low)?, more.recip()?)
    }
    /// Its exponential less one.
    ///
    /// # Errors
    /// As [`plus`](Moving::plus).
    pub fn expm1(self) -> Told<Moving> {
        let slope = self.value.exp()?;
        self.along(self.value.called(self.value.middle.exp_m1(), slope.middle + slope.radius)?, slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(m: Told<Moving>, value: f64, derivative: f64) {
        let m = m.expect("a value");
        let close = |b: Ball, x: f64| (b.middle - x).abs() <= b.radius + 1e-9 * x.abs().max(1.0) && b.is_sharp();
        assert!(close(m.value, value) && close(m.derivative, derivative), "{m:?}, not {value} and {derivative}");
    }

    /// Values and slopes, by differences of the platform's functions.
    #[test]
    fn functions_and_their_slopes() {
        type F = (fn(Moving) -> Told<Moving>, fn(f64) -> f64);
        let functions: [F; 12] = [
            (Moving::exp, f64::exp),
            (Moving::tanh, f64::tanh),
            (Moving::log, f64::ln),
            (Moving::sqrt, f64::sqrt),
            (Moving::sin, f64::sin),
            (Moving::cos, f64::cos),
            (Moving::recip, f64::recip),
            (Moving::erf, libm::erf),
            (Moving::erfc, libm::erfc),
            (Moving::atan, f64::atan),
            (Moving::log1p, f64::ln_1p),
            (Moving::expm1, f64::exp_m1),
        ];
        for (mine, theirs) in functions {
            for k in 1..40 {
                let x = f64::from(k) / 8.0;
                let h = 1e-5;
                let slope = (theirs(x + h) - theirs(x - h)) / (2.0 * h);
                let m = mine(Moving { value: Ball::exact(x), derivative: Ball::ONE }).expect("a value");
                assert!(m.value.is_sharp() && (m.value.middle - theirs(x)).abs() <= m.value.radius, "{m:?}");
                assert!((m.derivative.middle - slope).abs() <= 1e-7 * slope.abs().max(1.0), "{m:?}, {slope}");
            }
        }
        let x = Moving { value: Ball::exact(3.0), derivative: Ball::ONE };
        near(x.times(x), 9.0, 6.0);
        near(x.plus(x.minus()), 0.0, 0.0);
    }

    /// What is exact stays exact, what is rounded is not taken for it, and a zero within rounding has no sign.
    #[test]
    fn exact_and_rounded() {
        let third = Ball::rational(&Rational::new(1.into(), 3.into()));
        let one = third.plus(third).and_then(|two| two.plus(third)).expect("a sum");
        let rest = one.plus(Ball::exact(-1.0)).expect("a rest");
        assert_eq!(rest.sign(), None);
        assert!(!one.apart(Ball::ONE) && one.apart(Ball::exact(1.0 + 1e-9)));
        let exact =
            Ball::exact(0.375).times(Ball::exact(-2.5)).and_then(|p| p.plus(Ball::exact(0.9375))).expect("a sum");
        assert_eq!((exact.sign(), exact.radius), (Some(Ordering::Equal), 0.0));
        assert_eq!(exact.recip(), Err(Halt::Undefined("one over zero")));
        assert!(matches!(rest.recip(), Err(Halt::Unknown(_))));
        assert!(matches!(Ball::exact(-1.0).log(), Err(Halt::Undefined(_))));
        assert!(
            matches!(Moving::still(Ball::exact(2.5)).round(), Ok((m, true)) if m == Moving::still(Ball::exact(2.0)))
        );
        assert!(Ball::exact(400.0).exp().is_err());
    }
}
