//! Clauses to definitions: every sum gets a buffer of its own, computed once, by the cheapest of three ways.
//!
//! | the sum's body | becomes |
//! | --- | --- |
//! | a product in which no factor has all variables | a matrix product, operands laid out for it first (`contraction`) |
//! | `[p == at(j)] * …` with `p` on the left side | zeros, then additions into the places named by `at` (`sum`) |
//! | anything else | a loop that accumulates (`sum`) |

mod contraction;
mod share;
mod sum;

use std::collections::HashMap;
use std::fmt;

use pullback_kernel::statement::{
    Clause, Condition, Expr, ExprKind, Index as Position, Local, MapKind, Statement, Tensor, VarId,
};

use crate::ir::{Buffer, BufferId, Check, Index, Role, Routine, Scalar, Step, Temp, Var, Variable};
use crate::term::Term;
use crate::{fuse, tidy};

/// The two routines of a statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Schedule {
    /// From inputs and constants to outputs and saved values, after the checks of the domain.
    pub forward: Routine,
    /// From saved values, constants and the outputs' cotangents to the inputs' cotangents.
    pub backward: Routine,
}

/// Why a statement has no schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScheduleError {
    /// It gives no backward rule, and none was derived.
    NoRule,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleError::NoRule => f.write_str("the statement has no backward rule; derive one first"),
        }
    }
}

impl std::error::Error for ScheduleError {}

/// Orders the computation of a statement.
///
/// `domain` are the conditions that the forward routine checks, each with the words in which an error names it.
///
/// # Errors
///
/// [`ScheduleError::NoRule`] where the statement has no gradients.
///
/// # Complexity
///
/// In the size of the statement: quadratic in the number of loops, exponential in the number of factors of one sum up to six.
pub fn schedule(statement: &Statement, domain: &[(Condition, String)]) -> Result<Schedule, ScheduleError> {
    let gradients = statement.gradients().ok_or(ScheduleError::NoRule)?;
    let forward = forward(statement, domain, statement.saves());
    let mut backward = Lower::new(statement, false, statement.saves());
    for (i, gradient) in gradients.iter().enumerate() {
        let target = backward.buffer(
            format!("d{}", statement.inputs()[i].name),
            gradient.tensor.axes.clone(),
            Role::Gradient(i as u32),
        );
        backward.clauses(target, &gradient.clauses);
    }
    Ok(Schedule { forward, backward: backward.finish() })
}

/// Orders the forward side alone: from inputs and constants to outputs, after the checks of the domain.
///
/// What the statement saves is made only where an output needs it; the statement may be without a backward rule.
/// `domain` and the complexity are those of [`schedule`].
#[must_use]
pub fn schedule_forward(statement: &Statement, domain: &[(Condition, String)]) -> Routine {
    forward(statement, domain, &[])
}

fn forward(statement: &Statement, domain: &[(Condition, String)], saved: &[Tensor]) -> Routine {
    let mut forward = Lower::new(statement, true, saved);
    for (condition, text) in domain {
        forward.check(condition, text);
    }
    for (o, output) in statement.outputs().iter().enumerate() {
        let target = forward.tensors[&Tensor::Output(o as u32)];
        forward.clauses(target, &output.clauses);
    }
    for saved in saved {
        if let Tensor::Local(_) = saved {
            forward.ensure(*saved);
        }
    }
    forward.finish()
}

/// What is to be computed, in order.
enum Item {
    Check { vars: Vec<Var>, check: pullback_kernel::statement::Sign, value: Term, text: String },
    Define { target: BufferId, vars: Vec<Var>, at: Vec<Index>, value: Term },
}

/// A buffer that holds a term's values, for terms that are equal to it up to renaming.
struct Known {
    buffer: BufferId,
    /// For each axis of the buffer, which of the canonical free variables it is.
    axes: Vec<usize>,
}

