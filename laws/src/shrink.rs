//! From a point at which a law fails to one that a person can read.

use pullback_scalar::Scalar;

use crate::approximate::Approximate;
use crate::draw::Domain;
use crate::points::{Points, domains, is_inside};
use crate::suite::{At, Entry};
use crate::violation::LawViolation;

/// How many simpler points are tried.
const TRIES: usize = 600;

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
/// Every number is edited on its own, at all scalars alike, inside of the domain; one edit that works leads to the next.
pub(crate) fn shrunk<T: Approximate>(at: &At<'_, '_, T>, entry: &Entry<T>, found: LawViolation) -> LawViolation {
    let (mut place, mut violation, mut tries) = (at.anew(), found, 0);
    // A rule that panics says so each time, wherever its process writes such messages.
    if violation.refusal().is_some() || violation.panic().is_some() {
        return violation;
    }
    let domains = domains(at.subject.rule, at.options);
    loop {
        let mut better = false;
        for which in 0..LISTS {
            for coordinate in 0..list(&mut place.points, which).len() {
                for edit in EDITS {
                    if tries >= TRIES {
                        return violation;
                    }
                    let Some(simpler) = edited(&place, &domains, which, coordinate, edit) else { continue };
                    tries += 1;
                    match simpler.outcome(entry) {
                        Err(other)
                            if other.law() == violation.law()
                                && other.refusal().is_none()
                                && other.panic().is_none() =>
                        {
                            (place, violation, better) = (simpler, other, true);
                            break;
                        }
                        _ => {}
                    }
                }
            }
        }
        if !better {
            return violation;
        }
    }
}

fn edited<'c, 'a, T: Approximate>(
    at: &At<'c, 'a, T>,
    domains: &[Domain],
    which: usize,
    coordinate: usize,
    edit: Edit,
) -> Option<At<'c, 'a, T>> {
    let mut simpler = at.anew();
    let number = list(&mut simpler.points, which).get_mut(coordinate)?;
    let other = edit.of(number);
    // Only what is simpler: no number is edited back and forth.
    let rank = |number: &T| EDITS.iter().position(|edit| edit.of(number) == *number);
    let is_simpler = match (rank(number), rank(&other)) {
        (Some(own), Some(other)) => other < own,
        (None, Some(_)) => true,
        _ => false,
    };
    let inside = which == 1 || which == 2 || which == 4;
    if !is_simpler || !(inside || domains.get(coordinate).is_none_or(|domain| domain.contains(&other))) {
        return None;
    }
    *number = other;
    // A cotangent of zeros shows nothing but the law about it, and domains of distinct numbers are not edited.
    if which != 0 && list(&mut simpler.points, which).iter().all(Scalar::is_zero) {
        return None;
    }
    if !inside && domains.get(coordinate) == Some(&Domain::Distinct) {
        return None;
    }
    if let Some(exact) = &mut simpler.exact {
        let number = list(exact, which).get_mut(coordinate)?;
        *number = edit.of(number);
    }
    let Points { x, y, .. } = &simpler.points;
    let is_inside = |x: &[T]| is_inside(at.subject.rule, at.options, x);
    (is_inside(x) && is_inside(y)).then_some(simpler)
}
