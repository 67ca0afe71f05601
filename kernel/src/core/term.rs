//! Index terms, real terms, substitution and closing: `Term.v` of the model.
//!
//! Binders are named outside and nameless inside.
//! A free index is [`Node::Free`] and carries its dimension, a bound one is [`Node::Bound`] and has a constructor of its own.
//! [`Terms::sum`] and [`Terms::max`] close over a name, so every rule can be stated with names on closed terms, and two terms
//! that differ in the names of bound indices only are one term.
//!
//! Terms are interned: a [`Term`] or [`Index`] is a place in a table that only grows, equal terms have equal places, and what
//! is asked of a term again and again (its free names, the tensors that it reads) is found once.
//! Nothing recurs: user-sized terms may be nested as deep as memory allows.
//!
//! An index term denotes a tuple of naturals, or nothing where a partial map was undefined on the way.
//! A real term denotes a real number, always: a read at nothing is 0, `inv 0` is 0, `log` and `sqrt` are 0 below 0.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use num_traits::{One, Zero};

use super::ring::Poly;
use crate::Rational;

/// A dimension, by its number.
pub type Dimension = u32;
/// A tensor, by its number: data, an input, a tangent, a cotangent.
pub type Tensor = u32;
/// An index map, by its number.
pub type Map = u32;

/// A free index: its dimension and its number.
///
/// The dimension belongs to the name. Without it the sum over a dimension of size one of `[v == t]`, with `t = 1` of a larger
/// dimension, would be 1 and is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name {
    /// What it ranges over.
    pub dimension: Dimension,
    /// Which one.
    pub number: u32,
}

impl Name {
    fn code(self) -> u64 {
        (u64::from(self.dimension) << 32) | u64::from(self.number)
    }
}

/// An index term, as a place in the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Index(pub(super) u32);
/// A real term, as a place in the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(pub(super) u32);
/// A rational number, as a place in its table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Number(u32);

/// A function of one real, total.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Function {
    /// The exponential.
    Exp,
    /// The natural logarithm; 0 where its argument is not positive.
    Log,
    /// The hyperbolic tangent.
    Tanh,
    /// The inverse; 0 at 0.
    Inv,
    /// The square root; 0 where its argument is negative.
    Sqrt,
    /// The sine.
    Sin,
    /// The cosine.
    Cos,
    /// The error function. Not in the model yet.
    Erf,
    /// The arc tangent. Not in the model yet.
    Atan,
    /// The nearest integer, half to even. Not in the model yet.
    Round,
    /// The greatest integer that is not above. Not in the model yet.
    Floor,
}

impl Function {
    /// Every function with its name in a log.
    pub const ALL: [(Function, &'static str); 11] = [
        (Function::Exp, "exp"),
        (Function::Log, "log"),
        (Function::Tanh, "tanh"),
        (Function::Inv, "inv"),
        (Function::Sqrt, "sqrt"),
        (Function::Sin, "sin"),
        (Function::Cos, "cos"),
        (Function::Erf, "erf"),
        (Function::Atan, "atan"),
        (Function::Round, "round"),
        (Function::Floor, "floor"),
    ];
}

/// What a term is made of. The first six are index terms, the others real ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A free index.
    Free(Name),
    /// The index of the binder that is so many binders further out.
    Bound(u32),
    /// The empty tuple.
    Unit,
    /// Two tuples, one after the other.
    Pair(Index, Index),
    /// One component of a tuple.
    Proj(u32, Index),
    /// An index map at a tuple.
    Map(Map, Index),
    /// A rational number.
    Num(Number),
    /// The size of a dimension.
    Size(Dimension),
    /// An element of a tensor.
    Read(Tensor, Index),
    /// 1 where the two are defined and equal, else 0.
    Delta(Index, Index),
    /// 1 where it is defined, else 0.
    Def(Index),
    /// A sum of two.
    Add(Term, Term),
    /// A product of two.
    Mul(Term, Term),
    /// A function's value.
    Fn(Function, Term),
    /// 1 where it is positive, else 0.
    Guard(Term),
    /// The sum over a dimension; `Bound(0)` of the body is its index.
    Sum(Dimension, Term),
    /// The maximum over a dimension; `Bound(0)` of the body is its index.
    Max(Dimension, Term),
}

