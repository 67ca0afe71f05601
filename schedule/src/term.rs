//! Expressions with sums, over buffers: what a clause is before it is lowered.

use std::fmt::Write as _;

use pullback_kernel::Rational;
use pullback_kernel::statement::{Comparison, DimId, Function, ParamId};

use crate::ir::{BufferId, Index, Scalar, Var};

/// An expression. Binders are unique in the routine, so substitution cannot capture.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Term {
    Number(Rational),
    Param(ParamId),
    Size(DimId),
    Read(BufferId, Vec<Index>),
    Neg(Box<Term>),
    Add(Box<Term>, Box<Term>),
    Sub(Box<Term>, Box<Term>),
    Mul(Box<Term>, Box<Term>),
    Div(Box<Term>, Box<Term>),
    Pow(Box<Term>, i32),
    Call(Function, Box<Term>),
    Equal(Index, Index),
    If { comparison: Comparison, left: Box<Term>, right: Box<Term>, then: Box<Term>, otherwise: Box<Term> },
    Sum(Vec<Var>, Box<Term>),
    Max(Vec<Var>, Box<Term>),
}

impl Term {
    pub(crate) fn one() -> Term {
        Term::Number(Rational::from_integer(1.into()))
    }

    /// The parts directly inside.
    pub(crate) fn parts(&self) -> Vec<&Term> {
        match self {
            Term::Number(_) | Term::Param(_) | Term::Size(_) | Term::Read(..) | Term::Equal(..) => vec![],
            Term::Neg(a) | Term::Pow(a, _) | Term::Call(_, a) | Term::Sum(_, a) | Term::Max(_, a) => vec![a],
            Term::Add(a, b) | Term::Sub(a, b) | Term::Mul(a, b) | Term::Div(a, b) => vec![a, b],
            Term::If { left, right, then, otherwise, .. } => vec![left, right, then, otherwise],
        }
    }

    /// The expression with its direct parts replaced.
    pub(crate) fn map(&self, f: &mut impl FnMut(&Term) -> Term) -> Term {
        let mut go = |a: &Term| Box::new(f(a));
        match self {
            Term::Number(_) | Term::Param(_) | Term::Size(_) | Term::Read(..) | Term::Equal(..) => self.clone(),
            Term::Neg(a) => Term::Neg(go(a)),
            Term::Pow(a, k) => Term::Pow(go(a), *k),
            Term::Call(c, a) => Term::Call(*c, go(a)),
            Term::Sum(v, a) => Term::Sum(v.clone(), go(a)),
            Term::Max(v, a) => Term::Max(v.clone(), go(a)),
            Term::Add(a, b) => Term::Add(go(a), go(b)),
            Term::Sub(a, b) => Term::Sub(go(a), go(b)),
            Term::Mul(a, b) => Term::Mul(go(a), go(b)),
            Term::Div(a, b) => Term::Div(go(a), go(b)),
            Term::If { comparison, left, right, then, otherwise } => Term::If {
                comparison: *comparison,
                left: go(left),
                right: go(right),
                then: go(then),
                otherwise: go(otherwise),
            },
        }
    }

    /// Replaces a free variable by an index.
    pub(crate) fn substitute(&self, var: Var, by: &Index) -> Term {
        let with = |v: Var| (v == var).then(|| by.clone());
        match self {
            Term::Read(b, at) => Term::Read(*b, at.iter().map(|i| i.replace(&with)).collect()),
            Term::Equal(a, b) => Term::Equal(a.replace(&with), b.replace(&with)),
            _ => self.map(&mut |t| t.substitute(var, by)),
        }
    }

    /// The free variables, each once, in order of appearance.
    pub(crate) fn free(&self) -> Vec<Var> {
        let (mut all, mut bound) = (vec![], vec![]);
        self.collect(&mut all, &mut bound);
        all.retain(|v| !bound.contains(v));
        all
    }

    /// Whether it may have no value: it divides, or takes a root or a logarithm.
    pub(crate) fn is_partial(&self) -> bool {
        let own = match self {
            Term::Div(..) => true,
            Term::Pow(_, k) => *k < 0,
            Term::Call(f, _) => {
                matches!(f, Function::Recip | Function::Rsqrt | Function::Sqrt | Function::Log | Function::Log1p)
            }
            _ => false,
        };
        own || self.parts().into_iter().any(Term::is_partial)
    }

