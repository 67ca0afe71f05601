//! Assumptions, instances, equality and congruence.

use super::super::ring::ring_eqb;
use super::*;

rules! {
    /// What is assumed, for all values of its free indices.
    fn assume(core, t, n: Assumption) { core.assumptions.get(n.0 as usize).copied().ok_or(Why::Unknown) }

    /// A claim holds for all values of a free index, so for that of a typed index term that is defined everywhere.
    ///
    /// `[v is defined] = 1` holds, and is false of a partial map's value.
    fn inst(core, t, p: Proven, v: Name, a: Index) {
        must(t.has_dims(a, &[v.dimension]), "the index term is of the name's dimension")?;
        must(t.is_total(a), "the index term is defined everywhere")?;
        let at = |s: Term| t.substitute(v, a, s);
        Ok(match core.proven(p)? {
            Claim::Eq(s, r) => Claim::Eq(at(s), at(r)),
            Claim::Same(b, c) => Claim::Same(t.substitute(v, a, b), t.substitute(v, a, c)),
            Claim::Fact(k, g, e) => Claim::Fact(k, at(g), at(e)),
            Claim::Deriv(d, g, s, r) => Claim::Deriv(d, at(g), at(s), at(r)),
        })
    }

    /// A fact holds at a typed index term, where that is defined.
    fn inst_fact(core, t, p: Proven, v: Name, a: Index) {
        let (k, g, e) = core.fact(p)?;
        must(t.has_dims(a, &[v.dimension]), "the index term is of the name's dimension")?;
        Ok(Claim::Fact(k, t.mul(t.def(a), t.substitute(v, a, g)), t.substitute(v, a, e)))
    }

    /// Each term is equal to itself.
    fn refl(core, t, s: Term) { Ok(Claim::Eq(s, s)) }

    /// Equality goes both ways.
    fn sym(core, t, p: Proven) {
        let (s, r) = core.eq(p)?;
        Ok(Claim::Eq(r, s))
    }

    /// Equality goes through a term between.
    fn trans(core, t, p: Proven, q: Proven) {
        let ((r, s), (same, u)) = (core.eq(p)?, core.eq(q)?);
        agree(s, same, "the first equation ends where the second begins")?;
        Ok(Claim::Eq(r, u))
    }

    /// Sums of equal terms are equal.
    fn c_add(core, t, p: Proven, q: Proven) {
        let ((a, b), (c, d)) = (core.eq(p)?, core.eq(q)?);
        Ok(Claim::Eq(t.add(a, c), t.add(b, d)))
    }

    /// Products of equal terms are equal.
    fn c_mul(core, t, p: Proven, q: Proven) {
        let ((a, b), (c, d)) = (core.eq(p)?, core.eq(q)?);
        Ok(Claim::Eq(t.mul(a, c), t.mul(b, d)))
    }

    /// An equation holds for all values of a free index, so it may be summed over.
    fn c_sum(core, t, v: Name, p: Proven) {
        let (a, b) = core.eq(p)?;
        Ok(Claim::Eq(t.sum(v, a), t.sum(v, b)))
    }

    /// Under a guard, a function has equal values at equal arguments.
    fn c_fn(core, t, f: Function, p: Proven) {
        let (g, a, b) = core.guarded(p)?;
        Ok(Claim::Eq(t.mul(g, t.apply(f, a)), t.mul(g, t.apply(f, b))))
    }

    /// Under a guard, equal terms are positive together.
    fn c_guard(core, t, p: Proven) {
        let (g, a, b) = core.guarded(p)?;
        Ok(Claim::Eq(t.mul(g, t.guard(a)), t.mul(g, t.guard(b))))
    }

    /// Terms that are one polynomial over atoms are equal.
    fn ring(core, t, s: Term, r: Term) {
        must(ring_eqb(t, s, r).map_err(|_| Why::Limit)?, "the two are one polynomial over atoms")?;
        Ok(Claim::Eq(s, r))
    }
}
