//! Exact rationals.
//!
//! Nearly all that laws compute with fits into two machine integers, and arithmetic of these is an order of magnitude faster than that of integers of any size.
//! A number that does not fit is one of any size, and becomes small again where it can: so each number has one form, and equality is that of forms.
//! This module must never round and never wrap: what overflows is computed again in integers of any size.

use core::cmp::Ordering;
use core::fmt;
use core::iter::Sum;
use core::ops::{Add, Div, Mul, Neg, Sub};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::Scalar;

/// A rational number of any size: laws of rational contracts hold for it to the last digit.
///
/// # Example
///
/// ```
/// use pullback_scalar::{Rational, Scalar};
///
/// let third = Rational::from_ratio(1, 3);
/// assert_eq!(third.clone() + third.clone() + third, Rational::one());
/// // There is no largest one.
/// let large = Rational::from_ratio(-2, 3).powi(1000);
/// assert_eq!(large.clone() * large.recip(), Rational::one());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Form);

/// In lowest terms, with a positive denominator; large only where it is not small.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    /// Numerator, which is not the least of its type, and denominator.
    Small(i128, i128),
    Large(Box<BigRational>),
}

use Form::{Large, Small};

/// The greatest common divisor: Stein's algorithm, in as many bits as it takes.
fn divisor(a: i128, b: i128) -> i128 {
    macro_rules! stein {
        ($a:expr, $b:expr) => {{
            let (mut a, mut b) = ($a, $b);
            if a == 0 || b == 0 {
                return (a | b) as i128;
            }
            let twos = (a | b).trailing_zeros();
            a >>= a.trailing_zeros();
            while b != 0 {
                b >>= b.trailing_zeros();
                if a > b {
                    core::mem::swap(&mut a, &mut b);
                }
                b -= a;
            }
            (a << twos) as i128
        }};
    }
    let (a, b) = (a.unsigned_abs(), b.unsigned_abs());
    match (u64::try_from(a), u64::try_from(b)) {
        // In most cases one of them is one.
        (Ok(1), _) | (_, Ok(1)) => 1,
        (Ok(a), Ok(b)) => stein!(a, b),
        _ => stein!(a, b),
    }
}

/// A quotient that comes out even.
fn over(number: i128, divisor: i128) -> i128 {
    if divisor == 1 { number } else { number / divisor }
}

/// The number with a numerator and a denominator in lowest terms.
fn small(numerator: i128, denominator: i128) -> Option<Rational> {
    (numerator != i128::MIN).then_some(Rational(Small(numerator, denominator)))
}

/// What overflows is none.
fn sum(a: i128, b: i128, c: i128, d: i128) -> Option<Rational> {
    // Knuth, The Art of Computer Programming, volume 2, 4.5.1: two divisors of small numbers instead of one of large ones.
    if b == d {
        let numerator = a.checked_add(c)?;
        let common = divisor(numerator, b);
        return small(over(numerator, common), over(b, common));
    }
    let common = divisor(b, d);
    let (b, left) = (over(b, common), over(d, common));
    let numerator = a.checked_mul(left)?.checked_add(c.checked_mul(b)?)?;
    let rest = if common == 1 { 1 } else { divisor(numerator, common) };
    small(over(numerator, rest), b.checked_mul(over(d, rest))?)
}

fn product(a: i128, b: i128, c: i128, d: i128) -> Option<Rational> {
    let (left, right) = (divisor(a, d), divisor(c, b));
    small(over(a, left).checked_mul(over(c, right))?, over(b, right).checked_mul(over(d, left))?)
}

fn inverse(a: i128, b: i128) -> Option<(i128, i128)> {
    // One over zero is for the numbers of any size to refuse, as they do.
    (a != 0).then(|| if a < 0 { (-b, -a) } else { (b, a) })
}

impl Rational {
    /// The number that a double is, exactly; nothing where it is not finite.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback_scalar::{Rational, Scalar};
    ///
    /// assert_eq!(Rational::from_float(-0.375), Some(Rational::from_ratio(-3, 8)));
    /// // A tenth is not a double.
    /// assert_ne!(Rational::from_float(0.1), Some(Rational::from_ratio(1, 10)));
    /// assert_eq!(Rational::from_float(f64::NAN), None);
    /// ```
    #[must_use]
    pub fn from_float(number: f64) -> Option<Self> {
        BigRational::from_float(number).map(Rational::from)
    }

