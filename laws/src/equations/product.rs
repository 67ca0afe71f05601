//! Side by side, shared and dropped.

use crate::approximate::Approximate;
use crate::flat::Flat;
use crate::trial::{Trial, plus};
use crate::violation::{Law, LawViolation};

pub(crate) const COMPONENTWISE: Law =
    Law { name: "componentwise", equation: "h(x, y) = (f(x), g(y)), K_h(t, (u, w)) = (K_f(r, u), K_g(s, w))" };
pub(crate) const FANNED_OUT: Law =
    Law { name: "fanned_out", equation: "h(x) = (f(x), g(x)), K_h(t, (u, w)) = K_f(r, u) + K_g(s, w)" };
pub(crate) const SHARING_ADDS: Law = Law { name: "sharing_adds", equation: "Δ(x) = (x, x), K(r, (u, w)) = u + w" };
pub(crate) const DISCARDING_IS_ZERO: Law = Law { name: "discarding_is_zero", equation: "K(r, ()) = 0" };
pub(crate) const SHARED_ARGUMENT: Law =
    Law { name: "shared_argument", equation: "h(x) = f(x, x), K_h(t, u) = p + q for (p, q) = K_f(r, u)" };

/// `h(x, y) = (f(x), g(y)), K_h(t, (u, w)) = (K_f(r, u), K_g(s, w))`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn componentwise<T: Approximate>(
    f: &dyn Flat<T>,
    g: &dyn Flat<T>,
    h: &dyn Flat<T>,
    x: &[T],
    u: &[T],
) -> Result<(), LawViolation> {
    let trial = Trial { law: COMPONENTWISE, about: h, at: &[("(x, y)", x), ("(u, w)", u)] };
    let (takes, gives) = f.dimensions();
    let ((x, y), (u, w)) = (split(x, takes), split(u, gives));
    let (one, other) = (trial.inside(f.run(x))?, trial.inside(g.run(y))?);
    let whole = trial.inside(h.run(&[x, y].concat()))?;
    trial.agree(("h(x, y)", &whole.value), ("(f(x), g(y))", &[&one.value[..], &other.value].concat()))?;
    let apart = [one.pull(u), other.pull(w)].concat();
    trial.agree(("K_h(t, (u, w))", &whole.pull(&[u, w].concat())), ("(K_f(r, u), K_g(s, w))", &apart))
}

/// `h(x) = (f(x), g(x)), K_h(t, (u, w)) = K_f(r, u) + K_g(s, w)`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn fanned_out<T: Approximate>(
    f: &dyn Flat<T>,
    g: &dyn Flat<T>,
    h: &dyn Flat<T>,
    x: &[T],
    u: &[T],
) -> Result<(), LawViolation> {
    let trial = Trial { law: FANNED_OUT, about: h, at: &[("x", x), ("(u, w)", u)] };
    let (one, other, whole) = (trial.inside(f.run(x))?, trial.inside(g.run(x))?, trial.inside(h.run(x))?);
    trial.agree(("h(x)", &whole.value), ("(f(x), g(x))", &[&one.value[..], &other.value].concat()))?;
    let (first, second) = split(u, f.dimensions().1);
    let sum = plus(&one.pull(first), &other.pull(second));
    trial.agree(("K_h(t, (u, w))", &whole.pull(u)), ("K_f(r, u) + K_g(s, w)", &sum))
}

/// `Δ(x) = (x, x), K(r, (u, w)) = u + w`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn sharing_adds<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: SHARING_ADDS, about: f, at: &[("x", x), ("(u, w)", u)] };
    let run = trial.inside(f.run(x))?;
    trial.same(("Δ(x)", &run.value), ("(x, x)", &[x, x].concat()))?;
    let (one, other) = split(u, x.len());
    trial.agree(("K(r, (u, w))", &run.pull(u)), ("u + w", &plus(one, other)))
}

/// `K(r, ()) = 0`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn discarding_is_zero<T: Approximate>(f: &dyn Flat<T>, x: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: DISCARDING_IS_ZERO, about: f, at: &[("x", x)] };
    let run = trial.inside(f.run(x))?;
    trial.same(("K(r, ())", &run.pull(&[])), ("0", &vec![T::zero(); x.len()]))
}

/// `h(x) = f(x, x), K_h(t, u) = p + q for (p, q) = K_f(r, u)`.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn shared_argument<T: Approximate>(f: &dyn Flat<T>, h: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: SHARED_ARGUMENT, about: h, at: &[("x", x), ("u", u)] };
    let (run, whole) = (trial.inside(f.run(&[x, x].concat()))?, trial.inside(h.run(x))?);
    trial.agree(("h(x)", &whole.value), ("f(x, x)", &run.value))?;
    let both = run.pull(u);
    let (one, other) = split(&both, x.len());
    trial.agree(("K_h(t, u)", &whole.pull(u)), ("p + q", &plus(one, other)))
}

/// The first coordinates and the rest; all of them where there are fewer.
pub(crate) fn split<T>(list: &[T], at: usize) -> (&[T], &[T]) {
    list.split_at(at.min(list.len()))
}
