//! What a claim says at a point, and whether it is so.
//!
//! A claim is a statement with a rule, its domain and its label.
//! Inside of the domain everything has a value, the outputs are the same whatever the values of `any` are, and the rule is the
//! adjoint of the derivative; on a boundary that is declared it is what was declared; each condition of the domain has a value
//! where those before it hold. This module must never take a point for one that agrees where it could not be told.

use pullback_kernel::statement::{Condition, DimId, Label, MapKind, Sign, Statement, TensorDecl};
use pullback_program::random::Random;

use super::ball::{Ball, Halt, Moving, Told};
use super::interpret::{Interpreter, Point};

/// What is claimed.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The statement, with a rule.
    pub statement: &'a Statement,
    /// Where the claim is made.
    pub domain: &'a [Condition],
    /// What it declares.
    pub label: Option<Label>,
}

/// Where a point lies, and what could be told there. No difference was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// A condition of the domain fails.
    Outside,
    /// Inside, off every boundary: the rule is the adjoint.
    Inside,
    /// On a boundary: the rule is what was declared.
    Boundary,
    /// The numbers can't tell.
    Untold,
}

/// How a claim is not so: one sentence.
pub type Difference = String;

/// How far from a boundary its sides are looked at.
const NEAR: f64 = 1.0 / (1u64 << 30) as f64;
/// How often.
const SIDES: usize = 12;
/// How often where the rule was not found between those that were met.
const MORE: usize = 600;
/// How much a slope may change on the way there.
pub(super) const TOLERANCE: f64 = 1e-4;

/// A small dyadic number, so that sums and products of a few are exact and comparisons have ties.
fn number(random: &mut Random, spread: usize, sign: Option<Sign>) -> f64 {
    const GRID: [f64; 12] = [0.5, 1.0, 2.0, 1.5, 0.25, 3.0, 1.0, 0.5, 0.75, 2.5, 1.25, 0.125];
    let magnitude = match spread % 4 {
        // Of twenty bits: nothing ties by chance.
        0 => (1 + random.below(1 << 20)) as f64 / f64::from(1 << 18),
        _ => GRID[random.below(GRID.len())],
    };
    match sign {
        Some(Sign::Positive) => magnitude,
        Some(Sign::NonNegative) => {
            if random.below(3) == 0 {
                0.0
            } else {
                magnitude
            }
        }
        Some(Sign::NonZero) => {
            if random.below(2) == 0 {
                magnitude
            } else {
                -magnitude
            }
        }
        None => match spread / 4 % 4 {
            0 if random.below(3) > 0 => magnitude,
            0 => -magnitude,
            1 => magnitude,
            2 => [0.0, magnitude, -magnitude][random.below(3)],
            // Mostly nothing.
            _ => {
                if random.below(4) == 0 {
                    magnitude
                } else {
                    0.0
                }
            }
        },
    }
}

/// Sizes from 1 to 3 that splits and bijections allow.
fn sizes(statement: &Statement, random: &mut Random) -> Option<Vec<usize>> {
    let many = statement.dims().len() > 4;
    let mut size: Vec<usize> =
        statement.dims().iter().map(|_| if many { 1 + random.below(2) } else { 1 + random.below(3) }).collect();
    let from = |size: &[usize], dims: &[DimId]| dims.iter().map(|d| size[d.0 as usize]).product::<usize>();
    for settled in [false, false, true] {
        let mut holds = true;
        let mut set = |size: &mut Vec<usize>, dim: DimId, n: usize| {
            holds &= size[dim.0 as usize] == n;
            if !settled {
                size[dim.0 as usize] = n;
            }
        };
        for split in statement.splits() {
            let sum = split.parts.iter().map(|m| from(&size, &statement.maps()[m.0 as usize].from)).sum();
            set(&mut size, split.whole, sum);
        }
        for map in statement.maps().iter().filter(|m| m.kind == MapKind::Bijection) {
            let product = from(&size, &map.from);
            set(&mut size, map.to, product);
        }
        if settled && !holds {
            return None;
        }
    }
    Some(size)
}

