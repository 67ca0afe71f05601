//! The derivative as the forward function itself shows it, by differences.
//!
//! Central differences at shrinking steps, extrapolated by Ridders' method (Advances in Engineering Software 4, 1982): the tableau gives an estimate of its own error, and that sets the tolerance.
//! How much of a difference is rounding is measured too, by the scatter of values close to each other: a function that loses digits inside can't be told from its values alone.
//! The one-sided differences are extrapolated beside them: where they settle on two numbers, the function has a corner, which central differences alone would average away with an error of zero.
//! Where the estimate is poor, nothing is decided: that is never a success of a law.

use pullback_scalar::extrapolation::Tableau;

use crate::approximate::{Approximate, digits};
use crate::flat::{Flat, Moving, Refusal};
use crate::rounding::{Again, NEIGHBOURS, Near, ROUNDINGS, STEADY, beside, deviation, greatest, unsteadiness};
use crate::trial::{Trial, pair, times};
use crate::violation::{Law, LawViolation};

use crate::points::LARGE;

use super::adjoint::ADJOINT;
use super::corner::has_corner;

pub(crate) const TANGENT: Law = Law {
    name: "tangent",
    equation: "⟨u, Df(x)·v⟩ at dual numbers = lim (⟨u, f(x + h·v)⟩ − ⟨u, f(x − h·v)⟩) / 2h",
};

/// A directional derivative of `⟨u, f⟩`, measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measured {
    /// The derivative, and by how much it may be wrong.
    Smooth {
        /// The derivative.
        value: f64,
        /// The estimate of its error.
        error: f64,
        /// How large the numbers are that it was measured from: a derivative far below is none.
        size: f64,
        /// The greatest step that it was measured over, as a part of the direction.
        step: f64,
    },
    /// The derivatives from both sides differ.
    Corner {
        /// The derivative from below.
        below: f64,
        /// The derivative from above.
        above: f64,
        /// The estimate of their errors.
        error: f64,
    },
    /// Nothing can be said, and why.
    Unknown(&'static str),
}

/// A direction, and the derivative in it.
pub(crate) type Slope<T> = (Vec<T>, Measured);

/// What became of a law at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The two sides agree.
    Held,
    /// It could not be told whether they do, and why.
    Undecided(&'static str),
    /// The law says nothing about this point.
    Elsewhere,
}

/// The greatest step is 2⁻³ of the direction, and each is a quarter of the one before.
const FIRST: u32 = 3;
const QUARTER: usize = 2;

/// How many estimated errors two numbers may be apart.
pub(super) const SAFETY: f64 = 8.0;

/// By how many units in the last place of its terms a difference is rounded; what is more shows in the scatter.
const OWN: f64 = 4.0;

/// Of the size of the numbers around, what a derivative has at least for its size to be its own: a few thousandths for doubles, a tenth for singles.
fn own_size<T: Approximate>(value: f64, size: f64) -> f64 {
    value.max(T::TOLERANCE.powf(0.3) * size)
}

/// The powers of one half that are steps: as small as the digits allow.
fn steps<T: Approximate>() -> impl Iterator<Item = u32> {
    // Rational numbers grow with every step.
    let last = digits::<T>().map_or(17, |digits| digits.saturating_sub(8).min(33));
    (FIRST..=last).step_by(QUARTER)
}

/// The part of a derivative that may be rounding where it is decided.
const HIDDEN: f64 = 0.125;

/// An error that is larger relative to the numbers decides nothing; singles can't do as well.
fn decided<T: Approximate>() -> f64 {
    (160.0 * (T::TOLERANCE * T::TOLERANCE).powf(2.0 / 3.0)).max(1e-6)
}

