//! The table of terms: makers, what is asked of a term, substitution and closing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use num_traits::{One, Zero};

use super::quick::Table;
use super::ring::Poly;
use super::term::{Dimension, Function, Index, Map, Name, Node, Number, Place, Tensor, Term, ZERO};
use crate::Rational;

/// What is declared of an index map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapSignature {
    /// The dimensions of its arguments.
    pub from: Vec<Dimension>,
    /// The dimensions of its value.
    pub to: Vec<Dimension>,
    /// Whether it is defined everywhere.
    pub total: bool,
    /// If it is a bijection, its inverse.
    pub inverse: Option<Map>,
}

/// A sorted list, shared.
pub(super) type Set<T> = Rc<[T]>;

/// The union of two sorted lists; one of them if it has all.
pub(super) fn union<T: Ord + Copy>(a: &Set<T>, b: &Set<T>) -> Set<T> {
    let within = |a: &Set<T>, b: &Set<T>| Rc::ptr_eq(a, b) || a.iter().all(|x| b.binary_search(x).is_ok());
    if within(b, a) {
        return a.clone();
    }
    if within(a, b) {
        return b.clone();
    }
    let mut all: Vec<T> = a.iter().chain(b.iter()).copied().collect();
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// What is known of a term, found when it is made.
#[derive(Clone)]
struct Facts {
    /// Its free names.
    free: Set<Name>,
    /// The tensors that it reads.
    reads: Set<Tensor>,
    /// One more than the largest index that is bound further out; 0: it is closed.
    open: u32,
    /// For an index term that is typed: the dimensions of its tuple.
    dims: Option<Rc<[Dimension]>>,
    /// Whether an index term is defined everywhere if it is typed.
    total: bool,
}

/// The longest tuple that is typed. An index term can be as long as two to the power of its size.
const TUPLE: usize = 64;

/// The table of terms. It only grows, and there is no way to exchange one for another.
pub struct Terms {
    maps: Vec<MapSignature>,
    pub(super) inner: RefCell<Inner>,
}

#[derive(Default)]
pub(super) struct Inner {
    nodes: Vec<(Node, Facts)>,
    places: Table<Node, u32>,
    numbers: Vec<Rational>,
    number_places: HashMap<Rational, u32>,
    rebuilt: Table<(u32, Name, Change), u32>,
    /// The empty lists, shared by all that is closed or reads nothing.
    none: (Set<Name>, Set<Tensor>),
    pub(super) polys: Table<Term, Rc<Poly>>,
}

/// What [`Terms::rebuild`] does with a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Change {
    /// An index term, closed, for the name.
    Substitute(Index),
    /// The innermost bound index for the name.
    Close,
    /// The name for the innermost bound index.
    Open,
}

