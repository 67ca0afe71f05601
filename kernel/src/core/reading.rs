//! What a statement says, as terms of the core.
//!
//! | of the statement | in the core |
//! | --- | --- |
//! | a dimension, a pack of axes included | a dimension |
//! | a map; the inverse of a bijection | a map; one more after those that are declared |
//! | an index variable | a name |
//! | a parameter, constant, input, cotangent, `any` | a tensor; a tangent for each input and `any` |
//! | `let`, an output, a backward `let` | its value, at the places where it is read; zero where a place is undefined |
//! | `y[p(i)] = e(i)` | a definition: `y[v] = sum(i) [v == p(i)] e(i)`, all clauses together |
//! | `if a > b then e else f` | `guard(a - b) e + (1 - guard(a - b)) f` |
//! | `a / b`, `recip`, `a^-k`; `rsqrt`; `erfc`, `log1p`, `expm1` | by `inv`; by `inv` and `sqrt`; by what they are short for |
//! | a `where`, the sign of a parameter | an assumption |
//! | what a function needs | an assumption, under the guards of the branches that it stands in; of the rule's, an obligation |
//! | a step or kink between the values that move | an assumption: where it is not |
//!
//! Assumptions are there to be used: a theorem lists those that it rests on, and each `where`.
//! Nothing is assumed that the statement does not show: the list is made from it alone.
//!
//! A statement is read only if it is [well formed](Statement::well_formed), so clauses cover what they define.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use num_traits::One;

use super::rules::{Claim, Context, Core, Sign};
use super::table::{MapSignature, Terms};
use super::term::{self, Index, Name, Node, Term};
use crate::Rational;
use crate::statement::{
    self, Comparison, Condition, Defined, Expr, ExprKind, Function, Local, LocalKind, MapKind, Statement, VarId,
};
use crate::well_formed::Malformed;

/// Where an assumption or obligation comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// The sign of a parameter, or a `where`.
    Given,
    /// A function in a `where` needs it.
    Where,
    /// A function in a `let` or an output needs it.
    Forward,
    /// A function in the value of an `any` needs it.
    Any,
    /// A function in the rule needs it.
    Backward,
    /// Two sides of an `if` meet where it does not hold.
    Boundary,
    /// A rounded value jumps where it does not hold.
    Jump,
    /// Two values of a maximum that are not one function are equal where it does not hold.
    Tie,
}

/// A branch of an `if`: its two sides, how they are compared, and whether that holds in the branch.
pub type Branch = (Comparison, Expr, Expr, bool);

/// Something that is assumed or must be shown, in the words of the statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// Where it comes from.
    pub origin: Origin,
    /// The same in the language, without what it stands under. Of a jump or tie, the value that is rounded, or maximised.
    pub condition: Condition,
    /// The branches that it stands in.
    pub under: Vec<Branch>,
}

/// Something that is assumed or must be shown: where the guard is not zero, the term has the sign.
#[derive(Clone, Debug)]
pub struct Needed {
    /// The claim.
    pub claim: Claim,
    /// The same in words.
    pub asked: Asked,
}

impl Needed {
    /// Whether it is no part of the domain: the rule is the derivative off these places; what it is on them is another question.
    pub fn is_avoided(&self) -> bool {
        matches!(self.asked.origin, Origin::Boundary | Origin::Jump | Origin::Tie)
    }
}

/// A tensor by its elements.
#[derive(Clone, Debug)]
pub struct Definition {
    /// An index for each axis, distinct.
    pub names: Vec<Name>,
    /// The element there.
    pub body: Term,
}

/// A differentiated input.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its tensor.
    pub tensor: term::Tensor,
    /// Along what it moves.
    pub tangent: term::Tensor,
    /// What the rule says is its cotangent.
    pub cotangent: Option<Definition>,
}

/// Everything that a statement says, or two of the same declarations.
#[derive(Debug)]
pub struct Reading {
    /// The statement.
    pub statement: Arc<Statement>,
    /// Another one, of which it is asked whether it is equal.
    pub other: Option<Arc<Statement>>,
    /// Where the assumptions come from, in their order.
    pub assumptions: Vec<Needed>,
    /// What must be shown beside the equations, each once.
    pub obligations: Vec<Needed>,
    /// The outputs, and those of the other statement.
    pub outputs: [Vec<Definition>; 2],
    /// The cotangents of the outputs.
    pub cotangents: Vec<term::Tensor>,
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The tensors of `any`, of both statements.
    pub anys: Vec<term::Tensor>,
    /// The sum of the outputs with their cotangents.
    pub pairing: Term,
    /// The sum of the tangents with the claimed cotangents, if there is a rule.
    pub claimed: Option<Term>,
    /// From here on, the numbers of names are free to use.
    pub fresh: u32,
}

/// How many numbers of names a statement takes beside its variables: an axis each, and one for the other side of a tie.
const OWN: u32 = 1 << 10;

impl Core {
    /// A core about a statement.
    ///
    /// # Errors
    ///
    /// [`Malformed`] where it is no statement.
    pub fn read(statement: &Statement) -> Result<Core, Malformed> {
        statement.well_formed()?;
        Ok(Core::about(statement, None))
    }

    /// A core about the question whether a second statement is equal to a first. `None` if their declarations are not the same.
    ///
    /// # Errors
    ///
    /// [`Malformed`] where one is no statement.
    pub fn read_both(first: &Statement, second: &Statement) -> Result<Option<Core>, Malformed> {
        first.well_formed()?;
        second.well_formed()?;
        Ok(same_declarations(first, second).then(|| Core::about(first, Some(second))))
    }

