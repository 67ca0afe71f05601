//! The walk through a statement: definitions, expressions, and what is met on the way.

use std::collections::HashSet;

use num_traits::One;

use super::super::rules::{Claim, Sign};
use super::super::table::Terms;
use super::super::term::{self, Index, Name, Node, Term};
use super::{Asked, Branch, Definition, Needed, OWN, Origin, Reading};
use crate::Rational;
use crate::statement::{
    self, Comparison, Condition, Defined, Expr, ExprKind, Function, Local, LocalKind, Statement, VarId,
};

/// One statement being read.
struct Reader<'a> {
    s: &'a Statement,
    t: &'a Terms,
    r: &'a mut Reading,
    /// Whether it is the first: what it asks for may be assumed, the other's must be shown.
    assumes: bool,
    /// Added to the number of each variable, and of the tensor of each local.
    names: u32,
    tensors: u32,
    /// The definition of each `let`, and of each backward one.
    locals: Vec<Option<Definition>>,
    backward: Vec<Definition>,
    /// What is read: needs are of this origin.
    origin: Origin,
    /// The guards of the branches around.
    guards: Vec<(Term, Branch)>,
    /// What was met, from each origin once: what it may rest on is another thing for each.
    met: HashSet<(Claim, Origin)>,
}

impl Reading {
    /// What one statement says; the tensors of its locals begin with this number.
    pub(super) fn read(&mut self, t: &Terms, s: &Statement, tensors: u32) {
        let (names, assumes, alone) = (self.fresh, self.fresh == 0, self.other.is_none());
        self.fresh += s.variables().len() as u32 + OWN;
        let any = (tensors..).zip(s.locals()).filter(|(_, l)| l.kind == LocalKind::Any);
        self.anys.extend(any.map(|(m, _)| m));
        let (locals, backward, guards) = (Vec::new(), Vec::new(), Vec::new());
        let (origin, met) = (Origin::Given, HashSet::new());
        let mut reader = Reader { s, t, r: self, assumes, names, tensors, locals, backward, origin, guards, met };
        reader.forward();
        if alone {
            reader.rule();
        }
    }
}

fn sign(sign: statement::Sign) -> Sign {
    match sign {
        statement::Sign::Positive => Sign::Pos,
        statement::Sign::NonNegative => Sign::NonNeg,
        statement::Sign::NonZero => Sign::NonZero,
    }
}

