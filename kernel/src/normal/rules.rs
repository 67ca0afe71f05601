//! The rules of the normal form. Each is one small function with its reason.
//!
//! Every rule is an equality of real values wherever both sides are defined and the conditions hold that
//! the caller has collected (see `domain`): a denominator is not zero, the argument of a root or a
//! logarithm is positive. A rule under an `if` holds where its branch is taken: what a branch guards is a
//! factor `[c > 0]` of each of its terms. `[-c > 0]` is `1 - [c > 0] - [c == 0]`, on the boundary too: what may
//! be left out there is for `boundary` to say.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::expand::Expansion;
use super::instances::instances;
use super::stuck::Stuck;
use super::term::{Atom, Exponent, Ix, Mono, Poly, times};
use crate::Rational;
use crate::budget::Meter;
use crate::limits::{BITS, FRACTION, INDEX, LEAVES, ORDERS, RANGES, REWRITTEN, SLOTS, TERM_DEPTH, TERMS};
use crate::statement::{DimId, Function, MapId, MapKind, ParamId, Sign, Statement, Tensor};

/// What an atom that is looked at costs, in units of work.
const ATOM: u64 = 64;
/// What an atom takes, in bytes.
const BYTES: u64 = 96;
/// Prime factors that are taken out of a root, below.
const MAX_PRIME: u32 = 100;
/// Free indices from here on stand for slots while a term is put in order.
const PLACEHOLDER: u32 = 1 << 30;

pub(crate) type Normal<T> = Result<T, Stuck>;

/// A free index with what it ranges over.
pub(crate) type Free = (u32, DimId);
/// A term that is not under its binder: coefficient, bound indices (free here), factors.
pub(crate) type Open = (Rational, Vec<Free>, Vec<(Atom, Exponent)>);

/// What the rules need to know: the statement's declarations, and a supply of fresh indices.
pub(crate) struct Rules<'s> {
    pub(crate) statement: &'s Statement,
    /// By dimension: the bijection or split that it is ranged over by, if any.
    covers: Vec<Option<Cover>>,
    next: u32,
    meter: Meter,
    /// Whether functions are written with others, and how.
    pub(super) expansion: Option<Expansion>,
    /// Normal forms of reads of local names and outputs.
    pub(super) read: BTreeMap<(Tensor, Vec<Ix>), Rc<Poly>>,
    /// Tensors of which each element is positive on the domain.
    pub(super) positive: BTreeSet<Tensor>,
    depth: usize,
    binding: u32,
    /// Expressions being built inside of each other.
    pub(super) building: usize,
}

#[derive(Clone, Debug)]
enum Cover {
    Bijection(MapId),
    Split(Vec<MapId>),
}

/// What a product with a coefficient and a sum with it cost, in atoms: next to nothing where it is one word long.
fn coefficient(c: &Rational) -> u64 {
    let words = (c.numer().bits() + c.denom().bits()) / 64;
    32 * words + 2 * words * words
}
fn int(n: i64) -> Rational {
    Rational::from_integer(n.into())
}
fn exponent(n: i64) -> Exponent {
    Exponent::from_integer(n)
}
/// An exponent within the limits, far from where 64 bits would overflow.
fn limited(e: Option<Exponent>) -> Normal<Exponent> {
    e.filter(|e| e.numer().abs() <= FRACTION && *e.denom() <= FRACTION)
        .ok_or(Stuck::past("as the numerator or denominator of an exponent", FRACTION as u64))
}
pub(super) fn add_exponents(a: Exponent, b: Exponent) -> Normal<Exponent> {
    limited(num_traits::CheckedAdd::checked_add(&a, &b))
}
fn mul_exponents(a: Exponent, b: Exponent) -> Normal<Exponent> {
    limited(num_traits::CheckedMul::checked_mul(&a, &b))
}

impl<'s> Rules<'s> {
    pub(crate) fn new(statement: &'s Statement, meter: Meter) -> Self {
        let mut rules = Rules {
            statement,
            covers: vec![None; statement.dims().len()],
            next: 0,
            meter,
            expansion: None,
            read: BTreeMap::new(),
            positive: BTreeSet::new(),
            depth: 0,
            binding: 0,
            building: 0,
        };
        for split in statement.splits() {
            rules.cover(split.whole, Cover::Split(split.parts.clone()));
        }
        for (i, map) in statement.maps().iter().enumerate() {
            if map.kind == MapKind::Bijection {
                rules.cover(map.to, Cover::Bijection(MapId(i as u32)));
            }
        }
        rules
    }

    /// A dimension with a split is ranged over by its parts, the target of a bijection by its source.
    /// A dimension that would then range over itself is left alone.
    fn cover(&mut self, dim: DimId, cover: Cover) {
        if self.covers[dim.0 as usize].is_some() {
            return;
        }
        self.covers[dim.0 as usize] = Some(cover);
        // A dimension that ranges over this one has more below it now.
        let covered = (0..self.covers.len()).filter(|d| self.covers[*d].is_some());
        if covered.map(|d| DimId(d as u32)).any(|d| self.leaves(d, &mut Vec::new(), 0).is_none()) {
            self.covers[dim.0 as usize] = None;
        }
    }

    /// Number of leaf alternatives below a dimension and of leaf indices of the longest;
    /// `None` on a cycle or when there are too many, which is found before they are gone through.
    fn leaves(&self, dim: DimId, path: &mut Vec<DimId>, depth: usize) -> Option<(usize, usize)> {
        if path.contains(&dim) || depth > 16 {
            return None;
        }
        path.push(dim);
        let maps = match &self.covers[dim.0 as usize] {
            None => &[][..],
            Some(Cover::Bijection(m)) => std::slice::from_ref(m),
            Some(Cover::Split(parts)) => parts,
        };
        let (mut total, mut longest) = (0usize, 1usize);
        for m in maps {
            let (mut ways, mut slots) = (1usize, 0usize);
            for d in &self.statement.maps()[m.0 as usize].from {
                let (w, s) = self.leaves(*d, path, depth + 1)?;
                (ways, slots) = (ways * w, slots + s);
                if ways > LEAVES || slots > LEAVES {
                    return None;
                }
            }
            (total, longest) = (total + ways, longest.max(slots));
        }
        path.pop();
        (total <= LEAVES).then_some((total.max(1), longest))
    }

    pub(crate) fn fresh(&mut self, dim: DimId) -> Free {
        self.next += 1;
        (self.next, dim)
    }

    /// Asks for looking at so many atoms, before it is done.
    pub(super) fn spend(&mut self, atoms: u64) -> Normal<()> {
        Ok(self.meter.spend("the normal form", atoms.saturating_mul(ATOM))?)
    }

    /// Asks for room for a normal form that is kept.
    pub(super) fn keep(&mut self, p: &Poly) -> Normal<()> {
        Ok(self.meter.hold("the normal forms of names", p.size().saturating_mul(BYTES))?)
    }

    /// Whether the arguments of a map are within the limits, all together.
    pub(super) fn index_fits(&self, args: &[Ix]) -> Normal<()> {
        let size = args.iter().map(Ix::size).sum::<usize>();
        if size > INDEX { Err(Stuck::past("maps in an index", INDEX as u64)) } else { Ok(()) }
    }

    /// All ways an index of the dimension can look, each with the leaf indices it is made of.
    pub(crate) fn range(&mut self, dim: DimId) -> Normal<Vec<(Vec<Free>, Ix)>> {
        let maps = match self.covers[dim.0 as usize].clone() {
            None => {
                let v = self.fresh(dim);
                return Ok(vec![(vec![v], Ix::Free(v.0, v.1))]);
            }
            Some(Cover::Bijection(m)) => vec![m],
            Some(Cover::Split(parts)) => parts,
        };
        let mut out = Vec::new();
        for m in maps {
            let from = self.statement.maps()[m.0 as usize].from.clone();
            for (leaves, args) in self.ranges(&from)? {
                out.push((leaves, Ix::Map(m, args)));
            }
        }
        Ok(out)
    }