    fn collect(&self, all: &mut Vec<Var>, bound: &mut Vec<Var>) {
        let mut see = |v: Var| {
            if !all.contains(&v) {
                all.push(v);
            }
        };
        match self {
            Term::Read(_, at) => at.iter().for_each(|i| i.each_var(&mut see)),
            Term::Equal(a, b) => {
                a.each_var(&mut see);
                b.each_var(&mut see);
            }
            Term::Sum(v, _) | Term::Max(v, _) => bound.extend(v),
            _ => {}
        }
        for part in self.parts() {
            part.collect(all, bound);
        }
    }
}

/// The expression without sums as a term.
impl From<&Scalar> for Term {
    fn from(s: &Scalar) -> Term {
        let go = |a: &Scalar| Box::new(Term::from(a));
        match s {
            Scalar::Number(q) => Term::Number(q.clone()),
            Scalar::Param(p) => Term::Param(*p),
            Scalar::Size(d) => Term::Size(*d),
            Scalar::Read(b, at) => Term::Read(*b, at.clone()),
            // Scalar locals are made after lowering.
            Scalar::Temp(_) => unreachable!("no scalar local before lowering is done"),
            Scalar::Neg(a) => Term::Neg(go(a)),
            Scalar::Add(a, b) => Term::Add(go(a), go(b)),
            Scalar::Sub(a, b) => Term::Sub(go(a), go(b)),
            Scalar::Mul(a, b) => Term::Mul(go(a), go(b)),
            Scalar::Div(a, b) => Term::Div(go(a), go(b)),
            Scalar::Pow(a, k) => Term::Pow(go(a), *k),
            Scalar::Call(c, a) => Term::Call(*c, go(a)),
            Scalar::Equal(a, b) => Term::Equal(a.clone(), b.clone()),
            Scalar::If { comparison, left, right, then, otherwise } => Term::If {
                comparison: *comparison,
                left: go(left),
                right: go(right),
                then: go(then),
                otherwise: go(otherwise),
            },
        }
    }
}

/// A product: a rational times factors over factors.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    pub(crate) coefficient: Rational,
    pub(crate) factors: Vec<Factor>,
}

/// A factor or, inverse, a divisor.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pub(crate) term: Term,
    pub(crate) inverse: bool,
}

impl Product {
    pub(crate) fn of(term: &Term) -> Product {
        let mut product = Product { coefficient: Rational::from_integer(1.into()), factors: vec![] };
        product.push(term, false);
        product
    }

    fn push(&mut self, term: &Term, inverse: bool) {
        match term {
            Term::Mul(a, b) => {
                self.push(a, inverse);
                self.push(b, inverse);
            }
            Term::Div(a, b) => {
                self.push(a, inverse);
                self.push(b, !inverse);
            }
            Term::Neg(a) => {
                self.coefficient = -self.coefficient.clone();
                self.push(a, inverse);
            }
            // A literal zero may not be divided by; it stays where it was written.
            Term::Number(q) if *q.numer() != 0.into() => {
                if inverse {
                    self.coefficient = self.coefficient.clone() / q;
                } else {
                    self.coefficient = self.coefficient.clone() * q;
                }
            }
            _ => self.factors.push(Factor { term: term.clone(), inverse }),
        }
    }

    /// The factors as one expression, without the coefficient.
    pub(crate) fn term(factors: &[Factor]) -> Term {
        let join = |inverse: bool| {
            factors
                .iter()
                .filter(|f| f.inverse == inverse)
                .map(|f| f.term.clone())
                .reduce(|a, b| Term::Mul(Box::new(a), Box::new(b)))
        };
        match (join(false), join(true)) {
            (None, None) => Term::one(),
            (Some(a), None) => a,
            (a, Some(b)) => Term::Div(Box::new(a.unwrap_or_else(Term::one)), Box::new(b)),
        }
    }
}

