//! A law at a point, and the arithmetic of lists.

use pullback_scalar::{Scalar, SplitMix64};

use crate::approximate::{Approximate, digits, magnitude};
use crate::flat::{Refusal, Shaped};
use crate::violation::{Law, LawViolation, Place};

/// Numbers, and the sums of the magnitudes of their terms.
pub(crate) struct Sums<T> {
    values: Vec<T>,
    terms: Vec<T>,
}

impl<T: Scalar> Sums<T> {
    /// One sum.
    pub(crate) fn one((value, terms): (T, T)) -> Self {
        Sums { values: vec![value], terms: vec![terms] }
    }

    fn terms_of(&self, at: usize) -> T {
        self.terms.get(at).cloned().unwrap_or_else(T::zero)
    }
}

impl<T: Scalar> From<Vec<T>> for Sums<T> {
    fn from(values: Vec<T>) -> Self {
        Sums { terms: values.iter().map(magnitude).collect(), values }
    }
}

impl<T: Scalar> FromIterator<(T, T)> for Sums<T> {
    fn from_iter<I: IntoIterator<Item = (T, T)>>(sums: I) -> Self {
        let (values, terms) = sums.into_iter().unzip();
        Sums { values, terms }
    }
}

/// A side of an equation: what it is called, and what it is at an input.
/// It asks for each of its cotangents by [`Near`].
pub(crate) type Side<'a, T> = (&'static str, &'a dyn Fn(&[T], Near) -> Result<Sums<T>, Refusal>);

/// Numbers at another input, with cotangents that are as close; nothing where that is outside of the domain.
pub(crate) type Again<'a, T> = &'a dyn Fn(&[T], Near) -> Option<Vec<T>>;

/// A cotangent, or one that is close to it.
#[derive(Clone, Copy)]
pub(crate) struct Near {
    steps: i64,
    /// A step is two to the power of minus this.
    power: u32,
}

impl Near {
    /// As it is.
    const HERE: Near = Near { steps: 0, power: 0 };

    /// The cotangent that is so many steps away: each number has a step of its own, so that no two are rounded alike.
    pub(crate) fn of<T: Scalar>(self, u: &[T]) -> Vec<T> {
        if self.steps == 0 {
            return u.to_vec();
        }
        let mut bits = SplitMix64(u.len() as u64);
        let mut near = |u: &T| {
            let share = i64::from((bits.next_u64() >> 48) as u16) + (1 << 16);
            u.clone() + u.clone() * T::from_ratio(self.steps * share, 1 << (17 + self.power))
        };
        u.iter().map(&mut near).collect()
    }

    /// All of an input, so many steps away: one factor for all, so that ties, zeros and signs stay what they are.
    fn of_all<T: Scalar>(self, x: &[T]) -> Vec<T> {
        let factor = T::one() + T::from_ratio(self.steps * 731, 1000 << self.power);
        times(&factor, x)
    }
}

/// By how many units in the last place of the greatest number around a number may be rounded.
pub(crate) const ROUNDINGS: f64 = 64.0;

/// The greatest magnitude in a list.
pub(crate) fn greatest<T: Approximate>(list: &[T]) -> f64 {
    list.iter().fold(0.0, |most, number| f64::max(most, number.to_f64().abs()))
}

/// How large the numbers inside of a rule may be beside its cotangent: as its input, and not below one.
pub(crate) fn beside<T: Approximate>(x: &[T]) -> f64 {
    greatest(x).max(1.0)
}

/// How far two numbers may be apart, in their [`unsteadiness`].
pub(crate) const STEADY: f64 = 8.0;

