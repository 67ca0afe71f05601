//! What a rule is on the boundaries of the forward formula.
//!
//! Between boundaries a rule is the adjoint of the derivative, or it is refused.
//! On one, where a guard of an `if` is zero, the derivative is that of either side:
//!
//! | said | held to |
//! | --- | --- |
//! | nothing | the rule is the derivative of the formula in all three cases of every guard |
//! | `convention` | at each boundary the rule is a fixed convex combination of the two sides, or what is named there |
//! | `convention as written` | the derivative of the branch that is taken; refused where the sides are seen to agree and it is not theirs |
//! | `subgradient` | as `convention` with nothing named; the sides meet, and boundaries that meet are independent of each other |
//!
//! Where the sides agree to first order there is nothing to choose: the rule is theirs, whatever is declared.
//! So a guard that is the rule's own, and no boundary of the forward formula, must not change the rule.
//!
//! Let `E` be the derivative with the terms on boundaries left out: where `c = 0` it is that of the side where `c < 0`.
//! The rule is a combination of the sides if it is `E` with `[c > 0] + w [c == 0]` for each `[c > 0]`, with one weight
//! `w` from 0 to 1 for all cotangents: on the boundary it is then `w` times the one side and `1 - w` times the other.
//! Where several boundaries meet it is the product of those combinations, over all sides that there are.
//!
//! A guard whose sides have one form, as that of `x[i] > x[j]`, has no positive side to speak of: the rule is compared
//! with the derivative as it is written there, and never called a subgradient.
//!
//! Ties of a maximum need no guard: its derivative is written with even shares, which are an element of the
//! subdifferential and add up to the derivative wherever the tied arguments are one function.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use num_traits::{One, Signed, Zero};

use crate::Rational;
use crate::derive::each;
use crate::normal::{Atom, Env, Family, Ix, Normal, Poly, Rules, Stuck, solved};
use crate::source::Span;
use crate::statement::{Condition, Declaration, ExprKind, Label, Named, Sign, Tensor, Values};

/// Sides of other boundaries that are looked at one by one, at most.
const MAX_CASES: usize = 128;
/// Families of boundaries for which all weights are tried together, at most.
const MAX_TRIED: usize = 4;

/// A gradient clause: the derivative at its place, and what the rule says.
pub(crate) struct Pair {
    pub(crate) gradient: usize,
    pub(crate) at: Vec<Ix>,
    pub(crate) expected: Poly,
    pub(crate) claimed: Poly,
    pub(crate) span: Span,
}

/// Why a rule is not what is declared of it.
pub(crate) struct Fault {
    pub(crate) reason: String,
    pub(crate) rest: Option<Poly>,
    pub(crate) span: Span,
}

fn moving(_: &Rules<'_>, family: &Family) -> bool {
    family.moves()
}

/// Where it must be equal in all three cases of a guard: its zeros may be all there is.
fn thin(rules: &Rules<'_>, family: &Family) -> bool {
    rules.has_thin_zeros(&family.0)
}

/// Off the boundaries: `expected` less `claimed`, without what stands where a guard is zero that moves with the inputs.
pub(crate) fn between(rules: &mut Rules<'_>, pair: &Pair, declared: bool) -> Normal<Poly> {
    let difference = rules.sub(&pair.expected, &pair.claimed);
    if !declared {
        return rules.settled(&difference);
    }
    let settled = rules.settled(&difference)?;
    Ok(rules.parted(&settled, &thin).0)
}

/// Whether the rule is on the boundaries what is declared of it. `None` if so.
pub(crate) fn judge(
    rules: &mut Rules<'_>,
    declaration: &Declaration,
    pairing: &Poly,
    pairs: &[Pair],
) -> Normal<Option<Fault>> {
    for pair in pairs {
        if !linear(&pair.claimed) {
            let reason = "the rule is not linear in the cotangent".into();
            return Ok(Some(Fault { reason, rest: None, span: pair.span }));
        }
    }
    let mut sides = Vec::new();
    for pair in pairs {
        let side = rules.parted(&pair.expected, &moving).0;
        sides.push(side);
    }
    match &declaration.values {
        Values::AsWritten => as_written(rules, pairing, pairs, &sides),
        Values::Named(named) => {
            if let Some(fault) = named_values(rules, named)? {
                return Ok(Some(fault));
            }
            let (weights, rests) = weigh(rules, pairs, &sides)?;
            for (pair, rest) in pairs.iter().zip(&rests) {
                if let Some(fault) = unnamed(rules, named, pairing, pair, &sides, rest, declaration.label)? {
                    return Ok(Some(fault));
                }
            }
            if declaration.label == Label::Subgradient {
                return subgradient(rules, declaration, pairing, &sides, &weights);
            }
            Ok(None)
        }
    }
}

