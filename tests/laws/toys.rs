//! Contracts written by hand, right and wrong ones.

use std::marker::PhantomData;

use pullback::laws::LawViolation;
use pullback::{Contract, Cotangent, Declared, DomainError, N, Over, Rational, Scalar, Space, Tensor, Unproved};

pub(crate) type Q = Rational;
/// Three numbers.
pub(crate) type V<T = Q> = Tensor<(N<3>,), T>;
/// One number.
pub(crate) type S<T = Q> = Tensor<(), T>;

/// A contract from `A` to `B` whose functions work on coordinates, and whose residual is its input.
pub(crate) struct Toy<T, A, B> {
    forward: fn(&[T]) -> Vec<T>,
    pullback: fn(&[T], &[T]) -> Vec<T>,
    spaces: PhantomData<fn() -> (A, B)>,
}

impl<T, A, B> Clone for Toy<T, A, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, A, B> Copy for Toy<T, A, B> {}

/// The forward function on the coordinates of the input, and the backward rule on those of the input and of the cotangent.
pub(crate) fn toy<T, A, B>(forward: fn(&[T]) -> Vec<T>, pullback: fn(&[T], &[T]) -> Vec<T>) -> Toy<T, A, B> {
    Toy { forward, pullback, spaces: PhantomData }
}

/// The point with these coordinates.
pub(crate) fn at<T: Scalar, A: Over<T>>(coordinates: Vec<T>) -> A {
    assert_eq!(coordinates.len(), A::DIMENSION);
    A::from_coordinates(&mut coordinates.into_iter()).unwrap()
}

impl<T: Scalar, A: Over<T>, B: Over<T>> Contract for Toy<T, A, B> {
    type Input = A;
    type Output = B;
    type Residual = A;
    type Evidence = Declared<Unproved>;

    fn forward(&self, input: A) -> Result<(B, A), DomainError> {
        Ok((at((self.forward)(&input.coordinates())), input))
    }

    fn pullback(&self, residual: &A, seed: Cotangent<B>) -> Cotangent<A> {
        Cotangent::new(at((self.pullback)(&residual.coordinates(), &seed.into_inner().coordinates())))
    }
}

/// The elements combined one by one.
pub(crate) fn each<T: Scalar>(x: &[T], y: &[T], function: impl Fn(T, T) -> T) -> Vec<T> {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).map(|(x, y)| function(x.clone(), y.clone())).collect()
}

pub(crate) fn int<T: Scalar>(number: i64) -> T {
    T::from_ratio(number, 1)
}

/// `x²`.
pub(crate) fn square<T: Scalar>() -> Toy<T, V<T>, V<T>> {
    toy(|x| each(x, x, |x, y| x * y), |x, u| each(x, u, |x, u| int::<T>(2) * x * u))
}

/// `2x + 1`.
pub(crate) fn affine<T: Scalar>() -> Toy<T, V<T>, V<T>> {
    toy(
        |x| x.iter().map(|x| int::<T>(2) * x.clone() + T::one()).collect(),
        |_, u| u.iter().map(|u| int::<T>(2) * u.clone()).collect(),
    )
}

/// `(x₀, x₀ + x₁, x₀ + x₁ + x₂)`: each output reads other inputs.
pub(crate) fn running<T: Scalar>() -> Toy<T, V<T>, V<T>> {
    fn sums<'a, T: Scalar>(list: impl Iterator<Item = &'a T>) -> Vec<T> {
        list.scan(T::zero(), |sum, x| {
            sum.accumulate(x.clone());
            Some(sum.clone())
        })
        .collect()
    }
    toy(
        |x| sums(x.iter()),
        |_, u| {
            let mut back = sums(u.iter().rev());
            back.reverse();
            back
        },
    )
}

/// `(p, x) ↦ p·x`.
pub(crate) fn scale<T: Scalar>() -> Toy<T, (V<T>, V<T>), V<T>> {
    toy(
        |px| each(&px[..3], &px[3..], |p, x| p * x),
        |px, u| [each(&px[3..], u, |x, u| x * u), each(&px[..3], u, |p, u| p * u)].concat(),
    )
}

/// The sum of the elements.
pub(crate) fn total<T: Scalar>() -> Toy<T, V<T>, S<T>> {
    toy(|x| vec![x.iter().cloned().fold(T::zero(), |sum, x| sum + x)], |_, u| vec![u[0].clone(); 3])
}

/// Asserts that a law was broken, by its name, at a coordinate, and that the message names it.
#[track_caller]
pub(crate) fn breaks(law: &str, result: Result<(), LawViolation>) -> LawViolation {
    let violation = result.expect_err("the contract is wrong");
    assert_eq!(violation.law().name, law);
    assert!(violation.index().is_some());
    let text = violation.to_string();
    assert!(text.contains(violation.law().equation) && text.contains("differ "), "{text}");
    violation
}

/// A point of a space from whole numbers.
pub(crate) fn ints<A: Over<Q>>(numbers: &[i64]) -> A {
    assert_eq!(numbers.len(), <A as Space>::DIMENSION);
    at(numbers.iter().map(|&number| int(number)).collect())
}