/// The change of `⟨u, f⟩` by a step along `v`, and the magnitudes that it was added up from.
fn change<T: Approximate>(f: &dyn Flat<T>, (x, u, v): (&[T], &[T], &[T]), here: &[T], step: &T) -> Option<(f64, f64)> {
    let moved: Vec<T> = x.iter().zip(v).map(|(x, v)| x.clone() + step.clone() * v.clone()).collect();
    let there = f.run(&moved).ok()?.value;
    // Coordinate by coordinate, so that what does not move cancels before anything is rounded.
    let change: Vec<T> = there.iter().zip(here).map(|(there, here)| there.clone() - here.clone()).collect();
    let (sum, terms) = pair(u, &change);
    Some((sum.to_f64(), terms.to_f64())).filter(|(sum, terms)| sum.is_finite() && terms.is_finite())
}

/// How large the terms of `⟨u, f⟩` are together.
///
/// Where few of very many coordinates move, those of the outputs that stay are no part of what is measured, but for one: a change may have been lost beside it.
fn sizes_of_terms<T: Approximate>(f: &dyn Flat<T>, (x, u, v): (&[T], &[T], &[T]), here: &[T]) -> f64 {
    let term = |(u, y): (&T, &T)| (u.to_f64() * y.to_f64()).abs();
    if x.len() > LARGE {
        let step = T::from_ratio(1, 1 << FIRST);
        let moved: Vec<T> = x.iter().zip(v).map(|(x, v)| x.clone() + step.clone() * v.clone()).collect();
        if let Ok(there) = f.run(&moved) {
            let stays = |at: usize| there.value.get(at) == here.get(at);
            let terms = || u.iter().zip(here).map(term).enumerate();
            let most = terms().filter(|(at, _)| stays(*at)).fold(0.0, |most, (_, term)| f64::max(most, term));
            return most + terms().filter(|(at, _)| !stays(*at)).map(|(_, term)| term).sum::<f64>();
        }
    }
    u.iter().zip(here).map(term).sum()
}

/// The [`scatter`] of `⟨u, f⟩` at `x` along `v`; nothing where `x` is outside of the domain.
pub(crate) fn scatter_along<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T], v: &[T]) -> f64 {
    let Ok(run) = f.run(x) else { return 0.0 };
    scatter::<T>(&|step| change(f, (x, u, v), &run.value, step).map(|(change, _)| change))
}

/// The derivative of `⟨u, f⟩` at `x` along `v`, whose coordinates should have the sizes of those of `x`.
///
/// # Errors
///
/// Where `x` itself is outside of the domain; a step that leaves the domain is left out.
pub fn measured<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T], v: &[T]) -> Result<Measured, Refusal> {
    let here = f.run(x)?.value;
    let at = |step: &T| change(f, (x, u, v), &here, step);
    let rounding = T::TOLERANCE * T::TOLERANCE;
    let mut size = sizes_of_terms(f, (x, u, v), &here);
    let scatter = scatter::<T>(&|step| at(step).map(|(change, _)| change));
    let mut changes = vec![];
    for power in steps::<T>() {
        let step = T::from_ratio(1, 1 << power);
        let (Some((up, up_terms)), Some((down, down_terms))) = (at(&step), at(&-step.clone())) else { continue };
        size = size.max(up_terms).max(down_terms);
        changes.push((step.to_f64(), up, down));
    }
    let lost = scatter.max(resolution(&changes));
    let (mut central, mut above, mut below) = (vec![], vec![], vec![]);
    let lengths: Vec<f64> = changes.iter().map(|(length, ..)| *length).collect();
    for (length, up, down) in changes {
        let noise = |slope: f64| (OWN * rounding * (size + slope.abs()) + 3.0 * lost) / length;
        for (list, slope) in
            [(&mut central, (up - down) / (2.0 * length)), (&mut above, up / length), (&mut below, -down / length)]
        {
            list.push((slope, noise(slope)));
        }
    }
    // All three from the same steps: where a side shows a corner among the greater ones, it is not seen from the middle.
    let lists = [(&central, 16.0), (&above, 4.0), (&below, 4.0)];
    let from = lists.iter().map(|(list, factor)| first_step(list, *factor)).max().unwrap_or(0);
    let [Some(middle), Some(above), Some(below)] = lists.map(|(list, factor)| best(&list[from..], factor)) else {
        return Ok(Measured::Unknown("no step from it stays inside the domain with finite values"));
    };
    let scale = above.0.abs().max(below.0.abs()).max(middle.0.abs());
    let sides = above.1 + below.1;
    // A NaN settles nothing.
    let is_settled = sides <= (256.0 * T::TOLERANCE).max(1e-2) * own_size::<T>(scale, size);
    if !is_settled {
        return Ok(Measured::Unknown("the one-sided differences do not settle"));
    }
    let jump = (above.0 - below.0).abs();
    if jump > SAFETY * sides + SMALL * scale {
        return Ok(Measured::Corner { below: below.0, above: above.0, error: sides });
    }
    // A corner too small to be sure of is none, but the derivative is no better known than it is large.
    let unsure = if jump > SAFETY * sides { jump } else { 0.0 };
    let step = lengths.get(from).copied().unwrap_or(0.0);
    Ok(Measured::Smooth { value: middle.0, error: middle.1 + unsure, size, step })
}

