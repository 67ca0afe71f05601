//! Normal forms on a boundary: what an expression is where a guard is zero, and on either side of it.
//!
//! A guard `c` has three cases, and the normal form keeps them apart: `[c > 0]`, `[c == 0]`, and what is left.
//! Everything here is exact but [`Rules::mixed`], which makes another expression and says which.
//! It must never drop a case: that a term on a boundary does not matter is for the caller to show.

use num_traits::{One, Zero};

use super::rules::{Normal, Rules};
use super::term::{Atom, Exponent, Ix, Mono, Poly};
use crate::Rational;
use crate::statement::Tensor;

/// Boundaries that are put into one term, at most.
const MAX_ROUNDS: usize = 8;

/// A guard up to the names of its indices: those of one family are one boundary of the statement, at each of its places.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Family(pub(crate) Poly);

impl Family {
    /// The family of a guard whose indices are all free.
    pub(crate) fn of(guard: &Poly) -> Family {
        let mut order: Vec<u32> = Vec::new();
        guard.any(0, &mut |leaf, _| {
            if let Ix::Free(id, _) = leaf
                && !order.contains(id)
            {
                order.push(*id);
            }
            false
        });
        Family(guard.replace(0, &mut |leaf, _| match leaf {
            Ix::Free(id, dim) => order.iter().position(|o| o == id).map(|k| Ix::Free(k as u32, *dim)),
            _ => None,
        }))
    }

    /// Whether it moves with the inputs: a guard that does not has no boundary among them.
    pub(crate) fn moves(&self) -> bool {
        self.0.contains(&mut |a| matches!(a, Atom::Access(Tensor::Input(_) | Tensor::Local(_), _)))
    }
}

