//! Proofs by hand, each to a theorem, through the text of its log and replay.

use pullback_kernel::core::log::{Fault, Log, replay_both};
use pullback_kernel::core::{
    Assumption, Claim, Conclusion, Core, Function, Missing, Node, Origin, Sign, Term, Theorem,
};

use crate::support::{Drive, none, statement};

/// `y[i] = exp(x[i])`: the derivative is the claim, up to the order of factors.
pub(crate) fn exp() -> (Theorem, Log) {
    let s = statement(
        "contract exponential version 1 dims n input x[n] output y[i] = exp(x[i]) saves y dx[i] = dy[i] * y[i]",
    );
    let mut d = Drive::about(&s);
    let (l, claimed) = (d.core.reading().unwrap().pairing, d.core.reading().unwrap().claimed.unwrap());
    let derivative = d.derive(0, d.one(), l, &mut none);
    // Both sides are sums over the same index: compare their bodies.
    let (left, right) = (d.slope(derivative), claimed);
    let (v, a) = d.open(left);
    let Node::Sum(_, b) = d.t.view(right) else { panic!() };
    let bodies = d.ring(a, d.t.open(b, v));
    let equation = d.under(&[v], bodies);
    d.conclude(&Conclusion::Adjoint { derivative, equation, immaterial: None, obligations: vec![] })
}

pub(crate) fn matmul() -> (Theorem, Log) {
    let s = statement(
        "contract matmul version 1 dims m, k, n input a[m, k], b[k, n]
         output c[i, j] = sum(l) a[i, l] * b[l, j] saves a, b
         da[i, l] = sum(j) dc[i, j] * b[l, j]
         db[l, j] = sum(i) a[i, l] * dc[i, j]",
    );
    let mut d = Drive::about(&s);
    let t = d.t.clone();
    let r = d.core.reading().unwrap();
    let (l0, claimed) = (r.pairing, r.claimed.unwrap());
    let [a, b] = [&r.inputs[0], &r.inputs[1]].map(|i| (i.tensor, i.tangent));
    let dc = r.cotangents[0];
    let derivative = d.derive(0, d.one(), l0, &mut none);
    let (i, j, l) = (d.name(0), d.name(2), d.name(1));
    let read = |x, v, w| t.read(x, t.names(&[v, w]));
    let (a, ha, b, hb, dc) = (read(a.0, i, l), read(a.1, i, l), read(b.0, l, j), read(b.1, l, j), read(dc, i, j));
    let (p1, p2) = (t.mul(ha, t.mul(dc, b)), t.mul(hb, t.mul(a, dc)));

    // The derivative: sum(i, j) 0 * … + dc * sum(l) (ha b + a hb) = sum(i, j, l) p1 + sum(i, j, l) p2.
    let q = t.add(t.mul(ha, b), t.mul(a, hb));
    let body = t.add(t.mul(t.num(0), t.sum(l, t.mul(a, b))), t.mul(dc, t.sum(l, q)));
    let mut steps = vec![d.ring(body, t.mul(dc, t.sum(l, q))), d.in_sum(l, dc, q)];
    let inner = d.ring(t.mul(dc, q), t.add(p1, p2));
    steps.push(d.under(&[l], inner));
    steps.push(d.core.sum_add(l, p1, p2).unwrap());
    let inner = d.chain(&steps);
    let mut left = vec![d.under(&[i, j], inner)];
    let add = d.core.sum_add(j, t.sum(l, p1), t.sum(l, p2)).unwrap();
    left.push(d.under(&[i], add));
    left.push(d.core.sum_add(i, t.sums(&[j, l], p1), t.sums(&[j, l], p2)).unwrap());
    let left = d.chain(&left);
    assert_eq!(d.sides(left).0, d.slope(derivative));

    // The claim: sum(i, l) ha * sum(j) dc b, and sum(l, j) hb * sum(i) a dc.
    let into = d.in_sum(j, ha, t.mul(dc, b));
    let mut first = vec![d.under(&[i, l], into)];
    let swap = d.core.sum_swap(l, j, p1).unwrap();
    first.push(d.under(&[i], swap));
    let first = d.chain(&first);
    let into = d.in_sum(i, hb, t.mul(a, dc));
    let mut second = vec![d.under(&[l, j], into)];
    let swap = d.core.sum_swap(j, i, p2).unwrap();
    second.push(d.under(&[l], swap));
    second.push(d.core.sum_swap(l, i, t.sum(j, p2)).unwrap());
    let swap = d.core.sum_swap(l, j, p2).unwrap();
    second.push(d.under(&[i], swap));
    let second = d.chain(&second);
    let right = d.add(first, second);
    assert_eq!(d.sides(right).0, claimed);
    let back = d.sym(right);
    let equation = d.chain(&[left, back]);
    d.conclude(&Conclusion::Adjoint { derivative, equation, immaterial: None, obligations: vec![] })
}