    /// All ways several indices can look together.
    pub(crate) fn ranges(&mut self, dims: &[DimId]) -> Normal<Vec<(Vec<Free>, Vec<Ix>)>> {
        let mut all = vec![(Vec::new(), Vec::new())];
        for d in dims {
            let mut next = Vec::new();
            for (leaves, ixs) in &all {
                for (l, ix) in self.range(*d)? {
                    self.spend((leaves.len() + l.len() + ixs.len() + ix.size()) as u64)?;
                    if next.len() >= RANGES {
                        return Err(Stuck::past("ways that the indices of a binder can look", RANGES as u64));
                    }
                    let mut leaves: Vec<Free> = leaves.clone();
                    leaves.extend(l);
                    let mut ixs: Vec<Ix> = ixs.clone();
                    ixs.push(ix);
                    next.push((leaves, ixs));
                }
            }
            all = next;
        }
        Ok(all)
    }

    // ---- indices ------------------------------------------------------------------------------

    fn kind(&self, m: MapId) -> MapKind {
        self.statement.maps()[m.0 as usize].kind
    }

    /// Whether it takes each place to another one.
    pub(crate) fn is_injective(&self, m: MapId) -> bool {
        matches!(self.kind(m), MapKind::Bijection | MapKind::Part { .. })
    }

    /// A map applied: `r(inverse(t)) = t`; a value that lands in a dimension with a bijection is written
    /// with that bijection, and stays so.
    pub(crate) fn map(&self, m: MapId, args: Vec<Ix>) -> Ix {
        let to = self.statement.maps()[m.0 as usize].to;
        let covered = matches!(&self.covers[to.0 as usize], Some(Cover::Bijection(r)) if *r == m);
        if let Some(Ix::Inverse(r, 0, t)) = args.first()
            && *r == m
            && !covered
            && args
                .iter()
                .enumerate()
                .all(|(k, a)| matches!(a, Ix::Inverse(q, j, u) if *q == m && *j == k as u16 && u == t))
            && args.len() == self.statement.maps()[m.0 as usize].from.len()
        {
            return (**t).clone();
        }
        let value = Ix::Map(m, args);
        match &self.covers[to.0 as usize] {
            Some(Cover::Bijection(r)) if *r != m && value.size() <= REWRITTEN => {
                let n = self.statement.maps()[r.0 as usize].from.len();
                Ix::Map(*r, (0..n).map(|k| self.inverse(*r, k as u16, value.clone())).collect())
            }
            _ => value,
        }
    }

    /// One component of a bijection's inverse: `inverse(r(a)) = a`.
    pub(crate) fn inverse(&self, r: MapId, component: u16, t: Ix) -> Ix {
        match t {
            Ix::Map(m, mut args) if m == r => args.swap_remove(component as usize),
            t => Ix::Inverse(r, component, Box::new(t)),
        }
    }

    fn rebuild_ix(&self, ix: &Ix, f: &dyn Fn(u32) -> Option<Ix>) -> Ix {
        match ix {
            Ix::Free(id, _) => f(*id).unwrap_or_else(|| ix.clone()),
            Ix::Bound(..) => ix.clone(),
            Ix::Map(m, args) => self.map(*m, args.iter().map(|a| self.rebuild_ix(a, f)).collect()),
            Ix::Inverse(m, k, t) => self.inverse(*m, *k, self.rebuild_ix(t, f)),
        }
    }

    /// Whether a partial map stands anywhere in the atom.
    pub(crate) fn partial(&self, a: &Atom) -> bool {
        let partial = |ix: &Ix| {
            let mut out = Vec::new();
            self.definedness(ix, &mut out);
            !out.is_empty()
        };
        a.contains(&mut |b| match b {
            Atom::Defined(..) => true,
            Atom::Access(_, at) | Atom::Attains(_, _, at) => at.iter().any(partial),
            Atom::Equal(x, y) => partial(x) || partial(y),
            _ => false,
        })
    }

    /// Factors that are one where the index is defined.
    pub(crate) fn definedness(&self, ix: &Ix, out: &mut Vec<(Atom, Exponent)>) {
        match ix {
            Ix::Free(..) | Ix::Bound(..) => {}
            Ix::Map(m, args) => {
                if self.kind(*m) == MapKind::Partial {
                    out.push((Atom::Defined(*m, args.clone()), exponent(1)));
                }
                args.iter().for_each(|a| self.definedness(a, out));
            }
            Ix::Inverse(_, _, t) => self.definedness(t, out),
        }
    }

    /// `[a == b]` in its simplest form: `None` if zero, else factors.
    fn equal(&self, a: Ix, b: Ix) -> Option<Vec<(Atom, Exponent)>> {
        if a == b {
            // Equal to itself, where it is defined at all.
            let mut out = Vec::new();
            self.definedness(&a, &mut out);
            return Some(out);
        }
        match (&a, &b) {
            // An injection is taken off both sides.
            (Ix::Map(m, xs), Ix::Map(n, ys)) if m == n && self.is_injective(*m) => {
                let mut out = Vec::new();
                for (x, y) in xs.iter().zip(ys) {
                    out.extend(self.equal(x.clone(), y.clone())?);
                }
                return Some(out);
            }
            // Two parts of one split never meet.
            (Ix::Map(m, _), Ix::Map(n, _)) => {
                if let (MapKind::Part { split: s, part: p }, MapKind::Part { split: t, part: q }) =
                    (self.kind(*m), self.kind(*n))
                    && s == t
                    && p != q
                {
                    return None;
                }
            }
            _ => {}
        }
        // [r(x) == t] is [x == inverse(t)] for a bijection.
        for (s, t) in [(&a, &b), (&b, &a)] {
            if let Ix::Map(r, args) = s
                && self.kind(*r) == MapKind::Bijection
            {
                let mut out = Vec::new();
                for (k, x) in args.iter().enumerate() {
                    out.extend(self.equal(x.clone(), self.inverse(*r, k as u16, t.clone()))?);
                }
                return Some(out);
            }
        }
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        Some(vec![(Atom::Equal(a, b), exponent(1))])
    }

    // ---- building blocks ----------------------------------------------------------------------

    pub(crate) fn atom(&mut self, a: Atom) -> Normal<Poly> {
        self.close((Rational::one(), Vec::new(), vec![(a, exponent(1))]))
    }

    pub(crate) fn access(&mut self, t: Tensor, at: Vec<Ix>) -> Normal<Poly> {
        self.atom(Atom::Access(t, at))
    }

    pub(crate) fn equality(&mut self, a: Ix, b: Ix) -> Normal<Poly> {
        match self.equal(a, b) {
            None => Ok(Poly::zero()),
            Some(factors) => self.close((Rational::one(), Vec::new(), factors)),
        }
    }

    /// `|n|`: a split's size is the sum of its parts', a bijection's target has the size of its source.
    pub(crate) fn size(&mut self, dim: DimId) -> Normal<Poly> {
        let mut total = Poly::zero();
        for (leaves, _) in self.range(dim)? {
            let factors = leaves.iter().map(|(_, d)| (Atom::Size(*d), exponent(1))).collect();
            total.add_all(self.close((Rational::one(), Vec::new(), factors))?);
        }
        Ok(total)
    }

    pub(crate) fn param(&mut self, p: ParamId) -> Normal<Poly> {
        self.atom(Atom::Param(p))
    }

    pub(crate) fn add(&self, a: &Poly, b: &Poly) -> Poly {
        let mut p = a.clone();
        p.add_scaled(b, &Rational::one());
        p
    }

    pub(crate) fn sub(&self, a: &Poly, b: &Poly) -> Poly {
        let mut p = a.clone();
        p.add_scaled(b, &-Rational::one());
        p
    }

    /// Takes a term from under its binder: its bound indices become fresh free ones.
    pub(crate) fn open(&mut self, m: &Mono, c: &Rational) -> Open {
        let vars: Vec<Free> = m.bound.iter().map(|d| self.fresh(*d)).collect();
        let factors = if vars.is_empty() {
            m.factors.clone()
        } else {
            let mut f = |ix: &Ix, level: u16| match ix {
                Ix::Bound(d, s) if *d == level => vars.get(*s as usize).map(|v| Ix::Free(v.0, v.1)),
                _ => None,
            };
            m.factors.iter().map(|(a, e)| (a.replace(0, &mut f), *e)).collect()
        };
        (c.clone(), vars, factors)
    }

