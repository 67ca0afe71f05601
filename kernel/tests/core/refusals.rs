//! Proofs that do not conclude: what they rest on is not the domain.

use pullback_kernel::core::{Claim, Conclusion, Function, Missing, Node, Origin, Sign, Term};

use Sign::NonZero;

use crate::support::{Drive, none, statement};

/// A division in the rule has to be defined on the boundary too: that it is left out does not help.
#[test]
fn a_boundary_is_no_domain() {
    let s = statement(
        "contract relu version 1 dims n input x[n] output y[i] = if x[i] > 0 then x[i] else 0 saves x
         dx[i] = dy[i] * (if x[i] > 0 then 1 else 0) * x[i] / x[i]
         declares subgradient",
    );
    let mut d = Drive::about(&s);
    let t = d.t.clone();
    let r = d.core.reading().unwrap();
    let (l0, claimed, needed) = (r.pairing, r.claimed.unwrap(), r.obligations[0].claim);
    let boundary = r.assumptions[0].claim;
    let Claim::Fact(NonZero, one, of) = boundary else { panic!() };
    let i = t.free_names(of)[0];
    let boundary = d.assume(boundary);
    let mut fact =
        |d: &mut Drive, _: Function, of: Term| d.core.inst(boundary, i, t.free(t.free_names(of)[0])).unwrap();
    let derivative = d.derive(0, one, l0, &mut fact);
    // The fact of x - 0 is one of x, at the name of the claim's body.
    let (v, a) = d.open(d.slope(derivative));
    let Node::Sum(_, b) = t.view(claimed) else { panic!() };
    let b = t.open(b, v);
    let at = d.core.inst(boundary, i, t.free(v)).unwrap();
    let Some(Claim::Fact(_, _, difference)) = d.core.claim(at) else { panic!() };
    let Node::Add(x, _) = t.view(difference) else { panic!() };
    let plain = d.ring(t.mul(one, difference), t.mul(one, x));
    let not_zero = d.core.f_eq(at, plain).unwrap();
    let cancel = d.core.inv_cancel(not_zero).unwrap();
    let cancel = d.unguard(cancel);
    let (quotient, _) = d.sides(cancel);
    let Node::Mul(h, dx) = t.view(b) else { panic!() };
    let Node::Mul(over, _) = t.view(dx) else { panic!() };
    let Node::Mul(rest, _) = t.view(over) else { panic!() };
    let rest = t.mul(h, rest);
    let to = d.ring(b, t.mul(rest, quotient));
    let keep = d.refl(rest);
    let by_one = d.mul(keep, cancel);
    let end = d.ring(t.mul(rest, one), a);
    let body = d.chain(&[to, by_one, end]);
    let body = d.sym(body);
    let equation = d.under(&[v], body);
    let Claim::Fact(NonZero, _, of) = needed else { panic!() };
    let shown = d.core.inst(not_zero, v, t.free(t.free_names(of)[0])).unwrap();
    assert_eq!(d.core.claim(shown), Some(needed));
    let conclusion = Conclusion::Adjoint { derivative, equation, immaterial: None, obligations: vec![shown] };
    assert_eq!(d.core.conclude(&conclusion).unwrap_err(), Missing::Obligation(0));
}