struct Lower<'a> {
    statement: &'a Statement,
    forward: bool,
    vars: Vec<Variable>,
    temps: Vec<String>,
    buffers: Vec<Buffer>,
    tensors: HashMap<Tensor, BufferId>,
    ensured: Vec<Tensor>,
    items: Vec<Item>,
    steps: Vec<Step>,
    known: HashMap<String, Known>,
}

impl<'a> Lower<'a> {
    fn new(statement: &'a Statement, forward: bool, saved: &[Tensor]) -> Self {
        let vars =
            statement.variables().iter().map(|v| Variable { name: v.name.text.clone(), dims: vec![v.dim] }).collect();
        let mut lower = Lower {
            statement,
            forward,
            vars,
            temps: vec![],
            buffers: vec![],
            tensors: HashMap::new(),
            ensured: vec![],
            items: vec![],
            steps: vec![],
            known: HashMap::new(),
        };
        let mut declare = |tensor: Tensor, role: Role| {
            let decl = statement.tensor(tensor);
            let buffer = lower.buffer(decl.name.text, decl.axes, role);
            lower.tensors.insert(tensor, buffer);
        };
        for i in 0..statement.constants().len() as u32 {
            declare(Tensor::Constant(i), Role::Given(Tensor::Constant(i)));
        }
        if forward {
            for i in 0..statement.inputs().len() as u32 {
                declare(Tensor::Input(i), Role::Given(Tensor::Input(i)));
            }
            for i in 0..statement.outputs().len() as u32 {
                declare(Tensor::Output(i), Role::Result(Tensor::Output(i)));
            }
            for i in 0..statement.locals().len() as u32 {
                let local = Tensor::Local(i);
                declare(local, if saved.contains(&local) { Role::Result(local) } else { Role::Local });
            }
        } else {
            for tensor in saved {
                declare(*tensor, Role::Given(*tensor));
            }
            for i in 0..statement.outputs().len() as u32 {
                declare(Tensor::Cotangent(i), Role::Given(Tensor::Cotangent(i)));
            }
            for i in 0..statement.backward_locals().len() as u32 {
                declare(Tensor::BackwardLocal(i), Role::Local);
            }
        }
        lower
    }

