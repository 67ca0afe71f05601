//! Assumptions, instances, equality and congruence.

use super::super::ring::ring_eqb;
use super::super::term::{Function, Index, Name, Term};
use super::{Argument, Claim, Core, Kind, Made, Proven, Refused, Rule, Why, agree, must, rules};

rules! {
    /// What is assumed, for all values of its free indices.
    fn assume(core, n: u32) {
        core.assumptions.get(n as usize).copied().ok_or(Why::Unknown)
    }

    /// A claim holds for all values of a free index, so for that of a typed index term that is defined everywhere.
    ///
    /// `[v is defined] = 1` holds, and is false of a partial map's value.
    fn inst(core, p: Proven, v: Name, t: Index) {
        must(core.terms.has_dims(t, &[v.dimension]), "the index term is of the name's dimension")?;
        must(core.terms.is_total(t), "the index term is defined everywhere")?;
        let at = |s: Term| core.terms.substitute(v, t, s);
        let at_index = |a: Index| core.terms.substitute_index(v, t, a);
        Ok(match core.proven(p)? {
            Claim::Eq(a, b) => Claim::Eq(at(a), at(b)),
            Claim::Same(a, b) => Claim::Same(at_index(a), at_index(b)),
            Claim::Fact(k, g, e) => Claim::Fact(k, at(g), at(e)),
            Claim::Deriv(d, g, a, b) => Claim::Deriv(d, at(g), at(a), at(b)),
        })
    }

    /// A fact holds at a typed index term, where that is defined.
    fn inst_fact(core, p: Proven, v: Name, t: Index) {
        let (k, g, e) = core.fact(p)?;
        must(core.terms.has_dims(t, &[v.dimension]), "the index term is of the name's dimension")?;
        let (g, e) = (core.terms.substitute(v, t, g), core.terms.substitute(v, t, e));
        Ok(Claim::Fact(k, core.terms.mul(core.terms.def(t), g), e))
    }

    /// Each term is equal to itself.
    fn refl(_core, s: Term) {
        Ok(Claim::Eq(s, s))
    }

    /// Equality goes both ways.
    fn sym(core, p: Proven) {
        let (s, t) = core.eq(p)?;
        Ok(Claim::Eq(t, s))
    }

    /// Equality goes through a term between.
    fn trans(core, p: Proven, q: Proven) {
        let ((r, s), (t, u)) = (core.eq(p)?, core.eq(q)?);
        agree(s, t, "the first equation ends where the second begins")?;
        Ok(Claim::Eq(r, u))
    }

    /// Sums of equal terms are equal.
    fn c_add(core, p: Proven, q: Proven) {
        let ((a, b), (c, d)) = (core.eq(p)?, core.eq(q)?);
        Ok(Claim::Eq(core.terms.add(a, c), core.terms.add(b, d)))
    }

    /// Products of equal terms are equal.
    fn c_mul(core, p: Proven, q: Proven) {
        let ((a, b), (c, d)) = (core.eq(p)?, core.eq(q)?);
        Ok(Claim::Eq(core.terms.mul(a, c), core.terms.mul(b, d)))
    }

    /// An equation holds for all values of a free index, so it may be summed over.
    fn c_sum(core, v: Name, p: Proven) {
        let (a, b) = core.eq(p)?;
        Ok(Claim::Eq(core.terms.sum(v, a), core.terms.sum(v, b)))
    }

    /// Under a guard, a function has equal values at equal arguments.
    fn c_fn(core, f: Function, p: Proven) {
        let (g, a, b) = core.guarded(p)?;
        let at = |t: Term| core.terms.mul(g, core.terms.apply(f, t));
        Ok(Claim::Eq(at(a), at(b)))
    }

    /// Under a guard, equal terms are positive together.
    fn c_guard(core, p: Proven) {
        let (g, a, b) = core.guarded(p)?;
        let at = |t: Term| core.terms.mul(g, core.terms.guard(t));
        Ok(Claim::Eq(at(a), at(b)))
    }

    /// Terms that are one polynomial over atoms are equal.
    fn ring(core, s: Term, t: Term) {
        must(ring_eqb(&core.terms, s, t).map_err(|_| Why::Limit)?, "the two are one polynomial over atoms")?;
        Ok(Claim::Eq(s, t))
    }
}