/// How much of numbers is rounding, as functions of a factor of all of `x`, and of the cotangents, that is close to one; nothing for exact scalars.
///
/// Two spacings, and the larger of what they show: one rounding may be the same at all inputs that are too close to each other.
/// Where one of the inputs sits on a boundary, one side leaves it and the other need not: the smoother side counts.
pub(crate) fn unsteadiness<T: Approximate>(x: &[T], of: Again<'_, T>) -> Vec<f64> {
    let (Some(digits), Some(here)) = (digits::<T>(), of(x, Near::HERE)) else { return vec![] };
    let on_side = |sign: i64| -> Option<Vec<f64>> {
        let mut most = vec![0.0_f64; here.len()];
        for power in [digits / 2 + 3, digits / 4 + 1] {
            let at = |step: i64| {
                let near = Near { steps: sign * step, power };
                of(&near.of_all(x), near)
            };
            let lists: Vec<Vec<T>> = (1..NEIGHBOURS).map(at).collect::<Option<_>>()?;
            for (place, most) in most.iter_mut().enumerate() {
                // The change alone, so that no more is rounded here than there.
                let change =
                    |list: &Vec<T>| list.get(place).map(|there| (there.clone() - here[place].clone()).to_f64());
                let changes: Option<Vec<f64>> = [Some(0.0)].into_iter().chain(lists.iter().map(change)).collect();
                *most = most.max(deviation(changes?));
            }
        }
        Some(most)
    };
    match (on_side(1), on_side(-1)) {
        (Some(above), Some(below)) => above.into_iter().zip(below).map(|(above, below)| above.min(below)).collect(),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => vec![],
    }
}

/// How many values at equal distances [`deviation`] gets.
pub(crate) const NEIGHBOURS: i64 = 8;

/// The standard deviation of what is no smooth function in values at equal distances: what is left of them in differences of high order.
///
/// # Source
///
/// Moré and Wild, *Estimating computational noise*, SIAM Journal on Scientific Computing 33, 2011.
pub(crate) fn deviation(values: Vec<f64>) -> f64 {
    const ORDERS: std::ops::RangeInclusive<usize> = 4..=6;
    let (mut differences, mut most) = (values, 0.0_f64);
    // (k!)² / (2k)!: the inverse of what independent errors of size one add up to in differences of order k.
    let mut share = 1.0;
    for order in 1..=*ORDERS.end() {
        differences = differences.windows(2).map(|two| two[1] - two[0]).collect();
        share *= order as f64 / (2.0 * (2 * order - 1) as f64);
        if ORDERS.contains(&order) {
            let squares: f64 = differences.iter().map(|difference| difference * difference).sum();
            most = most.max((share * squares / differences.len() as f64).sqrt());
        }
    }
    most
}

/// A law at a point.
pub(crate) struct Trial<'a, T> {
    pub(crate) law: Law,
    /// The contract whose shapes are shown.
    pub(crate) about: &'a dyn Shaped,
    /// The points, by name.
    pub(crate) at: &'a [(&'static str, &'a [T])],
}

