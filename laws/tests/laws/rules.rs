//! What rules are made of.

use pullback_laws::{Options, Rule, Signature, View};
use pullback_scalar::Scalar;

pub(crate) type X<'a, 'b, T = f64> = &'a [View<'b, T>];

pub(crate) fn signature(text: &str) -> Signature {
    text.parse().unwrap()
}

pub(crate) fn each<T: Scalar>(x: &[T], f: impl Fn(T) -> T) -> Vec<T> {
    x.iter().cloned().map(f).collect()
}

pub(crate) fn zip<T: Scalar>(x: &[T], u: &[T], f: impl Fn(T, T) -> T) -> Vec<T> {
    assert_eq!(x.len(), u.len());
    x.iter().cloned().zip(u.iter().cloned()).map(|(x, u)| f(x, u)).collect()
}

pub(crate) fn int<T: Scalar>(number: i64) -> T {
    T::from_ratio(number, 1)
}

/// `x²`, with the rule that these say.
pub(crate) fn square_with<T: Scalar>(text: &str, rule: fn(T, T) -> T) -> Rule<'static, T> {
    Rule::new(
        signature(text),
        |x: X<'_, '_, T>| each(&x[0], |x| x.clone() * x),
        move |tape, u| zip(&tape.inputs[0], &u, rule),
    )
}

/// `x²`.
pub(crate) fn square<T: Scalar>(text: &str) -> Rule<'static, T> {
    square_with(text, |x, u| int::<T>(2) * x * u)
}

/// The number times `x`.
pub(crate) fn scaled(text: &str, factor: f64) -> Rule<'static, f64> {
    Rule::new(signature(text), move |x: X<'_, '_>| each(&x[0], |x| factor * x), move |_, u| each(&u, |u| factor * u))
}

/// The sum of two arguments.
pub(crate) fn sum(text: &str) -> Rule<'static, f64> {
    Rule::new(signature(text), |x: X<'_, '_>| zip(&x[0], &x[1], |a, b| a + b), |_, u| [u.to_vec(), u.to_vec()])
}

/// The options of a seed.
pub(crate) fn seeded(seed: u64) -> Options {
    Options::new().seed(seed).cases(12)
}
