//! From a point at which a law fails to one that a person can read.

use core::ops::Range;

use pullback_scalar::Scalar;

use crate::approximate::Approximate;
use crate::draw::Domain;
use crate::place::At;
use crate::points::{Points, domains, is_inside};
use crate::table::Entry;
use crate::violation::{Law, LawViolation};

/// How many simpler points are tried, at most and of large arrays.
const TRIES: (usize, usize) = (400, 64);
/// So many numbers are tried in all, so that a large array takes about as long as a small one.
const WORK: usize = 1 << 22;
/// More numbers than these at once are tried with few edits.
const WIDE: usize = 64;

/// What may be done to a number to make it simpler; the first that works is taken.
#[derive(Clone, Copy)]
enum Edit {
    Whole(i64),
    Rounded,
}

const EDITS: [Edit; 5] = [Edit::Whole(0), Edit::Whole(1), Edit::Whole(-1), Edit::Whole(2), Edit::Rounded];

impl Edit {
    fn of<T: Scalar>(self, number: &T) -> T {
        match self {
            Edit::Whole(whole) => T::from_ratio(whole, 1),
            Edit::Rounded => number.clone().round(),
        }
    }
}

/// The lists of the points, in the order in which they are made simpler.
const LISTS: usize = 5;

fn list<T>(points: &mut Points<T>, which: usize) -> &mut Vec<T> {
    match which {
        0 => &mut points.x,
        1 => &mut points.u,
        2 => &mut points.v,
        3 => &mut points.y,
        _ => &mut points.w,
    }
}

/// The violation at the simplest point that was found, where the same law fails.
///
/// Numbers are edited together and then on their own, at all scalars alike, inside of the domain; one edit that works leads to the next.
pub(crate) fn shrunk<T: Approximate>(at: &At<'_, '_, T>, entry: &Entry<T>, found: LawViolation) -> LawViolation {
    let (mut place, mut violation, mut tries) = (at.anew(), found, 0);
    // A rule that panics says so each time, wherever its process writes such messages.
    if violation.refusal().is_some() || violation.panic().is_some() {
        return violation;
    }
    let domains = domains(at.subject.rule, at.options);
    // One direction is enough to see it, and costs a part of all.
    let fails = |place: &At<'_, '_, T>, law: Law| match place.outcome(entry) {
        Err(other) if other.law() == law && other.refusal().is_none() && other.panic().is_none() => Some(other),
        _ => None,
    };
    for direction in 0.. {
        let Some(narrow) = place.along(direction) else { break };
        if let Some(other) = fails(&narrow, violation.law()) {
            (place, violation) = (narrow, other);
            break;
        }
    }
    // Many numbers at once first, then ever fewer.
    let longest = (0..LISTS).map(|which| list(&mut place.points, which).len()).max().unwrap_or(0);
    let most = (WORK / longest.max(1)).clamp(TRIES.1, TRIES.0);
    // Of very many coordinates the one that is wrong is found first: in half of a direction, or in the other.
    let order = if place.is_large() { [2, 1, 0, 3, 4] } else { [0, 1, 2, 3, 4] };
    let mut width = longest.max(1);
    loop {
        let mut better = false;
        for which in order {
            let length = list(&mut place.points, which).len();
            for start in (0..length).step_by(width) {
                // Many numbers at once become zeros or ones, or stay.
                let edits = if width > WIDE { &EDITS[..2] } else { &EDITS[..] };
                for &edit in edits {
                    let all = start..(start + width).min(length);
                    let Some(simpler) = edited(&place, &domains, which, all, edit) else { continue };
                    if tries >= most {
                        return violation;
                    }
                    tries += 1;
                    if let Some(other) = fails(&simpler, violation.law()) {
                        (place, violation, better) = (simpler, other, true);
                        break;
                    }
                }
            }
        }
        if width > 1 {
            width = width.div_ceil(2);
        } else if !better {
            return violation;
        }
    }
}

fn edited<'c, 'a, T: Approximate>(
    at: &At<'c, 'a, T>,
    domains: &[Domain],
    which: usize,
    coordinates: Range<usize>,
    edit: Edit,
) -> Option<At<'c, 'a, T>> {
    let mut simpler = at.anew();
    // Only what is simpler: no number is edited back and forth.
    let rank = |number: &T| EDITS.iter().position(|edit| edit.of(number) == *number);
    let inside = which == 1 || which == 2 || which == 4;
    let mut edited = vec![];
    for coordinate in coordinates {
        let number = list(&mut simpler.points, which).get_mut(coordinate)?;
        let other = edit.of(number);
        let is_simpler = match (rank(number), rank(&other)) {
            (Some(own), Some(other)) => other < own,
            (None, Some(_)) => true,
            _ => false,
        };
        let may_be = inside
            || domains.get(coordinate).is_none_or(|domain| *domain != Domain::Distinct && domain.contains(&other));
        if is_simpler && may_be {
            *number = other;
            edited.push(coordinate);
        }
    }
    if edited.is_empty() {
        return None;
    }
    // A cotangent of zeros shows nothing but the law about it.
    if which != 0 && list(&mut simpler.points, which).iter().all(Scalar::is_zero) {
        return None;
    }
    if let Some(exact) = &mut simpler.exact {
        for coordinate in edited {
            let number = list(exact, which).get_mut(coordinate)?;
            *number = edit.of(number);
        }
    }
    let Points { x, y, .. } = &simpler.points;
    let is_inside = |x: &[T]| is_inside(at.subject.rule, at.options, x);
    (is_inside(x) && is_inside(y)).then_some(simpler)
}
