//! Elementary functions of floats, in integers: an enclosure of the value at one point.
//!
//! Arguments are taken apart exactly, and everything after that is integer arithmetic with one end rounded
//! down and the other rounded up, so that no step has an error that must be estimated.
//! [`outward`] alone makes floats again.
//!
//! A series is summed from its tail inwards (Horner's scheme). The tail itself is not dropped: it is
//! replaced by an interval that is known to contain it, and each step encloses a longer tail.
//! So there is no separate remainder term, and a series that is too short gives a wide result, not a
//! wrong one.
//!
//! Every function expects an argument that is not NaN.

use super::Interval;
use crate::eval::Number;

/// The least positive float.
pub(super) const TINY: f64 = f64::from_bits(1);

/// Bits of a magnitude: |v| < 2^bits.
fn bits(v: i128) -> i64 {
    128 - i64::from(v.unsigned_abs().leading_zeros())
}

/// `v / 2^by`, rounded down.
fn down(v: i128, by: i64) -> i128 {
    if by < 0 { v << -by } else { v >> by.min(127) }
}

/// `v / 2^by`, rounded up.
fn up(v: i128, by: i64) -> i128 {
    -down(-v, by)
}

/// `a / b`, rounded up, for b > 0.
pub(super) fn ceil_div(a: i128, b: i128) -> i128 {
    -(-a).div_euclid(b)
}

/// A finite float as `m * 2^e`, exactly.
pub(super) fn parts(x: f64) -> (i128, i64) {
    let (exponent, fraction) = ((x.to_bits() >> 52 & 0x7ff) as i64, i128::from(x.to_bits() & ((1 << 52) - 1)));
    let (m, e) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    (if x.is_sign_negative() { -m } else { m }, e)
}

/// The largest float that is at most `v * 2^e`.
///
/// Sound: what is cut off is rounded down by [`down`]; what is left has 53 bits and is no finer than the
/// least float, so that its conversion and its scaling by a power of two are exact.
fn below(v: i128, e: i64) -> f64 {
    let unit = (bits(v) - 53 + e).max(-1074);
    let whole = down(v, unit - e) as f64;
    let scale = match unit {
        _ if whole == 0.0 => return 0.0,
        // Beyond the largest float, on either side.
        972.. => return if v > 0 { f64::MAX } else { f64::NEG_INFINITY },
        -1022.. => f64::from_bits(((unit + 1023) as u64) << 52),
        _ => f64::from_bits(1 << (unit + 1074)),
    };
    // May be -2^1024, which overflows to where it should.
    whole * scale
}

/// The floats next to `low * 2^e` and `high * 2^e`, on the outside.
pub(super) fn outward(low: i128, high: i128, e: i64) -> Interval {
    // Not a negation: zero has no sign.
    Interval { low: below(low, e), high: 0.0 - below(-high, e) }
}

/// One, in units of [`Fixed`].
const ONE: i128 = 1 << 62;

/// An interval in units of 2^-62; |x| <= 2, so that products fit.
#[derive(Clone, Copy)]
struct Fixed {
    low: i128,
    high: i128,
}

impl Fixed {
    /// An interval given in units of 2^-places.
    fn from_places(low: i128, high: i128, places: i64) -> Self {
        Fixed { low: down(low, places - 62), high: up(high, places - 62) }
    }
    fn plus(self, o: Self) -> Self {
        Fixed { low: self.low + o.low, high: self.high + o.high }
    }
    fn times(self, o: Self) -> Self {
        let (a, b, c, d) = (self.low * o.low, self.low * o.high, self.high * o.low, self.high * o.high);
        Fixed { low: down(a.min(b).min(c.min(d)), 62), high: up(a.max(b).max(c.max(d)), 62) }
    }
    fn over(self, n: i64) -> Self {
        // Nearly all fit in 64 bits, where a division takes a fraction of the time.
        let quotient = |v: i128| i64::try_from(v).map_or_else(|_| v.div_euclid(n.into()), |v| v.div_euclid(n).into());
        Fixed { low: quotient(self.low), high: -quotient(-self.high) }
    }
}