/// The shift `m` does not matter, and the rule is the adjoint.
pub(crate) fn softmax() -> (Theorem, Log) {
    let s = statement(
        "contract softmax version 1 dims s.., n input x[s.., n]
         any m[i..] = max(k) x[i.., k]
         let e[i.., j] = exp(x[i.., j] - m[i..])
         let total[i..] = sum(k) e[i.., k]
         output y[i.., j] = e[i.., j] / total[i..]
         saves y
         let along[i..] = sum(k) dy[i.., k] * y[i.., k]
         dx[i.., j] = y[i.., j] * (dy[i.., j] - along[i..])",
    );
    let mut d = Drive::about(&s);
    let t = d.t.clone();
    let r = d.core.reading().unwrap();
    let (l0, claimed) = (r.pairing, r.claimed.unwrap());
    let (x, h, dy, m) = (r.inputs[0].tensor, r.inputs[0].tangent, r.cotangents[0], r.anys[0]);
    let hm = d.core.context().directions[1][0].1;
    let (i, j, k) = (d.name(0), d.name(1), d.name(1));
    let at = |x, v| t.read(x, t.names(&[i, v]));
    let shift = t.read(m, t.names(&[i]));
    let e = |v| t.apply(Function::Exp, t.sub(at(x, v), shift));
    let total = t.sum(k, e(k));
    let inverse = t.apply(Function::Inv, total);
    let one = t.num(1);

    // The sum of exponentials is positive, so not zero.
    let exp = d.core.f_exp(one, t.sub(at(x, k), shift)).unwrap();
    let sum = d.core.f_sum(k, exp).unwrap();
    let not_zero = d.weaken(Sign::NonZero, sum);
    let needed: Vec<Claim> = d.core.reading().unwrap().obligations.iter().map(|o| o.claim).collect();
    let [Claim::Fact(Sign::NonZero, _, of)] = needed[..] else { panic!("{needed:?}") };
    let obligations = vec![d.core.inst(not_zero, i, t.free(t.free_names(of)[0])).unwrap()];
    let mut fact = |d: &mut Drive, _: Function, of: Term| {
        // Under the names at hand: the same fact at another index of the batch.
        let names = t.free_names(of);
        d.core.inst(not_zero, i, t.free(names[0])).unwrap()
    };
    let derivative = d.derive(0, one, l0, &mut fact);
    let along_m = d.derive(1, one, l0, &mut fact);

    // Along x: sum(i, j) 0 * … + dy (e (h + 0) / T + e * (-(1/T)(1/T) * H)).
    let slope = |v, moved| t.mul(e(v), moved);
    // A product as the derivation gives it: both factors differentiated.
    let product = |c: Term, dc: Term, f: Term, df: Term| t.add(t.mul(dc, f), t.mul(c, df));
    let dinv = t.neg(t.mul(inverse, inverse));
    let zero = t.num(0);
    let body_of = |moved: &dyn Fn(pullback_kernel::core::Name) -> Term| {
        let sum = t.sum(k, slope(k, moved(k)));
        let y = t.mul(e(j), inverse);
        let dy_ = product(e(j), slope(j, moved(j)), inverse, t.mul(dinv, sum));
        product(at(dy, j), zero, y, dy_)
    };
    // Along x the shift stands still as a whole; along m it moves.
    let along_x = |v| t.add(at(h, v), zero);
    let body = body_of(&along_x);
    assert_eq!(t.sums(&[i, j], body), d.slope(derivative));

    // With A = sum(j) dy e and H = sum(k) e h both sides are sum(j) h dy e / T - H A / T².
    let hh = t.sum(k, slope(k, along_x(k)));
    let main = t.mul(t.mul(at(h, j), at(dy, j)), t.mul(e(j), inverse));
    let (dye, dinv_h) = (t.mul(at(dy, j), e(j)), t.mul(dinv, hh));
    let step = d.ring(body, t.add(main, t.mul(dinv_h, dye)));
    let mut left = vec![d.under(&[j], step)];
    left.push(d.core.sum_add(j, main, t.mul(dinv_h, dye)).unwrap());
    let keep = d.refl(t.sum(j, main));
    let scale = d.core.sum_scale(j, dinv_h, dye).unwrap();
    left.push(d.add(keep, scale));
    let left = d.chain(&left);
    // The claim: sum(j) h * (e / T * (dy - W)), W = sum(k) dy e / T = A / T.
    let y = |v| t.mul(e(v), inverse);
    let w = t.sum(k, t.mul(at(dy, k), y(k)));
    let claim = t.mul(at(h, j), t.mul(y(j), t.sub(at(dy, j), w)));
    let cw = t.neg(t.mul(inverse, w));
    let step = d.ring(claim, t.add(main, t.mul(cw, slope(j, along_x(j)))));
    let mut right = vec![d.under(&[j], step)];
    right.push(d.core.sum_add(j, main, t.mul(cw, slope(j, along_x(j)))).unwrap());
    let scale = d.core.sum_scale(j, cw, slope(j, along_x(j))).unwrap();
    right.push(d.add(keep, scale));
    // W = 1/T A.
    let step = d.ring(t.mul(at(dy, k), y(k)), t.mul(inverse, t.mul(at(dy, k), e(k))));
    let step = d.under(&[k], step);
    let scale = d.core.sum_scale(k, inverse, t.mul(at(dy, k), e(k))).unwrap();
    let w_is = d.chain(&[step, scale]);
    let a = d.sides(w_is).1;
    let minus = d.refl(t.mul(t.num(-1), inverse));
    let cw_is = d.mul(minus, w_is);
    let regroup = d.ring(cw, t.mul(t.mul(t.num(-1), inverse), w));
    let cw_is = d.chain(&[regroup, cw_is]);
    let h_is = d.refl(hh);
    let last = d.mul(cw_is, h_is);
    let sum_a = t.sum(j, dye);
    let order = d.ring(d.sides(last).1, t.mul(dinv_h, sum_a));
    assert_eq!(a, t.mul(inverse, sum_a));
    let last = d.chain(&[last, order]);
    right.push(d.add(keep, last));
    let right = d.chain(&right);
    let back = d.sym(right);
    let row = d.chain(&[left, back]);
    let equation = d.under(&[i], row);
    assert_eq!(d.sides(equation), (d.slope(derivative), claimed));

    // Along m: e moves by -e hm, the total by -T hm, and T / T is one.
    let hm = t.read(hm, t.names(&[i]));
    let along = |_| t.add(zero, t.add(t.mul(zero, shift), t.mul(t.num(-1), hm)));
    let body = body_of(&along);
    assert_eq!(t.sums(&[i, j], body), d.slope(along_m));
    let c = t.neg(hm);
    let inner = d.ring(slope(k, along(k)), t.mul(c, e(k)));
    let inner = d.under(&[k], inner);
    let out = d.core.sum_scale(k, c, e(k)).unwrap();
    let sum_is = d.chain(&[inner, out]);
    let sum = d.sides(sum_is).0;
    let cancel = d.core.inv_cancel(not_zero).unwrap();
    let cancel = d.unguard(cancel);
    // dy (e c / T - e / T² * sum) with the sum replaced, then T / T replaced by one.
    let rest = t.mul(t.neg(t.mul(at(dy, j), t.mul(e(j), inverse))), inverse);
    let first = t.mul(at(dy, j), t.mul(t.mul(e(j), c), inverse));
    let start = d.ring(body, t.add(first, t.mul(rest, sum)));
    let keep = d.refl(first);
    let rest_is = d.refl(rest);
    let step = d.mul(rest_is, sum_is);
    let step = d.add(keep, step);
    let half = t.mul(t.neg(t.mul(at(dy, j), t.mul(e(j), inverse))), c);
    let regroup = d.ring(d.sides(step).1, t.add(first, t.mul(half, t.mul(total, inverse))));
    let half_is = d.refl(half);
    let by_one = d.mul(half_is, cancel);
    let by_one = d.add(keep, by_one);
    let end = d.ring(d.sides(by_one).1, zero);
    let body_is = d.chain(&[start, step, regroup, by_one, end]);
    let mut all = vec![d.under(&[i, j], body_is)];
    let nothing = |d: &mut Drive, v| {
        // The sum of zero is zero: zero is zero times zero.
        let (to, scale) = (d.ring(zero, t.mul(zero, zero)), d.core.sum_scale(v, zero, zero).unwrap());
        let to = d.under(&[v], to);
        let end = d.ring(d.sides(scale).1, zero);
        d.chain(&[to, scale, end])
    };
    let inner = nothing(&mut d, j);
    all.push(d.under(&[i], inner));
    all.push(nothing(&mut d, i));
    let no_m = d.chain(&all);

    let immaterial = Conclusion::Immaterial { derivative: along_m, equation: no_m };
    assert!(d.conclude(&immaterial).0.is_immaterial());
    // Without it the rule is not concluded.
    let without = Conclusion::Adjoint { derivative, equation, immaterial: None, obligations: obligations.clone() };
    assert_eq!(d.core.conclude(&without).unwrap_err(), Missing::Immaterial);
    let immaterial = Some((along_m, no_m));
    let conclusion = Conclusion::Adjoint { derivative, equation, immaterial, obligations };
    d.conclude(&conclusion)
}

