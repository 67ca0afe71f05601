//! A law at a point, and the arithmetic of lists.

use pullback_scalar::Scalar;

use crate::approximate::{Approximate, magnitude};
use crate::flat::{Refusal, Shaped};
use crate::rounding::{Near, ROUNDINGS, STEADY, greatest, unsteadiness};
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
        then(&Place { law: self.law, about: self.about, at: self.at })
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

    /// Two results of one computation: the same numbers, or where rounding varies, the same up to that.
    pub(crate) fn again(
        &self,
        rounding_varies: bool,
        left: (&'static str, &[T]),
        right: (&'static str, &[T]),
    ) -> Result<(), LawViolation> {
        if rounding_varies { self.alike(left, right) } else { self.same(left, right) }
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
