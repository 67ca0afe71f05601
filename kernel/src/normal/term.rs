//! The terms of the normal form, locally nameless.
//!
//! A [`Poly`] is a rational combination of [`Mono`]s; a `Mono` is a multiset of [`Atom`]s with rational
//! exponents under its own bound indices. A bound index is `(binders crossed, slot)`, a free one a number
//! that is unique in the session. Code that looks under a binder opens it with fresh free indices first,
//! so nothing is ever captured, and nothing is ever shifted.
//!
//! These types carry no rules: equal values here are equal terms, and that is all.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use num_rational::Ratio;
use num_traits::One;

use crate::Rational;
use crate::statement::{DimId, Function, MapId, ParamId, Tensor};

/// Exponents are rational: `rsqrt(e)` is `e^(-1/2)`.
pub(crate) type Exponent = Ratio<i64>;

/// A position along an axis.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Ix {
    /// A free index: unique number and what it ranges over.
    Free(u32, DimId),
    /// A bound index: how many binders lie between, and which slot of the binder.
    Bound(u16, u16),
    /// A map applied.
    Map(MapId, Vec<Ix>),
    /// One component of a bijection's inverse.
    Inverse(MapId, u16, Box<Ix>),
}

/// A factor.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Atom {
    /// `[a == b]`: zero where a side is undefined.
    Equal(Ix, Ix),
    /// One where the partial map is defined, else zero.
    Defined(MapId, Vec<Ix>),
    /// `[e > 0]`.
    Positive(Rc<Poly>),
    /// `[e == 0]`.
    Zero(Rc<Poly>),
    /// One where `at` attains `max(..) body`, else zero. Binds one slot a dimension.
    Attains(Vec<DimId>, Rc<Poly>, Vec<Ix>),
    /// `|n|`.
    Size(DimId),
    /// A scalar parameter.
    Param(ParamId),
    /// A read.
    Access(Tensor, Vec<Ix>),
    /// `exp` of one term with coefficient one.
    Exp(Rc<Mono>),
    /// A sum of several terms (or one that cannot be taken apart), as a base for an exponent.
    Power(Rc<Poly>),
    /// `tanh log sin cos erf atan round floor`.
    Call(Function, Rc<Poly>),
    /// `max(..) body`. Binds one slot a dimension.
    Max(Vec<DimId>, Rc<Poly>),
}

/// A product under bound indices.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Mono {
    /// What the bound indices range over, slot by slot.
    pub(crate) bound: Vec<DimId>,
    /// Factors, sorted, exponents not zero.
    pub(crate) factors: Vec<(Atom, Exponent)>,
}

/// A rational combination of terms; no coefficient is zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Poly {
    /// Coefficient by term.
    pub(crate) terms: BTreeMap<Mono, Rational>,
}

impl Ix {
    /// Number of maps and leaves.
    pub(crate) fn size(&self) -> usize {
        match self {
            Ix::Free(..) | Ix::Bound(..) => 1,
            Ix::Map(_, args) => 1 + args.iter().map(Ix::size).sum::<usize>(),
            Ix::Inverse(_, _, t) => 1 + t.size(),
        }
    }
    /// Replaces the leaves for which `f` gives something; `level` counts binders crossed.
    pub(crate) fn replace(&self, level: u16, f: &mut impl FnMut(&Ix, u16) -> Option<Ix>) -> Ix {
        match self {
            Ix::Free(..) | Ix::Bound(..) => f(self, level).unwrap_or_else(|| self.clone()),
            Ix::Map(m, args) => Ix::Map(*m, args.iter().map(|a| a.replace(level, f)).collect()),
            Ix::Inverse(m, k, arg) => Ix::Inverse(*m, *k, Box::new(arg.replace(level, f))),
        }
    }
    /// Whether some leaf satisfies `f`.
    pub(crate) fn any(&self, level: u16, f: &mut impl FnMut(&Ix, u16) -> bool) -> bool {
        match self {
            Ix::Free(..) | Ix::Bound(..) => f(self, level),
            Ix::Map(_, args) => args.iter().any(|a| a.any(level, f)),
            Ix::Inverse(_, _, arg) => arg.any(level, f),
        }
    }
}

impl Atom {
    /// Zero or one, whatever the inputs.
    pub(crate) fn is_indicator(&self) -> bool {
        matches!(self, Atom::Equal(..) | Atom::Defined(..) | Atom::Positive(..) | Atom::Zero(..) | Atom::Attains(..))
    }

