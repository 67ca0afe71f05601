//! An interpreter of statements that shares no code with the kernel's: each element where it is asked for, by what defines it.
//!
//! It reads the resolved statement and nothing else of the kernel. Locals and outputs are computed an element at a time, so that
//! a condition is evaluated with what it takes and no more. It must never say that a value is there where one that it takes is not.

use std::cmp::Ordering;

use pullback_kernel::statement::{
    Clause, Comparison, Condition, Defined, DimId, Expr, ExprKind, Function, Index, Local, LocalKind, Sign, Statement,
    Tensor, VarId,
};

use super::ball::{Ball, Halt, Moving, Told};

/// Expressions that one evaluation may take.
const STEPS: usize = 200_000;

/// What a statement is evaluated at.
#[derive(Clone, Debug)]
pub struct Point {
    /// The size of each dimension.
    pub sizes: Vec<usize>,
    /// The value of each map at each place of its arguments.
    pub maps: Vec<Vec<Option<usize>>>,
    /// Scalar parameters.
    pub params: Vec<Ball>,
    /// Constants, then inputs, flat.
    pub constants: Vec<Vec<Ball>>,
    /// Inputs, flat.
    pub inputs: Vec<Vec<Moving>>,
    /// A cotangent of each output.
    pub cotangents: Vec<Vec<Ball>>,
}

/// One evaluation of a statement at a point.
pub struct Interpreter<'a> {
    statement: &'a Statement,
    point: &'a Point,
    /// Values in place of those that an `any` is computed as.
    pub any: Option<Vec<Vec<Ball>>>,
    /// Whether a comparison between equal sides was met, a tie of a maximum or a jump, outside of the values of `any`.
    pub touched: bool,
    in_any: bool,
    locals: Vec<Vec<Option<Moving>>>,
    outputs: Vec<Vec<Option<Moving>>>,
    backward_locals: Vec<Vec<Option<Moving>>>,
    steps: usize,
}

/// The position of each index variable; out of scope, none.
type Scope = Vec<Option<usize>>;

impl<'a> Interpreter<'a> {
    /// Nothing is evaluated yet.
    pub fn new(statement: &'a Statement, point: &'a Point) -> Self {
        let places = |dims: &mut dyn Iterator<Item = DimId>| dims.map(|d| point.sizes[d.0 as usize]).product();
        let empty = |n: usize| vec![None; n];
        let local = |l: &Local| empty(places(&mut l.vars.iter().map(|v| statement.dim_of(*v))));
        Interpreter {
            statement,
            point,
            any: None,
            touched: false,
            in_any: false,
            locals: statement.locals().iter().map(local).collect(),
            outputs: statement.outputs().iter().map(|o| empty(places(&mut o.tensor.axes.iter().copied()))).collect(),
            backward_locals: statement.backward_locals().iter().map(local).collect(),
            steps: STEPS,
        }
    }

    fn size(&self, dim: DimId) -> usize {
        self.point.sizes[dim.0 as usize]
    }

    fn places(&self, axes: &[DimId]) -> usize {
        axes.iter().map(|d| self.size(*d)).product()
    }

    fn scope(&self) -> Scope {
        vec![None; self.statement.variables().len()]
    }

