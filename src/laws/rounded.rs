//! What a float computes, beside what a finer scalar does.

use super::contract::{On, Subject, coordinates};
use super::{Approximate, LawViolation, equations};

/// `f̂(x) ≈ f(x), K̂(r̂, u) ≈ K(r, u)`: a contract at a coarse scalar gives what it gives at a finer one, to half of the coarse scalar's digits.
///
/// The laws hold exactly over the rationals, and this one carries them over to the floats that users run.
/// Pass the same points at both scalars.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
///
/// # Example
///
/// ```
/// use pullback::laws::rounded;
/// use pullback::ops::reciprocal;
/// use pullback::{N, Rational, Scalar, Tensor};
///
/// type Q = Rational;
/// fn x<T: Scalar>() -> Tensor<(N<3>,), T> {
///     Tensor::from_fn(|i| T::from_ratio(2 * i as i64 - 1, 3))
/// }
/// let (float, exact) = (reciprocal::<(N<3>,), f32>(), reciprocal::<(N<3>,), Q>());
/// rounded::<f32, Q, _, _>(&float, &exact, (&x(), &x()), (&x(), &x()))?;
/// # Ok::<(), pullback::laws::LawViolation>(())
/// ```
pub fn rounded<T, U, F, G>(
    coarse: &F,
    fine: &G,
    inputs: (&F::Input, &G::Input),
    seeds: (&F::Output, &G::Output),
) -> Result<(), LawViolation>
where
    T: Approximate,
    U: Approximate,
    F: Subject<T>,
    G: Subject<U>,
{
    let inputs = (&coordinates::<T, _>(inputs.0)[..], &coordinates::<U, _>(inputs.1)[..]);
    let seeds = (&coordinates::<T, _>(seeds.0)[..], &coordinates::<U, _>(seeds.1)[..]);
    equations::rounded(&On(coarse), &On(fine), inputs, seeds)
}