    /// Replaces index leaves, keeping the structure; sums are sorted again. No rule is applied.
    pub(crate) fn replace(&self, level: u16, f: &mut impl FnMut(&Ix, u16) -> Option<Ix>) -> Atom {
        let all = |v: &[Ix], l: u16, f: &mut _| v.iter().map(|i| i.replace(l, f)).collect::<Vec<_>>();
        match self {
            Atom::Equal(a, b) => {
                let (a, b) = (a.replace(level, f), b.replace(level, f));
                if a <= b { Atom::Equal(a, b) } else { Atom::Equal(b, a) }
            }
            Atom::Defined(m, args) => Atom::Defined(*m, all(args, level, f)),
            Atom::Positive(p) => Atom::Positive(Rc::new(p.replace(level, f))),
            Atom::Zero(p) => Atom::Zero(Rc::new(p.replace(level, f))),
            Atom::Attains(dims, body, at) => {
                let at = all(at, level, f);
                Atom::Attains(dims.clone(), Rc::new(body.replace(level + 1, f)), at)
            }
            Atom::Size(_) | Atom::Param(_) => self.clone(),
            Atom::Access(t, at) => Atom::Access(*t, all(at, level, f)),
            Atom::Exp(m) => Atom::Exp(Rc::new(m.replace(level, f))),
            Atom::Power(p) => Atom::Power(Rc::new(p.replace(level, f))),
            Atom::Call(g, p) => Atom::Call(*g, Rc::new(p.replace(level, f))),
            Atom::Max(dims, body) => Atom::Max(dims.clone(), Rc::new(body.replace(level + 1, f))),
        }
    }

    /// Whether some index leaf satisfies `f`.
    pub(crate) fn any(&self, level: u16, f: &mut impl FnMut(&Ix, u16) -> bool) -> bool {
        match self {
            Atom::Equal(a, b) => a.any(level, f) || b.any(level, f),
            Atom::Defined(_, args) | Atom::Access(_, args) => args.iter().any(|i| i.any(level, f)),
            Atom::Positive(p) | Atom::Zero(p) | Atom::Power(p) | Atom::Call(_, p) => p.any(level, f),
            Atom::Attains(_, body, at) => at.iter().any(|i| i.any(level, f)) || body.any(level + 1, f),
            Atom::Size(_) | Atom::Param(_) => false,
            Atom::Exp(m) => m.any(level, f),
            Atom::Max(_, body) => body.any(level + 1, f),
        }
    }

    /// Whether it or an atom inside it satisfies `f`.
    pub(crate) fn contains(&self, f: &mut impl FnMut(&Atom) -> bool) -> bool {
        f(self)
            || match self {
                Atom::Positive(p)
                | Atom::Zero(p)
                | Atom::Power(p)
                | Atom::Call(_, p)
                | Atom::Max(_, p)
                | Atom::Attains(_, p, _) => p.contains(f),
                Atom::Exp(m) => m.factors.iter().any(|(a, _)| a.contains(f)),
                _ => false,
            }
    }

    /// Whether the free index occurs.
    pub(crate) fn mentions(&self, id: u32) -> bool {
        self.any(0, &mut |ix, _| matches!(ix, Ix::Free(i, _) if *i == id))
    }

    /// Number of atoms and of index leaves and maps in it, itself included: what a walk over it costs.
    pub(crate) fn size(&self) -> u64 {
        let indices = |at: &[Ix]| at.iter().map(|i| i.size() as u64).sum::<u64>();
        1 + match self {
            Atom::Positive(p) | Atom::Zero(p) | Atom::Power(p) | Atom::Call(_, p) | Atom::Max(_, p) => p.size(),
            Atom::Attains(_, p, at) => p.size() + indices(at),
            Atom::Exp(m) => m.size(),
            Atom::Equal(a, b) => (a.size() + b.size()) as u64,
            Atom::Defined(_, at) | Atom::Access(_, at) => indices(at),
            Atom::Size(_) | Atom::Param(_) => 0,
        }
    }

    /// Number of functions inside of each other.
    pub(crate) fn depth(&self) -> usize {
        let inside = |m: &Mono| m.factors.iter().map(|(a, _)| a.depth()).max().unwrap_or(0);
        match self {
            Atom::Positive(p)
            | Atom::Zero(p)
            | Atom::Power(p)
            | Atom::Call(_, p)
            | Atom::Max(_, p)
            | Atom::Attains(_, p, _) => 1 + p.terms.keys().map(inside).max().unwrap_or(0),
            Atom::Exp(m) => 1 + inside(m),
            _ => 0,
        }
    }
}

impl Mono {
    /// See [`Atom::replace`].
    pub(crate) fn replace(&self, level: u16, f: &mut impl FnMut(&Ix, u16) -> Option<Ix>) -> Mono {
        let mut factors: Vec<_> = self.factors.iter().map(|(a, e)| (a.replace(level + 1, f), *e)).collect();
        factors.sort();
        Mono { bound: self.bound.clone(), factors }
    }
    /// See [`Atom::any`].
    pub(crate) fn any(&self, level: u16, f: &mut impl FnMut(&Ix, u16) -> bool) -> bool {
        self.factors.iter().any(|(a, _)| a.any(level + 1, f))
    }
    /// See [`Atom::size`].
    pub(crate) fn size(&self) -> u64 {
        1 + self.bound.len() as u64 + self.factors.iter().map(|(a, _)| a.size()).sum::<u64>()
    }
}

