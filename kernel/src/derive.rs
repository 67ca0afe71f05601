//! Derivation: the backward rule and the directional derivative of a statement, as expressions.
//!
//! Reverse mode over the definitions of a statement: every output and every `let` has a cotangent, and a
//! read contributes the reader's cotangent times the slope of the reader by it. The result is an ordinary
//! rule that [`prove`](crate::prove) checks like any other: nothing here is trusted.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::Rational;
use crate::budget::{Budget, Meter};
use crate::limits::{DERIVED, DERIVED_DEPTH};
use crate::normal::{Atom, Env, Family, Ix, Rules};
use crate::source::{Name, Span};
use crate::statement::{
    Clause, Comparison, Defined, DimId, Expr, ExprKind, Function, Index, Local, LocalKind, Statement, Tensor,
    TensorDecl, Values, VarId, Variable,
};

fn at(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}
fn number(n: i64, span: Span) -> Expr {
    at(ExprKind::Number(Rational::from_integer(n.into())), span)
}
fn times(a: Expr, b: Expr) -> Expr {
    let span = a.span;
    match (&a.kind, &b.kind) {
        (ExprKind::Number(q), _) if num_traits::One::is_one(q) => b,
        (_, ExprKind::Number(q)) if num_traits::One::is_one(q) => a,
        _ => at(ExprKind::Mul(Box::new(a), Box::new(b)), span),
    }
}
fn plus(a: Expr, b: Expr) -> Expr {
    let span = a.span;
    at(ExprKind::Add(Box::new(a), Box::new(b)), span)
}
fn call(f: Function, a: &Expr) -> Expr {
    at(ExprKind::Call(f, Box::new(a.clone())), a.span)
}

/// One read of a tensor inside an expression: where, under which sums, and the slope of the expression by it.
struct Read {
    tensor: Tensor,
    at: Vec<Index>,
    sums: Vec<VarId>,
    slope: Expr,
}

/// The slope of a function at `a`.
fn slope(f: Function, a: &Expr) -> Expr {
    let span = a.span;
    let neg = |e: Expr| at(ExprKind::Neg(Box::new(e)), span);
    let pow = |e: Expr, k: i32| at(ExprKind::Pow(Box::new(e), k), span);
    let half = |e: Expr| times(at(ExprKind::Number(Rational::new(1.into(), 2.into())), span), e);
    match f {
        Function::Exp => call(f, a),
        Function::Tanh => at(ExprKind::Sub(Box::new(number(1, span)), Box::new(pow(call(f, a), 2))), span),
        Function::Recip => neg(pow(call(f, a), 2)),
        Function::Rsqrt => neg(half(pow(call(f, a), 3))),
        Function::Sqrt => half(call(Function::Rsqrt, a)),
        Function::Log => call(Function::Recip, a),
        Function::Sin => call(Function::Cos, a),
        Function::Cos => neg(call(Function::Sin, a)),
        Function::Round | Function::Floor => number(0, span),
        Function::Erf => gauss(a),
        Function::Erfc => neg(gauss(a)),
        Function::Atan => call(Function::Recip, &plus(number(1, span), pow(a.clone(), 2))),
        Function::Log1p => call(Function::Recip, &plus(number(1, span), a.clone())),
        Function::Expm1 => call(Function::Exp, a),
    }
}

/// The slope of `erf` at `a`: 2 exp(-a²)/√π, and π is 4 atan 1.
fn gauss(a: &Expr) -> Expr {
    let span = a.span;
    let square = at(ExprKind::Pow(Box::new(a.clone()), 2), span);
    let e = call(Function::Exp, &at(ExprKind::Neg(Box::new(square)), span));
    times(e, call(Function::Rsqrt, &call(Function::Atan, &number(1, span))))
}

/// Which tensors are differentiated, and on which side of each `if` its boundary lies.
struct Reading<'a> {
    active: &'a dyn Fn(Tensor) -> bool,
    side: &'a dyn Fn(Comparison, &Expr, &Expr) -> Comparison,
}