/// A point drawn at random; none if its sizes do not fit or are too many.
pub fn draw(statement: &Statement, random: &mut Random) -> Option<Point> {
    let sizes = (0..8).find_map(|_| sizes(statement, random))?;
    let places = |dims: &[DimId]| dims.iter().map(|d| sizes[d.0 as usize]).product::<usize>();
    let largest = statement.inputs().iter().map(|t| places(&t.axes)).sum::<usize>();
    if largest > 64 {
        return None;
    }
    let mut maps: Vec<Vec<Option<usize>>> = Vec::new();
    for map in statement.maps() {
        let (from, to) = (places(&map.from), places(&[map.to]));
        maps.push(match map.kind {
            MapKind::Total => (0..from).map(|_| Some(random.below(to))).collect(),
            MapKind::Partial => (0..from).map(|_| (random.below(3) > 0).then(|| random.below(to))).collect(),
            MapKind::Bijection => {
                let mut order: Vec<Option<usize>> = (0..from).map(Some).collect();
                (1..from).rev().for_each(|k| order.swap(k, random.below(k + 1)));
                order
            }
            MapKind::Part { split, part } => {
                let before = statement.splits()[split as usize].parts.iter().take(part as usize);
                let before: usize = before.map(|m| places(&statement.maps()[m.0 as usize].from)).sum();
                (before..before + from).map(Some).collect()
            }
        });
    }
    let tensors = |decls: &mut dyn Iterator<Item = &TensorDecl>, random: &mut Random| -> Vec<Vec<Ball>> {
        decls
            .map(|t| {
                let spread = random.below(16);
                (0..places(&t.axes)).map(|_| Ball::exact(number(random, spread, None))).collect()
            })
            .collect()
    };
    let constants = tensors(&mut statement.constants().iter(), random);
    let inputs = tensors(&mut statement.inputs().iter(), random);
    let still = |v: Vec<Ball>| v.into_iter().map(Moving::still).collect();
    let cotangents = statement
        .outputs()
        .iter()
        .map(|o| (0..places(&o.tensor.axes)).map(|_| Ball::exact(number(random, 0, None))).collect());
    let cotangents = cotangents.collect();
    let params = statement.params().iter().map(|p| Ball::exact(number(random, 1, p.sign))).collect();
    Some(Point { sizes, maps, params, constants, inputs: inputs.into_iter().map(still).collect(), cotangents })
}

/// The point, moving along a direction.
fn along(point: &Point, direction: &[Vec<f64>]) -> Point {
    let mut point = point.clone();
    for (t, d) in point.inputs.iter_mut().zip(direction) {
        t.iter_mut().zip(d).for_each(|(x, d)| x.derivative = Ball::exact(*d));
    }
    point
}

/// The point a little further in a direction.
fn moved(point: &Point, direction: &[Vec<f64>]) -> Told<Point> {
    let mut point = point.clone();
    for (t, d) in point.inputs.iter_mut().zip(direction) {
        for (x, d) in t.iter_mut().zip(d) {
            *x = x.plus(Moving::still(Ball::exact(NEAR * d)))?;
        }
    }
    Ok(point)
}

fn direction(point: &Point, random: &mut Random) -> Vec<Vec<f64>> {
    point.inputs.iter().map(|t| t.iter().map(|_| number(random, 0, Some(Sign::NonZero))).collect()).collect()
}

/// Σ over all elements of both.
pub(super) fn paired(a: &[Vec<Ball>], b: &[Vec<Ball>]) -> Told<Ball> {
    let mut sum = Moving::ZERO;
    for (x, y) in a.iter().flatten().zip(b.iter().flatten()) {
        sum = sum.plus(Moving::still(*x).times(Moving::still(*y))?)?;
    }
    Ok(sum.value)
}

pub(super) fn each<T>(m: &[Vec<Moving>], f: impl Fn(&Moving) -> T) -> Vec<Vec<T>> {
    m.iter().map(|t| t.iter().map(&f).collect()).collect()
}

/// The derivative of the paired outputs along a direction, at a point; none outside of the domain.
///
/// The sides of a boundary that is declared are those of the formula: the domain may end there.
fn slope(claim: &Claim<'_>, point: &Point, direction: &[Vec<f64>]) -> Told<Option<Ball>> {
    let moving = along(point, direction);
    let mut run = Interpreter::new(claim.statement, &moving);
    if run.outside(claim.domain)?.is_some() {
        return Ok(None);
    }
    let outputs = run.forward()?;
    paired(&each(&outputs, |m| m.derivative), &point.cotangents).map(Some)
}

/// Judges a claim at a point.
///
/// # Errors
///
/// [`Difference`] where it is not so.
pub fn judge(claim: &Claim<'_>, point: &Point, random: &mut Random) -> Result<Place, Difference> {
    match told(claim, point, random)? {
        Ok(place) => Ok(place),
        Err(Halt::Unknown(_)) => Ok(Place::Untold),
        Err(Halt::Undefined(what)) => Err(format!("inside of the domain: {what}")),
    }
}