/// A product of coefficients. Most are one, and exact products pay for a common divisor.
pub(crate) fn times(a: &Rational, b: &Rational) -> Rational {
    if a.is_one() {
        b.clone()
    } else if b.is_one() {
        a.clone()
    } else {
        a * b
    }
}

impl Poly {
    /// Zero.
    pub(crate) fn zero() -> Poly {
        Poly::default()
    }
    /// A constant.
    pub(crate) fn constant(c: Rational) -> Poly {
        let mut p = Poly::zero();
        p.add_term(Mono::default(), c);
        p
    }
    /// Whether there is no term.
    pub(crate) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }
    /// Its value, if it is a constant.
    pub(crate) fn as_constant(&self) -> Option<Rational> {
        match self.terms.len() {
            0 => Some(Rational::from_integer(0.into())),
            1 => {
                let (m, c) = self.terms.first_key_value()?;
                (m.bound.is_empty() && m.factors.is_empty()).then(|| c.clone())
            }
            _ => None,
        }
    }
    /// Adds `c` times a term.
    pub(crate) fn add_term(&mut self, m: Mono, c: Rational) {
        use num_traits::Zero;
        if c.is_zero() {
            return;
        }
        let slot = self.terms.entry(m);
        match slot {
            std::collections::btree_map::Entry::Vacant(v) => {
                v.insert(c);
            }
            std::collections::btree_map::Entry::Occupied(mut o) => {
                *o.get_mut() += c;
                if o.get().is_zero() {
                    o.remove();
                }
            }
        }
    }
    /// Adds `c` times another.
    pub(crate) fn add_scaled(&mut self, other: &Poly, c: &Rational) {
        for (m, d) in &other.terms {
            self.add_term(m.clone(), times(d, c));
        }
    }
    /// Adds another.
    pub(crate) fn add_all(&mut self, other: Poly) {
        if self.terms.is_empty() {
            *self = other;
        } else {
            for (m, d) in other.terms {
                self.add_term(m, d);
            }
        }
    }
    /// `c` times itself.
    pub(crate) fn scaled(&self, c: &Rational) -> Poly {
        let mut p = Poly::zero();
        p.add_scaled(self, c);
        p
    }
    /// Which of the sum and its negative stands for both, whatever the indices are called: `Less` for the negative.
    /// `None` where the two have one form, as `x[i] - x[j]` and `x[j] - x[i]`: an order of names would turn the one into
    /// the other and back whenever indices are renamed.
    pub(crate) fn orientation(&self) -> Option<Ordering> {
        let nameless = |m: &Mono| {
            m.replace(0, &mut |leaf, _| match leaf {
                Ix::Free(_, d) => Some(Ix::Free(0, *d)),
                Ix::Bound(..) => Some(Ix::Bound(0, 0)),
                _ => None,
            })
        };
        let mut forms: BTreeMap<Mono, Vec<Rational>> = BTreeMap::new();
        for (m, c) in &self.terms {
            forms.entry(nameless(m)).or_default().push(c.clone());
        }
        forms.into_values().rev().find_map(|mut coefficients| {
            coefficients.sort();
            let negatives: Vec<Rational> = coefficients.iter().rev().map(|c| -c.clone()).collect();
            Some(coefficients.cmp(&negatives)).filter(|order| order.is_ne())
        })
    }
    /// The coefficient of the last term in the order.
    pub(crate) fn leading(&self) -> Option<&Rational> {
        self.terms.last_key_value().map(|(_, c)| c)
    }
    /// See [`Atom::replace`].
    pub(crate) fn replace(&self, level: u16, f: &mut impl FnMut(&Ix, u16) -> Option<Ix>) -> Poly {
        let mut p = Poly::zero();
        for (m, c) in &self.terms {
            p.add_term(m.replace(level, f), c.clone());
        }
        p
    }
    /// See [`Atom::any`].
    pub(crate) fn any(&self, level: u16, f: &mut impl FnMut(&Ix, u16) -> bool) -> bool {
        self.terms.keys().any(|m| m.any(level, f))
    }
    /// See [`Atom::contains`].
    pub(crate) fn contains(&self, f: &mut impl FnMut(&Atom) -> bool) -> bool {
        self.terms.keys().any(|m| m.factors.iter().any(|(a, _)| a.contains(f)))
    }
    /// See [`Atom::size`].
    pub(crate) fn size(&self) -> u64 {
        self.terms.keys().map(Mono::size).sum()
    }
}