/// The series `1 + y / n(n+1) + y^2 / n(n+1)(n+2)(n+3) + ...` for |y| <= 1: with n = 1 it is `cosh r` at
/// y = r^2 and `cos r` at y = -r^2, with n = 2 it is `sinh r / r` and `sin r / r`.
///
/// Sound: it is `1 + y / n(n+1) * tail`, where the tail is the same series with n + 2. For such y each term
/// is at most half of the one before, so that every tail lies in [0, 2].
fn factorials(y: Fixed, n: i64) -> Fixed {
    let one = Fixed { low: ONE, high: ONE };
    (0..10)
        .rev()
        .map(|j| n + 2 * j)
        .fold(Fixed { low: 0, high: 2 * ONE }, |tail, n| one.plus(y.times(tail).over(n * (n + 1))))
}

/// Binary places of arguments and constants.
const PLACES: i64 = 112;
/// The natural logarithm of two, in units of 2^-112 and of 2^-224, rounded down.
const LN_2: (i128, i128) = (0xb172_17f7_d1cf_79ab_c9e3_b398_03f2, 0xf6af_40f3_4326_7298_b62d_8a0d_175b);
/// A right angle, in units of 2^-112 and of 2^-224, rounded down.
const RIGHT_ANGLE: (i128, i128) = (0x1_921f_b544_42d1_8469_898c_c517_01b8, 0x39a2_5204_9c11_14cf_98e8_0417_7d4c);
/// Where `sin` and `cos` give up.
pub(super) const LARGEST_ANGLE: f64 = 16384.0;

/// `k` and the ends of `r`, in units of 2^-112, with `x = k c + r` and `0 <= r + offset < c`, about.
///
/// Sound for every k, and so for the k that is chosen: `x` is rounded down and up, and `k c` is enclosed with
/// twice the places. Everything fits for |x| <= 2^14.
fn reduce(x: f64, (c, more): (i128, i128), offset: i128) -> (i128, i128, i128) {
    let (m, e) = parts(x);
    let (low, high) = (down(m, -e - PLACES), up(m, -e - PLACES));
    let k = (low + offset).div_euclid(c);
    let (a, b) = (k * more, k * (more + 1));
    (k, low - k * c - up(a.max(b), PLACES), high - k * c - down(a.min(b), PLACES))
}

/// `e^x` as `q * 2^k`, for |x| <= 2^14: `x = k ln 2 + r`, and `e^r = cosh r + r * (sinh r / r)`.
fn exp_parts(x: f64) -> (Fixed, i64) {
    let (k, low, high) = reduce(x, LN_2, 0);
    let r = Fixed::from_places(low, high, PLACES);
    let y = r.times(r);
    let mut q = factorials(y, 1).plus(r.times(factorials(y, 2)));
    if low >= 0 && (high <= LN_2.0 || k == -1) {
        // 1 <= e^r <= 2, as 0 <= r <= ln 2; with k = -1, x is negative and r = x + ln 2.
        // Without it the ends would not be monotone in x where k changes.
        q = Fixed { low: q.low.max(ONE), high: q.high.min(2 * ONE) };
    }
    (q, k as i64)
}

/// `e^x`. Out of the range of floats: more than the largest one, or between zero and the least one.
pub(super) fn exp(x: f64) -> Interval {
    if x.abs() <= 1000.0 {
        let (q, k) = exp_parts(x);
        outward(q.low, q.high, k - 62)
    } else if x > 0.0 {
        Interval { low: f64::MAX, high: f64::INFINITY }
    } else {
        Interval { low: 0.0, high: TINY }
    }
}

/// `tanh x`: near zero `x (sinh x / x) / cosh x`, which keeps all its places; then `(1 - t) / (1 + t)` with
/// `t = e^(-2x)`, which decreases in t; from 32 on it differs from one by less than a float can say.
pub(super) fn tanh(x: f64) -> Interval {
    let (size, (m, e)) = (x.abs(), parts(x.abs()));
    let v = if size < 0.5 {
        let r = Fixed::from_places(m, m, -e);
        let y = r.times(r);
        let (s, c) = (factorials(y, 2), factorials(y, 1));
        // tanh x <= x.
        outward(m * ((s.low << 62) / c.high), m * ceil_div(s.high << 62, c.low).min(ONE), e - 62)
    } else if size < 32.0 {
        let (q, k) = exp_parts(-2.0 * size);
        let t = Fixed::from_places(q.low, q.high, 62 - k);
        outward(((ONE - t.high) << 62) / (ONE + t.high), ceil_div((ONE - t.low) << 62, ONE + t.low), -62)
    } else {
        Interval { low: 1.0f64.next_down(), high: 1.0 }
    };
    if x < 0.0 { v.neg() } else { v }
}

