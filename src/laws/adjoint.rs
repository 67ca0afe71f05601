//! The backward rule is the adjoint of the derivative.
//!
//! The derivative is taken by the forward function itself, at dual numbers: no rule of this library is asked.

use super::approximate::Approximate;
use super::flat::{Flat, Moving, Subject, Trial, pair};
use super::linear::coordinates;
use super::violation::{Law, LawViolation};
use crate::scalar::Dual;

pub(super) const ADJOINT: Law = Law { name: "adjoint", equation: "⟨K(r, u), v⟩ = ⟨u, Df(x)·v⟩" };
pub(super) const COORDINATEWISE: Law = Law { name: "coordinatewise", equation: "K(r, u)ᵢ = ⟨u, Df(x)·eᵢ⟩" };
pub(super) const PRIMAL: Law = Law { name: "primal", equation: "f(x + ε·v) = f(x) + ε·Df(x)·v" };

/// `⟨K(r, u), v⟩ = ⟨u, Df(x)·v⟩`, with the derivative in direction `v` by the same contract at dual numbers.
///
/// Pass cotangents that are not uniform: some wrong sums and transposes agree under ones.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
///
/// # Example
///
/// ```
/// use pullback::laws::{adjoint, coordinatewise};
/// use pullback::ops::matmul;
/// use pullback::{Dual, N, Rational, Scalar, Tensor};
///
/// type Q = Rational;
/// let q = |n: usize| Q::from_ratio(3 * n as i64 - 4, 5);
/// let (x, u) = ((Tensor::from_fn(q), Tensor::from_fn(q)), Tensor::from_fn(q));
/// let v = (Tensor::from_fn(|n| q(n + 1)), Tensor::from_fn(|n| q(2 * n)));
///
/// let (f, f_on_duals) = (matmul::<N<2>, N<3>, N<5>, Q>(), matmul::<N<2>, N<3>, N<5>, Dual<Q>>());
/// // Exactly, to the last digit.
/// adjoint::<Q, _, _>(&f, &f_on_duals, &x, &u, &v)?;
/// coordinatewise::<Q, _, _>(&f, &f_on_duals, &x, &u)?;
/// # Ok::<(), pullback::laws::LawViolation>(())
/// ```
pub fn adjoint<T: Approximate, C: Subject<T>, D: Subject<Dual<T>>>(
    contract: &C,
    on_duals: &D,
    input: &C::Input,
    seed: &C::Output,
    direction: &C::Input,
) -> Result<(), LawViolation> {
    let (x, u, v) = (coordinates::<T, _>(input), coordinates::<T, _>(seed), coordinates::<T, _>(direction));
    adjoint_at(contract, on_duals, &x, &u, &v)
}

pub(super) fn adjoint_at<T: Approximate>(
    f: &dyn Flat<T>,
    moving: &dyn Moving<T>,
    x: &[T],
    u: &[T],
    v: &[T],
) -> Result<(), LawViolation> {
    let trial = Trial { law: ADJOINT, about: f, at: &[("x", x), ("u", u), ("v", v)] };
    let pulled = trial.inside(f.run(x))?.pull(u);
    let pushed = trial.inside(moving.push(x, v))?.tangent;
    let (left, one) = pair(&pulled, v);
    let (right, other) = pair(u, &pushed);
    trial.agree_beside(&one.maximum(other), ("⟨K(r, u), v⟩", &[left]), ("⟨u, Df(x)·v⟩", &[right]))
}

/// `K(r, u)ᵢ = ⟨u, Df(x)·eᵢ⟩`, for every coordinate `i` of the input.
///
/// [`adjoint`] in all directions at once, so that the violation names the coordinate; it runs the forward function once for each.
/// Each coordinate is compared beside its own terms, so that a great one does not hide what is wrong with a small one.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn coordinatewise<T: Approximate, C: Subject<T>, D: Subject<Dual<T>>>(
    contract: &C,
    on_duals: &D,
    input: &C::Input,
    seed: &C::Output,
) -> Result<(), LawViolation> {
    coordinatewise_at(contract, on_duals, &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

pub(super) fn coordinatewise_at<T: Approximate>(
    f: &dyn Flat<T>,
    moving: &dyn Moving<T>,
    x: &[T],
    u: &[T],
) -> Result<(), LawViolation> {
    let trial = Trial { law: COORDINATEWISE, about: f, at: &[("x", x), ("u", u)] };
    let pulled = trial.inside(f.run(x))?.pull(u);
    let (mut expected, mut scales) = (Vec::with_capacity(x.len()), Vec::with_capacity(x.len()));
    for coordinate in 0..x.len() {
        let direction: Vec<T> = (0..x.len()).map(|at| if at == coordinate { T::one() } else { T::zero() }).collect();
        let pushed = trial.inside(moving.push(x, &direction))?.tangent;
        let (sum, terms) = pair(u, &pushed);
        expected.push(sum);
        scales.push(terms);
    }
    trial.agree_each(&scales, ("K(r, u)", &pulled), ("⟨u, Df(x)·eᵢ⟩", &expected))
}

/// `f(x + ε·v) = f(x) + ε·Df(x)·v`: the value at dual numbers is the value.
///
/// Without it [`adjoint`] would be about another function than the forward one.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn primal<T: Approximate, C: Subject<T>, D: Subject<Dual<T>>>(
    contract: &C,
    on_duals: &D,
    input: &C::Input,
    direction: &C::Input,
) -> Result<(), LawViolation> {
    primal_at(contract, on_duals, &coordinates::<T, _>(input), &coordinates::<T, _>(direction))
}

pub(super) fn primal_at<T: Approximate>(
    f: &dyn Flat<T>,
    moving: &dyn Moving<T>,
    x: &[T],
    v: &[T],
) -> Result<(), LawViolation> {
    let trial = Trial { law: PRIMAL, about: f, at: &[("x", x), ("v", v)] };
    let run = trial.inside(f.run(x))?;
    let pushed = trial.inside(moving.push(x, v))?;
    trial.agree(("f(x)", &run.value), ("f(x + ε·v) at ε = 0", &pushed.value))
}