/// Collects the reads of differentiated tensors in `e`, whose slope so far is `outer`.
fn reads(e: &Expr, outer: Expr, sums: &mut Vec<VarId>, active: &Reading<'_>, out: &mut Vec<Read>) {
    let span = e.span;
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Param(_) | ExprKind::Size(_) | ExprKind::Equal(..) => {}
        ExprKind::Access(t, ix) => {
            if (active.active)(*t) {
                out.push(Read { tensor: *t, at: ix.clone(), sums: sums.clone(), slope: outer });
            }
        }
        ExprKind::Neg(a) => reads(a, at(ExprKind::Neg(Box::new(outer)), span), sums, active, out),
        ExprKind::Add(a, b) => {
            reads(a, outer.clone(), sums, active, out);
            reads(b, outer, sums, active, out);
        }
        ExprKind::Sub(a, b) => {
            reads(a, outer.clone(), sums, active, out);
            reads(b, at(ExprKind::Neg(Box::new(outer)), span), sums, active, out);
        }
        ExprKind::Mul(a, b) => {
            reads(a, times(outer.clone(), (**b).clone()), sums, active, out);
            reads(b, times(outer, (**a).clone()), sums, active, out);
        }
        ExprKind::Div(a, b) => {
            let r = call(Function::Recip, b);
            reads(a, times(outer.clone(), r.clone()), sums, active, out);
            let s = at(ExprKind::Neg(Box::new(times((**a).clone(), at(ExprKind::Pow(Box::new(r), 2), span)))), span);
            reads(b, times(outer, s), sums, active, out);
        }
        ExprKind::Pow(a, k) => {
            if *k != 0 {
                let p = at(ExprKind::Pow(a.clone(), k - 1), span);
                reads(a, times(outer, times(number(i64::from(*k), span), p)), sums, active, out);
            }
        }
        ExprKind::Call(f, a) => {
            if !f.is_step() {
                reads(a, times(outer, slope(*f, a)), sums, active, out);
            }
        }
        ExprKind::Sum(vars, body) => {
            let kept = sums.len();
            sums.extend_from_slice(vars);
            reads(body, outer, sums, active, out);
            sums.truncate(kept);
        }
        // The maximum moves with the arguments that attain it, in even shares.
        ExprKind::Max(vars, body) => {
            let attained = |share: Expr| {
                at(
                    ExprKind::If {
                        comparison: Comparison::GreaterOrEqual,
                        left: body.clone(),
                        right: Box::new(e.clone()),
                        then: Box::new(share),
                        otherwise: Box::new(number(0, span)),
                    },
                    span,
                )
            };
            let count = at(ExprKind::Sum(vars.clone(), Box::new(attained(number(1, span)))), span);
            let attained = attained(at(ExprKind::Div(Box::new(outer), Box::new(count)), span));
            let kept = sums.len();
            sums.extend_from_slice(vars);
            reads(body, attained, sums, active, out);
            sums.truncate(kept);
        }
        // The condition goes around the whole slope: what stands in a branch may be undefined, or overflow, in the other.
        ExprKind::If { comparison, left, right, then, otherwise } => {
            let comparison = (active.side)(*comparison, left, right);
            let guarded = |yes: Expr, no: Expr| {
                at(
                    ExprKind::If {
                        comparison,
                        left: left.clone(),
                        right: right.clone(),
                        then: Box::new(yes),
                        otherwise: Box::new(no),
                    },
                    span,
                )
            };
            let first = out.len();
            reads(then, outer.clone(), sums, active, out);
            let second = out.len();
            reads(otherwise, outer, sums, active, out);
            for (k, read) in out.iter_mut().enumerate().skip(first) {
                let slope = std::mem::replace(&mut read.slope, number(0, span));
                read.slope = if k < second { guarded(slope, number(0, span)) } else { guarded(number(0, span), slope) };
            }
        }
    }
}