    /// The numerator, in lowest terms; it has the sign.
    #[must_use]
    pub fn numer(&self) -> BigInt {
        match &self.0 {
            Small(numerator, _) => BigInt::from(*numerator),
            Large(number) => number.numer().clone(),
        }
    }

    /// The denominator, in lowest terms; it is positive.
    #[must_use]
    pub fn denom(&self) -> BigInt {
        match &self.0 {
            Small(_, denominator) => BigInt::from(*denominator),
            Large(number) => number.denom().clone(),
        }
    }

    /// By machine integers where both are small and so is the result, else by integers of any size.
    fn combined(
        self,
        other: Self,
        fast: fn(i128, i128, i128, i128) -> Option<Rational>,
        slow: fn(BigRational, BigRational) -> BigRational,
    ) -> Self {
        if let (Small(a, b), Small(c, d)) = (&self.0, &other.0)
            && let Some(found) = fast(*a, *b, *c, *d)
        {
            return found;
        }
        slow(self.into(), other.into()).into()
    }
}

impl From<BigRational> for Rational {
    fn from(number: BigRational) -> Self {
        match (number.numer().to_i128(), number.denom().to_i128()) {
            (Some(numerator), Some(denominator)) if numerator != i128::MIN => Rational(Small(numerator, denominator)),
            _ => Rational(Large(Box::new(number))),
        }
    }
}

impl From<Rational> for BigRational {
    fn from(number: Rational) -> Self {
        match number.0 {
            Small(numerator, denominator) => BigRational::new_raw(numerator.into(), denominator.into()),
            Large(number) => *number,
        }
    }
}

impl PartialEq<BigRational> for Rational {
    fn eq(&self, other: &BigRational) -> bool {
        self.numer() == *other.numer() && self.denom() == *other.denom()
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(numerator, 1) => write!(f, "{numerator}"),
            Small(numerator, denominator) => write!(f, "{numerator}/{denominator}"),
            Large(number) => write!(f, "{number}"),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Small(a, b), Small(c, d)) = (&self.0, &other.0)
            && let (Some(left), Some(right)) = (a.checked_mul(*d), c.checked_mul(*b))
        {
            return left.cmp(&right);
        }
        BigRational::from(self.clone()).cmp(&BigRational::from(other.clone()))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Operators: the trait, its function, how two small numbers are combined, and how large ones are.
macro_rules! operators {
    ($($operator:ident $function:ident $fast:expr;)*) => {$(
        impl $operator for Rational {
            type Output = Self;
            #[inline]
            fn $function(self, other: Self) -> Self {
                self.combined(other, $fast, $operator::$function)
            }
        }

        impl $operator<&Rational> for Rational {
            type Output = Self;
            #[inline]
            fn $function(self, other: &Self) -> Self {
                self.$function(other.clone())
            }
        }
    )*};
}

operators! {
    Add add sum;
    Sub sub |a, b, c, d| sum(a, b, -c, d);
    Mul mul product;
    Div div |a, b, c, d| inverse(c, d).and_then(|(c, d)| product(a, b, c, d));
}

impl Sum for Rational {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Rational::zero(), Add::add)
    }
}

impl<'a> Sum<&'a Rational> for Rational {
    fn sum<I: Iterator<Item = &'a Rational>>(numbers: I) -> Self {
        numbers.fold(Rational::zero(), Add::add)
    }
}

impl Neg for Rational {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        match self.0 {
            Small(numerator, denominator) => Rational(Small(-numerator, denominator)),
            // The negative of what is not small may be: of the least integer.
            Large(number) => (-*number).into(),
        }
    }
}

impl ToPrimitive for Rational {
    fn to_i64(&self) -> Option<i64> {
        BigRational::from(self.clone()).to_i64()
    }
    fn to_u64(&self) -> Option<u64> {
        BigRational::from(self.clone()).to_u64()
    }
    fn to_f64(&self) -> Option<f64> {
        // The quotient of two integers that are doubles is rounded once.
        const EXACT: u128 = 1 << f64::MANTISSA_DIGITS;
        match &self.0 {
            Small(a, b) if a.unsigned_abs() <= EXACT && b.unsigned_abs() <= EXACT => Some(*a as f64 / *b as f64),
            _ => BigRational::from(self.clone()).to_f64(),
        }
    }
}

