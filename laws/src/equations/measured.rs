//! The derivative as the forward function itself shows it, by differences.
//!
//! Central differences at shrinking steps, extrapolated by Ridders' method (Advances in Engineering Software 4, 1982): the tableau gives an estimate of its own error, and that sets the tolerance.
//! The one-sided differences are extrapolated beside them: where they settle on two numbers, the function has a corner, which central differences alone would average away with an error of zero.
//! Where the estimate is poor, nothing is decided: that is never a success of a law.

use crate::approximate::{Approximate, magnitude};
use crate::draw::{Domain, Draw};
use crate::flat::{Flat, Moving, Refusal};
use crate::trial::{Trial, pair};
use crate::violation::{Law, LawViolation};

use super::adjoint::ADJOINT;

pub(crate) const TANGENT: Law = Law {
    name: "tangent",
    equation: "⟨u, Df(x)·v⟩ at dual numbers = lim (⟨u, f(x + h·v)⟩ − ⟨u, f(x − h·v)⟩) / 2h",
};
pub(crate) const CONVENTION: Law =
    Law { name: "convention", equation: "⟨K(r, u), v⟩ is among Σᵢ uᵢ·Dfᵢ(x + δ)·v for small δ" };

/// A directional derivative of `⟨u, f⟩`, measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measured {
    /// The derivative, and by how much it may be wrong.
    Smooth {
        /// The derivative.
        value: f64,
        /// The estimate of its error.
        error: f64,
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

/// The greatest step is 1/8 of the direction, the least 2⁻¹⁷ of it.
const STEPS: std::ops::RangeInclusive<u32> = 3..=17;

/// How many estimated errors two numbers may be apart.
const SAFETY: f64 = 8.0;

/// By how many units in the last place a value may be rounded; what is more than that shows in the differences themselves.
const ROUNDINGS: f64 = 16.0;

/// An error that is larger relative to the numbers decides nothing; singles can't do as well.
fn decided(tolerance: f64) -> f64 {
    (64.0 * tolerance).max(1e-4)
}

/// The derivative of `⟨u, f⟩` at `x` along `v`, whose coordinates should have the sizes of those of `x`.
///
/// # Errors
///
/// Where `x` itself is outside of the domain; a step that leaves the domain is left out.
pub fn measured<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T], v: &[T]) -> Result<Measured, Refusal> {
    let here = f.run(x)?.value;
    // The change, and the magnitudes that it was added up from.
    let at = |step: &T| -> Option<(f64, f64)> {
        let moved: Vec<T> = x.iter().zip(v).map(|(x, v)| x.clone() + step.clone() * v.clone()).collect();
        let there = f.run(&moved).ok()?.value;
        // Coordinate by coordinate, so that what does not move cancels before anything is rounded.
        let change: Vec<T> = there.iter().zip(&here).map(|(there, here)| there.clone() - here.clone()).collect();
        let (sum, terms) = pair(u, &change);
        Some((sum.to_f64(), terms.to_f64())).filter(|(sum, terms)| sum.is_finite() && terms.is_finite())
    };
    let rounding = T::TOLERANCE * T::TOLERANCE;
    // A value near zero may be the difference of ones, or one that was lost beside them.
    let size = u.iter().zip(&here).fold(0.0, |size, (u, y)| size + u.to_f64().abs() * y.to_f64().abs().max(1.0));
    let (mut central, mut above, mut below) = (vec![], vec![], vec![]);
    for power in STEPS {
        let step = T::from_ratio(1, 1 << power);
        let length = step.to_f64();
        let (Some((up, up_terms)), Some((down, down_terms))) = (at(&step), at(&-step)) else { continue };
        let magnitude = size + up_terms.max(down_terms);
        let noise = |slope: f64| ROUNDINGS * rounding * (magnitude + slope.abs()) / length;
        for (list, slope) in
            [(&mut central, (up - down) / (2.0 * length)), (&mut above, up / length), (&mut below, -down / length)]
        {
            list.push((slope, noise(slope)));
        }
    }
    let (Some(middle), Some(above), Some(below)) = (settled(&central, 4.0), settled(&above, 2.0), settled(&below, 2.0))
    else {
        return Ok(Measured::Unknown("no step from it stays inside the domain with finite values"));
    };
    let scale = above.0.abs().max(below.0.abs()).max(middle.0.abs());
    let sides = above.1 + below.1;
    // A NaN settles nothing.
    let is_settled = sides <= (256.0 * T::TOLERANCE).max(1e-2) * scale.max(1e-3);
    if !is_settled {
        return Ok(Measured::Unknown("the one-sided differences do not settle"));
    }
    if (above.0 - below.0).abs() > SAFETY * sides + 1e-6 * scale {
        return Ok(Measured::Corner { below: below.0, above: above.0, error: sides });
    }
    Ok(Measured::Smooth { value: middle.0, error: middle.1 })
}

