//! Whether a normal form is zero: the last rules, which need the whole sum at once.

use std::collections::BTreeMap;
use std::rc::Rc;

use num_traits::{One, Signed, Zero};

use super::expand::Expansion;
use super::rules::{Normal, Rules};
use super::term::{Atom, Exponent, Ix, Mono, Poly};
use crate::Rational;
use crate::limits::REWRITES;

impl Rules<'_> {
    /// Reduces a difference by all rules; zero means that the two sides are equal on the domain.
    pub(crate) fn reduce(&mut self, difference: Poly) -> Normal<Poly> {
        let mut d = difference;
        for _ in 0..REWRITES {
            if d.is_zero() {
                return Ok(d);
            }
            let cleared = self.clear_denominators(&d)?;
            if cleared.is_zero() {
                return Ok(cleared);
            }
            match self.rewrite_leading(&d)? {
                Some(next) => d = next,
                None => break,
            }
        }
        if let (None, Some(expansion)) = (self.expansion, Expansion::of(&d)) {
            self.expansion = Some(expansion);
            let result = match self.rewrite(&d, &|_| None) {
                Ok(expanded) => self.reduce(expanded),
                Err(stuck) => Err(stuck),
            };
            self.expansion = None;
            if let Ok(r) = result
                && r.is_zero()
            {
                return Ok(r);
            }
        }
        Ok(d)
    }

    /// Replaces atoms for which `with` gives something, and applies all rules again to every atom.
    pub(super) fn rewrite(&mut self, d: &Poly, with: &dyn Fn(&Atom) -> Option<Poly>) -> Normal<Poly> {
        let mut out = Poly::zero();
        for (m, c) in &d.terms {
            let (c, vars, factors) = self.open(m, c);
            let mut product = Poly::constant(c);
            for (a, e) in factors {
                let p = self.rewrite_factor(&a, e, with)?;
                product = self.mul(&product, &p)?;
            }
            let s = self.sum(&vars, &product)?;
            out.add_all(s);
        }
        Ok(out)
    }

    pub(super) fn rewrite_factor(
        &mut self,
        a: &Atom,
        e: Exponent,
        with: &dyn Fn(&Atom) -> Option<Poly>,
    ) -> Normal<Poly> {
        if let Some(p) = with(a) {
            return self.power(&p, e);
        }
        match a {
            Atom::Call(f, p) => {
                let p = self.rewrite(p, with)?;
                let q = self.call(*f, &p)?;
                self.power(&q, e)
            }
            Atom::Power(p) => {
                let p = self.rewrite(p, with)?;
                self.power(&p, e)
            }
            Atom::Exp(m) => {
                let mut p = Poly::zero();
                p.add_term((**m).clone(), Rational::one());
                let p = self.rewrite(&p, with)?;
                let k = Rational::new((*e.numer()).into(), (*e.denom()).into());
                self.exp(&p.scaled(&k))
            }
            Atom::Positive(p) => {
                let p = self.rewrite(p, with)?;
                self.positive(&p)
            }
            Atom::Zero(p) => {
                let p = self.rewrite(p, with)?;
                self.vanishes(&p)
            }
            Atom::Max(dims, body) => {
                let body = self.under(dims, body, |r, b| r.rewrite(&b, with))?;
                let p = self.atom(Atom::Max(dims.clone(), Rc::new(body)))?;
                self.power(&p, e)
            }
            Atom::Attains(dims, body, at) => {
                let body = self.under(dims, body, |r, b| r.rewrite(&b, with))?;
                self.atom(Atom::Attains(dims.clone(), Rc::new(body), at.clone()))
            }
            _ => {
                let p = self.atom(a.clone())?;
                self.power(&p, e)
            }
        }
    }

    /// Multiplies by every denominator that no bound index stands in. They are not zero on the domain,
    /// so a product that is zero proves the difference zero. Not under an `if`: what a branch guards may
    /// be zero elsewhere.
    fn clear_denominators(&mut self, d: &Poly) -> Normal<Poly> {
        if d.contains(&mut |a| matches!(a, Atom::Positive(_) | Atom::Zero(_) | Atom::Attains(..))) {
            return Ok(d.clone());
        }
        let mut lowest: BTreeMap<Atom, Exponent> = BTreeMap::new();
        for m in d.terms.keys() {
            for (a, e) in &m.factors {
                let bound = a.any(0, &mut |ix, level| matches!(ix, Ix::Bound(k, _) if *k >= level));
                // A read at an undefined point is zero, whatever the domain says of the others.
                if e.is_negative() && !bound && !self.partial(a) {
                    let slot = lowest.entry(a.clone()).or_insert_with(Exponent::zero);
                    *slot = (*slot).min(*e);
                }
            }
        }
        if lowest.is_empty() {
            return Ok(d.clone());
        }
        let mut out = Poly::zero();
        for (m, c) in &d.terms {
            let (c, vars, mut factors) = self.open(m, c);
            factors.extend(lowest.iter().map(|(a, e)| (a.clone(), -*e)));
            let p = self.close((c, vars, factors))?;
            out.add_all(p);
        }
        Ok(out)
    }

    /// `E^q` for q < 0 times the leading term of `E` is `E^(q+1)` less the other terms times `E^q`.
    fn rewrite_leading(&mut self, d: &Poly) -> Normal<Option<Poly>> {
        for (m, c) in &d.terms {
            let (c1, vars, factors) = self.open(m, c);
            for (k, (a, q)) in factors.iter().enumerate() {
                let Atom::Power(e) = a else { continue };
                if !q.is_negative() {
                    continue;
                }
                let e = (**e).clone();
                let Some((lead, lead_c)) = leading_term(&e) else { continue };
                let Some((rest, left)) = self.without(&lead, &vars, &factors, k) else { continue };
                // rest · E^(q+1) / c  -  Σ (c_i/c) rest · term_i · E^q
                let mut out = d.clone();
                out.add_term(m.clone(), -c.clone());
                let scale = &c1 / &lead_c;
                let mut first = rest.clone();
                first.push((a.clone(), *q + Exponent::one()));
                let p = self.close((scale.clone(), left.clone(), first))?;
                out.add_all(p);
                for (n, b) in &e.terms {
                    if *n == lead {
                        continue;
                    }
                    let (b, more, fs) = self.open(n, b);
                    let mut all = rest.clone();
                    all.push((a.clone(), *q));
                    all.extend(fs);
                    let vars = left.iter().copied().chain(more).collect();
                    let p = self.close((-(&scale * b), vars, all))?;
                    out.add_all(p);
                }
                return Ok(Some(out));
            }
        }
        Ok(None)
    }

    /// Finds an instance of `lead` among the factors (not at position `skip`), its bound indices matched
    /// with bound indices that stand nowhere else. Gives the other factors (without `skip`) and indices.
    #[allow(clippy::type_complexity, reason = "factors and indices, as in `Open`")]
    fn without(
        &mut self,
        lead: &Mono,
        vars: &[(u32, crate::statement::DimId)],
        factors: &[(Atom, Exponent)],
        skip: usize,
    ) -> Option<(Vec<(Atom, Exponent)>, Vec<(u32, crate::statement::DimId)>)> {
        let mut choice: Vec<usize> = Vec::new();
        self.assign(lead, vars, factors, skip, &mut choice)
    }

    #[allow(clippy::type_complexity, reason = "as in `without`")]
    fn assign(
        &mut self,
        lead: &Mono,
        vars: &[(u32, crate::statement::DimId)],
        factors: &[(Atom, Exponent)],
        skip: usize,
        choice: &mut Vec<usize>,
    ) -> Option<(Vec<(Atom, Exponent)>, Vec<(u32, crate::statement::DimId)>)> {
        if choice.len() < lead.bound.len() {
            for k in 0..vars.len() {
                self.spend(1 + factors.len() as u64).ok()?;
                if choice.contains(&k) || vars[k].1 != lead.bound[choice.len()] {
                    continue;
                }
                choice.push(k);
                if let Some(found) = self.assign(lead, vars, factors, skip, choice) {
                    return Some(found);
                }
                choice.pop();
            }
            return None;
        }
        let mut rest = factors.to_vec();
        for (a, e) in &lead.factors {
            let b = a.replace(0, &mut |ix, level| match ix {
                Ix::Bound(d, s) if *d == level => choice.get(*s as usize).map(|k| Ix::Free(vars[*k].0, vars[*k].1)),
                _ => None,
            });
            let at = rest.iter().position(|(c, f)| *c == b && f >= e)?;
            // Zero or one: it may stand in the rest as well, unless a matched index would stay behind.
            if a.is_indicator() && !choice.iter().any(|k| b.mentions(vars[*k].0)) {
                continue;
            }
            rest[at].1 -= *e;
        }
        rest.remove(skip);
        rest.retain(|(_, e)| !e.is_zero());
        let used = |id: u32| choice.iter().any(|k| vars[*k].0 == id);
        // The matched indices must not stand in the base either, nor in anything left over.
        if vars
            .iter()
            .any(|v| used(v.0) && (factors[skip].0.mentions(v.0) || rest.iter().any(|(a, _)| a.mentions(v.0))))
        {
            return None;
        }
        let left = vars.iter().filter(|v| !used(v.0)).copied().collect();
        Some((rest, left))
    }
}

/// The term with most factors and bound indices.
fn leading_term(e: &Poly) -> Option<(Mono, Rational)> {
    e.terms
        .iter()
        .filter(|(m, _)| m.factors.iter().all(|(_, x)| x.is_positive()) && !m.factors.is_empty())
        .max_by_key(|(m, _)| (m.factors.len() + m.bound.len(), *m))
        .map(|(m, c)| (m.clone(), c.clone()))
}
