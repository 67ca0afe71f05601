//! One contract many times.

use super::product::split;
use crate::approximate::Approximate;
use crate::flat::Flat;
use crate::trial::{Trial, plus};
use crate::violation::{Law, LawViolation};

pub(crate) const REPEATED: Law = Law {
    name: "repeated",
    equation: "h(p, x) = f(p, … f(p, x)), K_h(t, u) = (Σₖ pₖ, x₀) for (pₖ, xₖ) = K_f(rₖ, xₖ₊₁)",
};
pub(crate) const ROW_BY_ROW: Law =
    Law { name: "row_by_row", equation: "h(x)ᵢ = f(xᵢ), K_h(t, u)ᵢ = K_f(rᵢ, uᵢ)" };

/// `h(p, x) = f(p, … f(p, x)), K_h(t, u) = (Σₖ pₖ, x₀) for (pₖ, xₖ) = K_f(rₖ, xₖ₊₁)`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn repeated<T: Approximate>(
    f: &dyn Flat<T>,
    steps: usize,
    h: &dyn Flat<T>,
    parameters: usize,
    x: &[T],
    u: &[T],
) -> Result<(), LawViolation> {
    let trial = Trial { law: REPEATED, about: h, at: &[("(p, x)", x), ("u", u)] };
    let (p, start) = split(x, parameters);
    let (mut state, mut runs) = (start.to_vec(), Vec::with_capacity(steps));
    for _ in 0..steps {
        let run = trial.inside(f.run(&[p, &state].concat()))?;
        state.clone_from(&run.value);
        runs.push(run);
    }
    let whole = trial.inside(h.run(x))?;
    trial.agree(("h(p, x)", &whole.value), ("f(p, … f(p, x))", &state))?;
    let (mut sum, mut seed) = (vec![T::zero(); p.len()], u.to_vec());
    for run in runs.iter().rev() {
        let both = run.pull(&seed);
        let (contribution, previous) = split(&both, parameters);
        sum = plus(&sum, contribution);
        seed = previous.to_vec();
    }
    trial.agree(("K_h(t, u)", &whole.pull(u)), ("(Σₖ pₖ, x₀)", &[sum, seed].concat()))
}

/// `h(x)ᵢ = f(xᵢ), K_h(t, u)ᵢ = K_f(rᵢ, uᵢ)`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn row_by_row<T: Approximate>(f: &dyn Flat<T>, h: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: ROW_BY_ROW, about: h, at: &[("x", x), ("u", u)] };
    let whole = trial.inside(h.run(x))?;
    let (takes, gives) = f.dimensions();
    let (mut values, mut cotangents) = (Vec::new(), Vec::new());
    for (row, seed) in x.chunks(takes.max(1)).zip(u.chunks(gives.max(1))) {
        let run = trial.inside(f.run(row))?;
        cotangents.extend(run.pull(seed));
        values.extend(run.value);
    }
    trial.agree(("h(x)", &whole.value), ("f(xᵢ) of every row", &values))?;
    trial.agree(("K_h(t, u)", &whole.pull(u)), ("K_f(rᵢ, uᵢ) of every row", &cotangents))
}