    /// The product of two sums: distribute.
    pub(crate) fn mul(&mut self, a: &Poly, b: &Poly) -> Normal<Poly> {
        for (p, q) in [(a, b), (b, a)] {
            if let Some(c) = p.as_constant() {
                let numbers: u64 = q.terms.values().map(coefficient).sum();
                self.spend(q.size() + numbers + q.terms.len() as u64 * coefficient(&c))?;
                let product = q.scaled(&c);
                let bits = |d: &Rational| d.numer().bits().max(d.denom().bits());
                return if product.terms.values().any(|d| bits(d) > BITS) {
                    Err(Stuck::past("bits in a coefficient", BITS))
                } else {
                    Ok(product)
                };
            }
        }
        let mut out = Poly::zero();
        for (ma, ca) in &a.terms {
            for (mb, cb) in &b.terms {
                let (c, mut vars, mut factors) = self.open(ma, ca);
                let (d, more, rest) = self.open(mb, cb);
                vars.extend(more);
                factors.extend(rest);
                let p = self.close((times(&c, &d), vars, factors))?;
                out.add_all(p);
                self.check(&out)?;
            }
        }
        Ok(out)
    }

    fn check(&self, p: &Poly) -> Normal<()> {
        if p.terms.len() > TERMS { Err(Stuck::past("terms in a sum", TERMS as u64)) } else { Ok(()) }
    }

    pub(super) fn product(&mut self, open: Open, polys: &[Poly]) -> Normal<Poly> {
        match polys.split_first() {
            None => self.close(open),
            Some((p, rest)) => {
                let mut out = Poly::zero();
                for (m, c) in &p.terms {
                    let (d, more, fs) = self.open(m, c);
                    let (mut e, mut vars, mut factors) = open.clone();
                    e = times(&e, &d);
                    vars.extend(more);
                    factors.extend(fs);
                    let q = self.product((e, vars, factors), rest)?;
                    out.add_all(q);
                    self.check(&out)?;
                }
                Ok(out)
            }
        }
    }

    /// A sum over indices that are free in the body: pulled outward, one binder a term.
    pub(crate) fn sum(&mut self, over: &[Free], body: &Poly) -> Normal<Poly> {
        let mut out = Poly::zero();
        for (m, c) in &body.terms {
            let (c, mut vars, factors) = self.open(m, c);
            vars.extend_from_slice(over);
            let p = self.close((c, vars, factors))?;
            out.add_all(p);
        }
        self.check(&out)?;
        Ok(out)
    }

    /// Replaces free indices, all rules applied again.
    pub(crate) fn substitute(&mut self, p: &Poly, f: &dyn Fn(u32) -> Option<Ix>) -> Normal<Poly> {
        let mut out = Poly::zero();
        for (m, c) in &p.terms {
            let open = self.open(m, c);
            let q = self.substitute_open(open, f)?;
            out.add_all(q);
        }
        Ok(out)
    }

    fn substitute_open(&mut self, (c, vars, factors): Open, f: &dyn Fn(u32) -> Option<Ix>) -> Normal<Poly> {
        let mut kept = Vec::new();
        let mut polys = Vec::new();
        for (a, e) in factors {
            let touched = a.any(0, &mut |ix, _| matches!(ix, Ix::Free(i, _) if f(*i).is_some()));
            if touched {
                match self.rebuild(&a, e, f)? {
                    Some(p) => polys.push(p),
                    None => return Ok(Poly::zero()),
                }
            } else {
                kept.push((a, e));
            }
        }
        self.product((c, vars, kept), &polys)
    }

    /// An atom to a power with indices replaced; `None` is zero.
    fn rebuild(&mut self, a: &Atom, e: Exponent, f: &dyn Fn(u32) -> Option<Ix>) -> Normal<Option<Poly>> {
        if matches!(a, Atom::Exp(_) | Atom::Power(_) | Atom::Call(..))
            && let Some(b) = renamed(a, f)
        {
            return self.close((Rational::one(), Vec::new(), vec![(b, e)])).map(Some);
        }
        let ixs = |r: &Self, v: &[Ix]| v.iter().map(|i| r.rebuild_ix(i, f)).collect::<Vec<_>>();
        let single = |r: &mut Self, a: Atom| r.close((Rational::one(), Vec::new(), vec![(a, e)])).map(Some);
        match a {
            Atom::Equal(x, y) => {
                let (x, y) = (self.rebuild_ix(x, f), self.rebuild_ix(y, f));
                match self.equal(x, y) {
                    None => Ok(None),
                    Some(fs) => self.close((Rational::one(), Vec::new(), fs)).map(Some),
                }
            }
            Atom::Defined(m, args) => {
                let a = Atom::Defined(*m, ixs(self, args));
                single(self, a)
            }
            Atom::Access(t, at) => {
                let a = Atom::Access(*t, ixs(self, at));
                single(self, a)
            }
            Atom::Size(_) | Atom::Param(_) => single(self, a.clone()),
            Atom::Positive(p) => {
                let p = self.substitute(p, f)?;
                self.positive(&p).map(Some)
            }
            Atom::Zero(p) => {
                let p = self.substitute(p, f)?;
                self.vanishes(&p).map(Some)
            }
            Atom::Exp(m) => {
                let open = self.open(m, &Rational::one());
                let p = self.substitute_open(open, f)?;
                let c = Rational::new((*e.numer()).into(), (*e.denom()).into());
                self.exp(&p.scaled(&c)).map(Some)
            }
            Atom::Power(p) => {
                let p = self.substitute(p, f)?;
                self.power(&p, e).map(Some)
            }
            Atom::Call(g, p) => {
                let p = self.substitute(p, f)?;
                let q = self.call(*g, &p)?;
                self.power(&q, e).map(Some)
            }
            Atom::Max(dims, body) => {
                let body = self.under(dims, body, |r, b| r.substitute(&b, f))?;
                single(self, Atom::Max(dims.clone(), Rc::new(body)))
            }
            Atom::Attains(dims, body, at) => {
                let body = self.under(dims, body, |r, b| r.substitute(&b, f))?;
                let at = ixs(self, at);
                single(self, Atom::Attains(dims.clone(), Rc::new(body), at))
            }
        }
    }

    /// Works on the body of a `max` with its indices free.
    pub(super) fn under(
        &mut self,
        dims: &[DimId],
        body: &Poly,
        f: impl FnOnce(&mut Self, Poly) -> Normal<Poly>,
    ) -> Normal<Poly> {
        let vars: Vec<Free> = dims.iter().map(|d| self.fresh(*d)).collect();
        let opened = body.replace(0, &mut |ix, level| match ix {
            Ix::Bound(d, s) if *d == level => vars.get(*s as usize).map(|v| Ix::Free(v.0, v.1)),
            _ => None,
        });
        let body = f(self, opened)?;
        Ok(Self::bind_body(&vars, &body))
    }

    fn bind_body(vars: &[Free], body: &Poly) -> Poly {
        body.replace(0, &mut |ix, level| match ix {
            Ix::Free(id, _) => vars.iter().position(|v| v.0 == *id).map(|s| Ix::Bound(level, s as u16)),
            _ => None,
        })
    }

    // ---- functions ----------------------------------------------------------------------------

    /// A function of `[c > 0] a + (1 - [c > 0]) b` is that function of `a` where c > 0, else of `b`:
    /// exact for every function, and it keeps the sides of an `if` apart. So for `[c == 0]`.
    fn by_cases(&mut self, p: &Poly, f: &mut dyn FnMut(&mut Self, &Poly) -> Normal<Poly>) -> Normal<Option<Poly>> {
        self.spend(p.size())?;
        let mut found = None;
        for m in p.terms.keys() {
            for (a, e) in &m.factors {
                let closed = !a.any(0, &mut |ix, level| matches!(ix, Ix::Bound(d, _) if *d >= level));
                if matches!(a, Atom::Positive(_) | Atom::Zero(_)) && *e == exponent(1) && closed {
                    found = Some(a.clone());
                }
            }
        }
        let Some(guard) = found else { return Ok(None) };
        let (mut on, mut off) = (Poly::zero(), Poly::zero());
        for (m, c) in &p.terms {
            let with = m.factors.iter().position(|(a, _)| *a == guard);
            match with {
                None => {
                    on.add_term(m.clone(), c.clone());
                    off.add_term(m.clone(), c.clone());
                }
                Some(i) => {
                    let mut m = m.clone();
                    m.factors.remove(i);
                    on.add_term(m, c.clone());
                }
            }
        }
        let guard = self.atom(guard)?;
        let (on, off) = (f(self, &on)?, f(self, &off)?);
        let yes = self.mul(&guard, &on)?;
        let no = self.mul(&guard, &off)?;
        let mut out = self.add(&yes, &off);
        out.add_scaled(&no, &-Rational::one());
        Ok(Some(out))
    }