impl Node {
    /// Whether it is an index term.
    pub fn is_index(self) -> bool {
        use Node::{Bound, Free, Map, Pair, Proj, Unit};
        matches!(self, Free(_) | Bound(_) | Unit | Pair(..) | Proj(..) | Map(..))
    }

    /// The terms that it is made of.
    pub(super) fn children(self) -> impl Iterator<Item = u32> {
        let (a, b) = match self {
            Node::Pair(a, b) | Node::Delta(a, b) => (Some(a.0), Some(b.0)),
            Node::Add(a, b) | Node::Mul(a, b) => (Some(a.0), Some(b.0)),
            Node::Proj(_, a) | Node::Map(_, a) | Node::Read(_, a) | Node::Def(a) => (Some(a.0), None),
            Node::Fn(_, a) | Node::Guard(a) | Node::Sum(_, a) | Node::Max(_, a) => (Some(a.0), None),
            Node::Free(_) | Node::Bound(_) | Node::Unit | Node::Num(_) | Node::Size(_) => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// The same with other children.
    pub(super) fn with(self, mut f: impl FnMut(u32) -> u32) -> Node {
        let mut index = |a: Index| Index(f(a.0));
        match self {
            Node::Pair(a, b) => Node::Pair(index(a), index(b)),
            Node::Delta(a, b) => Node::Delta(index(a), index(b)),
            Node::Proj(k, a) => Node::Proj(k, index(a)),
            Node::Map(m, a) => Node::Map(m, index(a)),
            Node::Read(x, a) => Node::Read(x, index(a)),
            Node::Def(a) => Node::Def(index(a)),
            Node::Add(a, b) => Node::Add(Term(f(a.0)), Term(f(b.0))),
            Node::Mul(a, b) => Node::Mul(Term(f(a.0)), Term(f(b.0))),
            Node::Fn(g, a) => Node::Fn(g, Term(f(a.0))),
            Node::Guard(a) => Node::Guard(Term(f(a.0))),
            Node::Sum(d, a) => Node::Sum(d, Term(f(a.0))),
            Node::Max(d, a) => Node::Max(d, Term(f(a.0))),
            leaf => leaf,
        }
    }
}

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

/// What is known of a term, found when it is made.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// Its free names, as a list.
    free: u32,
    /// The tensors that it reads, as a list.
    reads: u32,
    /// One more than the largest index that is bound further out; 0: it is closed.
    open: u32,
    /// For an index term that is typed: the dimensions of its tuple, as a list.
    dims: Option<u32>,
    /// Whether an index term is defined everywhere if it is typed.
    total: bool,
}

/// Lists of numbers, each once.
#[derive(Default)]
pub(super) struct Lists {
    lists: Vec<Rc<[u64]>>,
    places: HashMap<Rc<[u64]>, u32>,
    unions: HashMap<(u32, u32), u32>,
}

impl Lists {
    pub(super) fn new() -> Lists {
        let mut lists = Lists::default();
        lists.put(&[]);
        lists
    }
    pub(super) fn put(&mut self, list: &[u64]) -> u32 {
        if let Some(place) = self.places.get(list) {
            return *place;
        }
        let (list, place) = (Rc::<[u64]>::from(list), self.lists.len() as u32);
        self.lists.push(list.clone());
        self.places.insert(list, place);
        place
    }
    pub(super) fn get(&self, place: u32) -> Rc<[u64]> {
        self.lists.get(place as usize).cloned().unwrap_or_else(|| Rc::from([]))
    }
    /// The union of two sorted lists.
    pub(super) fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        if let Some(union) = self.unions.get(&(a, b)) {
            return *union;
        }
        let mut all: Vec<u64> = self.get(a).iter().chain(self.get(b).iter()).copied().collect();
        all.sort_unstable();
        all.dedup();
        let union = self.put(&all);
        self.unions.insert((a, b), union);
        union
    }
}

/// The longest tuple that is typed. An index term can be as long as two to the power of its size.
const TUPLE: usize = 64;
const ZERO: Term = Term(0);
const UNIT: Index = Index(1);

/// The table of terms. It only grows, and there is no way to exchange one for another.
pub struct Terms {
    maps: Vec<MapSignature>,
    pub(super) inner: RefCell<Inner>,
}