impl<T: Approximate> Trial<'_, T> {
    fn place<R>(&self, then: impl FnOnce(&Place<'_, T>) -> R) -> R {
        then(&Place { law: self.law, spaces: &|| self.about.spaces(), at: self.at })
    }

    /// A result that the domain may refuse.
    pub(crate) fn inside<R>(&self, result: Result<R, Refusal>) -> Result<R, LawViolation> {
        result.map_err(|error| self.place(|place| place.outside(error)))
    }

    /// The two sides agree, up to rounding relative to the greatest number among them, and to one.
    pub(crate) fn agree(&self, left: (&'static str, &[T]), right: (&'static str, &[T])) -> Result<(), LawViolation> {
        let scale = left.1.iter().chain(right.1).fold(T::one(), |scale, number| scale.maximum(magnitude(number)));
        self.compare(left, right, |_, one, other| one.agrees(other, &scale))
    }

    /// The two sides, as functions of `x`, agree: each coordinate up to rounding relative to its own terms, or as far as it is steady.
    ///
    /// What cancelled on the way to a number does not show in its size, but it shows when the number is computed at many inputs next to each other: see [`unsteadiness`].
    /// A number far below `size`, the size of what the rule is given, may have been rounded beside one of that size.
    pub(crate) fn agree_steadily(
        &self,
        x: &[T],
        size: f64,
        left: Side<'_, T>,
        right: Side<'_, T>,
    ) -> Result<(), LawViolation> {
        let (one, other) = (self.inside((left.1)(x, Near::HERE))?, self.inside((right.1)(x, Near::HERE))?);
        // A number beside much greater ones is as inexact as they are.
        let greatest = greatest(&one.values).max(greatest(&other.values)).max(size);
        let beside = ROUNDINGS * T::TOLERANCE * T::TOLERANCE * greatest;
        let agree = |apart: &dyn Fn(usize) -> f64| {
            self.compare((left.0, &one.values), (right.0, &other.values), |at, a, b| {
                let scale = one.terms_of(at).maximum(other.terms_of(at));
                // A NaN is near nothing.
                a.agrees(b, &scale) || (a.clone() - b.clone()).to_f64().abs() <= (STEADY * apart(at)).max(beside)
            })
        };
        agree(&|_| 0.0).or_else(|violation| {
            let values = |side: &Side<'_, T>, x: &[T], near: Near| (side.1)(x, near).ok().map(|sums| sums.values);
            let left = unsteadiness(x, &|x, near| values(&left, x, near));
            let right = unsteadiness(x, &|x, near| values(&right, x, near));
            let of = |list: &[f64], at: usize| list.get(at).copied().unwrap_or(0.0);
            if left.iter().chain(&right).all(|apart| *apart == 0.0) {
                return Err(violation);
            }
            agree(&|at| of(&left, at) + of(&right, at))
        })
    }

    /// The two sides agree up to rounding relative to the greatest number among them, or are the same where they are no numbers.
    ///
    /// For two ways to one computation: that it gives no number is found by the laws that say what it should give.
    pub(crate) fn alike(&self, left: (&'static str, &[T]), right: (&'static str, &[T])) -> Result<(), LawViolation> {
        let finite = left.1.iter().chain(right.1).filter(|number| number.is_finite());
        let scale = finite.fold(T::zero(), |scale, number| scale.maximum(magnitude(number)));
        self.compare(left, right, |_, one, other| one.agrees(other, &scale) || same(one, other))
    }

    /// The two sides are the same numbers.
    pub(crate) fn same(&self, left: (&'static str, &[T]), right: (&'static str, &[T])) -> Result<(), LawViolation> {
        self.compare(left, right, |_, one, other| same(one, other))
    }

    fn compare(
        &self,
        left: (&'static str, &[T]),
        right: (&'static str, &[T]),
        equal: impl Fn(usize, &T, &T) -> bool,
    ) -> Result<(), LawViolation> {
        let differs = left.1.iter().zip(right.1).enumerate().position(|(at, (one, other))| !equal(at, one, other));
        let shorter = left.1.len().min(right.1.len());
        match differs.or_else(|| (left.1.len() != right.1.len()).then_some(shorter)) {
            Some(index) => Err(self.place(|place| place.differ(left, right, index))),
            None => Ok(()),
        }
    }
}

impl<T: Approximate> Trial<'_, T> {
    /// Two numbers that are too far apart.
    pub(crate) fn far(&self, left: (&'static str, f64), right: (&'static str, f64)) -> LawViolation {
        self.place(|place| place.apart(left, right))
    }

    /// A point outside of the domain that was accepted.
    pub(crate) fn accepted(&self, value: (&'static str, &[T])) -> LawViolation {
        self.place(|place| place.accepted(value))
    }
}

impl Trial<'_, f64> {
    /// The two sides agree, up to a tolerance relative to the greatest number among them, and absolute below one.
    pub(crate) fn within(
        &self,
        tolerance: f64,
        left: (&'static str, &[f64]),
        right: (&'static str, &[f64]),
    ) -> Result<(), LawViolation> {
        let scale = left.1.iter().chain(right.1).fold(1.0_f64, |scale, number| scale.max(number.abs()));
        self.compare(left, right, |_, one, other| scale.is_finite() && (one - other).abs() <= tolerance * scale)
    }
}

/// Whether two numbers are the same; what is no number is the same as its like.
fn same<T: Approximate>(one: &T, other: &T) -> bool {
    one == other || (!one.is_finite() && one.show() == other.show())
}

/// The Euclidean pairing, and the sum of the magnitudes of its terms.
pub(crate) fn pair<T: Scalar>(left: &[T], right: &[T]) -> (T, T) {
    let (mut sum, mut scale) = (T::zero(), T::zero());
    for (one, other) in left.iter().zip(right) {
        let term = one.clone() * other.clone();
        scale.accumulate(magnitude(&term));
        sum.accumulate(term);
    }
    (sum, scale)
}

/// The sum of two lists of coordinates.
pub(crate) fn plus<T: Scalar>(left: &[T], right: &[T]) -> Vec<T> {
    left.iter().zip(right).map(|(one, other)| one.clone() + other.clone()).collect()
}

/// A list of coordinates times a number.
pub(crate) fn times<T: Scalar>(factor: &T, list: &[T]) -> Vec<T> {
    list.iter().map(|number| factor.clone() * number.clone()).collect()
}
