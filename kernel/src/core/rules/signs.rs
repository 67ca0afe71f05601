//! Signs.

use num_traits::{Signed, Zero};

use super::*;
use Function::{Atan, Erf, Exp, Floor, Inv, Log, Round, Sqrt, Tanh};
use Sign::{NonNeg, NonZero, Pos};

fn sign_add(j: Sign, k: Sign) -> Option<Sign> {
    match (j, k) {
        (Pos, Pos | NonNeg) | (NonNeg, Pos) => Some(Pos),
        (NonNeg, NonNeg) => Some(NonNeg),
        _ => None,
    }
}

fn sign_mul(j: Sign, k: Sign) -> Option<Sign> {
    match (j, k) {
        (Pos, Pos) => Some(Pos),
        (NonNeg, NonNeg | Pos) | (Pos, NonNeg) => Some(NonNeg),
        (NonZero, NonZero | Pos) | (Pos, NonZero) => Some(NonZero),
        _ => None,
    }
}

fn is_indicator(t: &Terms, a: Term) -> bool {
    matches!(t.view(a), Node::Delta(..) | Node::Def(_) | Node::Guard(_))
}

rules! {
    /// The sign of a number.
    fn f_num(core, t, k: Sign, g: Term, a: Term) {
        let q = t.as_number(a).ok_or(Why::Condition("the term is a number"))?;
        let holds = match k {
            Pos => q.is_positive(),
            NonNeg => !q.is_negative(),
            NonZero => !q.is_zero(),
        };
        must(holds, "the number has the sign")?;
        Ok(Claim::Fact(k, g, a))
    }

    /// No dimension is empty.
    fn f_size(core, t, g: Term, d: Dimension) { Ok(Claim::Fact(Pos, g, t.size(d))) }

    /// The exponential is positive.
    fn f_exp(core, t, g: Term, a: Term) { Ok(Claim::Fact(Pos, g, t.apply(Exp, a))) }

    /// The sign of a sum. Nothing is known of a sum of terms that are only not zero.
    fn f_add(core, t, p: Proven, q: Proven) {
        let (j, k, g, a, b) = core.facts(p, q)?;
        let sign = sign_add(j, k).ok_or(Why::Condition("the signs tell that of the sum"))?;
        Ok(Claim::Fact(sign, g, t.add(a, b)))
    }

    /// The sign of a product.
    fn f_mul(core, t, p: Proven, q: Proven) {
        let (j, k, g, a, b) = core.facts(p, q)?;
        let sign = sign_mul(j, k).ok_or(Why::Condition("the signs tell that of the product"))?;
        Ok(Claim::Fact(sign, g, t.mul(a, b)))
    }

    /// A square is not negative.
    fn f_square(core, t, g: Term, a: Term) { Ok(Claim::Fact(NonNeg, g, t.mul(a, a))) }

    /// The inverse has the sign of its argument, zero included.
    fn f_inv(core, t, p: Proven) {
        let (k, g, a) = core.fact(p)?;
        Ok(Claim::Fact(k, g, t.apply(Inv, a)))
    }

    /// The root of what is positive is positive.
    fn f_sqrt(core, t, p: Proven) {
        let (g, a) = core.fact_of(Pos, p)?;
        Ok(Claim::Fact(Pos, g, t.apply(Sqrt, a)))
    }

    /// A root is not negative.
    fn f_sqrt0(core, t, g: Term, a: Term) { Ok(Claim::Fact(NonNeg, g, t.apply(Sqrt, a))) }

    /// The sum of terms with a sign has it. Of terms that are only not zero it need not.
    ///
    /// The guard does not mention the index: the sum is over all values, the premise speaks of those where the guard is not zero.
    fn f_sum(core, t, v: Name, p: Proven) {
        let (k, g, a) = core.fact(p)?;
        must(k != NonZero, "the sign is one that sums keep")?;
        must(!t.has_free(v, g), "the guard does not mention the index")?;
        Ok(Claim::Fact(k, g, t.sum(v, a)))
    }

    /// A sum of positive values, with weights that are not negative and not all zero, is positive. Not in the model yet.
    ///
    /// One weight is positive where their sum is; its term is positive, and none is negative.
    fn f_sum_weighted(core, t, v: Name, total: Proven, p: Proven, q: Proven) {
        let (j, k, g, w, a) = core.facts(p, q)?;
        agree((j, k), (NonNeg, Pos), "the weights are not negative, the values positive")?;
        must(!t.has_free(v, g), "the guard does not mention the index")?;
        agree(core.fact(total)?, (Pos, g, t.sum(v, w)), "the sum of the weights is positive, under the same guard")?;
        Ok(Claim::Fact(Pos, g, t.sum(v, t.mul(w, a))))
    }

    /// The sign of both branches of an indicator. Not in the model yet: an indicator is one or zero.
    fn f_cases(core, t, i: Term, p: Proven, q: Proven) {
        must(is_indicator(t, i), "the term is an indicator")?;
        let ((j, yes, a), (k, no, b)) = (core.fact(p)?, core.fact(q)?);
        let Node::Mul(g, h) = t.view(yes) else { return Err(Why::Premise("a fact under the indicator")) };
        let rest = t.sub(t.num(1), i);
        agree((j, h, no), (k, i, t.mul(g, rest)), "the facts are of one sign, where the indicator is one and zero")?;
        Ok(Claim::Fact(j, g, t.add(t.mul(i, a), t.mul(rest, b))))
    }

    /// What is positive is not negative and not zero.
    fn f_weaken(core, t, k: Sign, p: Proven) {
        let (g, a) = core.fact_of(Pos, p)?;
        Ok(Claim::Fact(k, g, a))
    }

    /// What is not negative and not zero is positive.
    fn f_both(core, t, p: Proven, q: Proven) {
        let (j, k, g, a, b) = core.facts(p, q)?;
        agree((j, k, a), (NonNeg, NonZero, b), "one term is not negative and not zero")?;
        Ok(Claim::Fact(Pos, g, a))
    }

    /// Equal terms have one sign.
    fn f_eq(core, t, p: Proven, q: Proven) {
        let ((k, g, a), (h, b, c)) = (core.fact(p)?, core.guarded(q)?);
        agree((g, a), (h, b), "the equation begins with the fact's guard and term")?;
        Ok(Claim::Fact(k, g, c))
    }

    /// An indicator is not negative.
    fn f_indicator(core, t, g: Term, a: Term) {
        must(is_indicator(t, a), "the term is an indicator")?;
        Ok(Claim::Fact(NonNeg, g, a))
    }

    /// Where its guard is not zero, a term is positive.
    fn f_guard(core, t, a: Term) { Ok(Claim::Fact(Pos, t.guard(a), a)) }

    /// Where its guard is not one, a term is not positive.
    fn f_unguard(core, t, a: Term) { Ok(Claim::Fact(NonNeg, t.sub(t.num(1), t.guard(a)), t.neg(a))) }

    /// Where a guard is not zero, it is not zero.
    fn f_self(core, t, g: Term) { Ok(Claim::Fact(NonZero, g, g)) }

    /// Where a product is not zero, its first factor is not.
    fn f_left(core, t, g: Term, h: Term) { Ok(Claim::Fact(NonZero, t.mul(g, h), g)) }

    /// Where a product is not zero, its second factor is not.
    fn f_right(core, t, g: Term, h: Term) { Ok(Claim::Fact(NonZero, t.mul(g, h), h)) }

    /// What holds where a guard is not zero holds where that is known.
    fn f_cut(core, t, p: Proven, q: Proven) {
        let ((g, h), (k, guard, a)) = (core.fact_of(NonZero, p)?, core.fact(q)?);
        agree(h, guard, "the first premise is of the second one's guard")?;
        Ok(Claim::Fact(k, g, a))
    }

    /// Functions that have the sign of their argument. Not in the model yet.
    ///
    /// The hyperbolic tangent, error function and arc tangent are zero at zero and increase strictly.
    fn f_odd(core, t, f: Function, p: Proven) {
        must(matches!(f, Tanh | Erf | Atan), "the function has the sign of its argument")?;
        let (k, g, a) = core.fact(p)?;
        Ok(Claim::Fact(k, g, t.apply(f, a)))
    }

    /// `exp a - 1` has the sign of `a`. Not in the model yet: the exponential is one at zero and increases strictly.
    fn f_expm1(core, t, p: Proven) {
        let (k, g, a) = core.fact(p)?;
        Ok(Claim::Fact(k, g, t.sub(t.apply(Exp, a), t.num(1))))
    }

    /// The logarithm of what is greater than one, or not less, is positive, or not negative. Not in the model yet.
    ///
    /// Not that of what is only not one: the logarithm of what is negative is zero.
    fn f_log(core, t, p: Proven) {
        let (k, g, e) = core.fact(p)?;
        must(k != NonZero, "the sign is one of the order")?;
        let Node::Add(a, minus) = t.view(e) else { return Err(Why::Premise("a fact of a term less one")) };
        agree(minus, t.neg(t.num(1)), "the premise is of a term less one")?;
        Ok(Claim::Fact(k, g, t.apply(Log, a)))
    }

    /// The error function stays below one. Not in the model yet: the whole integral is one.
    fn f_erf(core, t, g: Term, a: Term) { Ok(Claim::Fact(Pos, g, t.sub(t.num(1), t.apply(Erf, a)))) }

    /// What is not negative is rounded to what is not negative. Not in the model yet: zero is an integer.
    fn f_round(core, t, f: Function, p: Proven) {
        must(matches!(f, Round | Floor), "the function rounds")?;
        let (g, a) = core.fact_of(NonNeg, p)?;
        Ok(Claim::Fact(NonNeg, g, t.apply(f, a)))
    }

    /// The floor is not above. Not in the model yet.
    fn f_floor(core, t, g: Term, a: Term) { Ok(Claim::Fact(NonNeg, g, t.sub(a, t.apply(Floor, a)))) }
}