    /// The exponential of a sum is the product of exponentials; `exp(c log e) = e^c`.
    pub(crate) fn exp(&mut self, p: &Poly) -> Normal<Poly> {
        if let Some(q) = self.by_cases(p, &mut |r, p| r.exp(p))? {
            return Ok(q);
        }
        let mut factors = Vec::new();
        let mut powers = Vec::new();
        for (m, c) in &p.terms {
            let e = limited(c.numer().to_i64().zip(c.denom().to_i64()).map(|(n, d)| Ratio::new(n, d)))?;
            if m.bound.is_empty()
                && let [(Atom::Call(Function::Log, arg), one)] = m.factors.as_slice()
                && one.is_one()
            {
                powers.push(self.power(arg, e)?);
            } else {
                factors.push((Atom::Exp(Rc::new(m.clone())), e));
            }
        }
        self.product((Rational::one(), Vec::new(), factors), &powers)
    }

    /// Positive whatever the inputs (of the domain).
    pub(super) fn surely_positive(&self, a: &Atom, e: Exponent) -> bool {
        match a {
            // A read at an undefined point is zero.
            Atom::Access(t, _) if self.positive.contains(t) => !self.partial(a),
            Atom::Exp(_) | Atom::Size(_) => true,
            Atom::Param(p) => self.statement.params()[p.0 as usize].sign == Some(Sign::Positive),
            // They have the sign of their argument.
            Atom::Call(Function::Tanh | Function::Erf | Function::Atan, p) => self.has_positive_terms(p),
            // A fractional power stands only where its base is positive.
            _ => !e.is_integer() && !self.partial(a),
        }
    }

    /// A single term without its coefficient, if positive, and the factors that are surely positive:
    /// it has the sign of the term. Any other sum is left as it is.
    pub(crate) fn without_positive_factors(&mut self, p: &Poly) -> Normal<Poly> {
        match p.terms.first_key_value() {
            Some((m, c)) if p.terms.len() == 1 && m.bound.is_empty() && c.is_positive() => {
                let rest = m.factors.iter().filter(|(a, e)| !self.surely_positive(a, *e)).cloned().collect();
                self.close((Rational::one(), Vec::new(), rest))
            }
            _ => Ok(p.clone()),
        }
    }

    /// What all terms of a sum have in common and may be taken out of a power of it.
    fn content(&self, p: &Poly, only_positive: bool) -> Vec<(Atom, Exponent)> {
        let mut common: Option<BTreeMap<Atom, Exponent>> = None;
        for m in p.terms.keys() {
            let here: BTreeMap<Atom, Exponent> = m
                .factors
                .iter()
                .filter(|(a, e)| {
                    let bound = a.any(0, &mut |ix, level| matches!(ix, Ix::Bound(d, _) if *d >= level));
                    !bound && !a.is_indicator() && (!only_positive || self.surely_positive(a, *e))
                })
                .cloned()
                .collect();
            common = Some(match common {
                None => here,
                Some(old) => {
                    let zero = Exponent::zero();
                    let mut next = BTreeMap::new();
                    for a in old.keys().chain(here.keys()) {
                        let e = *old.get(a).unwrap_or(&zero).min(here.get(a).unwrap_or(&zero));
                        next.insert(a.clone(), e);
                    }
                    next
                }
            });
        }
        common.unwrap_or_default().into_iter().filter(|(_, e)| !e.is_zero()).collect()
    }

    /// `p` divided by a product of atoms.
    fn divide_out(&mut self, p: &Poly, by: &[(Atom, Exponent)]) -> Normal<Poly> {
        let mut out = Poly::zero();
        for (m, c) in &p.terms {
            let (c, vars, mut factors) = self.open(m, c);
            factors.extend(by.iter().map(|(a, e)| (a.clone(), -*e)));
            let q = self.close((c, vars, factors))?;
            out.add_all(q);
        }
        Ok(out)
    }

    /// A rational power of a constant.
    fn constant_power(&mut self, c: &Rational, q: Exponent) -> Normal<Poly> {
        let whole = q.floor().to_integer();
        let mut value = Poly::constant(self.integer_power(c, whole)?);
        let rest = q - exponent(whole);
        if !rest.is_zero() {
            if *rest.denom() == 2 {
                // The root of n/d is that of n d, over d: square factors come out, the others stand alone.
                let (square, alone) = factors(&(c.numer() * c.denom()));
                let scale = value.as_constant().unwrap_or_else(Rational::one);
                let mut m = Mono::default();
                for p in alone {
                    let base = Poly::constant(Rational::from_integer(p));
                    m.factors.push((Atom::Power(Rc::new(base)), rest));
                }
                m.factors.sort();
                value = Poly::zero();
                value.add_term(m, scale * Rational::new(square, c.denom().clone()));
            } else {
                let base = Atom::Power(Rc::new(Poly::constant(c.clone())));
                let mut m = Mono::default();
                m.factors.push((base, rest));
                let mut p = Poly::zero();
                let scale = value.as_constant().unwrap_or_else(Rational::one);
                p.add_term(m, scale);
                value = p;
            }
        }
        Ok(value)
    }

    fn integer_power(&self, c: &Rational, n: i64) -> Normal<Rational> {
        let bits = c.numer().bits().max(c.denom().bits());
        let k = n.unsigned_abs();
        if n < 0 && c.is_zero() {
            return Err(Stuck::unsupported("one over zero"));
        }
        if bits.saturating_mul(k) > BITS {
            return Err(Stuck::past("bits in a coefficient", BITS));
        }
        let p = num_traits::pow(c.clone(), k as usize);
        Ok(if n < 0 { p.recip() } else { p })
    }

    /// `p^q`. The caller knows that p is not zero for q < 0 and positive for fractional q.
    pub(crate) fn power(&mut self, p: &Poly, q: Exponent) -> Normal<Poly> {
        if q.is_zero() {
            return Ok(Poly::constant(Rational::one()));
        }
        if q.is_one() {
            return Ok(p.clone());
        }
        // What is not zero (q < 0) or positive (a root) is read where it is defined.
        if (q.is_negative() || !q.is_integer())
            && let Some(r) = without_definedness(p)
        {
            return self.power(&r, q);
        }
        if let Some(r) = self.by_cases(p, &mut |r, p| r.power(p, q))? {
            return Ok(r);
        }
        let opaque = |p: &Poly, q| {
            let mut m = Mono::default();
            m.factors.push((Atom::Power(Rc::new(p.clone())), q));
            let mut out = Poly::zero();
            out.add_term(m, Rational::one());
            out
        };
        if p.is_zero() {
            // Nowhere defined (q < 0): left standing, no rule applies to it.
            return Ok(if q.is_positive() { Poly::zero() } else { opaque(p, q) });
        }
        if q.is_integer() && q.is_positive() {
            // Under bound indices, or several terms: multiply out.
            let mut out = Poly::constant(Rational::one());
            if p.terms.len() == 1 && p.terms.keys().all(|m| m.bound.is_empty()) {
                return self.monomial_power(p, q);
            }
            for _ in 0..q.to_integer() {
                out = self.mul(&out, p)?;
            }
            return Ok(out);
        }
        if let Some(c) = p.as_constant() {
            return if q.is_integer() || c.is_positive() { self.constant_power(&c, q) } else { Ok(opaque(p, q)) };
        }
        if p.terms.len() == 1 && p.terms.keys().all(|m| m.bound.is_empty()) && q.is_integer() {
            return self.monomial_power(p, q);
        }
        // Several terms, or one under bound indices, or a root: what is common comes out, the rest is one atom.
        let content = self.content(p, !q.is_integer());
        let core = self.divide_out(p, &content)?;
        let lead = core.leading().cloned().unwrap_or_else(Rational::one);
        let scale = if q.is_integer() { lead } else { lead.abs() };
        let core = core.scaled(&scale.recip());
        let mut factors = Vec::new();
        for (a, e) in content {
            factors.push((a, mul_exponents(e, q)?));
        }
        let scale = self.constant_power(&scale, q)?;
        let base = if core.terms.len() == 1 {
            let (m, c) = core.terms.first_key_value().ok_or(Stuck::Malformed("a sum without terms"))?;
            match m.factors.as_slice() {
                [] if m.bound.is_empty() && c.is_one() => Poly::constant(Rational::one()),
                // One atom to an odd power is positive only if the atom is.
                [(a, e)] if m.bound.is_empty() && c.is_one() && (!e.is_integer() || e.to_integer() % 2 != 0) => {
                    factors.push((a.clone(), mul_exponents(*e, q)?));
                    Poly::constant(Rational::one())
                }
                _ => opaque(&core, q),
            }
        } else {
            opaque(&core, q)
        };
        let q = self.product((Rational::one(), Vec::new(), factors), &[base, scale])?;
        Ok(q)
    }