/// Relative to the derivative, the least corner that is called one.
const SMALL: f64 = 1e-6;

/// The least change that is not lost, where smaller steps to the same side show none at all: what is added to a much greater number inside of a function does not scatter, it vanishes.
///
/// It is as if a function that does not move before a corner had lost what it moves by beyond: nothing is decided then.
fn resolution(changes: &[(f64, f64, f64)]) -> f64 {
    let of_side = |side: &dyn Fn(&(f64, f64, f64)) -> f64| {
        let vanishes = changes.iter().any(|change| side(change) == 0.0);
        let least = changes.iter().map(|change| side(change).abs()).filter(|change| *change > 0.0).reduce(f64::min);
        if vanishes { least.unwrap_or(0.0) } else { 0.0 }
    };
    of_side(&|(_, up, _)| *up).max(of_side(&|(_, _, down)| *down))
}

/// The derivative along a direction; where it is too rough to decide anything, along a wider one that is given.
///
/// Only a smooth one is taken from the wider direction: a corner there may be that of another point.
pub(crate) fn slope<T: Approximate>(
    f: &dyn Flat<T>,
    x: &[T],
    u: &[T],
    (v, wider): (Vec<T>, Option<Vec<T>>),
) -> Result<Slope<T>, Refusal> {
    const UNCONFIRMED: Measured = Measured::Unknown("differences at other steps say something else");
    let is_sharp = |found: Measured| match found {
        Measured::Smooth { value, error, size, .. } => {
            value != 0.0 && SAFETY * error <= decided::<T>() * own_size::<T>(value.abs(), size)
        }
        Measured::Corner { .. } => true,
        Measured::Unknown(_) => false,
    };
    // Small steps that change nothing at all may be too small to be seen.
    let is_flat = |found: Measured| matches!(found, Measured::Smooth { value: 0.0, .. });
    const LOST: Measured = Measured::Unknown("what is as small as its input is lost inside of the function");
    let found = measured(f, x, u, &v)?;
    if matches!(found, Measured::Corner { .. }) && !is_confirmed(f, x, u, (&v, found)) {
        return Ok((v, UNCONFIRMED));
    }
    if let (false, Some(wider)) = (is_sharp(found), wider) {
        let other = measured(f, x, u, &wider)?;
        let found = match other {
            Measured::Smooth { value, error, .. } if is_flat(found) => {
                if value.abs() <= error {
                    found
                } else {
                    LOST
                }
            }
            _ if is_flat(found) => LOST,
            Measured::Smooth { .. } if is_sharp(other) => return Ok((wider, other)),
            _ => found,
        };
        return Ok((v, found));
    }
    Ok((v, found))
}