/// Whether each term has one cotangent, outside of every function.
pub(crate) fn linear(p: &Poly) -> bool {
    p.terms.keys().all(|m| {
        let cotangent = |a: &Atom| matches!(a, Atom::Access(Tensor::Cotangent(_), _));
        let direct: Vec<_> = m.factors.iter().filter(|(a, _)| cotangent(a)).collect();
        let nested = m.factors.iter().any(|(a, _)| !cotangent(a) && a.contains(&mut |b| cotangent(b)));
        direct.len() == 1 && direct[0].1.is_one() && !nested
    })
}

/// The weight of the positive side at each boundary, and what the rule has there beside that combination.
#[allow(clippy::type_complexity, reason = "weights by family, rests by clause")]
fn weigh(rules: &mut Rules<'_>, pairs: &[Pair], sides: &[Poly]) -> Normal<(BTreeMap<Family, Rational>, Vec<Poly>)> {
    let mut families = BTreeSet::new();
    for p in sides.iter().chain(pairs.iter().map(|p| &p.claimed)) {
        for m in p.terms.keys() {
            families.extend(rules.guards(m).into_iter().map(|g| g.0).filter(Family::moves));
        }
    }
    let mut weights = BTreeMap::new();
    for family in &families {
        let weight = weight_of(rules, family, pairs, sides)?;
        weights.insert(family.clone(), weight.unwrap_or_else(Rational::zero));
    }
    let rests = rests(rules, pairs, sides, &weights)?;
    if rests.iter().all(Poly::is_zero) || families.is_empty() || families.len() > MAX_TRIED {
        return Ok((weights, rests));
    }
    // The coefficients did not tell: the usual weights are tried.
    let usual = [Rational::zero(), Rational::new(1.into(), 2.into()), Rational::one()];
    let mut best = (weights, rests);
    for choice in 0..usual.len().pow(families.len() as u32) {
        let mut rest = choice;
        let tried: BTreeMap<Family, Rational> = families
            .iter()
            .map(|f| {
                let weight = usual[rest % usual.len()].clone();
                rest /= usual.len();
                (f.clone(), weight)
            })
            .collect();
        let left = self::rests(rules, pairs, sides, &tried)?;
        let size = |r: &[Poly]| r.iter().map(|p| p.terms.len()).sum::<usize>();
        if size(&left) < size(&best.1) {
            best = (tried, left);
        }
    }
    Ok(best)
}

/// What each clause has on boundaries beside the combination with these weights.
fn rests(
    rules: &mut Rules<'_>,
    pairs: &[Pair],
    sides: &[Poly],
    weights: &BTreeMap<Family, Rational>,
) -> Normal<Vec<Poly>> {
    let mut out = Vec::new();
    for (pair, side) in pairs.iter().zip(sides) {
        let mixed = rules.mixed(side, &|f| weights.get(f).cloned())?;
        let rest = rules.sub(&mixed, &pair.claimed);
        let rest = rules.parted(&rest, &moving).1;
        let rest = rules.settled(&rest)?;
        let rest = rules.parted(&rest, &moving).1;
        out.push(rules.reduce(rest)?);
    }
    Ok(out)
}

/// The difference of the two sides at a boundary, where it is one.
fn step(rules: &mut Rules<'_>, side: &Poly, family: &Family) -> Normal<Poly> {
    let mixed = rules.mixed(side, &|f| (f == family).then(Rational::one))?;
    let step = rules.parted(&mixed, &|_, f| f == family).1;
    let step = rules.settled(&step)?;
    rules.reduce(step)
}

/// The weight that the coefficients of some term tell.
fn weight_of(rules: &mut Rules<'_>, family: &Family, pairs: &[Pair], sides: &[Poly]) -> Normal<Option<Rational>> {
    for (pair, side) in pairs.iter().zip(sides) {
        let step = step(rules, side, family)?;
        let here = rules.parted(&pair.claimed, &|_, f| f == family).1;
        let here = rules.settled(&here)?;
        for (m, c) in &step.terms {
            if let Some(d) = here.terms.get(m) {
                let weight = d / c;
                let between = !weight.is_negative() && weight <= Rational::one();
                return Ok(between.then_some(weight));
            }
        }
    }
    Ok(None)
}

