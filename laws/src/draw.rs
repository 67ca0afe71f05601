//! Points in general position, from a seed.

use pullback_scalar::{Scalar, SplitMix64};

/// Which numbers to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Fractions between −3 and 3, now and then zero.
    Any,
    /// Fractions between −3 and 3 without zero, two neighbours never equal: cotangents are drawn so.
    NonZero,
    /// Fractions between 1/7 and 3.
    Positive,
    /// No two alike in all that one [`Draw`] gives, from both sides of zero.
    ///
    /// They are odd multiples of 1/16: none lies on a boundary that is a multiple of 1/8, and no difference of two on one that is an odd multiple of 1/16.
    Distinct,
    /// Numbers strictly above a whole one.
    Above(i64),
    /// Numbers strictly below a whole one.
    Below(i64),
    /// Numbers strictly between two whole ones: both boundaries are outside.
    Between(i64, i64),
}

/// Bounds beyond are refused: sixteenths of them are no whole numbers of 64 bits, or no doubles.
const LARGEST_BOUND: u64 = 1 << 40;

impl Domain {
    /// Whether a number lies in it.
    #[must_use]
    pub fn contains<T: Scalar>(self, number: &T) -> bool {
        let is_above = |bound: i64| (number.clone() - T::from_ratio(bound, 1)).is_positive();
        let is_below = |bound: i64| (T::from_ratio(bound, 1) - number.clone()).is_positive();
        match self {
            Domain::Any | Domain::Distinct => true,
            Domain::NonZero => !number.is_zero(),
            Domain::Positive => number.is_positive(),
            Domain::Above(low) => is_above(low),
            Domain::Below(high) => is_below(high),
            Domain::Between(low, high) => is_above(low) && is_below(high),
        }
    }

    /// Numbers outside of it, its boundary first; none where it is everything.
    #[must_use]
    pub fn outside<T: Scalar>(self) -> Vec<T> {
        let whole = |number: i64| T::from_ratio(number, 1);
        match self {
            Domain::Any | Domain::Distinct => vec![],
            Domain::NonZero => vec![T::zero(), -T::zero()],
            Domain::Positive => vec![T::zero(), -T::zero(), T::from_ratio(-1, 1024), whole(-2)],
            Domain::Above(low) => vec![whole(low), whole(low.saturating_sub(1)), whole(low.saturating_sub(1000))],
            Domain::Below(high) => vec![whole(high), whole(high.saturating_add(1)), whole(high.saturating_add(1000))],
            Domain::Between(low, high) => {
                vec![whole(low), whole(high), whole(low.saturating_sub(1)), whole(high.saturating_add(1))]
            }
        }
    }

    /// Whether there are numbers in it, and they can be drawn at this scalar.
    pub(crate) fn is_drawable<T: Scalar>(self) -> bool {
        // What lies beside the bound is another number.
        let apart = |bound: i64| {
            let (bound, beside) =
                (T::from_ratio(bound, 1), T::from_ratio(bound.saturating_mul(16).saturating_add(1), 16));
            (beside - bound).is_positive()
        };
        let fits = |bound: i64| bound.unsigned_abs() <= LARGEST_BOUND && apart(bound);
        match self {
            Domain::Any | Domain::NonZero | Domain::Positive | Domain::Distinct => true,
            Domain::Above(bound) | Domain::Below(bound) => fits(bound),
            Domain::Between(low, high) => low < high && fits(low) && fits(high),
        }
    }
}

/// A stream of numbers, the same for the same seed on every machine, and the same rationals at every scalar.
///
/// # Example
///
/// ```
/// use pullback_laws::{Approximate, Domain, Draw};
/// use pullback_scalar::Rational;
///
/// let exact: Vec<Rational> = Draw::new(7).list(3, Domain::NonZero);
/// let double: Vec<f64> = Draw::new(7).list(3, Domain::NonZero);
/// assert_eq!(double, exact.iter().map(Approximate::to_f64).collect::<Vec<_>>());
/// ```
#[derive(Clone, Debug)]
pub struct Draw {
    stream: SplitMix64,
    /// The last numerator and denominator.
    last: (i64, i64),
    /// What is left of the distinct numbers, shuffled, and how many there were before they ran out.
    distinct: Vec<i64>,
    beyond: i64,
}

/// How many distinct numbers are shuffled; further ones come in order, beyond them.
const DISTINCT: i64 = 64;

impl Draw {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut draw =
            Draw { stream: SplitMix64(seed), last: (0, 1), distinct: (0..DISTINCT).collect(), beyond: DISTINCT };
        for upper in (1..draw.distinct.len()).rev() {
            let other = draw.below(upper + 1);
            draw.distinct.swap(upper, other);
        }
        draw
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.stream.next_u64()
    }

    /// A natural number below `bound`; zero where there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        // The remainder is biased by less than one in 2³², which nothing here depends on.
        (self.bits() >> 32) as usize % bound.max(1)
    }

    /// The next number.
    pub fn number<T: Scalar>(&mut self, domain: Domain) -> T {
        let (numerator, denominator) = self.ratio(domain);
        T::from_ratio(numerator, denominator)
    }

    /// The next numbers.
    pub fn list<T: Scalar>(&mut self, length: usize, domain: Domain) -> Vec<T> {
        (0..length).map(|_| self.number(domain)).collect()
    }

    /// A number of so many digits that of a hundred thousand hardly two are alike: on no boundary that people like, and never zero.
    pub(crate) fn fine<T: Scalar>(&mut self, domain: Domain) -> T {
        const PARTS: i64 = 1 << 20;
        match domain {
            Domain::Any | Domain::NonZero | Domain::Positive => {
                let size = 2 * self.below(3 * PARTS as usize / 2) as i64 + 1;
                let sign = if domain == Domain::Positive || self.below(2) == 0 { 1 } else { -1 };
                T::from_ratio(sign * size, PARTS)
            }
            _ => self.number(domain),
        }
    }

    fn ratio(&mut self, domain: Domain) -> (i64, i64) {
        if domain == Domain::Distinct {
            let place = self.distinct.pop().unwrap_or_else(|| {
                self.beyond += 1;
                self.beyond - 1
            });
            return (2 * place - DISTINCT + 1, 16);
        }
        if let Domain::Between(low, high) = domain {
            let (parts, width) = (16, high.saturating_sub(low).max(1));
            let step = 1 + self.below(parts as usize - 1) as i64;
            return (low.saturating_mul(parts).saturating_add(width.saturating_mul(step)), parts);
        }
        if let Domain::Above(bound) | Domain::Below(bound) = domain {
            let (numerator, denominator) = self.ratio(Domain::Positive);
            let numerator = if domain == Domain::Above(bound) { numerator } else { -numerator };
            return (bound.saturating_mul(denominator).saturating_add(numerator), denominator);
        }
        loop {
            let denominator = 3 + self.below(5) as i64;
            let size = self.below(3 * denominator as usize + 1) as i64;
            let numerator = if domain == Domain::Positive || self.below(2) == 0 { size } else { -size };
            let ratio = (numerator, denominator);
            let fits = match domain {
                Domain::Any | Domain::Distinct | Domain::Above(_) | Domain::Below(_) | Domain::Between(..) => true,
                Domain::Positive => numerator > 0,
                Domain::NonZero => numerator != 0 && numerator * self.last.1 != self.last.0 * denominator,
            };
            if fits {
                self.last = ratio;
                return ratio;
            }
        }
    }
}
