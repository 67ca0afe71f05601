//! Statements made of a statement: what its contract does on the way forward, and what it does on the way back.
//!
//! | statement | inputs | outputs |
//! | --- | --- | --- |
//! | [`taped`](Statement::taped) | those of the statement | its outputs, then the locals that it saves |
//! | [`pullback`](Statement::pullback) | what the rule reads: saved tensors, then cotangents | the cotangents of the inputs |
//! | [`pushforward`](Statement::pushforward) | saved tensors, then tangents of the inputs | the tangents of the outputs |
//!
//! Both are ordinary statements, so that they are evaluated, scheduled, differentiated and proved like any other.
//! The pushforward is the pullback of the pullback by its cotangents: a backward rule is linear in them, and the transpose of the transpose is the derivative.
//! Nothing here knows a derivative: the rules are the statement's own and the derived ones.

use std::collections::BTreeSet;

use num_traits::Zero;

use crate::derive::each;
use crate::prove::any_matters;
use crate::source::{Name, Span};
use crate::statement::{
    Clause, Condition, Declaration, Defined, DimId, Expr, ExprKind, Index, Label, Local, LocalKind, Statement, Tensor,
    Values, VarId, Variable,
};

/// A backward rule as a statement, and where its inputs and outputs come from.
#[derive(Clone, PartialEq, Debug)]
pub struct Pullback {
    /// The statement. It has no rule of its own yet.
    pub statement: Statement,
    /// Its first inputs: tensors of the forward part.
    pub saved: Vec<Tensor>,
    /// Its last inputs: the cotangents of these outputs.
    pub seeds: Vec<u32>,
    /// Its outputs: the cotangents of these inputs.
    pub wanted: Vec<u32>,
}

/// A directional derivative as a statement, and where its inputs and outputs come from.
#[derive(Clone, PartialEq, Debug)]
pub struct Pushforward {
    /// The statement. It has no rule of its own yet.
    pub statement: Statement,
    /// Its first inputs: tensors of the forward part.
    pub saved: Vec<Tensor>,
    /// Its last inputs: the tangents of these inputs.
    pub moving: Vec<u32>,
    /// Its outputs: the tangents of these outputs.
    pub wanted: Vec<u32>,
}

/// A rule that is past the kernel's limits, or not linear in the cotangents: there is no such statement to be had.
///
/// It is not to be taken for one that vanishes, which is `Ok(None)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRule;

impl std::fmt::Display for NoRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the rule is past the kernel's limits")
    }
}

impl std::error::Error for NoRule {}

impl Statement {
    /// The statement with a rule, given or derived.
    fn ruled(&self) -> Result<Statement, NoRule> {
        let ruled = if self.gradients.is_some() { self.clone() } else { self.with_derived_rule() };
        if ruled.gradients.is_some() { Ok(ruled) } else { Err(NoRule) }
    }

    /// The locals that the rule saves, in the order of `saves`: the outputs that [`taped`](Statement::taped) adds.
    pub fn saved_locals(&self) -> Vec<Tensor> {
        self.saves.iter().copied().filter(|t| matches!(t, Tensor::Local(_))).collect()
    }

