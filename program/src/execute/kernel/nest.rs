//! Loop nests in which every size, map and parameter is a number.
//!
//! A place in a buffer is an affine function of the loops' counters, plus values looked up in index tables.
//! Everything after `concrete` works on this form: it knows no statement, no dimension and no map any more.

use std::sync::Arc;

use pullback_kernel::statement::{Function, Sign};
use pullback_schedule::Reduction;

/// A loop's counter.
pub(crate) type Var = u16;
/// A scalar local.
pub(crate) type Temp = u32;

/// `constant + Σ factor · counter`, the counters ascending and no factor zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Affine {
    pub(crate) constant: i64,
    pub(crate) terms: Vec<(Var, i64)>,
}

/// `scale · table[at]`; undefined where the table is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Lookup {
    pub(crate) table: u16,
    pub(crate) at: Affine,
    pub(crate) scale: i64,
    /// Whether some entry of the table is undefined.
    pub(crate) partial: bool,
}

/// An affine part and what is looked up.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Point {
    pub(crate) affine: Affine,
    pub(crate) lookups: Vec<Lookup>,
}

/// An element of a buffer. Two places are equal if they are the same element, whatever is known of it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) buffer: u16,
    pub(crate) point: Point,
    /// Which counter stands alone at an axis (or under an injective map, in the code's upper bits): different values
    /// of it are different elements.
    pub(crate) homes: Vec<(Var, u32)>,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.buffer == other.buffer && self.point == other.point
    }
}

impl Eq for Place {}

impl std::hash::Hash for Place {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.buffer, &self.point).hash(state);
    }
}

/// Functions of one number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Unary {
    Neg,
    Call(Function),
    /// The number itself; a NaN where it is not finite.
    Sound,
}

/// Functions of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
}

/// A real expression.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Expr {
    /// A constant of the nest, by position.
    Const(u16),
    Temp(Temp),
    Load(Place),
    Unary(Unary, Box<Expr>),
    Power(Box<Expr>, i32),
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// One where both points are defined and equal, else zero.
    Equal(Box<(Point, Point)>),
    /// Left, right, then, otherwise: `then` where left is greater than (or, not strict, equal to) right.
    Choose(bool, Box<[Expr; 4]>),
}

/// A matrix at a place that the loops around fix.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Matrix {
    pub(crate) place: Place,
    pub(crate) row_stride: usize,
    pub(crate) col_stride: usize,
}

/// `target = left · right`, `m × k` times `k × n`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Product {
    pub(crate) m: usize,
    pub(crate) k: usize,
    pub(crate) n: usize,
    pub(crate) target: Matrix,
    pub(crate) left: Matrix,
    pub(crate) right: Matrix,
}

/// What is required of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Requirement {
    /// A condition of a statement's domain.
    Sign(Sign),
    /// Neither infinite nor a NaN.
    Finite,
}

/// A step of a nest.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Stmt {
    Loop {
        var: Var,
        extent: usize,
        /// Whether its iterations run side by side, in blocks.
        lanes: bool,
        body: Vec<Stmt>,
    },
    Let(Temp, Expr),
    /// Starts an accumulator, with zero if there is no value.
    Start(Temp, Option<Expr>),
    Fold(Temp, Reduction, Expr),
    Set(Place, Expr),
    Add(Place, Expr),
    /// A condition, by position, and the flat index of the place that an error names.
    Check {
        check: u16,
        required: Requirement,
        value: Expr,
        at: Affine,
    },
    Zero(u16),
    /// All of the second buffer into the first.
    Copy(u16, u16),
    Gemm(Box<Product>),
}

/// A condition in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Condition {
    pub(crate) text: Arc<str>,
    /// Of which of the operations that were joined.
    pub(crate) member: u16,
}

