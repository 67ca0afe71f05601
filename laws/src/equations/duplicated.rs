//! Numbers that occur several times in an input.
//!
//! A maximum of one number and itself is that number: it has a corner as a function of two numbers and none as a function of one.
//! There a rule has a choice for each of the two, and none for both together.

use super::corner::has_corner;
use super::measured::{Measured, Outcome, Verdict, compared, is_confirmed, slope};
use crate::approximate::Approximate;
use crate::draw::{Domain, Draw};
use crate::evidence::Evidence;
use crate::flat::{Flat, Refusal, Run, Shaped};
use crate::points;
use crate::rounding::{Near, beside, greatest};
use crate::trial::{Trial, pair};
use crate::violation::{Law, LawViolation};

pub(crate) const DUPLICATED: Law = Law {
    name: "duplicated",
    equation: "⟨K(r, u), Δv⟩ = ⟨u, D(Δ ; f)(z)·v⟩ at x = Δz, where Δ repeats numbers and Δ ; f is smooth",
};

/// `⟨K(r, u), Δv⟩ = ⟨u, D(Δ ; f)(z)·v⟩ at x = Δz, where Δ repeats numbers and Δ ; f is smooth`: the cotangents of equal numbers add up to the derivative by the one number that they are.
///
/// `copies` says of each coordinate of `x` which of `z` it repeats.
/// The derivative is measured along `v`; where `Δ ; f` has a corner, the law says nothing, and where `f` itself has none it is the law `adjoint`, which is left to speak of it.
/// Every element of the generalised gradient satisfies it where nothing meets but the numbers that are repeated: so what differs has to differ around `z` as well, where no number is zero by chance.
///
/// # Source
///
/// Clarke, *Optimization and Nonsmooth Analysis*, 1983, Theorem 2.3.10: the generalised gradient of a composite with a linear map.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn duplicated<T: Approximate>(
    f: &dyn Flat<T>,
    copies: &[usize],
    z: &[T],
    u: &[T],
    v: &[T],
) -> Result<Outcome, LawViolation> {
    duplicated_along(f, copies, z, u, (v.to_vec(), None))
}

/// The same, where a wider direction may be taken if the first is too narrow to decide anything.
pub(crate) fn duplicated_along<T: Approximate>(
    f: &dyn Flat<T>,
    copies: &[usize],
    z: &[T],
    u: &[T],
    (v, wider): (Vec<T>, Option<Vec<T>>),
) -> Result<Outcome, LawViolation> {
    let whole = Repeated { f, copies, takes: z.len() };
    let x = whole.of(z);
    let place = Trial { law: DUPLICATED, about: f, at: &[("x", &x), ("u", u)] };
    let (v, found) = place.inside(slope(&whole, z, u, (v, wider)))?;
    let value = match (found, differs(&whole, z, u, (&v, found))) {
        (Measured::Smooth { .. }, Found::Differ(value)) => value,
        (Measured::Smooth { .. }, Found::Agree) => return Ok(Outcome::Held),
        (Measured::Smooth { .. }, Found::Nothing(why)) | (Measured::Unknown(why), _) => {
            return Ok(Outcome::Undecided(why));
        }
        (Measured::Corner { .. }, _) => return Ok(Outcome::Elsewhere),
    };
    let moving: Vec<bool> = whole.of(&v).iter().map(|v| !v.is_zero()).collect();
    if !is_rough(f, (&x, u, &whole.of(&v)), &moving) {
        return Ok(Outcome::Elsewhere);
    }
    if has_corner(&whole, (z, u, &v), (&[(v.clone(), found)], &vec![true; z.len()])) {
        return Ok(Outcome::Elsewhere);
    }
    if !is_confirmed(&whole, z, u, (&v, found)) {
        return Ok(Outcome::Undecided("the differences do not settle"));
    }
    let differs_there = |z: Vec<T>| match slope(&whole, &z, u, (v.clone(), None)) {
        Ok((v, found)) => matches!(differs(&whole, &z, u, (&v, found)), Found::Differ(_)),
        Err(_) => false,
    };
    if !around(z).into_iter().all(differs_there) {
        return Ok(Outcome::Undecided("more meets there than the numbers that are repeated"));
    }
    let (pulled, along) = (place.inside(f.run(&x))?.pull(u), whole.of(&v));
    let trial = Trial { law: DUPLICATED, about: f, at: &[("x", &x), ("u", u), ("Δv", &along)] };
    let left = pair(&pulled, &along).0.to_f64();
    Err(trial.far(("⟨K(r, u), Δv⟩", left), ("⟨u, D(Δ ; f)(z)·v⟩ by differences", value)))
}

