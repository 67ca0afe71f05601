//! One after the other (Theorem 1).

use super::contract::{On, Subject, coordinates};
use super::{Approximate, LawViolation, equations};
use crate::contract::combinators::identity;
use crate::contract::{Contract, ContractExt};
use crate::space::Over;

/// `f(x) = g(x), K_f(r, u) = K_g(s, u)`: two contracts are equal but for what they save.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn same_contract<T, F, G>(first: &F, second: &G, input: &F::Input, seed: &F::Output) -> Result<(), LawViolation>
where
    T: Approximate,
    F: Subject<T>,
    G: Subject<T> + Contract<Input = F::Input, Output = F::Output>,
{
    equations::same_contract(&On(first), &On(second), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

/// `h(x) = g(f(x)), K_h(t, w) = K_f(r, K_g(s, w))`: `whole` is `first`, then `second`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
///
/// # Example
///
/// ```
/// use pullback::laws::composite;
/// use pullback::ops::{logistic, tanh};
/// use pullback::{ContractExt, N, Tensor};
///
/// type S = (N<3>,);
/// let (f, g) = (tanh::<S, f64>(), logistic::<S, f64>());
/// let (x, w) = (Tensor::from_fn(|i| i as f64 - 0.5), Tensor::from_fn(|i| 1.0 + i as f64));
/// composite::<f64, _, _, _>(&f, &g, &f.clone().then(g.clone()), &x, &w)?;
/// // The other way round it is another contract.
/// assert!(composite::<f64, _, _, _>(&f, &g, &g.clone().then(f.clone()), &x, &w).is_err());
/// # Ok::<(), pullback::laws::LawViolation>(())
/// ```
pub fn composite<T, F, G, H>(
    first: &F,
    second: &G,
    whole: &H,
    input: &F::Input,
    seed: &G::Output,
) -> Result<(), LawViolation>
where
    T: Approximate,
    F: Subject<T>,
    G: Subject<T> + Contract<Input = F::Output>,
    H: Subject<T> + Contract<Input = F::Input, Output = G::Output>,
{
    equations::composite(&On(first), &On(second), &On(whole), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

/// `(f ; g) ; h = f ; (g ; h), ((r, s), t) ~ (r, (s, t))`: composites nested to the left and to the right have equal values and backward rules, and save the same in another grouping.
///
/// The residuals' types say how they are grouped; that their coordinates agree says that regrouping is all there is between them.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
///
/// # Example
///
/// ```
/// use pullback::laws::associative;
/// use pullback::ops::{exponential, sine, tanh};
/// use pullback::{ContractExt, N, Tensor};
///
/// type S = (N<3>,);
/// let (f, g, h) = (tanh::<S, f64>(), sine::<S, f64>(), exponential::<S, f64>());
/// let left = f.clone().then(g.clone()).then(h.clone());
/// let right = f.then(g.then(h));
/// let (x, w) = (Tensor::from_fn(|i| i as f64 - 0.5), Tensor::from_fn(|i| 1.0 + i as f64));
/// associative::<f64, _, _, _, _, _>(&left, &right, &x, &w)?;
/// # Ok::<(), pullback::laws::LawViolation>(())
/// ```
pub fn associative<T, L, M, R, S, Q>(
    left: &L,
    right: &M,
    input: &L::Input,
    seed: &L::Output,
) -> Result<(), LawViolation>
where
    T: Approximate,
    L: Subject<T> + Contract<Residual = ((R, S), Q)>,
    M: Subject<T> + Contract<Input = L::Input, Output = L::Output, Residual = (R, (S, Q))>,
    R: Over<T>,
    S: Over<T>,
    Q: Over<T>,
{
    equations::associative(&On(left), &On(right), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

/// `id ; f = f, ((), r) ~ r`: the identity is a unit on the left, up to the terminal residual.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn left_unit<T, F>(contract: &F, input: &F::Input, seed: &F::Output) -> Result<(), LawViolation>
where
    T: Approximate,
    F: Subject<T> + Contract<Residual: Over<T>>,
{
    let whole = identity::<F::Input>().then(contract);
    equations::left_unit(&On(contract), &On(&whole), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

/// `f ; id = f, (r, ()) ~ r`: the identity is a unit on the right, up to the terminal residual.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn right_unit<T, F>(contract: &F, input: &F::Input, seed: &F::Output) -> Result<(), LawViolation>
where
    T: Approximate,
    F: Subject<T> + Contract<Residual: Over<T>>,
{
    let whole = contract.then(identity::<F::Output>());
    equations::right_unit(&On(contract), &On(&whole), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

/// `g(x) = f(x), K_g(x, u) = K_f(r, u)`: `whole` is `contract` with its input for a residual.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn recomputed<T, F, G>(contract: &F, whole: &G, input: &F::Input, seed: &F::Output) -> Result<(), LawViolation>
where
    T: Approximate,
    F: Subject<T>,
    G: Subject<T> + Contract<Input = F::Input, Output = F::Output, Residual = F::Input>,
{
    equations::recomputed(&On(contract), &On(whole), &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}