/// `e^x - 1`: near zero `x (sinh x / x + x/2 (cosh x - 1) 2/x^2)`, which keeps all its places; then `e^x` less one,
/// where both have a place in 128 bits.
pub(super) fn expm1(x: f64) -> Interval {
    if x.abs() < 0.5 {
        let (m, e) = parts(x);
        let r = Fixed::from_places(m, m, -e);
        let y = r.times(r);
        let half = Fixed { low: down(r.low, 1), high: up(r.high, 1) };
        let v = factorials(y, 2).plus(half.times(factorials(y, 3)));
        outward((m * v.low).min(m * v.high), (m * v.low).max(m * v.high), e - 62)
    } else if x > 1000.0 {
        Interval { low: f64::MAX, high: f64::INFINITY }
    } else if x < -60.0 {
        Interval { low: -1.0, high: (-1.0f64).next_up() }
    } else {
        let (q, k) = exp_parts(x);
        match k {
            // One is less than a unit of what is rounded.
            63.. => outward(q.low - 1, q.high, k - 62),
            0.. => outward((q.low << k) - ONE, (q.high << k) - ONE, -62),
            // k > -88, and q < 2^63: at most 2^-1 of it is left.
            _ => {
                let one = 1 << (62 - k.max(-62));
                let q = Fixed { low: down(q.low, -62 - k.min(-62)), high: up(q.high, -62 - k.min(-62)) };
                outward(q.low - one, q.high - one, k.max(-62) - 62)
            }
        }
    }
}

/// `atan x`: for |x| <= 1 it is `x / (1 + x^2)` times `1 + 2/3 u (1 + 4/5 u (1 + ...))` with `u = x^2 / (1 + x^2)`
/// (Euler), beyond a right angle less that of `1 / x`.
///
/// Sound: all terms are positive, and u <= 1/2, so that every tail of the series lies in [0, 2].
pub(super) fn atan(x: f64) -> Interval {
    let size = x.abs();
    let angle = Fixed::from_places(RIGHT_ANGLE.0, RIGHT_ANGLE.0 + 1, PLACES);
    let euler = |y: Fixed| {
        let one = Fixed { low: ONE, high: ONE };
        let w = one.plus(y);
        let over = |a: Fixed| Fixed { low: (a.low << 62) / w.high, high: ceil_div(a.high << 62, w.low) };
        let u = over(y);
        let series = (1..=70).rev().fold(Fixed { low: 0, high: 2 * ONE }, |tail, k| {
            let t = u.times(tail);
            one.plus(Fixed { low: t.low * 2 * k, high: t.high * 2 * k }.over(2 * k as i64 + 1))
        });
        over(series)
    };
    let v = if size.is_infinite() {
        outward(angle.low, angle.high, -62)
    } else if size <= 1.0 {
        let (m, e) = parts(size);
        let r = Fixed::from_places(m, m, -e);
        let t = euler(r.times(r));
        // atan x <= x.
        outward(m * t.low, m * t.high.min(ONE), e - 62)
    } else {
        let (m, e) = parts(size);
        let shift = 62 - e;
        let r = if shift < 0 {
            Fixed { low: 0, high: 1 }
        } else {
            Fixed { low: (1 << shift) / m, high: ceil_div(1 << shift, m) }
        };
        let t = r.times(euler(r.times(r)));
        outward(angle.low - t.high, angle.high - t.low, -62)
    };
    if x < 0.0 { v.neg() } else { v }
}

