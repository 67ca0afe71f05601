//! Claims, and the one table that they get into: the sealed module that makes claims.
//!
//! A [`Claim`] is only what somebody might say. What is derived stands in the table of a [`Core`], and a [`Proven`] is a place
//! in that table: it carries nothing, so a place that was got elsewhere stands for what this core derived there, or for nothing.
//! The table is private, and only the rules of the folder `rules/` add to it, through [`Core::record`].
//! Each rule is one function, named as its constructor in `Core.v`, and its doc is what that constructor says.
//!
//! Every call is recorded, so that it can be run again: `calls`.
//!
//! A claim also knows which assumptions it rests on, so that a theorem lists those and no others.

use std::rc::Rc;

use super::calls::{Argument, Call, Rule};
use super::reading::Reading;
use super::table::{MapSignature, Set, Terms, union};
use super::term::{Dimension, Function, Index, Map, Name, Node, Tensor, Term};

pub(super) mod derivatives;
pub(super) mod equality;
pub(super) mod functions;
pub(super) mod guards;
pub(super) mod indices;
pub(super) mod signs;
pub(super) mod sums;

/// A sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sign {
    /// Greater than zero.
    Pos,
    /// Not less than zero.
    NonNeg,
    /// Not zero.
    NonZero,
}

impl Sign {
    /// Every sign with its name in a log.
    pub const ALL: [(Sign, &'static str); 3] =
        [(Sign::Pos, "pos"), (Sign::NonNeg, "nonneg"), (Sign::NonZero, "nonzero")];
}

/// Along what a derivative is: which of the [directions](Context::directions).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Along(pub u32);

/// One of the [assumptions](Core::assumptions), by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Assumption(pub u32);

/// Something that may hold in all models that satisfy the assumptions, for all values of its free indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Claim {
    /// The two are equal.
    Eq(Term, Term),
    /// The two index terms are both undefined, or defined and equal.
    Same(Index, Index),
    /// Where the first term is not zero, the second has the sign.
    Fact(Sign, Term, Term),
    /// Where the first term is not zero, the second has the third as its derivative.
    Deriv(Along, Term, Term, Term),
}

/// A claim that was derived: its place in the table of the core that derived it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Proven(pub(super) u32);

impl Proven {
    /// The number of the call that derived it.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// Why a rule made no claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The rule.
    pub rule: &'static str,
    /// What is wrong.
    pub why: Why,
}

/// What is wrong with a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// An argument does not exist, or is of another kind.
    Unknown,
    /// A premise is not of this form.
    Premise(&'static str),
    /// A side condition does not hold.
    Condition(&'static str),
    /// A polynomial is too large.
    Limit,
}

/// What a rule says: its claim, or why there is none.
type Made = Result<Claim, Why>;

fn must(holds: bool, condition: &'static str) -> Result<(), Why> {
    if holds { Ok(()) } else { Err(Why::Condition(condition)) }
}

/// What claims are about: the signature and the assumptions of the model, and the directions of derivatives.
#[derive(Clone, Default, Debug)]
pub struct Context {
    /// The index maps. An inverse has its own inverse, and the dimensions exchanged.
    pub maps: Vec<MapSignature>,
    /// Dimensions and the maps that cover them, in order, without meeting; each of one argument.
    pub splits: Vec<(Dimension, Vec<Map>)>,
    /// Which tensor moves along which; a tensor once in each.
    pub directions: Vec<Vec<(Tensor, Tensor)>>,
}

/// What a rule was given: what must exist in this core, and what the claim then rests on.
enum Given {
    Proven(Proven),
    Assumption(Assumption),
    Term(Term),
    Index(Index),
    Along(Along),
    Other,
}
trait Argue {
    fn given(&self) -> Given {
        Given::Other
    }
}
macro_rules! given {
    ($($type:ident)*) => { $(impl Argue for $type { fn given(&self) -> Given { Given::$type(*self) } })* };
}
given! { Proven Assumption Term Index Along }
impl Argue for u32 {}
impl Argue for Name {}
impl Argue for Vec<Name> {}
impl Argue for Function {}
impl Argue for Sign {}

/// Declares rules: for each a method of [`Core`] that makes the claim and records the call, and its entry in the table.
macro_rules! rules {
    ($($(#[$doc:meta])* fn $name:ident($core:ident, $t:ident $(, $argument:ident: $type:ty)*) $body:block)*) => {
        pub(in super::super) const RULES: &[Rule] = &[$(Rule {
            name: stringify!($name),
            takes: &[$(<$type as Argument>::KIND),*],
            run: |core, _arguments| {
                let unknown = Refused { rule: stringify!($name), why: Why::Unknown };
                $(let $argument = <$type as Argument>::take(_arguments).ok_or(unknown)?;)*
                if _arguments.is_empty() { core.$name($($argument),*) } else { Err(unknown) }
            },
        }),*];
        impl Core {
            $($(#[$doc])*
            ///
            /// # Errors
            ///
            /// [`Refused`] where a premise is of another form or a side condition does not hold.
            #[allow(clippy::too_many_arguments, reason = "as many as the constructor has")]
            pub fn $name(&mut self, $($argument: $type),*) -> Result<Proven, Refused> {
                #[allow(unused_variables, reason = "not each rule needs both")]
                fn make($core: &Core, $t: &Terms, $($argument: $type),*) -> Made $body
                let refuse = |why| Refused { rule: stringify!($name), why };
                let given: &[Given] = &[$($argument.given()),*];
                let call = Call::of(stringify!($name), &[$(&$argument),*]);
                let known = given.iter().all(|given| self.knows(given));
                let claim = if known { make(self, &self.terms, $($argument),*) } else { Err(Why::Unknown) };
                Ok(self.record(claim.map_err(refuse)?, given, call))
            })*
        }
    };
}
use rules;

/// A claim that was derived.
pub(super) struct Step {
    claim: Claim,
    /// The assumptions that it rests on.
    uses: Set<u32>,
    /// How it was derived. Nothing rests on it.
    pub(super) call: Call,
}

/// A context, its terms, and everything that was derived in it.
pub struct Core {
    terms: Rc<Terms>,
    context: Context,
    assumptions: Vec<Claim>,
    pub(super) steps: Vec<Step>,
    reading: Option<Reading>,
    /// What a claim without premises rests on.
    nothing: Set<u32>,
}

impl Core {
    /// A core about no statement, in which nothing was derived: its claims are about a context and assumptions, no theorems.
    pub fn new(context: Context, assumptions: impl FnOnce(&Terms) -> Vec<Claim>) -> Core {
        let terms = Rc::new(Terms::new(context.maps.clone()));
        let assumptions = assumptions(&terms);
        Core::with(terms, context, assumptions, None)
    }
    /// What was read stands with what is derived from it: one cannot be exchanged without the other.
    pub(super) fn with(terms: Rc<Terms>, context: Context, assumptions: Vec<Claim>, reading: Option<Reading>) -> Core {
        Core { terms, context, assumptions, steps: Vec::new(), reading, nothing: Set::from([]) }
    }
    /// The statement that it is about, if it is about one.
    pub fn reading(&self) -> Option<&Reading> {
        self.reading.as_ref()
    }

    /// Its terms. A prover keeps a pointer to them beside the core.
    pub fn terms(&self) -> &Rc<Terms> {
        &self.terms
    }
    /// What its claims are about.
    pub fn context(&self) -> &Context {
        &self.context
    }
    /// What is assumed, for all values of the free indices.
    pub fn assumptions(&self) -> &[Claim] {
        &self.assumptions
    }
    /// What was derived at a place.
    pub fn claim(&self, p: Proven) -> Option<Claim> {
        self.steps.get(p.0 as usize).map(|s| s.claim)
    }
    /// The assumptions that a claim rests on.
    pub fn uses(&self, p: Proven) -> impl Iterator<Item = u32> {
        self.steps.get(p.0 as usize).into_iter().flat_map(|s| s.uses.iter().copied())
    }
    fn knows(&self, given: &Given) -> bool {
        match given {
            Given::Proven(p) => self.claim(*p).is_some(),
            Given::Term(t) => self.terms.knows(*t),
            Given::Index(a) => self.terms.knows(*a),
            Given::Along(d) => self.directions(*d).is_some(),
            Given::Assumption(_) | Given::Other => true,
        }
    }

    /// The only place where a claim is added to the table. It rests on what its premises rest on.
    fn record(&mut self, claim: Claim, given: &[Given], call: Call) -> Proven {
        let rests = given.iter().filter_map(|given| match given {
            Given::Proven(p) => self.steps.get(p.0 as usize).map(|s| s.uses.clone()),
            Given::Assumption(n) => Some(Rc::from([n.0])),
            _ => None,
        });
        let uses = rests.reduce(|a, b| union(&a, &b)).unwrap_or_else(|| self.nothing.clone());
        self.steps.push(Step { claim, uses, call });
        Proven(self.steps.len() as u32 - 1)
    }

    fn proven(&self, p: Proven) -> Result<Claim, Why> {
        self.claim(p).ok_or(Why::Unknown)
    }
    pub(super) fn eq(&self, p: Proven) -> Result<(Term, Term), Why> {
        match self.proven(p)? {
            Claim::Eq(s, t) => Ok((s, t)),
            _ => Err(Why::Premise("an equation")),
        }
    }
    /// An equation under a guard: `guard * a = guard * b`.
    fn guarded(&self, p: Proven) -> Result<(Term, Term, Term), Why> {
        let (s, t) = self.eq(p)?;
        match (self.terms.view(s), self.terms.view(t)) {
            (Node::Mul(g, a), Node::Mul(h, b)) if g == h => Ok((g, a, b)),
            _ => Err(Why::Premise("an equation of two products with the same first factor")),
        }
    }
    fn same(&self, p: Proven) -> Result<(Index, Index), Why> {
        match self.proven(p)? {
            Claim::Same(a, b) => Ok((a, b)),
            _ => Err(Why::Premise("an equation of index terms")),
        }
    }
    /// Two index terms that are the same, both closed.
    fn same_closed(&self, p: Proven) -> Result<(Index, Index), Why> {
        let (a, b) = self.same(p)?;
        must(self.terms.is_closed(a) && self.terms.is_closed(b), "the two index terms are closed")?;
        Ok((a, b))
    }
    fn fact(&self, p: Proven) -> Result<(Sign, Term, Term), Why> {
        match self.proven(p)? {
            Claim::Fact(k, g, e) => Ok((k, g, e)),
            _ => Err(Why::Premise("a fact")),
        }
    }
    /// A fact of this sign.
    fn fact_of(&self, sign: Sign, p: Proven) -> Result<(Term, Term), Why> {
        let (k, g, e) = self.fact(p)?;
        if k == sign { Ok((g, e)) } else { Err(Why::Premise("a fact of the sign that is needed")) }
    }
    /// Two facts under one guard: their signs, the guard, their terms.
    fn facts(&self, p: Proven, q: Proven) -> Result<(Sign, Sign, Term, Term, Term), Why> {
        let ((j, g, a), (k, h, b)) = (self.fact(p)?, self.fact(q)?);
        agree(g, h, "the premises have one guard")?;
        Ok((j, k, g, a, b))
    }
    fn deriv(&self, p: Proven) -> Result<(Along, Term, Term, Term), Why> {
        match self.proven(p)? {
            Claim::Deriv(d, g, s, t) => Ok((d, g, s, t)),
            _ => Err(Why::Premise("a derivative")),
        }
    }
    fn directions(&self, along: Along) -> Option<&[(Tensor, Tensor)]> {
        self.context.directions.get(along.0 as usize).map(Vec::as_slice)
    }
    /// Whether a term reads a tensor that moves.
    fn moves(&self, along: Along, t: Term) -> bool {
        self.directions(along).is_none_or(|d| self.terms.reads_any_of(t, d.iter().map(|(x, _)| *x)))
    }
    fn map_of(&self, m: Map) -> Result<&MapSignature, Why> {
        self.context.maps.get(m as usize).ok_or(Why::Unknown)
    }
    fn inverse(&self, m: Map) -> Result<(&MapSignature, Map), Why> {
        let map = self.map_of(m)?;
        Ok((map, map.inverse.ok_or(Why::Condition("the map is a bijection"))?))
    }
    /// The maps that cover a dimension, if one does.
    fn split(&self, d: Dimension) -> Option<&[Map]> {
        self.context.splits.iter().find(|(whole, _)| *whole == d).map(|(_, parts)| parts.as_slice())
    }
}

/// The two are the same, as the premises must agree.
fn agree<T: PartialEq>(a: T, b: T, what: &'static str) -> Result<(), Why> {
    if a == b { Ok(()) } else { Err(Why::Condition(what)) }
}
