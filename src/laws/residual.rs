//! The residual is all that the backward rule needs, and both functions are functions.

use super::approximate::Approximate;
use super::flat::{Flat, Subject, Trial};
use super::linear::coordinates;
use super::violation::{Law, LawViolation};

pub(super) const DETERMINISTIC: Law = Law { name: "deterministic", equation: "F(x) = F(x)" };
pub(super) const RESIDUAL_SUFFICES: Law =
    Law { name: "residual_suffices", equation: "K(r, u) after F(y), K(s, w) = K(r, u)" };

/// `F(x) = F(x)`: two runs at one point give the same value, and residuals with the same backward rule, to the bit.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn deterministic<T: Approximate, C: Subject<T>>(
    contract: &C,
    input: &C::Input,
    seed: &C::Output,
) -> Result<(), LawViolation> {
    deterministic_at(contract, &coordinates::<T, _>(input), &coordinates::<T, _>(seed))
}

pub(super) fn deterministic_at<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: DETERMINISTIC, about: f, at: &[("x", x), ("u", u)] };
    let (one, other) = (trial.inside(f.run(x))?, trial.inside(f.run(x))?);
    trial.same(("f(x)", &one.value), ("f(x) again", &other.value))?;
    trial.same(("K(r, u)", &one.pull(u)), ("K(r, u) of the second run", &other.pull(u)))
}

/// `K(r, u) after F(y), K(s, w) = K(r, u)`, where `r` was saved at `x`, `s` at `y`, and `x` is gone.
///
/// A rule that looks at anything but its residual, such as storage that a later forward run changed, gives another cotangent the second time.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn residual_suffices<T: Approximate, C: Subject<T>>(
    contract: &C,
    input: &C::Input,
    seed: &C::Output,
    later_input: &C::Input,
    later_seed: &C::Output,
) -> Result<(), LawViolation> {
    let (x, u) = (coordinates::<T, _>(input), coordinates::<T, _>(seed));
    residual_suffices_at(contract, &x, &u, &coordinates::<T, _>(later_input), &coordinates::<T, _>(later_seed))
}

pub(super) fn residual_suffices_at<T: Approximate>(
    f: &dyn Flat<T>,
    x: &[T],
    u: &[T],
    y: &[T],
    w: &[T],
) -> Result<(), LawViolation> {
    let trial = Trial { law: RESIDUAL_SUFFICES, about: f, at: &[("x", x), ("u", u), ("y", y), ("w", w)] };
    let run = trial.inside(f.run(x))?;
    let before = run.pull(u);
    trial.same(("K(r, u) a second time", &run.pull(u)), ("K(r, u)", &before))?;
    let later = trial.inside(f.run(y))?;
    let after = run.pull(u);
    let later_before = later.pull(w);
    trial.same(("K(r, u) after F(y)", &after), ("K(r, u)", &before))?;
    trial.same(("K(r, u) after K(s, w)", &run.pull(u)), ("K(r, u)", &before))?;
    trial.same(("K(s, w) after K(r, u)", &later.pull(w)), ("K(s, w)", &later_before))
}
