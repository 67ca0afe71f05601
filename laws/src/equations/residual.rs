//! Both functions are functions, whenever and however often they are called.

use crate::approximate::Approximate;
use crate::flat::Flat;
use crate::trial::Trial;
use crate::violation::{Law, LawViolation};

pub(crate) const DETERMINISTIC: Law = Law { name: "deterministic", equation: "F(x) = F(x)" };
pub(crate) const REUSABLE: Law = Law { name: "reusable", equation: "K(r, u) = K(r, u)" };
pub(crate) const INTERLEAVED: Law = Law { name: "interleaved", equation: "K(r, u) after F(y), K(s, w) = K(r, u)" };
pub(crate) const RECOMPUTABLE: Law =
    Law { name: "recomputable", equation: "K(r', u) = K(r, u) for r' of F(x) after F(y), as checkpointing has it" };

/// `F(x) = F(x)`: two runs at one point, one right after the other, give the same value, and residuals with the same backward rule, to the bit.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn deterministic<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    repeats(f, x, u, false)
}

/// The same; where rounding varies, up to that.
pub(crate) fn repeats<T: Approximate>(
    f: &dyn Flat<T>,
    x: &[T],
    u: &[T],
    rounding_varies: bool,
) -> Result<(), LawViolation> {
    let trial = Trial { law: DETERMINISTIC, about: f, at: &[("x", x), ("u", u)] };
    let (one, other) = (trial.inside(f.run(x))?, trial.inside(f.run(x))?);
    trial.again(rounding_varies, ("f(x)", &one.value), ("f(x) again", &other.value))?;
    trial.again(rounding_varies, ("K(r, u)", &one.pull(u)), ("K(r, u) of the second run", &other.pull(u)))
}

/// `K(r, u) = K(r, u)`: a residual is not used up; the second use of a tape gives the same to the bit.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn reusable<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    used_twice(f, x, u, false)
}

/// The same; where rounding varies, up to that.
pub(crate) fn used_twice<T: Approximate>(
    f: &dyn Flat<T>,
    x: &[T],
    u: &[T],
    rounding_varies: bool,
) -> Result<(), LawViolation> {
    let trial = Trial { law: REUSABLE, about: f, at: &[("x", x), ("u", u)] };
    let run = trial.inside(f.run(x))?;
    let first = run.pull(u);
    trial.again(rounding_varies, ("K(r, u) a second time", &run.pull(u)), ("K(r, u)", &first))
}

/// `K(r, u) after F(y), K(s, w) = K(r, u)`, where `r` was saved at `x` and `s` at `y`: the calls of two runs may be interleaved.
///
/// A rule that looks at anything but its residual, such as storage that a later forward run changed, gives another cotangent.
/// Each residual is used once, and none is compared with one that was recomputed later: those are the questions of [`reusable`] and [`recomputable`].
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn interleaved<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T], y: &[T], w: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: INTERLEAVED, about: f, at: &[("x", x), ("u", u), ("y", y), ("w", w)] };
    let alone = trial.inside(f.run(x))?.pull(u);
    let run = trial.inside(f.run(x))?;
    let later = trial.inside(f.run(y))?;
    let later_alone = trial.inside(f.run(y))?.pull(w);
    trial.alike(("K(r, u) after F(y), K(s, w)", &run.pull(u)), ("K(r, u)", &alone))?;
    trial.alike(("K(s, w) after K(r, u)", &later.pull(w)), ("K(s, w)", &later_alone))
}

/// `K(r', u) = K(r, u) for r' of F(x) after F(y), as checkpointing has it`: what is recomputed later is what was computed first.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn recomputable<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T], y: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: RECOMPUTABLE, about: f, at: &[("x", x), ("u", u), ("y", y)] };
    let run = trial.inside(f.run(x))?;
    let first = run.pull(u);
    trial.inside(f.run(y))?;
    let again = trial.inside(f.run(x))?;
    trial.alike(("f(x) after F(y)", &again.value), ("f(x)", &run.value))?;
    trial.alike(("K(r', u)", &again.pull(u)), ("K(r, u)", &first))
}
