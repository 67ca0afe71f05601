//! A straight run of steps as a graph: equal expressions once, what was just stored not loaded again.

use std::collections::HashMap;

use pullback_scalar::Real;
use pullback_schedule::Reduction;

use super::arithmetic;
use super::concrete::constant;
use super::nest::{Affine, Binary, Expr, Place, Point, Requirement, Stmt, Temp, Unary};

/// A value, as a position in [`Dag::values`].
pub(crate) type Id = u32;

/// What a value is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Value {
    Const(u16),
    Temp(Temp),
    Load(Place),
    Unary(Unary, Id),
    Power(Id, i32),
    Binary(Binary, Id, Id),
    Equal(Point, Point),
    Choose(bool, [Id; 4]),
}

/// What a run does, in order.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Item {
    /// A value comes to be.
    Value(Id),
    Set(Place, Id),
    Add(Place, Id),
    Start(Temp, Option<Id>),
    Fold(Temp, Reduction, Id),
    Check {
        check: u16,
        required: Requirement,
        value: Id,
        at: Affine,
    },
}

/// Values, and what is done with them.
#[derive(Debug, Default)]
pub(crate) struct Dag {
    pub(crate) values: Vec<Value>,
    pub(crate) items: Vec<Item>,
    /// The scalar locals that the run names.
    pub(crate) named: Vec<(Temp, Id)>,
    known: HashMap<Value, Id>,
}

impl Value {
    /// The values that it is computed from.
    pub(crate) fn operands(&self) -> Vec<Id> {
        match self {
            Value::Const(_) | Value::Temp(_) | Value::Load(_) | Value::Equal(..) => vec![],
            Value::Unary(_, a) | Value::Power(a, _) => vec![*a],
            Value::Binary(_, a, b) => vec![*a, *b],
            Value::Choose(_, parts) => parts.to_vec(),
        }
    }
}

impl Item {
    /// The value that an effect uses.
    pub(crate) fn used(&self) -> Option<Id> {
        match self {
            Item::Value(_) => None,
            Item::Set(_, a) | Item::Add(_, a) | Item::Fold(_, _, a) | Item::Check { value: a, .. } => Some(*a),
            Item::Start(_, a) => *a,
        }
    }
}

/// The graph of steps that are no loops.
pub(crate) fn dag<T: Real>(stmts: &[Stmt], consts: &mut Vec<T>) -> Dag {
    let mut dag = Dag::default();
    for stmt in stmts {
        dag.stmt(stmt, consts);
    }
    dag
}

impl Dag {
    fn stmt<T: Real>(&mut self, stmt: &Stmt, consts: &mut Vec<T>) {
        match stmt {
            Stmt::Let(temp, e) => {
                let value = self.expr(e, consts);
                self.named.retain(|n| n.0 != *temp);
                self.named.push((*temp, value));
            }
            Stmt::Start(temp, e) => {
                let value = e.as_ref().map(|e| self.expr(e, consts));
                self.known.remove(&Value::Temp(*temp));
                self.items.push(Item::Start(*temp, value));
            }
            Stmt::Fold(temp, how, e) => {
                let value = self.expr(e, consts);
                self.known.remove(&Value::Temp(*temp));
                self.items.push(Item::Fold(*temp, *how, value));
            }
            Stmt::Set(place, e) => {
                let value = self.expr(e, consts);
                self.written(place);
                if !place.point.partial() {
                    self.known.insert(Value::Load(place.clone()), value);
                }
                self.items.push(Item::Set(place.clone(), value));
            }
            Stmt::Add(place, e) => {
                let value = self.expr(e, consts);
                self.written(place);
                self.items.push(Item::Add(place.clone(), value));
            }
            Stmt::Check { check, required, value, at } => {
                let value = self.expr(value, consts);
                self.items.push(Item::Check { check: *check, required: *required, value, at: at.clone() });
            }
            Stmt::Loop { .. } | Stmt::Zero(_) | Stmt::Copy(..) | Stmt::Gemm(_) => {}
        }
    }

    /// What was loaded from the buffer may have changed.
    fn written(&mut self, place: &Place) {
        self.known.retain(|value, _| !matches!(value, Value::Load(known) if known.buffer == place.buffer));
    }

    fn expr<T: Real>(&mut self, expr: &Expr, consts: &mut Vec<T>) -> Id {
        match expr {
            Expr::Const(c) => self.value(Value::Const(*c)),
            Expr::Temp(t) => match self.named.iter().find(|n| n.0 == *t) {
                Some((_, value)) => *value,
                None => self.value(Value::Temp(*t)),
            },
            Expr::Load(place) => self.value(Value::Load(place.clone())),
            Expr::Unary(op, a) => {
                let a = self.expr(a, consts);
                match self.number(a, consts) {
                    Some(a) => self.folded(arithmetic::unary(*op, a), consts),
                    None => self.value(Value::Unary(*op, a)),
                }
            }
            Expr::Power(a, k) => {
                let a = self.expr(a, consts);
                self.power(a, *k, consts)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.expr(a, consts), self.expr(b, consts));
                self.binary(*op, a, b, consts)
            }
            Expr::Equal(sides) => self.value(Value::Equal(sides.0.clone(), sides.1.clone())),
            Expr::Choose(strict, parts) => {
                let [l, r, t, o] = &**parts;
                let parts = [l, r, t, o].map(|e| self.expr(e, consts));
                self.value(Value::Choose(*strict, parts))
            }
        }
    }

    fn value(&mut self, value: Value) -> Id {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let id = self.values.len() as Id;
        self.values.push(value.clone());
        self.items.push(Item::Value(id));
        self.known.insert(value, id);
        id
    }

    fn number<T: Real>(&self, id: Id, consts: &[T]) -> Option<T> {
        match self.values[id as usize] {
            Value::Const(c) => Some(consts[c as usize].clone()),
            _ => None,
        }
    }

    fn folded<T: Real>(&mut self, value: T, consts: &mut Vec<T>) -> Id {
        self.value(Value::Const(constant(consts, value)))
    }

    /// Small powers are products, in the order of repeated squaring.
    fn power<T: Real>(&mut self, a: Id, k: i32, consts: &mut Vec<T>) -> Id {
        if let Some(a) = self.number(a, consts) {
            return self.folded(a.powi(k), consts);
        }
        match k {
            1 => a,
            2 => self.value(Value::Binary(Binary::Mul, a, a)),
            3 => {
                let square = self.value(Value::Binary(Binary::Mul, a, a));
                self.value(Value::Binary(Binary::Mul, a, square))
            }
            _ => self.value(Value::Power(a, k)),
        }
    }

    /// Only what changes no bit: constants among themselves, and one as a factor or divisor.
    fn binary<T: Real>(&mut self, op: Binary, a: Id, b: Id, consts: &mut Vec<T>) -> Id {
        match (op, self.number(a, consts), self.number(b, consts)) {
            (op, Some(a), Some(b)) => self.folded(arithmetic::binary(op, a, b), consts),
            (Binary::Mul, Some(one), None) if one == T::one() => b,
            (Binary::Mul | Binary::Div, None, Some(one)) if one == T::one() => a,
            _ => self.value(Value::Binary(op, a, b)),
        }
    }
}