    /// The statement with the locals that its rule saves as further outputs: the forward part of its contract.
    ///
    /// Its rule is that of the statement for the cotangents of the old outputs, and a derived one for those of the new.
    /// An `any` that a new output depends on becomes a `let`; elsewhere it stays what it is.
    /// Where that one is past the kernel's limits it has no rule, and only the forward part can be used.
    ///
    /// # Errors
    ///
    /// [`NoRule`] where the statement itself has none.
    pub fn taped(&self) -> Result<Statement, NoRule> {
        let base = self.ruled()?;
        let rule = base.gradients.clone().ok_or(NoRule)?;
        let saved = base.saved_locals();
        if saved.is_empty() {
            return Ok(base);
        }
        let mut long = base.clone();
        for t in &saved {
            let tensor = base.tensor(*t);
            let vars = long.fresh_variables(&tensor.axes);
            let at: Vec<Index> = vars.iter().map(|v| Index::Variable(*v)).collect();
            let value = Expr { kind: ExprKind::Access(*t, at.clone()), span: tensor.name.span };
            let clause = Clause { vars, at, value, span: tensor.name.span };
            long.outputs.push(Defined { tensor, clauses: vec![clause] });
        }
        long.name.text.push_str("_taped");
        long.gradients = None;
        long.backward_locals = Vec::new();
        if any_matters(&long) {
            long.locals.iter_mut().for_each(|l| l.kind = LocalKind::Let);
        }
        // The derived rule for the new cotangents alone, after the locals of the given one.
        let derived = long.with_derived_rule();
        let Some(further) = derived.gradients.as_ref() else {
            long.saves = Vec::new();
            return Ok(long);
        };
        let old = self.outputs.len() as u32;
        let first = base.backward_locals.len() as u32;
        let mut zero = BTreeSet::new();
        let (mut locals, mut gradients) = (base.backward_locals.clone(), rule);
        for (k, local) in derived.backward_locals.iter().enumerate() {
            let value = only(&local.value, old, first, &zero);
            if is_zero(&value) {
                zero.insert(k as u32);
            }
            locals.push(Local { value, ..local.clone() });
        }
        for (given, more) in gradients.iter_mut().zip(further) {
            let [clause] = more.clauses.as_slice() else { return Err(NoRule) };
            let value = only(&clause.value, old, first, &zero);
            if !is_zero(&value) {
                add(given, Clause { value, ..clause.clone() }, &mut locals);
            }
        }
        long.variables.extend(derived.variables.into_iter().skip(long.variables.len()));
        long.backward_locals = locals;
        long.gradients = Some(gradients);
        long.drop_unread_locals();
        let read = long.read_by_the_rule();
        long.saves.extend(read.into_iter().filter(|t| !base.saves.contains(t)));
        if long.declaration.is_none() && long.has_boundary() {
            long.declaration = Some(convention(&self.name));
        }
        Ok(long)
    }

    /// The backward rule as a statement, for cotangents of the outputs in `seeds` (those of the others are zero) and the inputs in `wanted`.
    ///
    /// Cotangents that are zero whatever the seeds are left out, and so is what is not read then.
    /// `None` if nothing is left.
    ///
    /// # Errors
    ///
    /// [`NoRule`] where no rule can be derived within the kernel's limits.
    pub fn pullback(
        &self,
        seeds: &dyn Fn(u32) -> bool,
        wanted: &dyn Fn(u32) -> bool,
    ) -> Result<Option<Pullback>, NoRule> {
        self.ruled()?.backward(seeds, wanted, false)
    }

    /// The directional derivative as a statement, for tangents of the inputs in `moving` (the others stand still) and the outputs in `wanted`.
    ///
    /// `None` if nothing moves.
    ///
    /// # Errors
    ///
    /// [`NoRule`] where no rule can be derived within the kernel's limits, or the rule is not linear in the cotangents.
    pub fn pushforward(
        &self,
        moving: &dyn Fn(u32) -> bool,
        wanted: &dyn Fn(u32) -> bool,
    ) -> Result<Option<Pushforward>, NoRule> {
        let Some(back) = self.pullback(wanted, moving)? else { return Ok(None) };
        let first = back.saved.len() as u32;
        let Some(mut again) = back.statement.ruled()?.backward(&|_| true, &|k| k >= first, true)? else {
            return Ok(None);
        };
        again.statement.name.text = format!("{}_pushforward", self.name.text);
        again.statement.doc = format!("The pushforward of `{}`.", self.name);
        let saved = again.saved.iter().map(|t| match t {
            Tensor::Input(k) if *k < first => Ok(back.saved[*k as usize]),
            // A rule that is not linear in the cotangents has no transpose.
            _ => Err(NoRule),
        });
        Ok(Some(Pushforward {
            saved: saved.collect::<Result<_, _>>()?,
            moving: again.seeds.iter().map(|k| back.wanted[*k as usize]).collect(),
            wanted: again.wanted.iter().map(|k| back.seeds[(k - first) as usize]).collect(),
            statement: again.statement,
        }))
    }