/// What is named must be what the rule gives there.
fn named_values(rules: &mut Rules<'_>, named: &[Named]) -> Normal<Option<Fault>> {
    let statement = rules.statement;
    for n in named {
        for (_, env) in rules.scopes(&n.vars, &Env::new())? {
            let guard = named_guard(rules, n, &env)?;
            let at = n.at.iter().map(|i| rules.index(i, &env)).collect::<Normal<Vec<_>>>()?;
            let Some(gradient) = statement.gradients().and_then(|g| g.get(n.gradient as usize)) else {
                return Err(Stuck::Malformed("a boundary of an input that is none"));
            };
            let claimed = rules.at(gradient, &at)?;
            let value = rules.build(&n.value, &env)?;
            let fault = |reason: String, rest| Ok(Some(Fault { reason, rest, span: n.span }));
            if !linear(&value) {
                return fault("what is named at a boundary is not linear in the cotangent".into(), None);
            }
            let zero = rules.vanishes(&guard)?;
            let difference = rules.sub(&value, &claimed);
            let there = rules.mul(&zero, &difference)?;
            let there = rules.settled(&there)?;
            let rest = rules.reduce(there)?;
            if !rest.is_zero() {
                let name = &gradient.tensor.name;
                let reason = format!("at this boundary the rule does not give what is named for `{name}`");
                return fault(reason, Some(rest));
            }
        }
    }
    Ok(None)
}

fn named_guard(rules: &mut Rules<'_>, n: &Named, env: &Env) -> Normal<Poly> {
    let (left, right) = (rules.build(&n.left, env)?, rules.build(&n.right, env)?);
    Ok(rules.sub(&left, &right))
}

/// What is neither a combination of the sides nor named, and what is named although the sides agree.
fn unnamed(
    rules: &mut Rules<'_>,
    named: &[Named],
    pairing: &Poly,
    pair: &Pair,
    sides: &[Poly],
    rest: &Poly,
    label: Label,
) -> Normal<Option<Fault>> {
    let mut left = rest.clone();
    for n in named.iter().filter(|n| n.gradient as usize == pair.gradient) {
        if left.is_zero() {
            break;
        }
        // The variables of the boundary are those of the place.
        let mut env = Env::new();
        for (place, ix) in n.at.iter().zip(&pair.at) {
            if let crate::statement::Index::Variable(v) = place {
                env.insert(*v, ix.clone());
            }
        }
        if !n.vars.iter().all(|v| env.contains_key(v)) {
            continue;
        }
        let guard = named_guard(rules, n, &env)?;
        let zero = rules.vanishes(&guard)?;
        let Some(Atom::Zero(q)) = zero.terms.keys().next().and_then(|m| m.factors.first()).map(|f| f.0.clone()) else {
            continue;
        };
        let (mut kept, mut chosen) = (Poly::zero(), Poly::zero());
        for (m, c) in &left.terms {
            let here = m.factors.iter().any(|(a, _)| matches!(a, Atom::Zero(r) if *r == q));
            if here { &mut chosen } else { &mut kept }.add_term(m.clone(), c.clone());
        }
        if !chosen.is_zero() && nothing_to_choose(rules, pairing, sides, &Family::of(&q), chosen)? {
            let reason = format!(
                "where `{}` is zero the two sides have one derivative: there is nothing to choose, and the rule is not theirs",
                rules.show(&q)
            );
            return Ok(Some(Fault { reason, rest: Some(rest.clone()), span: n.span }));
        }
        left = kept;
    }
    if left.is_zero() {
        return Ok(None);
    }
    let at = left
        .terms
        .keys()
        .flat_map(|m| m.factors.iter())
        .find_map(|(a, _)| match a {
            Atom::Zero(q) => Some(q.clone()),
            _ => None,
        })
        .map(|q| rules.show(&q));
    let at = at.unwrap_or_else(|| "a guard".into());
    let reason = match label {
        Label::Subgradient => format!(
            "where `{at}` is zero the rule is not a convex combination of the rules of the two sides: it is no subgradient"
        ),
        _ => format!(
            "where `{at}` is zero the rule is neither side's nor between them: say what it gives there, \
             `declares convention at … == …: {} = …`, if the forward formula has a boundary there",
            name_of(rules, pair)
        ),
    };
    Ok(Some(Fault { reason, rest: Some(left), span: pair.span }))
}

