//! The search on boundaries: a point with one coordinate on a boundary, the derivatives of the two sides there, and the rule.
//!
//! All other coordinates are drawn without a pattern, so that a guard that vanishes does so because of the one coordinate
//! that was put there, or of two that were made equal: the boundary is a plane across that coordinate, with two sides.
//! A side is found without a limit: numbers carry how they move along the coordinate, and one that is zero has the sign
//! that it takes on next. Where that can't be told there is no verdict.

use std::cmp::Ordering;

use num_traits::{One, Signed, Zero};

use super::{Random, SEARCH, Shown, Trial, bounded, draw, report};
use crate::Rational;
use crate::budget::Meter;
use crate::derive::each;
use crate::eval::{self, Dual, EvalError, Number, Point};
use crate::refute::Counterexample;
use crate::statement::{Condition, ExprKind, Function, Label, Statement, Values};

/// Points that are tried, at most.
const POINTS: u64 = 96;
/// One over how much further along a number is looked at whose derivative says nothing.
const NEAR: i64 = 1 << 20;

/// A number that leans: where it is zero it has the sign of its derivative along a direction.
///
/// Where that is zero as well, as of a square, it has the sign of the number a little further along; if that can't be
/// computed, none.
#[derive(Clone, PartialEq, Debug)]
struct Leaning<N> {
    here: Dual<N>,
    near: Option<N>,
}

impl<N: Number> Leaning<N> {
    /// One that does not move.
    fn still(x: &N) -> Self {
        Leaning { here: Dual { value: x.clone(), tangent: N::rational(&Rational::zero()) }, near: Some(x.clone()) }
    }

    fn with(&self, o: &Self, here: Dual<N>, f: impl Fn(&N, &N) -> N) -> Self {
        Leaning { here, near: self.near.as_ref().zip(o.near.as_ref()).map(|(a, b)| f(a, b)) }
    }
}

impl<N: Number> Number for Leaning<N> {
    fn rational(q: &Rational) -> Self {
        Leaning::still(&N::rational(q))
    }
    fn add(&self, o: &Self) -> Self {
        self.with(o, self.here.add(&o.here), N::add)
    }
    fn neg(&self) -> Self {
        Leaning { here: self.here.neg(), near: self.near.as_ref().map(N::neg) }
    }
    fn mul(&self, o: &Self) -> Self {
        self.with(o, self.here.mul(&o.here), N::mul)
    }
    fn recip(&self) -> Result<Self, EvalError> {
        Ok(Leaning { here: self.here.recip()?, near: self.near.as_ref().and_then(|n| n.recip().ok()) })
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        let (here, near) = (self.here.call(f)?, self.near.as_ref().and_then(|n| n.call(f).ok()));
        // What is rounded may jump on the way: the side does not begin at the value here.
        let stays = || near.as_ref().is_some_and(|n| n.add(&here.value.neg()).sign() == Some(Ordering::Equal));
        if f.is_step() && !stays() {
            return Err(EvalError::Undefined("a jump"));
        }
        Ok(Leaning { here, near })
    }
    fn sign(&self) -> Option<Ordering> {
        match (self.here.value.sign(), self.here.tangent.sign()) {
            (Some(Ordering::Equal), Some(Ordering::Equal)) => self.near.as_ref().and_then(N::sign),
            (Some(Ordering::Equal), sign) | (sign, _) => sign,
        }
    }
    fn cost(&self) -> u64 {
        self.here.cost().saturating_add(self.near.as_ref().map_or(0, N::cost))
    }
    fn cost_with(&self, o: &Self) -> u64 {
        let near = self.near.as_ref().zip(o.near.as_ref()).map_or(0, |(a, b)| a.cost_with(b));
        self.here.cost_with(&o.here).saturating_add(near)
    }
    fn bytes(&self) -> u64 {
        self.here.bytes().saturating_add(self.near.as_ref().map_or(0, N::bytes))
    }
}