    fn buffer(&mut self, name: String, axes: Vec<pullback_kernel::statement::DimId>, role: Role) -> BufferId {
        self.buffers.push(Buffer { name, axes, role });
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// A fresh local with the axes of these variables.
    fn local(&mut self, stem: &str, order: &[Var]) -> BufferId {
        let axes = order.iter().map(|v| self.dim(*v)).collect();
        let taken = |name: &str| self.buffers.iter().any(|b| b.name == name);
        let mut number = 0;
        let mut name = stem.to_string();
        while taken(&name) || number == 0 {
            number += 1;
            name = format!("{stem}{number}");
        }
        self.buffer(name, axes, Role::Local)
    }

    fn temp(&mut self, name: &str) -> Temp {
        self.temps.push(name.to_string());
        Temp(self.temps.len() as u32 - 1)
    }

    fn dim(&self, var: Var) -> pullback_kernel::statement::DimId {
        self.vars[var.0 as usize].dims[0]
    }

    /// A fresh variable over the same dimension.
    fn fresh(&mut self, var: Var) -> Var {
        let variable = self.vars[var.0 as usize].clone();
        self.vars.push(variable);
        Var(self.vars.len() as u32 - 1)
    }

    fn partial(&self, index: &Index) -> bool {
        match index {
            Index::Var(_) | Index::First => false,
            Index::Map(m, args) => {
                matches!(self.statement.maps()[m.0 as usize].kind, MapKind::Partial)
                    || args.iter().any(|a| self.partial(a))
            }
        }
    }

    // ---- from the statement to items -------------------------------------------------------------------------------

    fn check(&mut self, condition: &Condition, text: &str) {
        let value = self.term(&condition.value);
        let vars = condition.vars.iter().map(|v| Var(v.0)).collect();
        self.items.push(Item::Check { vars, check: condition.sign, value, text: text.to_string() });
    }

    fn clauses(&mut self, target: BufferId, clauses: &[Clause]) {
        for clause in clauses {
            let value = self.term(&clause.value);
            let at = clause.at.iter().map(position).collect();
            let vars = clause.vars.iter().map(|v| Var(v.0)).collect();
            self.items.push(Item::Define { target, vars, at, value });
        }
    }

    /// Puts the definition of a local before what is defined next, and those it needs before it.
    fn ensure(&mut self, tensor: Tensor) {
        if self.ensured.contains(&tensor) {
            return;
        }
        self.ensured.push(tensor);
        let local: &Local = match (tensor, self.forward) {
            (Tensor::Local(i), true) => &self.statement.locals()[i as usize],
            (Tensor::BackwardLocal(i), false) => &self.statement.backward_locals()[i as usize],
            _ => return,
        };
        let value = self.term(&local.value);
        let vars: Vec<Var> = local.vars.iter().map(|v: &VarId| Var(v.0)).collect();
        let at = vars.iter().map(|v| Index::Var(*v)).collect();
        self.items.push(Item::Define { target: self.tensors[&tensor], vars, at, value });
    }

    fn term(&mut self, expr: &Expr) -> Term {
        let mut go = |e: &Expr| Box::new(self.term(e));
        match &expr.kind {
            ExprKind::Number(q) => Term::Number(q.clone()),
            ExprKind::Param(p) => Term::Param(*p),
            ExprKind::Size(d) => Term::Size(*d),
            ExprKind::Access(tensor, at) => {
                self.ensure(*tensor);
                Term::Read(self.tensors[tensor], at.iter().map(position).collect())
            }
            ExprKind::Neg(a) => Term::Neg(go(a)),
            ExprKind::Add(a, b) => Term::Add(go(a), go(b)),
            ExprKind::Sub(a, b) => Term::Sub(go(a), go(b)),
            ExprKind::Mul(a, b) => Term::Mul(go(a), go(b)),
            ExprKind::Div(a, b) => Term::Div(go(a), go(b)),
            ExprKind::Pow(a, k) => Term::Pow(go(a), *k),
            ExprKind::Call(f, a) => Term::Call(*f, go(a)),
            ExprKind::Sum(vars, body) => Term::Sum(vars.iter().map(|v| Var(v.0)).collect(), go(body)),
            ExprKind::Max(vars, body) => Term::Max(vars.iter().map(|v| Var(v.0)).collect(), go(body)),
            ExprKind::Equal(a, b) => Term::Equal(position(a), position(b)),
            ExprKind::If { comparison, left, right, then, otherwise } => Term::If {
                comparison: *comparison,
                left: go(left),
                right: go(right),
                then: go(then),
                otherwise: go(otherwise),
            },
        }
    }

    // ---- from items to steps ---------------------------------------------------------------------------------------

    fn finish(mut self) -> Routine {
        self.share_calls();
        // In order; what a definition turns into may change how later items read it.
        self.items.reverse();
        while let Some(item) = self.items.pop() {
            match item {
                Item::Check { vars, check, value, text } => {
                    let value = self.lower(&value, &vars);
                    let step = Step::Check(Check { text, sign: check, value, vars: vars.clone() });
                    self.emit(vars, vec![step]);
                }
                Item::Define { target, vars, at, value } => self.define(target, vars, at, &value),
            }
        }
        let maps = self.statement.maps();
        let mut routine = Routine {
            dims: self.statement.dims().iter().map(|d| d.name.text.clone()).collect(),
            maps: maps.iter().map(|m| m.name.text.clone()).collect(),
            partial: maps.iter().map(|m| matches!(m.kind, MapKind::Partial)).collect(),
            params: self.statement.params().iter().map(|p| p.name.text.clone()).collect(),
            vars: self.vars,
            temps: self.temps,
            buffers: self.buffers,
            steps: self.steps,
        };
        tidy::inline(&mut routine);
        fuse::fuse(&mut routine);
        tidy::alias(&mut routine);
        tidy::shrink(&mut routine);
        tidy::forward_scalars(&mut routine);
        tidy::share_scalars(&mut routine);
        tidy::collapse(&mut routine);
        routine
    }

    fn emit(&mut self, vars: Vec<Var>, body: Vec<Step>) {
        if vars.is_empty() {
            self.steps.extend(body);
        } else {
            self.steps.push(Step::Loop { vars, body });
        }
    }

    fn define(&mut self, target: BufferId, vars: Vec<Var>, at: Vec<Index>, value: &Term) {
        if let Some(step) = self.carry(target, &vars, &at, value) {
            self.steps.push(step);
            return;
        }
        if self.buffers[target.0 as usize].role == Role::Local
            && let Term::Sum(bound, body) = value
            && let Scalar::Read(made, from) = self.sum(bound, body, &vars, None)
            && self.stands_for(target, &at, made, &from)
        {
            return;
        }
        let direct = at.iter().all(|i| match i {
            Index::Map(m, args) => matches!(
                (self.statement.maps()[m.0 as usize].kind, args.as_slice()),
                (MapKind::Part { .. }, [Index::Var(_)])
            ),
            _ => true,
        });
        let scalar = match value {
            Term::Sum(bound, body) if direct => self.sum(bound, body, &vars, Some((target, &at))),
            Term::Max(bound, body) if direct => self.max(bound, body, &vars, Some((target, &at))),
            _ => self.lower(value, &vars),
        };
        if let Scalar::Read(b, from) = &scalar
            && *b == target
            && *from == at
        {
            // The sum was computed where it belongs.
            return;
        }
        self.emit(vars, vec![Step::Set { target, at: at.clone(), value: scalar }]);
        if matches!(value, Term::Call(..)) {
            self.learn(value, target, &at);
        }
    }

    /// A local's axes may lie in any order: what is defined later reads the buffer that the sum chose for itself.
    fn stands_for(&mut self, local: BufferId, at: &[Index], made: BufferId, from: &[Index]) -> bool {
        let order: Option<Vec<usize>> = from.iter().map(|i| at.iter().position(|a| a == i)).collect();
        let Some(order) = order.filter(|o| o.len() == at.len()) else { return false };
        if self.buffers[made.0 as usize].role == Role::Local && made.0 > local.0 {
            let name = std::mem::take(&mut self.buffers[local.0 as usize].name);
            self.buffers[made.0 as usize].name = name;
        }
        fn swap(term: &Term, local: BufferId, made: BufferId, order: &[usize]) -> Term {
            match term {
                Term::Read(b, at) if *b == local => Term::Read(made, order.iter().map(|k| at[*k].clone()).collect()),
                _ => term.map(&mut |t| swap(t, local, made, order)),
            }
        }
        for item in &mut self.items {
            let (Item::Check { value, .. } | Item::Define { value, .. }) = item;
            *value = swap(value, local, made, &order);
        }
        true
    }

    /// A pure rearrangement by one bijection.
    fn carry(&self, target: BufferId, vars: &[Var], at: &[Index], value: &Term) -> Option<Step> {
        let Term::Read(source, from) = value else { return None };
        let bijective = |m: pullback_kernel::statement::MapId| {
            matches!(self.statement.maps()[m.0 as usize].kind, MapKind::Bijection)
        };
        let plain =
            |side: &[Index]| side.len() == vars.len() && side.iter().zip(vars).all(|(i, v)| *i == Index::Var(*v));
        match (at, from.as_slice()) {
            ([Index::Map(map, args)], from) if bijective(*map) && plain(args) && plain(from) => {
                Some(Step::Carry { target, source: *source, map: *map, forward: true })
            }
            (at, [Index::Map(map, args)]) if bijective(*map) && plain(args) && plain(at) => {
                Some(Step::Carry { target, source: *source, map: *map, forward: false })
            }
            _ => None,
        }
    }

    /// The expression without sums; what its sums need is emitted before.
    fn lower(&mut self, term: &Term, scope: &[Var]) -> Scalar {
        if matches!(term, Term::Call(..))
            && let Some(known) = self.find(term)
        {
            return known;
        }
        let mut go = |a: &Term| Box::new(self.lower(a, scope));
        match term {
            Term::Number(q) => Scalar::Number(q.clone()),
            Term::Param(p) => Scalar::Param(*p),
            Term::Size(d) => Scalar::Size(*d),
            Term::Read(b, at) => Scalar::Read(*b, at.clone()),
            Term::Neg(a) => Scalar::Neg(go(a)),
            Term::Add(a, b) => Scalar::Add(go(a), go(b)),
            Term::Sub(a, b) => Scalar::Sub(go(a), go(b)),
            Term::Mul(a, b) => Scalar::Mul(go(a), go(b)),
            Term::Div(a, b) => Scalar::Div(go(a), go(b)),
            Term::Pow(a, k) => Scalar::Pow(go(a), *k),
            Term::Call(f, a) => Scalar::Call(*f, go(a)),
            Term::Equal(a, b) => Scalar::Equal(a.clone(), b.clone()),
            Term::If { comparison, left, right, then, otherwise } => {
                let (l, r) = (go(left), go(right));
                let (then, otherwise) = (self.guard(term, then, true), self.guard(term, otherwise, false));
                Scalar::If {
                    comparison: *comparison,
                    left: l,
                    right: r,
                    then: Box::new(self.lower(&then, scope)),
                    otherwise: Box::new(self.lower(&otherwise, scope)),
                }
            }
            Term::Sum(vars, body) => self.sum(vars, body, scope, None),
            Term::Max(vars, body) => self.max(vars, body, scope, None),
        }
    }

    /// A sum in a branch is computed before the branch is chosen. Where it may have no value, its body asks first.
    fn guard(&mut self, choice: &Term, branch: &Term, holds: bool) -> Term {
        let (Term::Sum(vars, body) | Term::Max(vars, body)) = branch else {
            return branch.map(&mut |part| self.guard(choice, part, holds));
        };
        if !body.is_partial() {
            return branch.clone();
        }
        let Term::If { comparison, left, right, .. } = choice else { return branch.clone() };
        let zero = || Box::new(Term::Number(pullback_kernel::Rational::from_integer(0.into())));
        let (then, otherwise) = if holds { (body.clone(), zero()) } else { (zero(), body.clone()) };
        let (left, right) = (Box::new(self.rebind(left)), Box::new(self.rebind(right)));
        let asked = Box::new(Term::If { comparison: *comparison, left, right, then, otherwise });
        if matches!(branch, Term::Sum(..)) { Term::Sum(vars.clone(), asked) } else { Term::Max(vars.clone(), asked) }
    }

    /// The text under which a term's buffer is known, and its free variables in canonical order.
    fn key(&self, term: &Term) -> (String, Vec<Var>) {
        crate::term::canonical(term, &|v| self.dim(v).0.to_string())
    }

    fn find(&self, term: &Term) -> Option<Scalar> {
        let (text, free) = self.key(term);
        let known = self.known.get(&text)?;
        Some(Scalar::Read(known.buffer, known.axes.iter().map(|a| Index::Var(free[*a])).collect()))
    }

    /// Records that all of a buffer, its axes at these variables, holds the term.
    fn learn(&mut self, term: &Term, buffer: BufferId, at: &[Index]) {
        let (text, free) = self.key(term);
        let axes: Option<Vec<usize>> = at.iter().map(|i| free.iter().position(|f| *i == Index::Var(*f))).collect();
        if let Some(axes) = axes {
            self.known.entry(text).or_insert(Known { buffer, axes });
        }
    }
}

fn position(index: &Position) -> Index {
    match index {
        Position::Variable(v) => Index::Var(Var(v.0)),
        Position::Map(m, args) => Index::Map(*m, args.iter().map(position).collect()),
    }
}