pub(super) struct Inner {
    nodes: Vec<(Node, Facts)>,
    places: HashMap<Node, u32>,
    numbers: Vec<Rational>,
    number_places: HashMap<Rational, u32>,
    lists: Lists,
    pub(super) polys: HashMap<Term, Rc<Poly>>,
}

/// What [`Terms::rebuild`] does with a name.
#[derive(Clone, Copy)]
enum Change {
    /// An index term, closed, for the name.
    Substitute(Index),
    /// The innermost bound index for the name.
    Close,
    /// The name for the innermost bound index.
    Open,
}

impl Terms {
    pub(super) fn new(maps: Vec<MapSignature>) -> Terms {
        let inner = Inner {
            nodes: Vec::new(),
            places: HashMap::new(),
            numbers: Vec::new(),
            number_places: HashMap::new(),
            lists: Lists::new(),
            polys: HashMap::new(),
        };
        let terms = Terms { maps, inner: RefCell::new(inner) };
        terms.number(Rational::zero());
        terms.node(Node::Unit);
        terms
    }

    /// What is declared of a map, if it is declared.
    pub fn map_signature(&self, m: Map) -> Option<&MapSignature> {
        self.maps.get(m as usize)
    }
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.inner.borrow().nodes.len()
    }
    /// Never: zero and the empty tuple are always there.
    pub fn is_empty(&self) -> bool {
        false
    }
    /// What stands at a place of the table, if one does.
    pub fn at(&self, place: u32) -> Option<Node> {
        self.inner.borrow().nodes.get(place as usize).map(|n| n.0)
    }
    /// What a real term is made of. A term of another table is zero.
    pub fn view(&self, t: Term) -> Node {
        self.at(t.0).filter(|n| !n.is_index()).unwrap_or(Node::Num(Number(0)))
    }
    /// What an index term is made of. A term of another table is the empty tuple.
    pub fn view_index(&self, a: Index) -> Node {
        self.at(a.0).filter(|n| n.is_index()).unwrap_or(Node::Unit)
    }
    pub(super) fn has_term(&self, t: Term) -> bool {
        self.at(t.0).is_some_and(|n| !n.is_index())
    }
    pub(super) fn has_index(&self, a: Index) -> bool {
        self.at(a.0).is_some_and(Node::is_index)
    }
    /// The value of a number.
    pub fn value(&self, q: Number) -> Rational {
        self.inner.borrow().numbers.get(q.0 as usize).cloned().unwrap_or_else(Rational::zero)
    }
    /// The value of a term that is a number.
    pub fn as_number(&self, t: Term) -> Option<Rational> {
        match self.view(t) {
            Node::Num(q) => Some(self.value(q)),
            _ => None,
        }
    }

    /// The place of a node whose children are in this table; it gets one if it has none.
    pub(super) fn node(&self, node: Node) -> u32 {
        let mut inner = self.inner.borrow_mut();
        if let Some(place) = inner.places.get(&node) {
            return *place;
        }
        let facts = inner.facts(node, &self.maps);
        let place = inner.nodes.len() as u32;
        inner.nodes.push((node, facts));
        inner.places.insert(node, place);
        place
    }
    /// The place of a node, if its children are in this table and of the kinds that they must be.
    pub(super) fn checked(&self, node: Node) -> Option<u32> {
        let index = |a: Index| self.has_index(a);
        let term = |t: Term| self.has_term(t);
        let known = match node {
            Node::Pair(a, b) | Node::Delta(a, b) => index(a) && index(b),
            Node::Proj(_, a) | Node::Map(_, a) | Node::Read(_, a) | Node::Def(a) => index(a),
            Node::Add(a, b) | Node::Mul(a, b) => term(a) && term(b),
            Node::Fn(_, a) | Node::Guard(a) | Node::Sum(_, a) | Node::Max(_, a) => term(a),
            Node::Free(_) | Node::Bound(_) | Node::Unit | Node::Size(_) => true,
            Node::Num(_) => false,
        };
        known.then(|| self.node(node))
    }
    fn real(&self, node: Node) -> Term {
        Term(self.node(node))
    }
    fn tuple_of(&self, node: Node) -> Index {
        Index(self.node(node))
    }
    fn known(&self, t: Term) -> Term {
        if self.has_term(t) { t } else { ZERO }
    }
    fn known_index(&self, a: Index) -> Index {
        if self.has_index(a) { a } else { UNIT }
    }
    fn facts(&self, place: u32) -> Facts {
        let none = Facts { free: 0, reads: 0, open: 0, dims: None, total: false };
        self.inner.borrow().nodes.get(place as usize).map_or(none, |n| n.1)
    }

    /// A free index.
    pub fn free(&self, v: Name) -> Index {
        self.tuple_of(Node::Free(v))
    }
    pub(super) fn bound(&self, k: u32) -> Index {
        self.tuple_of(Node::Bound(k))
    }
    /// The empty tuple.
    pub fn unit(&self) -> Index {
        UNIT
    }
    /// Two tuples, one after the other.
    pub fn pair(&self, a: Index, b: Index) -> Index {
        self.tuple_of(Node::Pair(self.known_index(a), self.known_index(b)))
    }
    /// One component of a tuple.
    pub fn proj(&self, k: u32, a: Index) -> Index {
        self.tuple_of(Node::Proj(k, self.known_index(a)))
    }
    /// An index map at a tuple.
    pub fn map(&self, m: Map, a: Index) -> Index {
        self.tuple_of(Node::Map(m, self.known_index(a)))
    }
    /// The tuple of some components, ended by the empty one.
    pub fn tuple(&self, parts: &[Index]) -> Index {
        parts.iter().rev().fold(UNIT, |rest, a| self.pair(*a, rest))
    }
    /// The tuple of some names.
    pub fn names(&self, names: &[Name]) -> Index {
        names.iter().rev().fold(UNIT, |rest, v| self.pair(self.free(*v), rest))
    }
    /// A rational number.
    pub fn number(&self, q: Rational) -> Term {
        let number = {
            let mut inner = self.inner.borrow_mut();
            match inner.number_places.get(&q) {
                Some(place) => *place,
                None => {
                    let place = inner.numbers.len() as u32;
                    inner.numbers.push(q.clone());
                    inner.number_places.insert(q, place);
                    place
                }
            }
        };
        self.real(Node::Num(Number(number)))
    }
    /// An integer.
    pub fn num(&self, n: i64) -> Term {
        self.number(Rational::from_integer(n.into()))
    }
    /// The size of a dimension.
    pub fn size(&self, d: Dimension) -> Term {
        self.real(Node::Size(d))
    }
    /// An element of a tensor.
    pub fn read(&self, x: Tensor, a: Index) -> Term {
        self.real(Node::Read(x, self.known_index(a)))
    }
    /// 1 where the two are defined and equal, else 0.
    pub fn delta(&self, a: Index, b: Index) -> Term {
        self.real(Node::Delta(self.known_index(a), self.known_index(b)))
    }
    /// 1 where it is defined, else 0.
    pub fn def(&self, a: Index) -> Term {
        self.real(Node::Def(self.known_index(a)))
    }
    /// A sum of two.
    pub fn add(&self, a: Term, b: Term) -> Term {
        self.real(Node::Add(self.known(a), self.known(b)))
    }
    /// A product of two.
    pub fn mul(&self, a: Term, b: Term) -> Term {
        self.real(Node::Mul(self.known(a), self.known(b)))
    }
    /// Minus one times a term.
    pub fn neg(&self, a: Term) -> Term {
        self.mul(self.num(-1), a)
    }
    /// A difference.
    pub fn sub(&self, a: Term, b: Term) -> Term {
        self.add(a, self.neg(b))
    }
    /// A function's value.
    pub fn apply(&self, f: Function, a: Term) -> Term {
        self.real(Node::Fn(f, self.known(a)))
    }
    /// 1 where it is positive, else 0.
    pub fn guard(&self, a: Term) -> Term {
        self.real(Node::Guard(self.known(a)))
    }
    /// The sum of a term over one of its names.
    pub fn sum(&self, v: Name, body: Term) -> Term {
        let body = self.close(v, body);
        self.real(Node::Sum(v.dimension, body))
    }
    /// The maximum of a term over one of its names.
    pub fn max(&self, v: Name, body: Term) -> Term {
        let body = self.close(v, body);
        self.real(Node::Max(v.dimension, body))
    }
    /// The sum of a term over some of its names, the first outermost.
    pub fn sums(&self, names: &[Name], body: Term) -> Term {
        names.iter().rev().fold(body, |body, v| self.sum(*v, body))
    }
    /// The sum of some terms, from the right; of none, zero.
    pub fn total(&self, parts: &[Term]) -> Term {
        parts.split_last().map_or(ZERO, |(last, rest)| rest.iter().rev().fold(*last, |sum, t| self.add(*t, sum)))
    }
    /// 1 where the term is its maximum over the name, else 0.
    pub fn attains(&self, v: Name, f: Term) -> Term {
        self.sub(self.num(1), self.guard(self.sub(self.max(v, f), f)))
    }

    /// The free names of a real term.
    pub fn free_names(&self, t: Term) -> Vec<Name> {
        let inner = self.inner.borrow();
        let free = inner.nodes.get(t.0 as usize).map_or(0, |n| n.1.free);
        let name = |code: &u64| Name { dimension: (code >> 32) as u32, number: *code as u32 };
        inner.lists.get(free).iter().map(name).collect()
    }
    /// Whether a name is free in a real term.
    pub fn has_free(&self, v: Name, t: Term) -> bool {
        self.mentions(v, t.0)
    }
    /// Whether a name is free in an index term.
    pub fn index_has_free(&self, v: Name, a: Index) -> bool {
        self.mentions(v, a.0)
    }
    fn mentions(&self, v: Name, place: u32) -> bool {
        let free = self.facts(place).free;
        free != 0 && self.inner.borrow().lists.get(free).binary_search(&v.code()).is_ok()
    }
    /// The tensors that a term reads, in order.
    pub fn reads(&self, t: Term) -> Rc<[u64]> {
        let reads = self.facts(t.0).reads;
        self.inner.borrow().lists.get(reads)
    }
    /// Whether a term reads one of some tensors.
    pub fn reads_any_of(&self, t: Term, mut tensors: impl Iterator<Item = Tensor>) -> bool {
        let reads = self.reads(t);
        tensors.any(|x| reads.binary_search(&u64::from(x)).is_ok())
    }
    /// Whether no index of an index term is bound outside of it.
    pub fn is_closed(&self, a: Index) -> bool {
        self.facts(a.0).open == 0
    }
    /// The dimensions of an index term that is typed. A typed index term is closed.
    pub fn dims(&self, a: Index) -> Option<Vec<Dimension>> {
        let dims = self.facts(a.0).dims?;
        Some(self.inner.borrow().lists.get(dims).iter().map(|d| *d as u32).collect())
    }
    /// Whether an index term is of these dimensions.
    pub fn has_dims(&self, a: Index, dims: &[Dimension]) -> bool {
        let typed = self.facts(a.0).dims;
        typed.is_some_and(|l| self.inner.borrow().lists.get(l).iter().copied().eq(dims.iter().copied().map(u64::from)))
    }
    /// Whether an index term, if it is typed, is defined everywhere.
    pub fn is_total(&self, a: Index) -> bool {
        self.facts(a.0).total
    }

    /// A real term with an index term for a name. The index term is closed, or the result is the term itself.
    pub fn substitute(&self, v: Name, a: Index, t: Term) -> Term {
        Term(if self.is_closed(a) { self.rebuild(t.0, v, Change::Substitute(a)) } else { t.0 })
    }
    /// An index term with an index term for a name. The latter is closed, or the result is the former.
    pub fn substitute_index(&self, v: Name, a: Index, t: Index) -> Index {
        Index(if self.is_closed(a) { self.rebuild(t.0, v, Change::Substitute(a)) } else { t.0 })
    }
    fn close(&self, v: Name, t: Term) -> Term {
        Term(self.rebuild(self.known(t).0, v, Change::Close))
    }
    /// The body of a binder with a name for its index: what `sum(v, _)` or `max(v, _)` closes again if the name is not free in it.
    pub fn open(&self, body: Term, v: Name) -> Term {
        Term(self.rebuild(self.known(body).0, v, Change::Open))
    }

    /// Changes what stands for a name, each shared part once for each number of binders that it is under.
    fn rebuild(&self, root: u32, v: Name, change: Change) -> u32 {
        let same = |place: u32, k: u32| {
            let named = || self.mentions(v, place);
            let open = || self.facts(place).open > k;
            match change {
                Change::Substitute(_) => !named(),
                Change::Close => !named() && !open(),
                Change::Open => !open(),
            }
        };
        let mut done: HashMap<(u32, u32), u32> = HashMap::new();
        let mut stack = vec![(root, 0)];
        while let Some(&(place, k)) = stack.last() {
            let Some(node) = self.at(place).filter(|_| !same(place, k)) else {
                done.insert((place, k), place);
                stack.pop();
                continue;
            };
            let inside = match node {
                Node::Sum(..) | Node::Max(..) if !matches!(change, Change::Substitute(_)) => k + 1,
                _ => k,
            };
            let before = stack.len();
            stack.extend(node.children().map(|c| (c, inside)).filter(|c| !done.contains_key(c)));
            if stack.len() > before {
                continue;
            }
            let new = match (node, change) {
                (Node::Free(w), Change::Substitute(a)) if w == v => a.0,
                (Node::Free(w), Change::Close) if w == v => self.bound(k).0,
                (Node::Bound(j), Change::Close) if j >= k => self.bound(j + 1).0,
                (Node::Bound(j), Change::Open) if j == k => self.free(v).0,
                (Node::Bound(j), Change::Open) if j > k => self.bound(j - 1).0,
                _ => self.node(node.with(|c| done.get(&(c, inside)).copied().unwrap_or(c))),
            };
            done.insert((place, k), new);
            stack.pop();
        }
        done.get(&(root, 0)).copied().unwrap_or(root)
    }
}