impl Reader<'_> {
    fn forward(&mut self) {
        let s = self.s;
        for (p, param) in (0u32..).zip(s.params()) {
            if let Some(sign) = param.sign {
                let kind = ExprKind::Param(statement::ParamId(p));
                let value = Expr { kind, span: param.name.span };
                let term = self.t.read(p, self.t.unit());
                self.meet(Origin::Given, sign, term, || value);
            }
        }
        // A `where` reads `let`s, and what they need is looked at with them.
        for local in s.locals() {
            self.origin = if local.kind == LocalKind::Any { Origin::Any } else { Origin::Forward };
            let definition = self.local(local);
            self.locals.push((local.kind == LocalKind::Let).then_some(definition));
        }
        self.origin = Origin::Where;
        for condition in s.wheres() {
            let term = self.expr(&condition.value);
            self.meet(Origin::Given, condition.sign, term, || condition.value.clone());
        }
        self.origin = Origin::Forward;
        for output in s.outputs() {
            let definition = self.defined(output);
            self.r.outputs[usize::from(!self.assumes)].push(definition);
        }
    }

    fn rule(&mut self) {
        self.origin = Origin::Backward;
        for local in self.s.backward_locals() {
            let definition = self.local(local);
            self.backward.push(definition);
        }
        for (k, gradient) in self.s.gradients().unwrap_or_default().iter().enumerate() {
            self.r.inputs[k].cotangent = Some(self.defined(gradient));
        }
    }

    fn name(&self, v: VarId) -> Name {
        Name { dimension: self.s.dim_of(v).0, number: self.names + v.0 }
    }
    /// A name that is no variable's.
    fn own(&self, dimension: u32, k: u32) -> Name {
        Name { dimension, number: self.names + self.s.variables().len() as u32 + k }
    }

    fn local(&mut self, local: &Local) -> Definition {
        Definition { names: local.vars.iter().map(|v| self.name(*v)).collect(), body: self.expr(&local.value) }
    }

    /// `y[v] = sum(i) [v == p(i)] e(i)`, all clauses together; a plain variable is its axis.
    fn defined(&mut self, defined: &Defined) -> Definition {
        let axes: Vec<Name> = (0u32..).zip(&defined.tensor.axes).map(|(k, d)| self.own(d.0, k)).collect();
        let mut clauses = Vec::new();
        for clause in &defined.clauses {
            let mut body = self.expr(&clause.value);
            let mut bound = Vec::new();
            for (axis, at) in axes.iter().zip(&clause.at).rev() {
                match at {
                    statement::Index::Variable(v) => body = self.t.substitute(self.name(*v), self.t.free(*axis), body),
                    statement::Index::Map(..) => {
                        body = self.t.mul(self.t.delta(self.t.free(*axis), self.index(at)), body);
                    }
                }
            }
            for at in &clause.at {
                if let statement::Index::Map(_, arguments) = at {
                    bound.extend(arguments.iter().filter_map(|a| match a {
                        statement::Index::Variable(v) => Some(self.name(*v)),
                        statement::Index::Map(..) => None,
                    }));
                }
            }
            clauses.push(self.t.sums(&bound, body));
        }
        Definition { names: axes, body: self.t.total(&clauses) }
    }

    fn index(&self, index: &statement::Index) -> Index {
        match index {
            statement::Index::Variable(v) => self.t.free(self.name(*v)),
            statement::Index::Map(m, arguments) => {
                let arguments: Vec<Index> = arguments.iter().map(|a| self.index(a)).collect();
                self.t.map(m.0, if let [one] = arguments[..] { one } else { self.t.tuple(&arguments) })
            }
        }
    }

    fn access(&self, tensor: statement::Tensor, at: &[statement::Index]) -> Term {
        use statement::Tensor::{BackwardLocal, Constant, Cotangent, Input, Local, Output};
        let at: Vec<Index> = at.iter().map(|a| self.index(a)).collect();
        let (k, list) = match tensor {
            Constant(k) => return self.t.read(self.s.params().len() as u32 + k, self.t.tuple(&at)),
            Input(k) => return self.t.read(self.r.inputs[k as usize].tensor, self.t.tuple(&at)),
            Cotangent(k) => return self.t.read(self.r.cotangents[k as usize], self.t.tuple(&at)),
            Local(k) => match &self.locals[k as usize] {
                None => return self.t.read(self.tensors + k, self.t.tuple(&at)),
                Some(definition) => (0, std::slice::from_ref(definition)),
            },
            Output(k) => (k, &self.r.outputs[usize::from(!self.assumes)][..]),
            BackwardLocal(k) => (k, &self.backward[..]),
        };
        let definition = &list[k as usize];
        // The indices are of the reader's variables, none of which is an axis of what is read.
        let places = definition.names.iter().zip(&at);
        let body = places.fold(definition.body, |body, (axis, a)| self.t.substitute(*axis, *a, body));
        let partial = at.iter().filter(|a| !self.t.is_total(**a));
        partial.fold(body, |body, a| self.t.mul(self.t.def(*a), body))
    }

    /// The product of the guards around.
    fn guard(&self) -> Term {
        self.guards.iter().map(|g| g.0).reduce(|a, b| self.t.mul(a, b)).unwrap_or_else(|| self.t.num(1))
    }
    /// Notes that a term has a sign, under the guards around.
    fn meet(&mut self, origin: Origin, s: statement::Sign, term: Term, value: impl FnOnce() -> Expr) {
        self.note(origin, s, self.guard(), term, value);
    }
    fn note(&mut self, origin: Origin, s: statement::Sign, guard: Term, term: Term, value: impl FnOnce() -> Expr) {
        let claim = Claim::Fact(sign(s), guard, term);
        if !self.met.insert((claim, origin)) {
            return;
        }
        let own = self.names..self.names + self.s.variables().len() as u32;
        let vars = self.t.free_names(term).into_iter().map(|v| v.number).filter(|n| own.contains(n));
        let vars = vars.map(|n| VarId(n - self.names)).collect();
        let condition = Condition { vars, sign: s, value: value(), written: origin == Origin::Given };
        let under = self.guards.iter().map(|(_, under)| under.clone()).collect();
        let needed = Needed { claim, asked: Asked { origin, condition, under } };
        let given = self.assumes && origin == Origin::Given;
        if !needed.is_avoided() && !given {
            self.r.obligations.push(needed.clone());
        }
        if self.assumes && origin != Origin::Backward {
            self.r.assumptions.push(needed);
        }
    }

    /// Whether it is differentiated, and moves.
    fn moves(&self, term: Term) -> bool {
        self.origin == Origin::Forward
            && self.assumes
            && self.t.reads_any_of(term, self.r.inputs.iter().map(|i| i.tensor))
    }

    fn power(&self, a: Term, k: u32) -> Term {
        match k {
            0 => self.t.num(1),
            1 => a,
            _ if k.is_multiple_of(2) => {
                let half = self.power(a, k / 2);
                self.t.mul(half, half)
            }
            _ => self.t.mul(a, self.power(a, k - 1)),
        }
    }

    fn expr(&mut self, e: &Expr) -> Term {
        let t = self.t;
        match &e.kind {
            ExprKind::Number(q) => t.number(q.clone()),
            ExprKind::Param(p) => t.read(p.0, t.unit()),
            ExprKind::Size(d) => t.size(d.0),
            ExprKind::Access(tensor, at) => self.access(*tensor, at),
            ExprKind::Neg(a) => t.neg(self.expr(a)),
            ExprKind::Add(a, b) => t.add(self.expr(a), self.expr(b)),
            ExprKind::Sub(a, b) => t.sub(self.expr(a), self.expr(b)),
            ExprKind::Mul(a, b) => t.mul(self.expr(a), self.expr(b)),
            ExprKind::Div(a, b) => {
                let over = self.expr(a);
                let under = self.expr(b);
                self.meet(self.origin, statement::Sign::NonZero, under, || (**b).clone());
                t.mul(over, t.apply(term::Function::Inv, under))
            }
            ExprKind::Pow(a, k) => {
                let base = self.expr(a);
                let power = self.power(base, k.unsigned_abs());
                if *k >= 0 {
                    return power;
                }
                self.meet(self.origin, statement::Sign::NonZero, base, || (**a).clone());
                t.apply(term::Function::Inv, power)
            }
            ExprKind::Call(f, a) => self.call(*f, a),
            ExprKind::Sum(vars, body) => {
                let names: Vec<Name> = vars.iter().map(|v| self.name(*v)).collect();
                t.sums(&names, self.expr(body))
            }
            ExprKind::Max(vars, body) => {
                let mut value = self.expr(body);
                for v in vars.iter().rev() {
                    let v = self.name(*v);
                    self.tie(v, value, body);
                    value = t.max(v, value);
                }
                value
            }
            ExprKind::Equal(a, b) => t.delta(self.index(a), self.index(b)),
            ExprKind::If { comparison, left, right, then, otherwise } => {
                let (l, r) = (self.expr(left), self.expr(right));
                let greater = *comparison == Comparison::Greater;
                let (difference, yes, no) =
                    if greater { (t.sub(l, r), then, otherwise) } else { (t.sub(r, l), otherwise, then) };
                if self.moves(difference) {
                    let kind = ExprKind::Sub(left.clone(), right.clone());
                    self.meet(Origin::Boundary, statement::Sign::NonZero, difference, || Expr { kind, span: e.span });
                }
                let guard = t.guard(difference);
                let rest = t.sub(t.num(1), guard);
                let mut branch = |guard: Term, branch: &Expr, holds: bool| {
                    self.guards.push((guard, (*comparison, (**left).clone(), (**right).clone(), holds)));
                    let value = self.expr(branch);
                    self.guards.pop();
                    t.mul(guard, value)
                };
                let (yes, no) = (branch(guard, yes, greater), branch(rest, no, !greater));
                t.add(yes, no)
            }
        }
    }

    fn call(&mut self, f: Function, a: &Expr) -> Term {
        use statement::Sign::{NonZero, Positive};
        use term::Function::{Atan, Cos, Erf, Exp, Floor, Inv, Log, Round, Sin, Sqrt, Tanh};
        let t = self.t;
        let x = self.expr(a);
        let one = t.num(1);
        match f {
            Function::Exp => t.apply(Exp, x),
            Function::Tanh => t.apply(Tanh, x),
            Function::Sin => t.apply(Sin, x),
            Function::Cos => t.apply(Cos, x),
            Function::Erf => t.apply(Erf, x),
            Function::Erfc => t.sub(one, t.apply(Erf, x)),
            Function::Atan => t.apply(Atan, x),
            Function::Expm1 => t.sub(t.apply(Exp, x), one),
            Function::Recip => {
                self.meet(self.origin, NonZero, x, || a.clone());
                t.apply(Inv, x)
            }
            Function::Sqrt | Function::Rsqrt => {
                self.meet(self.origin, Positive, x, || a.clone());
                let root = t.apply(Sqrt, x);
                if f == Function::Sqrt { root } else { t.apply(Inv, root) }
            }
            Function::Log => {
                self.meet(self.origin, Positive, x, || a.clone());
                t.apply(Log, x)
            }
            Function::Log1p => {
                let sum = t.add(one, x);
                self.meet(self.origin, Positive, sum, || plus(Rational::one(), a));
                t.apply(Log, sum)
            }
            Function::Floor | Function::Round => {
                let (rounded, shift) = if f == Function::Floor { (Floor, None) } else { (Round, Some(half())) };
                let shifted = shift.map_or(x, |q| t.add(x, t.number(q)));
                if self.moves(x) {
                    let gap = t.sub(shifted, t.apply(Floor, shifted));
                    self.meet(Origin::Jump, NonZero, gap, || a.clone());
                }
                t.apply(rounded, x)
            }
        }
    }

    /// Assumes that two values of a maximum are equal only where they are one function: [`Core::d_max_shared`].
    fn tie(&mut self, v: Name, value: Term, body: &Expr) {
        if self.moves(value) {
            let t = self.t;
            let w = self.own(v.dimension, OWN - 1);
            let apart = t.sub(t.num(1), one_function(t, v, w, value));
            let difference = t.sub(value, t.substitute(v, t.free(w), value));
            let guard = t.mul(self.guard(), apart);
            self.note(Origin::Tie, statement::Sign::NonZero, guard, difference, || body.clone());
        }
    }
}

