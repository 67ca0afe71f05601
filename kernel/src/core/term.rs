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

/// An index term, as a place in the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Index(pub(super) u32);
/// A real term, as a place in the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(pub(super) u32);
/// A rational number, as a place in its table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Number(pub(super) u32);

/// A place in the table of terms: an [`Index`] or a [`Term`].
pub trait Place: Copy {
    /// Whether it is that of an index term.
    const INDEX: bool;
    /// The place.
    fn place(self) -> u32;
    /// What stands at a place that was made.
    #[doc(hidden)]
    fn at(place: Option<u32>) -> Self;
}

macro_rules! places {
    ($($type:ident $index:literal $nothing:ident)*) => {
        $(impl Place for $type {
            const INDEX: bool = $index;
            fn place(self) -> u32 { self.0 }
            fn at(place: Option<u32>) -> Self { $type(place.unwrap_or($nothing)) }
        })*
    };
}
places! { Index true UNIT Term false ZERO }

/// The place of the number zero, what stands for a real term of another table.
pub(super) const ZERO: u32 = 0;
/// The place of the empty tuple, what stands for an index term of another table.
pub(super) const UNIT: u32 = 1;

/// Declares the functions, each with its name in a log.
macro_rules! functions {
    ($($(#[$doc:meta])* $function:ident $name:literal)*) => {
        /// A function of one real, total.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Function { $($(#[$doc])* $function),* }
        impl Function {
            /// Every function with its name in a log.
            pub const ALL: [(Function, &'static str); 11] = [$((Function::$function, $name)),*];
        }
    };
}

functions! {
    /// The exponential.
    Exp "exp"
    /// The natural logarithm; 0 where its argument is not positive.
    Log "log"
    /// The hyperbolic tangent.
    Tanh "tanh"
    /// The inverse; 0 at 0.
    Inv "inv"
    /// The square root; 0 where its argument is negative.
    Sqrt "sqrt"
    /// The sine.
    Sin "sin"
    /// The cosine.
    Cos "cos"
    /// The error function. Not in the model yet.
    Erf "erf"
    /// The arc tangent. Not in the model yet.
    Atan "atan"
    /// The nearest integer, half to even. Not in the model yet.
    Round "round"
    /// The greatest integer that is not above. Not in the model yet.
    Floor "floor"
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

    /// The places of what it is made of.
    pub(super) fn children(self) -> impl Iterator<Item = u32> {
        let mut children = [None; 2];
        self.with(|c| {
            children = [children[1], Some(c)];
            c
        });
        children.into_iter().flatten()
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