impl Rules<'_> {
    /// The guards of a term, and of those whether the term stands where they are zero.
    pub(crate) fn guards(&mut self, m: &Mono) -> Vec<(Family, bool)> {
        let (_, _, factors) = self.open(m, &Rational::one());
        factors
            .iter()
            .filter_map(|(a, _)| match a {
                Atom::Positive(q) => Some((Family::of(q), false)),
                Atom::Zero(q) => Some((Family::of(q), true)),
                _ => None,
            })
            .collect()
    }

    /// The terms that stand on no boundary that satisfies `f`, and those that do.
    pub(crate) fn parted(&mut self, p: &Poly, f: &dyn Fn(&Self, &Family) -> bool) -> (Poly, Poly) {
        let (mut off, mut on) = (Poly::zero(), Poly::zero());
        for (m, c) in &p.terms {
            let stands = self.guards(m).iter().any(|(family, zero)| *zero && f(self, family));
            if stands { &mut on } else { &mut off }.add_term(m.clone(), c.clone());
        }
        (off, on)
    }

    /// The expression with `[c > 0] + w [c == 0]` for each `[c > 0]` outside of functions: on the boundary it is
    /// `w` times what it is where c > 0, and `1 - w` times what it is where c < 0, if it has no term there yet.
    pub(crate) fn mixed(&mut self, p: &Poly, weight: &dyn Fn(&Family) -> Option<Rational>) -> Normal<Poly> {
        let mut out = Poly::zero();
        for (m, c) in &p.terms {
            let (c, vars, factors) = self.open(m, c);
            let (mut kept, mut guards) = (Vec::new(), Vec::new());
            for (a, e) in factors {
                match &a {
                    Atom::Positive(q) => match weight(&Family::of(q)).filter(|w| !w.is_zero()) {
                        Some(w) => {
                            let zero = self.vanishes(q)?;
                            let mut guard = self.atom(a.clone())?;
                            guard.add_scaled(&zero, &w);
                            guards.push(guard);
                        }
                        None => kept.push((a, e)),
                    },
                    _ => kept.push((a, e)),
                }
            }
            out.add_all(self.product((c, vars, kept), &guards)?);
        }
        Ok(out)
    }

    /// Equal to `p`: in a term with `[c == 0]`, what that says of a read that `c` is linear in is put in for the read.
    pub(crate) fn settled(&mut self, p: &Poly) -> Normal<Poly> {
        let mut p = p.clone();
        for _ in 0..MAX_ROUNDS {
            let mut next = Poly::zero();
            let mut changed = false;
            for (m, c) in &p.terms {
                if !m.factors.iter().any(|(a, _)| a.contains(&mut |b| matches!(b, Atom::Zero(_)))) {
                    next.add_term(m.clone(), c.clone());
                    continue;
                }
                let (c, vars, factors) = self.open(m, c);
                match self.settled_term(&factors)? {
                    Some((kept, rest)) => {
                        changed = true;
                        next.add_all(self.product((c, vars, kept), &rest)?);
                    }
                    None => next.add_term(m.clone(), c),
                }
            }
            p = next;
            if !changed {
                break;
            }
        }
        Ok(p)
    }

    /// One guard of the term put to use: what stays, and what became of the rest. `None` if nothing changes.
    #[allow(clippy::type_complexity, reason = "factors, and sums that they became")]
    fn settled_term(&mut self, factors: &[(Atom, Exponent)]) -> Normal<Option<(Vec<(Atom, Exponent)>, Vec<Poly>)>> {
        for (k, (a, _)) in factors.iter().enumerate() {
            let Atom::Zero(q) = a else { continue };
            let others = || factors.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, f)| f);
            // Always the same read, or two would be put in for each other for ever.
            let Some((read, value)) = solved(q, &|_| true) else { continue };
            if !others().any(|(b, _)| b.contains(&mut |c| *c == read)) {
                continue;
            }
            let mut rest = Vec::new();
            let others: Vec<_> = others().cloned().collect();
            for (b, e) in &others {
                let b = self.rewrite_factor(b, *e, &|a| (*a == read).then(|| value.clone()))?;
                rest.push(b);
            }
            return Ok(Some((vec![factors[k].clone()], rest)));
        }
        // What stands on a boundary inside of a function.
        let inside = |a: &Atom| match a {
            Atom::Power(p) | Atom::Call(_, p) | Atom::Positive(p) | Atom::Zero(p) => {
                p.contains(&mut |b| matches!(b, Atom::Zero(_)))
            }
            _ => false,
        };
        for (k, (a, e)) in factors.iter().enumerate() {
            let (Atom::Power(p) | Atom::Call(_, p) | Atom::Positive(p) | Atom::Zero(p)) = a else { continue };
            if !inside(a) {
                continue;
            }
            let settled = self.settled(p)?;
            if settled == **p {
                continue;
            }
            let renewed = match a {
                Atom::Power(_) => self.power(&settled, *e)?,
                Atom::Call(f, _) => {
                    let called = self.call(*f, &settled)?;
                    self.power(&called, *e)?
                }
                Atom::Positive(_) => self.positive(&settled)?,
                _ => self.vanishes(&settled)?,
            };
            let mut kept = factors.to_vec();
            kept.remove(k);
            return Ok(Some((kept, vec![renewed])));
        }
        Ok(None)
    }
}

/// A read that `q = 0` determines, with what it then is: it is a term of its own, with nothing but a number before
/// it, and stands nowhere else in `q`. Of several, the first that is `wanted`.
pub(crate) fn solved(q: &Poly, wanted: &dyn Fn(&Atom) -> bool) -> Option<(Atom, Poly)> {
    q.terms.iter().rev().find_map(|(m, c)| {
        let [(read @ Atom::Access(_, at), e)] = m.factors.as_slice() else { return None };
        let plain = m.bound.is_empty() && e.is_one();
        // A read at an undefined point has a factor that says so, and is none of these.
        let closed = !at.iter().any(|i| i.any(0, &mut |leaf, level| matches!(leaf, Ix::Bound(d, _) if *d >= level)));
        let once = q.terms.keys().all(|n| n == m || !n.factors.iter().any(|(a, _)| a.contains(&mut |b| b == read)));
        if !(plain && closed && once && wanted(read)) {
            return None;
        }
        let mut rest = q.clone();
        rest.add_term(m.clone(), -c.clone());
        Some((read.clone(), rest.scaled(&-c.recip())))
    })
}