/// The standard deviation of what is rounding in a function of a step: its differences of high order at steps so small that nothing else is left in them.
///
/// Two spacings, and the larger of what they show: a function that drops its last digits is constant over the smaller one.
fn scatter<T: Approximate>(change: &dyn Fn(&T) -> Option<f64>) -> f64 {
    let Some(digits) = digits::<T>() else { return 0.0 };
    let mut most = 0.0_f64;
    for power in [digits.saturating_sub(8), digits / 2] {
        // No multiple of what a function may be rounded to.
        let spacing = T::from_ratio(5, 1 << (power + 3));
        let ahead =
            |sign: i64| -> Option<Vec<f64>> {
                (0..NEIGHBOURS)
                    .map(|place| {
                        if place == 0 { Some(0.0) } else { change(&(T::from_ratio(sign * place, 1) * spacing.clone())) }
                    })
                    .collect()
            };
        if let Some(changes) = ahead(1).or_else(|| ahead(-1)) {
            most = most.max(deviation(changes));
        }
    }
    most
}

/// The best of a tableau, as value and error; the error of the differences has powers of `factor` in the steps.
fn best(differences: &[(f64, f64)], factor: f64) -> Option<(f64, f64)> {
    let mut tableau = Tableau::new(factor);
    differences.iter().for_each(|(difference, noise)| tableau.push(*difference, *noise));
    tableau.best().map(|best| (best.value, best.error))
}

/// The first of the differences that may be used: where the smaller half of the steps, or the smaller quarter, says something else than those before, a corner lies among the greater ones, and a tableau across it may agree with itself by chance.
fn first_step(differences: &[(f64, f64)], factor: f64) -> usize {
    let count = differences.len();
    let agree = |one: (f64, f64), other: (f64, f64)| (one.0 - other.0).abs() <= SAFETY * (one.1 + other.1);
    let mut first = 0;
    for from in [count / 2, count - count / 4] {
        if let (Some(taken), Some(near)) = (best(&differences[first..from], factor), best(&differences[from..], factor))
            && !agree(taken, near)
        {
            first = from;
        }
    }
    first
}

/// Whether differences at other steps say the same: what agrees with itself by chance does not do so again.
pub(super) fn is_confirmed<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T], (v, found): (&[T], Measured)) -> bool {
    const FACTORS: [(i64, i64); 2] = [(5, 7), (11, 13)];
    FACTORS.into_iter().all(|(numerator, denominator)| {
        let factor = T::from_ratio(numerator, denominator);
        let again = measured(f, x, u, &times(&factor, v));
        let near = |one: f64, other: f64, error: f64| (factor.to_f64() * one - other).abs() <= SAFETY * error;
        match (found, again) {
            (Measured::Smooth { value, error, .. }, Ok(Measured::Smooth { value: other, error: others, .. })) => {
                near(value, other, error + others)
            }
            (
                Measured::Corner { below, above, error },
                Ok(Measured::Corner { below: other_below, above: other_above, error: others }),
            ) => near(below, other_below, error + others) && near(above, other_above, error + others),
            _ => false,
        }
    })
}

