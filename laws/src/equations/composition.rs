//! One after the other (Theorem 1).

use crate::approximate::Approximate;
use crate::flat::{Flat, Remembers};
use crate::trial::Trial;
use crate::violation::{Law, LawViolation};

pub(crate) const SAME_CONTRACT: Law = Law { name: "same_contract", equation: "f(x) = g(x), K_f(r, u) = K_g(s, u)" };
pub(crate) const COMPOSITE: Law = Law { name: "composite", equation: "h(x) = g(f(x)), K_h(t, w) = K_f(r, K_g(s, w))" };
pub(crate) const ASSOCIATIVE: Law =
    Law { name: "associative", equation: "(f ; g) ; h = f ; (g ; h), ((r, s), t) ~ (r, (s, t))" };
pub(crate) const LEFT_UNIT: Law = Law { name: "left_unit", equation: "id ; f = f, ((), r) ~ r" };
pub(crate) const RIGHT_UNIT: Law = Law { name: "right_unit", equation: "f ; id = f, (r, ()) ~ r" };
pub(crate) const RECOMPUTED: Law = Law { name: "recomputed", equation: "g(x) = f(x), K_g(x, u) = K_f(r, u)" };

/// `f(x) = g(x), K_f(r, u) = K_g(s, u)`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn same_contract<T: Approximate>(f: &dyn Flat<T>, g: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    same_as(SAME_CONTRACT, f, g, x, u)
}

/// The same, under the name of a law that says it of two rules in particular.
pub(crate) fn same_as<T: Approximate>(
    law: Law,
    f: &dyn Flat<T>,
    g: &dyn Flat<T>,
    x: &[T],
    u: &[T],
) -> Result<(), LawViolation> {
    let trial = Trial { law, about: f, at: &[("x", x), ("u", u)] };
    let (one, other) = (trial.inside(f.run(x))?, trial.inside(g.run(x))?);
    trial.agree(("the value of the first", &one.value), ("the value of the second", &other.value))?;
    trial.agree(("K(r, u) of the first", &one.pull(u)), ("K(s, u) of the second", &other.pull(u)))
}

/// `h(x) = g(f(x)), K_h(t, w) = K_f(r, K_g(s, w))`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn composite<T: Approximate>(
    f: &dyn Flat<T>,
    g: &dyn Flat<T>,
    h: &dyn Flat<T>,
    x: &[T],
    w: &[T],
) -> Result<(), LawViolation> {
    let trial = Trial { law: COMPOSITE, about: h, at: &[("x", x), ("w", w)] };
    let first = trial.inside(f.run(x))?;
    let second = trial.inside(g.run(&first.value))?;
    let whole = trial.inside(h.run(x))?;
    trial.agree(("h(x)", &whole.value), ("g(f(x))", &second.value))?;
    trial.agree(("K_h(t, w)", &whole.pull(w)), ("K_f(r, K_g(s, w))", &first.pull(&second.pull(w))))
}

/// `(f ; g) ; h = f ; (g ; h), ((r, s), t) ~ (r, (s, t))`: equal rules, whose residuals have the same coordinates.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn associative<T: Approximate>(
    f: &dyn Remembers<T>,
    g: &dyn Remembers<T>,
    x: &[T],
    u: &[T],
) -> Result<(), LawViolation> {
    regrouped(ASSOCIATIVE, f, g, x, u)
}

/// `id ; f = f, ((), r) ~ r`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn left_unit<T: Approximate>(
    f: &dyn Remembers<T>,
    whole: &dyn Remembers<T>,
    x: &[T],
    u: &[T],
) -> Result<(), LawViolation> {
    regrouped(LEFT_UNIT, whole, f, x, u)
}

/// `f ; id = f, (r, ()) ~ r`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn right_unit<T: Approximate>(
    f: &dyn Remembers<T>,
    whole: &dyn Remembers<T>,
    x: &[T],
    u: &[T],
) -> Result<(), LawViolation> {
    regrouped(RIGHT_UNIT, whole, f, x, u)
}

/// Equal rules, whose residuals have the same coordinates.
pub(crate) fn regrouped<T: Approximate>(
    law: Law,
    f: &dyn Remembers<T>,
    g: &dyn Remembers<T>,
    x: &[T],
    u: &[T],
) -> Result<(), LawViolation> {
    same_as(law, f, g, x, u)?;
    let trial = Trial { law, about: f, at: &[("x", x), ("u", u)] };
    let (one, other) = (trial.inside(f.residual(x))?, trial.inside(g.residual(x))?);
    trial.agree(("the residual of the first", &one), ("the residual of the second", &other))
}

/// `g(x) = f(x), K_g(x, u) = K_f(r, u)`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn recomputed<T: Approximate>(
    f: &dyn Flat<T>,
    whole: &dyn Remembers<T>,
    x: &[T],
    u: &[T],
) -> Result<(), LawViolation> {
    same_as(RECOMPUTED, f, whole, x, u)?;
    let trial = Trial { law: RECOMPUTED, about: f, at: &[("x", x), ("u", u)] };
    trial.same(("the residual", &trial.inside(whole.residual(x))?), ("x", x))
}
