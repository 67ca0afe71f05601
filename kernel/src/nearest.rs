//! The float that is nearest to a rational, halves to the even one: how a literal becomes a number of a machine.
//!
//! This is the only place where an exact number is rounded, for every way that a statement is computed in.
//! It must never round twice, not even through another float, and works on integers alone.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::Rational;

/// A binary format of IEEE 754.
struct Format {
    /// Binary digits of a normal number.
    digits: u32,
    /// The exponent of the least positive number.
    least: i64,
    /// The exponent of the greatest number's first digit.
    greatest: i64,
}

const SINGLE: Format = Format { digits: f32::MANTISSA_DIGITS, least: -149, greatest: 127 };
const DOUBLE: Format = Format { digits: f64::MANTISSA_DIGITS, least: -1074, greatest: 1023 };

/// The double nearest to the number: infinite from half a unit past the greatest on, zero up to half of the least.
///
/// # Example
///
/// ```
/// use pullback_kernel::{Rational, nearest};
///
/// let tenth = Rational::new(1.into(), 10.into());
/// assert_eq!(nearest::f64(&tenth), 0.1);
/// assert_eq!(nearest::f32(&tenth), 0.1);
/// // Between two singles, and through the nearest double it would end at the other.
/// let between = Rational::new(((1_i64 << 54) + (1 << 30) + 1).into(), (1_i64 << 54).into());
/// assert_ne!(nearest::f32(&between), nearest::f64(&between) as f32);
/// ```
pub fn f64(q: &Rational) -> f64 {
    let sign = u64::from(q.is_negative()) << 63;
    f64::from_bits(sign | magnitude(q, &DOUBLE))
}

/// The single nearest to the number, as [`f64()`] is for doubles.
pub fn f32(q: &Rational) -> f32 {
    let sign = u32::from(q.is_negative()) << 31;
    f32::from_bits(sign | magnitude(q, &SINGLE) as u32)
}

/// What became of a number that is not zero in the float nearest to it: `zero`, or `infinite`; none where digits are left.
pub fn lost(q: &Rational, nearest: f64) -> Option<&'static str> {
    if nearest.is_infinite() {
        Some("infinite")
    } else if nearest == 0.0 && !q.is_zero() {
        Some("zero")
    } else {
        None
    }
}

/// A number in few digits, for a message about its size.
pub fn text(q: &Rational) -> String {
    let near = f64(q);
    if lost(q, near).is_none() {
        return format!("{near:e}");
    }
    // Past the range of doubles: its power of ten, as near as the lengths of its integers say it.
    let twos = q.numer().bits() as f64 - q.denom().bits() as f64;
    format!("{}1e{:.0} (about)", if q.is_negative() { "-" } else { "" }, twos * std::f64::consts::LOG10_2)
}

/// The bits of the float nearest to the magnitude.
fn magnitude(q: &Rational, format: &Format) -> u64 {
    let (n, d) = (q.numer().abs(), q.denom());
    if n.is_zero() {
        return 0;
    }
    // The exponent of the first digit.
    let first = {
        let about = n.bits() as i64 - d.bits() as i64;
        if scaled(&n, -about) < scaled(d, about) { about - 1 } else { about }
    };
    let field = format.digits - 1;
    let infinite = ((format.greatest - format.least - i64::from(field) + 2) as u64) << field;
    if first > format.greatest {
        return infinite;
    }
    // Less than half of the least.
    if first < format.least - 1 {
        return 0;
    }
    let unit = (first - i64::from(field)).max(format.least);
    let (units, rest) = scaled(&n, -unit).div_rem(&scaled(d, unit));
    let up = match (rest * 2u32).cmp(&scaled(d, unit)) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => units.is_odd(),
    };
    let units = units.to_u64().unwrap_or(0) + u64::from(up);
    // The digit in front, which is not stored, is one more in the exponent; so is what a carry makes, up to infinity.
    // A number that is not normal has neither.
    (((unit - format.least) as u64) << field) + units
}

