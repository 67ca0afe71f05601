//! Points in general position, from a seed.

use crate::scalar::Scalar;
use crate::shape::Shape;
use crate::space::{Over, Space};
use crate::tensor::{Bijection, IndexError, IndexMap, PartialMap, Tensor};

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
}

/// A stream of numbers, points and index maps, the same for the same seed on every machine, and the same rationals at every scalar.
///
/// # Example
///
/// ```
/// use pullback::laws::{Approximate, Domain, Draw};
/// use pullback::{N, Rational, Tensor};
///
/// type V<T> = Tensor<(N<3>,), T>;
/// let exact: V<Rational> = Draw::new(7).point(Domain::NonZero);
/// let double: V<f64> = Draw::new(7).point(Domain::NonZero);
/// assert_eq!(double.to_vec(), exact.as_slice().iter().map(Approximate::to_f64).collect::<Vec<_>>());
/// ```
#[derive(Clone, Debug)]
pub struct Draw {
    state: u64,
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
        let mut draw = Draw { state: seed, last: (0, 1), distinct: (0..DISTINCT).collect(), beyond: DISTINCT };
        for upper in (1..draw.distinct.len()).rev() {
            let other = draw.below(upper + 1);
            draw.distinct.swap(upper, other);
        }
        draw
    }

    /// The next 64 bits, by the SplitMix64 generator (Steele, Lea and Flood, 2014).
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
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

    /// A point of a space.
    pub fn point<T: Scalar, A: Over<T>>(&mut self, domain: Domain) -> A {
        let numbers = self.list(<A as Space>::DIMENSION, domain);
        A::from_coordinates(&mut numbers.into_iter()).unwrap_or_else(A::zero)
    }

    /// A tensor of zeros and positive numbers, with a positive one in every row along the last axis.
    pub fn mask<S: Shape, T: Scalar>(&mut self) -> Tensor<S, T> {
        let row = S::SIZES.last().copied().unwrap_or(1);
        let mut kept = 0;
        Tensor::from_fn(|index| {
            if index % row == 0 {
                kept = self.below(row);
            }
            let shown = index % row == kept || self.below(2) == 0;
            if shown { self.number(Domain::Positive) } else { T::zero() }
        })
    }

    /// An index map; where it has two entries or more, an index is read twice.
    ///
    /// # Errors
    ///
    /// None: every entry is an index of the target.
    pub fn map<From: Shape, To: Shape>(&mut self) -> Result<IndexMap<From, To>, IndexError> {
        let mut entries: Vec<usize> = (0..From::LEN).map(|_| self.below(To::LEN)).collect();
        let (one, other) = (self.below(From::LEN), self.below(From::LEN));
        entries[one] = entries[other];
        IndexMap::new(entries)
    }

    /// An index map that reads no index twice within a row along the last axis, as the windows of a maximum need: twice the same element would be a tie.
    ///
    /// # Errors
    ///
    /// None, where a row is no longer than the target.
    pub fn window_map<From: Shape, To: Shape>(&mut self) -> Result<IndexMap<From, To>, IndexError> {
        let row = From::SIZES.last().copied().unwrap_or(1);
        let mut start = 0;
        IndexMap::from_fn(|index| {
            if index % row == 0 {
                start = self.below(To::LEN);
            }
            (start + index % row) % To::LEN
        })
    }

    /// A partial index map: now and then undefined, and many to one.
    ///
    /// # Errors
    ///
    /// None: every entry is an index of the target.
    pub fn partial_map<From: Shape, To: Shape>(&mut self) -> Result<PartialMap<From, To>, IndexError> {
        PartialMap::from_fn(|_| if self.below(4) == 0 { None } else { Some(self.below(To::LEN)) })
    }

    /// A bijection: a shuffle, which from three elements on is mostly no involution.
    ///
    /// # Errors
    ///
    /// Where the two shapes have different lengths.
    pub fn bijection<From: Shape, To: Shape>(&mut self) -> Result<Bijection<From, To>, IndexError> {
        let mut entries: Vec<usize> = (0..From::LEN).collect();
        for upper in (1..entries.len()).rev() {
            let other = self.below(upper + 1);
            entries.swap(upper, other);
        }
        Bijection::new(entries)
    }

    fn ratio(&mut self, domain: Domain) -> (i64, i64) {
        if domain == Domain::Distinct {
            let place = self.distinct.pop().unwrap_or_else(|| {
                self.beyond += 1;
                self.beyond - 1
            });
            return (2 * place - DISTINCT + 1, 16);
        }
        loop {
            let denominator = 3 + self.below(5) as i64;
            let size = self.below(3 * denominator as usize + 1) as i64;
            let numerator = if domain == Domain::Positive || self.below(2) == 0 { size } else { -size };
            let ratio = (numerator, denominator);
            let fits = match domain {
                Domain::Any | Domain::Distinct => true,
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
