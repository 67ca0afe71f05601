//! What a rule gives where the derivative jumps.

use crate::approximate::{Approximate, digits, magnitude};
use crate::draw::{Domain, Draw};
use crate::evidence::{Declared, Evidence};
use crate::flat::Flat;
use crate::trial::{Trial, pair};
use crate::violation::{Law, LawViolation};

use super::measured::{Measured, Outcome, SAFETY, Slope, measured};

pub(crate) const CONVENTION: Law =
    Law { name: "convention", equation: "⟨K(r, u), v⟩ is among Σᵢ uᵢ·Dfᵢ(x + δ)·v for small δ" };

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
    let slopes: Result<Vec<Slope<T>>, _> =
        directions.iter().map(|v| measured(f, x, u, v).map(|found| (v.clone(), found))).collect();
    convention_measured(f, x, u, &place.inside(slopes)?, stated)
}

/// The same, with the derivatives measured before.
pub(crate) fn convention_measured<T: Approximate>(
    f: &dyn Flat<T>,
    x: &[T],
    u: &[T],
    slopes: &[Slope<T>],
    stated: Option<&[T]>,
) -> Result<Outcome, LawViolation> {
    let place = Trial { law: CONVENTION, about: f, at: &[("x", x), ("u", u)] };
    let rough = slopes.iter().filter_map(|(_, found)| match found {
        Measured::Corner { error, .. } => Some(*error),
        Measured::Smooth { .. } | Measured::Unknown(_) => None,
    });
    let Some(rough) = rough.reduce(f64::max) else { return Ok(Outcome::Elsewhere) };
    let pulled = place.inside(f.run(x))?.pull(u);
    if let Some(stated) = stated {
        place.agree(("K(r, u)", &pulled), ("what was declared", stated))?;
        if f.evidence() != Evidence::Declared(Declared::Subgradient) {
            return Ok(Outcome::Held);
        }
    }
    for (v, _) in slopes {
        let Some(around) = derivatives_around(f, x, u, v) else { continue };
        let (left, terms) = pair(&pulled, v);
        let nearest = around.nearest(left.to_f64());
        let slack = around.slack + T::TOLERANCE.sqrt() * terms.to_f64() + SAFETY * rough;
        // A NaN is near nothing.
        let is_near = (left.to_f64() - nearest).abs() <= slack;
        if !is_near {
            let trial = Trial { law: CONVENTION, about: f, at: &[("x", x), ("u", u), ("v", v)] };
            return Err(trial.far(("⟨K(r, u), v⟩", left.to_f64()), ("the nearest derivative around x", nearest)));
        }
    }
    Ok(Outcome::Held)
}

/// Whether the derivatives around a point are not those of one linear map: then there is a corner, whatever the directions from the point itself show.
pub(crate) fn has_corner<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T], directions: [&[T]; 2]) -> bool {
    directions.into_iter().any(|v| {
        derivatives_around(f, x, u, v).is_some_and(|around| around.greatest - around.least > 2.0 * around.slack)
    })
}

/// Displacements from `x` as shares of it: up, down, in both orders, at random, and along a direction.
///
/// The derivatives of a convex function along `v` lie between those on both sides of it, so the direction finds the ends of what is allowed; the others find what is not convex.
fn places<T: Approximate>(x: &[T], v: &[T]) -> Vec<Vec<T>> {
    const RANDOM: usize = 8;
    let count = x.len() as i64;
    let ordered = |sign: i64, at: i64| T::from_ratio(sign * (count + at), 2 * count);
    let mut places: Vec<Vec<T>> = vec![];
    let mut draw = Draw::new(x.len() as u64);
    for sign in [1, -1] {
        places.push((0..count).map(|at| ordered(sign, at)).collect());
        places.push((0..count).map(|at| ordered(sign, count - 1 - at)).collect());
    }
    places.extend((0..RANDOM).map(|_| draw.list(x.len(), Domain::NonZero)));
    let longest = v.iter().fold(T::zero(), |most, v| most.maximum(magnitude(v)));
    if !longest.is_zero() {
        for sign in [1, -1] {
            // What does not move along it is moved a little, off the corners of its own.
            let beside: Vec<T> = draw.list(x.len(), Domain::NonZero);
            let along = |(v, beside): (&T, T)| {
                v.clone() / longest.clone() * T::from_ratio(sign, 1) + beside * T::from_ratio(1, 64)
            };
            places.push(v.iter().zip(beside).map(along).collect());
        }
        // What moves stays in the middle of what does not: it may be a median.
        for _ in 0..RANDOM {
            let beside: Vec<T> = draw.list(x.len(), Domain::NonZero);
            let between = |(v, beside): (&T, T)| if v.is_zero() { beside } else { beside * T::from_ratio(1, 64) };
            places.push(v.iter().zip(beside).map(between).collect());
        }
    }
    places
}