/// [`extrapolated`], unless the smaller half of the steps says something else: then a corner lies among the greater ones, and a tableau across it may agree with itself by chance.
fn settled(differences: &[(f64, f64)], factor: f64) -> Option<(f64, f64)> {
    let all = extrapolated(differences, factor)?;
    let near = extrapolated(&differences[differences.len() / 2..], factor)?;
    let agree = (all.0 - near.0).abs() <= SAFETY * (all.1 + near.1);
    Some(if agree { all } else { near })
}

/// Neville's tableau of differences with their noise, whose step halves from one to the next: the entry of the least estimated error.
///
/// The error of the differences has powers of `factor` in the steps.
fn extrapolated(differences: &[(f64, f64)], factor: f64) -> Option<(f64, f64)> {
    let mut best: Option<(f64, f64)> = None;
    let mut previous: Vec<f64> = vec![];
    for &(difference, noise) in differences {
        let mut row = vec![difference];
        let mut power = factor;
        for (column, above) in previous.iter().enumerate() {
            let left = row[column];
            let entry = (left * power - above) / (power - 1.0);
            let error = (entry - left).abs().max((entry - above).abs()) + 2.0 * noise;
            if error.is_finite() && best.is_none_or(|(_, least)| error < least) {
                best = Some((entry, error));
            }
            row.push(entry);
            power *= factor;
        }
        previous = row;
    }
    best
}

/// `⟨K(r, u), v⟩ = ⟨u, Df(x)·v⟩`, with the derivative measured in some directions.
///
/// Nothing is decided where the function has a corner: see [`convention`].
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub(crate) fn adjoint_measured<T: Approximate>(
    f: &dyn Flat<T>,
    x: &[T],
    u: &[T],
    directions: &[Vec<T>],
) -> Result<Outcome, LawViolation> {
    let place = Trial { law: ADJOINT, about: f, at: &[("x", x), ("u", u)] };
    let pulled = place.inside(f.run(x))?.pull(u);
    let mut found = Vec::with_capacity(directions.len());
    for v in directions {
        match place.inside(measured(f, x, u, v))? {
            Measured::Smooth { value, error } => found.push(Ok((v, value, error))),
            Measured::Corner { .. } => return Ok(Outcome::Undecided("the function has a corner there")),
            Measured::Unknown(why) => found.push(Err(why)),
        }
    }
    let (mut held, mut undecided) = (false, None);
    for found in found {
        let (v, value, error) = match found {
            Ok(found) => found,
            Err(why) => {
                undecided = Some(why);
                continue;
            }
        };
        let trial = Trial { law: ADJOINT, about: f, at: &[("x", x), ("u", u), ("v", v)] };
        let (left, terms) = pair(&pulled, v);
        let scale = terms.to_f64().max(value.abs());
        match compared(left.to_f64(), value, error, scale, T::TOLERANCE) {
            Some(true) => held = true,
            Some(false) => {
                return Err(trial.far(("⟨K(r, u), v⟩", left.to_f64()), ("⟨u, Df(x)·v⟩ by differences", value)));
            }
            None => undecided = Some("the differences do not settle"),
        }
    }
    Ok(match (held, undecided) {
        (true, None) => Outcome::Held,
        (_, Some(why)) => Outcome::Undecided(why),
        (false, None) => Outcome::Elsewhere,
    })
}

