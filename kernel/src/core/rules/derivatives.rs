//! Derivatives along directions.
//!
//! A derivative holds along every differentiable curve on which each tensor of the directions moves with its tangent and all
//! others stand still, at its start.
//! A rule that needs a fact needs it at that start, where the guard is not zero.

use num_bigint::BigInt;

use super::*;
use Function::{Atan, Cos, Erf, Exp, Floor, Inv, Log, Round, Sin, Sqrt, Tanh};

const ALONG: &str = "the premises are along the same directions, under one guard";

/// What a function needs to have a derivative. Nothing is said here of functions with jumps.
fn fdom(f: Function) -> Result<Option<Sign>, Why> {
    match f {
        Exp | Tanh | Sin | Cos | Erf | Atan => Ok(None),
        Inv => Ok(Some(Sign::NonZero)),
        Log | Sqrt => Ok(Some(Sign::Pos)),
        Round | Floor => Err(Why::Condition("the function has no jumps")),
    }
}

impl Core {
    fn half(&self) -> Term {
        self.terms.number(crate::Rational::new(BigInt::from(1), BigInt::from(2)))
    }

    /// The derivative of a function.
    ///
    /// Not in the model yet: that of the error function is `exp(-a²) / √(atan 1)`, for π is `4 atan 1`; that of the arc
    /// tangent is `1 / (1 + a²)`.
    fn fder(&self, f: Function, a: Term) -> Term {
        let t = &self.terms;
        let square = |b: Term| t.mul(b, b);
        match f {
            Exp => t.apply(Exp, a),
            Tanh => t.sub(t.num(1), square(t.apply(Tanh, a))),
            Log => t.apply(Inv, a),
            Sin => t.apply(Cos, a),
            Cos => t.neg(t.apply(Sin, a)),
            Inv => t.neg(square(t.apply(Inv, a))),
            Sqrt => t.mul(self.half(), t.apply(Inv, t.apply(Sqrt, a))),
            Erf => t.mul(t.apply(Inv, t.apply(Sqrt, t.apply(Atan, t.num(1)))), t.apply(Exp, t.neg(square(a)))),
            Atan => t.apply(Inv, t.add(t.num(1), square(a))),
            Round | Floor => t.num(0),
        }
    }

    /// Two derivatives along the same directions under one guard.
    fn derivs(&self, p: Proven, q: Proven) -> Result<(Along, Term, [Term; 4]), Why> {
        let ((d, g, a, da), (e, h, b, db)) = (self.deriv(p)?, self.deriv(q)?);
        agree((d, g), (e, h), ALONG)?;
        Ok((d, g, [a, da, b, db]))
    }

    /// A fact and a derivative of one term under one guard.
    fn fact_and_deriv(&self, p: Proven, q: Proven) -> Result<(Sign, Along, Term, Term, Term), Why> {
        let ((k, g, a), (d, h, b, db)) = (self.fact(p)?, self.deriv(q)?);
        agree((g, a), (h, b), "the fact is of the differentiated term, under the same guard")?;
        Ok((k, d, g, a, db))
    }
}

