//! A law at a point, and the arithmetic of lists.

use pullback_scalar::Scalar;

use crate::approximate::{Approximate, magnitude};
use crate::flat::{Refusal, Shaped};
use crate::violation::{Law, LawViolation, Place};

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

    /// The two sides agree, up to rounding relative to the greatest number among them.
    pub(crate) fn agree(&self, left: (&'static str, &[T]), right: (&'static str, &[T])) -> Result<(), LawViolation> {
        self.agree_beside(&T::zero(), left, right)
    }

    /// The two sides agree, up to rounding relative to the greatest number among them and `scale`.
    pub(crate) fn agree_beside(
        &self,
        scale: &T,
        left: (&'static str, &[T]),
        right: (&'static str, &[T]),
    ) -> Result<(), LawViolation> {
        let scale = left.1.iter().chain(right.1).fold(scale.clone(), |scale, number| scale.maximum(magnitude(number)));
        self.compare(left, right, |_, one, other| one.agrees(other, &scale))
    }

    /// The two sides agree, up to rounding of each coordinate relative to the greatest of its own numbers and its scale.
    pub(crate) fn agree_each(
        &self,
        scales: &[T],
        left: (&'static str, &[T]),
        right: (&'static str, &[T]),
    ) -> Result<(), LawViolation> {
        self.compare(left, right, |index, one, other| {
            let own = magnitude(one).maximum(magnitude(other));
            let scale = scales.get(index).map_or_else(|| own.clone(), |scale| scale.clone().maximum(own.clone()));
            one.agrees(other, &scale)
        })
    }

    /// The two sides agree as [`agree`](Trial::agree) says, or are the same where they are no numbers.
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
