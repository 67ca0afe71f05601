//! Equations of functions.

use num_traits::Zero;

use super::*;
use Function::{Atan, Cos, Erf, Exp, Inv, Log, Round, Sin, Sqrt, Tanh};

rules! {
    /// The exponential of a sum is the product of the exponentials.
    fn exp_add(core, t, a: Term, b: Term) {
        Ok(Claim::Eq(t.apply(Exp, t.add(a, b)), t.mul(t.apply(Exp, a), t.apply(Exp, b))))
    }

    /// The exponential of zero is one.
    fn exp_zero(core, t) { Ok(Claim::Eq(t.apply(Exp, t.num(0)), t.num(1))) }

    /// The logarithm undoes the exponential.
    fn log_exp(core, t, a: Term) { Ok(Claim::Eq(t.apply(Log, t.apply(Exp, a)), a)) }

    /// The exponential undoes the logarithm of what is positive.
    fn exp_log(core, t, p: Proven) {
        let (g, a) = core.fact_of(Sign::Pos, p)?;
        Ok(Claim::Eq(t.mul(g, t.apply(Exp, t.apply(Log, a))), t.mul(g, a)))
    }

    /// The logarithm of a product of positive factors is the sum of the logarithms.
    fn log_mul(core, t, p: Proven, q: Proven) {
        let (j, k, g, a, b) = core.facts(p, q)?;
        agree((j, k), (Sign::Pos, Sign::Pos), "both are positive")?;
        let sum = t.add(t.apply(Log, a), t.apply(Log, b));
        Ok(Claim::Eq(t.mul(g, t.apply(Log, t.mul(a, b))), t.mul(g, sum)))
    }

    /// The inverse of a product is the product of the inverses, zero included.
    fn inv_mul(core, t, a: Term, b: Term) {
        Ok(Claim::Eq(t.apply(Inv, t.mul(a, b)), t.mul(t.apply(Inv, a), t.apply(Inv, b))))
    }

    /// The inverse undoes itself, zero included.
    fn inv_inv(core, t, a: Term) { Ok(Claim::Eq(t.apply(Inv, t.apply(Inv, a)), a)) }

    /// The inverse of a number; that of zero is zero.
    fn inv_num(core, t, a: Term) {
        let q = t.as_number(a).ok_or(Why::Condition("the term is a number"))?;
        let inverse = if q.is_zero() { q } else { q.recip() };
        Ok(Claim::Eq(t.apply(Inv, a), t.number(inverse)))
    }

    /// What is not zero cancels with its inverse.
    fn inv_cancel(core, t, p: Proven) {
        let (g, a) = core.fact_of(Sign::NonZero, p)?;
        Ok(Claim::Eq(t.mul(g, t.mul(a, t.apply(Inv, a))), g))
    }

    /// The square of the root of what is not negative.
    fn sqrt_square(core, t, p: Proven) {
        let (g, a) = core.fact_of(Sign::NonNeg, p)?;
        let root = t.apply(Sqrt, a);
        Ok(Claim::Eq(t.mul(g, t.mul(root, root)), t.mul(g, a)))
    }

    /// The root of a product of factors that are not negative.
    fn sqrt_mul(core, t, p: Proven, q: Proven) {
        let (j, k, g, a, b) = core.facts(p, q)?;
        agree((j, k), (Sign::NonNeg, Sign::NonNeg), "neither is negative")?;
        let roots = t.mul(t.apply(Sqrt, a), t.apply(Sqrt, b));
        Ok(Claim::Eq(t.mul(g, t.apply(Sqrt, t.mul(a, b))), t.mul(g, roots)))
    }

    /// The hyperbolic tangent by exponentials.
    fn tanh_exp(core, t, a: Term) {
        let (up, down) = (t.apply(Exp, a), t.apply(Exp, t.neg(a)));
        Ok(Claim::Eq(t.apply(Tanh, a), t.mul(t.sub(up, down), t.apply(Inv, t.add(up, down)))))
    }

    /// The sine is odd.
    fn sin_odd(core, t, a: Term) { Ok(Claim::Eq(t.apply(Sin, t.neg(a)), t.neg(t.apply(Sin, a)))) }

    /// The cosine is even.
    fn cos_even(core, t, a: Term) { Ok(Claim::Eq(t.apply(Cos, t.neg(a)), t.apply(Cos, a))) }

    /// The squares of sine and cosine add up to one.
    fn sin_cos(core, t, a: Term) {
        let (s, c) = (t.apply(Sin, a), t.apply(Cos, a));
        Ok(Claim::Eq(t.add(t.mul(s, s), t.mul(c, c)), t.num(1)))
    }

    /// Functions that are odd. Not in the model yet, apart from `tanh`, of which it follows.
    ///
    /// The error function and the arc tangent are integrals from zero of even functions; rounding half to even favours no side.
    fn fn_odd(core, t, f: Function, a: Term) {
        must(matches!(f, Tanh | Erf | Atan | Round), "the function is odd")?;
        Ok(Claim::Eq(t.apply(f, t.neg(a)), t.neg(t.apply(f, a))))
    }
}