fn name_of(rules: &Rules<'_>, pair: &Pair) -> String {
    let gradients = rules.statement.gradients().unwrap_or_default();
    gradients.get(pair.gradient).map_or_else(String::new, |g| g.tensor.name.text.clone())
}

/// Whether on some side of the other boundaries the two sides of this one have one value and one derivative, and the
/// rule has something else there.
fn nothing_to_choose(
    rules: &mut Rules<'_>,
    pairing: &Poly,
    sides: &[Poly],
    family: &Family,
    chosen: Poly,
) -> Normal<bool> {
    if !meet(rules, pairing, &|f| f == family)? {
        return Ok(false);
    }
    let mut steps = Vec::new();
    for side in sides {
        steps.push(step(rules, side, family)?);
    }
    let mut cases = vec![(steps, chosen)];
    for _ in 0..MAX_CASES {
        let Some((steps, chosen)) = cases.pop() else { return Ok(false) };
        if chosen.is_zero() {
            continue;
        }
        if steps.iter().all(Poly::is_zero) {
            return Ok(true);
        }
        let guard = steps.iter().flat_map(|p| p.terms.keys()).flat_map(|m| &m.factors).find_map(|(a, _)| match a {
            Atom::Positive(q) if !q.any(0, &mut |ix, level| matches!(ix, Ix::Bound(d, _) if *d >= level)) => {
                Some(Rc::clone(q))
            }
            _ => None,
        });
        let Some(guard) = guard else { continue };
        for holds in [true, false] {
            let steps = steps.iter().map(|p| assumed(p, &guard, holds)).collect();
            cases.push((steps, assumed(&chosen, &guard, holds)));
        }
    }
    // Too many to look at: as if there were nothing to choose.
    Ok(true)
}

/// The expression where a guard is positive, or where it is not.
fn assumed(p: &Poly, guard: &Rc<Poly>, holds: bool) -> Poly {
    let mut out = Poly::zero();
    for (m, c) in &p.terms {
        let positive = |a: &Atom| matches!(a, Atom::Positive(q) if q == guard);
        let zero = |a: &Atom| matches!(a, Atom::Zero(q) if q == guard);
        let gone = m.factors.iter().any(|(a, _)| if holds { zero(a) } else { positive(a) });
        if !gone {
            let mut m = m.clone();
            m.factors.retain(|(a, _)| !(holds && positive(a)));
            out.add_term(m, c.clone());
        }
    }
    out
}

/// Whether the values of the two sides meet at a boundary, and so do the derivatives.
fn agree(rules: &mut Rules<'_>, pairing: &Poly, sides: &[Poly], family: &Family) -> Normal<bool> {
    for side in sides {
        if !step(rules, side, family)?.is_zero() {
            return Ok(false);
        }
    }
    meet(rules, pairing, &|f| f == family)
}

/// Whether the outputs are continuous where these guards vanish.
fn meet(rules: &mut Rules<'_>, pairing: &Poly, which: &dyn Fn(&Family) -> bool) -> Normal<bool> {
    let own = rules.parted(pairing, &|_, f| which(f)).1;
    let mixed = rules.mixed(pairing, &|f| which(f).then(Rational::one))?;
    let stepped = rules.parted(&mixed, &|_, f| which(f)).1;
    for p in [own, stepped] {
        let p = rules.settled(&p)?;
        if !rules.reduce(p)?.is_zero() {
            return Ok(false);
        }
    }
    // A guard inside of a function, under an index of its own, is not looked at.
    let nested = |a: &Atom| {
        let inner = |p: &Poly| p.contains(&mut |b| matches!(b, Atom::Positive(_) | Atom::Zero(_)));
        match a {
            Atom::Power(p) | Atom::Call(_, p) | Atom::Max(_, p) | Atom::Attains(_, p, _) => inner(p),
            Atom::Exp(m) => {
                m.factors.iter().any(|(b, _)| b.contains(&mut |c| matches!(c, Atom::Positive(_) | Atom::Zero(_))))
            }
            Atom::Positive(p) | Atom::Zero(p) => inner(p),
            _ => false,
        }
    };
    Ok(!pairing.contains(&mut |a| nested(a)))
}