/// `n · 2^power` for a power that is not negative, else `n`: the other side of a comparison or quotient gets the rest.
fn scaled(n: &BigInt, power: i64) -> BigInt {
    n << u64::try_from(power).unwrap_or(0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails where it unwraps nothing")]
mod tests {
    use num_traits::One;

    use super::*;
    use crate::syntax::Number;

    /// The library of the language reads decimals, and shares no code with this.
    fn agrees(text: &str) {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let number = Number::new(digits).unwrap_or_else(|| panic!("{text}"));
        let q = if negative { -number.value() } else { number.value().clone() };
        let (single, double) = (text.parse::<f32>().unwrap(), text.parse::<f64>().unwrap());
        // No rational is minus zero, but one may be rounded to it.
        let (single, double) = if q.is_zero() { (0.0, 0.0) } else { (single, double) };
        assert_eq!(f32(&q).to_bits(), single.to_bits(), "{text}");
        assert_eq!(f64(&q).to_bits(), double.to_bits(), "{text}");
    }

    fn power(exponent: i64) -> Rational {
        let two = BigInt::one() << exponent.unsigned_abs();
        if exponent < 0 { Rational::new(BigInt::one(), two) } else { Rational::from_integer(two) }
    }

    /// A float and the one after it, and what lies around the half way between them.
    fn around_half(bits: u64, format: &Format, of: impl Fn(&Rational) -> u64) {
        let exact = |bits: u64| {
            let field = format.digits - 1;
            let (exponent, rest) = ((bits >> field) as i64, bits & ((1 << field) - 1));
            let units = if exponent == 0 { rest } else { rest + (1 << field) };
            Rational::from_integer(units.into()) * power(format.least + (exponent - 1).max(0))
        };
        let (low, high) = (exact(bits), exact(bits + 1));
        let half = (&low + &high) / Rational::from_integer(2.into());
        // Far less than a double can say.
        let beside = (&high - &low) * power(-200);
        assert_eq!(of(&low), bits);
        assert_eq!(of(&(&half - &beside)), bits, "just below {half}");
        assert_eq!(of(&half), bits + (bits & 1), "{half}");
        assert_eq!(of(&(&half + &beside)), bits + 1, "just above {half}");
        assert_eq!(of(&(&low + &beside)), bits);
    }

    #[test]
    fn half_way_between_any_two_neighbours() {
        let (single, double) = (|q: &Rational| u64::from(f32(q).to_bits()), |q: &Rational| f64(q).to_bits());
        // Every exponent, with the first, the last and other digits; all that are not normal near zero.
        for exponent in 0..255u64 {
            for rest in [0, 1, 2, 0x2a_aaaa, 0x55_5555, 0x7f_fffe, 0x7f_ffff] {
                around_half(exponent << 23 | rest, &SINGLE, single);
            }
        }
        for exponent in (0..2047u64).filter(|e| e % 31 == 0 || !(3..2044).contains(e)) {
            for rest in [0, 1, 0x5_5555_5555_5555, (1 << 52) - 2, (1 << 52) - 1] {
                around_half(exponent << 52 | rest, &DOUBLE, double);
            }
        }
        for bits in 0..2000 {
            around_half(bits, &SINGLE, single);
            around_half(bits, &DOUBLE, double);
        }
        // Past the greatest: its last step reaches infinity at half.
        assert_eq!((f32::INFINITY.to_bits(), f64::INFINITY.to_bits()), (0x7f80_0000, 0x7ff0 << 48));
        let most = power(128) - power(103);
        assert_eq!(f32(&most), f32::INFINITY);
        assert_eq!(f32(&(most - power(-500))), f32::MAX);
        assert_eq!(f64(&-power(5000)), f64::NEG_INFINITY);
        assert_eq!(f64(&power(-5000)).to_bits(), 0);
    }

    #[test]
    fn what_is_lost_is_said() {
        let tiny = Number::new("1e-60").unwrap().value().clone();
        assert_eq!((lost(&tiny, f32(&tiny).into()), lost(&tiny, f64(&tiny))), (Some("zero"), None));
        assert_eq!(text(&tiny), "1e-60");
        let great = -Number::new("2e350").unwrap().value();
        assert_eq!((lost(&great, f64(&great)), text(&great).as_str()), (Some("infinite"), "-1e350 (about)"));
        assert_eq!(lost(&Rational::zero(), 0.0), None);
    }

    #[test]
    fn decimals_are_what_the_language_reads() {
        for text in [
            "0",
            "1",
            "-1",
            "0.1",
            "3.141592653589793238462643383279502884197169",
            "1.602176634e-30",
            "1.17549435e-38",
            "1.000000000000000000000000000000000000001e-2",
            "0.123456789123456789",
            "6.02214076e23",
            "1e-45",
            "7e-46",
            "7.006492321624085e-46",
            "1.4e-45",
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "5e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "3.4028235677973366e38",
            "3.4028235677973367e38",
            "9007199254740993",
            "16777217",
            "-16777219.00000000001",
            "1.234567890123456789012345678901234567890e-300",
            "8.5e-324",
            "123456789012345678901234567890",
        ] {
            agrees(text);
        }
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 20
        };
        for _ in 0..20_000 {
            let digits: String = (0..1 + next() % 30).map(|_| char::from(b'0' + (next() % 10) as u8)).collect();
            let sign = if next() % 2 == 0 { "-" } else { "" };
            let range = [10, 45, 330][(next() % 3) as usize];
            let exponent = next() as i64 % range - range / 2 - 10;
            agrees(&format!("{sign}{}.{digits}e{exponent}", next() % 10));
        }
    }
}
