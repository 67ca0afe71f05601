//! Equality of polynomials over atoms: `Ring.v` of the model.
//!
//! An atom is a term that is no sum, product or number. Coefficients are rational, and an indicator is its own square.
//! Two terms with one polynomial denote the same number in every model; that they are not closed does no harm.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

use num_traits::{One, Zero};

use super::table::{Inner, Terms};
use super::term::{Node, Term};
use crate::Rational;
use crate::limits::{BITS, TERMS};

/// Powers of atoms, in the order of the atoms.
type Monomial = Box<[(Term, u32)]>;
/// Monomials with coefficients that are not zero.
pub(super) type Poly = BTreeMap<Monomial, Rational>;

/// A polynomial grew past the limits.
pub(super) struct TooLarge;

/// Whether two terms are one polynomial over atoms.
pub(super) fn ring_eqb(terms: &Terms, s: Term, t: Term) -> Result<bool, TooLarge> {
    let mut inner = terms.inner.borrow_mut();
    Ok(s == t || norm(&mut inner, s)? == norm(&mut inner, t)?)
}

/// The polynomial of a term. Each sum and product that is met is kept with its own.
fn norm(inner: &mut Inner, root: Term) -> Result<Rc<Poly>, TooLarge> {
    let mut stack = vec![root];
    while let Some(&t) = stack.last() {
        if inner.polys.contains_key(&t) {
            stack.pop();
            continue;
        }
        let poly = match inner.view(t) {
            Some(Node::Add(a, b) | Node::Mul(a, b)) => {
                let (Some(p), Some(q)) = (inner.polys.get(&a).cloned(), inner.polys.get(&b).cloned()) else {
                    stack.extend([a, b]);
                    continue;
                };
                if matches!(inner.view(t), Some(Node::Add(..))) { plus(&p, &q)? } else { times(inner, &p, &q)? }
            }
            Some(Node::Num(q)) => {
                let q = inner.value(q);
                if q.is_zero() { Poly::new() } else { Poly::from([(Box::from([]), q)]) }
            }
            _ => Poly::from([(Box::from([(t, 1)]), Rational::one())]),
        };
        inner.polys.insert(t, Rc::new(poly));
        stack.pop();
    }
    inner.polys.get(&root).cloned().ok_or(TooLarge)
}

fn put(poly: &mut Poly, m: Monomial, c: Rational) -> Result<(), TooLarge> {
    if c.numer().bits().max(c.denom().bits()) > BITS {
        return Err(TooLarge);
    }
    match poly.entry(m) {
        Entry::Vacant(place) => {
            place.insert(c);
        }
        Entry::Occupied(mut place) => {
            *place.get_mut() += c;
            if place.get().is_zero() {
                place.remove();
            }
        }
    }
    if poly.len() > TERMS { Err(TooLarge) } else { Ok(()) }
}

fn plus(p: &Poly, q: &Poly) -> Result<Poly, TooLarge> {
    let (mut sum, less) = if p.len() >= q.len() { (p.clone(), q) } else { (q.clone(), p) };
    less.iter().try_for_each(|(m, c)| put(&mut sum, m.clone(), c.clone()))?;
    Ok(sum)
}

fn times(inner: &Inner, p: &Poly, q: &Poly) -> Result<Poly, TooLarge> {
    let mut product = Poly::new();
    for (m, c) in p {
        for (n, d) in q {
            let both = if c.is_one() {
                d.clone()
            } else if d.is_one() {
                c.clone()
            } else {
                c * d
            };
            put(&mut product, join(inner, m, n)?, both)?;
        }
    }
    Ok(product)
}

/// The product of two monomials: powers add up, but those of an indicator stay one.
fn join(inner: &Inner, m: &[(Term, u32)], n: &[(Term, u32)]) -> Result<Monomial, TooLarge> {
    let mut all = [m, n].concat();
    all.sort_unstable_by_key(|(atom, _)| *atom);
    let mut out: Vec<(Term, u32)> = Vec::with_capacity(all.len());
    for (atom, power) in all {
        match out.last_mut().filter(|(last, _)| *last == atom) {
            Some(_) if inner.is_indicator(atom) => {}
            Some((_, sum)) => *sum = sum.checked_add(power).ok_or(TooLarge)?,
            None => out.push((atom, power)),
        }
    }
    Ok(out.into())
}
