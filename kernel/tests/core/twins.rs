//! Each rule with a side condition or premise: a call that it makes, one that it refuses, and the false claim that the latter
//! would make.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use pullback_kernel::core::{
    Along, Assumption, Claim, Core, Function, Index, Name, Node, Proven, RULES, Refused, Sign, Term, Terms, Why,
};

use crate::eval::{Env, Model, holds};
use crate::fuzz::{Random, assumptions, context, model, name};
use Function::{Exp, Floor, Inv, Log, Sqrt};
use Sign::{NonNeg, NonZero, Pos};

/// Rules that hold as they stand: they take no claims, and any terms.
const FREE: [&str; 39] = [
    "refl",
    "sum_add",
    "sum_size",
    "sum_swap",
    "same_refl",
    "same_eta",
    "same_unit",
    "delta_sym",
    "delta_refl",
    "delta_def",
    "read_def",
    "def_map",
    "def_pair",
    "exp_add",
    "exp_zero",
    "log_exp",
    "inv_mul",
    "inv_inv",
    "tanh_exp",
    "sin_odd",
    "cos_even",
    "sin_cos",
    "max_attained",
    "f_size",
    "f_exp",
    "f_square",
    "f_sqrt0",
    "f_guard",
    "f_unguard",
    "f_self",
    "f_left",
    "f_right",
    "f_erf",
    "f_floor",
    "assume",
    "sym",
    "same_sym",
    "f_inv",
    "f_expm1",
];

struct World {
    core: Core,
    t: Rc<Terms>,
    models: Vec<Model>,
    seen: BTreeSet<&'static str>,
}

type Call = Result<Proven, Refused>;

impl World {
    fn new() -> World {
        let core = Core::new(context(), assumptions);
        World { t: core.terms().clone(), core, models: (0..8).map(model).collect(), seen: BTreeSet::new() }
    }

    /// Whether the claim was seen not to hold.
    fn is_false(&self, claim: Claim) -> bool {
        let mut random = Random(77);
        (0..400).any(|k| {
            let model = &self.models[k % self.models.len()];
            let names = (0..4u32).flat_map(|d| (0..10u32).map(move |n| name(d, n)));
            let env: Env =
                names.map(|v| (v, random.below(model.sizes[v.dimension as usize]))).collect::<HashMap<_, _>>();
            holds(&self.core, claim, model, &env) == Some(false)
        })
    }

    /// The first call makes what it should, the second is refused, and what it would make is false.
    fn twin(&mut self, rule: &'static str, good: Call, made: Claim, bad: Call, twin: Claim) {
        let good = good.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(self.core.claim(good), Some(made), "{rule}");
        assert!(!self.is_false(made), "{rule}");
        self.refused(rule, bad);
        assert!(self.is_false(twin), "the twin of `{rule}` was not seen to be false: {twin:?}");
    }
    fn refused(&mut self, rule: &'static str, bad: Call) {
        assert_eq!(bad.expect_err(rule).rule, rule);
        self.seen.insert(rule);
    }
    /// As `twin`, where evaluation does not show that the twin is false: it has no derivative there.
    fn kink(&mut self, rule: &'static str, good: Call, bad: Call) {
        let good = good.unwrap_or_else(|e| panic!("{e}"));
        assert!(!self.is_false(self.core.claim(good).expect("a claim")), "{rule}");
        self.refused(rule, bad);
    }
    fn claim(&self, p: Proven) -> Claim {
        self.core.claim(p).expect("a claim")
    }
    /// Any fact, under the guard one.
    fn number(&mut self, k: Sign, n: i64) -> Proven {
        let (one, n) = (self.t.num(1), self.t.num(n));
        self.core.f_num(k, one, n).unwrap()
    }
}

fn eq(a: Term, b: Term) -> Claim {
    Claim::Eq(a, b)
}

