//! Contracts as functions between lists of coordinates.
//!
//! A law is about numbers, not about types: behind these traits its text is compiled once for a scalar, and not once for each contract.

use super::approximate::{Approximate, magnitude};
use super::violation::{Law, LawViolation, Place};
use crate::contract::{Contract, DomainError, Evidence};
use crate::scalar::{Dual, Scalar};
use crate::space::{Cotangent, Over, Space};

/// A contract whose input and output have coordinates `T`: what laws are about.
///
/// Every such contract is one; a user does not write it.
pub trait Subject<T: Scalar>: Contract<Input: Over<T>, Output: Over<T>> {}

impl<T: Scalar, C: Contract<Input: Over<T>, Output: Over<T>>> Subject<T> for C {}

/// What a contract takes and gives.
pub(super) trait Shaped {
    /// The numbers of coordinates of the input and of the output.
    fn dimensions(&self) -> (usize, usize);
    /// The shapes of the input and of the output.
    fn spaces(&self) -> (String, String);
    /// Why its rule may be believed.
    fn evidence(&self) -> &'static str;
}

impl<C: Contract> Shaped for C {
    fn dimensions(&self) -> (usize, usize) {
        (C::Input::DIMENSION, C::Output::DIMENSION)
    }
    fn spaces(&self) -> (String, String) {
        (shape::<C::Input>(), shape::<C::Output>())
    }
    fn evidence(&self) -> &'static str {
        C::Evidence::LABEL
    }
}

/// A contract on coordinates.
pub(super) trait Flat<T>: Shaped {
    /// The output, and what was saved. The input itself is gone when this returns.
    fn run<'a>(&'a self, input: &[T]) -> Result<Run<'a, T>, DomainError>;
}

/// The result of a forward function.
pub(super) struct Run<'a, T> {
    pub(super) value: Vec<T>,
    saved: Box<dyn Saved<T> + 'a>,
}

impl<T> Run<'_, T> {
    /// The backward rule at what was saved.
    pub(super) fn pull(&self, seed: &[T]) -> Vec<T> {
        self.saved.pull(seed)
    }
}

trait Saved<T> {
    fn pull(&self, seed: &[T]) -> Vec<T>;
}

struct Kept<'a, C: Contract> {
    contract: &'a C,
    residual: C::Residual,
}

impl<T: Scalar, C: Subject<T>> Saved<T> for Kept<'_, C> {
    fn pull(&self, seed: &[T]) -> Vec<T> {
        self.contract.pullback(&self.residual, Cotangent::new(point(seed))).into_inner().coordinates()
    }
}

impl<T: Scalar, C: Subject<T>> Flat<T> for C {
    fn run<'a>(&'a self, input: &[T]) -> Result<Run<'a, T>, DomainError> {
        let (output, residual) = self.forward(point(input))?;
        Ok(Run { value: output.coordinates(), saved: Box::new(Kept { contract: self, residual }) })
    }
}

/// A contract whose residual has coordinates too.
pub(super) trait Remembers<T>: Flat<T> {
    /// What the forward function saves.
    fn residual(&self, input: &[T]) -> Result<Vec<T>, DomainError>;
}

impl<T: Scalar, C: Contract<Input: Over<T>, Output: Over<T>, Residual: Over<T>>> Remembers<T> for C {
    fn residual(&self, input: &[T]) -> Result<Vec<T>, DomainError> {
        self.forward(point(input)).map(|(_, residual)| residual.coordinates())
    }
}

/// A contract at dual numbers: its forward function gives values and directional derivatives.
pub(super) trait Moving<T> {
    fn push(&self, input: &[T], direction: &[T]) -> Result<Pushed<T>, DomainError>;
}

/// The value of a forward function and its derivative in a direction.
pub(super) struct Pushed<T> {
    pub(super) value: Vec<T>,
    pub(super) tangent: Vec<T>,
}

impl<T: Scalar, C: Subject<Dual<T>>> Moving<T> for C {
    fn push(&self, input: &[T], direction: &[T]) -> Result<Pushed<T>, DomainError> {
        let moving: Vec<Dual<T>> =
            input.iter().zip(direction).map(|(value, tangent)| Dual::new(value.clone(), tangent.clone())).collect();
        let (output, _) = self.forward(point(&moving))?;
        let (value, tangent) = output.coordinates().into_iter().map(|dual| (dual.value, dual.tangent)).unzip();
        Ok(Pushed { value, tangent })
    }
}

