//! Random calls that might do: the arguments of each rule are made so that its premises are often met.

use pullback_kernel::core::{Along, Assumption, Claim, Function, Index, Node, Proven, Refused, Sign, Term};

use crate::fuzz::{ASSUMED, Fuzz, context, name};

impl Fuzz {
    /// A claim of a form, if there is one.
    fn claim(&mut self, form: impl Fn(Claim) -> bool) -> Option<(Proven, Claim)> {
        let n = self.claims.len().max(1);
        let start = self.below(n);
        let found =
            self.claims[start.min(self.claims.len())..].iter().chain(&self.claims[..start.min(self.claims.len())]);
        found.copied().find(|(_, c)| form(*c))
    }
    fn equation(&mut self) -> Option<(Proven, Term, Term)> {
        match self.claim(|c| matches!(c, Claim::Eq(..)))? {
            (p, Claim::Eq(s, t)) => Some((p, s, t)),
            _ => None,
        }
    }
    /// A fact, mostly of this sign: one of another must be refused.
    fn fact(&mut self, sign: Option<Sign>) -> Option<(Proven, Sign, Term, Term)> {
        let sign = sign.filter(|_| self.random.below(4) > 0);
        match self.claim(|c| matches!(c, Claim::Fact(k, ..) if sign.is_none_or(|s| s == k)))? {
            (p, Claim::Fact(k, g, e)) => Some((p, k, g, e)),
            _ => None,
        }
    }
    fn fact_under(&mut self, sign: Option<Sign>, guard: Term) -> Option<Proven> {
        let form = |c| matches!(c, Claim::Fact(k, g, _) if g == guard && sign.is_none_or(|s| s == k));
        self.claim(form).map(|(p, _)| p)
    }
    fn same(&mut self) -> Option<(Proven, Index, Index)> {
        match self.claim(|c| matches!(c, Claim::Same(..)))? {
            (p, Claim::Same(a, b)) => Some((p, a, b)),
            _ => None,
        }
    }
    fn deriv(&mut self) -> Option<(Proven, Along, Term, Term, Term)> {
        match self.claim(|c| matches!(c, Claim::Deriv(..)))? {
            (p, Claim::Deriv(d, g, s, ds)) => Some((p, d, g, s, ds)),
            _ => None,
        }
    }
    /// A guarded equation of two ways to write a term.
    fn guarded(&mut self, g: Term, a: Term) -> Option<Proven> {
        let b = self.rewritten(a);
        self.core.ring(self.t.mul(g, a), self.t.mul(g, b)).ok()
    }
    /// A derivative of something under a guard.
    fn derived(&mut self, d: Along, g: Term) -> Option<Proven> {
        let s = self.small();
        self.derive(d, g, s, 3)
    }
    fn derive(&mut self, d: Along, g: Term, s: Term, depth: usize) -> Option<Proven> {
        if let Ok(p) = self.core.d_const(d, g, s) {
            return Some(p);
        }
        if depth == 0 {
            return None;
        }
        match self.t.view(s) {
            Node::Read(x, a) => self.core.d_read(d, g, x, a).ok(),
            Node::Add(a, b) => {
                let (p, q) = (self.derive(d, g, a, depth - 1)?, self.derive(d, g, b, depth - 1)?);
                self.core.d_add(p, q).ok()
            }
            Node::Mul(a, b) => {
                let (p, q) = (self.derive(d, g, a, depth - 1)?, self.derive(d, g, b, depth - 1)?);
                self.core.d_mul(p, q).ok()
            }
            Node::Fn(f, a) => {
                let p = self.derive(d, g, a, depth - 1)?;
                self.core.d_fn(f, p).ok()
            }
            _ => None,
        }
    }
    /// A fact of the directions' first tensors that are not zero, with the derivative of the term.
    fn moving(&mut self) -> Option<(Proven, Proven, Along, Term, Term)> {
        let n = self.random.pick(&[0u32, 2]);
        let mut p = self.core.assume(Assumption(n)).ok()?;
        if n == 0 && self.below(2) == 0 {
            p = self.core.f_weaken(Sign::NonZero, p).ok()?;
        }
        let (g, one) = (self.guard(), self.t.num(1));
        let nonzero = self.core.f_num(Sign::NonZero, g, one).ok()?;
        let p = self.core.f_cut(nonzero, p).ok()?;
        let Some(Claim::Fact(_, _, a)) = self.core.claim(p) else { return None };
        let d = Along(if n == 0 { 0 } else { 1 });
        let q = self.derive(d, g, a, 2)?;
        Some((p, q, d, g, a))
    }