/// Whether a function has a corner there at all, however its coordinates move.
fn is_rough<T: Approximate>(f: &dyn Flat<T>, (x, u, v): (&[T], &[T], &[T]), moving: &[bool]) -> bool {
    let mut draw = Draw::new(x.len() as u64);
    let apart = |(size, moving): (T, &bool)| {
        let share: T = draw.number(Domain::NonZero);
        if *moving { share * size * T::from_ratio(1, 4) } else { T::zero() }
    };
    let general: Vec<T> = points::sizes(x).into_iter().zip(moving).map(apart).collect();
    let Ok((general, found)) = slope(f, x, u, (general, None)) else { return true };
    matches!(found, Measured::Corner { .. }) || has_corner(f, (x, u, v), (&[(general, found)], moving))
}

/// What came of comparing the rule with a measured derivative.
enum Found {
    Agree,
    /// The measured value.
    Differ(f64),
    /// Nothing, and why.
    Nothing(&'static str),
}

/// Whether the cotangents at what is repeated add up to a derivative that was measured.
fn differs<T: Approximate>(whole: &Repeated<'_, T>, z: &[T], u: &[T], (v, found): (&[T], Measured)) -> Found {
    let along = whole.of(v);
    let pulled = |z: &[T], u: &[T]| Some(whole.f.run(&whole.of(z)).ok()?.pull(u));
    // Of a rule without a value another law speaks.
    let Some(cotangent) = pulled(z, u).filter(|pulled| pulled.iter().all(T::is_finite)) else {
        return Found::Nothing("the rule is not defined there");
    };
    let (left, terms) = pair(&cotangent, &along);
    let again = |z: &[T], near: Near| Some(vec![pair(&pulled(z, &near.of(u))?, &along).0]);
    // What is repeated may be so great that beside it nothing would differ: what a rule loses by that shows as it does anywhere.
    let sizes = [greatest(u) * greatest(v), greatest(u) * beside(z)];
    match compared(found, (left.to_f64(), terms.to_f64()), (z, sizes), &again) {
        Verdict::Agree => Found::Agree,
        Verdict::Differ(value) => Found::Differ(value),
        Verdict::Unclear => Found::Nothing("the differences do not settle"),
    }
}

/// Points around one at which no numbers meet that are not the same.
fn around<T: Approximate>(z: &[T]) -> Vec<Vec<T>> {
    const PLACES: usize = 2;
    let (sizes, mut draw) = (points::sizes(z), Draw::new(z.len() as u64));
    let mut moved =
        |(z, size): (&T, &T)| z.clone() + size.clone() * draw.fine::<T>(Domain::NonZero) * T::from_ratio(1, 1 << 10);
    (0..PLACES).map(|_| z.iter().zip(&sizes).map(&mut moved).collect()).collect()
}

/// A function of numbers that it is given several times.
struct Repeated<'a, T: Approximate> {
    f: &'a dyn Flat<T>,
    copies: &'a [usize],
    takes: usize,
}

impl<T: Approximate> Repeated<'_, T> {
    fn of(&self, z: &[T]) -> Vec<T> {
        self.copies.iter().map(|&at| z.get(at).cloned().unwrap_or_else(T::zero)).collect()
    }
}

impl<T: Approximate> Shaped for Repeated<'_, T> {
    fn dimensions(&self) -> (usize, usize) {
        (self.takes, self.f.dimensions().1)
    }
    fn spaces(&self) -> (String, String) {
        self.f.spaces()
    }
    fn evidence(&self) -> Evidence {
        self.f.evidence()
    }
}

impl<T: Approximate> Flat<T> for Repeated<'_, T> {
    fn run<'s>(&'s self, input: &[T]) -> Result<Run<'s, T>, Refusal> {
        self.f.run(&self.of(input))
    }
}
