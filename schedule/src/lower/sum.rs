//! Sums and maxima: what is pulled out, what is computed first, and how the rest is accumulated.

use pullback_kernel::Rational;
use pullback_kernel::statement::{DimId, MapKind};

use super::Lower;
use crate::ir::{BufferId, Index, Reduction, Scalar, Step, Var};
use crate::term::{Factor, Product, Term};

/// Where a sum should land if it can: a buffer and a place of it, at variables and parts of a split.
pub(super) type Want<'a> = Option<(BufferId, &'a [Index])>;

/// Whether the place is all of the buffer: what zeroes it first may land nowhere else.
fn whole(want: &Want<'_>) -> bool {
    want.is_some_and(|(_, at)| at.iter().all(|i| matches!(i, Index::Var(_))))
}

fn indices(order: &[Var]) -> Vec<Index> {
    order.iter().map(|v| Index::Var(*v)).collect()
}

/// Whether the place has exactly these variables.
fn spans(at: &[Index], free: &[Var]) -> bool {
    at.len() == free.len() && free.iter().all(|v| at.iter().any(|i| i.has(*v)))
}

/// `[p == q]` with `p` a variable of the result and `q` running with the sum.
#[derive(Clone)]
struct Scatter {
    p: Var,
    q: Index,
}

impl Lower<'_> {
    /// The value of `sum(bound) body` for the variables in scope.
    pub(super) fn sum(&mut self, bound: &[Var], body: &Term, scope: &[Var], want: Want<'_>) -> Scalar {
        let mut bound = bound.to_vec();
        let mut body = body;
        while let Term::Sum(more, inner) = body {
            bound.extend(more);
            body = inner;
        }
        let mut product = Product::of(body);
        if let Some(split) = self.split(&bound, &product, scope) {
            return split;
        }
        if !self.equalities(&mut bound, &mut product.factors) {
            return Scalar::Number(Rational::from_integer(0.into()));
        }
        let scatters = scatters(&bound, &mut product.factors, scope);

        // Factors that do not run with the sum come out of it.
        let runs = |t: &Term, bound: &[Var]| t.free().iter().any(|v| bound.contains(v));
        let (inside, outside): (Vec<Factor>, Vec<Factor>) =
            product.factors.drain(..).partition(|f| runs(&f.term, &bound));
        let mut sizes: Vec<DimId> = vec![];
        bound.retain(|v| {
            let used = inside.iter().any(|f| f.term.free().contains(v)) || scatters.iter().any(|s| s.q.has(*v));
            if !used {
                sizes.push(self.dim(*v));
            }
            used
        });
        let alone = outside.is_empty() && sizes.is_empty() && product.coefficient == Rational::from_integer(1.into());

        // Parts that share no variable of the sum are sums of their own.
        let parts = components(&bound, inside, scatters);
        let want = want.filter(|_| alone && parts.len() == 1);
        let (mut top, mut below): (Vec<Scalar>, Vec<Scalar>) = (vec![], vec![]);
        for f in &outside {
            let scalar = self.lower(&f.term, scope);
            if f.inverse { below.push(scalar) } else { top.push(scalar) }
        }
        top.extend(sizes.into_iter().map(Scalar::Size));
        for (bound, factors, scatters) in parts {
            top.push(self.component(&bound, factors, &scatters, scope, want));
        }
        finish_product(product.coefficient, top, below)
    }

    /// `sum (A + B)` as `sum A + sum B`, where one of them needs fewer variables or is a matrix product.
    fn split(&mut self, bound: &[Var], product: &Product, scope: &[Var]) -> Option<Scalar> {
        let [Factor { term, inverse: false }] = product.factors.as_slice() else { return None };
        let mut terms = vec![];
        summands(term, false, &mut terms);
        if terms.len() < 2 {
            return None;
        }
        let all = term.free().len();
        let pays = terms.iter().any(|(t, _)| {
            let p = Product::of(t);
            t.free().len() < all
                || p.factors.iter().any(|f| matches!(f.term, Term::Equal(..)))
                || (p.factors.len() > 1 && p.factors.iter().all(|f| f.term.free().len() < all))
        });
        if !pays {
            return None;
        }
        let mut total: Option<Scalar> = None;
        for (t, minus) in terms {
            // Every summand gets binders of its own.
            let own = self.rebind(&Term::Sum(bound.to_vec(), Box::new(t)));
            let Term::Sum(vars, body) = own else { continue };
            let value = self.sum(&vars, &body, scope, None);
            total = Some(match (total, minus) {
                (None, false) => value,
                (None, true) => Scalar::Neg(Box::new(value)),
                (Some(a), false) => Scalar::Add(Box::new(a), Box::new(value)),
                (Some(a), true) => Scalar::Sub(Box::new(a), Box::new(value)),
            });
        }
        total.map(|t| finish_product(product.coefficient.clone(), vec![t], vec![]))
    }

    /// Uses up equalities that fix a variable of the sum. False if the sum is empty.
    fn equalities(&self, bound: &mut Vec<Var>, factors: &mut Vec<Factor>) -> bool {
        let mut at = 0;
        while at < factors.len() {
            let Factor { term: Term::Equal(a, b), inverse: false } = &factors[at] else {
                at += 1;
                continue;
            };
            let (a, b) = (a.clone(), b.clone());
            if let (Index::Map(f, x), Index::Map(g, y)) = (&a, &b) {
                let kind = |m: pullback_kernel::statement::MapId| self.statement.maps()[m.0 as usize].kind;
                let injective = matches!(kind(*f), MapKind::Bijection | MapKind::Part { .. });
                if f == g && injective {
                    let each = x
                        .iter()
                        .zip(y)
                        .map(|(x, y)| Factor { term: Term::Equal(x.clone(), y.clone()), inverse: false });
                    factors.splice(at..=at, each);
                    at = 0;
                    continue;
                }
                if let (MapKind::Part { split: s, part: p }, MapKind::Part { split: t, part: q }) = (kind(*f), kind(*g))
                    && s == t
                    && p != q
                {
                    return false;
                }
            }
            if a == b && !self.partial(&a) {
                factors.remove(at);
                at = 0;
                continue;
            }
            let fixed = [(&a, &b), (&b, &a)].into_iter().find_map(|(v, by)| match v {
                Index::Var(v) if bound.contains(v) && !by.has(*v) => Some((*v, by.clone())),
                _ => None,
            });
            if let Some((v, by)) = fixed {
                factors.remove(at);
                bound.retain(|w| *w != v);
                // A read at an undefined place is zero already; without one, the equality itself must be.
                let guarded = !self.partial(&by)
                    || factors
                        .iter()
                        .any(|f| !f.inverse && matches!(&f.term, Term::Read(_, at) if at.contains(&Index::Var(v))));
                for f in factors.iter_mut() {
                    f.term = f.term.substitute(v, &by);
                }
                if !guarded {
                    factors.push(Factor { term: Term::Equal(by.clone(), by), inverse: false });
                }
                at = 0;
                continue;
            }
            at += 1;
        }
        true
    }

    /// A sum whose factors hang together: found among the known ones, or given a buffer.
    fn component(
        &mut self,
        bound: &[Var],
        factors: Vec<Factor>,
        scatters: &[Scatter],
        scope: &[Var],
        want: Want<'_>,
    ) -> Scalar {
        let mut whole = factors.clone();
        whole.extend(
            scatters.iter().map(|s| Factor { term: Term::Equal(Index::Var(s.p), s.q.clone()), inverse: false }),
        );
        let term = Term::Sum(bound.to_vec(), Box::new(Product::term(&whole)));
        if let Some(known) = self.find(&term) {
            return known;
        }
        let free: Vec<Var> = term.free();
        let free: Vec<Var> = scope.iter().copied().filter(|v| free.contains(v)).collect();
        // It lands where it is wanted if it has exactly those axes.
        let want = want.filter(|(_, at)| spans(at, &free));
        let (buffer, at) = if scatters.is_empty() {
            self.plain_sum(&free, bound, factors, want)
        } else {
            self.scatter(&free, bound, &factors, scatters, want)
        };
        self.learn(&term, buffer, &at);
        Scalar::Read(buffer, at)
    }

    /// Zeros, then every term of the sum added at its place; what the places do not depend on is summed first.
    fn scatter(
        &mut self,
        free: &[Var],
        bound: &[Var],
        factors: &[Factor],
        scatters: &[Scatter],
        want: Want<'_>,
    ) -> (BufferId, Vec<Index>) {
        let placed: Vec<Var> = bound.iter().copied().filter(|v| scatters.iter().any(|s| s.q.has(*v))).collect();
        let first: Vec<Var> = bound.iter().copied().filter(|v| !placed.contains(v)).collect();
        let mut scope: Vec<Var> = free.iter().copied().filter(|v| !scatters.iter().any(|s| s.p == *v)).collect();
        scope.extend(&placed);
        let body = Product::term(factors);
        let value = if first.is_empty() { self.lower(&body, &scope) } else { self.sum(&first, &body, &scope, None) };
        let (buffer, made) = match want.filter(|_| whole(&want)) {
            Some((buffer, at)) => (buffer, at.to_vec()),
            None => (self.local("t", free), indices(free)),
        };
        let at = made
            .iter()
            .map(|i| scatters.iter().find(|s| *i == Index::Var(s.p)).map_or_else(|| i.clone(), |s| s.q.clone()))
            .collect();
        // Loops in the order in which the value lies in memory.
        let mut loops = read_order(&value).unwrap_or_default();
        loops.retain(|v| scope.contains(v));
        loops.extend(scope.iter().filter(|v| !loops.contains(v)).copied().collect::<Vec<_>>());
        self.steps.push(Step::Zero { target: buffer });
        self.emit(loops, vec![Step::Add { target: buffer, at, value }]);
        (buffer, made)
    }

    /// A sum of a product of reads: variables that need not meet all others are summed first.
    fn plain_sum(
        &mut self,
        free: &[Var],
        bound: &[Var],
        mut factors: Vec<Factor>,
        want: Want<'_>,
    ) -> (BufferId, Vec<Index>) {
        let mut bound = bound.to_vec();
        while factors.len() > 1 {
            let all = variables(factors.iter());
            let best = bound
                .iter()
                .map(|v| {
                    let with: Vec<usize> = (0..factors.len()).filter(|i| factors[*i].term.free().contains(v)).collect();
                    (variables(with.iter().map(|i| &factors[*i])), with)
                })
                .filter(|(met, _)| met.len() < all.len())
                .min_by_key(|(met, with)| (met.len(), with.clone()));
            let Some((met, with)) = best else { break };
            let gone: Vec<Var> = bound
                .iter()
                .copied()
                .filter(|v| {
                    (0..factors.len()).all(|i| with.contains(&i) || !factors[i].term.free().contains(v))
                        && met.contains(v)
                })
                .collect();
            let mut inner = vec![];
            for i in with.into_iter().rev() {
                inner.insert(0, factors.remove(i));
            }
            bound.retain(|v| !gone.contains(v));
            let scope: Vec<Var> = free.iter().chain(&bound).copied().filter(|v| met.contains(v)).collect();
            let value = self.sum(&gone, &Product::term(&inner), &scope, None);
            factors.push(Factor { term: Term::from(&value), inverse: false });
        }
        if let Some(done) = self.contract(free, &bound, &factors, want) {
            return done;
        }
        self.accumulate(free, &bound, &factors, want)
    }

    /// Loops that add up, innermost along memory.
    pub(super) fn accumulate(
        &mut self,
        free: &[Var],
        bound: &[Var],
        factors: &[Factor],
        want: Want<'_>,
    ) -> (BufferId, Vec<Index>) {
        let scope: Vec<Var> = free.iter().chain(bound).copied().collect();
        let value = self.lower(&Product::term(factors), &scope);
        let mut memory = read_order(&value).unwrap_or_default();
        memory.retain(|v| scope.contains(v));
        let across = memory.last().is_some_and(|v| free.contains(v));
        let (buffer, at) = match want.filter(|_| whole(&want) || !across) {
            Some((buffer, at)) => (buffer, at.to_vec()),
            None => (self.local("t", free), indices(free)),
        };
        if across {
            // The result runs along memory and the sum across it: keep a row of partial sums.
            let missing: Vec<Var> = scope.iter().copied().filter(|v| !memory.contains(v)).collect();
            memory.splice(0..0, missing);
            self.steps.push(Step::Zero { target: buffer });
            self.emit(memory, vec![Step::Add { target: buffer, at: at.clone(), value }]);
            return (buffer, at);
        }
        let mut inner: Vec<Var> = memory.into_iter().filter(|v| bound.contains(v)).collect();
        inner.extend(bound.iter().filter(|v| !inner.contains(v)).copied().collect::<Vec<_>>());
        let name = self.buffers[buffer.0 as usize].name.clone();
        let temp = self.temp(&name);
        let fold = Step::Fold { temp, how: Reduction::Sum, value };
        let mut body = vec![Step::Start { temp, value: None }];
        body.push(if inner.is_empty() { fold } else { Step::Loop { vars: inner, body: vec![fold] } });
        body.push(Step::Set { target: buffer, at: at.clone(), value: Scalar::Temp(temp) });
        self.emit(loop_order(&at, free), body);
        (buffer, at)
    }

    /// The value of `max(bound) body`.
    pub(super) fn max(&mut self, bound: &[Var], body: &Term, scope: &[Var], want: Want<'_>) -> Scalar {
        let term = Term::Max(bound.to_vec(), Box::new(body.clone()));
        if let Some(known) = self.find(&term) {
            return known;
        }
        let free = term.free();
        let free: Vec<Var> = scope.iter().copied().filter(|v| free.contains(v)).collect();
        let inner: Vec<Var> = free.iter().chain(bound).copied().collect();
        let value = self.lower(body, &inner);
        let want = want.filter(|(_, at)| spans(at, &free));
        let (buffer, at) = match want {
            Some((buffer, at)) => (buffer, at.to_vec()),
            None => (self.local("m", &free), indices(&free)),
        };
        let name = self.buffers[buffer.0 as usize].name.clone();
        let temp = self.temp(&name);
        let first = value.replace(&|v| bound.contains(&v).then_some(Index::First));
        let body = vec![
            Step::Start { temp, value: Some(first) },
            Step::Loop { vars: bound.to_vec(), body: vec![Step::Fold { temp, how: Reduction::Max, value }] },
            Step::Set { target: buffer, at: at.clone(), value: Scalar::Temp(temp) },
        ];
        self.emit(loop_order(&at, &free), body);
        self.learn(&term, buffer, &at);
        Scalar::Read(buffer, at)
    }
}