    /// The rule as a statement; the forward locals that it reads are inputs, or computed again.
    fn backward(
        &self,
        seeds: &dyn Fn(u32) -> bool,
        wanted: &dyn Fn(u32) -> bool,
        compute_again: bool,
    ) -> Result<Option<Pullback>, NoRule> {
        let base = self;
        let mut vanishing = BTreeSet::new();
        let left = |t: Tensor, vanishing: &BTreeSet<u32>| match t {
            Tensor::Cotangent(k) => seeds(k).then_some(t),
            Tensor::BackwardLocal(k) => (!vanishing.contains(&k)).then_some(t),
            _ => Some(t),
        };
        let mut locals = Vec::new();
        for (k, local) in base.backward_locals.iter().enumerate() {
            let value = rewrite(&local.value, &|t| left(t, &vanishing));
            if is_zero(&value) {
                vanishing.insert(k as u32);
            }
            locals.push(Local { value, ..local.clone() });
        }
        let (mut gradients, mut kept) = (Vec::new(), Vec::new());
        for (k, gradient) in base.gradients.as_ref().ok_or(NoRule)?.iter().enumerate() {
            let mut gradient = gradient.clone();
            for clause in &mut gradient.clauses {
                clause.value = rewrite(&clause.value, &|t| left(t, &vanishing));
            }
            if wanted(k as u32) && !gradient.clauses.iter().all(|c| is_zero(&c.value)) {
                gradients.push(gradient);
                kept.push(k as u32);
            }
        }
        if gradients.is_empty() {
            return Ok(None);
        }
        let mut statement = Statement {
            name: Name { text: format!("{}_pullback", base.name.text), span: base.name.span },
            doc: format!("The pullback of `{}`.", base.name),
            backward_locals: locals,
            gradients: Some(gradients),
            declaration: None,
            ..base.clone()
        };
        statement.drop_unread_locals();
        let mut read = BTreeSet::new();
        statement.each_backward(&mut |e| note(e, &mut read));
        let mut again = Vec::new();
        if compute_again {
            for (k, local) in base.locals.iter().enumerate().rev() {
                if read.remove(&Tensor::Local(k as u32)) {
                    each(&local.value, &mut |e| note(e, &mut read));
                    again.push(k as u32);
                }
            }
            again.reverse();
        }
        // What is read becomes the inputs: saved tensors in the order of `saves`, then cotangents.
        let saved: Vec<Tensor> = base.saves.iter().copied().filter(|t| read.contains(t)).collect();
        let seeds: Vec<u32> =
            (0..base.outputs.len() as u32).filter(|k| read.contains(&Tensor::Cotangent(*k))).collect();
        let place = |t: Tensor| match t {
            Tensor::Constant(_) => Some(t),
            Tensor::BackwardLocal(k) => Some(Tensor::Local(again.len() as u32 + k)),
            Tensor::Local(k) if again.contains(&k) => {
                again.iter().position(|a| *a == k).map(|at| Tensor::Local(at as u32))
            }
            Tensor::Cotangent(k) => {
                seeds.iter().position(|s| *s == k).map(|at| Tensor::Input((saved.len() + at) as u32))
            }
            _ => saved.iter().position(|s| *s == t).map(|at| Tensor::Input(at as u32)),
        };
        // Nothing that is read may be without a place: `rewrite` would take it for zero.
        if read.iter().any(|t| place(*t).is_none()) {
            return Err(NoRule);
        }
        statement.inputs =
            saved.iter().copied().chain(seeds.iter().map(|k| Tensor::Cotangent(*k))).map(|t| base.tensor(t)).collect();
        statement.wheres = base.wheres.iter().filter_map(|c| condition(c, &place)).collect();
        statement.locals = again
            .iter()
            .map(|k| &base.locals[*k as usize])
            .chain(&statement.backward_locals)
            .map(|l| Local { value: rewrite(&l.value, &place), ..l.clone() })
            .collect();
        statement.outputs = statement.gradients.take().ok_or(NoRule)?;
        for clause in statement.outputs.iter_mut().flat_map(|o| &mut o.clauses) {
            clause.value = rewrite(&clause.value, &place);
        }
        statement.backward_locals = Vec::new();
        statement.saves = Vec::new();
        if statement.has_boundary() {
            statement.declaration = Some(convention(&base.name));
        }
        Ok(Some(Pullback { statement, saved, seeds, wanted: kept }))
    }

