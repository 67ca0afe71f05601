//! Side by side, shared and dropped.

use super::contract::{On, Subject, coordinates};
use super::{Approximate, LawViolation, equations};
use crate::contract::Contract;

/// `h(x, y) = (f(x), g(y)), K_h(t, (u, w)) = (K_f(r, u), K_g(s, w))`: `whole` is `left` and `right` side by side.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn componentwise<T, F, G, H>(
    left: &F,
    right: &G,
    whole: &H,
    input: &H::Input,
    seed: &H::Output,
) -> Result<(), LawViolation>
where
    T: Approximate,
    F: Subject<T>,
    G: Subject<T>,
    H: Subject<T> + Contract<Input = (F::Input, G::Input), Output = (F::Output, G::Output)>,
{
    equations::componentwise(&On(left), &On(right), &On(whole), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

/// `h(x) = (f(x), g(x)), K_h(t, (u, w)) = K_f(r, u) + K_g(s, w)`: `whole` gives one input to both, and the input gets both contributions.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
///
/// # Example
///
/// The loss `x² + x` of the seed: the square path and the direct path contribute to one input.
///
/// ```
/// use pullback::laws::fanned_out;
/// use pullback::ops::square;
/// use pullback::{ContractExt, Rational, Scalar, Tensor, identity};
///
/// type Q = Rational;
/// let (f, g) = (square::<(), Q>(), identity::<Tensor<(), Q>>());
/// let x = Tensor::scalar(Q::from_ratio(3, 2));
/// let u = (Tensor::scalar(Q::from_ratio(5, 7)), Tensor::scalar(Q::from_ratio(-2, 3)));
/// fanned_out::<Q, _, _, _>(&f, &g, &f.clone().fan_out(g), &x, &u)?;
/// # Ok::<(), pullback::laws::LawViolation>(())
/// ```
pub fn fanned_out<T, F, G, H>(
    left: &F,
    right: &G,
    whole: &H,
    input: &H::Input,
    seed: &H::Output,
) -> Result<(), LawViolation>
where
    T: Approximate,
    F: Subject<T>,
    G: Subject<T> + Contract<Input = F::Input>,
    H: Subject<T> + Contract<Input = F::Input, Output = (F::Output, G::Output)>,
{
    equations::fanned_out(&On(left), &On(right), &On(whole), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

/// `Δ(x) = (x, x), K(r, (u, w)) = u + w`: the pullback of sharing adds.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn sharing_adds<T, D>(sharing: &D, input: &D::Input, seed: &D::Output) -> Result<(), LawViolation>
where
    T: Approximate,
    D: Subject<T> + Contract<Output = (<D as Contract>::Input, <D as Contract>::Input)>,
{
    equations::sharing_adds(&On(sharing), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

/// `K(r, ()) = 0`: what is not used gets zero.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn discarding_is_zero<T, D>(discarding: &D, input: &D::Input) -> Result<(), LawViolation>
where
    T: Approximate,
    D: Subject<T> + Contract<Output = ()>,
{
    equations::discarding_is_zero(&On(discarding), &coordinates::<T, _>(input))
}

/// `h(x) = f(x, x), K_h(t, u) = p + q for (p, q) = K_f(r, u)`: an argument that is used twice gets every contribution.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
///
/// # Example
///
/// ```
/// use pullback::laws::shared_argument;
/// use pullback::ops::multiply;
/// use pullback::{ContractExt, N, Rational, Scalar, Tensor, duplicate};
///
/// type Q = Rational;
/// type V = Tensor<(N<3>,), Q>;
/// let f = multiply::<(N<3>,), Q>();
/// let at = |i: usize| Q::from_ratio(2 * i as i64 - 1, 3);
/// shared_argument::<Q, _, _>(&f, &duplicate::<V>().then(&f), &V::from_fn(at), &V::from_fn(at))?;
/// # Ok::<(), pullback::laws::LawViolation>(())
/// ```
pub fn shared_argument<T, F, H>(contract: &F, whole: &H, input: &H::Input, seed: &F::Output) -> Result<(), LawViolation>
where
    T: Approximate,
    H: Subject<T>,
    F: Subject<T> + Contract<Input = (H::Input, H::Input), Output = H::Output>,
{
    equations::shared_argument(&On(contract), &On(whole), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}