    fn monomial_power(&mut self, p: &Poly, q: Exponent) -> Normal<Poly> {
        let (m, c) = p.terms.first_key_value().ok_or(Stuck::Malformed("a sum without terms"))?;
        let mut factors = Vec::new();
        for (a, e) in &m.factors {
            factors.push((a.clone(), mul_exponents(*e, q)?));
        }
        let c = self.integer_power(c, q.to_integer())?;
        self.close((c, Vec::new(), factors))
    }

    /// `tanh log sin cos erf atan round floor` with their symmetries; the others are written with these and powers.
    pub(crate) fn call(&mut self, f: Function, p: &Poly) -> Normal<Poly> {
        let half = Exponent::new(1, 2);
        match f {
            Function::Exp => return self.exp(p),
            Function::Recip => return self.power(p, exponent(-1)),
            Function::Rsqrt => return self.power(p, -half),
            Function::Sqrt => return self.power(p, half),
            // log1p, expm1 and erfc differ from these in how they round.
            Function::Log1p => {
                let sum = self.add(&Poly::constant(Rational::one()), p);
                return self.call(Function::Log, &sum);
            }
            Function::Expm1 => {
                let e = self.exp(p)?;
                return Ok(self.sub(&e, &Poly::constant(Rational::one())));
            }
            Function::Erfc => {
                let e = self.call(Function::Erf, p)?;
                return Ok(self.sub(&Poly::constant(Rational::one()), &e));
            }
            Function::Floor if let Some(c) = p.as_constant() => return Ok(Poly::constant(c.floor())),
            _ => {}
        }
        if let Some(q) = self.by_cases(p, &mut |r, p| r.call(f, p))? {
            return Ok(q);
        }
        let atom = |p: &Poly| {
            let mut m = Mono::default();
            m.factors.push((Atom::Call(f, Rc::new(p.clone())), exponent(1)));
            let mut out = Poly::zero();
            out.add_term(m, Rational::one());
            out
        };
        let negative = p.leading().is_some_and(Signed::is_negative);
        let minus = -Rational::one();
        Ok(match f {
            Function::Tanh if self.expansion.is_some() => {
                // tanh e = 1 - 2/(exp(e)^2 + 1).
                let e2 = self.exp(&p.scaled(&int(2)))?;
                let d = self.add(&e2, &Poly::constant(Rational::one()));
                let r = self.power(&d, exponent(-1))?;
                self.sub(&Poly::constant(Rational::one()), &r.scaled(&int(2)))
            }
            Function::Sin | Function::Cos
                if let Some(expanded) =
                    self.expansion.and_then(|by| self.multiples(p, by)).map(|angles| self.circular(&angles)) =>
            {
                let (sine, cosine) = expanded?;
                if f == Function::Sin { sine } else { cosine }
            }
            // Odd functions.
            Function::Tanh | Function::Sin | Function::Round | Function::Erf | Function::Atan => {
                if p.is_zero() {
                    Poly::zero()
                } else if negative {
                    atom(&p.scaled(&minus)).scaled(&minus)
                } else {
                    atom(p)
                }
            }
            // An even one.
            Function::Cos => {
                if p.is_zero() {
                    Poly::constant(Rational::one())
                } else if negative {
                    atom(&p.scaled(&minus))
                } else {
                    atom(p)
                }
            }
            Function::Floor => atom(p),
            // The logarithm of a product of positive factors is the sum of theirs.
            Function::Log => {
                let content = self.content(p, true);
                let core = self.divide_out(p, &content)?;
                let lead = core.leading().cloned().unwrap_or_else(Rational::one).abs();
                let core = core.scaled(&lead.recip());
                let mut out = Poly::zero();
                for (a, e) in content {
                    let e = Rational::new((*e.numer()).into(), (*e.denom()).into());
                    match a {
                        Atom::Exp(m) => out.add_term((*m).clone(), e),
                        a => {
                            let base = self.atom(a)?;
                            out.add_scaled(&atom(&base), &e);
                        }
                    }
                }
                for part in [core, Poly::constant(lead)] {
                    if part.as_constant().is_none_or(|c| !c.is_one()) {
                        out.add_scaled(&atom(&part), &Rational::one());
                    }
                }
                out
            }
            // Above.
            Function::Exp
            | Function::Recip
            | Function::Rsqrt
            | Function::Sqrt
            | Function::Log1p
            | Function::Expm1
            | Function::Erfc => {
                return Err(Stuck::unsupported("this function"));
            }
        })
    }

    /// `[p > 0]`.
    pub(crate) fn positive(&mut self, p: &Poly) -> Normal<Poly> {
        if let Some(c) = p.as_constant() {
            return Ok(Poly::constant(if c.is_positive() { Rational::one() } else { Rational::zero() }));
        }
        // max(e) - e(k) > 0 where k does not attain it; e(k) - max(e) is never positive.
        if let Some((attains, maximum_first)) = self.against_maximum(p) {
            if !maximum_first {
                return Ok(Poly::zero());
            }
            let a = self.atom(attains)?;
            return Ok(self.sub(&Poly::constant(Rational::one()), &a));
        }
        if let Some(q) = self.by_cases(p, &mut |r, p| r.positive(p))? {
            return Ok(q);
        }
        // What is surely of one sign has no boundary.
        if self.has_positive_terms(p) {
            return Ok(Poly::constant(Rational::one()));
        }
        if self.has_nonnegative_terms(&p.scaled(&-Rational::one())) {
            return Ok(Poly::zero());
        }
        let content = self.content(p, true);
        let core = self.divide_out(p, &content)?;
        let lead = core.leading().cloned().unwrap_or_else(Rational::one);
        let core = core.scaled(&lead.abs().recip());
        // Nothing is left of a product of positive factors but its sign.
        if let Some(c) = core.as_constant() {
            return Ok(Poly::constant(if c.is_positive() { Rational::one() } else { Rational::zero() }));
        }
        let make = |q: Poly| {
            let mut m = Mono::default();
            m.factors.push((Atom::Positive(Rc::new(q)), exponent(1)));
            let mut out = Poly::zero();
            out.add_term(m, Rational::one());
            out
        };
        if core.orientation() == Some(Ordering::Less) {
            let flipped = make(core.scaled(&-Rational::one()));
            let zero = self.vanishes(&core)?;
            let not = self.sub(&Poly::constant(Rational::one()), &flipped);
            return Ok(self.sub(&not, &zero));
        }
        Ok(make(core))
    }

    /// `[p == 0]`: factors that are surely positive, the sign and the scale do not matter.
    pub(crate) fn vanishes(&mut self, p: &Poly) -> Normal<Poly> {
        if let Some(c) = p.as_constant() {
            return Ok(Poly::constant(if c.is_zero() { Rational::one() } else { Rational::zero() }));
        }
        if let Some(q) = self.by_cases(p, &mut |r, p| r.vanishes(p))? {
            return Ok(q);
        }
        if let Some((attains, _)) = self.against_maximum(p) {
            return self.atom(attains);
        }
        let content = self.content(p, true);
        let core = self.divide_out(p, &content)?;
        if core.as_constant().is_some() {
            return Ok(Poly::zero());
        }
        // As `positive` has it, where that has one sign of the two.
        let lead = core.leading().cloned().unwrap_or_else(Rational::one);
        let scale = match core.orientation() {
            Some(Ordering::Less) => -lead.abs().recip(),
            Some(_) => lead.abs().recip(),
            None => lead.recip(),
        };
        let mut m = Mono::default();
        m.factors.push((Atom::Zero(Rc::new(core.scaled(&scale))), exponent(1)));
        let mut out = Poly::zero();
        out.add_term(m, Rational::one());
        Ok(out)
    }