/// A routine without names.
#[derive(Clone, Debug)]
pub(crate) struct Nest<T> {
    /// The length of each buffer.
    pub(crate) lengths: Vec<usize>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) consts: Vec<T>,
    pub(crate) tables: Vec<Arc<[u32]>>,
    /// How many counters there are.
    pub(crate) vars: Var,
    /// How many scalar locals there are.
    pub(crate) temps: Temp,
    pub(crate) conditions: Vec<Condition>,
}

impl<T> Nest<T> {
    /// Whether each counter in it is that of a loop around: another would hold what ran before.
    pub(crate) fn is_closed(&self) -> bool {
        fn walk(body: &[Stmt], open: &mut Vec<Var>) -> bool {
            body.iter().all(|stmt| {
                if let Stmt::Loop { var, body, .. } = stmt {
                    open.push(*var);
                    let closed = walk(body, open);
                    open.pop();
                    return closed;
                }
                let mut closed = true;
                stmt.clone().affines(&mut |a| closed &= a.terms.iter().all(|(var, _)| open.contains(var)));
                closed
            })
        }
        walk(&self.body, &mut vec![])
    }
}

impl Affine {
    /// `factor · counter`.
    pub(crate) fn counter(var: Var, factor: i64) -> Self {
        Affine { constant: 0, terms: vec![(var, factor)] }
    }

    /// The factor of a counter.
    pub(crate) fn factor(&self, var: Var) -> i64 {
        self.terms.iter().find(|t| t.0 == var).map_or(0, |t| t.1)
    }

    /// Adds `scale` times another.
    pub(crate) fn add(&mut self, other: &Affine, scale: i64) {
        self.constant += scale * other.constant;
        for (var, factor) in &other.terms {
            match self.terms.binary_search_by_key(var, |t| t.0) {
                Ok(at) => self.terms[at].1 += scale * factor,
                Err(at) => self.terms.insert(at, (*var, scale * factor)),
            }
        }
        self.terms.retain(|t| t.1 != 0);
    }

    /// Forgets a counter.
    pub(crate) fn remove(&mut self, var: Var) {
        self.terms.retain(|t| t.0 != var);
    }
}

impl Point {
    /// Adds `scale` times another.
    pub(crate) fn add(&mut self, other: &Point, scale: i64) {
        self.affine.add(&other.affine, scale);
        self.lookups.extend(other.lookups.iter().map(|l| Lookup { scale: l.scale * scale, ..l.clone() }));
    }

    /// Whether it may be undefined.
    pub(crate) fn partial(&self) -> bool {
        self.lookups.iter().any(|l| l.partial)
    }

    /// Whether it changes with the counter.
    pub(crate) fn moves(&self, var: Var) -> bool {
        self.affine.factor(var) != 0 || self.lookups.iter().any(|l| l.at.factor(var) != 0)
    }

    fn affines(&mut self, f: &mut impl FnMut(&mut Affine)) {
        f(&mut self.affine);
        self.lookups.iter_mut().for_each(|l| f(&mut l.at));
    }
}

impl Expr {
    /// Calls the function with the expression and all its parts, the outer first.
    pub(crate) fn visit<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        f(self);
        match self {
            Expr::Const(_) | Expr::Temp(_) | Expr::Load(_) | Expr::Equal(_) => {}
            Expr::Unary(_, a) | Expr::Power(a, _) => a.visit(f),
            Expr::Binary(_, a, b) => {
                a.visit(f);
                b.visit(f);
            }
            Expr::Choose(_, parts) => parts.iter().for_each(|p| p.visit(f)),
        }
    }

    /// Calls the function with the expression and all its parts, the outer first.
    pub(crate) fn visit_mut(&mut self, f: &mut impl FnMut(&mut Expr)) {
        f(self);
        match self {
            Expr::Const(_) | Expr::Temp(_) | Expr::Load(_) | Expr::Equal(_) => {}
            Expr::Unary(_, a) | Expr::Power(a, _) => a.visit_mut(f),
            Expr::Binary(_, a, b) => {
                a.visit_mut(f);
                b.visit_mut(f);
            }
            Expr::Choose(_, parts) => parts.iter_mut().for_each(|p| p.visit_mut(f)),
        }
    }
}

