//! What a float computes, beside what a finer scalar does.

use crate::approximate::Approximate;
use crate::flat::Flat;
use crate::trial::Trial;
use crate::violation::{Law, LawViolation};

/// The law of [`rounded`].
pub(crate) const ROUNDED: Law = Law { name: "rounded", equation: "f̂(x) ≈ f(x), K̂(r̂, u) ≈ K(r, u)" };

/// `f̂(x) ≈ f(x), K̂(r̂, u) ≈ K(r, u)`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn rounded<T: Approximate, U: Approximate>(
    coarse: &dyn Flat<T>,
    fine: &dyn Flat<U>,
    (x, fine_x): (&[T], &[U]),
    (u, fine_u): (&[T], &[U]),
) -> Result<(), LawViolation> {
    let (x_double, u_double) = (doubles(x), doubles(u));
    let trial = Trial { law: ROUNDED, about: coarse, at: &[("x", &x_double[..]), ("u", &u_double[..])] };
    let (run, fine_run) = (trial.inside(coarse.run(x))?, trial.inside(fine.run(fine_x))?);
    let tolerance = T::TOLERANCE.max(U::TOLERANCE);
    trial.within(tolerance, ("f̂(x)", &doubles(&run.value)), ("f(x)", &doubles(&fine_run.value)))?;
    let (pulled, fine_pulled) = (doubles(&run.pull(u)), doubles(&fine_run.pull(fine_u)));
    trial.within(tolerance, ("K̂(r̂, u)", &pulled), ("K(r, u)", &fine_pulled))
}

fn doubles<T: Approximate>(numbers: &[T]) -> Vec<f64> {
    numbers.iter().map(Approximate::to_f64).collect()
}
