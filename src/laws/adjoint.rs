//! The backward rule is the adjoint of the derivative.
//!
//! The derivative is taken by the forward function itself, at dual numbers: no rule of this library is asked.

use super::contract::{On, Subject, coordinates};
use super::{Approximate, LawViolation, equations};
use crate::scalar::Dual;

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
    equations::adjoint(&On(contract), &On(on_duals), &x, &u, &v)
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
    equations::coordinatewise(&On(contract), &On(on_duals), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
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
    equations::primal(&On(contract), &On(on_duals), &coordinates::<T, _>(input), &coordinates::<T, _>(direction))
}