    /// New index variables over these dimensions.
    pub(crate) fn fresh_variables(&mut self, dims: &[DimId]) -> Vec<VarId> {
        let first = self.variables.len() as u32;
        let new = (first..).zip(dims).map(|(v, dim)| {
            let name = Name { text: format!("i{v}"), span: Span::default() };
            Variable { name, dim: *dim }
        });
        self.variables.extend(new);
        (first..first + dims.len() as u32).map(VarId).collect()
    }

    fn each_backward(&self, f: &mut dyn FnMut(&Expr)) {
        self.backward_locals.iter().for_each(|l| each(&l.value, f));
        self.gradients.iter().flatten().flat_map(|g| &g.clauses).for_each(|c| each(&c.value, f));
    }

    /// Takes away backward locals that no gradient needs, and numbers the others anew.
    fn drop_unread_locals(&mut self) {
        let mut read = BTreeSet::new();
        self.gradients
            .iter()
            .flatten()
            .flat_map(|g| &g.clauses)
            .for_each(|c| each(&c.value, &mut |e| note(e, &mut read)));
        for (k, local) in self.backward_locals.iter().enumerate().rev() {
            if read.contains(&Tensor::BackwardLocal(k as u32)) {
                each(&local.value, &mut |e| note(e, &mut read));
            }
        }
        let order: Vec<u32> = read
            .into_iter()
            .filter_map(|t| match t {
                Tensor::BackwardLocal(k) => Some(k),
                _ => None,
            })
            .collect();
        let place = |t: Tensor| match t {
            Tensor::BackwardLocal(k) => order.binary_search(&k).ok().map(|at| Tensor::BackwardLocal(at as u32)),
            _ => Some(t),
        };
        let locals = std::mem::take(&mut self.backward_locals);
        self.backward_locals = order
            .iter()
            .map(|k| Local { value: rewrite(&locals[*k as usize].value, &place), ..locals[*k as usize].clone() })
            .collect();
        for clause in self.gradients.iter_mut().flatten().flat_map(|g| &mut g.clauses) {
            clause.value = rewrite(&clause.value, &place);
        }
    }
}

/// Adds a value over plain variables to every clause of a gradient, as a local of its own.
fn add(gradient: &mut Defined, more: Clause, locals: &mut Vec<Local>) {
    let read = Tensor::BackwardLocal(locals.len() as u32);
    let name = Name { text: format!("{}_more", gradient.tensor.name.text), span: gradient.tensor.name.span };
    locals.push(Local { kind: LocalKind::Let, name, vars: more.vars, value: more.value });
    for clause in &mut gradient.clauses {
        let extra = Expr { kind: ExprKind::Access(read, clause.at.clone()), span: clause.span };
        clause.value = plus(clause.value.clone(), extra);
    }
}

fn convention(base: &Name) -> Declaration {
    Declaration { label: Label::Convention, values: Values::AsWritten, text: String::new(), span: base.span }
}