/// The sine of x and `quarter` right angles, for |x| < 2^14, and the place of x: 2k at the k-th multiple of a
/// right angle, 2k + 1 between it and the next, and 2k where that cannot be told.
///
/// Sound: `x = k right angles + r`, and the sine is that of r, its cosine, or the negative of one of them.
/// Where k = 0, r is x itself, so that the sine of a small number keeps all its places. Elsewhere r has an error
/// of 2^-111: no float below 100 is so close to a multiple that this shows in the result; beyond, the
/// enclosure of a value near zero may be wider, but not of one away from zero. From 2^14 on it is [-1, 1].
pub(super) fn circular(x: f64, quarter: i128) -> (Interval, i128) {
    let (k, mut low, mut high) = reduce(x, RIGHT_ANGLE, RIGHT_ANGLE.0 / 2);
    let mut e = -PLACES;
    if k == 0 {
        (low, e) = parts(x);
        high = low;
    }
    let place = 2 * k + i128::from(low > 0) - i128::from(high < 0);
    let negative = high < 0;
    if negative {
        (low, high) = (-high, -low);
    }
    // So many bits as a product has room for.
    let shift = (bits(high) - 62).max(0);
    (low, high, e) = (down(low, shift), up(high, shift), e + shift);
    let r = Fixed::from_places(low, high, -e);
    let y = r.times(r);
    let y = Fixed { low: -y.high, high: -y.low };
    let turns = (k + quarter).rem_euclid(4);
    let v = if turns % 2 == 1 {
        let c = factorials(y, 1);
        outward(c.low, c.high, -62)
    } else {
        let s = factorials(y, 2);
        outward((low * s.low).min(low * s.high), high * s.high, e - 62)
    };
    (if (turns >= 2) != (negative && turns % 2 == 0) { v.neg() } else { v }, place)
}

/// `log(1 + x)` for x > -1: near zero `2 artanh s` with `s = x / (2 + x)`, which keeps all its places; below it the
/// sum is a float, and above it is exact in 128 bits, or no larger than the next float.
///
/// Sound: `artanh s = s (1 + s^2/3 + ...)`, |s| <= 1/3, so that every tail of the series lies in [0, 2].
pub(super) fn log1p(x: f64) -> Interval {
    if x < -0.5 {
        // Exact: both have the same exponent, or the sum has a smaller one (Sterbenz).
        return log(1.0 + x);
    }
    let (m, e) = parts(x.abs());
    if x >= 1.0 {
        return if x.is_infinite() || e > 0 {
            // Its excess over log x is below 2^-53, and floats there are 2^-47 apart.
            let v = log(x);
            Interval { low: v.low, high: v.high.next_up() }
        } else {
            log_parts(m + (1 << -e), e)
        };
    }
    let r = Fixed::from_places(m, m, -e);
    let w = if x < 0.0 {
        Fixed { low: 2 * ONE - r.high, high: 2 * ONE - r.low }
    } else {
        Fixed { low: 2 * ONE + r.low, high: 2 * ONE + r.high }
    };
    let s = Fixed { low: (r.low << 62) / w.high, high: ceil_div(r.high << 62, w.low) };
    let y = s.times(s);
    let series = (0..22).rev().fold(Fixed { low: 0, high: 2 * ONE }, |tail, j| {
        Fixed { low: ONE, high: ONE }.over(2 * j + 1).plus(y.times(tail))
    });
    let v = Fixed { low: ((2 * series.low) << 62) / w.high, high: ceil_div((2 * series.high) << 62, w.low) };
    let v = outward(m * v.low, m * v.high, e - 62);
    if x < 0.0 { v.neg() } else { v }
}

/// `log x` for x > 0: `x = c 2^n` with c in [1, 2) from one on, and in (1/2, 1] below, so that both parts of
/// `log x = n ln 2 + log c` have one sign. With `s = |c - 1| / (c + 1)`, |log c| is `2 artanh s`.
///
/// Sound: `artanh s = s (1 + s^2/3 + s^4/5 + ...)`, s <= 1/3, so that every tail of the series lies in [0, 2].
/// Where n = 0, s is scaled up by 2^z, so that a small logarithm keeps all its places.
pub(super) fn log(x: f64) -> Interval {
    if x.is_infinite() {
        return Interval { low: log(f64::MAX).low, high: f64::INFINITY };
    }
    let (m, e) = parts(x);
    log_parts(m, e)
}

