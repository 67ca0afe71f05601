//! What a rule gives where the derivative jumps.

use core::cell::Cell;

use crate::approximate::{Approximate, digits, least, magnitude};
use crate::draw::{Domain, Draw};
use crate::evidence::{Declared, Evidence};
use crate::flat::Flat;
use crate::points::sizes;
use crate::trial::{Trial, pair};
use crate::violation::{Law, LawViolation};

use super::measured::{Measured, Outcome, SAFETY, Slope, measured, scatter_along};

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
    let moving: Vec<bool> =
        (0..x.len()).map(|at| directions.iter().any(|v| v.get(at).is_some_and(|v| !v.is_zero()))).collect();
    convention_measured(f, (x, u), (&place.inside(slopes)?, &moving), stated)
}

/// The same, with the derivatives measured before, and with the coordinates that may move: the others belong to arguments that need no gradient.
pub(crate) fn convention_measured<T: Approximate>(
    f: &dyn Flat<T>,
    (x, u): (&[T], &[T]),
    (slopes, moving): (&[Slope<T>], &[bool]),
    stated: Option<&[T]>,
) -> Result<Outcome, LawViolation> {
    let place = Trial { law: CONVENTION, about: f, at: &[("x", x), ("u", u)] };
    let corners = slopes.iter().filter_map(|(_, found)| match found {
        Measured::Corner { below, above, error } => Some((*error, below.abs().max(above.abs()))),
        Measured::Smooth { .. } | Measured::Unknown(_) => None,
    });
    let Some((rough, scale)) = corners.reduce(|one, other| (one.0.max(other.0), one.1.max(other.1))) else {
        return Ok(Outcome::Elsewhere);
    };
    let pulled = place.inside(f.run(x))?.pull(u);
    if let Some(stated) = stated {
        place.agree(("K(r, u)", &pulled), ("what was declared", stated))?;
        if f.evidence() != Evidence::Declared(Declared::Subgradient) {
            return Ok(Outcome::Held);
        }
    }
    if SAFETY * rough > ROUGH * scale {
        return Ok(Outcome::Undecided("the differences on both sides of the corner do not settle"));
    }
    if largest_tie(x, moving) > TIES {
        return Ok(Outcome::Undecided("more numbers are tied there than places around it are tried"));
    }
    let mut is_tried = false;
    for (v, _) in slopes {
        let Some(around) = derivatives_around(f, (x, u, v), moving) else { continue };
        is_tried = true;
        // What is as small as its input may be lost inside of the function, and rounding be all that moves near it.
        if around.apart > UNSETTLED * around.size + around.noise {
            return Ok(Outcome::Undecided("the derivatives around it do not settle"));
        }
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
    Ok(if is_tried { Outcome::Held } else { Outcome::Undecided("no place around it has a derivative") })
}

/// Of the derivatives on both sides of a corner, by how much they may be wrong for anything to be decided there.
const ROUGH: f64 = 0.05;

/// By how much of their size the derivatives at two distances from a point may differ for anything to be decided there.
const UNSETTLED: f64 = 0.25;

/// How many numbers may be equal: the places around a tie are few, and each order of the numbers may be another derivative.
const TIES: usize = 12;

/// How many of the numbers that move are equal, at most.
fn largest_tie<T: Approximate>(x: &[T], moving: &[bool]) -> usize {
    let mut free: Vec<&T> = x.iter().zip(moving).filter(|(_, moving)| **moving).map(|(x, _)| x).collect();
    // Both zeros are one number.
    free.sort_by(|one, other| (one.to_f64() + 0.0).total_cmp(&(other.to_f64() + 0.0)));
    free.chunk_by(|one, other| one == other).map(<[&T]>::len).max().unwrap_or(0)
}

/// Whether the derivatives around a point differ however near to it they are taken: then there is a corner, whatever the directions from the point itself show, and where the derivative is continuous they come together.
///
/// The first of the slopes is in general position.
pub(crate) fn has_corner<T: Approximate>(
    f: &dyn Flat<T>,
    (x, u, v): (&[T], &[T], &[T]),
    (slopes, moving): (&[Slope<T>], &[bool]),
) -> bool {
    let general = slopes.first().map(|(general, _)| &general[..]);
    [Some(v), general].into_iter().flatten().any(|v| {
        let [far, near] = distances::<T>();
        let lost = scatter_along(f, x, u, v);
        let spread = |power: u32| {
            let around = bounds(f, (x, u, v), moving, &|slopes, place| slopes(place, power))?;
            Some((around.greatest - around.least, around.noise + SAFETY * lost / around.length))
        };
        match (spread(far), spread(near)) {
            (Some((far, _)), Some((near, noise))) => near > 2.0 * noise && near > far / 8.0,
            _ => false,
        }
    })
}

/// Two distances from a point, as powers of one half of its own size: at the nearer one less than an eighth is left of what changes smoothly.
fn distances<T: Approximate>() -> [u32; 2] {
    let digits = digits::<T>().unwrap_or(52);
    [digits * 2 / 7, digits * 6 / 13]
}

/// Displacements from `x` as shares of it: up, down, in both orders, with any three arguments next to each other in every order, at random, and along a direction.
///
/// The derivatives of a convex function along `v` lie between those on both sides of it, so the direction finds the ends of what is allowed; the others find what is not convex.
fn places<T: Approximate>(x: &[T], v: &[T], arguments: &[usize]) -> Vec<Vec<T>> {
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
    if arguments.len() > 2 {
        let of = arguments.iter().enumerate().flat_map(|(argument, length)| vec![argument % 3; *length]);
        let of: Vec<usize> = of.collect();
        for order in ORDERS {
            let beside: Vec<T> = draw.list(x.len(), Domain::NonZero);
            let apart =
                |(argument, beside): (&usize, T)| T::from_ratio(order[*argument], 2) + beside * T::from_ratio(1, 64);
            places.push(of.iter().zip(beside).map(apart).collect());
        }
    }
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

/// All orders of three numbers, above and below none.
const ORDERS: [[i64; 3]; 6] = [[-1, 0, 1], [-1, 1, 0], [0, -1, 1], [0, 1, -1], [1, -1, 0], [1, 0, -1]];

/// The derivatives of `⟨u, f⟩` along a direction at places around a point.
struct Around {
    least: f64,
    greatest: f64,
    /// How much they may be wrong: choices at a corner differ by more.
    slack: f64,
    /// How much of that is rounding.
    noise: f64,
    /// How large they are, output by output.
    size: f64,
    /// How far those at two distances from the point are apart, output by output and at the worst place.
    apart: f64,
    /// The least length that any of them was measured over.
    length: f64,
}

impl Around {
    fn nearest(&self, number: f64) -> f64 {
        number.max(self.least).min(self.greatest)
    }
}

/// The derivative of each output at one place, its noise, and the length that it was measured over.
type Slopes = (Vec<f64>, Vec<f64>, f64);

/// The least and the greatest of `Σᵢ uᵢ·Dfᵢ(x + δ)·v`, where each output may choose its place; two distances, extrapolated to none.
fn derivatives_around<T: Approximate>(f: &dyn Flat<T>, point: (&[T], &[T], &[T]), moving: &[bool]) -> Option<Around> {
    let [far, _] = distances::<T>();
    let (_, u, _) = point;
    let most = Cell::new(0.0_f64);
    let around = bounds(f, point, moving, &|slopes, place| {
        let ((further, ..), (nearer, noise, length)) = (slopes(place, far)?, slopes(place, far + 1)?);
        let apart = nearer.iter().zip(&further).zip(u).map(|((near, far), u)| (u.to_f64() * (near - far)).abs()).sum();
        most.set(most.get().max(apart));
        Some((nearer.iter().zip(&further).map(|(near, far)| 2.0 * near - far).collect(), noise, length))
    })?;
    Some(Around { apart: most.get(), ..around })
}

/// The slopes at a place and a distance.
type At<'a, T> = &'a dyn Fn(&[T], u32) -> Option<Slopes>;
/// What is taken of them at a place.
type Take<'a, T> = &'a dyn Fn(At<'_, T>, &[T]) -> Option<Slopes>;

/// The least and the greatest, over all places, of what is taken of the slopes there.
fn bounds<T: Approximate>(
    f: &dyn Flat<T>,
    (x, u, v): (&[T], &[T], &[T]),
    moving: &[bool],
    take: Take<'_, T>,
) -> Option<Around> {
    let inner = T::from_ratio(1, 1 << (digits::<T>().unwrap_or(52) / 10));
    // What needs no gradient stays where it is.
    let size = |(size, moving): (T, &bool)| if *moving { size } else { T::zero() };
    let sizes: Vec<T> = sizes(x).into_iter().zip(moving).map(size).collect();
    // Far enough to be off the corner, and steps that stay off it.
    let slopes = |place: &[T], power: u32| -> Option<Slopes> {
        let distance = T::from_ratio(1, 1 << power);
        let away = |(part, size): (&T, &T)| part.clone() * size.clone() * distance.clone();
        let away: Vec<T> = place.iter().zip(&sizes).map(away).collect();
        let shares = away.iter().zip(v).filter(|(away, v)| !v.is_zero() && !away.is_zero());
        let step = least(shares.map(|(away, v)| magnitude(away) / magnitude(v)))? * inner.clone();
        let at = |step: T| -> Option<Vec<T>> {
            let moved = |i: usize| x[i].clone() + away[i].clone() + step.clone() * v[i].clone();
            Some(f.run(&(0..x.len()).map(moved).collect::<Vec<T>>()).ok()?.value)
        };
        let (up, down) = (at(step.clone())?, at(-step.clone())?);
        let length = 2.0 * step.to_f64();
        let noise = |y: &T| 8.0 * T::TOLERANCE * T::TOLERANCE * y.to_f64().abs() / length;
        let slopes = up.iter().zip(&down).map(|(up, down)| (up.clone() - down.clone()).to_f64() / length).collect();
        Some((slopes, up.iter().map(noise).collect(), length))
    };
    // Of each output: the least, the greatest, and the noise.
    let mut found: Option<Vec<(f64, f64, f64)>> = None;
    let mut shortest = f64::INFINITY;
    for place in places(x, v, &f.arguments()) {
        let Some((here, noise, length)) = take(&slopes, &place) else { continue };
        shortest = shortest.min(length);
        let known = found
            .get_or_insert_with(|| here.iter().zip(&noise).map(|(slope, noise)| (*slope, *slope, *noise)).collect());
        for ((least, greatest, most), (slope, noise)) in known.iter_mut().zip(here.iter().zip(&noise)) {
            (*least, *greatest, *most) = (least.min(*slope), greatest.max(*slope), most.max(*noise));
        }
    }
    let mut around =
        Around { least: 0.0, greatest: 0.0, slack: 0.0, noise: 0.0, size: 0.0, apart: 0.0, length: shortest };
    for (u, (low, high, noise)) in u.iter().map(Approximate::to_f64).zip(found?) {
        around.least += (u * low).min(u * high);
        around.greatest += (u * low).max(u * high);
        around.noise += u.abs() * SAFETY * noise;
        around.size += u.abs() * low.abs().max(high.abs());
    }
    around.slack += T::TOLERANCE.sqrt() * around.size;
    around.slack += around.noise;
    (around.least.is_finite() && around.greatest.is_finite()).then_some(around)
}