/// Declares what makes a term of a node.
macro_rules! makers {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) -> $made:ty = $node:expr;)*) => {
        $($(#[$doc])* pub fn $name(&self, $($argument: $type),*) -> $made { self.make($node) })*
    };
}

impl Terms {
    pub(super) fn new(maps: Vec<MapSignature>) -> Terms {
        let terms = Terms { maps, inner: RefCell::default() };
        terms.number(Rational::zero());
        terms.node(Node::Unit);
        terms
    }

    makers! {
        /// A free index.
        free(v: Name) -> Index = Node::Free(v);
        /// The empty tuple.
        unit() -> Index = Node::Unit;
        /// Two tuples, one after the other.
        pair(a: Index, b: Index) -> Index = Node::Pair(a, b);
        /// One component of a tuple.
        proj(k: u32, a: Index) -> Index = Node::Proj(k, a);
        /// An index map at a tuple.
        map(m: Map, a: Index) -> Index = Node::Map(m, a);
        /// The size of a dimension.
        size(d: Dimension) -> Term = Node::Size(d);
        /// An element of a tensor.
        read(x: Tensor, a: Index) -> Term = Node::Read(x, a);
        /// 1 where the two are defined and equal, else 0.
        delta(a: Index, b: Index) -> Term = Node::Delta(a, b);
        /// 1 where it is defined, else 0.
        def(a: Index) -> Term = Node::Def(a);
        /// A sum of two.
        add(a: Term, b: Term) -> Term = Node::Add(a, b);
        /// A product of two.
        mul(a: Term, b: Term) -> Term = Node::Mul(a, b);
        /// A function's value.
        apply(f: Function, a: Term) -> Term = Node::Fn(f, a);
        /// 1 where it is positive, else 0.
        guard(a: Term) -> Term = Node::Guard(a);
    }
    /// The sum of a term over one of its names.
    pub fn sum(&self, v: Name, body: Term) -> Term {
        self.make(Node::Sum(v.dimension, self.rebuild(body, v, Change::Close)))
    }
    /// The maximum of a term over one of its names.
    pub fn max(&self, v: Name, body: Term) -> Term {
        self.make(Node::Max(v.dimension, self.rebuild(body, v, Change::Close)))
    }
    /// A rational number.
    pub fn number(&self, q: Rational) -> Term {
        let mut inner = self.inner.borrow_mut();
        let place = inner.number_places.get(&q).copied().unwrap_or_else(|| {
            let place = inner.numbers.len() as u32;
            inner.numbers.push(q.clone());
            inner.number_places.insert(q, place);
            place
        });
        drop(inner);
        self.make(Node::Num(Number(place)))
    }
    /// An integer.
    pub fn num(&self, n: i64) -> Term {
        self.number(Rational::from_integer(n.into()))
    }
    /// Minus one times a term.
    pub fn neg(&self, a: Term) -> Term {
        self.mul(self.num(-1), a)
    }
    /// A difference.
    pub fn sub(&self, a: Term, b: Term) -> Term {
        self.add(a, self.neg(b))
    }
    /// The tuple of some components, ended by the empty one.
    pub fn tuple(&self, parts: &[Index]) -> Index {
        parts.iter().rev().fold(self.unit(), |rest, a| self.pair(*a, rest))
    }
    /// The tuple of some names.
    pub fn names(&self, names: &[Name]) -> Index {
        names.iter().rev().fold(self.unit(), |rest, v| self.pair(self.free(*v), rest))
    }
    /// The sum of a term over some of its names, the first outermost.
    pub fn sums(&self, names: &[Name], body: Term) -> Term {
        names.iter().rev().fold(body, |body, v| self.sum(*v, body))
    }
    /// The sum of some terms, from the right; of none, zero.
    pub fn total(&self, parts: &[Term]) -> Term {
        let sum = parts.iter().rev().copied().reduce(|sum, t| self.add(t, sum));
        sum.unwrap_or(Term(ZERO))
    }
    /// 1 where the term is its maximum over the name, else 0.
    pub fn attains(&self, v: Name, f: Term) -> Term {
        self.sub(self.num(1), self.guard(self.sub(self.max(v, f), f)))
    }

    /// The place of a node; `None` if a child is not in this table or is of another kind.
    pub(super) fn node(&self, node: Node) -> Option<u32> {
        let mut inner = self.inner.borrow_mut();
        if let Some(place) = inner.places.get(&node) {
            return Some(*place);
        }
        let facts = inner.facts(node, &self.maps)?;
        let place = inner.nodes.len() as u32;
        inner.nodes.push((node, facts));
        inner.places.insert(node, place);
        Some(place)
    }
    fn make<T: Place>(&self, node: Node) -> T {
        T::at(self.node(node))
    }

    /// How many terms there are.
    pub fn count(&self) -> usize {
        self.inner.borrow().nodes.len()
    }
    /// What stands at a place of the table, if something does.
    pub fn at(&self, place: u32) -> Option<Node> {
        self.inner.borrow().nodes.get(place as usize).map(|n| n.0)
    }
    /// What a term is made of. One of another table is the empty tuple.
    pub fn view(&self, t: impl Place) -> Node {
        self.at(t.place()).unwrap_or(Node::Unit)
    }
    pub(super) fn knows<T: Place>(&self, t: T) -> bool {
        self.at(t.place()).is_some_and(|n| n.is_index() == T::INDEX)
    }
    /// The value of a number.
    pub fn value(&self, q: Number) -> Rational {
        self.inner.borrow().value(q)
    }
    /// The value of a term that is a number.
    pub fn as_number(&self, t: Term) -> Option<Rational> {
        if let Node::Num(q) = self.view(t) { Some(self.value(q)) } else { None }
    }
    fn fact<T>(&self, place: u32, of: impl Fn(&Facts) -> T) -> Option<T> {
        self.inner.borrow().nodes.get(place as usize).map(|n| of(&n.1))
    }
    /// The free names of a term, in order.
    pub fn free_names(&self, t: impl Place) -> Vec<Name> {
        self.fact(t.place(), |f| f.free.to_vec()).unwrap_or_default()
    }
    /// Whether a name is free in a term.
    pub fn has_free(&self, v: Name, t: impl Place) -> bool {
        self.fact(t.place(), |f| f.free.binary_search(&v).is_ok()) == Some(true)
    }
    /// Whether a term reads one of some tensors.
    pub fn reads_any_of(&self, t: Term, mut tensors: impl Iterator<Item = Tensor>) -> bool {
        self.fact(t.0, |f| f.reads.clone()).is_none_or(|reads| tensors.any(|x| reads.binary_search(&x).is_ok()))
    }
    /// Whether no index of a term is bound outside of it.
    pub fn is_closed(&self, t: impl Place) -> bool {
        self.fact(t.place(), |f| f.open) == Some(0)
    }
    /// The dimensions of an index term that is typed. A typed index term is closed.
    pub fn dims(&self, a: Index) -> Option<Rc<[Dimension]>> {
        self.fact(a.0, |f| f.dims.clone()).flatten()
    }
    /// Whether an index term is of these dimensions.
    pub fn has_dims(&self, a: Index, dims: &[Dimension]) -> bool {
        self.dims(a).is_some_and(|d| *d == *dims)
    }
    /// Whether an index term, if it is typed, is defined everywhere.
    pub fn is_total(&self, a: Index) -> bool {
        self.fact(a.0, |f| f.total) == Some(true)
    }

    /// A term with an index term for a name. The latter is closed, or the result is the term itself.
    pub fn substitute<T: Place>(&self, v: Name, a: Index, t: T) -> T {
        if self.is_closed(a) { self.rebuild(t, v, Change::Substitute(a)) } else { t }
    }
    /// The body of a binder with a name for its index: what `sum(v, _)` or `max(v, _)` closes again if the name is not free in it.
    pub fn open(&self, body: Term, v: Name) -> Term {
        self.rebuild(body, v, Change::Open)
    }

    /// Changes what stands for a name, each shared part once for each number of binders that it is under.
    fn rebuild<T: Place>(&self, root: T, v: Name, change: Change) -> T {
        let same = |place: u32, k: u32| {
            let same = self.fact(place, |f| {
                let (named, open) = (f.free.binary_search(&v).is_ok(), f.open > k);
                !(named && change != Change::Open || open && !matches!(change, Change::Substitute(_)))
            });
            same.unwrap_or(true)
        };
        if same(root.place(), 0) {
            return root;
        }
        let key = (root.place(), v, change);
        if let Some(place) = self.inner.borrow().rebuilt.get(&key) {
            return T::at(Some(*place));
        }
        let mut done: Table<(u32, u32), u32> = Table::default();
        let mut stack = vec![(root.place(), 0)];
        while let Some(&(place, k)) = stack.last() {
            let Some(node) = self.at(place).filter(|_| !same(place, k)) else {
                done.insert((place, k), place);
                stack.pop();
                continue;
            };
            let binder = matches!(node, Node::Sum(..) | Node::Max(..));
            let inside = k + u32::from(binder && !matches!(change, Change::Substitute(_)));
            let before = stack.len();
            stack.extend(node.children().map(|c| (c, inside)).filter(|c| !done.contains_key(c)));
            if stack.len() > before {
                continue;
            }
            let new = match (node, change) {
                (Node::Free(w), Change::Substitute(a)) if w == v => self.at(a.0).and(Some(a.0)),
                (Node::Free(w), Change::Close) if w == v => self.node(Node::Bound(k)),
                (Node::Bound(j), Change::Close) if j >= k => self.node(Node::Bound(j + 1)),
                (Node::Bound(j), Change::Open) if j == k => self.node(Node::Free(v)),
                (Node::Bound(j), Change::Open) if j > k => self.node(Node::Bound(j - 1)),
                _ => self.node(node.with(|c| done.get(&(c, inside)).copied().unwrap_or(c))),
            };
            done.insert((place, k), new.unwrap_or(place));
            stack.pop();
        }
        let rebuilt = done.get(&(root.place(), 0)).copied();
        self.inner.borrow_mut().rebuilt.extend(rebuilt.map(|place| (key, place)));
        T::at(rebuilt)
    }
}

impl Inner {
    fn facts(&self, node: Node, maps: &[MapSignature]) -> Option<Facts> {
        use Node::{Bound, Def, Delta, Free, Map, Max, Pair, Proj, Read, Sum, Unit};
        let (free, reads) = self.none.clone();
        let mut facts = Facts { free, reads, open: 0, dims: None, total: true };
        let of_indices = matches!(node, Pair(..) | Proj(..) | Map(..) | Read(..) | Delta(..) | Def(_));
        let mut dims = Vec::new();
        for child in node.children() {
            let (_, of) = self.nodes.get(child as usize).filter(|(n, _)| n.is_index() == of_indices)?;
            facts.free = union(&facts.free, &of.free);
            facts.reads = union(&facts.reads, &of.reads);
            facts.open = facts.open.max(of.open);
            facts.total &= of.total;
            dims.push(of.dims.clone());
        }
        match (node, &dims[..]) {
            (Free(v), _) => {
                facts.free = Rc::from([v]);
                facts.dims = Some(Rc::from([v.dimension]));
            }
            (Bound(k), _) => facts.open = k.checked_add(1)?,
            (Unit, _) => facts.dims = Some(Rc::from([])),
            (Pair(..), [Some(a), Some(b)]) => {
                facts.dims = Some([&**a, &**b].concat().into()).filter(|all: &Rc<[_]>| all.len() <= TUPLE);
            }
            (Proj(k, _), [Some(a)]) => facts.dims = a.get(k as usize).map(|d| Rc::from([*d])),
            (Map(m, _), [from]) => {
                let map = maps.get(m as usize);
                facts.total &= map.is_some_and(|m| m.total);
                let typed = map.filter(|m| from.as_ref().is_some_and(|from| **from == *m.from));
                facts.dims = typed.map(|m| Rc::from(&m.to[..]));
            }
            (Read(x, _), _) => facts.reads = Rc::from([x]),
            (Sum(..) | Max(..), _) => facts.open = facts.open.saturating_sub(1),
            _ => {}
        }
        Some(facts)
    }

    /// Whether a term is a factor whose square is itself.
    pub(super) fn is_indicator(&self, t: Term) -> bool {
        matches!(self.view(t), Some(Node::Delta(..) | Node::Def(_) | Node::Guard(_)))
    }
    pub(super) fn view(&self, t: Term) -> Option<Node> {
        self.nodes.get(t.0 as usize).map(|n| n.0)
    }
    pub(super) fn value(&self, q: Number) -> Rational {
        self.numbers.get(q.0 as usize).cloned().unwrap_or_else(Rational::one)
    }
}