/// The derivatives of `⟨u, f⟩` along a direction at places around a point.
struct Around {
    least: f64,
    greatest: f64,
    /// How much they may be wrong: choices at a corner differ by more.
    slack: f64,
}

impl Around {
    fn nearest(&self, number: f64) -> f64 {
        number.max(self.least).min(self.greatest)
    }
}

/// The least and the greatest of `Σᵢ uᵢ·Dfᵢ(x + δ)·v`, where each output may choose its place.
fn derivatives_around<T: Approximate>(f: &dyn Flat<T>, x: &[T], u: &[T], v: &[T]) -> Option<Around> {
    let digits = digits::<T>().unwrap_or(52);
    let (far, inner) = (digits * 2 / 7, T::from_ratio(1, 1 << (digits / 10)));
    // A coordinate at zero is as small as the others.
    let least = x.iter().map(magnitude).filter(|size| !size.is_zero()).reduce(|one, other| -(-one).maximum(-other));
    let least = least.unwrap_or_else(T::one);
    let sizes: Vec<T> = x.iter().map(magnitude).map(|size| if size.is_zero() { least.clone() } else { size }).collect();
    // Far enough to be off the corner, and steps that stay off it; two distances, extrapolated to none.
    let slopes = |place: &[T], power: u32| -> Option<(Vec<f64>, Vec<f64>)> {
        let distance = T::from_ratio(1, 1 << power);
        let moved: Vec<T> =
            place.iter().zip(&sizes).map(|(part, size)| part.clone() * size.clone() * distance.clone()).collect();
        let shares = moved.iter().zip(v).filter(|(moved, v)| !v.is_zero() && !moved.is_zero());
        let step =
            shares.map(|(moved, v)| magnitude(moved) / magnitude(v)).reduce(|one, other| -(-one).maximum(-other))?
                * inner.clone();
        let at = |step: T| -> Option<Vec<T>> {
            let moved: Vec<T> =
                (0..x.len()).map(|i| x[i].clone() + moved[i].clone() + step.clone() * v[i].clone()).collect();
            Some(f.run(&moved).ok()?.value)
        };
        let (up, down) = (at(step.clone())?, at(-step.clone())?);
        let length = 2.0 * step.to_f64();
        let noise = |y: &T| 8.0 * T::TOLERANCE * T::TOLERANCE * y.to_f64().abs() / length;
        let slopes = up.iter().zip(&down).map(|(up, down)| (up.clone() - down.clone()).to_f64() / length).collect();
        Some((slopes, up.iter().map(noise).collect()))
    };
    // Of each output: the least, the greatest, and the noise.
    let mut bounds: Option<Vec<(f64, f64, f64)>> = None;
    for place in places(x, v) {
        let (Some((further, _)), Some((nearer, noise))) = (slopes(&place, far), slopes(&place, far + 1)) else {
            continue;
        };
        let here = nearer.iter().zip(&further).map(|(near, far)| 2.0 * near - far).zip(noise);
        let here: Vec<(f64, f64)> = here.collect();
        let known = bounds.get_or_insert_with(|| here.iter().map(|(slope, noise)| (*slope, *slope, *noise)).collect());
        for ((least, greatest, most), (slope, noise)) in known.iter_mut().zip(here) {
            (*least, *greatest, *most) = (least.min(slope), greatest.max(slope), most.max(noise));
        }
    }
    let mut around = Around { least: 0.0, greatest: 0.0, slack: 0.0 };
    for (u, (low, high, noise)) in u.iter().map(Approximate::to_f64).zip(bounds?) {
        around.least += (u * low).min(u * high);
        around.greatest += (u * low).max(u * high);
        around.slack += u.abs() * (T::TOLERANCE.sqrt() * low.abs().max(high.abs()) + SAFETY * noise);
    }
    (around.least.is_finite() && around.greatest.is_finite()).then_some(around)
}