/// The variables in the order in which the place has them.
fn loop_order(at: &[Index], free: &[Var]) -> Vec<Var> {
    let mut order = vec![];
    at.iter().for_each(|i| i.each_var(&mut |v| order.push(v)));
    debug_assert_eq!(order.len(), free.len());
    order
}

/// The variables of the factors, each once.
pub(super) fn variables<'a>(factors: impl Iterator<Item = &'a Factor>) -> Vec<Var> {
    let mut all = vec![];
    for f in factors {
        for v in f.term.free() {
            if !all.contains(&v) {
                all.push(v);
            }
        }
    }
    all
}

/// Takes out `[p == q]` where `p` is a variable of the result and `q` runs with the sum.
fn scatters(bound: &[Var], factors: &mut Vec<Factor>, scope: &[Var]) -> Vec<Scatter> {
    let mut found: Vec<Scatter> = vec![];
    let mut at = 0;
    while at < factors.len() {
        let place = match &factors[at] {
            Factor { term: Term::Equal(a, b), inverse: false } => {
                [(a, b), (b, a)].into_iter().find_map(|(p, q)| match p {
                    Index::Var(p)
                        if scope.contains(p)
                            && !bound.contains(p)
                            && !q.has(*p)
                            && bound.iter().any(|v| q.has(*v))
                            && found.iter().all(|s| s.p != *p && !q.has(s.p) && !s.q.has(*p)) =>
                    {
                        Some(Scatter { p: *p, q: q.clone() })
                    }
                    _ => None,
                })
            }
            _ => None,
        };
        match place {
            Some(scatter) => {
                factors.remove(at);
                for f in factors.iter_mut() {
                    f.term = f.term.substitute(scatter.p, &scatter.q);
                }
                found.push(scatter);
                at = 0;
            }
            None => at += 1,
        }
    }
    found
}