rules! {
    /// What reads nothing that moves stands still.
    fn d_const(core, t, d: Along, g: Term, s: Term) {
        must(!core.moves(d, s), "the term reads nothing that moves")?;
        Ok(Claim::Deriv(d, g, s, t.num(0)))
    }

    /// An element moves with that of the tangent.
    fn d_read(core, t, d: Along, g: Term, x: Tensor, a: Index) {
        let tangent = core.directions(d).and_then(|d| d.iter().find(|(y, _)| *y == x));
        let (_, h) = tangent.ok_or(Why::Condition("the tensor moves"))?;
        Ok(Claim::Deriv(d, g, t.read(x, a), t.read(*h, a)))
    }

    /// The derivative of a sum.
    fn d_add(core, t, p: Proven, q: Proven) {
        let (d, g, [a, da, b, db]) = core.derivs(p, q)?;
        Ok(Claim::Deriv(d, g, t.add(a, b), t.add(da, db)))
    }

    /// The derivative of a product.
    fn d_mul(core, t, p: Proven, q: Proven) {
        let (d, g, [a, da, b, db]) = core.derivs(p, q)?;
        Ok(Claim::Deriv(d, g, t.mul(a, b), t.add(t.mul(da, b), t.mul(a, db))))
    }

    /// The derivative of a sum over an index. The guard does not mention it: all terms are differentiated.
    fn d_sum(core, t, v: Name, p: Proven) {
        let (d, g, a, da) = core.deriv(p)?;
        must(!t.has_free(v, g), "the guard does not mention the index")?;
        Ok(Claim::Deriv(d, g, t.sum(v, a), t.sum(v, da)))
    }

    /// The chain rule for a function that has a derivative everywhere.
    fn d_fn(core, t, f: Function, p: Proven) {
        let (d, g, a, da) = core.deriv(p)?;
        must(fdom(f)?.is_none(), "the function has a derivative everywhere")?;
        Ok(Claim::Deriv(d, g, t.apply(f, a), t.mul(core.fder(f, a), da)))
    }

    /// The chain rule for a function where it has a derivative.
    fn d_fn_at(core, t, f: Function, p: Proven, q: Proven) {
        let (k, d, g, a, da) = core.fact_and_deriv(p, q)?;
        agree(fdom(f)?, Some(k), "the fact is what the function needs")?;
        Ok(Claim::Deriv(d, g, t.apply(f, a), t.mul(core.fder(f, a), da)))
    }

    /// A guard stands still where its term is not zero.
    fn d_guard(core, t, p: Proven, q: Proven) {
        let (k, d, g, a, _) = core.fact_and_deriv(p, q)?;
        agree(k, Sign::NonZero, "the fact is that the term is not zero")?;
        Ok(Claim::Deriv(d, g, t.guard(a), t.num(0)))
    }

    /// What stands under a guard needs a derivative only where the guard is one.
    fn d_guarded(core, t, p: Proven, q: Proven, r: Proven) {
        let (k, d, g, a, _) = core.fact_and_deriv(p, q)?;
        agree(k, Sign::NonZero, "the fact is that the term is not zero")?;
        let (e, h, s, ds) = core.deriv(r)?;
        agree((e, h), (d, t.mul(g, t.guard(a))), "the last premise is under the guard")?;
        Ok(Claim::Deriv(d, g, t.mul(t.guard(a), s), t.mul(t.guard(a), ds)))
    }

    /// What stands under the opposite of a guard needs a derivative only where the guard is zero. Not in the model yet.
    ///
    /// Near the start the guard is what it is there: if it is one the product is zero, else it is the other factor.
    fn d_unguarded(core, t, p: Proven, q: Proven, r: Proven) {
        let (k, d, g, a, _) = core.fact_and_deriv(p, q)?;
        agree(k, Sign::NonZero, "the fact is that the term is not zero")?;
        let (e, h, s, ds) = core.deriv(r)?;
        let rest = t.sub(t.num(1), t.guard(a));
        agree((e, h), (d, t.mul(g, rest)), "the last premise is where the guard is zero")?;
        Ok(Claim::Deriv(d, g, t.mul(rest, s), t.mul(rest, ds)))
    }

    /// A maximum moves with the value that attains it, where no two values are equal.
    fn d_max(core, t, v: Name, w: Name, p: Proven, q: Proven) {
        let ((guard, difference), (d, g, f, df)) = (core.fact_of(Sign::NonZero, p)?, core.deriv(q)?);
        must(v.dimension == w.dimension && v != w, "the two names are different and of one dimension")?;
        must(!t.has_free(v, g) && !t.has_free(w, g), "the guard does not mention the names")?;
        must(!t.has_free(w, f), "the body does not mention the second name")?;
        let apart = t.sub(t.num(1), t.delta(t.free(v), t.free(w)));
        agree(guard, t.mul(g, apart), "the fact is of different indices")?;
        agree(difference, t.sub(f, t.substitute(v, t.free(w), f)), "the fact is of the difference of two values")?;
        Ok(Claim::Deriv(d, g, t.max(v, f), t.sum(v, t.mul(t.attains(v, f), df))))
    }

    /// A maximum moves with the values that attain it, in even shares, where values are equal only if they are one function.
    ///
    /// Not in the model yet. `e` stands still, and where it is not zero the two values are equal whatever moves, so they move
    /// alike; where it is zero they are different at the start, so the lesser stays the lesser for a while.
    /// Near the start the maximum is therefore each value that attains it at the start, and its derivative is any of
    /// theirs: their mean. The equation may rest on no assumption that reads what moves, for it is used along the whole curve.
    fn d_max_shared(core, t, v: Name, w: Name, e: Term, equation: Proven, p: Proven, q: Proven) {
        let ((guard, difference), (d, g, f, df)) = (core.fact_of(Sign::NonZero, p)?, core.deriv(q)?);
        must(v.dimension == w.dimension && v != w, "the two names are different and of one dimension")?;
        must(!t.has_free(v, g) && !t.has_free(w, g), "the guard does not mention the names")?;
        must(!t.has_free(w, f), "the body does not mention the second name")?;
        must(!core.moves(d, e), "what says that the values are one function stands still")?;
        must(!core.rests_on(equation, d), "the equation rests on nothing that moves")?;
        let other = t.substitute(v, t.free(w), f);
        agree(core.eq(equation)?, (t.mul(e, f), t.mul(e, other)), "the equation is of the two values")?;
        agree(guard, t.mul(g, t.sub(t.num(1), e)), "the fact is of values that are not one function")?;
        agree(difference, t.sub(f, other), "the fact is of the difference of two values")?;
        let attains = t.attains(v, f);
        let mean = t.mul(t.sum(v, t.mul(attains, df)), t.apply(Inv, t.sum(v, attains)));
        Ok(Claim::Deriv(d, g, t.max(v, f), mean))
    }

    /// A rounded term stands still off the jumps. Not in the model yet.
    ///
    /// The floor jumps at the integers, where it is equal to its argument; rounding jumps half way between them.
    fn d_step(core, t, f: Function, p: Proven, q: Proven) {
        let ((g, gap), (d, h, a, _)) = (core.fact_of(Sign::NonZero, p)?, core.deriv(q)?);
        agree(g, h, "the premises have one guard")?;
        let from_floor = |b: Term| t.sub(b, t.apply(Floor, b));
        let needed = match f {
            Floor => from_floor(a),
            Round => from_floor(t.add(a, core.half())),
            _ => return Err(Why::Condition("the function rounds")),
        };
        agree(gap, needed, "the fact is that the argument is at no jump")?;
        Ok(Claim::Deriv(d, g, t.apply(f, a), t.num(0)))
    }

    /// A derivative may be written in another way.
    fn d_eq(core, t, p: Proven, q: Proven) {
        let ((d, g, s, ds), (h, a, b)) = (core.deriv(p)?, core.guarded(q)?);
        agree((g, ds), (h, a), "the equation begins with the guard and the derivative")?;
        Ok(Claim::Deriv(d, g, s, b))
    }

    /// What holds where a guard is not zero holds where that is known.
    fn d_weaken(core, t, p: Proven, q: Proven) {
        let ((g, h), (d, guard, s, ds)) = (core.fact_of(Sign::NonZero, p)?, core.deriv(q)?);
        agree(h, guard, "the first premise is of the second one's guard")?;
        Ok(Claim::Deriv(d, g, s, ds))
    }
}

impl Core {
    /// Whether a claim rests on an assumption that reads what moves.
    fn rests_on(&self, p: Proven, d: Along) -> bool {
        self.uses(p).any(|n| match self.assumptions.get(n as usize) {
            Some(Claim::Eq(s, t) | Claim::Fact(_, s, t)) => self.moves(d, *s) || self.moves(d, *t),
            Some(Claim::Same(..)) => false,
            _ => true,
        })
    }
}
