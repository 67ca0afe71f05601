//! Guards and maxima.

use super::*;

impl Core {
    /// The two terms whose difference is known not to be negative, and the guard.
    pub(super) fn difference(&self, p: Proven) -> Result<(Term, Term, Term), Why> {
        let (g, e) = self.fact_of(Sign::NonNeg, p)?;
        let Node::Add(a, minus) = self.terms.view(e) else { return Err(Why::Premise("a fact of a difference")) };
        let Node::Mul(_, b) = self.terms.view(minus) else { return Err(Why::Premise("a fact of a difference")) };
        agree(minus, self.terms.neg(b), "the second summand is minus one times a term")?;
        Ok((g, a, b))
    }
}

rules! {
    /// The guard of what is positive is one.
    fn guard_true(core, t, p: Proven) {
        let (g, a) = core.fact_of(Sign::Pos, p)?;
        Ok(Claim::Eq(t.mul(g, t.guard(a)), g))
    }

    /// The guard of what is not positive is zero.
    fn guard_false(core, t, p: Proven, a: Term) {
        let (g, b) = core.fact_of(Sign::NonNeg, p)?;
        agree(b, t.neg(a), "the premise is of minus one times the term")?;
        Ok(Claim::Eq(t.mul(g, t.guard(a)), t.num(0)))
    }

    /// A positive factor does not change a guard.
    fn guard_scale(core, t, p: Proven, a: Term) {
        let (g, factor) = core.fact_of(Sign::Pos, p)?;
        Ok(Claim::Eq(t.mul(g, t.guard(t.mul(factor, a))), t.mul(g, t.guard(a))))
    }

    /// What is not zero is positive or its opposite is. At zero both guards are zero.
    fn guard_flip(core, t, p: Proven) {
        let (g, a) = core.fact_of(Sign::NonZero, p)?;
        Ok(Claim::Eq(t.mul(g, t.guard(a)), t.mul(g, t.sub(t.num(1), t.guard(t.neg(a))))))
    }

    /// An equation holds for all values of a free index, so its sides have one maximum.
    fn c_max(core, t, v: Name, p: Proven) {
        let (a, b) = core.eq(p)?;
        Ok(Claim::Eq(t.max(v, a), t.max(v, b)))
    }

    /// Two terms of which neither is greater are equal.
    fn antisym(core, t, p: Proven, q: Proven) {
        let ((g, a, b), (h, c, d)) = (core.difference(p)?, core.difference(q)?);
        agree(g, h, "the premises have one guard")?;
        agree((a, b), (d, c), "the second difference is that of the first, exchanged")?;
        Ok(Claim::Eq(t.mul(g, a), t.mul(g, b)))
    }

    /// A maximum is not less than its body at any index.
    fn max_ge(core, t, g: Term, v: Name, a: Index, f: Term) {
        must(t.has_dims(a, &[v.dimension]), "the index term is of the name's dimension")?;
        must(t.is_total(a), "the index term is defined everywhere")?;
        Ok(Claim::Fact(Sign::NonNeg, g, t.sub(t.max(v, f), t.substitute(v, a, f))))
    }

    /// What is not less than the body at every index is not less than the maximum.
    fn max_le(core, t, v: Name, f: Term, p: Proven) {
        let (g, c, body) = core.difference(p)?;
        agree(body, f, "the premise is a difference from the body")?;
        must(!t.has_free(v, g), "the guard does not mention the index")?;
        must(!t.has_free(v, c), "the bound does not mention the index")?;
        Ok(Claim::Fact(Sign::NonNeg, g, t.sub(c, t.max(v, f))))
    }

    /// A maximum is attained: no dimension is empty.
    fn max_attained(core, t, g: Term, v: Name, f: Term) { Ok(Claim::Fact(Sign::Pos, g, t.sum(v, t.attains(v, f)))) }
}