type Part = (Vec<Var>, Vec<Factor>, Vec<Scatter>);

/// Groups factors and places that share a variable of the sum.
fn components(bound: &[Var], factors: Vec<Factor>, scatters: Vec<Scatter>) -> Vec<Part> {
    let mut parts: Vec<Part> = vec![];
    let join = |parts: &mut Vec<Part>, vars: Vec<Var>| -> usize {
        let mut merged: Part = (vars, vec![], vec![]);
        let mut at = None;
        let mut i = 0;
        while i < parts.len() {
            if parts[i].0.iter().any(|v| merged.0.contains(v)) {
                let part = parts.remove(i);
                merged.0.extend(part.0.iter().filter(|v| !merged.0.contains(v)).copied().collect::<Vec<_>>());
                merged.1.extend(part.1);
                merged.2.extend(part.2);
                at.get_or_insert(i);
            } else {
                i += 1;
            }
        }
        let at = at.unwrap_or(parts.len());
        parts.insert(at, merged);
        at
    };
    for f in factors {
        let vars = f.term.free().into_iter().filter(|v| bound.contains(v)).collect();
        let at = join(&mut parts, vars);
        parts[at].1.push(f);
    }
    for s in scatters {
        let vars = bound.iter().copied().filter(|v| s.q.has(*v)).collect();
        let at = join(&mut parts, vars);
        parts[at].2.push(s);
    }
    for part in &mut parts {
        // In the order of the binder.
        part.0 = bound.iter().copied().filter(|v| part.0.contains(v)).collect();
    }
    parts
}