    fn about(first: &Statement, second: Option<&Statement>) -> Core {
        let terms = Rc::new(Terms::new(maps(first)));
        let splits = first.splits().iter().map(|s| (s.whole.0, s.parts.iter().map(|p| p.0).collect())).collect();
        let (reading, directions) = Reading::of(&terms, first, second);
        let assumptions = reading.assumptions.iter().map(|a| a.claim).collect();
        Core::with(terms, Context { maps: maps(first), splits, directions }, assumptions, Some(reading))
    }
}

/// More on one side is as wrong as less: a further split or bijection says something of the sizes.
fn same_declarations(a: &Statement, b: &Statement) -> bool {
    let axes = |l: &[statement::TensorDecl], r: &[statement::TensorDecl]| {
        l.iter().map(|t| &t.axes).eq(r.iter().map(|t| &t.axes))
    };
    a.dims().iter().map(|d| d.pack).eq(b.dims().iter().map(|d| d.pack))
        && a.params().iter().map(|p| p.sign).eq(b.params().iter().map(|p| p.sign))
        && a.maps().iter().map(|m| (m.kind, &m.from, m.to)).eq(b.maps().iter().map(|m| (m.kind, &m.from, m.to)))
        && a.splits() == b.splits()
        && axes(a.constants(), b.constants())
        && axes(a.inputs(), b.inputs())
        && a.outputs().iter().map(|o| &o.tensor.axes).eq(b.outputs().iter().map(|o| &o.tensor.axes))
}

fn maps(statement: &Statement) -> Vec<MapSignature> {
    let mut maps: Vec<MapSignature> = (statement.maps().iter())
        .map(|m| MapSignature {
            from: m.from.iter().map(|d| d.0).collect(),
            to: vec![m.to.0],
            total: m.kind != MapKind::Partial,
            inverse: None,
        })
        .collect();
    for (k, m) in statement.maps().iter().enumerate() {
        if m.kind == MapKind::Bijection {
            let inverse = maps.len() as u32;
            let map = &mut maps[k];
            map.inverse = Some(inverse);
            let (from, to) = (map.to.clone(), map.from.clone());
            maps.push(MapSignature { from, to, total: true, inverse: Some(k as u32) });
        }
    }
    maps
}

pub(super) fn sign(sign: statement::Sign) -> Sign {
    match sign {
        statement::Sign::Positive => Sign::Pos,
        statement::Sign::NonNegative => Sign::NonNeg,
        statement::Sign::NonZero => Sign::NonZero,
    }
}

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

type Directions = Vec<Vec<(term::Tensor, term::Tensor)>>;

impl Reading {
    /// Tensors are numbered by kind: parameters, constants, inputs, cotangents, locals, those of the other statement, tangents.
    fn of(t: &Terms, first: &Statement, second: Option<&Statement>) -> (Reading, Directions) {
        let inputs = (first.params().len() + first.constants().len()) as u32;
        let cotangents = inputs + first.inputs().len() as u32;
        let locals = cotangents + first.outputs().len() as u32;
        let others = locals + first.locals().len() as u32;
        let mut tangents = others + second.map_or(0, |s| s.locals().len() as u32)..;
        let input = |(tensor, tangent)| Input { tensor, tangent, cotangent: None };
        let mut r = Reading {
            statement: Arc::new(first.clone()),
            other: second.map(|s| Arc::new(s.clone())),
            assumptions: Vec::new(),
            obligations: Vec::new(),
            outputs: [Vec::new(), Vec::new()],
            cotangents: (cotangents..locals).collect(),
            inputs: (inputs..cotangents).zip(&mut tangents).map(input).collect(),
            anys: Vec::new(),
            pairing: t.num(0),
            claimed: None,
            fresh: 0,
        };
        r.read(t, first, locals);
        if let Some(second) = second {
            r.read(t, second, others);
        }
        let [ours, theirs] = &mut r.outputs;
        for (a, b) in ours.iter().zip(theirs) {
            let renamed = a.names.iter().zip(&b.names).fold(b.body, |y, (v, w)| t.substitute(*w, t.free(*v), y));
            *b = Definition { names: a.names.clone(), body: renamed };
        }
        let pair = |x: u32, of: &Definition| t.sums(&of.names, t.mul(t.read(x, t.names(&of.names)), of.body));
        let pairs: Vec<Term> = r.cotangents.iter().zip(&r.outputs[0]).map(|(dy, y)| pair(*dy, y)).collect();
        r.pairing = t.total(&pairs);
        let claims = r.inputs.iter().map(|i| i.cotangent.as_ref().map(|dx| pair(i.tangent, dx)));
        let claims: Option<Vec<Term>> = claims.collect();
        r.claimed = claims.filter(|_| second.is_none() && first.gradients().is_some()).map(|c| t.total(&c));
        let inputs = r.inputs.iter().map(|i| (i.tensor, i.tangent)).collect();
        let anys = r.anys.iter().copied().zip(tangents).collect();
        (r, vec![inputs, anys])
    }

    fn read(&mut self, t: &Terms, s: &Statement, tensors: u32) {
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
pub(super) fn one_function(t: &Terms, v: Name, w: Name, term: Term) -> Term {
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
