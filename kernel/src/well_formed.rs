//! What every statement is, wherever it comes from: the one check before anything is claimed about one.
//!
//! Statements are made from text, by composition, by transforms and by deriving a rule.
//! Each of these is to give well-formed ones, and none of them is trusted to: [`Statement::well_formed`] looks at the result.
//! It reads the statement and nothing else, and must never accept one in which an index could stand for two things, a read
//! could fall outside of its tensor, or a rule could read what it does not have.

#[cfg(test)]
mod tests;

use std::fmt;

use crate::derive::each;
use crate::statement::{
    Clause, Defined, DimId, Expr, ExprKind, Index, Local, LocalKind, MapKind, Statement, Tensor, TensorDecl, VarId,
};

/// Why a statement is not well formed: one sentence that names the place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed(String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the statement is not well formed: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

type Checked<T = ()> = Result<T, Malformed>;

fn wrong<T>(what: impl Into<String>) -> Checked<T> {
    Err(Malformed(what.into()))
}

impl Statement {
    /// Whether the statement means something.
    ///
    /// | what | must be |
    /// | --- | --- |
    /// | a dimension, parameter, map, split or tensor that is referred to | there |
    /// | a map | of one target; a part of a split of one argument, at its place in its split |
    /// | a dimension | the whole of at most one split |
    /// | an index variable | bound in one place, and read inside of it only |
    /// | an access | of its tensor's axes, one index of each dimension |
    /// | a local, output or rule | made of what stands before it |
    /// | a rule | one cotangent for each input, of its axes, made of saved tensors, constants and cotangents |
    /// | the clauses of a tensor | at plain variables, bijections and parts; they cover it and do not meet |
    /// | a step or kink in what is differentiated | declared |
    ///
    /// # Errors
    ///
    /// [`Malformed`], with the first thing that is wrong.
    ///
    /// # Example
    ///
    /// ```
    /// let (statements, _) = pullback_kernel::load(
    ///     "contract square version 1 dims s.. input x[s..] output y[i..] = x[i..]^2");
    /// assert!(statements[0].well_formed().is_ok());
    /// assert!(statements[0].with_derived_rule().well_formed().is_ok());
    /// ```
    pub fn well_formed(&self) -> Result<(), Malformed> {
        let mut check = Check { statement: self, bound: vec![false; self.variables.len()], scope: Vec::new() };
        check.declarations()?;
        check.forward()?;
        check.rule()?;
        if self.declaration.is_none() && self.has_boundary() {
            return wrong("its value has steps or kinks, and it declares nothing");
        }
        Ok(())
    }

    /// Whether the forward part has steps or kinks in what is differentiated, apart from the values of `any`.
    pub(crate) fn has_boundary(&self) -> bool {
        let mut moving: Vec<Tensor> = (0..self.inputs.len() as u32).map(Tensor::Input).collect();
        let moves = |e: &Expr, moving: &[Tensor]| {
            let mut found = false;
            each(e, &mut |x| found |= matches!(&x.kind, ExprKind::Access(t, _) if moving.contains(t)));
            found
        };
        let steps = |e: &Expr, moving: &[Tensor]| {
            let mut found = false;
            each(e, &mut |x| {
                found |= match &x.kind {
                    ExprKind::If { left, right, .. } => moves(left, moving) || moves(right, moving),
                    ExprKind::Max(_, a) => moves(a, moving),
                    ExprKind::Call(f, a) => f.is_step() && moves(a, moving),
                    _ => false,
                }
            });
            found
        };
        for (k, local) in (0u32..).zip(&self.locals).filter(|(_, l)| l.kind == LocalKind::Let) {
            if steps(&local.value, &moving) {
                return true;
            }
            if moves(&local.value, &moving) {
                moving.push(Tensor::Local(k));
            }
        }
        for (k, output) in (0u32..).zip(&self.outputs) {
            if output.clauses.iter().any(|c| steps(&c.value, &moving)) {
                return true;
            }
            if output.clauses.iter().any(|c| moves(&c.value, &moving)) {
                moving.push(Tensor::Output(k));
            }
        }
        false
    }
}