    /// Whether the zeros of a sum are no open set of inputs, whatever maps, constants, parameters and
    /// indices are: some input stands in one term only, that term is a product of reads of inputs and of
    /// factors that are never zero, and the rest does not read that input. (At all inputs one the term is
    /// not zero, and scaling that input alone moves the sum.)
    pub(crate) fn has_thin_zeros(&self, p: &Poly) -> bool {
        // An `any` value may be a function of the inputs, and cancel them.
        if p.contains(&mut |a| matches!(a, Atom::Access(Tensor::Local(_), _))) {
            return false;
        }
        p.terms.keys().any(|m| {
            let plain = m.bound.is_empty()
                && m.factors.iter().all(|(a, e)| {
                    !self.partial(a)
                        && match a {
                            Atom::Access(Tensor::Input(_), _) => e.is_integer() && e.is_positive(),
                            Atom::Exp(_) | Atom::Size(_) => true,
                            Atom::Param(q) => matches!(
                                self.statement.params()[q.0 as usize].sign,
                                Some(Sign::Positive | Sign::NonZero)
                            ),
                            _ => false,
                        }
                });
            plain
                && m.factors.iter().any(|(a, _)| {
                    let Atom::Access(t @ Tensor::Input(_), _) = a else { return false };
                    let reads = |b: &Atom| b.contains(&mut |c| matches!(c, Atom::Access(u, _) if u == t));
                    p.terms.keys().all(|n| n == m || !n.factors.iter().any(|(b, _)| reads(b)))
                        && m.factors.iter().all(|(b, _)| matches!(b, Atom::Access(..)) || !reads(b))
                })
        })
    }

    /// The one read that a term is, if it is one: where it is defined is a factor that says nothing more.
    pub(crate) fn single_read(&self, m: &Mono) -> Option<(Tensor, Vec<Ix>)> {
        let mut read = None;
        let mut defined = Vec::new();
        for (a, e) in &m.factors {
            match a {
                Atom::Access(t, at) if e.is_one() && read.is_none() => read = Some((*t, at.clone())),
                Atom::Defined(..) => defined.push((a.clone(), *e)),
                _ => return None,
            }
        }
        let (t, at) = read.filter(|_| m.bound.is_empty())?;
        let mut sites = Vec::new();
        at.iter().for_each(|i| self.definedness(i, &mut sites));
        defined.iter().all(|d| sites.contains(d)).then_some((t, at))
    }

    /// `p` as a positive multiple of `max(e) - e(at)` (then true) or of `e(at) - max(e)` (then false), for any `e` whose
    /// indices all stand in its reads.
    fn against_maximum(&mut self, p: &Poly) -> Option<(Atom, bool)> {
        for (m, c) in &p.terms {
            let [(Atom::Max(dims, body), e)] = m.factors.as_slice() else { continue };
            if !m.bound.is_empty() || !e.is_one() {
                continue;
            }
            let mut other = p.clone();
            other.add_term(m.clone(), -c.clone());
            let other = other.scaled(&-c.recip());
            let (vars, opened) = self.body_at(dims, body);
            let ids: Vec<u32> = vars.iter().map(|v| v.0).collect();
            for choice in instances(self.statement, &opened, &ids, &other) {
                let place = |id: u32| choice.iter().find(|c| c.0 == id).map(|c| c.1.clone());
                let Some(at) = ids.iter().map(|id| place(*id)).collect::<Option<Vec<_>>>() else { continue };
                // A read at an undefined point is no argument of the maximum.
                let mut undefined = Vec::new();
                at.iter().for_each(|i| self.definedness(i, &mut undefined));
                if undefined.is_empty() && self.substitute(&opened, &place).is_ok_and(|q| q == other) {
                    return Some((Atom::Attains(dims.clone(), Rc::clone(body), at), c.is_positive()));
                }
            }
        }
        None
    }

    /// `max(..) body` with the given free indices; one leaf alternative each.
    pub(crate) fn maximum(&mut self, over: &[Free], body: &Poly) -> Normal<Poly> {
        let dims = over.iter().map(|v| v.1).collect();
        let body = Self::bind_body(over, body);
        self.atom(Atom::Max(dims, Rc::new(body)))
    }

    /// The body of a `max` at given free indices.
    pub(crate) fn body_at(&mut self, dims: &[DimId], body: &Poly) -> (Vec<Free>, Poly) {
        let vars: Vec<Free> = dims.iter().map(|d| self.fresh(*d)).collect();
        let opened = body.replace(0, &mut |ix, level| match ix {
            Ix::Bound(d, s) if *d == level => vars.get(*s as usize).map(|v| Ix::Free(v.0, v.1)),
            _ => None,
        });
        (vars, opened)
    }

    // ---- closing a term -----------------------------------------------------------------------

    /// Brings one term to normal form and under its binder.
    pub(crate) fn close(&mut self, open: Open) -> Normal<Poly> {
        let number = coefficient(&open.0);
        let size: u64 = open.2.iter().map(|(a, _)| a.size()).sum();
        self.spend(8 + number + size * (1 + open.1.len() as u64))?;
        if self.depth >= TERM_DEPTH {
            return Err(Stuck::past("terms inside of each other", TERM_DEPTH as u64));
        }
        self.depth += 1;
        let closed = self.close_within(open);
        self.depth -= 1;
        closed
    }