/// The expression for the cotangents from `old` on alone; its locals stand after `first` others.
fn only(e: &Expr, old: u32, first: u32, zero: &BTreeSet<u32>) -> Expr {
    rewrite(e, &|t| match t {
        Tensor::Cotangent(k) if k < old => None,
        Tensor::BackwardLocal(k) if zero.contains(&k) => None,
        Tensor::BackwardLocal(k) => Some(Tensor::BackwardLocal(first + k)),
        _ => Some(t),
    })
}

/// The condition in new tensors, if it can be said in them.
fn condition(c: &Condition, place: &dyn Fn(Tensor) -> Option<Tensor>) -> Option<Condition> {
    let mut sayable = true;
    each(&c.value, &mut |e| {
        if let ExprKind::Access(t, _) = &e.kind {
            sayable &= place(*t).is_some();
        }
    });
    sayable.then(|| Condition { value: rewrite(&c.value, place), ..c.clone() })
}

fn note(e: &Expr, read: &mut BTreeSet<Tensor>) {
    if let ExprKind::Access(t, _) = &e.kind {
        read.insert(*t);
    }
}

fn is_zero(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Number(q) if q.is_zero())
}

fn plus(a: Expr, b: Expr) -> Expr {
    if is_zero(&a) {
        return b;
    }
    if is_zero(&b) {
        return a;
    }
    let span = a.span;
    Expr { kind: ExprKind::Add(Box::new(a), Box::new(b)), span }
}

/// The expression with tensors replaced, `None` standing for zero, and what vanishes then left out.
fn rewrite(e: &Expr, place: &dyn Fn(Tensor) -> Option<Tensor>) -> Expr {
    let span = e.span;
    let zero = || Expr { kind: ExprKind::Number(Zero::zero()), span };
    let go = |a: &Expr| rewrite(a, place);
    let kind = match &e.kind {
        ExprKind::Access(t, at) => match place(*t) {
            None => return zero(),
            Some(t) => ExprKind::Access(t, at.clone()),
        },
        ExprKind::Number(_) | ExprKind::Param(_) | ExprKind::Size(_) | ExprKind::Equal(..) => e.kind.clone(),
        ExprKind::Neg(a) => {
            let a = go(a);
            if is_zero(&a) {
                return a;
            }
            ExprKind::Neg(Box::new(a))
        }
        ExprKind::Add(a, b) => return plus(go(a), go(b)),
        ExprKind::Sub(a, b) => {
            let (a, b) = (go(a), go(b));
            if is_zero(&b) {
                return a;
            }
            if is_zero(&a) { ExprKind::Neg(Box::new(b)) } else { ExprKind::Sub(Box::new(a), Box::new(b)) }
        }
        ExprKind::Mul(a, b) => {
            let (a, b) = (go(a), go(b));
            if is_zero(&a) || is_zero(&b) {
                return zero();
            }
            ExprKind::Mul(Box::new(a), Box::new(b))
        }
        ExprKind::Div(a, b) => {
            let a = go(a);
            if is_zero(&a) {
                return a;
            }
            ExprKind::Div(Box::new(a), Box::new(go(b)))
        }
        ExprKind::Pow(a, k) => ExprKind::Pow(Box::new(go(a)), *k),
        ExprKind::Call(f, a) => ExprKind::Call(*f, Box::new(go(a))),
        ExprKind::Sum(vars, a) => {
            let a = go(a);
            if is_zero(&a) {
                return a;
            }
            ExprKind::Sum(vars.clone(), Box::new(a))
        }
        ExprKind::Max(vars, a) => ExprKind::Max(vars.clone(), Box::new(go(a))),
        ExprKind::If { comparison, left, right, then, otherwise } => {
            let (then, otherwise) = (go(then), go(otherwise));
            if is_zero(&then) && is_zero(&otherwise) {
                return then;
            }
            ExprKind::If {
                comparison: *comparison,
                left: Box::new(go(left)),
                right: Box::new(go(right)),
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            }
        }
    };
    Expr { kind, span }
}
