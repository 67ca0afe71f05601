//! One contract many times.

use super::contract::{On, Subject, coordinates};
use super::{Approximate, LawViolation, equations};
use crate::contract::Contract;

/// `h(p, x) = f(p, … f(p, x)), K_h(t, u) = (Σₖ pₖ, x₀) for (pₖ, xₖ) = K_f(rₖ, xₖ₊₁)`: `whole` is `step` so many times, and the shared parameters get the contributions of all steps.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
///
/// # Example
///
/// ```
/// use pullback::laws::repeated;
/// use pullback::ops::multiply;
/// use pullback::{ContractExt, N, Rational, Scalar, Tensor};
///
/// type Q = Rational;
/// type V = Tensor<(N<2>,), Q>;
/// let step = multiply::<(N<2>,), Q>();
/// let at = |i: usize| Q::from_ratio(2 * i as i64 - 1, 3);
/// let x = (V::from_fn(at), V::from_fn(|i| at(i + 2)));
/// repeated::<Q, _, _, V, V>(&step, 3, &step.clone().repeat::<3>(), &x, &V::from_fn(at))?;
/// assert!(repeated::<Q, _, _, V, V>(&step, 4, &step.clone().repeat::<3>(), &x, &V::from_fn(at)).is_err());
/// # Ok::<(), pullback::laws::LawViolation>(())
/// ```
pub fn repeated<T, F, H, P, A>(step: &F, steps: usize, whole: &H, input: &(P, A), seed: &A) -> Result<(), LawViolation>
where
    T: Approximate,
    F: Subject<T> + Contract<Input = (P, A), Output = A>,
    H: Subject<T> + Contract<Input = (P, A), Output = A>,
    P: crate::space::Over<T>,
    A: crate::space::Over<T>,
{
    equations::repeated(
        &On(step),
        steps,
        &On(whole),
        P::DIMENSION,
        &coordinates::<T, _>(input),
        &coordinates::<T, _>(seed),
    )
}

/// `h(x)ᵢ = f(xᵢ), K_h(t, u)ᵢ = K_f(rᵢ, uᵢ)`: `whole` is `each` on every row of a batch.
///
/// A row is as many coordinates as `each` takes; batch first, as [`map_over`](crate::ContractExt::map_over) has it.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn row_by_row<T, F, H>(each: &F, whole: &H, input: &H::Input, seed: &H::Output) -> Result<(), LawViolation>
where
    T: Approximate,
    F: Subject<T>,
    H: Subject<T>,
{
    equations::row_by_row(&On(each), &On(whole), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}