fn summands(term: &Term, minus: bool, out: &mut Vec<(Term, bool)>) {
    match term {
        Term::Add(a, b) => {
            summands(a, minus, out);
            summands(b, minus, out);
        }
        Term::Sub(a, b) => {
            summands(a, minus, out);
            summands(b, !minus, out);
        }
        Term::Neg(a) => summands(a, !minus, out),
        _ => out.push((term.clone(), minus)),
    }
}

fn finish_product(coefficient: Rational, mut top: Vec<Scalar>, below: Vec<Scalar>) -> Scalar {
    let one = Rational::from_integer(1.into());
    let minus = coefficient == -one.clone();
    if coefficient != one && !minus {
        top.insert(0, Scalar::Number(coefficient));
    }
    let product = |list: Vec<Scalar>| list.into_iter().reduce(|a, b| Scalar::Mul(Box::new(a), Box::new(b)));
    let above = product(top).unwrap_or(Scalar::Number(one));
    let value = match product(below) {
        None => above,
        Some(below) => Scalar::Div(Box::new(above), Box::new(below)),
    };
    if minus { Scalar::Neg(Box::new(value)) } else { value }
}

/// The variables of the read with the most of them, in the order in which it lies in memory.
pub(super) fn read_order(value: &Scalar) -> Option<Vec<Var>> {
    let mut best: Option<Vec<Var>> = None;
    value.visit(&mut |part| {
        if let Scalar::Read(_, at) = part {
            let mut vars = vec![];
            for i in at {
                i.each_var(&mut |v| {
                    if !vars.contains(&v) {
                        vars.push(v);
                    }
                });
            }
            if best.as_ref().is_none_or(|b| vars.len() > b.len()) {
                best = Some(vars);
            }
        }
    });
    best
}
