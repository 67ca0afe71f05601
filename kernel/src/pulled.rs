//! Conditions pulled back along a composition: what a condition of a part says of the inputs of the whole.
//!
//! A [`Composer`] takes parts over with their conditions; here such a condition is asked whether it follows from signs,
//! and is written in the names of the whole's inputs, every `let` replaced by what it stands for.
//! This module must never call a condition satisfied that some input breaks: it asks [`domain`](crate::domain), on the composition.

use num_traits::{One, Zero};

use crate::Rational;
use crate::budget::Meter;
use crate::compose::{Composer, named};
use crate::domain::Domain;
use crate::source::Span;
use crate::statement::{
    Condition, Dim, DimId, Expr, ExprKind, Index, Map, MapId, MapKind, Split, Statement, Tensor, TensorDecl, VarId,
};

impl Composer {
    /// Declares a map that is no part of a split.
    pub fn map(&mut self, name: &str, kind: MapKind, from: &[DimId], to: DimId) -> MapId {
        self.whole_mut().maps.push(Map { name: named(name), kind, from: from.to_vec(), to });
        MapId(self.whole().maps.len() as u32 - 1)
    }

    /// Declares a split, each part with the name and the dimension of its map, and gives those maps.
    pub fn split(&mut self, whole: DimId, parts: &[(&str, DimId)]) -> Vec<MapId> {
        let split = self.whole().splits.len() as u32;
        let made: Vec<MapId> = (0..)
            .zip(parts)
            .map(|(part, (name, from))| self.map(name, MapKind::Part { split, part }, &[*from], whole))
            .collect();
        self.whole_mut().splits.push(Split { whole, parts: made.clone() });
        made
    }

    /// Declares a constant: its number.
    pub fn constant(&mut self, name: &str, axes: &[DimId]) -> u32 {
        self.whole_mut().constants.push(TensorDecl { name: named(name), axes: axes.to_vec() });
        self.whole().constants.len() as u32 - 1
    }

    /// The dimensions so far.
    pub fn dims(&self) -> &[Dim] {
        &self.whole().dims
    }

    /// Whether a condition of the whole follows from signs, where the known ones hold.
    pub fn follows(&self, known: &[Condition], condition: &Condition, meter: Meter) -> bool {
        Domain::knowing(self.whole(), known, meter).implies(condition)
    }

    /// A condition in the names of the inputs, with numbers for the sizes of dimensions; none where it takes more than so many terms.
    pub fn show_in_inputs(
        &self,
        condition: &Condition,
        sizes: &dyn Fn(DimId) -> usize,
        terms: usize,
    ) -> Option<String> {
        let mut inline = Inline { whole: self.whole(), sizes, left: terms };
        let value = inline.expr(&condition.value, &[])?;
        // Letters in order of appearance, those of the condition first.
        let mut seen: Vec<VarId> = condition.vars.clone();
        variables(&value, &mut seen);
        let mut lettered = self.whole().clone();
        for (k, v) in seen.iter().enumerate() {
            const LETTERS: [&str; 8] = ["i", "j", "k", "l", "m", "n", "p", "q"];
            let name = LETTERS.get(k).map_or_else(|| format!("i{k}"), |letter| (*letter).to_owned());
            lettered.variables[v.0 as usize].name = named(&name);
        }
        Some(lettered.show_condition(&Condition { value, ..condition.clone() }))
    }
}

/// Replaces lets by what they stand for.
struct Inline<'a> {
    whole: &'a Statement,
    sizes: &'a dyn Fn(DimId) -> usize,
    /// Terms that may still be written.
    left: usize,
}

/// What an index variable of a let is where it is read.
type Bound = [(VarId, Index)];

impl Inline<'_> {
    fn expr(&mut self, e: &Expr, bound: &Bound) -> Option<Expr> {
        self.left = self.left.checked_sub(1)?;
        let made = |kind| Expr { kind, span: Span::default() };
        let kind = match &e.kind {
            ExprKind::Number(_) | ExprKind::Param(_) => e.kind.clone(),
            ExprKind::Size(d) => ExprKind::Number(Rational::from_integer((self.sizes)(*d).into())),
            ExprKind::Access(t, at) => {
                let at: Vec<Index> = at.iter().map(|i| index(i, bound)).collect();
                match t {
                    // Binders are fresh in every let, and a let reads earlier ones only: nothing is captured.
                    Tensor::Local(k) => {
                        let local = &self.whole.locals[*k as usize];
                        let inner: Vec<(VarId, Index)> = local.vars.iter().copied().zip(at).collect();
                        return self.expr(&local.value, &inner);
                    }
                    _ => ExprKind::Access(*t, at),
                }
            }
            ExprKind::Neg(a) => ExprKind::Neg(self.boxed(a, bound)?),
            ExprKind::Add(a, b) => ExprKind::Add(self.boxed(a, bound)?, self.boxed(b, bound)?),
            ExprKind::Sub(a, b) => ExprKind::Sub(self.boxed(a, bound)?, self.boxed(b, bound)?),
            ExprKind::Mul(a, b) => ExprKind::Mul(self.boxed(a, bound)?, self.boxed(b, bound)?),
            ExprKind::Div(a, b) => ExprKind::Div(self.boxed(a, bound)?, self.boxed(b, bound)?),
            ExprKind::Pow(a, k) => ExprKind::Pow(self.boxed(a, bound)?, *k),
            ExprKind::Call(f, a) => ExprKind::Call(*f, self.boxed(a, bound)?),
            ExprKind::Sum(vars, body) => ExprKind::Sum(vars.clone(), self.boxed(body, bound)?),
            ExprKind::Max(vars, body) => ExprKind::Max(vars.clone(), self.boxed(body, bound)?),
            ExprKind::Equal(a, b) => ExprKind::Equal(index(a, bound), index(b, bound)),
            ExprKind::If { comparison, left, right, then, otherwise } => ExprKind::If {
                comparison: *comparison,
                left: self.boxed(left, bound)?,
                right: self.boxed(right, bound)?,
                then: self.boxed(then, bound)?,
                otherwise: self.boxed(otherwise, bound)?,
            },
        };
        Some(simpler(made(kind)))
    }

    fn boxed(&mut self, e: &Expr, bound: &Bound) -> Option<Box<Expr>> {
        self.expr(e, bound).map(Box::new)
    }
}