/// A text that is equal for two expressions only if they are equal up to renaming of variables, and the free
/// variables in the order in which the text numbers them.
pub(crate) fn canonical(term: &Term, dim: &impl Fn(Var) -> String) -> (String, Vec<Var>) {
    let sorted = sort(term, dim);
    let mut numbers: Vec<Var> = vec![];
    let mut text = String::new();
    write(
        &sorted,
        &mut |v| {
            let at = numbers.iter().position(|w| *w == v).unwrap_or_else(|| {
                numbers.push(v);
                numbers.len() - 1
            });
            format!("v{at}:{}", dim(v))
        },
        &mut text,
    );
    let free = term.free();
    // Bound variables are told from free ones by the binder's own list in the text.
    (text, numbers.into_iter().filter(|v| free.contains(v)).collect())
}

/// The expression with the operands of sums and products in the order of their texts without names.
fn sort(term: &Term, dim: &impl Fn(Var) -> String) -> Term {
    let shape = |t: &Term| {
        let mut text = String::new();
        write(t, &mut |v| format!("_:{}", dim(v)), &mut text);
        text
    };
    let term = term.map(&mut |t| sort(t, dim));
    let chain = |pick: fn(&Term) -> Option<(&Term, &Term)>| {
        let mut flat = vec![];
        let mut todo = vec![&term];
        while let Some(t) = todo.pop() {
            match pick(t) {
                Some((a, b)) => {
                    todo.push(b);
                    todo.push(a);
                }
                None => flat.push(t.clone()),
            }
        }
        flat.sort_by_cached_key(|t| shape(t));
        flat
    };
    match &term {
        Term::Mul(..) => chain(|t| if let Term::Mul(a, b) = t { Some((a, b)) } else { None })
            .into_iter()
            .reduce(|a, b| Term::Mul(Box::new(a), Box::new(b)))
            .unwrap_or_else(Term::one),
        Term::Add(..) => chain(|t| if let Term::Add(a, b) = t { Some((a, b)) } else { None })
            .into_iter()
            .reduce(|a, b| Term::Add(Box::new(a), Box::new(b)))
            .unwrap_or_else(Term::one),
        _ => term,
    }
}

fn write(term: &Term, name: &mut impl FnMut(Var) -> String, out: &mut String) {
    fn index(i: &Index, name: &mut impl FnMut(Var) -> String, out: &mut String) {
        match i {
            Index::Var(v) => out.push_str(&name(*v)),
            Index::First => out.push('0'),
            Index::Map(m, args) => {
                let _ = write!(out, "m{}(", m.0);
                for a in args {
                    index(a, name, out);
                    out.push(',');
                }
                out.push(')');
            }
        }
    }
    match term {
        Term::Number(q) => {
            let _ = write!(out, "{q}");
        }
        Term::Param(p) => {
            let _ = write!(out, "p{}", p.0);
        }
        Term::Size(d) => {
            let _ = write!(out, "|{}|", d.0);
        }
        Term::Read(b, at) => {
            let _ = write!(out, "b{}[", b.0);
            for i in at {
                index(i, name, out);
                out.push(',');
            }
            out.push(']');
        }
        Term::Equal(a, b) => {
            out.push('[');
            index(a, name, out);
            out.push('=');
            index(b, name, out);
            out.push(']');
        }
        Term::Sum(v, body) | Term::Max(v, body) => {
            out.push_str(if matches!(term, Term::Sum(..)) { "(sum " } else { "(max " });
            // The body first, so that the numbers of the variables follow their use and not the binder's order.
            write(body, name, out);
            let mut bound: Vec<String> = v.iter().map(|v| name(*v)).collect();
            bound.sort();
            let _ = write!(out, " {})", bound.join(","));
        }
        _ => {
            let head = match term {
                Term::Neg(_) => "neg".to_string(),
                Term::Add(..) => "+".to_string(),
                Term::Sub(..) => "-".to_string(),
                Term::Mul(..) => "*".to_string(),
                Term::Div(..) => "/".to_string(),
                Term::Pow(_, k) => format!("^{k}"),
                Term::Call(c, _) => format!("{c:?}"),
                Term::If { comparison, .. } => format!("if{comparison:?}"),
                _ => String::new(),
            };
            let _ = write!(out, "({head}");
            for part in term.parts() {
                out.push(' ');
                write(part, name, out);
            }
            out.push(')');
        }
    }
}