impl Scalar for Rational {
    fn zero() -> Self {
        Rational(Small(0, 1))
    }
    fn one() -> Self {
        Rational(Small(1, 1))
    }
    fn from_ratio(numerator: i64, denominator: i64) -> Self {
        Rational(Small(numerator.into(), 1)) / Rational(Small(denominator.into(), 1))
    }
    fn literal(_: f32, _: f64, exact: impl FnOnce() -> BigRational) -> Self {
        exact().into()
    }
    fn from_usize(value: usize) -> Self {
        BigRational::from_integer(BigInt::from(value)).into()
    }
    fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }
    fn is_positive(&self) -> bool {
        match &self.0 {
            Small(numerator, _) => *numerator > 0,
            Large(number) => Signed::is_positive(&**number),
        }
    }
    fn maximum(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    fn floor(self) -> Self {
        BigRational::from(self).floor().into()
    }
    fn round(self) -> Self {
        let number = BigRational::from(self);
        let floor = number.floor();
        let up = &floor + <BigRational as One>::one();
        let twice = (number - &floor) * BigRational::from_integer(2.into());
        let nearest = match twice.cmp(&<BigRational as One>::one()) {
            Ordering::Less => floor,
            Ordering::Greater => up,
            Ordering::Equal if Zero::is_zero(&(floor.to_integer() % 2_u32)) => floor,
            Ordering::Equal => up,
        };
        nearest.into()
    }
    fn accumulate(&mut self, term: Self) {
        let sum = core::mem::replace(self, Rational(Small(0, 1)));
        *self = sum + term;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn big(numerator: i128, denominator: i128) -> BigRational {
        BigRational::new(numerator.into(), denominator.into())
    }

    /// Small ones, ones whose products just overflow, and the ends of the type.
    fn integer() -> impl Strategy<Value = i128> {
        prop_oneof![
            (-20..20_i64).prop_map(i128::from),
            any::<i64>().prop_map(i128::from),
            any::<i128>(),
            Just(i128::MAX),
            Just(i128::MIN),
            Just(i128::MIN + 1),
            Just(1 << 64),
            Just((1 << 63) - 1),
        ]
    }

    fn number() -> impl Strategy<Value = BigRational> {
        (integer(), integer()).prop_filter("a denominator", |(_, d)| *d != 0).prop_map(|(n, d)| big(n, d))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// Whatever the form, the number is that of integers of any size, and numbers that are equal have one form.
        #[test]
        fn arithmetic_is_that_of_integers_of_any_size(x in number(), y in number()) {
            let (a, b) = (Rational::from(x.clone()), Rational::from(y.clone()));
            prop_assert_eq!(&BigRational::from(a.clone()), &x);
            for (found, expected) in [
                (a.clone() + b.clone(), &x + &y),
                (a.clone() - b.clone(), &x - &y),
                (a.clone() * b.clone(), &x * &y),
                (-a.clone(), -x.clone()),
                (a.clone().round(), x.round()),
            ] {
                // Ratio rounds halves away from zero, and the scalar to the even one.
                let half = found != expected && (BigRational::from(found.clone()) - &x).abs() == big(1, 2);
                prop_assert!(found == expected || half, "{} and {}", found, expected);
                prop_assert_eq!(&Rational::from(BigRational::from(found.clone())), &found);
            }
            if !Zero::is_zero(&y) {
                prop_assert_eq!(a.clone() / b.clone(), Rational::from(&x / &y));
            }
            let mut sum = a.clone();
            sum.accumulate(b.clone());
            prop_assert_eq!(sum, &x + &y);
            prop_assert_eq!(a.cmp(&b), x.cmp(&y));
            prop_assert_eq!((a.is_zero(), a.is_positive()), (Zero::is_zero(&x), Signed::is_positive(&x)));
            prop_assert_eq!(ToPrimitive::to_f64(&a), ToPrimitive::to_f64(&x));
            prop_assert_eq!(a.to_string(), x.to_string());
        }
    }

    #[test]
    fn what_has_grown_becomes_small_again() {
        let large = Rational::from_ratio(i64::MAX, 3).powi(5);
        assert!(matches!(large.0, Large(_)));
        let one = large.clone() / large.clone();
        assert!(matches!(one.0, Small(1, 1)));
        assert!(matches!((large.clone() - large).0, Small(0, 1)));
        // The least integer has no negative of its type.
        let least = Rational::from(BigRational::from_integer(i128::MIN.into()));
        assert!(matches!(least.0, Large(_)));
        assert_eq!(-(-least.clone()), least);
        let one = Rational::one();
        assert!(matches!((least + one).0, Small(..)));
    }

    #[test]
    #[should_panic(expected = "denominator == 0")]
    fn nothing_is_divided_by_zero() {
        let _ = Rational::one() / Rational::zero();
    }
}