/// Looks for a point of a boundary at which the rule is not what it may be there.
pub(crate) fn search(statement: &Statement, domain: &[Condition], meter: &Meter) -> Option<Counterexample> {
    let numbers = numbers(statement);
    for seed in 1..=POINTS {
        if meter.left() == 0 {
            break;
        }
        let Some((mut point, cotangents)) = draw(statement, seed, meter) else { continue };
        let mut random = Random(seed.wrapping_mul(0x9e6c_63d0_876a_3f25));
        for x in point.inputs.iter_mut().flatten() {
            // No whole number, and no half of one: rounding jumps there.
            let (n, d) = (random.below(997), [7, 11, 13, 17][random.below(4) as usize]);
            let generic = Rational::new((n + 1 + u64::from((n + 1) % d == 0)).into(), d.into());
            let negative = if x.is_zero() { random.below(2) == 0 } else { x.is_negative() };
            *x = if negative { -generic } else { generic };
        }
        let coordinates: Vec<(usize, usize)> =
            point.inputs.iter().enumerate().flat_map(|(t, v)| (0..v.len()).map(move |k| (t, k))).collect();
        if coordinates.is_empty() {
            return None;
        }
        let moved = coordinates[random.below(coordinates.len() as u64) as usize];
        let values = numbers.iter().chain(&point.params);
        let values: Vec<Rational> = values.cloned().collect();
        let put = random.below(values.len() as u64 + coordinates.len() as u64) as usize;
        let value = match values.get(put) {
            Some(value) => value.clone(),
            None => {
                let (t, k) = coordinates[put - values.len()];
                point.inputs[t][k].clone()
            }
        };
        point.inputs[moved.0][moved.1] = if random.below(2) == 0 { value } else { -value };
        let found = trial(statement, domain, &point, &cotangents, moved, meter);
        if let Some(c) = report(statement, &point, &cotangents, found) {
            return Some(c);
        }
    }
    None
}

/// The numbers that stand in a statement, zero among them: guards like to vanish there.
fn numbers(statement: &Statement) -> Vec<Rational> {
    let mut out = vec![Rational::zero()];
    let mut look = |e: &crate::statement::Expr| {
        each(e, &mut |x| {
            if let ExprKind::Number(q) = &x.kind
                && !out.contains(q)
            {
                out.push(q.clone());
            }
        });
    };
    statement.locals().iter().chain(statement.backward_locals()).for_each(|l| look(&l.value));
    let gradients = statement.gradients().unwrap_or_default();
    statement.outputs().iter().chain(gradients).flat_map(|o| &o.clauses).for_each(|c| look(&c.value));
    out
}

fn trial<N: Shown>(
    statement: &Statement,
    domain: &[Condition],
    point: &Point<N>,
    cotangents: &[Vec<N>],
    moved: (usize, usize),
    meter: &Meter,
) -> Trial<N> {
    let nothing = |e: EvalError| Trial::Nothing(e);
    let values = match bounded(meter, |own| eval::forward_with(statement, point, eval::Boundary::Ignore, own)) {
        Ok(v) => v,
        Err(e) => return nothing(e),
    };
    match bounded(meter, |own| eval::outside_within(statement, domain, point, &values, own)) {
        Ok(None) => {}
        Ok(Some(_)) => return nothing(EvalError::Undefined("a point outside of the domain")),
        Err(e) => return nothing(e),
    }
    let rule = |u: &[Vec<N>]| bounded(meter, |own| eval::backward_within(statement, point, &values, u, own));
    let claimed = match rule(cotangents) {
        Ok(c) => c,
        Err(e @ EvalError::Undefined(_)) => return Trial::Undefined(e),
        Err(e) => return nothing(e),
    };
    let two = N::rational(&Rational::from_integer(2.into()));
    let twice: Vec<Vec<N>> = cotangents.iter().map(|t| t.iter().map(|u| u.mul(&two)).collect()).collect();
    if let Ok(doubled) = rule(&twice) {
        for (input, (once, twice)) in claimed.iter().zip(&doubled).enumerate() {
            for (flat, (once, twice)) in once.iter().zip(twice).enumerate() {
                if once.mul(&two).differ(twice) {
                    return Trial::NotLinear { input, flat, once: once.clone(), twice: twice.clone() };
                }
            }
        }
    }
    let mut sides = Vec::new();
    for way in [1, -1] {
        match side(statement, point, cotangents, moved, way, meter) {
            Ok((outputs, gradient)) => {
                // Where the values of the sides are not one there is no derivative to be held to.
                let meets = outputs.iter().flatten().zip(values.outputs.iter().flatten()).all(|(a, b)| !a.differ(b));
                if !meets {
                    return nothing(EvalError::Undefined("a jump"));
                }
                sides.push(gradient);
            }
            Err(e) => return nothing(e),
        }
    }
    let (Some(below), Some(above)) = (sides.pop(), sides.pop()) else {
        return nothing(EvalError::Undefined("a side"));
    };
    judge(statement, &claimed, &above, &below)
}