    /// All positions of the variables, one after the other.
    fn each(&self, vars: &[VarId]) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        for v in vars {
            let n = self.size(self.statement.dim_of(*v));
            all = all.into_iter().flat_map(|at| (0..n).map(move |k| [at.as_slice(), &[k]].concat())).collect();
        }
        all
    }

    /// The first condition that fails; none if all hold. Later ones are not looked at.
    ///
    /// # Errors
    /// [`Halt`] where a condition has no value, or no sign that can be told.
    pub fn outside<'c>(&mut self, conditions: &'c [Condition]) -> Told<Option<&'c Condition>> {
        for condition in conditions {
            for at in self.each(&condition.vars) {
                let mut scope = self.scope();
                condition.vars.iter().zip(at).for_each(|(v, k)| scope[v.0 as usize] = Some(k));
                let value = self.value(&condition.value, &mut scope)?;
                let sign = value.value.sign().ok_or(Halt::Unknown("the sign of a condition"))?;
                let holds = match condition.sign {
                    Sign::Positive => sign == Ordering::Greater,
                    Sign::NonNegative => sign != Ordering::Less,
                    Sign::NonZero => sign != Ordering::Equal,
                };
                if !holds {
                    return Ok(Some(condition));
                }
            }
        }
        Ok(None)
    }

    /// All outputs, and all locals whether they are read or not.
    ///
    /// # Errors
    /// [`Halt`] where one has no value.
    pub fn forward(&mut self) -> Told<Vec<Vec<Moving>>> {
        for k in 0..self.locals.len() {
            for at in 0..self.locals[k].len() {
                self.local(k, at, false)?;
            }
        }
        (0..self.outputs.len()).map(|k| (0..self.outputs[k].len()).map(|at| self.output(k, at)).collect()).collect()
    }

    /// The values of `any` that were computed, in order; nothing for a `let`.
    pub fn values_of_any(&self) -> Vec<Vec<Ball>> {
        let values = |(l, v): (&Local, &Vec<Option<Moving>>)| match l.kind {
            LocalKind::Any => v.iter().flatten().map(|m| m.value).collect(),
            LocalKind::Let => Vec::new(),
        };
        self.statement.locals().iter().zip(&self.locals).map(values).collect()
    }

    /// The cotangents of the inputs, by the rule.
    ///
    /// # Errors
    /// [`Halt`] where one has no value.
    pub fn backward(&mut self) -> Told<Vec<Vec<Moving>>> {
        let statement = self.statement;
        for k in 0..self.backward_locals.len() {
            for at in 0..self.backward_locals[k].len() {
                self.local(k, at, true)?;
            }
        }
        let gradients = statement.gradients().unwrap_or_default();
        gradients.iter().map(|g| (0..self.places(&g.tensor.axes)).map(|at| self.defined(g, at)).collect()).collect()
    }

    /// What a boundary says inside of the value of an `any` does not matter.
    fn local(&mut self, k: usize, at: usize, backward: bool) -> Told<Moving> {
        let statement = self.statement;
        let (local, known) = if backward {
            (&statement.backward_locals()[k], self.backward_locals[k][at])
        } else {
            (&statement.locals()[k], self.locals[k][at])
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let chosen = self.any.as_ref().filter(|_| local.kind == LocalKind::Any && !backward);
        if let Some(chosen) = chosen {
            return Ok(Moving::still(chosen[k][at]));
        }
        let outer = self.in_any;
        self.in_any |= local.kind == LocalKind::Any;
        let mut scope = self.scope();
        let mut rest = at;
        for v in local.vars.iter().rev() {
            let n = self.size(statement.dim_of(*v));
            scope[v.0 as usize] = Some(rest % n);
            rest /= n;
        }
        let value = self.value(&local.value, &mut scope);
        self.in_any = outer;
        let value = value?;
        if backward {
            self.backward_locals[k][at] = Some(value);
        } else {
            self.locals[k][at] = Some(value);
        }
        Ok(value)
    }

    fn output(&mut self, k: usize, at: usize) -> Told<Moving> {
        if let Some(known) = self.outputs[k][at] {
            return Ok(known);
        }
        let value = self.defined(&self.statement.outputs()[k], at)?;
        self.outputs[k][at] = Some(value);
        Ok(value)
    }

    /// The element of a tensor, by the one clause that stands there.
    fn defined(&mut self, defined: &'a Defined, flat: usize) -> Told<Moving> {
        let mut found = None;
        for clause in &defined.clauses {
            if let Some(scope) = self.bound(clause, &defined.tensor.axes, flat)? {
                if found.is_some() {
                    return Err(Halt::Undefined("an element that two clauses define"));
                }
                found = Some(self.value(&clause.value, &mut scope.clone())?);
            }
        }
        found.ok_or(Halt::Undefined("an element that no clause defines"))
    }

    /// The variables of a clause where it stands at this place.
    fn bound(&mut self, clause: &Clause, axes: &[DimId], flat: usize) -> Told<Option<Scope>> {
        if clause.at.iter().all(|i| matches!(i, Index::Variable(_))) {
            let mut scope = self.scope();
            let mut rest = flat;
            for (i, d) in clause.at.iter().zip(axes).rev() {
                let n = self.size(*d);
                if let Index::Variable(v) = i {
                    scope[v.0 as usize] = Some(rest % n);
                }
                rest /= n;
            }
            return Ok(Some(scope));
        }
        let mut found = None;
        for at in self.each(&clause.vars) {
            let mut scope = self.scope();
            clause.vars.iter().zip(at).for_each(|(v, k)| scope[v.0 as usize] = Some(k));
            if self.position(&clause.at, axes, &scope)? == Some(flat) {
                if found.is_some() {
                    return Err(Halt::Undefined("an element that one clause defines twice"));
                }
                found = Some(scope);
            }
        }
        Ok(found)
    }

    fn position(&self, at: &[Index], axes: &[DimId], scope: &Scope) -> Told<Option<usize>> {
        let mut flat = 0;
        for (index, dim) in at.iter().zip(axes) {
            match self.index(index, scope)? {
                Some(k) => flat = flat * self.size(*dim) + k,
                None => return Ok(None),
            }
        }
        Ok(Some(flat))
    }

    fn index(&self, index: &Index, scope: &Scope) -> Told<Option<usize>> {
        match index {
            Index::Variable(v) => scope[v.0 as usize].map(Some).ok_or(Halt::Undefined("an index without a place")),
            Index::Map(m, args) => {
                let from = &self.statement.maps()[m.0 as usize].from;
                Ok(self.position(args, from, scope)?.and_then(|k| self.point.maps[m.0 as usize][k]))
            }
        }
    }

    fn read(&mut self, t: Tensor, at: &[Index], scope: &Scope) -> Told<Moving> {
        let axes = self.statement.tensor(t).axes;
        let Some(at) = self.position(at, &axes, scope)? else { return Ok(Moving::ZERO) };
        match t {
            Tensor::Input(k) => Ok(self.point.inputs[k as usize][at]),
            Tensor::Constant(k) => Ok(Moving::still(self.point.constants[k as usize][at])),
            Tensor::Cotangent(k) => Ok(Moving::still(self.point.cotangents[k as usize][at])),
            Tensor::Local(k) => self.local(k as usize, at, false),
            Tensor::BackwardLocal(k) => self.local(k as usize, at, true),
            Tensor::Output(k) => self.output(k as usize, at),
        }
    }

    /// A comparison of equal sides, a tie or a jump was met.
    fn touch(&mut self) {
        self.touched |= !self.in_any;
    }

    fn value(&mut self, e: &Expr, scope: &mut Scope) -> Told<Moving> {
        self.steps = self.steps.checked_sub(1).ok_or(Halt::Unknown("a value that takes too long"))?;
        match &e.kind {
            ExprKind::Number(q) => Ok(Moving::still(Ball::rational(q))),
            ExprKind::Param(p) => Ok(Moving::still(self.point.params[p.0 as usize])),
            ExprKind::Size(d) => Ok(Moving::still(Ball::exact(self.size(*d) as f64))),
            ExprKind::Access(t, at) => self.read(*t, at, scope),
            ExprKind::Neg(a) => Ok(self.value(a, scope)?.minus()),
            ExprKind::Add(a, b) => self.value(a, scope)?.plus(self.value(b, scope)?),
            ExprKind::Sub(a, b) => self.value(a, scope)?.plus(self.value(b, scope)?.minus()),
            ExprKind::Mul(a, b) => self.value(a, scope)?.times(self.value(b, scope)?),
            ExprKind::Div(a, b) => {
                let a = self.value(a, scope)?;
                a.times(self.value(b, scope)?.recip()?)
            }
            ExprKind::Pow(a, k) => {
                let a = self.value(a, scope)?;
                let power = (0..k.unsigned_abs()).try_fold(Moving::ONE, |p, _| p.times(a))?;
                if *k < 0 { power.recip() } else { Ok(power) }
            }
            ExprKind::Call(f, a) => {
                let a = self.value(a, scope)?;
                match f {
                    Function::Exp => a.exp(),
                    Function::Tanh => a.tanh(),
                    Function::Recip => a.recip(),
                    Function::Rsqrt => a.sqrt()?.recip(),
                    Function::Sqrt => a.sqrt(),
                    Function::Log => a.log(),
                    Function::Sin => a.sin(),
                    Function::Cos => a.cos(),
                    Function::Erf => a.erf(),
                    Function::Erfc => a.erfc(),
                    Function::Atan => a.atan(),
                    Function::Log1p => a.log1p(),
                    Function::Expm1 => a.expm1(),
                    Function::Round | Function::Floor => {
                        let (value, jump) = if *f == Function::Round { a.round()? } else { a.floor()? };
                        if jump {
                            self.touch();
                        }
                        Ok(value)
                    }
                }
            }
            ExprKind::Sum(vars, body) => {
                let mut sum = Moving::ZERO;
                for at in self.each(vars) {
                    vars.iter().zip(at).for_each(|(v, k)| scope[v.0 as usize] = Some(k));
                    sum = sum.plus(self.value(body, scope)?)?;
                }
                vars.iter().for_each(|v| scope[v.0 as usize] = None);
                Ok(sum)
            }
            ExprKind::Max(vars, body) => {
                let mut best: Option<Moving> = None;
                for at in self.each(vars) {
                    vars.iter().zip(at).for_each(|(v, k)| scope[v.0 as usize] = Some(k));
                    let value = self.value(body, scope)?;
                    let larger = match best {
                        None => true,
                        Some(best) => match value.plus(best.minus())?.value.sign() {
                            Some(Ordering::Equal) => {
                                self.touch();
                                false
                            }
                            Some(sign) => sign == Ordering::Greater,
                            None => return Err(Halt::Unknown("which is larger")),
                        },
                    };
                    if larger {
                        best = Some(value);
                    }
                }
                vars.iter().for_each(|v| scope[v.0 as usize] = None);
                best.ok_or(Halt::Undefined("a maximum over nothing"))
            }
            ExprKind::Equal(a, b) => match (self.index(a, scope)?, self.index(b, scope)?) {
                (Some(a), Some(b)) if a == b => Ok(Moving::ONE),
                _ => Ok(Moving::ZERO),
            },
            ExprKind::If { comparison, left, right, then, otherwise } => {
                let difference = self.value(left, scope)?.plus(self.value(right, scope)?.minus())?;
                let sign = difference.value.sign().ok_or(Halt::Unknown("which side of an `if`"))?;
                if sign == Ordering::Equal {
                    self.touch();
                }
                let holds = match comparison {
                    Comparison::Greater => sign == Ordering::Greater,
                    Comparison::GreaterOrEqual => sign != Ordering::Less,
                };
                self.value(if holds { then } else { otherwise }, scope)
            }
        }
    }
}