fn half() -> Rational {
    Rational::new(1.into(), 2.into())
}

fn plus(q: Rational, a: &Expr) -> Expr {
    let number = Expr { kind: ExprKind::Number(q), span: a.span };
    Expr { kind: ExprKind::Add(Box::new(a.clone()), Box::new(number)), span: a.span }
}

/// An indicator of two names that a term reads the same at both: each place where the one stands is that of the other, or both
/// are undefined. Where a place is bound inside, the names themselves must be equal.
fn one_function(t: &Terms, v: Name, w: Name, term: Term) -> Term {
    let mut places: Vec<Index> = Vec::new();
    let (mut stack, mut seen) = (vec![term], HashSet::new());
    while let Some(term) = stack.pop() {
        if !t.has_free(v, term) || !seen.insert(term) {
            continue;
        }
        let mut indices = Vec::new();
        match t.view(term) {
            Node::Read(_, a) | Node::Def(a) => indices.push(a),
            Node::Delta(a, b) => indices.extend([a, b]),
            Node::Add(a, b) | Node::Mul(a, b) => stack.extend([a, b]),
            Node::Fn(_, a) | Node::Guard(a) | Node::Sum(_, a) | Node::Max(_, a) => stack.push(a),
            _ => {}
        }
        while let Some(a) = indices.pop() {
            match t.view(a) {
                Node::Pair(l, r) => indices.extend([l, r]),
                _ if t.has_free(v, a) && !places.contains(&a) => places.push(a),
                _ => {}
            }
        }
    }
    if !places.iter().all(|a| t.is_closed(*a)) {
        return t.delta(t.free(v), t.free(w));
    }
    let at = |a: &Index| {
        let b = t.substitute(v, t.free(w), *a);
        let equal = t.delta(*a, b);
        let nowhere = |a: Index| t.sub(t.num(1), t.def(a));
        if t.is_total(*a) { equal } else { t.add(equal, t.mul(nowhere(*a), nowhere(b))) }
    };
    places.sort_unstable();
    places.iter().map(at).reduce(|a, b| t.mul(a, b)).unwrap_or_else(|| t.num(1))
}