/// On which side of its boundary each guard of a statement is taken.
///
/// A formula with several branches over one boundary may take the one side in one of them and the other in another, or
/// have a branch for the boundary alone: where the sides agree its derivative must still be theirs.
/// So one side is taken for all guards that vanish together, the one that the first of them takes.
struct Sides<'s> {
    rules: RefCell<Rules<'s>>,
    env: Env,
    /// Whether the boundary is taken to be on the positive side.
    taken: BTreeMap<Family, bool>,
}

impl<'s> Sides<'s> {
    fn of(statement: &'s Statement) -> Self {
        let mut rules = Rules::new(statement, Meter::new(Budget::default()));
        let variables = (0..statement.variables.len() as u32).map(VarId);
        let env = variables
            .map(|v| {
                let (id, dim) = rules.fresh(statement.dim_of(v));
                (v, Ix::Free(id, dim))
            })
            .collect();
        let mut sides = Sides { rules: RefCell::new(rules), env, taken: BTreeMap::new() };
        // What is written counts where the author says so, and where nothing is differentiated but what the guards are.
        if statement.declaration.as_ref().is_none_or(|d| d.values == Values::AsWritten) {
            return sides;
        }
        let mut first = |e: &Expr| {
            each(e, &mut |x| {
                if let ExprKind::If { comparison, left, right, .. } = &x.kind
                    && let Some((family, positive)) = sides.guard(left, right)
                {
                    let holds = *comparison == Comparison::GreaterOrEqual;
                    sides.taken.entry(family).or_insert(holds == positive);
                }
            });
        };
        statement.outputs.iter().flat_map(|o| &o.clauses).for_each(|c| first(&c.value));
        statement.locals.iter().filter(|l| l.kind == LocalKind::Let).for_each(|l| first(&l.value));
        sides
    }

    /// Where the difference of two expressions is zero, and whether it has the sign of that guard.
    fn guard(&self, left: &Expr, right: &Expr) -> Option<(Family, bool)> {
        let mut rules = self.rules.borrow_mut();
        let (left, right) = (rules.build(left, &self.env).ok()?, rules.build(right, &self.env).ok()?);
        let guard = rules.sub(&left, &right);
        let zero = rules.vanishes(&guard).ok()?;
        let family = match zero.terms.keys().next()?.factors.as_slice() {
            // Of two sides that have one form none is the positive one.
            [(Atom::Zero(q), _)] if zero.terms.len() == 1 && q.orientation().is_some() => Family::of(q),
            _ => return None,
        };
        let positive = rules.positive(&guard).ok()?.terms.len() == 1;
        Some((family, positive))
    }

    fn of_comparison(&self, written: Comparison, left: &Expr, right: &Expr) -> Comparison {
        if self.taken.is_empty() {
            return written;
        }
        match self.guard(left, right).and_then(|(family, positive)| Some(*self.taken.get(&family)? == positive)) {
            Some(true) => Comparison::GreaterOrEqual,
            Some(false) => Comparison::Greater,
            None => written,
        }
    }
}