    fn close_within(&mut self, open: Open) -> Normal<Poly> {
        let (c, mut vars, factors) = open;
        if factors.iter().any(|(a, _)| a.depth() > TERM_DEPTH / 2) {
            return Err(Stuck::past("functions inside of each other", TERM_DEPTH as u64 / 2));
        }
        if c.is_zero() {
            return Ok(Poly::zero());
        }
        if c.numer().bits().max(c.denom().bits()) > BITS {
            return Err(Stuck::past("bits in a coefficient", BITS));
        }
        // Equal atoms multiply.
        let mut merged: BTreeMap<Atom, Exponent> = BTreeMap::new();
        for (a, e) in factors {
            let old = merged.get(&a).copied().unwrap_or_default();
            let sum = add_exponents(old, e)?;
            merged.insert(a, sum);
        }
        merged.retain(|_, e| !e.is_zero());
        // A read or an equality at an undefined point is zero: where it is defined is a factor of its own,
        // which stays when the read cancels.
        let mut defined = Vec::new();
        for (a, e) in &merged {
            match a {
                Atom::Access(_, at) if e.is_positive() => at.iter().for_each(|i| self.definedness(i, &mut defined)),
                Atom::Equal(x, y) => {
                    self.definedness(x, &mut defined);
                    self.definedness(y, &mut defined);
                }
                _ => {}
            }
        }
        for (a, e) in defined {
            merged.insert(a, e);
        }
        // What is zero is not positive.
        let positive = |p: Rc<Poly>| merged.contains_key(&Atom::Positive(p));
        let zero = |a: &Atom| match a {
            Atom::Zero(p) => positive(Rc::clone(p)) || positive(Rc::new(p.scaled(&-Rational::one()))),
            _ => false,
        };
        if merged.keys().any(zero) {
            return Ok(Poly::zero());
        }
        // Zero or one: a power is the thing itself.
        for (a, e) in merged.iter_mut() {
            if a.is_indicator() && e.is_positive() {
                *e = exponent(1);
            }
        }
        // A power of a sum of one or more is multiplied out; cos^2 = 1 - sin^2.
        let expandable = merged.iter().find_map(|(a, e)| {
            let whole = e.floor().to_integer();
            match a {
                Atom::Power(p) if whole >= 1 && !p.is_zero() => Some((a.clone(), whole)),
                Atom::Call(Function::Cos, _) if whole >= 2 => Some((a.clone(), whole)),
                _ => None,
            }
        });
        if let Some((a, whole)) = expandable {
            let e = merged.remove(&a).unwrap_or_default();
            let (rest, expansion) = match &a {
                Atom::Power(p) => (e - exponent(whole), self.power(p, exponent(whole))?),
                _ => {
                    let Atom::Call(_, p) = &a else { return Err(Stuck::unsupported("this power")) };
                    let sine = self.call(Function::Sin, p)?;
                    let square = self.mul(&sine, &sine)?;
                    (e - exponent(2), self.sub(&Poly::constant(Rational::one()), &square))
                }
            };
            if !rest.is_zero() {
                merged.insert(a, rest);
            }
            return self.product((c, vars, merged.into_iter().collect()), &[expansion]);
        }
        // An index equality against a bound index eliminates it; against a free one it renames.
        let equalities: Vec<(Ix, Ix)> = merged
            .keys()
            .filter_map(|a| match a {
                Atom::Equal(x, y) => Some((x.clone(), y.clone())),
                _ => None,
            })
            .collect();
        for (x, y) in equalities {
            for (v, t) in [(&x, &y), (&y, &x)] {
                let Ix::Free(id, _) = v else { continue };
                if t.any(0, &mut |ix, _| matches!(ix, Ix::Free(i, _) if i == id)) {
                    continue;
                }
                let here = Atom::Equal(x.clone(), y.clone());
                let is_bound = vars.iter().any(|w| w.0 == *id);
                if is_bound {
                    merged.remove(&here);
                    vars.retain(|w| w.0 != *id);
                    let mut factors: Vec<_> = merged.into_iter().collect();
                    self.definedness(t, &mut factors);
                    return self.substitute_open((c, vars, factors), &|i| (i == *id).then(|| t.clone()));
                }
            }
            // Both sides free here: the later one gives way in the other factors.
            for (v, t) in [(&y, &x), (&x, &y)] {
                let Ix::Free(id, _) = v else { continue };
                if t.any(0, &mut |ix, _| matches!(ix, Ix::Free(i, _) if i == id)) {
                    continue;
                }
                let here = Atom::Equal(x.clone(), y.clone());
                if merged.iter().any(|(a, _)| *a != here && a.mentions(*id)) {
                    merged.remove(&here);
                    let factors: Vec<_> = merged.into_iter().collect();
                    // Not under the binder yet: the equality speaks of the same bound indices.
                    let rest = self.substitute_open((c, Vec::new(), factors), &|i| (i == *id).then(|| t.clone()))?;
                    return self.product((Rational::one(), vars, vec![(here, exponent(1))]), &[rest]);
                }
                break;
            }
        }
        // A bijection of a dimension to itself: a sum over i of f(inverse(i)) is that of f(i).
        for k in 0..vars.len() {
            let (id, dim) = vars[k];
            let mut under: Option<(MapId, bool)> = None;
            let mut inverse_of = None;
            let mut total = 0usize;
            for a in merged.keys() {
                sites(a, id, &mut |m, inverse| {
                    total += 1;
                    match m {
                        Some(m) if inverse => inverse_of = Some(m),
                        Some(m) if under.is_none() => under = Some((m, true)),
                        Some(m) if under == Some((m, true)) => {}
                        _ => under = Some((MapId(u32::MAX), false)),
                    }
                });
            }
            let single = |r: &Self, m: MapId| {
                r.kind(m) == MapKind::Bijection
                    && r.statement.maps()[m.0 as usize].from == [dim]
                    && r.statement.maps()[m.0 as usize].to == dim
            };
            let rewrite = match (inverse_of, under) {
                (Some(m), _) if single(self, m) => Some((m, true)),
                (None, Some((m, true))) if single(self, m) => Some((m, false)),
                _ => None,
            };
            if let Some((m, inverse)) = rewrite {
                let v = self.fresh(dim);
                vars[k] = v;
                let new = Ix::Free(v.0, v.1);
                let t = if inverse { Ix::Map(m, vec![new]) } else { Ix::Inverse(m, 0, Box::new(new)) };
                let factors = merged.into_iter().collect();
                return self.substitute_open((c, vars, factors), &|i| (i == id).then(|| t.clone()));
            }
        }
        // A sum over an unused index is the size of what it ranges over.
        let mut kept = Vec::new();
        let mut grown = false;
        for v in vars {
            if merged.keys().any(|a| a.mentions(v.0)) {
                kept.push(v);
            } else {
                let e = merged.entry(Atom::Size(v.1)).or_default();
                *e = add_exponents(*e, exponent(1))?;
                grown = true;
            }
        }
        if grown {
            merged.retain(|_, e| !e.is_zero());
        }
        let factors: Vec<_> = merged.into_iter().collect();
        if kept.is_empty() {
            let mut out = Poly::zero();
            out.add_term(Mono { bound: Vec::new(), factors }, c);
            return Ok(out);
        }
        self.bind(c, kept, factors)
    }

    /// Puts bound indices in canonical order: by what they stand in, and where that does not tell them
    /// apart, by trying the orders.
    fn bind(&mut self, c: Rational, vars: Vec<Free>, factors: Vec<(Atom, Exponent)>) -> Normal<Poly> {
        let mark = |a: &Atom, me: u32, colour: &BTreeMap<u32, u32>| {
            a.replace(0, &mut |ix, _| match ix {
                Ix::Free(id, d) if *id == me => Some(Ix::Free(u32::MAX, *d)),
                Ix::Free(id, d) => colour.get(id).map(|k| Ix::Free(u32::MAX - 1 - k, *d)),
                Ix::Bound(..) => None,
                _ => None,
            })
        };
        let size: u64 = factors.iter().map(|(a, _)| a.size()).sum();
        let mut colour: BTreeMap<u32, u32> = vars.iter().map(|v| (v.0, 0)).collect();
        let mut groups: Vec<Vec<Free>> = vec![vars.clone()];
        let rounds = if vars.len() == 1 { 0 } else { 3 };
        for _round in 0..rounds {
            self.spend(vars.len() as u64 * size)?;
            type Signature = (DimId, u32, Vec<(Atom, Exponent)>);
            let mut signed: Vec<(Signature, Free)> = vars
                .iter()
                .map(|v| {
                    let mut uses: Vec<_> = factors
                        .iter()
                        .filter(|(a, _)| a.mentions(v.0))
                        .map(|(a, e)| (mark(a, v.0, &colour), *e))
                        .collect();
                    uses.sort();
                    ((v.1, colour[&v.0], uses), *v)
                })
                .collect();
            signed.sort_by(|a, b| a.0.cmp(&b.0));
            groups = Vec::new();
            let mut last: Option<Signature> = None;
            for (s, v) in signed {
                if last.as_ref() == Some(&s) {
                    if let Some(g) = groups.last_mut() {
                        g.push(v);
                    }
                } else {
                    groups.push(vec![v]);
                    last = Some(s);
                }
            }
            for (k, g) in groups.iter().enumerate() {
                for v in g {
                    colour.insert(v.0, k as u32);
                }
            }
            if groups.iter().all(|g| g.len() == 1) {
                break;
            }
        }
        // Binders inside of this one are put in order while it is: each takes placeholders of its own.
        if vars.len() > SLOTS {
            return Err(Stuck::past("indices under one binder", SLOTS as u64));
        }
        self.binding += 1;
        let bound = self.bind_in_order(c, factors, &groups);
        self.binding -= 1;
        bound
    }