/// The point with these coordinates; the origin for a space that breaks the promise to have one for every list of its dimension, which then satisfies no law.
fn point<T: Scalar, A: Over<T>>(coordinates: &[T]) -> A {
    A::from_coordinates(&mut coordinates.iter().cloned()).unwrap_or_else(A::zero)
}

/// What a space looks like: `Tensor(Row = 2, Col = 3)`.
fn shape<A: Space>() -> String {
    let shown = format!("{:?}", A::zero());
    let mut text = String::new();
    let mut depth = 0_usize;
    for letter in shown.chars() {
        match letter {
            // The elements of a tensor stand in brackets after its shape.
            '[' if depth > 0 || text.ends_with(')') => depth += 1,
            ']' if depth > 0 => depth -= 1,
            _ if depth == 0 => text.push(letter),
            _ => {}
        }
    }
    text
}

/// A law at a point.
pub(super) struct Trial<'a, T> {
    pub(super) law: Law,
    /// The contract whose shapes are shown.
    pub(super) about: &'a dyn Shaped,
    /// The points, by name.
    pub(super) at: &'a [(&'static str, &'a [T])],
}

impl<T: Approximate> Trial<'_, T> {
    fn place<R>(&self, then: impl FnOnce(&Place<'_, T>) -> R) -> R {
        then(&Place { law: self.law, spaces: &|| self.about.spaces(), at: self.at })
    }

    /// A result that the domain may refuse.
    pub(super) fn inside<R>(&self, result: Result<R, DomainError>) -> Result<R, LawViolation> {
        result.map_err(|error| self.place(|place| place.outside(error)))
    }

    /// The two sides agree, up to rounding relative to the greatest number among them.
    pub(super) fn agree(&self, left: (&'static str, &[T]), right: (&'static str, &[T])) -> Result<(), LawViolation> {
        self.agree_beside(&T::zero(), left, right)
    }

    /// The two sides agree, up to rounding relative to the greatest number among them and `scale`.
    pub(super) fn agree_beside(
        &self,
        scale: &T,
        left: (&'static str, &[T]),
        right: (&'static str, &[T]),
    ) -> Result<(), LawViolation> {
        let scale = left.1.iter().chain(right.1).fold(scale.clone(), |scale, number| scale.maximum(magnitude(number)));
        self.compare(left, right, |_, one, other| one.agrees(other, &scale))
    }

    /// The two sides agree, up to rounding of each coordinate relative to the greatest of its own numbers and its scale.
    pub(super) fn agree_each(
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

    /// The two sides are the same numbers.
    pub(super) fn same(&self, left: (&'static str, &[T]), right: (&'static str, &[T])) -> Result<(), LawViolation> {
        self.compare(left, right, |_, one, other| one == other)
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

impl Trial<'_, f64> {
    /// The two sides agree, up to a tolerance relative to the greatest number among them, and absolute below one.
    pub(super) fn within(
        &self,
        tolerance: f64,
        left: (&'static str, &[f64]),
        right: (&'static str, &[f64]),
    ) -> Result<(), LawViolation> {
        let scale = left.1.iter().chain(right.1).fold(1.0_f64, |scale, number| scale.max(number.abs()));
        self.compare(left, right, |_, one, other| scale.is_finite() && (one - other).abs() <= tolerance * scale)
    }
}

/// The Euclidean pairing, and the sum of the magnitudes of its terms.
pub(super) fn pair<T: Scalar>(left: &[T], right: &[T]) -> (T, T) {
    let (mut sum, mut scale) = (T::zero(), T::zero());
    for (one, other) in left.iter().zip(right) {
        let term = one.clone() * other.clone();
        scale.accumulate(magnitude(&term));
        sum.accumulate(term);
    }
    (sum, scale)
}

/// The sum of two lists of coordinates.
pub(super) fn plus<T: Scalar>(left: &[T], right: &[T]) -> Vec<T> {
    left.iter().zip(right).map(|(one, other)| one.clone() + other.clone()).collect()
}

/// A list of coordinates times a number.
pub(super) fn times<T: Scalar>(factor: &T, list: &[T]) -> Vec<T> {
    list.iter().map(|number| factor.clone() * number.clone()).collect()
}