/// Renames bound and given variables to fresh ones, so that every binder stays unique.
fn renamed(e: &Expr, names: &mut BTreeMap<VarId, VarId>, variables: &mut Vec<Variable>) -> Expr {
    fn index(i: &Index, names: &BTreeMap<VarId, VarId>) -> Index {
        match i {
            Index::Variable(v) => Index::Variable(*names.get(v).unwrap_or(v)),
            Index::Map(m, args) => Index::Map(*m, args.iter().map(|a| index(a, names)).collect()),
        }
    }
    let mut go = |x: &Expr| Box::new(renamed(x, names, variables));
    let kind = match &e.kind {
        k @ (ExprKind::Number(_) | ExprKind::Param(_) | ExprKind::Size(_)) => k.clone(),
        ExprKind::Access(t, ix) => ExprKind::Access(*t, ix.iter().map(|i| index(i, names)).collect()),
        ExprKind::Equal(a, b) => ExprKind::Equal(index(a, names), index(b, names)),
        ExprKind::Neg(a) => ExprKind::Neg(go(a)),
        ExprKind::Add(a, b) => ExprKind::Add(go(a), go(b)),
        ExprKind::Sub(a, b) => ExprKind::Sub(go(a), go(b)),
        ExprKind::Mul(a, b) => ExprKind::Mul(go(a), go(b)),
        ExprKind::Div(a, b) => ExprKind::Div(go(a), go(b)),
        ExprKind::Pow(a, k) => ExprKind::Pow(go(a), *k),
        ExprKind::Call(f, a) => ExprKind::Call(*f, go(a)),
        ExprKind::Sum(vars, body) | ExprKind::Max(vars, body) => {
            let mut fresh = Vec::new();
            let mut kept = Vec::new();
            for v in vars {
                let f = VarId(variables.len() as u32);
                variables.push(variables[v.0 as usize].clone());
                kept.push((*v, names.insert(*v, f)));
                fresh.push(f);
            }
            let body = Box::new(renamed(body, names, variables));
            for (v, old) in kept {
                match old {
                    Some(o) => names.insert(v, o),
                    None => names.remove(&v),
                };
            }
            if matches!(e.kind, ExprKind::Sum(..)) { ExprKind::Sum(fresh, body) } else { ExprKind::Max(fresh, body) }
        }
        ExprKind::If { comparison, left, right, then, otherwise } => ExprKind::If {
            comparison: *comparison,
            left: go(left),
            right: go(right),
            then: go(then),
            otherwise: go(otherwise),
        },
    };
    at(kind, e.span)
}

/// A contribution to a cotangent: a new left side, and the value that it adds there.
struct Builder {
    statement: Statement,
}

impl Builder {
    fn fresh(&mut self, dim: DimId, like: &str) -> VarId {
        let v = VarId(self.statement.variables.len() as u32);
        let text = format!("{like}{}", v.0);
        self.statement.variables.push(Variable { name: Name { text, span: Span::default() }, dim });
        v
    }

    /// Adds up what the readers of a tensor contribute to its cotangent at `vars`.
    fn gather(&mut self, contributions: Vec<(Clause, Expr, Read)>, vars: &[VarId]) -> Expr {
        let mut terms: Vec<Expr> = Vec::new();
        for (clause, seed, read) in contributions {
            // Fresh names for the reader's variables and sums.
            let mut names = BTreeMap::new();
            let mut over = Vec::new();
            for v in clause.vars.iter().chain(&read.sums) {
                let f = VarId(self.statement.variables.len() as u32);
                let copy = self.statement.variables[v.0 as usize].clone();
                self.statement.variables.push(copy);
                names.insert(*v, f);
                over.push(f);
            }
            let mut body = times(seed, read.slope.clone());
            let span = body.span;
            // A read at a plain variable of the reader is at ours: no sum and no equality.
            let mut equal = Vec::new();
            for (ix, here) in read.at.iter().zip(vars) {
                match ix {
                    Index::Variable(v) if names.get(v).is_some_and(|f| over.contains(f)) => {
                        let f = names[v];
                        over.retain(|w| *w != f);
                        names.insert(*v, *here);
                    }
                    ix => equal.push((Index::Variable(*here), ix.clone())),
                }
            }
            let here: Vec<VarId> = vars.to_vec();
            for (a, b) in equal {
                // The left side is ours and keeps its name.
                let e = at(ExprKind::Equal(a, b), span);
                body = times(e, body);
            }
            for v in &here {
                names.insert(*v, *v);
            }
            let mut variables = std::mem::take(&mut self.statement.variables);
            let body = renamed(&body, &mut names, &mut variables);
            self.statement.variables = variables;
            terms.push(if over.is_empty() { body } else { at(ExprKind::Sum(over, Box::new(body)), span) });
        }
        total(terms)
    }
}

/// The sum of all terms, as deep as the logarithm of their number: every pass over an expression recurs.
fn total(mut terms: Vec<Expr>) -> Expr {
    while terms.len() > 1 {
        let mut pairs = std::mem::take(&mut terms).into_iter();
        while let Some(first) = pairs.next() {
            terms.push(match pairs.next() {
                Some(second) => plus(first, second),
                None => first,
            });
        }
    }
    terms.pop().unwrap_or_else(|| number(0, Span::default()))
}