#[test]
fn every_side_condition_is_needed() {
    let mut w = World::new();
    let t = w.t.clone();
    let (v, v2, a, a2, b, c) = (name(0, 0), name(0, 1), name(1, 0), name(1, 1), name(2, 0), name(3, 0));
    let (one, zero, two) = (t.num(1), t.num(0), t.num(2));
    let read = |x: u32, n: Name| t.read(x, t.names(&[n]));
    let free = |n: Name| t.free(n);
    let (x, y) = (read(6, a), read(6, a2));
    let nowhere = t.map(4, free(v));
    let square = t.mul(x, x);

    // Equality.
    let p = w.core.def_total(free(a)).unwrap();
    let place = t.proj(0, t.map(3, free(c)));
    let (good, bad) = (w.core.inst(p, a, place), w.core.inst(p, a, nowhere));
    w.twin("inst", good, eq(t.def(place), one), bad, eq(t.def(nowhere), one));
    let p = w.core.sum_delta(a, free(a2), one).unwrap();
    let (good, bad) = (w.core.inst(p, a2, free(name(1, 2))), w.core.inst(p, a2, free(v)));
    let at = |i: Index| eq(t.sum(a, t.mul(t.delta(free(a), i), one)), t.mul(t.def(i), one));
    w.twin("inst", good, at(free(name(1, 2))), bad, at(free(v)));
    let not_zero = w.number(NonZero, 1);
    let def = w.core.def_total(free(a)).unwrap();
    let def = w.core.sym(def).unwrap();
    let guard = w.core.refl(one).unwrap();
    let def = w.core.c_mul(guard, def).unwrap();
    let p = w.core.f_eq(not_zero, def).unwrap();
    let (good, bad) = (w.core.inst_fact(p, a, nowhere), w.core.inst_fact(p, a, free(v)));
    let made = Claim::Fact(NonZero, t.mul(t.def(nowhere), one), t.def(nowhere));
    w.twin("inst_fact", good, made, bad, Claim::Fact(NonZero, one, t.def(nowhere)));
    let (p, q, r) = (w.core.refl(x).unwrap(), w.core.ring(x, t.mul(one, x)).unwrap(), w.core.refl(y).unwrap());
    let (good, bad) = (w.core.trans(p, q), w.core.trans(p, r));
    w.twin("trans", good, eq(x, t.mul(one, x)), bad, eq(x, y));
    let fact = w.number(Pos, 1);
    for rule in ["c_add", "c_mul"] {
        let bad = if rule == "c_add" { w.core.c_add(p, fact) } else { w.core.c_mul(p, fact) };
        w.refused(rule, bad);
    }
    let bad = w.core.c_sum(v, fact);
    w.refused("c_sum", bad);
    let bad = w.core.c_max(v, fact);
    w.refused("c_max", bad);
    // Under two guards: 0 * 1 = x * 0 says nothing of 1 and 0.
    let p = w.core.ring(t.mul(x, y), t.mul(x, t.mul(one, y))).unwrap();
    let q = w.core.ring(t.mul(zero, one), t.mul(x, zero)).unwrap();
    let (good, bad) = (w.core.c_fn(Exp, p), w.core.c_fn(Exp, q));
    let e = |s| t.apply(Exp, s);
    let made = eq(t.mul(x, e(y)), t.mul(x, e(t.mul(one, y))));
    w.twin("c_fn", good, made, bad, eq(t.mul(zero, e(one)), t.mul(x, e(zero))));
    let q = w.core.ring(t.mul(zero, one), t.mul(one, zero)).unwrap();
    let (good, bad) = (w.core.c_guard(p), w.core.c_guard(q));
    let made = eq(t.mul(x, t.guard(y)), t.mul(x, t.guard(t.mul(one, y))));
    w.twin("c_guard", good, made, bad, eq(one, t.mul(one, t.guard(zero))));
    let d = t.delta(free(a), free(a2));
    let (good, bad) = (w.core.ring(t.mul(d, d), d), w.core.ring(square, x));
    w.twin("ring", good, eq(t.mul(d, d), d), bad, eq(square, x));

    // Sums.
    let sum_scale = |f: Term| eq(t.sum(a, t.mul(f, x)), t.mul(f, t.sum(a, x)));
    let (good, bad) = (w.core.sum_scale(a, y, x), w.core.sum_scale(a, x, x));
    w.twin("sum_scale", good, sum_scale(y), bad, sum_scale(x));
    let sum_delta = |i: Index| eq(t.sum(a, t.mul(t.delta(free(a), i), x)), t.mul(t.def(i), t.substitute(a, i, x)));
    let (good, bad) = (w.core.sum_delta(a, nowhere, x), w.core.sum_delta(a, free(v), x));
    w.twin("sum_delta", good, sum_delta(nowhere), bad, sum_delta(free(v)));
    let bad = w.core.sum_delta(a, free(a), x);
    w.refused("sum_delta", bad);
    assert!(w.is_false(sum_delta(free(a))));
    let one_at = eq(t.sum(a, t.mul(t.delta(free(a), nowhere), one)), one);
    assert!(w.is_false(one_at));
    let f = read(0, v);
    let split = |n: Name, f: Term| {
        let part = |m, n: Name| t.sum(n, t.substitute(v, t.map(m, free(n)), f));
        eq(t.sum(v, f), t.add(part(0, n), t.add(part(1, b), zero)))
    };
    let mentions = t.mul(x, f);
    let (good, bad) = (w.core.sum_split(v, vec![a, b], f), w.core.sum_split(v, vec![a, b], mentions));
    w.twin("sum_split", good, split(a, f), bad, split(a, mentions));
    for bad in [w.core.sum_split(v, vec![a], f), w.core.sum_split(v, vec![b, a], f), w.core.sum_split(a, vec![a], x)] {
        w.refused("sum_split", bad);
    }
    assert!(w.is_false(eq(t.sum(v, f), t.sum(a, t.substitute(v, t.map(0, free(a)), f)))));
    let g = read(7, c);
    let reindex = |f: Term| eq(t.sum(c, f), t.sums(&[a, b], t.substitute(c, t.map(2, t.names(&[a, b])), f)));
    let mentions = t.mul(x, g);
    let (good, bad) = (w.core.sum_reindex(c, vec![a, b], 2, g), w.core.sum_reindex(c, vec![a, b], 2, mentions));
    w.twin("sum_reindex", good, reindex(g), bad, reindex(mentions));
    for bad in [
        w.core.sum_reindex(v, vec![a], 0, f),
        w.core.sum_reindex(c, vec![a, a], 2, g),
        w.core.sum_reindex(a, vec![c], 3, x),
    ] {
        w.refused("sum_reindex", bad);
    }

    // Indices. An index that is bound outside is got from the body of a sum.
    let Node::Sum(_, body) = t.view(t.sum(a, x)) else { panic!() };
    let Node::Read(_, bound) = t.view(body) else { panic!() };
    let eta = w.core.same_eta(a).unwrap();
    let open = w.core.same_unit(bound).unwrap();
    let (good, bad) = (w.core.replace(a2, y, eta), w.core.replace(a2, y, open));
    w.kink("replace", good, bad);
    let (good, bad) = (w.core.replace_index(a2, free(a2), eta), w.core.replace_index(a2, free(a2), open));
    w.kink("replace_index", good, bad);
    let other = w.core.same_refl(free(a2)).unwrap();
    let back = w.core.same_sym(eta).unwrap();
    let (good, bad) = (w.core.same_trans(eta, back), w.core.same_trans(eta, other));
    let projected = t.proj(0, free(a));
    w.twin("same_trans", good, Claim::Same(projected, projected), bad, Claim::Same(projected, free(a2)));
    let (pair, swapped) = (t.pair(free(a), free(b)), t.pair(free(b), free(a)));
    let inverse = |i: Index| Claim::Same(t.map(3, t.map(2, i)), i);
    let (good, bad) = (w.core.inverse_map(2, pair), w.core.inverse_map(2, swapped));
    w.twin("inverse_map", good, inverse(pair), bad, inverse(swapped));
    let bad = w.core.inverse_map(5, free(v));
    w.refused("inverse_map", bad);
    let inverse = |i: Index| Claim::Same(t.map(2, t.map(3, i)), i);
    let (good, bad) = (w.core.map_inverse(2, free(c)), w.core.map_inverse(2, pair));
    w.twin("map_inverse", good, inverse(free(c)), bad, inverse(pair));
    let first = |i: Index| Claim::Same(t.proj(0, t.pair(free(a), i)), t.proj(0, free(a)));
    let (good, bad) = (w.core.same_pair(0, free(a), free(b)), w.core.same_pair(0, free(a), nowhere));
    w.twin("same_pair", good, first(free(b)), bad, first(nowhere));
    let inverse_of = t.map(3, free(c));
    let parts = t.tuple(&[t.proj(0, inverse_of), t.proj(1, inverse_of)]);
    let nothing = t.map(4, free(c));
    let (good, bad) = (w.core.same_tuple(inverse_of), w.core.same_tuple(nothing));
    w.twin("same_tuple", good, Claim::Same(parts, inverse_of), bad, Claim::Same(t.unit(), nowhere));
    let at = |i: Index| t.mul(t.delta(free(a), free(a2)), t.substitute(a, i, x));
    let (good, bad) = (w.core.equal_substitute(free(a), free(a2), a, x), w.core.equal_substitute(free(a), bound, a, x));
    w.twin("equal_substitute", good, eq(at(free(a)), at(free(a2))), bad, eq(x, y));
    let _ = w.core.delta_refl(nowhere).unwrap();
    assert!(w.is_false(eq(t.delta(nowhere, nowhere), one)));
    let (good, bad) = (w.core.def_total(free(a)), w.core.def_total(nowhere));
    w.twin("def_total", good, eq(t.def(free(a)), one), bad, eq(t.def(nowhere), one));
    let unit = t.unit();
    let pairs = |a: Index, b: Index, c: Index, d: Index| {
        eq(t.delta(t.pair(a, b), t.pair(c, d)), t.mul(t.delta(a, c), t.delta(b, d)))
    };
    let (i, j) = (free(a), free(a2));
    let (good, bad) = (w.core.delta_pair(i, unit, j, unit), w.core.delta_pair(unit, i, i, unit));
    w.twin("delta_pair", good, pairs(i, unit, j, unit), bad, pairs(unit, i, i, unit));
    let injective = |m, i: Index, j: Index| eq(t.delta(t.map(m, i), t.map(m, j)), t.delta(i, j));
    let (good, bad) = (w.core.delta_injective(0, i, j), w.core.delta_injective(5, free(v), free(v2)));
    w.twin("delta_injective", good, injective(0, i, j), bad, injective(5, free(v), free(v2)));
    // Outside of its arguments a bijection of pairs need not be one.
    let (far, near) = (t.pair(free(v), free(b)), t.pair(free(v2), free(b)));
    let bad = w.core.delta_injective(3, free(v), t.unit());
    w.refused("delta_injective", bad);
    let bad = w.core.delta_injective(2, far, near);
    w.refused("delta_injective", bad);
    let apart = |p, q, i: Index, j: Index| eq(t.delta(t.map(p, i), t.map(q, j)), zero);
    let (good, bad) = (w.core.delta_apart(0, 0, 1, i, free(b)), w.core.delta_apart(0, 0, 0, i, j));
    w.twin("delta_apart", good, apart(0, 1, i, free(b)), bad, apart(0, 0, i, j));
    let bad = w.core.delta_apart(0, 0, 1, free(v), free(b));
    w.refused("delta_apart", bad);
    assert!(w.is_false(apart(0, 1, free(v), free(b))));

    // Functions.
    let (positive, at_least, any) = (w.number(Pos, 2), w.core.f_square(one, x).unwrap(), w.number(NonZero, -1));
    let square_of = |s: Term| t.mul(one, s);
    let undo = |s| eq(square_of(e(t.apply(Log, s))), square_of(s));
    let (good, bad) = (w.core.exp_log(positive), w.core.exp_log(at_least));
    w.twin("exp_log", good, undo(two), bad, undo(square));
    let log_mul = |r: Term, s: Term| {
        eq(t.mul(one, t.apply(Log, t.mul(r, s))), t.mul(one, t.add(t.apply(Log, r), t.apply(Log, s))))
    };
    let (good, bad) = (w.core.log_mul(positive, positive), w.core.log_mul(positive, at_least));
    w.twin("log_mul", good, log_mul(two, two), bad, log_mul(t.num(-1), t.num(-2)));
    let guarded = w.core.f_guard(x).unwrap();
    let bad = w.core.log_mul(positive, guarded);
    w.refused("log_mul", bad);
    let (good, bad) = (w.core.inv_num(two), w.core.inv_num(x));
    let half = t.number(pullback_kernel::Rational::new(1.into(), 2.into()));
    w.twin("inv_num", good, eq(t.apply(Inv, two), half), bad, eq(t.apply(Inv, x), x));
    let cancel = |s: Term| eq(t.mul(one, t.mul(s, t.apply(Inv, s))), one);
    let (good, bad) = (w.core.inv_cancel(any), w.core.inv_cancel(at_least));
    w.twin("inv_cancel", good, cancel(t.num(-1)), bad, cancel(square));
    let root = |s: Term| t.apply(Sqrt, s);
    let squared = |s: Term| eq(t.mul(one, t.mul(root(s), root(s))), t.mul(one, s));
    let (good, bad) = (w.core.sqrt_square(at_least), w.core.sqrt_square(any));
    w.twin("sqrt_square", good, squared(square), bad, squared(t.num(-1)));
    let product = |r, s| eq(t.mul(one, root(t.mul(r, s))), t.mul(one, t.mul(root(r), root(s))));
    let (good, bad) = (w.core.sqrt_mul(at_least, at_least), w.core.sqrt_mul(any, any));
    w.twin("sqrt_mul", good, product(square, square), bad, product(t.num(-1), t.num(-1)));
    let odd = |f, s: Term| eq(t.apply(f, t.neg(s)), t.neg(t.apply(f, s)));
    let (good, bad) = (w.core.fn_odd(Function::Round, x), w.core.fn_odd(Floor, x));
    w.twin("fn_odd", good, odd(Function::Round, x), bad, odd(Floor, x));

    // Guards and maxima.
    let is_true = |s: Term| eq(t.mul(one, t.guard(s)), one);
    let (good, bad) = (w.core.guard_true(positive), w.core.guard_true(at_least));
    w.twin("guard_true", good, is_true(two), bad, is_true(square));
    let below = w.core.f_unguard(x).unwrap();
    let rest = t.sub(one, t.guard(x));
    let (good, bad) = (w.core.guard_false(below, x), w.core.guard_false(at_least, x));
    w.twin("guard_false", good, eq(t.mul(rest, t.guard(x)), zero), bad, eq(t.mul(one, t.guard(x)), zero));
    let nought = w.core.f_square(one, zero).unwrap();
    let scale = |s: Term| eq(t.mul(one, t.guard(t.mul(s, x))), t.mul(one, t.guard(x)));
    let (good, bad) = (w.core.guard_scale(positive, x), w.core.guard_scale(nought, x));
    w.twin("guard_scale", good, scale(two), bad, scale(t.mul(zero, zero)));
    let flip = |s: Term| eq(t.mul(one, t.guard(s)), t.mul(one, t.sub(one, t.guard(t.neg(s)))));
    let (good, bad) = (w.core.guard_flip(any), w.core.guard_flip(at_least));
    w.twin("guard_flip", good, flip(t.num(-1)), bad, flip(square));
    let ge = w.core.max_ge(one, a, i, x).unwrap();
    let m = t.max(a, x);
    let le = w.core.max_le(a, x, ge).unwrap();
    let (good, bad) = (w.core.antisym(le, le), w.core.antisym(ge, ge));
    w.twin("antisym", good, eq(t.mul(one, m), t.mul(one, m)), bad, eq(t.mul(one, m), t.mul(one, x)));
    let at = |i: Index| Claim::Fact(NonNeg, one, t.sub(m, t.substitute(a, i, x)));
    let (good, bad) = (w.core.max_ge(one, a, j, x), w.core.max_ge(one, a, nowhere, x));
    w.twin("max_ge", good, at(j), bad, at(nowhere));
    let bad = w.core.max_ge(one, a, free(v), x);
    w.refused("max_ge", bad);
    // The bound, or the guard, mentions the index.
    let nothing = w.core.f_num(NonNeg, one, zero).unwrap();
    let self_bound = w.core.ring(t.mul(one, zero), t.mul(one, t.sub(x, x))).unwrap();
    let self_bound = w.core.f_eq(nothing, self_bound).unwrap();
    let (good, bad) = (w.core.max_le(a, x, ge), w.core.max_le(a, x, self_bound));
    let bounded = |s: Term| Claim::Fact(NonNeg, one, t.sub(s, m));
    w.twin("max_le", good, bounded(m), bad, bounded(x));

    let hundred = t.num(100);
    let bad = w.core.max_le(a, hundred, ge);
    w.refused("max_le", bad);
    assert!(w.is_false(Claim::Fact(NonNeg, one, t.sub(m, t.max(a, hundred)))));

    // Signs.
    let not_two = w.number(NonZero, 2);
    let two_under_d = w.core.f_num(Pos, d, two).unwrap();
    let two_off_d = w.core.f_num(Pos, t.sub(one, d), two).unwrap();
    let (good, bad) = (w.core.f_num(Pos, one, two), w.core.f_num(Pos, one, zero));
    w.twin("f_num", good, Claim::Fact(Pos, one, two), bad, Claim::Fact(Pos, one, zero));
    let of = |k, s: Term| Claim::Fact(k, one, s);
    let (plus, minus) = (w.number(NonZero, 1), w.number(NonZero, -1));
    let (good, bad) = (w.core.f_add(positive, at_least), w.core.f_add(plus, minus));
    w.twin("f_add", good, of(Pos, t.add(two, square)), bad, of(NonZero, t.add(one, t.num(-1))));
    let bad = w.core.f_add(positive, guarded);
    w.refused("f_add", bad);
    let (good, bad) = (w.core.f_mul(plus, minus), w.core.f_mul(plus, at_least));
    w.twin("f_mul", good, of(NonZero, t.mul(one, t.num(-1))), bad, of(NonZero, t.mul(one, square)));
    let (good, bad) = (w.core.f_sqrt(positive), w.core.f_sqrt(at_least));
    w.twin("f_sqrt", good, of(Pos, root(two)), bad, of(Pos, root(square)));
    let sum = t.sum(a, two);
    let (good, bad) = (w.core.f_sum(a, positive), w.core.f_sum(a, plus));
    let alternating = t.add(one, t.mul(t.num(-2), d));
    w.twin("f_sum", good, of(Pos, sum), bad, of(NonZero, t.sum(a, alternating)));
    let under_index = w.core.f_guard(x).unwrap();
    let bad = w.core.f_sum(a, under_index);
    w.refused("f_sum", bad);
    // Where a is a2, 2 [a == a2] - 1 is one; its sum over a is zero if there are two.
    assert!(w.is_false(Claim::Fact(Pos, d, t.sum(a, t.sub(t.mul(two, d), one)))));
    // Weights that are zero, or negative; values that are not positive.
    let ones = w.core.f_weaken(NonNeg, positive).unwrap();
    let total = w.core.f_sum(a, positive).unwrap();
    let zeros = w.core.f_num(NonNeg, one, zero).unwrap();
    let weighted = |x: Term| of(Pos, t.sum(a, t.mul(x, two)));
    let (good, bad) =
        (w.core.f_sum_weighted(a, total, ones, positive), w.core.f_sum_weighted(a, total, zeros, positive));
    w.twin("f_sum_weighted", good, weighted(two), bad, weighted(zero));
    for bad in [w.core.f_sum_weighted(a, total, not_two, positive), w.core.f_sum_weighted(a, total, ones, at_least)] {
        w.refused("f_sum_weighted", bad);
    }
    let (under, over) = (w.core.f_right(one, d).unwrap(), w.core.f_right(one, t.sub(one, d)).unwrap());
    let (yes, no) = (w.core.f_cut(under, two_under_d).unwrap(), w.core.f_cut(over, two_off_d).unwrap());
    let cases = |i: Term, x: Term, y: Term| of(Pos, t.add(t.mul(i, x), t.mul(t.sub(one, i), y)));
    let (good, bad) = (w.core.f_cases(d, yes, no), w.core.f_cases(d, yes, yes));
    w.twin("f_cases", good, cases(d, two, two), bad, cases(d, two, zero));
    let (good, bad) = (w.core.f_weaken(NonZero, positive), w.core.f_weaken(Pos, at_least));
    w.twin("f_weaken", good, of(NonZero, two), bad, of(Pos, square));
    let (not_less, not_zero) = (w.number(NonNeg, 2), w.number(NonZero, 2));
    let (good, bad) = (w.core.f_both(not_less, not_zero), w.core.f_both(at_least, not_zero));
    w.twin("f_both", good, of(Pos, two), bad, of(Pos, square));
    let (p, q) =
        (w.core.ring(t.mul(one, two), t.mul(one, t.add(one, one))).unwrap(), w.core.refl(t.mul(one, x)).unwrap());
    let (good, bad) = (w.core.f_eq(positive, p), w.core.f_eq(positive, q));
    w.twin("f_eq", good, of(Pos, t.add(one, one)), bad, of(Pos, x));
    let (good, bad) = (w.core.f_indicator(one, d), w.core.f_indicator(one, x));
    w.twin("f_indicator", good, of(NonNeg, d), bad, of(NonNeg, x));
    let left = w.core.f_left(t.guard(x), y).unwrap();
    let (good, bad) = (w.core.f_cut(left, guarded), w.core.f_cut(plus, guarded));
    w.twin("f_cut", good, Claim::Fact(Pos, t.mul(t.guard(x), y), x), bad, of(Pos, x));
    let (good, bad) = (w.core.f_odd(Function::Atan, any), w.core.f_odd(Floor, positive));
    let atan = t.apply(Function::Atan, t.num(-1));
    w.twin("f_odd", good, of(NonZero, atan), bad, of(Pos, t.apply(Floor, half)));
    let shifted = w.core.f_expm1(positive).unwrap();
    let bad_shift = w.core.f_expm1(any).unwrap();
    let (good, bad) = (w.core.f_log(shifted), w.core.f_log(bad_shift));
    w.twin("f_log", good, of(Pos, t.apply(Log, e(two))), bad, of(NonZero, t.apply(Log, t.num(-1))));
    let (good, bad) = (w.core.f_round(Floor, not_less), w.core.f_round(Floor, positive));
    w.twin("f_round", good, of(NonNeg, t.apply(Floor, two)), bad, of(Pos, t.apply(Floor, half)));

    derivatives(&mut w);

    // No rule is left out.
    let all: BTreeSet<&str> = RULES.iter().flat_map(|r| r.iter()).map(|r| r.name).collect();
    let covered: BTreeSet<&str> = w.seen.iter().copied().chain(FREE).collect();
    assert_eq!(all, covered);
}

