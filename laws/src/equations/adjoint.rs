//! The backward rule is the adjoint of the derivative.
//!
//! The derivative is taken by the forward function itself, at dual numbers: no rule of this library is asked.

use crate::approximate::Approximate;
use crate::flat::{Flat, Moving, Refusal};
use crate::rounding::{Near, beside, greatest};
use crate::trial::{Sums, Trial, pair};
use crate::violation::{Law, LawViolation};

pub(crate) const ADJOINT: Law = Law { name: "adjoint", equation: "⟨K(r, u), v⟩ = ⟨u, Df(x)·v⟩" };
/// [`ADJOINT`] over the rationals, where it leaves no room for rounding.
pub(crate) const EXACT: Law = Law { name: "exact", equation: "K(r, u)ᵢ = ⟨u, Df(x)·eᵢ⟩, to the last digit" };
pub(crate) const PRIMAL: Law = Law { name: "primal", equation: "f(x + ε·v) = f(x) + ε·Df(x)·v" };

/// `⟨K(r, u), v⟩ = ⟨u, Df(x)·v⟩`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn adjoint<T: Approximate>(
    f: &dyn Flat<T>,
    moving: &dyn Moving<T>,
    x: &[T],
    u: &[T],
    v: &[T],
) -> Result<(), LawViolation> {
    along(ADJOINT, f, moving, x, u, v)
}

/// The same, under the name of a law.
pub(crate) fn along<T: Approximate>(
    law: Law,
    f: &dyn Flat<T>,
    moving: &dyn Moving<T>,
    x: &[T],
    u: &[T],
    v: &[T],
) -> Result<(), LawViolation> {
    let trial = Trial { law, about: f, at: &[("x", x), ("u", u), ("v", v)] };
    let pulled = |x: &[T], near: Near| Ok(Sums::one(pair(&f.run(x)?.pull(&near.of(u)), v)));
    let pushed = |x: &[T], near: Near| Ok(Sums::one(pair(&near.of(u), &moving.push(x, v)?.tangent)));
    trial.agree_steadily(x, greatest(u) * greatest(v) * beside(x), ("⟨K(r, u), v⟩", &pulled), ("⟨u, Df(x)·v⟩", &pushed))
}

/// `K(r, u)ᵢ = ⟨u, Df(x)·eᵢ⟩`, for every coordinate `i` of the input: [`adjoint`] in all directions at once, so that the violation names the coordinate.
///
/// It runs the forward function once for each.
/// Each coordinate is compared beside its own terms, so that a great one does not hide what is wrong with a small one.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn coordinatewise<T: Approximate>(
    f: &dyn Flat<T>,
    moving: &dyn Moving<T>,
    x: &[T],
    u: &[T],
) -> Result<(), LawViolation> {
    each_coordinate(ADJOINT, f, moving, x, u, &(0..x.len()).collect::<Vec<usize>>())
}

/// The same, under the name of a law and for some coordinates.
pub(crate) fn each_coordinate<T: Approximate>(
    law: Law,
    f: &dyn Flat<T>,
    moving: &dyn Moving<T>,
    x: &[T],
    u: &[T],
    coordinates: &[usize],
) -> Result<(), LawViolation> {
    let trial = Trial { law, about: f, at: &[("x", x), ("u", u)] };
    let pulled = |x: &[T], near: Near| {
        let all = f.run(x)?.pull(&near.of(u));
        // What is asked for has its place, and the others nothing on both sides.
        let mut some = vec![T::zero(); all.len()];
        coordinates.iter().for_each(|&at| some[at] = all[at].clone());
        Ok(some.into())
    };
    let pushed = |x: &[T], near: Near| -> Result<Sums<T>, Refusal> {
        let along = |coordinate: usize| {
            let direction: Vec<T> =
                (0..x.len()).map(|at| if at == coordinate { T::one() } else { T::zero() }).collect();
            Ok(pair(&near.of(u), &moving.push(x, &direction)?.tangent))
        };
        let mut all = vec![(T::zero(), T::zero()); x.len()];
        for &at in coordinates {
            all[at] = along(at)?;
        }
        Ok(all.into_iter().collect())
    };
    trial.agree_steadily(x, greatest(u) * beside(x), ("K(r, u)", &pulled), ("⟨u, Df(x)·eᵢ⟩", &pushed))
}

/// `f(x + ε·v) = f(x) + ε·Df(x)·v`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn primal<T: Approximate>(f: &dyn Flat<T>, moving: &dyn Moving<T>, x: &[T], v: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: PRIMAL, about: f, at: &[("x", x), ("v", v)] };
    let value = |x: &[T], _: Near| Ok(f.run(x)?.value.into());
    let pushed = |x: &[T], _: Near| Ok(moving.push(x, v)?.value.into());
    trial.agree_steadily(x, 0.0, ("f(x)", &value), ("f(x + ε·v) at ε = 0", &pushed))
}