/// What an expression may read.
#[derive(Clone, Copy)]
enum Part {
    /// A `where` clause: inputs, constants and locals.
    Where,
    /// The local of this number.
    Local(u32),
    /// The output of this number.
    Output(u32),
    /// The backward local of this number; as many as there are for the cotangents.
    Backward(u32),
}

struct Check<'s> {
    statement: &'s Statement,
    /// Which variables have their binder already.
    bound: Vec<bool>,
    /// Those whose binder the expression at hand stands in.
    scope: Vec<VarId>,
}

impl Check<'_> {
    fn dim(&self, dim: DimId) -> Checked {
        if (dim.0 as usize) < self.statement.dims.len() { Ok(()) } else { wrong("a dimension is not declared") }
    }

    fn declarations(&self) -> Checked {
        let s = self.statement;
        let axes = |t: &TensorDecl| t.axes.iter().try_for_each(|d| self.dim(*d));
        s.constants.iter().chain(&s.inputs).chain(s.outputs.iter().map(|o| &o.tensor)).try_for_each(axes)?;
        s.variables.iter().try_for_each(|v| self.dim(v.dim))?;
        for (k, map) in (0u32..).zip(&s.maps) {
            map.from.iter().chain([&map.to]).try_for_each(|d| self.dim(*d))?;
            if map.from.is_empty() {
                return wrong(format!("the map `{}` has no argument", map.name));
            }
            if let MapKind::Part { split, part } = map.kind {
                let of = s.splits.get(split as usize);
                if of.and_then(|split| split.parts.get(part as usize)).is_none_or(|at| at.0 != k)
                    || of.is_none_or(|split| split.whole != map.to)
                    || map.from.len() != 1
                {
                    return wrong(format!("`{}` is not a part of its split", map.name));
                }
            }
        }
        for (k, split) in (0u32..).zip(&s.splits) {
            self.dim(split.whole)?;
            if split.parts.is_empty() {
                return wrong("a split has no part");
            }
            if s.splits[..k as usize].iter().any(|other| other.whole == split.whole) {
                return wrong(format!("`{}` is split twice", s.dims[split.whole.0 as usize].name));
            }
            for (part, map) in (0u32..).zip(&split.parts) {
                if s.maps.get(map.0 as usize).map(|m| m.kind) != Some(MapKind::Part { split: k, part }) {
                    return wrong(format!("a part of the split of `{}` is none", s.dims[split.whole.0 as usize].name));
                }
            }
        }
        Ok(())
    }

    fn forward(&mut self) -> Checked {
        let s = self.statement;
        for condition in &s.wheres {
            self.within(&condition.vars, |check| check.expr(&condition.value, Part::Where))?;
        }
        for (k, local) in (0u32..).zip(&s.locals) {
            self.local(local, Part::Local(k))?;
        }
        for (k, output) in (0u32..).zip(&s.outputs) {
            self.defined(output, Part::Output(k))?;
        }
        Ok(())
    }

    fn rule(&mut self) -> Checked {
        let s = self.statement;
        for (k, t) in s.saves.iter().enumerate() {
            let there = match *t {
                Tensor::Input(k) => (k as usize) < s.inputs.len(),
                Tensor::Local(k) => (k as usize) < s.locals.len(),
                Tensor::Output(k) => (k as usize) < s.outputs.len(),
                _ => false,
            };
            if !there || s.saves[..k].contains(t) {
                return wrong("what it saves is not a tensor of its forward part, each once");
            }
        }
        for (k, local) in (0u32..).zip(&s.backward_locals) {
            if local.kind == LocalKind::Any {
                return wrong(format!("the rule's `{}` is an `any`", local.name));
            }
            self.local(local, Part::Backward(k))?;
        }
        let Some(gradients) = &s.gradients else { return Ok(()) };
        if gradients.len() != s.inputs.len() {
            return wrong("the rule does not give one cotangent for each input");
        }
        for (gradient, input) in gradients.iter().zip(&s.inputs) {
            if gradient.tensor.axes != input.axes {
                return wrong(format!("the cotangent of `{}` does not have its axes", input.name));
            }
            self.defined(gradient, Part::Backward(s.backward_locals.len() as u32))?;
        }
        Ok(())
    }

    fn local(&mut self, local: &Local, part: Part) -> Checked {
        self.within(&local.vars, |check| check.expr(&local.value, part))
    }

    fn defined(&mut self, defined: &Defined, part: Part) -> Checked {
        let name = &defined.tensor.name;
        for clause in &defined.clauses {
            self.left_side(clause, &defined.tensor)?;
            self.within(&clause.vars, |check| check.expr(&clause.value, part))?;
        }
        // For each clause and axis, the part of a split that stands there, if one does.
        let cell = |index: &Index| match index {
            Index::Variable(_) => None,
            Index::Map(m, _) => match self.statement.maps[m.0 as usize].kind {
                MapKind::Part { split, part } => Some((split, part)),
                _ => None,
            },
        };
        let cells: Vec<Vec<_>> = defined.clauses.iter().map(|c| c.at.iter().map(cell).collect()).collect();
        for (k, a) in cells.iter().enumerate() {
            if cells[..k].iter().any(|b| a.iter().zip(b).all(|(p, q)| p.is_none() || q.is_none() || p == q)) {
                return wrong(format!("two clauses of `{name}` meet"));
            }
        }
        // They do not meet, so they cover it if they count as many cells as there are.
        let parts: Vec<u128> = (0..defined.tensor.axes.len())
            .map(|axis| {
                let split = cells.iter().find_map(|c| c[axis]).map(|(split, _)| split);
                split.map_or(1, |k| self.statement.splits[k as usize].parts.len() as u128)
            })
            .collect();
        let count = |c: &Vec<Option<(u32, u32)>>| {
            c.iter().zip(&parts).map(|(at, n)| if at.is_some() { 1 } else { *n }).fold(1, u128::saturating_mul)
        };
        let covered = cells.iter().map(count).fold(0, u128::saturating_add);
        let whole = parts.iter().copied().fold(1, u128::saturating_mul);
        // A number that saturates tells nothing.
        if covered == whole && whole < u128::MAX { Ok(()) } else { wrong(format!("no clause defines all of `{name}`")) }
    }

    /// The places of a clause: plain variables, or bijections or parts of plain variables, each the clause's own.
    fn left_side(&self, clause: &Clause, tensor: &TensorDecl) -> Checked {
        let s = self.statement;
        let mut vars = Vec::new();
        for index in &clause.at {
            match index {
                Index::Variable(v) => vars.push(*v),
                Index::Map(m, args) => {
                    let kind = s.maps.get(m.0 as usize).map(|m| m.kind);
                    if !matches!(kind, Some(MapKind::Bijection | MapKind::Part { .. })) {
                        return wrong(format!("a clause of `{}` stands at a map that is no bijection", tensor.name));
                    }
                    for arg in args {
                        let Index::Variable(v) = arg else {
                            return wrong(format!("a clause of `{}` stands at a map of a map", tensor.name));
                        };
                        vars.push(*v);
                    }
                }
            }
        }
        if vars != clause.vars {
            return wrong(format!("a clause of `{}` does not bind the variables of its left side", tensor.name));
        }
        let mut inside = Check { statement: s, bound: Vec::new(), scope: clause.vars.clone() };
        inside.indices(&clause.at, &tensor.axes)
    }

    /// What stands inside of binders. A variable has one.
    fn within(&mut self, vars: &[VarId], inside: impl FnOnce(&mut Self) -> Checked) -> Checked {
        for v in vars {
            match self.bound.get_mut(v.0 as usize) {
                None => return wrong("an index variable is not declared"),
                Some(bound) if *bound => {
                    let name = &self.statement.variables[v.0 as usize].name;
                    return wrong(format!("the index variable `{name}` is bound twice"));
                }
                Some(bound) => *bound = true,
            }
        }
        let outer = self.scope.len();
        self.scope.extend_from_slice(vars);
        let checked = inside(self);
        self.scope.truncate(outer);
        checked
    }

    fn indices(&mut self, at: &[Index], dims: &[DimId]) -> Checked {
        if at.len() != dims.len() {
            return wrong(format!("{} indices stand where {} belong", at.len(), dims.len()));
        }
        for (index, dim) in at.iter().zip(dims) {
            if self.index(index)? != *dim {
                let name = &self.statement.dims[dim.0 as usize].name;
                return wrong(format!("an index of another dimension stands where one of `{name}` belongs"));
            }
        }
        Ok(())
    }

    /// The dimension of a position.
    fn index(&mut self, index: &Index) -> Checked<DimId> {
        match index {
            Index::Variable(v) if self.scope.contains(v) => Ok(self.statement.variables[v.0 as usize].dim),
            Index::Variable(_) => wrong("an index variable is read outside of its binder"),
            Index::Map(m, args) => {
                let Some(map) = self.statement.maps.get(m.0 as usize) else { return wrong("a map is not declared") };
                self.indices(args, &map.from)?;
                Ok(map.to)
            }
        }
    }

    fn readable(&self, t: Tensor, part: Part) -> bool {
        let s = self.statement;
        let among = |k: u32, n: usize| (k as usize) < n;
        match (t, part) {
            (Tensor::Constant(k), _) => among(k, s.constants.len()),
            (Tensor::Input(k), Part::Where | Part::Local(_) | Part::Output(_)) => among(k, s.inputs.len()),
            (Tensor::Local(k), Part::Local(own)) => k < own,
            (Tensor::Local(k), Part::Where | Part::Output(_)) => among(k, s.locals.len()),
            (Tensor::Output(k), Part::Output(own)) => k < own,
            (Tensor::Cotangent(k), Part::Backward(_)) => among(k, s.outputs.len()),
            (Tensor::BackwardLocal(k), Part::Backward(own)) => k < own,
            (Tensor::Input(_) | Tensor::Local(_) | Tensor::Output(_), Part::Backward(_)) => s.saves.contains(&t),
            _ => false,
        }
    }

    fn expr(&mut self, e: &Expr, part: Part) -> Checked {
        let s = self.statement;
        match &e.kind {
            ExprKind::Number(_) => Ok(()),
            ExprKind::Param(p) if (p.0 as usize) < s.params.len() => Ok(()),
            ExprKind::Param(_) => wrong("a parameter is not declared"),
            ExprKind::Size(dim) => self.dim(*dim),
            ExprKind::Access(t, at) => {
                if !self.readable(*t, part) {
                    return wrong("something is read that is not there, or not yet, or not saved");
                }
                self.indices(at, &s.tensor(*t).axes)
            }
            ExprKind::Equal(a, b) => {
                if self.index(a)? != self.index(b)? {
                    return wrong("positions of two dimensions are compared");
                }
                Ok(())
            }
            ExprKind::Neg(a) | ExprKind::Pow(a, _) | ExprKind::Call(_, a) => self.expr(a, part),
            ExprKind::Add(a, b) | ExprKind::Sub(a, b) | ExprKind::Mul(a, b) | ExprKind::Div(a, b) => {
                self.expr(a, part)?;
                self.expr(b, part)
            }
            ExprKind::Sum(vars, body) | ExprKind::Max(vars, body) => {
                if vars.is_empty() {
                    return wrong("a sum or maximum is over nothing");
                }
                self.within(vars, |check| check.expr(body, part))
            }
            ExprKind::If { left, right, then, otherwise, .. } => {
                [left, right, then, otherwise].into_iter().try_for_each(|a| self.expr(a, part))
            }
        }
    }
}