/// The rule is the derivative of the formula, case by case; where the sides agree it must be theirs.
fn as_written(rules: &mut Rules<'_>, pairing: &Poly, pairs: &[Pair], sides: &[Poly]) -> Normal<Option<Fault>> {
    for pair in pairs {
        let difference = rules.sub(&pair.expected, &pair.claimed);
        let there = rules.parted(&difference, &moving).1;
        let there = rules.settled(&there)?;
        let rest = rules.reduce(there)?;
        if !rest.is_zero() {
            let reason =
                "on a boundary the rule is not the derivative of the branch that the formula takes there".into();
            return Ok(Some(Fault { reason, rest: Some(rest), span: pair.span }));
        }
    }
    let mut families = BTreeSet::new();
    for pair in pairs {
        for m in pair.expected.terms.keys() {
            families.extend(rules.guards(m).into_iter().filter(|g| g.1 && g.0.moves()).map(|g| g.0));
        }
    }
    for family in families {
        // What can't be looked at was not shown to agree.
        let Ok(true) = agree(rules, pairing, sides, &family) else { continue };
        for (pair, side) in pairs.iter().zip(sides) {
            let rest = rules.sub(side, &pair.expected);
            let rest = rules.parted(&rest, &|_, f| *f == family).1;
            let rest = rules.settled(&rest)?;
            let rest = rules.reduce(rest)?;
            if !rest.is_zero() {
                let reason = format!(
                    "where `{}` is zero the two sides have one derivative, and the branch that is taken there has another",
                    rules.show(&family.0)
                );
                return Ok(Some(Fault { reason, rest: Some(rest), span: pair.span }));
            }
        }
    }
    Ok(None)
}

/// A combination of the sides is an element of the subdifferential if the sides meet, and if where several boundaries
/// meet there are points on every side of all of them.
fn subgradient(
    rules: &mut Rules<'_>,
    declaration: &Declaration,
    pairing: &Poly,
    sides: &[Poly],
    weights: &BTreeMap<Family, Rational>,
) -> Normal<Option<Fault>> {
    let fault = |reason: String| Ok(Some(Fault { reason, rest: None, span: declaration.span }));
    if pairing.contains(&mut |a| matches!(a, Atom::Call(f, _) if f.is_step())) {
        return fault("a value jumps where it is rounded: there is no subgradient".into());
    }
    // Such a domain has an edge, and beyond it a side that does not count.
    let edge = |c: &&Condition| {
        let mut moves = false;
        each(&c.value, &mut |e| {
            moves |= matches!(&e.kind, ExprKind::Access(Tensor::Input(_) | Tensor::Local(_) | Tensor::Output(_), _));
        });
        c.sign == Sign::NonNegative && moves
    };
    if let Some(edge) = rules.statement.wheres().iter().find(edge) {
        return fault(format!(
            "the domain has an edge, `{}`, and a side may lie beyond it: `declares convention` says less",
            rules.statement.show_condition(edge)
        ));
    }
    if !meet(rules, pairing, &Family::moves)? {
        return fault("the sides were not shown to have one value where they meet: there may be no subgradient".into());
    }
    // Where the sides agree nothing is chosen, and nothing has to be independent.
    let mut chosen: Vec<(Family, bool)> = Vec::new();
    for family in weights.keys() {
        let mut smooth = true;
        for side in sides {
            smooth &= step(rules, side, family)?.is_zero();
        }
        if !smooth {
            let whole = weights.get(family).is_none_or(|w| w.is_zero() || w.is_one());
            chosen.push((family.clone(), whole));
        }
    }
    if let Some(family) = dependent(rules, &chosen) {
        return fault(format!(
            "the boundary where `{}` is zero was not shown to be independent of the others, or of itself at other places: \
             `declares convention` says less",
            rules.show(&family.0)
        ));
    }
    if let Some(reason) = maxima(rules, pairing, &chosen) {
        return fault(reason);
    }
    Ok(None)
}