/// `m` does not matter off the boundary of a guard, and matters on it: its factor is one there.
#[test]
fn an_any_that_matters_on_a_boundary() {
    let s = statement(
        "contract hidden version 1 dims n input x[n] any m[i] = x[i]
         output y[i] = m[i] * (1 - (if x[i] > 0 then 1 else 0) - (if x[i] < 0 then 1 else 0))
         declares convention as written",
    );
    let mut d = Drive::about(&s);
    let t = d.t.clone();
    let r = d.core.reading().unwrap();
    let (l0, boundary) = (r.pairing, r.assumptions[0].claim);
    assert_eq!(r.assumptions[0].asked.origin, Origin::Boundary);
    let Claim::Fact(NonZero, one, of) = boundary else { panic!() };
    let i = t.free_names(of)[0];
    let boundary = d.assume(boundary);
    let derivative = d.derive(1, one, l0, &mut none);
    let (v, body) = d.open(d.slope(derivative));
    // guard(a) = 1 - guard(-a), and -a is the other guard's term.
    let at = d.core.inst(boundary, i, t.free(v)).unwrap();
    let Some(Claim::Fact(_, _, a)) = d.core.claim(at) else { panic!() };
    let Node::Add(x, _) = t.view(a) else { panic!() };
    let other = t.sub(t.num(0), x);
    let flip = d.core.guard_flip(at).unwrap();
    let flip = d.unguard(flip);
    let same = d.ring(t.mul(one, t.neg(a)), t.mul(one, other));
    let same = d.core.c_guard(same).unwrap();
    let same = d.unguard(same);
    let minus = d.refl(t.num(-1));
    let same = d.mul(minus, same);
    let unit = d.refl(one);
    let same = d.add(unit, same);
    let flip = d.chain(&[flip, same]);
    // The body is a factor times guard(a) - (1 - guard(-a)).
    let Node::Add(_, rest) = t.view(body) else { panic!() };
    let Node::Mul(dy, dm) = t.view(rest) else { panic!() };
    let Node::Add(dm, _) = t.view(dm) else { panic!() };
    let Node::Mul(hm, _) = t.view(dm) else { panic!() };
    let factor = t.neg(t.mul(dy, hm));
    let (g, h) = d.sides(flip);
    let begin = d.ring(body, t.mul(factor, t.add(g, t.neg(h))));
    let neg = d.refl(t.neg(h));
    let replace = d.add(flip, neg);
    let factor = d.refl(factor);
    let replace = d.mul(factor, replace);
    let zero = t.num(0);
    let end = d.ring(d.sides(replace).1, zero);
    let nothing = d.chain(&[begin, replace, end]);
    let nothing = d.under(&[v], nothing);
    let (to, scale) = (d.ring(zero, t.mul(zero, zero)), d.core.sum_scale(v, zero, zero).unwrap());
    let to = d.under(&[v], to);
    let last = d.ring(d.sides(scale).1, zero);
    let equation = d.chain(&[nothing, to, scale, last]);
    let conclusion = Conclusion::Immaterial { derivative, equation };
    assert_eq!(d.core.conclude(&conclusion).unwrap_err(), Missing::Assumption);
}

/// What is needed of the value of an `any` may be assumed for nothing but another `any`: the domain would depend on it.
#[test]
fn a_condition_on_an_any() {
    let s = statement(
        "contract identity version 1 dims n input x[n] any m[i] = x[i] output y[i] = x[i] + 0 * log(m[i])
         dx[i] = dy[i]",
    );
    let mut d = Drive::about(&s);
    let t = d.t.clone();
    let r = d.core.reading().unwrap();
    let (l0, claimed) = (r.pairing, r.claimed.unwrap());
    let zero = t.num(0);
    let derivative = d.derive(0, d.one(), l0, &mut none);
    let (v, a) = d.open(d.slope(derivative));
    let Node::Sum(_, b) = t.view(claimed) else { panic!() };
    let bodies = d.ring(a, t.open(b, v));
    let equation = d.under(&[v], bodies);
    let positive = d.core.reading().unwrap().assumptions[0].claim;
    let Claim::Fact(Sign::Pos, _, of) = positive else { panic!() };
    let i = t.free_names(of)[0];
    let positive = d.assume(positive);
    let mut fact =
        |d: &mut Drive, _: Function, of: Term| d.core.inst(positive, i, t.free(t.free_names(of)[0])).unwrap();
    let along = d.derive(1, d.one(), l0, &mut fact);
    let (v, a) = d.open(d.slope(along));
    let to = d.ring(a, t.mul(zero, zero));
    let to = d.under(&[v], to);
    let scale = d.core.sum_scale(v, zero, zero).unwrap();
    let end = d.ring(d.sides(scale).1, zero);
    let nothing = d.chain(&[to, scale, end]);
    let immaterial = Some((along, nothing));
    let conclusion = Conclusion::Adjoint { derivative, equation, immaterial, obligations: vec![positive] };
    assert_eq!(d.core.conclude(&conclusion).unwrap_err(), Missing::Assumption);
}