    fn bind_in_order(&mut self, c: Rational, factors: Vec<(Atom, Exponent)>, groups: &[Vec<Free>]) -> Normal<Poly> {
        let base = PLACEHOLDER + self.binding * SLOTS as u32;
        let mut orders: Vec<Vec<Free>> = vec![Vec::new()];
        for g in groups {
            let ways = if orders.len().saturating_mul(factorial(g.len())) <= ORDERS {
                permutations(g)
            } else {
                vec![g.clone()]
            };
            orders = orders.iter().flat_map(|o| ways.iter().map(move |w| [o.as_slice(), w].concat())).collect();
        }
        let mut best: Option<(Mono, Rational)> = None;
        let mut several = None;
        let size: u64 = factors.iter().map(|(a, _)| a.size()).sum();
        for order in orders {
            self.spend(2 * size)?;
            let slot = |id: u32| order.iter().position(|v| v.0 == id);
            let mut polys = Vec::new();
            let mut plain = Vec::new();
            for (a, e) in &factors {
                let nested = !matches!(
                    a,
                    Atom::Equal(..) | Atom::Defined(..) | Atom::Access(..) | Atom::Size(_) | Atom::Param(_)
                );
                if nested && order.iter().any(|v| a.mentions(v.0)) {
                    let f = |id: u32| slot(id).map(|s| Ix::Free(base + s as u32, order[s].1));
                    match self.rebuild(a, *e, &f)? {
                        Some(p) => polys.push(p),
                        None => return Ok(Poly::zero()),
                    }
                } else {
                    plain.push((
                        a.replace(0, &mut |ix, _| match ix {
                            Ix::Free(id, d) => slot(*id).map(|s| Ix::Free(base + s as u32, *d)),
                            _ => None,
                        }),
                        *e,
                    ));
                }
            }
            let mut scale = c.clone();
            let mut all = plain;
            let mut simple = true;
            for p in &polys {
                match (p.terms.len(), p.terms.first_key_value()) {
                    (1, Some((m, d))) if m.bound.is_empty() => {
                        scale *= d;
                        all.extend(m.factors.iter().cloned());
                    }
                    _ => simple = false,
                }
            }
            if !simple {
                // Renaming opened up a rule, or turned a guard around: another order may leave all as it is.
                several.get_or_insert((order, base, polys, all, scale));
                continue;
            }
            let mut merged: BTreeMap<Atom, Exponent> = BTreeMap::new();
            for (a, e) in all {
                let slot = merged.entry(a).or_default();
                *slot = add_exponents(*slot, e)?;
            }
            let mut bound: Vec<(Atom, Exponent)> = merged
                .into_iter()
                .filter(|(_, e)| !e.is_zero())
                .map(|(a, e)| {
                    let a = a.replace(0, &mut |ix, level| match ix {
                        Ix::Free(id, _) if *id >= base && *id < base + order.len() as u32 => {
                            Some(Ix::Bound(level, (*id - base) as u16))
                        }
                        _ => None,
                    });
                    (a, e)
                })
                .collect();
            bound.sort();
            let m = Mono { bound: order.iter().map(|v| v.1).collect(), factors: bound };
            if best.as_ref().is_none_or(|(b, d)| (&m, &scale) < (b, d)) {
                best = Some((m, scale));
            }
        }
        // No order does: start over with the new names as ordinary free indices.
        if best.is_none()
            && let Some((order, base, polys, plain, scale)) = several
        {
            let fresh: Vec<Free> = order.iter().map(|v| self.fresh(v.1)).collect();
            let f = |id: u32| {
                (id >= base && id < base + fresh.len() as u32).then(|| {
                    let v = fresh[(id - base) as usize];
                    Ix::Free(v.0, v.1)
                })
            };
            let mut renamed = Vec::new();
            for p in polys {
                if p.terms.len() == 1 && p.terms.keys().all(|m| m.bound.is_empty()) {
                    continue;
                }
                renamed.push(self.substitute(&p, &f)?);
            }
            let plain = plain
                .into_iter()
                .map(|(a, e)| {
                    let a = a.replace(0, &mut |ix, _| match ix {
                        Ix::Free(id, _) => f(*id),
                        _ => None,
                    });
                    (a, e)
                })
                .collect();
            return self.product((scale, fresh, plain), &renamed);
        }
        let mut out = Poly::zero();
        if let Some((m, scale)) = best {
            out.add_term(m, scale);
        }
        Ok(out)
    }
}

/// A function of a sum with indices renamed, where no rule could see a difference: the new names are new to
/// it, no binder has slots to put in order, no equality has sides to choose from, and the leading terms,
/// which fix signs and scales, are still as the rules leave them. Otherwise `None`: rebuild it.
fn renamed(a: &Atom, f: &dyn Fn(u32) -> Option<Ix>) -> Option<Atom> {
    fn settled(a: &Atom) -> bool {
        let sum = |p: &Poly| {
            p.leading().is_some_and(Signed::is_positive)
                && p.terms.keys().all(|m| m.bound.len() <= 1 && m.factors.iter().all(|(a, _)| settled(a)))
        };
        match a {
            Atom::Size(_) | Atom::Param(_) | Atom::Access(..) => true,
            Atom::Exp(m) => m.bound.len() <= 1 && m.factors.iter().all(|(a, _)| settled(a)),
            Atom::Power(p) => p.leading().is_some_and(One::is_one) && sum(p),
            Atom::Call(_, p) => sum(p),
            _ => false,
        }
    }
    let mut images = Vec::new();
    let mut plain = true;
    a.any(0, &mut |ix, _| {
        if let Ix::Free(id, _) = ix {
            match f(*id) {
                Some(Ix::Free(new, _)) => {
                    images.push((*id, new));
                }
                Some(_) => plain = false,
                None => {}
            }
        }
        false
    });
    images.sort_unstable();
    images.dedup();
    let fresh =
        images.iter().all(|(_, new)| images.iter().filter(|(_, other)| other == new).count() == 1 && !a.mentions(*new));
    if !plain || !fresh || !settled(a) {
        return None;
    }
    let b = a.replace(0, &mut |ix, _| match ix {
        Ix::Free(id, _) => f(*id),
        _ => None,
    });
    settled(&b).then_some(b)
}

/// A single term without the factors that say where it is defined, if it has some.
fn without_definedness(p: &Poly) -> Option<Poly> {
    let (m, c) = p.terms.first_key_value()?;
    let defined = |a: &Atom| matches!(a, Atom::Defined(..));
    if p.terms.len() != 1 || !m.bound.is_empty() || !m.factors.iter().any(|(a, _)| defined(a)) {
        return None;
    }
    let factors = m.factors.iter().filter(|(a, _)| !defined(a)).cloned().collect();
    let mut out = Poly::zero();
    out.add_term(Mono { bound: Vec::new(), factors }, c.clone());
    Some(out)
}

/// Calls `f` for each place where the free index stands: directly under which map, and whether inverted.
fn sites(a: &Atom, id: u32, f: &mut dyn FnMut(Option<MapId>, bool)) {
    fn walk(ix: &Ix, id: u32, above: Option<(MapId, bool)>, f: &mut dyn FnMut(Option<MapId>, bool)) {
        match ix {
            Ix::Free(i, _) if *i == id => f(above.map(|a| a.0), above.is_some_and(|a| a.1)),
            Ix::Free(..) | Ix::Bound(..) => {}
            Ix::Map(m, args) => args.iter().for_each(|x| walk(x, id, Some((*m, false)), f)),
            Ix::Inverse(m, _, t) => walk(t, id, Some((*m, true)), f),
        }
    }
    fn atom(a: &Atom, id: u32, f: &mut dyn FnMut(Option<MapId>, bool)) {
        match a {
            Atom::Equal(x, y) => {
                walk(x, id, None, f);
                walk(y, id, None, f);
            }
            Atom::Defined(_, args) | Atom::Access(_, args) => args.iter().for_each(|x| walk(x, id, None, f)),
            Atom::Positive(p) | Atom::Zero(p) | Atom::Power(p) | Atom::Call(_, p) | Atom::Max(_, p) => poly(p, id, f),
            Atom::Attains(_, p, at) => {
                at.iter().for_each(|x| walk(x, id, None, f));
                poly(p, id, f);
            }
            Atom::Exp(m) => m.factors.iter().for_each(|(b, _)| atom(b, id, f)),
            Atom::Size(_) | Atom::Param(_) => {}
        }
    }
    fn poly(p: &Poly, id: u32, f: &mut dyn FnMut(Option<MapId>, bool)) {
        p.terms.keys().for_each(|m| m.factors.iter().for_each(|(b, _)| atom(b, id, f)));
    }
    atom(a, id, f);
}

/// A positive integer as `s^2` times factors that are no squares, each once: its small primes, and what is left.
fn factors(n: &BigInt) -> (BigInt, Vec<BigInt>) {
    let (mut left, mut square, mut alone) = (n.clone(), BigInt::one(), Vec::new());
    for p in 2u32..MAX_PRIME {
        let mut odd = false;
        while (&left % p).is_zero() {
            left /= p;
            if odd {
                square *= p;
            }
            odd = !odd;
        }
        if odd {
            alone.push(p.into());
        }
        if left.is_one() {
            return (square, alone);
        }
    }
    let root = left.sqrt();
    if &root * &root == left {
        square *= root;
    } else {
        alone.push(left);
    }
    (square, alone)
}

fn factorial(n: usize) -> usize {
    (1..=n).try_fold(1usize, |a, b| a.checked_mul(b)).unwrap_or(usize::MAX)
}

fn permutations(items: &[Free]) -> Vec<Vec<Free>> {
    if items.len() <= 1 {
        return vec![items.to_vec()];
    }
    let mut out = Vec::new();
    for i in 0..items.len() {
        let mut rest = items.to_vec();
        let head = rest.remove(i);
        for mut tail in permutations(&rest) {
            tail.insert(0, head);
            out.push(tail);
        }
    }
    out
}