/// A boundary that may not be independent of the others. Each has a read of its own that it is linear in, in an order in
/// which none stands in those that are left. Two that differ by a number other than zero never meet.
///
/// It is independent of itself elsewhere if its read has a place for each of its indices, or if it reads nothing else
/// and one side is taken whole: of two places that read one coordinate both then take the side to which that moves.
/// Of two boundaries with one read the number by which they differ is that at every pair of places only if the read has a
/// place for each index of both: else they may meet at two places, and take two sides.
fn dependent<'f>(rules: &Rules<'_>, families: &'f [(Family, bool)]) -> Option<&'f Family> {
    let placed = |family: &Family, read: &Atom| {
        let Atom::Access(_, at) = read else { return false };
        let all = |id: u32| at.iter().any(|i| matches!(i, Ix::Free(j, _) if *j == id));
        !family.0.any(0, &mut |leaf, _| matches!(leaf, Ix::Free(id, _) if !all(*id)))
    };
    let mut left: Vec<(&Family, Atom)> = Vec::new();
    for (family, whole) in families {
        let own = |read: &Atom| {
            let Atom::Access(t @ Tensor::Input(_), _) = read else { return false };
            let placed = placed(family, read);
            let mut reads = 0;
            family.0.contains(&mut |a| {
                reads += usize::from(matches!(a, Atom::Access(u, _) if u == t));
                false
            });
            let alone = !family.0.contains(&mut |a| matches!(a, Atom::Access(Tensor::Input(_), _)) && a != read);
            reads == 1 && (placed || (*whole && alone))
        };
        match solved(&family.0, &own) {
            Some((read, _)) => left.push((family, read)),
            None => return Some(family),
        }
    }
    while !left.is_empty() {
        let free = left.iter().position(|(family, read)| {
            let Atom::Access(t, _) = read else { return false };
            left.iter().all(|(other, theirs)| {
                let reads = other.0.contains(&mut |a| matches!(a, Atom::Access(u, _) if u == t));
                let apart = || placed(family, read) && placed(other, read) && never_both(rules, &family.0, &other.0);
                other == family || !reads || (theirs == read && apart())
            })
        });
        match free {
            Some(k) => drop(left.remove(k)),
            None => return left.first().map(|l| l.0),
        }
    }
    None
}

/// Whether two guards, at one place, differ by what is positive or negative whatever the inputs, up to scale.
fn never_both(rules: &Rules<'_>, a: &Poly, b: &Poly) -> bool {
    let (Some(c), Some(d)) = (a.leading(), b.leading()) else { return false };
    let mut difference = a.clone();
    difference.add_scaled(b, &-(c / d));
    rules.has_positive_terms(&difference) || rules.has_positive_terms(&difference.scaled(&-Rational::one()))
}

/// Even shares of several maxima are an element of the joint subdifferential if all arguments are reads of inputs, and no
/// maximum has one element as two of its arguments: they are then the mean over all orders of the elements that are tied.
/// A map may name a place twice, and then only one maximum in all can take its arguments through it.
fn maxima(rules: &Rules<'_>, pairing: &Poly, chosen: &[(Family, bool)]) -> Option<String> {
    let mut all = BTreeSet::new();
    pairing.contains(&mut |a| {
        if matches!(a, Atom::Max(..)) {
            all.insert(a.clone());
        }
        false
    });
    // At one place: nothing in it is an index of what it stands in.
    let outer = |leaf: &Ix, level: u16| match leaf {
        Ix::Bound(distance, _) => *distance >= level,
        _ => true,
    };
    let single = all.len() == 1 && !all.iter().any(|a| a.any(0, &mut |leaf, level| outer(leaf, level)));
    let mut reason = None;
    pairing.contains(&mut |a| {
        let Atom::Max(dims, body) = a else {
            if matches!(a, Atom::Attains(..)) {
                reason = Some("which argument attains a maximum decides a value: no subgradient was shown".to_owned());
            }
            return false;
        };
        let read = body.terms.first_key_value().and_then(|(m, _)| rules.single_read(m));
        let fits = match (read, body.terms.len()) {
            (Some((t @ Tensor::Input(_), at)), 1) => {
                let slot = |s: usize| move |leaf: &Ix| matches!(leaf, Ix::Bound(1, k) if usize::from(*k) == s);
                let stands = |s: usize| {
                    at.iter().any(|i| {
                        if single { i.any(0, &mut |leaf, _| slot(s)(leaf)) } else { tells(rules, i, &slot(s)) }
                    })
                };
                let elsewhere =
                    chosen.iter().any(|(f, _)| f.0.contains(&mut |a| matches!(a, Atom::Access(u, _) if *u == t)));
                (0..dims.len()).all(stands) && !elsewhere
            }
            _ => false,
        };
        if !fits {
            reason = Some(
                "ties of this maximum were not shown to be independent of each other: `declares convention` says less"
                    .to_owned(),
            );
        }
        false
    });
    reason
}

/// Whether another value of the leaf is another place, whatever the other indices are.
fn tells(rules: &Rules<'_>, place: &Ix, leaf: &dyn Fn(&Ix) -> bool) -> bool {
    match place {
        Ix::Map(map, args) => rules.is_injective(*map) && args.iter().any(|a| tells(rules, a, leaf)),
        Ix::Free(..) | Ix::Bound(..) => leaf(place),
        Ix::Inverse(..) => false,
    }
}