fn told(claim: &Claim<'_>, point: &Point, random: &mut Random) -> Result<Told<Place>, Difference> {
    /// Gives up on what is not told, outside of the domain or not.
    macro_rules! some {
        ($told:expr) => {
            match $told {
                Ok(value) => value,
                Err(halt) => return Ok(Err(halt)),
            }
        };
    }
    let statement = claim.statement;
    let mut run = Interpreter::new(statement, point);
    match run.outside(claim.domain) {
        Ok(None) => {}
        Ok(Some(_)) => return Ok(Ok(Place::Outside)),
        Err(Halt::Unknown(_)) => return Ok(Ok(Place::Untold)),
        Err(Halt::Undefined(what)) => {
            return Err(format!("a condition of the domain has no value where those before it hold: {what}"));
        }
    }
    let outputs = each(&some!(run.forward()), |m| m.value);
    // That a condition met a boundary is nothing to the rule.
    let mut again = Interpreter::new(statement, point);
    some!(again.forward());
    let touched = again.touched;
    let rule = each(&some!(run.backward()), |m| m.value);

    let chosen = again.values_of_any();
    if chosen.iter().any(|v| !v.is_empty()) {
        let mut other = Interpreter::new(statement, point);
        let change =
            |b: &Ball, random: &mut Random| Ball::exact(b.middle() + number(random, 0, Some(Sign::NonZero)) / 4.0);
        other.any = Some(chosen.iter().map(|v| v.iter().map(|b| change(b, random)).collect()).collect());
        let changed = some!(other.forward());
        let differ = changed.iter().flatten().zip(outputs.iter().flatten()).any(|(a, b)| a.value.apart(*b));
        if differ {
            return Err("an output depends on the value of an `any`".into());
        }
    }
    // A surrogate is linear, and no more is claimed of it.
    if touched || claim.label == Some(Label::Surrogate) {
        some!(linear(claim, point, &rule)?);
    }
    if claim.label == Some(Label::Surrogate) {
        return Ok(Ok(if touched { Place::Boundary } else { Place::Inside }));
    }
    let along = direction(point, random);
    let exact = |d: &Vec<Vec<f64>>| d.iter().map(|t| t.iter().map(|x| Ball::exact(*x)).collect()).collect::<Vec<_>>();
    let claimed = some!(paired(&rule, &exact(&along)));
    if !touched {
        // Where a slope has no value the conditions of a root are those of its derivative: there is one.
        let Some(expected) = some!(slope(claim, point, &along)) else { return Ok(Ok(Place::Untold)) };
        if expected.apart(claimed) {
            return Err(format!(
                "along {along:?} the derivative is {:e}, the rule gives {:e}",
                expected.middle(),
                claimed.middle()
            ));
        }
        let sharp = expected.is_sharp() && claimed.is_sharp();
        return Ok(Ok(if sharp { Place::Inside } else { Place::Untold }));
    }
    match claim.label {
        None | Some(Label::Subgradient) => sides(claim, point, random),
        _ => Ok(Ok(Place::Boundary)),
    }
}

/// One entry of the rule on a boundary, held to the slopes on its sides: of an output's element by an input's, so that few sides
/// have a part in it.
fn sides(claim: &Claim<'_>, point: &Point, random: &mut Random) -> Result<Told<Place>, Difference> {
    let pick = |sizes: Vec<usize>, random: &mut Random| {
        let mut k = random.below(sizes.iter().sum());
        let at = sizes.iter().position(|n| {
            if k < *n {
                true
            } else {
                k -= n;
                false
            }
        });
        (at.unwrap_or_default(), k)
    };
    let output = pick(point.cotangents.iter().map(Vec::len).collect(), random);
    let input = pick(point.inputs.iter().map(Vec::len).collect(), random);
    let mut point = point.clone();
    point.cotangents.iter_mut().flatten().for_each(|u| *u = Ball::ZERO);
    point.cotangents[output.0][output.1] = Ball::ONE;
    let mut along: Vec<Vec<f64>> = point.inputs.iter().map(|t| vec![0.0; t.len()]).collect();
    along[input.0][input.1] = 1.0;
    let claimed = match Interpreter::new(claim.statement, &point).backward() {
        Ok(rule) => rule[input.0][input.1].value.middle(),
        Err(halt) => return Ok(Err(halt)),
    };
    let (mut low, mut high, mut told) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    let (mut outside, mut unknown) = (true, 0);
    // What is not found between the sides may be at one that was not met yet.
    for k in 0..MORE {
        if k >= SIDES && !outside {
            break;
        }
        let near = match moved(&point, &direction(&point, random)) {
            Ok(near) => near,
            Err(halt) => return Ok(Err(halt)),
        };
        let domain = if claim.label.is_none() { claim.domain } else { &[] };
        match slope(&Claim { domain, ..*claim }, &near, &along) {
            Ok(Some(slope)) if slope.is_sharp() => {
                low = low.min(slope.middle());
                high = high.max(slope.middle());
                told += 1;
            }
            Ok(None) => {}
            _ => unknown += 1,
        }
        let room = TOLERANCE * low.abs().max(high.abs()).max(1.0);
        outside = claimed < low - room || claimed > high + room;
        if claim.label.is_none() && told > 0 && high - low > room {
            return Err(format!(
                "a boundary that is not declared: slopes from {low:e} to {high:e}, {output:?} by {input:?}"
            ));
        }
    }
    if told < SIDES / 2 {
        return Ok(Ok(Place::Untold));
    }
    // A side of which nothing can be told may be the one that the rule is near.
    if outside && unknown > 0 {
        return Ok(Ok(Place::Untold));
    }
    if outside {
        return Err(format!(
            "on a boundary: the rule gives {claimed:e}, where the sides have {low:e} to {high:e}, {output:?} by {input:?}"
        ));
    }
    Ok(Ok(Place::Boundary))
}