/// Whether two numbers agree; nothing where the error does not let one tell.
fn compared(left: f64, right: f64, error: f64, scale: f64, tolerance: f64) -> Option<bool> {
    // What a backward rule rounds, in some thousand operations.
    let rounding = tolerance * tolerance * 4096.0 * scale;
    let within = SAFETY * error + rounding;
    // A NaN is a difference.
    let agree = (left - right).abs() <= within;
    if !agree {
        return Some(false);
    }
    (within <= decided(tolerance) * scale.max(1e-3)).then_some(true)
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
    let pushed = trial.inside(moving.push(x, v))?.tangent;
    let (value, error) = match trial.inside(measured(f, x, u, v))? {
        Measured::Smooth { value, error } => (value, error),
        Measured::Corner { .. } => return Ok(Outcome::Undecided("the function has a corner there")),
        Measured::Unknown(why) => return Ok(Outcome::Undecided(why)),
    };
    let (left, terms) = pair(u, &pushed);
    match compared(left.to_f64(), value, error, terms.to_f64().max(value.abs()), T::TOLERANCE) {
        Some(true) => Ok(Outcome::Held),
        Some(false) => Err(trial.far(("⟨u, Df(x)·v⟩ at dual numbers", left.to_f64()), ("by differences", value))),
        None => Ok(Outcome::Undecided("the differences do not settle")),
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

/// `⟨K(r, u), v⟩ is among Σᵢ uᵢ·Dfᵢ(x + δ)·v for small δ`, at a point where the derivatives of `⟨u, f⟩` from both sides differ in one of the directions.
///
/// Every element of the generalised gradient (Clarke, 1983) satisfies it in all directions, and so do the customary choices, which may differ from output to output.
/// The derivatives around the point are taken on both sides of every coordinate and of every tie, and at some random places.
/// A convention may lie outside of it, if it says so: then `stated`, the cotangent that the rule was declared to give there, is all that it is held to.
///
/// # Errors
///
/// The violation, where the law does not hold at this point.
pub fn convention<T: Approximate>(
    f: &dyn Flat<T>,
    x: &[T],
    u: &[T],
    directions: &[Vec<T>],
    stated: Option<&[T]>,
) -> Result<Outcome, LawViolation> {
    let place = Trial { law: CONVENTION, about: f, at: &[("x", x), ("u", u)] };
    let pulled = place.inside(f.run(x))?.pull(u);
    let mut is_corner = false;
    for v in directions {
        is_corner = is_corner || matches!(place.inside(measured(f, x, u, v))?, Measured::Corner { .. });
    }
    if !is_corner {
        return Ok(Outcome::Elsewhere);
    }
    if let Some(stated) = stated {
        place.agree(("K(r, u)", &pulled), ("what was declared", stated))?;
        if f.evidence() != "subgradient" {
            return Ok(Outcome::Held);
        }
    }
    let places = around(x);
    for v in directions {
        let Some((least, greatest, scale)) = derivatives_around(f, x, u, v, &places) else { continue };
        let (left, terms) = pair(&pulled, v);
        let (left, slack) = (left.to_f64(), AROUND * scale.max(terms.to_f64()) + 1e-9);
        let trial = Trial { law: CONVENTION, about: f, at: &[("x", x), ("u", u), ("v", v)] };
        let nearest = left.max(least).min(greatest);
        // A NaN is near nothing.
        let is_near = (left - nearest).abs() <= slack;
        if !is_near {
            return Err(trial.far(("⟨K(r, u), v⟩", left), ("the nearest derivative around x", nearest)));
        }
    }
    Ok(Outcome::Held)
}

/// How much derivatives around a point may be wrong, relative to their size: choices at a corner differ by all of it.
const AROUND: f64 = 1e-4;

/// Displacements from `x`, relative to the sizes of its coordinates: up, down, in both orders, and at random.
fn around<T: Approximate>(x: &[T]) -> Vec<Vec<T>> {
    const RANDOM: usize = 8;
    let sizes: Vec<T> = x.iter().map(magnitude).map(|size| if size.is_zero() { T::one() } else { size }).collect();
    let count = x.len() as i64;
    let ordered = |sign: i64, at: i64| T::from_ratio(sign * (count + at), 2 * count);
    let mut places: Vec<Vec<T>> = vec![];
    for sign in [1, -1] {
        places.push((0..count).map(|at| ordered(sign, at)).collect());
        places.push((0..count).map(|at| ordered(sign, count - 1 - at)).collect());
    }
    let mut draw = Draw::new(x.len() as u64);
    places.extend((0..RANDOM).map(|_| draw.list(x.len(), Domain::NonZero)));
    for place in &mut places {
        for (part, size) in place.iter_mut().zip(&sizes) {
            *part = part.clone() * size.clone();
        }
    }
    places
}

/// The least and the greatest of `Σᵢ uᵢ·Dfᵢ(x + δ)·v`, where each output may choose its place, and the sum of their magnitudes.
fn derivatives_around<T: Approximate>(
    f: &dyn Flat<T>,
    x: &[T],
    u: &[T],
    v: &[T],
    places: &[Vec<T>],
) -> Option<(f64, f64, f64)> {
    // Far enough to be off the corner, and steps that stay off it; two distances, extrapolated to none.
    let slopes = |place: &[T], power: u32| -> Option<Vec<f64>> {
        let (distance, step) = (T::from_ratio(1, 1 << power), T::from_ratio(1, 1 << (power + 7)));
        let at = |step: T| -> Option<Vec<T>> {
            let moved: Vec<T> = (0..x.len())
                .map(|i| x[i].clone() + distance.clone() * place[i].clone() + step.clone() * v[i].clone())
                .collect();
            Some(f.run(&moved).ok()?.value)
        };
        let (up, down) = (at(step.clone())?, at(-step.clone())?);
        let length = 2.0 * step.to_f64();
        Some(up.iter().zip(&down).map(|(up, down)| (up.clone() - down.clone()).to_f64() / length).collect())
    };
    let mut bounds: Option<Vec<(f64, f64)>> = None;
    for place in places {
        let (Some(far), Some(near)) = (slopes(place, 9), slopes(place, 10)) else { continue };
        let here: Vec<f64> = near.iter().zip(&far).map(|(near, far)| 2.0 * near - far).collect();
        let known = bounds.get_or_insert_with(|| here.iter().map(|slope| (*slope, *slope)).collect());
        for ((least, greatest), slope) in known.iter_mut().zip(here) {
            (*least, *greatest) = (least.min(slope), greatest.max(slope));
        }
    }
    let (mut least, mut greatest, mut scale) = (0.0, 0.0, 0.0);
    for (u, (low, high)) in u.iter().map(Approximate::to_f64).zip(bounds?) {
        least += (u * low).min(u * high);
        greatest += (u * low).max(u * high);
        scale += u.abs() * low.abs().max(high.abs());
    }
    (least.is_finite() && greatest.is_finite()).then_some((least, greatest, scale))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // Tests fail by panicking.
mod tests {
    use super::extrapolated;

    /// sin at 1, by differences that a float can't get from one step.
    #[test]
    fn extrapolation_is_far_better_than_its_steps_and_knows_it() {
        let differences: Vec<(f64, f64)> = (3..12)
            .map(|power| {
                let h = f64::powi(0.5, power);
                (((1.0 + h).sin() - (1.0 - h).sin()) / (2.0 * h), f64::EPSILON / h)
            })
            .collect();
        let (value, error) = extrapolated(&differences, 4.0).unwrap();
        assert!(error < 1e-12 && (value - 1.0_f64.cos()).abs() <= error, "{value} ± {error}");
        assert!(extrapolated(&differences[..1], 4.0).is_none());
    }

    /// The greater of 18/7 + h and 5/2, whose differences across the corner extrapolate to a wrong number that agrees with itself.
    #[test]
    fn a_corner_among_the_steps_is_not_extrapolated_across() {
        let at = |h: f64| (18.0 / 7.0 * (1.0 + h)).max(2.5);
        let differences: Vec<(f64, f64)> = (3..=17)
            .map(|power| f64::powi(0.5, power))
            .map(|h| ((at(h) - at(-h)) / (2.0 * h), 16.0 * f64::EPSILON / h))
            .collect();
        let wrong = extrapolated(&differences, 4.0).unwrap();
        assert!((wrong.0 - 18.0 / 7.0).abs() > super::SAFETY * wrong.1, "{wrong:?}");
        let right = super::settled(&differences, 4.0).unwrap();
        assert!((right.0 - 18.0 / 7.0).abs() <= super::SAFETY * right.1, "{right:?}");
    }
}