fn derivatives(w: &mut World) {
    let t = w.t.clone();
    let (v, u, a) = (name(0, 0), name(0, 1), name(1, 0));
    let (one, zero) = (t.num(1), t.num(0));
    let read = |x: u32, n: Name| t.read(x, t.names(&[n]));
    let d = |g: Term, s: Term, ds: Term| Claim::Deriv(Along(0), g, s, ds);
    let (x, h) = (read(0, v), read(20, v));
    let still = read(6, a);
    let (good, bad) = (w.core.d_const(Along(0), one, still), w.core.d_const(Along(0), one, x));
    w.twin("d_const", good, d(one, still, zero), bad, d(one, x, zero));
    let at = t.names(&[v]);
    let (good, bad) = (w.core.d_read(Along(0), one, 0, at), w.core.d_read(Along(0), one, 6, t.names(&[a])));
    w.twin("d_read", good, d(one, x, h), bad, d(one, still, h));
    let p = w.core.d_read(Along(0), one, 0, at).unwrap();
    let other = w.core.d_const(Along(1), one, x).unwrap();
    let (good, bad) = (w.core.d_add(p, p), w.core.d_add(p, other));
    w.twin("d_add", good, d(one, t.add(x, x), t.add(h, h)), bad, d(one, t.add(x, x), t.add(h, zero)));
    let product = |dx: Term, dy: Term| d(one, t.mul(x, x), t.add(t.mul(dx, x), t.mul(x, dy)));
    let (good, bad) = (w.core.d_mul(p, p), w.core.d_mul(p, other));
    w.twin("d_mul", good, product(h, h), bad, product(h, zero));
    let (good, delta) = (w.core.d_sum(v, p), t.delta(t.free(v), t.free(u)));
    // Where v is u, x[v] moves as x[u] does; not all of the sum does.
    let q = w.core.d_read(Along(0), delta, 0, at).unwrap();
    let bad = w.core.d_sum(v, q);
    let sum = t.sum(v, x);
    w.twin("d_sum", good, d(one, sum, t.sum(v, h)), bad, d(delta, sum, t.sum(v, read(20, u))));
    let e = t.apply(Function::Exp, x);
    let (good, bad) = (w.core.d_fn(Exp, p), w.core.d_fn(Inv, p));
    assert_eq!(w.claim(*good.as_ref().unwrap()), d(one, e, t.mul(e, h)));
    w.kink("d_fn", good, bad);
    let positive = w.core.assume(Assumption(0)).unwrap();
    let not_zero = w.core.f_weaken(NonZero, positive).unwrap();
    let (good, bad) = (w.core.d_fn_at(Log, positive, p), w.core.d_fn_at(Log, not_zero, p));
    w.kink("d_fn_at", good, bad);
    let at_least = w.core.f_weaken(NonNeg, positive).unwrap();
    let (good, bad) = (w.core.d_guard(not_zero, p), w.core.d_guard(at_least, p));
    w.kink("d_guard", good, bad);
    let (g, rest) = (t.guard(x), t.sub(one, t.guard(x)));
    for (rule, under, wrong) in [("d_guarded", g, rest), ("d_unguarded", rest, g)] {
        let r = w.core.d_read(Along(0), t.mul(one, under), 0, at).unwrap();
        let s = w.core.d_read(Along(0), t.mul(one, wrong), 0, at).unwrap();
        let (good, bad) = if rule == "d_guarded" {
            (w.core.d_guarded(not_zero, p, r), w.core.d_guarded(not_zero, p, s))
        } else {
            (w.core.d_unguarded(not_zero, p, r), w.core.d_unguarded(not_zero, p, s))
        };
        w.twin(rule, good, d(one, t.mul(under, x), t.mul(under, h)), bad, d(one, t.mul(g, x), zero));
    }
    let y = read(1, v);
    let dy = w.core.d_read(Along(0), one, 1, at).unwrap();
    let differ = w.core.assume(Assumption(1)).unwrap();
    let (good, bad) = (w.core.d_max(v, u, differ, dy), w.core.d_max(v, u, not_zero, dy));
    w.kink("d_max", good, bad);
    for bad in [w.core.d_max(v, v, differ, dy), w.core.d_max(v, u, differ, p)] {
        w.refused("d_max", bad);
    }
    let same = w.core.equal_substitute(t.free(v), t.free(u), v, y).unwrap();
    let (good, bad) =
        (w.core.d_max_shared(v, u, delta, same, differ, dy), w.core.d_max_shared(v, u, one, same, differ, dy));
    w.kink("d_max_shared", good, bad);
    // Each of its conditions by itself. An equation of one with one that rests on what moves makes another rest on it.
    let whole = w.core.guard_true(positive).unwrap();
    let back = w.core.sym(whole).unwrap();
    let ones = w.core.trans(back, whole).unwrap();
    let (_, right) = w.core.sides(same).unwrap();
    let keep = w.core.refl(right).unwrap();
    let resting = w.core.c_mul(ones, keep).unwrap();
    let begin = w.core.ring(right, t.mul(one, right)).unwrap();
    let end = w.core.sym(begin).unwrap();
    let resting = [begin, resting, end].into_iter().fold(same, |p, q| w.core.trans(p, q).unwrap());
    assert_eq!(w.core.sides(resting), w.core.sides(same));
    let refl = w.core.refl(y).unwrap();
    let narrow = w.core.f_right(delta, t.mul(one, t.sub(one, delta))).unwrap();
    let narrow = w.core.f_cut(narrow, differ).unwrap();
    for (bad, why) in [
        (w.core.d_max_shared(v, u, delta, resting, differ, dy), "the equation rests on nothing that moves"),
        (w.core.d_max_shared(v, u, delta, refl, differ, dy), "the equation is of the two values"),
        (w.core.d_max_shared(v, u, x, same, differ, dy), "what says that the values are one function stands still"),
        (w.core.d_max_shared(v, u, delta, same, narrow, dy), "the fact is of values that are not one function"),
        (w.core.d_max(v, u, narrow, dy), "the fact is of different indices"),
        (w.core.d_max(v, u, differ, p), "the fact is of the difference of two values"),
    ] {
        assert_eq!(bad.unwrap_err().why, Why::Condition(why));
    }
    let gap = w.core.assume(Assumption(3)).unwrap();
    let z = w.core.d_read(Along(0), one, 3, at).unwrap();
    let (good, bad) = (w.core.d_step(Floor, gap, z), w.core.d_step(Function::Round, gap, z));
    w.kink("d_step", good, bad);
    let rewrite = w.core.ring(t.mul(one, h), t.mul(one, t.mul(one, h))).unwrap();
    let wrong = w.core.refl(t.mul(one, x)).unwrap();
    let (good, bad) = (w.core.d_eq(p, rewrite), w.core.d_eq(p, wrong));
    w.twin("d_eq", good, d(one, x, t.mul(one, h)), bad, d(one, x, x));
    let under = w.core.d_read(Along(0), g, 0, at).unwrap();
    let left = w.core.f_left(g, h).unwrap();
    let (good, bad) = (w.core.d_weaken(left, under), w.core.d_weaken(not_zero, under));
    w.kink("d_weaken", good, bad);
}