/// A gather through a partial map: what is read at nothing is zero.
pub(crate) fn gather() -> (Theorem, Log) {
    let s = statement(
        "contract gather version 1 dims m, n partial map at: m -> n input x[n] output y[j] = x[at(j)]
         dx[k] = sum(j) [k == at(j)] * dy[j]",
    );
    let mut d = Drive::about(&s);
    let t = d.t.clone();
    let r = d.core.reading().unwrap();
    let (l0, claimed) = (r.pairing, r.claimed.unwrap());
    let (h, dy) = (r.inputs[0].tangent, r.cotangents[0]);
    let derivative = d.derive(0, d.one(), l0, &mut none);
    let (j, k) = (d.name(0), d.name(1));
    let place = t.map(0, t.free(j));
    let at = t.tuple(&[place]);
    let (dyj, hat, hk) = (t.read(dy, t.names(&[j])), t.read(h, at), t.read(h, t.names(&[k])));
    // The derivative: sum(j) 0 * … + dy h[at j].
    let (_, body) = {
        let slope = d.slope(derivative);
        let Node::Sum(_, body) = t.view(slope) else { panic!() };
        (j, t.open(body, j))
    };
    let step = d.ring(body, t.mul(dyj, hat));
    let left = d.under(&[j], step);
    // The claim: sum(k) h[k] sum(j) [k == at j] dy = sum(j) [at j defined] dy h[at j].
    let delta = t.delta(t.free(k), place);
    let into = d.in_sum(j, hk, t.mul(delta, dyj));
    let order = d.ring(t.mul(hk, t.mul(delta, dyj)), t.mul(delta, t.mul(dyj, hk)));
    let order = d.under(&[j], order);
    let inner = d.chain(&[into, order]);
    let mut right = vec![d.under(&[k], inner)];
    right.push(d.core.sum_swap(k, j, t.mul(delta, t.mul(dyj, hk))).unwrap());
    let eliminate = d.core.sum_delta(k, place, t.mul(dyj, hk)).unwrap();
    // [at j defined] goes into the read.
    let read = d.core.read_def(h, at).unwrap();
    let pair = d.core.def_pair(place, t.unit()).unwrap();
    let unit = d.core.def_total(t.unit()).unwrap();
    let def = d.refl(t.def(place));
    let unit = d.mul(def, unit);
    let pair = d.chain(&[pair, unit]);
    let keep = d.refl(hat);
    let pair = d.mul(pair, keep);
    let read = d.chain(&[read, pair]);
    let read = d.sym(read);
    let order = d.ring(d.sides(eliminate).1, t.mul(dyj, d.sides(read).0));
    let keep = d.refl(dyj);
    let read = d.mul(keep, read);
    let inner = d.chain(&[eliminate, order, read]);
    right.push(d.under(&[j], inner));
    let right = d.chain(&right);
    assert_eq!(d.sides(right).0, claimed);
    let back = d.sym(right);
    let equation = d.chain(&[left, back]);
    d.conclude(&Conclusion::Adjoint { derivative, equation, immaterial: None, obligations: vec![] })
}