/// `log (m 2^e)` for 0 < m < 2^55.
fn log_parts(m: i128, e: i64) -> Interval {
    let less = bits(m) + e <= 0;
    let size = if !less || m & (m - 1) == 0 { bits(m) - 1 } else { bits(m) };
    let (one, n) = (1 << size, i128::from((e + size).abs()));
    let d = (m - one).abs();
    let z = if n == 0 { 54 - bits(d) } else { 0 };
    let s = Fixed { low: (d << (62 + z)) / (m + one), high: ceil_div(d << (62 + z), m + one) };
    let y = Fixed { low: down(s.low * s.low, 62 + 2 * z), high: up(s.high * s.high, 62 + 2 * z) };
    let series = (0..22).rev().fold(Fixed { low: 0, high: 2 * ONE }, |tail, j| {
        Fixed { low: ONE, high: ONE }.over(2 * j + 1).plus(y.times(tail))
    });
    let v = s.times(series);
    let (low, high) = (down(n * LN_2.0, PLACES - 62), up(n * (LN_2.0 + 1), PLACES - 62));
    let v = outward(low + 2 * v.low, high + 2 * v.high, -62 - z);
    if less { v.neg() } else { v }
}

/// `x^(1/2)` and `x^(-1/2)` for x > 0, by the root of an integer of 125 or 126 bits.
pub(super) fn roots(x: f64) -> (Interval, Interval) {
    if x.is_infinite() {
        return (Interval { low: f64::MAX.sqrt(), high: x }, Interval { low: 0.0, high: TINY });
    }
    let (m, e) = parts(x);
    let shift = 126 - bits(m) - ((e + bits(m)) & 1);
    let (m, half) = (m << shift, (e - shift) / 2);
    let root = m.isqrt();
    let above = root + i128::from(root * root != m);
    (outward(root, above, half), outward((1 << 126) / above, ceil_div(1 << 126, root), -126 - half))
}

/// `x^n` for n > 0, by squaring; a negative x only for odd n.
pub(super) fn power(x: f64, n: u32) -> Interval {
    if x.is_infinite() {
        let v = Interval { low: f64::MAX, high: f64::INFINITY };
        return if x < 0.0 { v.neg() } else { v };
    }
    // Low and high times a power of two; 62 bits are kept.
    let times = |a: (i128, i128, i64), b: (i128, i128, i64)| {
        let shift = (bits(a.1 * b.1) - 62).max(0);
        (down(a.0 * b.0, shift), up(a.1 * b.1, shift), a.2 + b.2 + shift)
    };
    let (m, e) = parts(x.abs());
    let (mut square, mut all) = ((m, m, e), (1, 1, 0));
    for bit in 0..u32::BITS - n.leading_zeros() {
        if n >> bit & 1 == 1 {
            all = times(all, square);
        }
        square = times(square, square);
    }
    let v = outward(all.0, all.1, all.2);
    if x < 0.0 { v.neg() } else { v }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    /// `1/n - 1/3n^3 + 1/5n^5 - ...`, or without the signs, with 300 binary places.
    fn arc(n: u32, alternating: bool) -> BigInt {
        let (mut power, mut sum, mut k) = ((BigInt::from(1) << 300) / n, BigInt::ZERO, 0u32);
        while power != BigInt::ZERO {
            let term: BigInt = &power / (2 * k + 1);
            sum += if alternating && k % 2 == 1 { -term } else { term };
            power /= n * n;
            k += 1;
        }
        sum
    }

    /// By `ln 2 = 2 artanh 1/3` and Machin's formula; errors of some hundred units cannot reach the 224th place.
    #[test]
    fn the_constants_are_right_to_the_last_place() {
        let right_angle = 2 * (4 * arc(5, true) - arc(239, true));
        for (constant, v) in [(super::LN_2, 2 * arc(3, false)), (super::RIGHT_ANGLE, right_angle)] {
            assert_eq!((BigInt::from(constant.0) << 112) + constant.1, v >> (300 - 224));
        }
    }
}
