//! The error function and its complement: an enclosure of both at one point, in integers of any size.
//!
//! `erf x = 2/√π x (1 - x²/3 + x⁴/(2! 5) - x⁶/(3! 7) + ...)`. The terms grow to about e^(x²) before they fall, and the
//! complement falls to about e^(-x²): as many binary places as both take are added to those that a float has.

use std::sync::OnceLock;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::Interval;
use super::elementary::{TINY, outward, parts};

/// From here on the complement is less than the least float.
const LARGEST: f64 = 27.5;
/// Binary places of 2/√π.
const PLACES: usize = 2560;

/// An integer as a quotient that is rounded down, and up.
fn down(v: &BigInt, by: usize) -> BigInt {
    v >> by
}
fn up(v: &BigInt, by: usize) -> BigInt {
    -((-v) >> by)
}

/// `low 2^e` and `high 2^e` as floats on the outside.
fn floats(low: &BigInt, high: &BigInt, e: i64) -> Interval {
    let cut = low.bits().max(high.bits()).saturating_sub(100) as usize;
    let ends = (down(low, cut).to_i128(), up(high, cut).to_i128());
    match ends {
        (Some(low), Some(high)) => outward(low, high, e + cut as i64),
        _ => super::WHOLE,
    }
}

/// `2/√π` in units of 2^-2560: a number below it that is at most two units away.
///
/// Sound: Machin's formula gives π with 64 more places and an error of less than a thousand of its units, and what
/// follows has a condition below one.
fn two_over_root_pi() -> &'static BigInt {
    static CONSTANT: OnceLock<BigInt> = OnceLock::new();
    CONSTANT.get_or_init(|| {
        let places = PLACES + 64;
        let arc = |n: u32| {
            let (mut power, mut sum, mut k) = ((BigInt::one() << places) / n, BigInt::zero(), 0u32);
            while !power.is_zero() {
                let term: BigInt = &power / (2 * k + 1);
                sum += if k % 2 == 1 { -term } else { term };
                power /= n * n;
                k += 1;
            }
            sum
        };
        let pi: BigInt = (4 * arc(5) - arc(239)) * 4;
        let square = (BigInt::one() << (2 * places + 2 + places)) / pi;
        (square.sqrt() >> 64) - 1u32
    })
}

/// `erf x` and `erfc x`.
///
/// Sound: a partial sum is an interval that each term widens by its own rounding; from where the terms fall, the
/// rest of the alternating series is less than the next one.
pub(super) fn both(x: f64) -> (Interval, Interval) {
    let size = x.abs();
    let flip = |(erf, erfc): (Interval, Interval)| {
        if x >= 0.0 {
            return (erf, erfc);
        }
        let turned = Interval { low: -erf.high, high: -erf.low };
        (turned, erfc)
    };
    if size >= LARGEST {
        let near = Interval { low: 1.0f64.next_down(), high: 1.0 };
        let rest =
            if x > 0.0 { Interval { low: 0.0, high: TINY } } else { Interval { low: 2.0f64.next_down(), high: 2.0 } };
        return flip((near, rest));
    }
    // log₂ e < 1.45.
    let places = 192 + (2.0 * 1.45 * size * size) as usize;
    let (m, e) = parts(size);
    let one = BigInt::one() << places;
    // x² rounded down and up; a tiny one is less than a unit.
    let (low, high) = {
        let square = BigInt::from(m) * m;
        let shift = places as i64 + 2 * e;
        if shift >= 0 {
            (&square << shift as usize, &square << shift as usize)
        } else {
            (down(&square, -shift as usize), up(&square, -shift as usize))
        }
    };
    let (mut least, mut most) = (one.clone(), one.clone());
    let (mut sum_low, mut sum_high) = (one.clone(), one.clone());
    let mut n = 1u32;
    loop {
        least = down(&(&least * &low), places).div_floor(&n.into());
        most = up(&(&most * &high), places).div_ceil(&n.into());
        let (a, b) = (least.div_floor(&(2 * n + 1).into()), most.div_ceil(&(2 * n + 1).into()));
        if n % 2 == 1 {
            sum_low -= &b;
            sum_high -= &a;
        } else {
            sum_low += &a;
            sum_high += &b;
        }
        // From n > x² on each term is less than the one before.
        if f64::from(n) > size * size && b <= 2.into() {
            sum_low -= 2;
            sum_high += 2;
            break;
        }
        n += 1;
    }
    let c = two_over_root_pi();
    let t_low = down(&(&sum_low * c), PLACES);
    let t_high = up(&(&sum_high * (c + 2u32)), PLACES);
    let m = BigInt::from(m);
    let (low, high) = (&m * t_low, &m * t_high);
    let erf = floats(&low, &high, e - places as i64);
    // In units of 2^-places: e < 0, as x is less than 2^52.
    let shift = (-e).max(0) as usize;
    let (low, high) = (down(&low, shift), up(&high, shift));
    let (low, high) = if x < 0.0 { (&one + low, &one + high) } else { (&one - high, &one - low) };
    debug_assert!(!low.is_negative() || size > 27.0);
    let erfc = floats(&low.max(BigInt::zero()), &high, -(places as i64));
    flip((Interval { low: erf.low, high: erf.high.min(1.0) }, erfc))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(2/√π)² · π = 4`, with π of another formula (Gauss).
    #[test]
    fn the_constant_is_right_to_the_last_places() {
        let places = PLACES + 100;
        let arc = |n: u32| {
            let (mut power, mut sum, mut k) = ((BigInt::one() << places) / n, BigInt::zero(), 0u32);
            while !power.is_zero() {
                let term: BigInt = &power / (2 * k + 1);
                sum += if k % 2 == 1 { -term } else { term };
                power /= n * n;
                k += 1;
            }
            sum
        };
        let pi: BigInt = (12 * arc(18) + 8 * arc(57) - 5 * arc(239)) * 4;
        let four = BigInt::from(4) << (2 * PLACES + places);
        let c = two_over_root_pi();
        let above: BigInt = c + 2u32;
        assert!(c * c * &pi <= four && &above * &above * &pi >= four);
    }
}