impl Stmt {
    /// The expression that the step itself evaluates.
    pub(crate) fn value(&self) -> Option<&Expr> {
        match self {
            Stmt::Let(_, e) | Stmt::Fold(_, _, e) | Stmt::Set(_, e) | Stmt::Add(_, e) => Some(e),
            Stmt::Check { value, .. } => Some(value),
            Stmt::Start(_, e) => e.as_ref(),
            Stmt::Loop { .. } | Stmt::Zero(_) | Stmt::Copy(..) | Stmt::Gemm(_) => None,
        }
    }

    /// Calls the function with the step and those inside it, the outer first.
    pub(crate) fn visit<'a>(&'a self, f: &mut impl FnMut(&'a Stmt)) {
        f(self);
        if let Stmt::Loop { body, .. } = self {
            body.iter().for_each(|s| s.visit(f));
        }
    }

    /// Calls the function with the step and those inside it, the outer first.
    pub(crate) fn visit_mut(&mut self, f: &mut impl FnMut(&mut Stmt)) {
        f(self);
        if let Stmt::Loop { body, .. } = self {
            body.iter_mut().for_each(|s| s.visit_mut(f));
        }
    }

    /// Calls the function with every expression in the step and those inside it, the outer first.
    pub(crate) fn exprs<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        self.visit(&mut |s| s.value().into_iter().for_each(|e| e.visit(f)));
    }

    /// Calls the function with every expression in the step and those inside it, the outer first.
    pub(crate) fn exprs_mut(&mut self, f: &mut impl FnMut(&mut Expr)) {
        self.visit_mut(&mut |s| match s {
            Stmt::Let(_, e)
            | Stmt::Fold(_, _, e)
            | Stmt::Set(_, e)
            | Stmt::Add(_, e)
            | Stmt::Check { value: e, .. }
            | Stmt::Start(_, Some(e)) => e.visit_mut(f),
            _ => {}
        });
    }

    /// Calls the function with every place that the step and those inside it read or write, and whether it is written.
    pub(crate) fn places<'a>(&'a self, f: &mut impl FnMut(&'a Place, bool)) {
        self.visit(&mut |s| match s {
            Stmt::Set(place, _) | Stmt::Add(place, _) => f(place, true),
            Stmt::Gemm(p) => {
                f(&p.target.place, true);
                f(&p.left.place, false);
                f(&p.right.place, false);
            }
            _ => {}
        });
        self.exprs(&mut |e| {
            if let Expr::Load(place) = e {
                f(place, false);
            }
        });
    }

    /// Calls the function with every place in the step and those inside it.
    pub(crate) fn places_mut(&mut self, f: &mut impl FnMut(&mut Place)) {
        self.exprs_mut(&mut |e| {
            if let Expr::Load(place) = e {
                f(place);
            }
        });
        self.visit_mut(&mut |s| match s {
            Stmt::Set(place, _) | Stmt::Add(place, _) => f(place),
            Stmt::Gemm(p) => {
                for matrix in [&mut p.target, &mut p.left, &mut p.right] {
                    f(&mut matrix.place);
                }
            }
            _ => {}
        });
    }

    /// Calls the function with every affine function of counters in the step and those inside it.
    pub(crate) fn affines(&mut self, f: &mut impl FnMut(&mut Affine)) {
        self.places_mut(&mut |place| place.point.affines(f));
        self.exprs_mut(&mut |e| {
            if let Expr::Equal(sides) = e {
                sides.0.affines(f);
                sides.1.affines(f);
            }
        });
        self.visit_mut(&mut |s| {
            if let Stmt::Check { at, .. } = s {
                f(at);
            }
        });
    }
}