impl Inner {
    fn facts(&mut self, node: Node, maps: &[MapSignature]) -> Facts {
        let mut facts = Facts { free: 0, reads: 0, open: 0, dims: None, total: true };
        let mut dims = Vec::new();
        for child in node.children() {
            let Some(of) = self.nodes.get(child as usize).map(|n| n.1) else { continue };
            facts.free = self.lists.union(facts.free, of.free);
            facts.reads = self.lists.union(facts.reads, of.reads);
            facts.open = facts.open.max(of.open);
            facts.total &= of.total;
            dims.push(of.dims);
        }
        let one = |lists: &mut Lists, d: u32| Some(lists.put(&[u64::from(d)]));
        match node {
            Node::Free(v) => {
                facts.free = self.lists.put(&[v.code()]);
                facts.dims = one(&mut self.lists, v.dimension);
            }
            Node::Bound(k) => facts.open = k.saturating_add(1),
            Node::Unit => facts.dims = Some(0),
            Node::Pair(..) => {
                if let [Some(a), Some(b)] = dims[..] {
                    let all = [&*self.lists.get(a), &*self.lists.get(b)].concat();
                    facts.dims = if all.len() <= TUPLE { Some(self.lists.put(&all)) } else { None };
                }
            }
            Node::Proj(k, _) => {
                if let [Some(a)] = dims[..] {
                    facts.dims = self.lists.get(a).get(k as usize).map(|d| self.lists.put(&[*d]));
                }
            }
            Node::Map(m, _) => {
                let map = maps.get(m as usize);
                facts.total &= map.is_some_and(|m| m.total);
                if let ([Some(a)], Some(map)) = (&dims[..], map)
                    && self.lists.get(*a).iter().copied().eq(map.from.iter().copied().map(u64::from))
                {
                    let to: Vec<u64> = map.to.iter().copied().map(u64::from).collect();
                    facts.dims = Some(self.lists.put(&to));
                }
            }
            Node::Read(x, _) => facts.reads = self.lists.put(&[u64::from(x)]),
            Node::Sum(..) | Node::Max(..) => facts.open = facts.open.saturating_sub(1),
            _ => {}
        }
        facts
    }

    /// Whether a term is a factor whose square is itself.
    pub(super) fn is_indicator(&self, t: Term) -> bool {
        matches!(self.nodes.get(t.0 as usize), Some((Node::Delta(..) | Node::Def(_) | Node::Guard(_), _)))
    }
    pub(super) fn view(&self, t: Term) -> Option<Node> {
        self.nodes.get(t.0 as usize).map(|n| n.0)
    }
    pub(super) fn value(&self, q: Number) -> Rational {
        self.numbers.get(q.0 as usize).cloned().unwrap_or_else(Rational::one)
    }
}