/// A logarithm under `where`: its condition is what the theorem lists.
pub(crate) fn logarithm() -> (Theorem, Log) {
    let s = statement(
        "contract log version 1 dims n input x[n] where x[i] > 0 output y[i] = log(x[i]) saves x
         dx[i] = dy[i] / x[i]",
    );
    let mut d = Drive::about(&s);
    let t = d.t.clone();
    let r = d.core.reading().unwrap();
    let (l0, claimed) = (r.pairing, r.claimed.unwrap());
    let given = r.assumptions[0].clone();
    assert_eq!(given.asked.origin, Origin::Given);
    let needed: Vec<Claim> = r.obligations.iter().map(|o| o.claim).collect();
    let Claim::Fact(Sign::Pos, _, of) = given.claim else { panic!() };
    let i = t.free_names(of)[0];
    let given = d.assume(given.claim);
    let mut positive =
        |d: &mut Drive, _: Function, of: Term| d.core.inst(given, i, t.free(t.free_names(of)[0])).unwrap();
    let derivative = d.derive(0, d.one(), l0, &mut positive);
    let (v, a) = d.open(d.slope(derivative));
    let Node::Sum(_, b) = t.view(claimed) else { panic!() };
    let bodies = d.ring(a, t.open(b, v));
    let equation = d.under(&[v], bodies);
    // The logarithm's own condition, and that of the division in the rule.
    let mut obligations = Vec::new();
    for needed in needed {
        let Claim::Fact(k, _, of) = needed else { panic!() };
        let fact = d.core.inst(given, i, t.free(t.free_names(of)[0])).unwrap();
        obligations.push(if k == Sign::Pos { fact } else { d.weaken(k, fact) });
    }
    assert_eq!(obligations.len(), 2);
    let missing = Conclusion::Adjoint { derivative, equation, immaterial: None, obligations: vec![] };
    assert!(d.core.conclude(&missing).is_err());
    d.conclude(&Conclusion::Adjoint { derivative, equation, immaterial: None, obligations })
}