/// The nesting of an expression.
fn depth(e: &Expr) -> usize {
    let mut deepest = 0;
    let mut left = vec![(e, 1)];
    while let Some((e, depth)) = left.pop() {
        deepest = deepest.max(depth);
        match &e.kind {
            ExprKind::Neg(a)
            | ExprKind::Pow(a, _)
            | ExprKind::Call(_, a)
            | ExprKind::Sum(_, a)
            | ExprKind::Max(_, a) => left.push((a, depth + 1)),
            ExprKind::Add(a, b) | ExprKind::Sub(a, b) | ExprKind::Mul(a, b) | ExprKind::Div(a, b) => {
                left.extend([(&**a, depth + 1), (&**b, depth + 1)]);
            }
            ExprKind::If { left: l, right, then, otherwise, .. } => {
                left.extend([l, right, then, otherwise].map(|e| (&**e, depth + 1)));
            }
            ExprKind::Number(_)
            | ExprKind::Param(_)
            | ExprKind::Size(_)
            | ExprKind::Access(..)
            | ExprKind::Equal(..) => {}
        }
    }
    deepest
}

impl Statement {
    /// The statement with a backward rule derived from its forward part, saving what the rule reads.
    /// A rule that the statement gives is replaced.
    /// A statement whose rule would be past the kernel's limits is given back without one.
    pub fn with_derived_rule(&self) -> Statement {
        if self.is_too_long_to_derive() {
            return Statement { gradients: None, backward_locals: Vec::new(), ..self.clone() };
        }
        let mut b = Builder { statement: self.clone() };
        b.statement.backward_locals = Vec::new();
        let locals = self.locals.clone();
        let is_let = |k: u32| locals.get(k as usize).is_some_and(|l| l.kind == LocalKind::Let);
        let active = move |t: Tensor| match t {
            Tensor::Input(_) | Tensor::Output(_) => true,
            Tensor::Local(k) => is_let(k),
            _ => false,
        };
        let sides = Sides::of(self);
        let side = |c: Comparison, left: &Expr, right: &Expr| sides.of_comparison(c, left, right);
        let reading = Reading { active: &active, side: &side };
        // Who reads whom.
        let mut contributions: BTreeMap<Tensor, Vec<(Clause, Expr, Read)>> = BTreeMap::new();
        let mut adjoint_of: BTreeMap<Tensor, Tensor> = BTreeMap::new();
        let mut order: Vec<(Tensor, Vec<Clause>)> = Vec::new();
        for (k, l) in self.locals.iter().enumerate() {
            if l.kind == LocalKind::Let {
                let clause = Clause {
                    vars: l.vars.clone(),
                    at: l.vars.iter().map(|v| Index::Variable(*v)).collect(),
                    value: l.value.clone(),
                    span: l.value.span,
                };
                order.push((Tensor::Local(k as u32), vec![clause]));
            }
        }
        for (k, o) in self.outputs.iter().enumerate() {
            order.push((Tensor::Output(k as u32), o.clauses.clone()));
        }
        // Outputs may be read by later ones; the last definition first.
        for (t, clauses) in order.iter().rev() {
            let own: Option<Tensor> = match t {
                Tensor::Output(k) => Some(Tensor::Cotangent(*k)),
                _ => None,
            };
            let readers = contributions.remove(t).unwrap_or_default();
            let seed = if readers.is_empty() {
                own
            } else {
                let decl = self.tensor(*t);
                let vars: Vec<VarId> = decl.axes.iter().map(|d| b.fresh(*d, "i")).collect();
                let mut value = b.gather(readers, &vars);
                if let Some(c) = own {
                    let direct = ExprKind::Access(c, vars.iter().map(|v| Index::Variable(*v)).collect());
                    value = plus(at(direct, value.span), value);
                }
                let k = b.statement.backward_locals.len() as u32;
                let text = format!("d_{}", decl.name.text);
                b.statement.backward_locals.push(Local {
                    kind: LocalKind::Let,
                    name: Name { text, span: decl.name.span },
                    vars,
                    value,
                });
                Some(Tensor::BackwardLocal(k))
            };
            let Some(seed) = seed else { continue };
            adjoint_of.insert(*t, seed);
            for clause in clauses {
                let mut found = Vec::new();
                let one = number(1, clause.span);
                reads(&clause.value, one, &mut Vec::new(), &reading, &mut found);
                for read in found {
                    let access = at(ExprKind::Access(seed, clause.at.clone()), clause.span);
                    contributions.entry(read.tensor).or_default().push((clause.clone(), access, read));
                }
            }
        }
        let mut gradients = Vec::new();
        for (k, input) in self.inputs.iter().enumerate() {
            let vars: Vec<VarId> = input.axes.iter().map(|d| b.fresh(*d, "i")).collect();
            let readers = contributions.remove(&Tensor::Input(k as u32)).unwrap_or_default();
            let value = b.gather(readers, &vars);
            let text = format!("d{}", input.name.text);
            gradients.push(Defined {
                tensor: TensorDecl { name: Name { text, span: input.name.span }, axes: input.axes.clone() },
                clauses: vec![Clause {
                    at: vars.iter().map(|v| Index::Variable(*v)).collect(),
                    vars,
                    value,
                    span: input.name.span,
                }],
            });
        }
        let locals = b.statement.backward_locals.iter().map(|l| &l.value);
        let clauses = gradients.iter().flat_map(|g: &Defined| &g.clauses).map(|c| &c.value);
        if locals.chain(clauses).any(|e| depth(e) > DERIVED_DEPTH) {
            return Statement { gradients: None, backward_locals: Vec::new(), ..self.clone() };
        }
        b.statement.gradients = Some(gradients);
        b.statement.saves = b.statement.read_by_the_rule();
        b.statement
    }

