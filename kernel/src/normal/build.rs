//! From a statement's expressions to their normal forms: evaluation with indices as values.
//!
//! Local names and outputs are inlined, so a normal form speaks of inputs, constants, parameters,
//! cotangents and `any` values only. Nothing is captured: every binder takes fresh indices.

use std::collections::BTreeMap;
use std::rc::Rc;

use num_traits::One;

use super::rules::{Free, Normal, Rules};
use super::stuck::Stuck;
use super::term::{Exponent, Ix, Poly};
use crate::Rational;
use crate::limits::READING;
use crate::statement::{Clause, Comparison, Defined, Expr, ExprKind, Function, Index, LocalKind, Tensor, VarId};

/// What each index variable in scope stands for.
pub(crate) type Env = BTreeMap<VarId, Ix>;

impl Rules<'_> {
    /// An index under an environment.
    pub(crate) fn index(&self, index: &Index, env: &Env) -> Normal<Ix> {
        match index {
            Index::Variable(v) => env.get(v).cloned().ok_or(Stuck::Malformed("an index that nothing binds")),
            Index::Map(m, args) => {
                let args = args.iter().map(|a| self.index(a, env)).collect::<Normal<Vec<_>>>()?;
                // Names that are read at maps of maps: each may multiply what the one before has.
                self.index_fits(&args)?;
                Ok(self.map(*m, args))
            }
        }
    }

    /// All ways the variables can range, each with its leaves and the extended environment.
    pub(crate) fn scopes(&mut self, vars: &[VarId], env: &Env) -> Normal<Vec<(Vec<Free>, Env)>> {
        let dims: Vec<_> = vars.iter().map(|v| self.statement.dim_of(*v)).collect();
        let ranges = self.ranges(&dims)?;
        Ok(ranges
            .into_iter()
            .map(|(leaves, ixs)| {
                let mut env = env.clone();
                env.extend(vars.iter().copied().zip(ixs));
                (leaves, env)
            })
            .collect())
    }

    /// The normal form of an expression.
    pub(crate) fn build(&mut self, e: &Expr, env: &Env) -> Normal<Poly> {
        // Names that read names that read names: as deep as the stack, if nothing stopped it.
        if self.building >= READING {
            return Err(Stuck::past("names and expressions inside of each other", READING as u64));
        }
        self.building += 1;
        let built = self.build_within(e, env).map_err(|stuck| stuck.at(e.span));
        self.building -= 1;
        built
    }

    fn build_within(&mut self, e: &Expr, env: &Env) -> Normal<Poly> {
        let one = Rational::one();
        match &e.kind {
            ExprKind::Number(q) => Ok(Poly::constant(q.clone())),
            ExprKind::Param(p) => self.param(*p),
            ExprKind::Size(d) => self.size(*d),
            ExprKind::Access(t, at) => {
                let at = at.iter().map(|i| self.index(i, env)).collect::<Normal<Vec<_>>>()?;
                self.read(*t, at)
            }
            ExprKind::Neg(a) => Ok(self.build(a, env)?.scaled(&-one)),
            ExprKind::Add(a, b) => {
                let (a, b) = (self.build(a, env)?, self.build(b, env)?);
                Ok(self.add(&a, &b))
            }
            ExprKind::Sub(a, b) => {
                let (a, b) = (self.build(a, env)?, self.build(b, env)?);
                Ok(self.sub(&a, &b))
            }
            ExprKind::Mul(a, b) => {
                let a = self.build(a, env)?;
                // Index equalities stand on the left, and most of them fail under a split.
                if a.is_zero() {
                    return Ok(a);
                }
                let b = self.build(b, env)?;
                self.mul(&a, &b)
            }
            ExprKind::Div(a, b) => {
                let a = self.build(a, env)?;
                let r = self.inverse_of(b, env)?;
                self.mul(&a, &r)
            }
            ExprKind::Pow(a, k) => {
                let a = self.build(a, env)?;
                self.power(&a, Exponent::from_integer(i64::from(*k)))
            }
            ExprKind::Call(Function::Sqrt, a) => self.root(a, Exponent::new(1, 2), env),
            ExprKind::Call(Function::Rsqrt, a) => self.root(a, Exponent::new(-1, 2), env),
            ExprKind::Call(Function::Log, a) => self.logarithm(a, env),
            ExprKind::Call(f, a) => {
                let a = self.build(a, env)?;
                self.call(*f, &a)
            }
            ExprKind::Sum(vars, body) => {
                let mut out = Poly::zero();
                for (leaves, env) in self.scopes(vars, env)? {
                    let body = self.build(body, &env)?;
                    let s = self.sum(&leaves, &body)?;
                    out.add_all(s);
                }
                Ok(out)
            }
            ExprKind::Max(vars, body) => {
                let mut scopes = self.scopes(vars, env)?;
                // A maximum over a split would be a maximum of maxima: not in the normal form.
                let (Some((leaves, env)), true) = (scopes.pop(), scopes.is_empty()) else {
                    return Err(Stuck::unsupported("a maximum over a dimension that is split"));
                };
                let body = self.build(body, &env)?;
                self.maximum(&leaves, &body)
            }
            ExprKind::Equal(a, b) => {
                let (a, b) = (self.index(a, env)?, self.index(b, env)?);
                self.equality(a, b)
            }
            ExprKind::If { comparison, left, right, then, otherwise } => {
                let (l, r) = (self.build(left, env)?, self.build(right, env)?);
                let (then, otherwise) = (self.build(then, env)?, self.build(otherwise, env)?);
                // a >= b is the negation of b > a.
                let (guard, yes, no) = match comparison {
                    Comparison::Greater => (self.sub(&l, &r), then, otherwise),
                    Comparison::GreaterOrEqual => (self.sub(&r, &l), otherwise, then),
                };
                let guard = self.positive(&guard)?;
                let difference = self.sub(&yes, &no);
                let chosen = self.mul(&guard, &difference)?;
                Ok(self.add(&no, &chosen))
            }
        }
    }

    /// One over an expression, taken apart as it is written: a square that is multiplied out is not seen
    /// to be one any more.
    fn inverse_of(&mut self, e: &Expr, env: &Env) -> Normal<Poly> {
        match &e.kind {
            ExprKind::Mul(a, b) => {
                let (a, b) = (self.inverse_of(a, env)?, self.inverse_of(b, env)?);
                self.mul(&a, &b)
            }
            ExprKind::Pow(a, k) => {
                let a = self.build(a, env)?;
                self.power(&a, Exponent::from_integer(-i64::from(*k)))
            }
            ExprKind::Call(Function::Sqrt, a) => self.root(a, Exponent::new(-1, 2), env),
            _ => {
                let p = self.build(e, env)?;
                self.power(&p, Exponent::from_integer(-1))
            }
        }
    }

    /// The root of a product of positive factors is the product of theirs, taken apart as it is written: a
    /// product of sums that is multiplied out is not seen to be one any more.
    fn root(&mut self, e: &Expr, q: Exponent, env: &Env) -> Normal<Poly> {
        match &e.kind {
            ExprKind::Mul(a, b) if self.is_positive(a, env)? && self.is_positive(b, env)? => {
                let (a, b) = (self.root(a, q, env)?, self.root(b, q, env)?);
                self.mul(&a, &b)
            }
            ExprKind::Div(a, b) if self.is_positive(a, env)? && self.is_positive(b, env)? => {
                let (a, b) = (self.root(a, q, env)?, self.root(b, -q, env)?);
                self.mul(&a, &b)
            }
            ExprKind::Pow(a, k) if self.is_positive(a, env)? => {
                let a = self.build(a, env)?;
                self.power(&a, q * i64::from(*k))
            }
            _ => {
                let p = self.build(e, env)?;
                self.power(&p, q)
            }
        }
    }

    /// The logarithm of a product of positive factors is the sum of theirs; as for [`root`](Self::root).
    fn logarithm(&mut self, e: &Expr, env: &Env) -> Normal<Poly> {
        match &e.kind {
            ExprKind::Mul(a, b) if self.is_positive(a, env)? && self.is_positive(b, env)? => {
                let (a, b) = (self.logarithm(a, env)?, self.logarithm(b, env)?);
                Ok(self.add(&a, &b))
            }
            ExprKind::Div(a, b) if self.is_positive(a, env)? && self.is_positive(b, env)? => {
                let (a, b) = (self.logarithm(a, env)?, self.logarithm(b, env)?);
                Ok(self.sub(&a, &b))
            }
            ExprKind::Pow(a, k) if self.is_positive(a, env)? => {
                Ok(self.logarithm(a, env)?.scaled(&Rational::from_integer((*k).into())))
            }
            _ => {
                let p = self.build(e, env)?;
                self.call(Function::Log, &p)
            }
        }
    }

    /// Whether its terms show that an expression is positive.
    fn is_positive(&mut self, e: &Expr, env: &Env) -> Normal<bool> {
        let p = self.build(e, env)?;
        Ok(self.has_positive_terms(&p))
    }

    /// A read: locals and outputs are replaced by what they are.
    fn read(&mut self, t: Tensor, at: Vec<Ix>) -> Normal<Poly> {
        let statement = self.statement;
        let key = (t, at.clone());
        if let Some(p) = self.read.get(&key) {
            return Ok((**p).clone());
        }
        let value = match t {
            Tensor::Local(i) | Tensor::BackwardLocal(i) => {
                let locals =
                    if matches!(t, Tensor::Local(_)) { statement.locals() } else { statement.backward_locals() };
                let local = locals.get(i as usize).ok_or(Stuck::Malformed("a name that stands for nothing"))?;
                if local.kind == LocalKind::Any {
                    return self.access(t, at);
                }
                let env: Env = local.vars.iter().copied().zip(at.iter().cloned()).collect();
                self.build(&local.value, &env)?
            }
            Tensor::Output(i) => {
                let output =
                    statement.outputs().get(i as usize).ok_or(Stuck::Malformed("an output that is not there"))?;
                self.at(output, &at)?
            }
            Tensor::Input(_) | Tensor::Constant(_) | Tensor::Cotangent(_) => return self.access(t, at),
        };
        // A read at an undefined point is zero.
        let mut defined = Vec::new();
        at.iter().for_each(|i| self.definedness(i, &mut defined));
        let mut out = value;
        for (a, _) in defined {
            let d = self.atom(a)?;
            out = self.mul(&out, &d)?;
        }
        if self.expansion.is_none() {
            self.keep(&out)?;
            self.read.insert(key, Rc::new(out.clone()));
        }
        Ok(out)
    }

    /// The value of a tensor defined by clauses at given positions.
    pub(crate) fn at(&mut self, defined: &Defined, at: &[Ix]) -> Normal<Poly> {
        let mut out = Poly::zero();
        for clause in &defined.clauses {
            if let Some(p) = self.clause_at(clause, at)? {
                out.add_all(p);
            }
        }
        Ok(out)
    }

    /// The part of a clause at given positions; `None` where the clause does not speak of them.
    fn clause_at(&mut self, clause: &Clause, at: &[Ix]) -> Normal<Option<Poly>> {
        use crate::statement::MapKind;
        let mut env = Env::new();
        let mut over: Vec<Free> = Vec::new();
        let mut guards = Vec::new();
        for (place, ix) in clause.at.iter().zip(at) {
            match place {
                Index::Variable(v) => {
                    env.insert(*v, ix.clone());
                }
                Index::Map(m, args) => {
                    let kind = self.statement.maps()[m.0 as usize].kind;
                    for (k, a) in args.iter().enumerate() {
                        let Index::Variable(v) = a else { return Err(Stuck::Malformed("a map of a map on the left")) };
                        let component = match (kind, ix) {
                            (MapKind::Bijection, _) => self.inverse(*m, k as u16, ix.clone()),
                            (_, Ix::Map(n, inner)) if n == m => {
                                inner.get(k).cloned().ok_or(Stuck::Malformed("a part with too few arguments"))?
                            }
                            (MapKind::Part { split: s, .. }, Ix::Map(n, _))
                                if matches!(self.statement.maps()[n.0 as usize].kind,
                                    MapKind::Part { split: t, .. } if t == s) =>
                            {
                                return Ok(None);
                            }
                            // Somewhere in the whole: a sum over this part of what stands there.
                            _ => {
                                let mut ranges = self.range(self.statement.dim_of(*v))?;
                                let (Some((leaves, j)), true) = (ranges.pop(), ranges.is_empty()) else {
                                    return Err(Stuck::unsupported(
                                        "a part of a split that is itself split, on the left",
                                    ));
                                };
                                over.extend(leaves);
                                guards.push((ix.clone(), self.map(*m, vec![j.clone()])));
                                j
                            }
                        };
                        env.insert(*v, component);
                    }
                }
            }
        }
        let mut value = self.build(&clause.value, &env)?;
        for (a, b) in guards {
            let g = self.equality(a, b)?;
            value = self.mul(&value, &g)?;
        }
        self.sum(&over, &value).map(Some)
    }

    /// Outputs paired with their cotangents: `L = Σ dy·y`.
    pub(crate) fn pairing(&mut self) -> Normal<Poly> {
        let mut total = Poly::zero();
        let statement = self.statement;
        for (i, output) in statement.outputs().iter().enumerate() {
            for clause in &output.clauses {
                for (leaves, env) in self.scopes(&clause.vars, &Env::new())? {
                    let at = clause.at.iter().map(|x| self.index(x, &env)).collect::<Normal<Vec<_>>>()?;
                    let value = self.build(&clause.value, &env)?;
                    let cotangent = self.access(Tensor::Cotangent(i as u32), at)?;
                    let product = self.mul(&cotangent, &value)?;
                    let s = self.sum(&leaves, &product)?;
                    total.add_all(s);
                }
            }
        }
        Ok(total)
    }

    /// The value of a call, kept apart for the derivative.
    pub(crate) fn called(&mut self, f: Function, p: &Poly) -> Normal<Poly> {
        self.call(f, p)
    }
}