fn index(i: &Index, bound: &Bound) -> Index {
    match i {
        Index::Variable(v) => bound.iter().find(|b| b.0 == *v).map_or_else(|| i.clone(), |b| b.1.clone()),
        Index::Map(m, args) => Index::Map(*m, args.iter().map(|a| index(a, bound)).collect()),
    }
}

/// One step that a reader would take: signs, zeros, ones and numbers among themselves.
fn simpler(e: Expr) -> Expr {
    let number = |e: &Expr| match &e.kind {
        ExprKind::Number(q) => Some(q.clone()),
        _ => None,
    };
    let of = |kind| Expr { kind, span: Span::default() };
    let of_number = |q: Rational| of(ExprKind::Number(q));
    match e.kind {
        ExprKind::Neg(a) => match a.kind {
            ExprKind::Neg(inner) => *inner,
            ExprKind::Number(q) => of_number(-q),
            ExprKind::Sub(x, y) => simpler(of(ExprKind::Sub(y, x))),
            kind => of(ExprKind::Neg(Box::new(of(kind)))),
        },
        ExprKind::Add(a, b) => match (number(&a), number(&b)) {
            (Some(p), Some(q)) => of_number(p + q),
            (Some(p), None) if p.is_zero() => *b,
            (None, Some(q)) if q.is_zero() => *a,
            _ => match (a.kind, b.kind) {
                (left, ExprKind::Neg(y)) => of(ExprKind::Sub(Box::new(of(left)), y)),
                (ExprKind::Neg(x), right) => of(ExprKind::Sub(Box::new(of(right)), x)),
                (left, right) => of(ExprKind::Add(Box::new(of(left)), Box::new(of(right)))),
            },
        },
        ExprKind::Sub(a, b) => match (number(&a), number(&b)) {
            (Some(p), Some(q)) => of_number(p - q),
            (Some(p), None) if p.is_zero() => simpler(of(ExprKind::Neg(b))),
            (None, Some(q)) if q.is_zero() => *a,
            _ => match b.kind {
                ExprKind::Neg(y) => simpler(of(ExprKind::Add(a, y))),
                right => of(ExprKind::Sub(a, Box::new(of(right)))),
            },
        },
        ExprKind::Mul(a, b) => match (number(&a), number(&b)) {
            (Some(p), Some(q)) => of_number(p * q),
            (Some(p), _) if p.is_one() => *b,
            (_, Some(q)) if q.is_one() => *a,
            _ if a == b => of(ExprKind::Pow(a, 2)),
            _ => of(ExprKind::Mul(a, b)),
        },
        ExprKind::Div(a, b) => match (number(&a), number(&b)) {
            (Some(p), Some(q)) if !q.is_zero() => of_number(p / q),
            (_, Some(q)) if q.is_one() => *a,
            _ => of(ExprKind::Div(a, b)),
        },
        ExprKind::Pow(a, 1) => *a,
        kind => of(kind),
    }
}

/// The index variables of an expression, in order of appearance.
fn variables(e: &Expr, seen: &mut Vec<VarId>) {
    fn of_index(i: &Index, seen: &mut Vec<VarId>) {
        match i {
            Index::Variable(v) if !seen.contains(v) => seen.push(*v),
            Index::Variable(_) => {}
            Index::Map(_, args) => args.iter().for_each(|a| of_index(a, seen)),
        }
    }
    crate::derive::each(e, &mut |e| match &e.kind {
        ExprKind::Access(_, at) => at.iter().for_each(|i| of_index(i, seen)),
        ExprKind::Equal(a, b) => [a, b].into_iter().for_each(|i| of_index(i, seen)),
        ExprKind::Sum(vars, _) | ExprKind::Max(vars, _) => {
            vars.iter().for_each(|v| of_index(&Index::Variable(*v), seen));
        }
        _ => {}
    });
}