    /// Each read contributes a slope as long as the expression that it stands in.
    fn is_too_long_to_derive(&self) -> bool {
        let values = self.locals.iter().map(|l| &l.value);
        let clauses = self.outputs.iter().flat_map(|o| &o.clauses).map(|c| &c.value);
        let mut total = 0usize;
        for e in values.chain(clauses) {
            let (mut nodes, mut reads) = (0usize, 0usize);
            each(e, &mut |x| {
                nodes += 1;
                reads += usize::from(matches!(x.kind, ExprKind::Access(..)));
            });
            total = total.saturating_add(nodes.saturating_mul(reads));
        }
        total > DERIVED
    }

    /// The forward tensors that the backward rule reads.
    pub(crate) fn read_by_the_rule(&self) -> Vec<Tensor> {
        let mut out = Vec::new();
        let mut look = |e: &Expr| {
            each(e, &mut |x| {
                if let ExprKind::Access(t @ (Tensor::Input(_) | Tensor::Local(_) | Tensor::Output(_)), _) = &x.kind
                    && !out.contains(t)
                {
                    out.push(*t);
                }
            });
        };
        self.backward_locals.iter().for_each(|l| look(&l.value));
        for g in self.gradients.iter().flatten() {
            g.clauses.iter().for_each(|c| look(&c.value));
        }
        out.sort();
        out
    }
}

/// Visits an expression and all its parts.
pub(crate) fn each(e: &Expr, f: &mut dyn FnMut(&Expr)) {
    f(e);
    match &e.kind {
        ExprKind::Neg(a) | ExprKind::Pow(a, _) | ExprKind::Call(_, a) | ExprKind::Sum(_, a) | ExprKind::Max(_, a) => {
            each(a, f);
        }
        ExprKind::Add(a, b) | ExprKind::Sub(a, b) | ExprKind::Mul(a, b) | ExprKind::Div(a, b) => {
            each(a, f);
            each(b, f);
        }
        ExprKind::If { left, right, then, otherwise, .. } => {
            for x in [left, right, then, otherwise] {
                each(x, f);
            }
        }
        _ => {}
    }
}
