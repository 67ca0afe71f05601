//! What a rule takes and gives, where it is defined, and what it computes.

use crate::approximate::Approximate;
use crate::flat::Flat;
use crate::rounding::Near;
use crate::storage::Storage;
use crate::trial::Trial;
use crate::violation::{Law, LawViolation};

pub(crate) const SHAPE: Law = Law { name: "shape", equation: "f(x) ∈ B, K(r, u) ∈ A₁ × … × Aₙ" };
pub(crate) const DEFINED: Law = Law { name: "defined", equation: "x ∈ D ⇒ F(x) and K(r, u) are defined" };
pub(crate) const REFUSED: Law = Law { name: "refused", equation: "x ∉ D ⇒ F(x) is refused" };
pub(crate) const VALUE: Law = Law { name: "value", equation: "F(x) = (f(x), r)" };

/// `f(x) ∈ B, K(r, u) ∈ A₁ × … × Aₙ`: the value has the length of the output, and there is a cotangent of the right length for each argument.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn shape<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: SHAPE, about: f, at: &[("x", x), ("u", u)] };
    let run = trial.inside(f.run(x))?;
    let sizes = |lengths: &[usize]| lengths.iter().map(|&length| T::from_usize(length)).collect::<Vec<_>>();
    let (_, gives) = f.dimensions();
    trial.same(("the length of f(x)", &sizes(&[run.value.len()])), ("that of the output", &sizes(&[gives])))?;
    if let Some(gave) = run.saved.gave() {
        trial.same(("the lengths of f(x)", &sizes(&gave)), ("those of the outputs", &sizes(&f.outputs())))?;
    }
    let takes = f.arguments();
    let answer = run.saved.answer(&Storage::new(u.to_vec()));
    // What is not there has the length that is asked for: a rule may have no cotangent to give.
    let lengths: Vec<usize> = answer
        .iter()
        .enumerate()
        .map(|(place, piece)| piece.as_ref().map_or_else(|| takes.get(place).copied().unwrap_or(0), Vec::len))
        .collect();
    trial.same(("the lengths of K(r, u)", &sizes(&lengths)), ("those of the arguments", &sizes(&takes)))
}

/// `x ∈ D ⇒ F(x) and K(r, u) are defined`: both are numbers in every coordinate.
///
/// A cotangent of zero is left to `zero_to_zero`: where `u` has one, the rule is asked about one here.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn defined<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    let u: Vec<T> = u.iter().map(|u| if *u == T::zero() { T::one() } else { u.clone() }).collect();
    let finite = |numbers: &[T]| -> Vec<T> {
        numbers.iter().map(|y| if y.is_finite() { y.clone() } else { T::zero() }).collect()
    };
    let trial = Trial { law: DEFINED, about: f, at: &[("x", x), ("u", &u)] };
    let run = trial.inside(f.run(x))?;
    trial.same(("f(x)", &run.value), ("a number in every coordinate", &finite(&run.value)))?;
    let pulled = run.pull(&u);
    trial.same(("K(r, u)", &pulled), ("a number in every coordinate", &finite(&pulled)))
}

/// `x ∉ D ⇒ F(x) is refused`: a point outside, or on an open boundary, is refused.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn refused<T: Approximate>(f: &dyn Flat<T>, outside: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: REFUSED, about: f, at: &[("x ∉ D", outside)] };
    match f.run(outside) {
        Err(_) => Ok(()),
        Ok(run) => Err(trial.accepted(("f(x)", &run.value))),
    }
}

/// `F(x) = (f(x), r)`: the first part of the forward function is the plain one.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn value<T: Approximate>(f: &dyn Flat<T>, plain: &dyn Fn(&[T]) -> Vec<T>, x: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: VALUE, about: f, at: &[("x", x)] };
    let value = |x: &[T], _: Near| Ok(f.run(x)?.value.into());
    let plain = |x: &[T], _: Near| Ok(plain(x).into());
    trial.agree_steadily(x, 0.0, ("the value of F(x)", &value), ("f(x)", &plain))
}