/// `⟨K(r, u), v⟩ = ⟨u, Df(x)·v⟩`, with the derivative measured in some directions.
///
/// Nothing is decided where the function has a corner: see [`convention`](super::convention).
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub(crate) fn adjoint_measured<T: Approximate>(
    f: &dyn Flat<T>,
    (x, u): (&[T], &[T]),
    (slopes, moving): (&[Slope<T>], &[bool]),
) -> Result<Outcome, LawViolation> {
    let place = Trial { law: ADJOINT, about: f, at: &[("x", x), ("u", u)] };
    let pulled = place.inside(f.run(x))?.pull(u);
    if x.len() <= LARGE && slopes.iter().any(|(_, found)| matches!(found, Measured::Corner { .. })) {
        return Ok(Outcome::Undecided("the function has a corner there"));
    }
    // Of very many coordinates some have a corner on any way, and what differs where few move is decided by those.
    let is_large = x.len() > LARGE;
    let (mut held, mut undecided) = (false, None);
    for (v, found) in slopes {
        let Measured::Smooth { .. } = found else {
            undecided = Some(match found {
                Measured::Unknown(why) => *why,
                _ => "the function has a corner there",
            });
            continue;
        };
        let trial = Trial { law: ADJOINT, about: f, at: &[("x", x), ("u", u), ("v", v)] };
        let (left, terms) = pair(&pulled, v);
        let again = |x: &[T], near: Near| Some(vec![pair(&f.run(x).ok()?.pull(&near.of(u)), v).0]);
        match compared(*found, (left.to_f64(), terms.to_f64()), (x, sizes(x, u, v)), &again) {
            Verdict::Agree => held = true,
            // A function may have a corner that no direction shows by itself, as a median has.
            Verdict::Differ(_) if has_corner(f, (x, u, v), (slopes, moving)) => {
                undecided = Some("the function has a corner there");
                if !is_large {
                    return Ok(Outcome::Undecided("the function has a corner there"));
                }
            }
            Verdict::Differ(value) if is_confirmed(f, x, u, (v, *found)) => {
                return Err(trial.far(("⟨K(r, u), v⟩", left.to_f64()), ("⟨u, Df(x)·v⟩ by differences", value)));
            }
            Verdict::Differ(_) | Verdict::Unclear => undecided = Some("the differences do not settle"),
        }
    }
    Ok(match (held, undecided) {
        (true, None) => Outcome::Held,
        (true, Some(_)) if is_large => Outcome::Held,
        (_, Some(why)) => Outcome::Undecided(why),
        (false, None) => Outcome::Elsewhere,
    })
}

/// How large the numbers inside of a function may be, along a direction and at its input.
fn sizes<T: Approximate>(x: &[T], u: &[T], v: &[T]) -> [f64; 2] {
    let beside = beside(x) * greatest(u);
    [beside * greatest(v), beside]
}

pub(super) enum Verdict {
    Agree,
    /// The measured value.
    Differ(f64),
    /// The error does not let one tell.
    Unclear,
}

/// Whether a number, with the magnitude of its terms, agrees with a measured derivative; `again` computes it at another input, inside of which numbers have the sizes that are given.
pub(super) fn compared<T: Approximate>(
    found: Measured,
    (left, terms): (f64, f64),
    (x, [size_of_pair, size_of_input]): (&[T], [f64; 2]),
    again: Again<'_, T>,
) -> Verdict {
    let Measured::Smooth { value, error, size, step } = found else { return Verdict::Unclear };
    let scale = terms.max(value.abs());
    let rounding = ROUNDINGS * T::TOLERANCE * T::TOLERANCE;
    let mut within = SAFETY * error + rounding * scale.max(size_of_pair);
    // A NaN is a difference.
    let is_near = |within: f64| (left - value).abs() <= within;
    if !is_near(within) {
        within += STEADY * unsteadiness(x, again).first().copied().unwrap_or(0.0);
        // A tail such as `x·(1 + tanh x)` is what is left of ones, and linear between their roundings: where small steps and great ones differ, a difference that no step could move those by is none.
        let is_below_rounding = step < f64::powi(0.5, FIRST as i32)
            && (left - value).abs() * step <= SAFETY * T::TOLERANCE * T::TOLERANCE * size_of_input;
        if !is_near(within) {
            return if is_below_rounding { Verdict::Unclear } else { Verdict::Differ(value) };
        }
    }
    // Rounding that could hide a part of the whole derivative hides a wrong one.
    let is_hidden = left != value && within > HIDDEN * scale;
    if !is_hidden && within <= decided::<T>() * own_size::<T>(scale, size.max(size_of_pair)) {
        Verdict::Agree
    } else {
        Verdict::Unclear
    }
}