/// A maximum with its ties: the cotangent is shared by those that attain it.
pub(crate) fn maximum() -> (Theorem, Log) {
    let s = statement(
        "contract reduce_max version 1 dims s.., n input x[s.., n] output y[i..] = max(k) x[i.., k] saves x, y
         let share[i..] = dy[i..] / sum(k) (if x[i.., k] >= y[i..] then 1 else 0)
         dx[i.., j] = if x[i.., j] >= y[i..] then share[i..] else 0
         declares subgradient",
    );
    let mut d = Drive::about(&s);
    let t = d.t.clone();
    let r = d.core.reading().unwrap();
    let (l0, claimed) = (r.pairing, r.claimed.unwrap());
    let (h, dy) = (r.inputs[0].tangent, r.cotangents[0]);
    let tie = r.assumptions.iter().find(|a| a.asked.origin == Origin::Tie).expect("ties").claim;
    let needed: Vec<Claim> = r.obligations.iter().map(|o| o.claim).collect();
    let tie = d.assume(tie);
    let Some(Claim::Fact(_, guard, difference)) = d.core.claim(tie) else { panic!() };
    let (one, zero) = (t.num(1), t.num(0));
    // The names of the assumption: its first value is at (i, v), its second at (i, w).
    let Node::Add(f, _) = t.view(difference) else { panic!() };
    let Node::Read(_, at) = t.view(f) else { panic!() };
    let Node::Pair(i, rest) = t.view(at) else { panic!() };
    let (Node::Free(i), Node::Pair(v, _)) = (t.view(i), t.view(rest)) else { panic!() };
    let Node::Free(v) = t.view(v) else { panic!() };
    let w = *t.free_names(guard).iter().find(|n| **n != v).expect("another");
    let e = t.delta(t.free(v), t.free(w));

    let df = d.derive(0, one, f, &mut none);
    let same = d.core.equal_substitute(t.free(v), t.free(w), v, f).unwrap();
    let max = d.core.d_max_shared(v, w, e, same, tie, df).unwrap();
    let dyi = t.read(dy, t.names(&[i]));
    let still = d.derive(0, one, dyi, &mut none);
    let product = d.core.d_mul(still, max).unwrap();
    let derivative = d.core.d_sum(i, product).unwrap();
    assert_eq!(t.sum(i, t.mul(dyi, t.max(v, f))), l0);

    // sum(i) 0 * max + dy (sum(v) A h / N)  =  sum(i) sum(v) h (A dy / N + (1 - A) 0).
    let attains = t.attains(v, f);
    let count = t.sum(v, attains);
    let inverse = t.apply(Function::Inv, count);
    let hv = t.read(h, t.names(&[i, v]));
    let ah = t.mul(attains, hv);
    let slope = d.slope(product);
    let c = t.mul(dyi, inverse);
    let start = d.ring(slope, t.mul(c, t.sum(v, ah)));
    let into = d.in_sum(v, c, ah);
    // The rule's guard is [y - x > 0], its `then` branch is 1 less that: `attains`; the count adds zeros.
    let below = t.guard(t.sub(t.max(v, f), f));
    let ones = t.add(t.mul(below, zero), t.mul(attains, one));
    let same_count = d.ring(attains, ones);
    let same_count = d.under(&[v], same_count);
    let counted = d.sides(same_count).1;
    let guarded = d.guarded(one, same_count);
    let inverses = d.core.c_fn(Function::Inv, guarded).unwrap();
    let inverses = d.unguard(inverses);
    let share = t.mul(dyi, t.apply(Function::Inv, counted));
    let dx = t.add(t.mul(below, zero), t.mul(attains, share));
    let regroup = d.ring(t.mul(c, ah), t.mul(t.mul(ah, dyi), inverse));
    let keep = d.refl(t.mul(ah, dyi));
    let replace = d.mul(keep, inverses);
    let end = d.ring(d.sides(replace).1, t.mul(hv, dx));
    let inner = d.chain(&[regroup, replace, end]);
    let inner = d.under(&[v], inner);
    let row = d.chain(&[start, into, inner]);
    let equation = d.under(&[i], row);
    assert_eq!(d.sides(equation).1, claimed);

    // The count is not zero: a maximum is attained.
    let attained = d.core.max_attained(one, v, f).unwrap();
    let guarded = d.guarded(one, same_count);
    let attained = d.core.f_eq(attained, guarded).unwrap();
    let not_zero = d.weaken(Sign::NonZero, attained);
    assert_eq!(needed.len(), 1);
    let Claim::Fact(_, _, of) = needed[0] else { panic!() };
    let own = t.free_names(of)[0];
    let not_zero = d.core.inst(not_zero, i, t.free(own)).unwrap();
    let obligations = vec![not_zero];
    d.conclude(&Conclusion::Adjoint { derivative, equation, immaterial: None, obligations })
}

