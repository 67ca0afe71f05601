//! What a rule may do to its arguments, and with them.
//!
//! The input and the cotangent lie in [`Storage`], which a rule over storage can keep or change.

use crate::approximate::Approximate;
use crate::flat::{Call, Flat, Run};
use crate::storage::Storage;
use crate::trial::Trial;
use crate::violation::{Law, LawViolation};

pub(crate) const RESIDUAL_SUFFICES: Law =
    Law { name: "residual_suffices", equation: "K(r, u) once x is overwritten = K(r, u)" };
pub(crate) const UNCHANGED: Law = Law { name: "unchanged", equation: "x after F(x) = x, u after K(r, u) = u" };
pub(crate) const ONE_STORAGE: Law =
    Law { name: "one_storage", equation: "F(x, x) with one storage = F(x, x) with two" };
pub(crate) const TRACKED: Law =
    Law { name: "tracked", equation: "K(r, u)ₖ where not all arguments are tracked = K(r, u)ₖ" };
pub(crate) const MOVED: Law = Law { name: "moved", equation: "K(r, u) on another thread = K(r, u)" };

/// `K(r, u) once x is overwritten = K(r, u)`: the backward rule does not see the input, only what was saved.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn residual_suffices<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: RESIDUAL_SUFFICES, about: f, at: &[("x", x), ("u", u)] };
    let kept = Call::new(x, &f.arguments());
    let expected = trial.inside(f.call(&kept))?.pull(u);
    let call = Call::new(x, &f.arguments());
    let run = trial.inside(f.call(&call))?;
    for argument in &call.arguments {
        // Other numbers of the same sizes, so that nothing is found out by an infinity alone.
        let other = argument.read().into_iter().map(|x| T::from_ratio(-5, 3) * x + T::from_ratio(7, 2)).collect();
        argument.write(other);
    }
    drop(call);
    trial.alike(("K(r, u) once x is overwritten", &run.pull(u)), ("K(r, u)", &expected))
}

/// `x after F(x) = x, u after K(r, u) = u`: neither function changes its arguments.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn unchanged<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: UNCHANGED, about: f, at: &[("x", x), ("u", u)] };
    let call = Call::new(x, &f.arguments());
    let run = trial.inside(f.call(&call))?;
    trial.same(("x after F(x)", &call.coordinates()), ("x", x))?;
    let seed = Storage::new(u.to_vec());
    run.saved.answer(&seed);
    trial.same(("u after K(r, u)", &seed.read()), ("u", u))?;
    trial.same(("x after K(r, u)", &call.coordinates()), ("x", x))
}

/// `F(x, x) with one storage = F(x, x) with two`: a repeated argument is two arguments with equal numbers.
///
/// `one` and `other` are the places of two arguments of equal length; the second is made equal to the first.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn one_storage<T: Approximate>(
    f: &dyn Flat<T>,
    x: &[T],
    u: &[T],
    (one, other): (usize, usize),
) -> Result<(), LawViolation> {
    let apart = Call::new(x, &f.arguments());
    if let (Some(from), Some(to)) = (apart.arguments.get(one), apart.arguments.get(other)) {
        to.write(from.read());
    }
    let mut together = Call::new(&apart.coordinates(), &f.arguments());
    if let Some(shared) = together.arguments.get(one).cloned() {
        together.arguments.splice(other..=other, [shared]);
    }
    let x = apart.coordinates();
    let trial = Trial { law: ONE_STORAGE, about: f, at: &[("(x, x)", &x), ("u", u)] };
    let (two, shared) = (trial.inside(f.call(&apart))?, trial.inside(f.call(&together))?);
    trial.alike(("f(x, x) with one storage", &shared.value), ("f(x, x) with two", &two.value))?;
    trial.alike(("K(r, u) with one storage", &shared.pull(u)), ("K(r, u) with two", &two.pull(u)))
}

/// `K(r, u)ₖ where not all arguments are tracked = K(r, u)ₖ`: which other inputs need a gradient makes no difference.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn tracked<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: TRACKED, about: f, at: &[("x", x), ("u", u)] };
    let all = trial.inside(f.run(x))?;
    let expected = all.saved.answer(&Storage::new(u.to_vec()));
    let count = f.arguments().len();
    let alone = (0..count).map(|place| (0..count).map(|other| other == place).collect::<Vec<bool>>());
    let others = (0..count).map(|place| (0..count).map(|other| other != place).collect());
    for tracked in alone.chain(others.filter(|_| count > 2)) {
        let mut call = Call::new(x, &f.arguments());
        call.tracked.clone_from(&tracked);
        let run = trial.inside(f.call(&call))?;
        trial.alike(("f(x) with some arguments tracked", &run.value), ("f(x)", &all.value))?;
        let answer = run.saved.answer(&Storage::new(u.to_vec()));
        for (place, expected) in expected.iter().enumerate().filter(|(place, _)| tracked.get(*place) == Some(&true)) {
            let Some(expected) = expected else { continue };
            let found = answer.get(place).cloned().flatten().unwrap_or_default();
            trial.alike(("K(r, u)ₖ where argument k is tracked and not all are", &found), ("K(r, u)ₖ", expected))?;
        }
    }
    Ok(())
}

/// `K(r, u) on another thread = K(r, u)`: what was saved may go where it likes.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn moved<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T]) -> Result<(), LawViolation> {
    let trial = Trial { law: MOVED, about: f, at: &[("x", x), ("u", u)] };
    let here = trial.inside(f.run(x))?.pull(u);
    let there = trial.inside(f.run(x))?;
    let pulled = std::thread::scope(|scope| {
        let Run { saved, .. } = there;
        // A rule that panics panics here as it would there.
        scope.spawn(move || saved.pull(u)).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    trial.alike(("K(r, u) on another thread", &pulled), ("K(r, u)", &here))
}