/// Whether the rule at a point of a boundary is between those of the two sides along each coordinate that leads off all boundaries,
/// with one weight for all its entries.
///
/// # Errors
/// [`Halt`] where that can't be told of a coordinate, and it is so along those of which it can; and where there is none.
pub(super) fn between(statement: &Statement, point: &Point, rule: &[Vec<Moving>]) -> Told<bool> {
    let still: Vec<Vec<f64>> = point.inputs.iter().map(|t| vec![0.0; t.len()]).collect();
    let claim = Claim { statement, domain: &[], label: None };
    let (mut told, mut any) = (true, false);
    for (input, t) in point.inputs.iter().enumerate() {
        for flat in 0..t.len() {
            let mut axis = still.clone();
            let mut side = |way: f64| -> Told<Option<Vec<f64>>> {
                axis[input][flat] = way;
                let near = moved(point, &axis)?;
                let mut run = Interpreter::new(statement, &near);
                run.forward()?;
                if run.touched {
                    return Ok(None);
                }
                let mut gradient = Vec::new();
                for (t, k) in still.iter().enumerate().flat_map(|(t, v)| (0..v.len()).map(move |k| (t, k))) {
                    let mut along = still.clone();
                    along[t][k] = 1.0;
                    let slope = slope(&claim, &near, &along)?.filter(|b| b.is_sharp());
                    gradient.push(slope.ok_or(Halt::Unknown("a slope"))?.middle());
                }
                Ok(Some(gradient))
            };
            let (above, below) = match (side(1.0), side(-1.0)) {
                (Ok(Some(above)), Ok(Some(below))) => (above, below),
                (Ok(None), _) | (_, Ok(None)) => continue,
                _ => {
                    told = false;
                    continue;
                }
            };
            any = true;
            let (mut low, mut high) = (0.0f64, 1.0f64);
            for ((a, b), c) in above.iter().zip(&below).zip(rule.iter().flatten()) {
                let c = c.value.middle();
                let room = TOLERANCE * a.abs().max(b.abs()).max(1.0);
                let (step, over) = (a - b, c - b);
                if step.abs() <= room {
                    if over.abs() > room {
                        return Ok(false);
                    }
                    continue;
                }
                let (p, q) = ((over - room) / step, (over + room) / step);
                low = low.max(p.min(q));
                high = high.min(p.max(q));
            }
            if low > high {
                return Ok(false);
            }
        }
    }
    if told && any { Ok(true) } else { Err(Halt::Unknown("a side")) }
}

/// Whether the rule is linear in the cotangent here.
fn linear(claim: &Claim<'_>, point: &Point, rule: &[Vec<Ball>]) -> Result<Told<()>, Difference> {
    let with = |factor: f64, more: f64| {
        let mut point = point.clone();
        let change = |b: &Ball| Ball::exact(factor * b.middle() + more);
        point.cotangents = point.cotangents.iter().map(|t| t.iter().map(change).collect()).collect();
        let mut run = Interpreter::new(claim.statement, &point);
        run.backward().map(|k| each(&k, |m| m.value))
    };
    let (zero, one, two) = match (with(0.0, 0.0), with(0.0, 1.0), with(2.0, 1.0)) {
        (Ok(zero), Ok(one), Ok(two)) => (zero, one, two),
        (Err(halt), ..) | (_, Err(halt), _) | (.., Err(halt)) => return Ok(Err(halt)),
    };
    for (((zero, one), two), once) in
        zero.iter().flatten().zip(one.iter().flatten()).zip(two.iter().flatten()).zip(rule.iter().flatten())
    {
        if zero.apart(Ball::ZERO) {
            return Err("the rule is not zero for cotangents of zero".into());
        }
        let sum = Moving::still(*once).plus(Moving::still(*once)).and_then(|twice| twice.plus(Moving::still(*one)));
        match sum {
            Ok(sum) if sum.value.apart(*two) => return Err("the rule is not linear in the cotangents".into()),
            Ok(_) => {}
            Err(halt) => return Ok(Err(halt)),
        }
    }
    Ok(Ok(()))
}