    /// A call of the rule with arguments that might do.
    pub(crate) fn call(&mut self, rule: &str) -> Option<Result<Proven, Refused>> {
        use Sign::{NonNeg, NonZero, Pos};
        let t = self.t.clone();
        Some(match rule {
            "assume" => {
                let n = self.below(ASSUMED as usize + 1) as u32;
                self.core.assume(Assumption(n))
            }
            "inst" => {
                let (p, _) = self.claim(|_| true)?;
                let v = self.name();
                let a = self.index_of(v.dimension);
                self.core.inst(p, v, a)
            }
            "inst_fact" => {
                let (p, ..) = self.fact(None)?;
                let v = self.name();
                let a = self.index_of(v.dimension);
                self.core.inst_fact(p, v, a)
            }
            "refl" => {
                let s = self.small();
                self.core.refl(s)
            }
            "sym" => {
                let (p, ..) = self.equation()?;
                self.core.sym(p)
            }
            "trans" => {
                let (p, _, s) = self.equation()?;
                let q = if self.below(3) == 0 {
                    let r = self.rewritten(s);
                    self.core.ring(s, r).ok()?
                } else {
                    self.claim(|c| matches!(c, Claim::Eq(a, _) if a == s))?.0
                };
                self.core.trans(p, q)
            }
            "c_add" | "c_mul" => {
                let (p, q) = (self.equation()?.0, self.equation()?.0);
                if rule == "c_add" { self.core.c_add(p, q) } else { self.core.c_mul(p, q) }
            }
            "c_sum" | "c_max" => {
                let (v, (p, ..)) = (self.name(), self.equation()?);
                if rule == "c_sum" { self.core.c_sum(v, p) } else { self.core.c_max(v, p) }
            }
            "c_fn" | "c_guard" => {
                let (g, a) = (self.guard(), self.small());
                let p = match self.below(3) {
                    0 => self.claim(|c| matches!(c, Claim::Eq(s, _) if matches!(t.view(s), Node::Mul(..))))?.0,
                    _ => self.guarded(g, a)?,
                };
                let f = self.random.pick(&Function::ALL).0;
                if rule == "c_fn" { self.core.c_fn(f, p) } else { self.core.c_guard(p) }
            }
            "ring" => {
                let (a, b, c) = (self.small(), self.small(), self.small());
                let (s, r) = match self.below(4) {
                    0 => (t.mul(a, t.add(b, c)), t.add(t.mul(b, a), t.mul(a, c))),
                    1 => (t.mul(t.guard(a), t.mul(b, t.guard(a))), t.mul(t.guard(a), b)),
                    2 => (t.add(a, b), t.add(b, a)),
                    _ => (a, b),
                };
                self.core.ring(s, r)
            }
            "sum_add" | "sum_scale" | "sum_swap" => {
                let (v, w, a, b) = (self.name(), self.name(), self.small(), self.small());
                match rule {
                    "sum_add" => self.core.sum_add(v, a, b),
                    "sum_scale" => self.core.sum_scale(v, a, b),
                    _ => self.core.sum_swap(v, w, a),
                }
            }
            "sum_size" => {
                let v = self.name();
                self.core.sum_size(v)
            }
            "sum_delta" => {
                let (v, f) = (self.name(), self.small());
                let d = if self.below(5) == 0 { self.below(4) as u32 } else { v.dimension };
                let a = self.index_of(d);
                self.core.sum_delta(v, a, f)
            }
            "sum_split" => {
                let (v, ws) = (self.name_of(0), vec![self.name_of(1), self.name_of(2)]);
                let f = self.small();
                self.core.sum_split(v, ws, f)
            }
            "sum_reindex" => {
                let (v, ws) = (self.name_of(3), vec![self.name_of(1), self.name_of(2)]);
                let f = self.small();
                self.core.sum_reindex(v, ws, 2, f)
            }
            "replace" | "replace_index" => {
                let (p, ..) = self.same()?;
                let (v, f, a) = (self.name(), self.small(), self.index());
                if rule == "replace" { self.core.replace(v, f, p) } else { self.core.replace_index(v, a, p) }
            }
            "same_refl" | "same_unit" | "same_tuple" => {
                let a = if self.below(3) == 0 { t.map(3, self.index_of(3)) } else { self.index() };
                match rule {
                    "same_refl" => self.core.same_refl(a),
                    "same_unit" => self.core.same_unit(a),
                    _ => self.core.same_tuple(a),
                }
            }
            "same_sym" => {
                let (p, ..) = self.same()?;
                self.core.same_sym(p)
            }
            "same_trans" => {
                let (p, _, b) = self.same()?;
                let (q, _) = self.claim(|c| matches!(c, Claim::Same(a, _) if a == b))?;
                self.core.same_trans(p, q)
            }
            "inverse_map" | "map_inverse" => {
                let (three, pair) = (self.index_of(3), t.pair(self.index_of(1), self.index_of(2)));
                let forward = (rule == "inverse_map") != (self.below(2) == 0);
                let (m, a) = match (rule, forward) {
                    ("inverse_map", true) | ("map_inverse", false) => (2, pair),
                    _ => (3, three),
                };
                let (m, a) = if rule == "map_inverse" { (if m == 2 { 3 } else { 2 }, a) } else { (m, a) };
                if rule == "inverse_map" { self.core.inverse_map(m, a) } else { self.core.map_inverse(m, a) }
            }
            "same_eta" => {
                let v = self.name();
                self.core.same_eta(v)
            }
            "same_pair" => {
                let (k, a, b) = (self.below(3) as u32, self.index(), self.index());
                self.core.same_pair(k, a, b)
            }
            "equal_substitute" => {
                let (v, f, a, b) = (self.name(), self.small(), self.index(), self.index());
                self.core.equal_substitute(a, b, v, f)
            }
            "delta_sym" | "delta_def" | "def_pair" => {
                let (a, b) = (self.index(), self.index());
                match rule {
                    "delta_sym" => self.core.delta_sym(a, b),
                    "delta_def" => self.core.delta_def(a, b),
                    _ => self.core.def_pair(a, b),
                }
            }
            "delta_refl" | "def_total" => {
                let a = self.index();
                if rule == "delta_refl" { self.core.delta_refl(a) } else { self.core.def_total(a) }
            }
            "read_def" | "def_map" => {
                let (x, a) = (self.below(6) as u32, self.index());
                if rule == "read_def" { self.core.read_def(x, a) } else { self.core.def_map(x, a) }
            }
            "delta_pair" => {
                let (a, b, c, d) = (self.index(), self.index(), self.index(), self.index());
                self.core.delta_pair(a, b, c, d)
            }
            "delta_injective" => {
                let m = self.below(6) as u32;
                let (mut a, mut b) = (self.index(), self.index());
                if self.below(4) > 0 {
                    let from = context().maps[m as usize].from.clone();
                    let mut tuple =
                        || from.iter().map(|d| self.index_of(*d)).reduce(|a, b| t.pair(a, b)).unwrap_or(t.unit());
                    (a, b) = (tuple(), tuple());
                }
                self.core.delta_injective(m, a, b)
            }
            "delta_apart" => {
                let (p, q) = (self.below(3) as u32, self.below(3) as u32);
                let (a, b) = (self.index_of(p + 1), self.index_of(q + 1));
                self.core.delta_apart(0, p, q, a, b)
            }
            "exp_add" | "inv_mul" => {
                let (a, b) = (self.small(), self.small());
                if rule == "exp_add" { self.core.exp_add(a, b) } else { self.core.inv_mul(a, b) }
            }
            "exp_zero" => self.core.exp_zero(),
            "log_exp" | "inv_inv" | "tanh_exp" | "sin_odd" | "cos_even" | "sin_cos" => {
                let a = self.small();
                match rule {
                    "log_exp" => self.core.log_exp(a),
                    "inv_inv" => self.core.inv_inv(a),
                    "tanh_exp" => self.core.tanh_exp(a),
                    "sin_odd" => self.core.sin_odd(a),
                    "cos_even" => self.core.cos_even(a),
                    _ => self.core.sin_cos(a),
                }
            }
            "fn_odd" => {
                let (f, a) = (self.random.pick(&Function::ALL).0, self.small());
                self.core.fn_odd(f, a)
            }
            "inv_num" => {
                let a = self.number();
                self.core.inv_num(a)
            }
            "exp_log" | "guard_true" | "f_sqrt" => {
                let (p, ..) = self.fact(Some(Pos))?;
                match rule {
                    "exp_log" => self.core.exp_log(p),
                    "guard_true" => self.core.guard_true(p),
                    _ => self.core.f_sqrt(p),
                }
            }
            "log_mul" | "sqrt_mul" => {
                let sign = if rule == "log_mul" { Pos } else { NonNeg };
                let (p, _, g, _) = self.fact(Some(sign))?;
                let q = self.fact_under(Some(sign), g)?;
                if rule == "log_mul" { self.core.log_mul(p, q) } else { self.core.sqrt_mul(p, q) }
            }
            "inv_cancel" | "guard_flip" => {
                let (p, ..) = self.fact(Some(NonZero))?;
                if rule == "inv_cancel" { self.core.inv_cancel(p) } else { self.core.guard_flip(p) }
            }
            "sqrt_square" => {
                let (p, ..) = self.fact(Some(NonNeg))?;
                self.core.sqrt_square(p)
            }
            "guard_false" => {
                let a = self.small();
                let p = self.core.f_unguard(a).ok()?;
                self.core.guard_false(p, a)
            }
            "guard_scale" => {
                let (p, ..) = self.fact(Some(Pos))?;
                let a = self.small();
                self.core.guard_scale(p, a)
            }
            "antisym" => {
                let (g, a) = (self.guard(), self.small());
                let b = self.rewritten(a);
                let zero = self.core.f_num(NonNeg, g, t.num(0)).ok()?;
                let one_way = self.core.ring(t.mul(g, t.num(0)), t.mul(g, t.sub(a, b))).ok()?;
                let other = self.core.ring(t.mul(g, t.num(0)), t.mul(g, t.sub(b, a))).ok()?;
                let (p, q) = (self.core.f_eq(zero, one_way).ok()?, self.core.f_eq(zero, other).ok()?);
                self.core.antisym(p, q)
            }
            "max_ge" | "max_le" => {
                let (g, v, f) = (self.guard(), self.name(), self.small());
                let a = if rule == "max_le" { t.free(v) } else { self.index_of(v.dimension) };
                let p = self.core.max_ge(g, v, a, f);
                if rule == "max_ge" { p } else { self.core.max_le(v, f, p.ok()?) }
            }
            "max_attained" => {
                let (g, v, f) = (self.guard(), self.name(), self.small());
                self.core.max_attained(g, v, f)
            }
            "f_num" => {
                let (k, g, a) = (self.sign(), self.guard(), self.number());
                self.core.f_num(k, g, a)
            }
            "f_size" => {
                let (g, d) = (self.guard(), self.below(4) as u32);
                self.core.f_size(g, d)
            }
            "f_exp" | "f_square" | "f_sqrt0" | "f_indicator" | "f_erf" | "f_floor" => {
                let (g, a) = (self.guard(), self.small());
                match rule {
                    "f_exp" => self.core.f_exp(g, a),
                    "f_square" => self.core.f_square(g, a),
                    "f_sqrt0" => self.core.f_sqrt0(g, a),
                    "f_indicator" => self.core.f_indicator(g, a),
                    "f_erf" => self.core.f_erf(g, a),
                    _ => self.core.f_floor(g, a),
                }
            }
            "f_add" | "f_mul" => {
                let (p, _, g, _) = self.fact(None)?;
                let q = self.fact_under(None, g)?;
                if rule == "f_add" { self.core.f_add(p, q) } else { self.core.f_mul(p, q) }
            }
            "f_inv" | "f_expm1" | "f_log" => {
                let (p, ..) = self.fact(None)?;
                match rule {
                    "f_inv" => self.core.f_inv(p),
                    "f_expm1" => self.core.f_expm1(p),
                    _ => {
                        let p = self.core.f_expm1(p).ok()?;
                        self.core.f_log(p)
                    }
                }
            }
            "f_odd" | "f_round" => {
                let (p, ..) = self.fact(if rule == "f_round" { Some(NonNeg) } else { None })?;
                let f = self.random.pick(&Function::ALL).0;
                if rule == "f_odd" { self.core.f_odd(f, p) } else { self.core.f_round(f, p) }
            }
            "f_sum" => {
                let (v, (p, ..)) = (self.name(), self.fact(None)?);
                self.core.f_sum(v, p)
            }
            "f_sum_weighted" => {
                // The weights are indicators of one index among all.
                let (v, i) = (self.name(), self.name());
                let i = t.free(name(v.dimension, 5 + i.number));
                let (one, w) = (t.num(1), t.delta(t.free(v), i));
                let weights = self.core.f_indicator(one, w).ok()?;
                let eliminate = self.core.sum_delta(v, i, one).ok()?;
                let def = self.core.def_total(i).ok()?;
                let keep = self.core.refl(one).ok()?;
                let def = self.core.c_mul(def, keep).ok()?;
                let total = self.core.trans(eliminate, def).ok()?;
                let plain = self.core.ring(w, t.mul(w, one)).ok()?;
                let plain = self.core.c_sum(v, plain).ok()?;
                let total = self.core.trans(plain, total).ok()?;
                let total = self.core.sym(total).ok()?;
                let total = self.core.c_mul(keep, total).ok()?;
                let positive = self.core.f_num(Pos, one, one).ok()?;
                let begin = self.core.ring(t.mul(one, one), t.mul(one, t.mul(one, one))).ok()?;
                let total = self.core.trans(begin, total).ok()?;
                let total = self.core.f_eq(positive, total).ok()?;
                let values = self.fact_under(Some(Pos), one)?;
                self.core.f_sum_weighted(v, total, weights, values)
            }
            "f_cases" => {
                let (g, a) = (self.guard(), self.small());
                let i = t.guard(a);
                let yes = self.core.f_guard(a).ok()?;
                let other = self.core.f_unguard(a).ok()?;
                let (right, rest) = (self.core.f_right(g, i).ok()?, self.core.f_right(g, t.sub(t.num(1), i)).ok()?);
                let no = self.core.f_cut(rest, other).ok()?;
                let yes = self.core.f_weaken(NonNeg, yes).ok()?;
                let yes = self.core.f_cut(right, yes).ok()?;
                self.core.f_cases(i, yes, no)
            }
            "f_weaken" => {
                let (p, ..) = self.fact(Some(Pos))?;
                let k = self.sign();
                self.core.f_weaken(k, p)
            }
            "f_both" => {
                let (p, ..) = self.fact(Some(Pos))?;
                let (p, q) = (self.core.f_weaken(NonNeg, p).ok()?, self.core.f_weaken(NonZero, p).ok()?);
                self.core.f_both(p, q)
            }
            "f_eq" => {
                let (p, _, g, a) = self.fact(None)?;
                let q = self.guarded(g, a)?;
                self.core.f_eq(p, q)
            }
            "f_guard" | "f_unguard" | "f_self" => {
                let a = self.small();
                match rule {
                    "f_guard" => self.core.f_guard(a),
                    "f_unguard" => self.core.f_unguard(a),
                    _ => self.core.f_self(a),
                }
            }
            "f_left" | "f_right" => {
                let (a, b) = (self.small(), self.small());
                if rule == "f_left" { self.core.f_left(a, b) } else { self.core.f_right(a, b) }
            }
            "f_cut" => {
                let (q, _, h, _) = self.fact(None)?;
                let g = self.small();
                let p = match self.below(3) {
                    0 => self.claim(|c| matches!(c, Claim::Fact(NonZero, _, e) if e == h))?.0,
                    1 => self.core.f_left(h, g).ok()?,
                    _ => self.core.f_right(g, h).ok()?,
                };
                self.core.f_cut(p, q)
            }
            "d_const" => {
                let (d, g, s) = (self.below(3) as u32, self.guard(), self.small());
                self.core.d_const(Along(d), g, s)
            }
            "d_read" => {
                let (d, g, x, a) = (self.below(3) as u32, self.guard(), self.below(7) as u32, self.index());
                self.core.d_read(Along(d), g, x, a)
            }
            "d_add" | "d_mul" => {
                let (p, d, g, ..) = self.deriv()?;
                let q = self.derived(d, g)?;
                if rule == "d_add" { self.core.d_add(p, q) } else { self.core.d_mul(p, q) }
            }
            "d_sum" => {
                let (v, (p, ..)) = (self.name(), self.deriv()?);
                self.core.d_sum(v, p)
            }
            "d_fn" => {
                let (p, ..) = self.deriv()?;
                let f = self.random.pick(&Function::ALL).0;
                self.core.d_fn(f, p)
            }
            "d_fn_at" | "d_guard" | "d_guarded" | "d_unguarded" => {
                let (p, q, d, g, a) = self.moving()?;
                let f = self.random.pick(&[Function::Log, Function::Sqrt, Function::Inv]);
                match rule {
                    "d_fn_at" => self.core.d_fn_at(f, p, q),
                    "d_guard" => self.core.d_guard(p, q),
                    "d_guarded" => {
                        let r = self.derived(d, t.mul(g, t.guard(a)))?;
                        self.core.d_guarded(p, q, r)
                    }
                    _ => {
                        let r = self.derived(d, t.mul(g, t.sub(t.num(1), t.guard(a))))?;
                        self.core.d_unguarded(p, q, r)
                    }
                }
            }
            "d_max" => {
                let p = self.core.assume(Assumption(1)).ok()?;
                let (v, w) = (name(0, 0), name(0, 1));
                let q = self.derive(Along(0), t.num(1), t.read(1, t.names(&[v])), 1)?;
                self.core.d_max(v, w, p, q)
            }
            "d_max_shared" => {
                let p = self.core.assume(Assumption(5)).ok()?;
                let (v, w) = (name(0, 0), name(0, 1));
                let (a, b) = (t.map(5, t.free(v)), t.map(5, t.free(w)));
                let f = t.read(4, t.tuple(&[a]));
                let same = self.core.equal_substitute(a, b, name(2, 9), t.read(4, t.names(&[name(2, 9)]))).ok()?;
                let q = self.derive(Along(2), t.num(1), f, 1)?;
                self.core.d_max_shared(v, w, t.delta(a, b), same, p, q)
            }
            "d_step" => {
                let round = self.below(2) as u32;
                let p = self.core.assume(Assumption(3 + round)).ok()?;
                let q = self.derive(Along(0), t.num(1), t.read(3, t.names(&[name(0, 0)])), 1)?;
                self.core.d_step(if round == 0 { Function::Floor } else { Function::Round }, p, q)
            }
            "d_eq" => {
                let (p, _, g, _, ds) = self.deriv()?;
                let q = self.guarded(g, ds)?;
                self.core.d_eq(p, q)
            }
            "d_weaken" => {
                let (q, _, h, ..) = self.deriv()?;
                let g = self.small();
                let p = self.core.f_right(g, h).ok()?;
                self.core.d_weaken(p, q)
            }
            other => panic!("no arguments for {other}"),
        })
    }
}