/// A kink: the rule holds off the boundary of the `if`, and the theorem says so.
pub(crate) fn relu() -> (Theorem, Log) {
    let s = statement(
        "contract relu version 1 dims n input x[n] output y[i] = if x[i] > 0 then x[i] else 0 saves x
         dx[i] = if x[i] > 0 then dy[i] else 0
         declares subgradient",
    );
    let mut d = Drive::about(&s);
    let t = d.t.clone();
    let r = d.core.reading().unwrap();
    let (l0, claimed) = (r.pairing, r.claimed.unwrap());
    let boundary = r.assumptions[0].claim;
    let Claim::Fact(Sign::NonZero, _, of) = boundary else { panic!() };
    let i = t.free_names(of)[0];
    let boundary = d.assume(boundary);
    let mut fact =
        |d: &mut Drive, _: Function, of: Term| d.core.inst(boundary, i, t.free(t.free_names(of)[0])).unwrap();
    let derivative = d.derive(0, d.one(), l0, &mut fact);
    let (v, a) = d.open(d.slope(derivative));
    let Node::Sum(_, b) = t.view(claimed) else { panic!() };
    let bodies = d.ring(a, t.open(b, v));
    let equation = d.under(&[v], bodies);
    d.conclude(&Conclusion::Adjoint { derivative, equation, immaterial: None, obligations: vec![] })
}