fn judge<N: Shown>(statement: &Statement, claimed: &[Vec<N>], above: &[Vec<N>], below: &[Vec<N>]) -> Trial<N> {
    let all = || {
        claimed.iter().enumerate().flat_map(move |(input, c)| {
            c.iter().enumerate().map(move |(flat, c)| (input, flat, c, &above[input][flat], &below[input][flat]))
        })
    };
    if all().all(|(.., a, b)| !a.differ(b)) {
        for (input, flat, c, a, _) in all() {
            if a.differ(c) {
                return Trial::Differs { input, flat, expected: a.clone(), claimed: c.clone() };
            }
        }
        return Trial::Agrees;
    }
    let free = statement.declaration().is_none_or(|d| match &d.values {
        Values::AsWritten => true,
        Values::Named(named) => !named.is_empty() || !matches!(d.label, Label::Convention | Label::Subgradient),
    });
    if free {
        return Trial::Agrees;
    }
    let mut weight: Option<N> = None;
    for (input, flat, c, a, b) in all() {
        let step = a.add(&b.neg());
        let over = c.add(&b.neg());
        let outside = || Trial::Outside { input, flat, sides: (a.clone(), b.clone()), claimed: c.clone() };
        if !a.differ(b) {
            if c.differ(a) {
                return outside();
            }
            continue;
        }
        let Ok(inverse) = step.recip() else { continue };
        let here = over.mul(&inverse);
        let one = N::rational(&Rational::one());
        let below = here.sign() == Some(Ordering::Less);
        let above = here.add(&one.neg()).sign() == Some(Ordering::Greater);
        if below || above || weight.as_ref().is_some_and(|w| w.differ(&here)) {
            return outside();
        }
        weight.get_or_insert(here);
    }
    Trial::Agrees
}

/// Values and derivatives on one side: outputs, and the adjoint of the derivative at the cotangents.
#[allow(clippy::type_complexity, reason = "outputs, and a cotangent for each input")]
fn side<N: Shown>(
    statement: &Statement,
    point: &Point<N>,
    cotangents: &[Vec<N>],
    moved: (usize, usize),
    way: i64,
    meter: &Meter,
) -> Result<(Vec<Vec<N>>, Vec<Vec<N>>), EvalError> {
    meter.spend(SEARCH, 1)?;
    let still = |x: &N| Dual { value: Leaning::still(x), tangent: Leaning::rational(&Rational::zero()) };
    let all = |v: &Vec<Vec<N>>| v.iter().map(|t| t.iter().map(still).collect()).collect::<Vec<Vec<_>>>();
    let mut dual = Point {
        sizes: point.sizes.clone(),
        maps: point.maps.clone(),
        params: point.params.iter().map(still).collect(),
        constants: all(&point.constants),
        inputs: all(&point.inputs),
    };
    let moving = &mut dual.inputs[moved.0][moved.1].value;
    moving.here.tangent = N::rational(&Rational::from_integer(way.into()));
    moving.near = Some(moving.here.value.add(&N::rational(&Rational::new(way.into(), NEAR.into()))));
    let (mut outputs, mut gradient) = (Vec::new(), Vec::new());
    for input in 0..point.inputs.len() {
        let mut here = Vec::new();
        for flat in 0..point.inputs[input].len() {
            dual.inputs[input][flat].tangent = Leaning::rational(&Rational::one());
            let values = bounded(meter, |own| eval::forward_with(statement, &dual, eval::Boundary::Ignore, own))?;
            dual.inputs[input][flat].tangent = Leaning::rational(&Rational::zero());
            let mut expected = N::rational(&Rational::zero());
            for (y, dy) in values.outputs.iter().flatten().zip(cotangents.iter().flatten()) {
                expected = expected.add(&y.tangent.here.value.mul(dy));
            }
            here.push(expected);
            outputs = values.outputs;
        }
        gradient.push(here);
    }
    let outputs = outputs.into_iter().map(|t| t.into_iter().map(|y| y.value.here.value).collect()).collect();
    Ok((outputs, gradient))
}