/// Binders are opened in any order.
#[test]
fn nested_binders_are_opened_in_any_order() {
    let core = Core::new(context(), assumptions);
    let t = core.terms();
    let (a, b) = (name(1, 0), name(2, 0));
    let f = t.mul(t.read(6, t.names(&[a])), t.read(4, t.names(&[b])));
    let Node::Sum(1, inner) = t.view(t.sums(&[a, b], f)) else { panic!() };
    let Node::Sum(2, body) = t.view(inner) else { panic!() };
    assert_eq!(t.open(t.open(body, b), a), f);
    let Node::Sum(2, body) = t.view(t.open(inner, a)) else { panic!() };
    assert_eq!(t.open(body, b), f);
}

/// A place in a table says nothing elsewhere, and what does not exist is refused.
#[test]
fn handles_of_another_core_prove_nothing() {
    let mut other = Core::new(context(), assumptions);
    let far = (0..50).fold(other.terms().num(1), |s, _| other.terms().add(s, s));
    let proven = other.refl(far).unwrap();
    let mut core = Core::new(context(), assumptions);
    assert!(core.sym(proven).is_err());
    assert!(core.refl(far).is_err());
    // What is made of it is nothing of it: zero.
    assert_eq!(core.terms().add(far, far), core.terms().num(0));
    assert!(core.assume(Assumption(1_000)).is_err());
    assert!(core.d_const(Along(9), core.terms().num(1), core.terms().num(1)).is_err());
}