/// Two ways to write a function; what the second asks for must follow from what the first does.
#[test]
fn two_statements_are_equal() {
    let text = |value: &str, condition: &str| {
        statement(&format!("contract two version 1 dims n input x[n] {condition} output y[i] = {value}"))
    };
    let (a, b) = (text("log(x[i]) + log(x[i])", "where x[i] > 0"), text("2 * log(x[i])", "where x[i] != 0"));
    let mut core = Core::read_both(&a, &b).unwrap().expect("one declaration");
    let t = core.terms().clone();
    let reading = core.reading().unwrap();
    let (first, second) = (reading.outputs[0][0].clone(), reading.outputs[1][0].clone());
    let needed: Vec<Claim> = reading.obligations.iter().map(|o| o.claim).collect();
    let equations = vec![core.ring(first.body, second.body).unwrap()];
    let positive = core.assume(Assumption(0)).unwrap();
    let Some(Claim::Fact(Sign::Pos, _, of)) = core.claim(positive) else { panic!() };
    let i = t.free_names(of)[0];
    let mut obligations = Vec::new();
    for claim in needed {
        let Claim::Fact(k, _, of) = claim else { panic!() };
        let at = core.inst(positive, i, t.free(t.free_names(of)[0])).unwrap();
        obligations.push(core.f_weaken(k, at).unwrap());
        assert_eq!(core.claim(*obligations.last().unwrap()), Some(claim));
    }
    // The logarithm of either, at the names of either, and the condition of the second.
    assert_eq!(obligations.len(), 3);
    let conclusion = Conclusion::Equal { equations: equations.clone(), obligations };
    let theorem = core.conclude(&conclusion).unwrap();
    assert_eq!(theorem.equal_to(), Some(&b));
    assert_eq!(theorem.domain().len(), 1);
    let log: Log = Log::of(&core, &conclusion).unwrap().to_string().parse().unwrap();
    assert_eq!(replay_both(&a, &b, &log).unwrap().domain(), theorem.domain());
    assert_eq!(replay_both(&b, &a, &log).unwrap_err().fault, Fault::Digest);
    assert!(core.conclude(&Conclusion::Equal { equations, obligations: vec![] }).is_err());
    // With other declarations there is no question.
    let other = statement("contract two version 1 dims n param e input x[n] output y[i] = e * x[i]");
    assert!(Core::read_both(&a, &other).unwrap().is_none());
    // Nor is one of them enough, nor does the core of a pair prove a rule.
    assert!(core.conclude(&Conclusion::Equal { equations: vec![], obligations: vec![] }).is_err());
}

#[test]
fn a_kink_is_left_out() {
    let (theorem, _) = relu();
    let domain: Vec<_> = theorem.domain().iter().map(|a| theorem.statement().show_condition(&a.condition)).collect();
    assert_eq!(domain, ["x[i] - 0 != 0"]);
    assert_eq!(theorem.domain()[0].origin, Origin::Boundary);
}

#[test]
fn the_exponential() {
    assert!(exp().0.domain().is_empty());
}

#[test]
fn a_matrix_product() {
    assert!(matmul().0.domain().is_empty());
}

#[test]
fn softmax_and_its_shift() {
    assert!(softmax().0.domain().is_empty());
}

#[test]
fn a_gather_through_a_partial_map() {
    assert!(gather().0.domain().is_empty());
}

#[test]
fn a_logarithm_under_where() {
    let (theorem, _) = logarithm();
    let domain: Vec<_> = theorem.domain().iter().map(|a| theorem.statement().show_condition(&a.condition)).collect();
    assert_eq!(domain, ["x[i] > 0"]);
}

#[test]
fn a_maximum_where_values_differ() {
    let (theorem, _) = maximum();
    assert_eq!(theorem.domain().iter().map(|a| a.origin).collect::<Vec<_>>(), [Origin::Tie]);
}