/// `⟨u, Df(x)·v⟩ at dual numbers = lim (⟨u, f(x + h·v)⟩ − ⟨u, f(x − h·v)⟩) / 2h`: the function at dual numbers is the one that runs.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn tangent<T: Approximate>(
    f: &dyn Flat<T>,
    moving: &dyn Moving<T>,
    x: &[T],
    u: &[T],
    v: &[T],
) -> Result<Outcome, LawViolation> {
    let trial = Trial { law: TANGENT, about: f, at: &[("x", x), ("u", u), ("v", v)] };
    let found = trial.inside(measured(f, x, u, v))?;
    tangent_measured(f, moving, x, u, &(v.to_vec(), found))
}

/// The same, with the derivative measured before.
pub(crate) fn tangent_measured<T: Approximate>(
    f: &dyn Flat<T>,
    moving: &dyn Moving<T>,
    x: &[T],
    u: &[T],
    (v, found): &Slope<T>,
) -> Result<Outcome, LawViolation> {
    let trial = Trial { law: TANGENT, about: f, at: &[("x", x), ("u", u), ("v", v)] };
    let pushed = trial.inside(moving.push(x, v))?.tangent;
    match found {
        Measured::Smooth { .. } => {}
        Measured::Corner { .. } => return Ok(Outcome::Undecided("the function has a corner there")),
        Measured::Unknown(why) => return Ok(Outcome::Undecided(why)),
    }
    if !pushed.iter().all(T::is_finite) {
        return Ok(Outcome::Undecided("the dual numbers are greater than all numbers there"));
    }
    let (left, terms) = pair(u, &pushed);
    let again = |x: &[T], near: Near| Some(vec![pair(&near.of(u), &moving.push(x, v).ok()?.tangent).0]);
    match compared(*found, (left.to_f64(), terms.to_f64()), (x, sizes(x, u, v)), &again) {
        Verdict::Agree => Ok(Outcome::Held),
        Verdict::Differ(value) if is_confirmed(f, x, u, (v, *found)) => {
            Err(trial.far(("⟨u, Df(x)·v⟩ at dual numbers", left.to_f64()), ("by differences", value)))
        }
        Verdict::Differ(_) | Verdict::Unclear => Ok(Outcome::Undecided("the differences do not settle")),
    }
}

/// Whether the function is smooth at `x` along `v`, as far as differences can tell.
///
/// # Errors
///
/// Where `x` is outside of the domain.
pub fn smooth_at<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T], v: &[T]) -> Result<bool, Refusal> {
    Ok(matches!(measured(f, x, u, v)?, Measured::Smooth { .. }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // Tests fail by panicking.
mod tests {
    use super::{SAFETY, best, first_step, scatter};

    /// The greater of 18/7 + h and 5/2, whose differences across the corner extrapolate to a wrong number that agrees with itself.
    #[test]
    fn a_corner_among_the_steps_is_not_extrapolated_across() {
        let at = |h: f64| (18.0 / 7.0 * (1.0 + h)).max(2.5);
        let differences: Vec<(f64, f64)> = (3..=17)
            .map(|power| f64::powi(0.5, power))
            .map(|h| ((at(h) - at(-h)) / (2.0 * h), 16.0 * f64::EPSILON / h))
            .collect();
        let right = best(&differences[first_step(&differences, 4.0)..], 4.0).unwrap();
        assert!((right.0 - 18.0 / 7.0).abs() <= SAFETY * right.1, "{right:?}");
    }

    /// What a function loses inside is seen from outside, and a function that loses nothing is not blamed.
    #[test]
    fn the_scatter_is_that_of_the_rounding() {
        let lost = scatter::<f64>(&|h| Some((1e8 + (1.0 + h)) - 1e8 - 1.0));
        assert!((1e-9..1e-7).contains(&lost), "{lost}");
        let smooth = scatter::<f64>(&|h| Some((0.7 + h).sin() - 0.7_f64.sin()));
        assert!((1e-18..1e-15).contains(&smooth), "{smooth}");
    }
}
