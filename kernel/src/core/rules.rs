//! Claims, and the one table that they get into: the sealed module that makes claims.
//!
//! A [`Claim`] is only what somebody might say. What is derived stands in the table of a [`Core`], and a [`Proven`] is a place
//! in that table: it carries nothing, so a place that was got elsewhere stands for what this core derived there, or for nothing.
//! The table is private, and only the rules of the folder `rules/` add to it, through [`Core::record`].
//! Each rule is one function, named as its constructor in `Core.v`, and its doc is what that constructor says.
//!
//! Every call is recorded with its premises. Claims are not: [`Core::call`] runs a record again.
//!
//! A claim also knows which assumptions it rests on, so that a theorem lists those and no others.

use std::fmt;
use std::rc::Rc;

use super::reading::Reading;
use super::table::{MapSignature, Set, Terms, union};
use super::term::{Dimension, Function, Index, Map, Name, Node, Tensor, Term};

mod derivatives;
mod equality;
mod functions;
mod guards;
mod indices;
mod signs;
mod sums;

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

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is refused: ", self.rule)?;
        match self.why {
            Why::Unknown => f.write_str("an argument does not exist, or is of another kind"),
            Why::Premise(form) => write!(f, "a premise is not {form}"),
            Why::Condition(condition) => write!(f, "it must be that {condition}"),
            Why::Limit => f.write_str("a polynomial is too large"),
        }
    }
}

impl std::error::Error for Refused {}

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

/// What a rule takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A claim that was derived.
    Proven,
    /// A real term.
    Term,
    /// An index term.
    Index,
    /// A name: two numbers.
    Name,
    /// Names: how many, and two numbers for each.
    Names,
    /// A dimension, a tensor, a map, an assumption, a component, or directions.
    Number,
    /// A function.
    Function,
    /// A sign.
    Sign,
}

/// A rule of the core.
pub struct Rule {
    /// The name of its constructor.
    pub name: &'static str,
    /// What it takes.
    pub takes: &'static [Kind],
    run: fn(&mut Core, &mut &[u32]) -> Result<Proven, Refused>,
}

/// Every rule, by what it is about.
pub const RULES: [&[Rule]; 7] =
    [equality::RULES, sums::RULES, indices::RULES, functions::RULES, guards::RULES, signs::RULES, derivatives::RULES];

/// A call: which rule, and its arguments as numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The rule's name.
    pub rule: &'static str,
    /// Its arguments.
    pub arguments: Vec<u32>,
}

/// Something that a rule takes, as numbers.
trait Argument: Sized + Clone {
    const KIND: Kind;
    fn give(&self, core: &Core, to: &mut Vec<u32>) -> Result<(), Why>;
    fn take(from: &mut &[u32]) -> Option<Self>;
}

fn next(from: &mut &[u32]) -> Option<u32> {
    let (first, rest) = from.split_first()?;
    *from = rest;
    Some(*first)
}

/// An argument that is one number.
macro_rules! argument {
    ($type:ty, $kind:ident, |$value:pat_param, $core:pat_param| $number:expr, |$taken:pat_param| $back:expr) => {
        impl Argument for $type {
            const KIND: Kind = Kind::$kind;
            fn give(&self, $core: &Core, to: &mut Vec<u32>) -> Result<(), Why> {
                let $value = self;
                to.push($number.ok_or(Why::Unknown)?);
                Ok(())
            }
            fn take(from: &mut &[u32]) -> Option<Self> {
                let $taken = next(from)?;
                $back
            }
        }
    };
}

fn place<T: PartialEq>(table: &[(T, &str)], value: &T) -> Option<u32> {
    table.iter().position(|(other, _)| other == value).map(|k| k as u32)
}

argument!(Proven, Proven, |p, core| core.claim(*p).map(|_| p.0), |n| Some(Proven(n)));
argument!(Term, Term, |t, core| core.terms.knows(*t).then_some(t.0), |n| Some(Term(n)));
argument!(Index, Index, |a, core| core.terms.knows(*a).then_some(a.0), |n| Some(Index(n)));
argument!(u32, Number, |n, _| Some(*n), |n| Some(n));
argument!(Along, Number, |d, core| core.directions(*d).map(|_| d.0), |n| Some(Along(n)));
argument!(Function, Function, |f, _| place(&Function::ALL, f), |n| Some(Function::ALL.get(n as usize)?.0));
argument!(Sign, Sign, |k, _| place(&Sign::ALL, k), |n| Some(Sign::ALL.get(n as usize)?.0));

impl Argument for Name {
    const KIND: Kind = Kind::Name;
    fn give(&self, _: &Core, to: &mut Vec<u32>) -> Result<(), Why> {
        to.extend([self.dimension, self.number]);
        Ok(())
    }
    fn take(from: &mut &[u32]) -> Option<Self> {
        Some(Name { dimension: next(from)?, number: next(from)? })
    }
}

impl Argument for Vec<Name> {
    const KIND: Kind = Kind::Names;
    fn give(&self, core: &Core, to: &mut Vec<u32>) -> Result<(), Why> {
        to.push(self.len() as u32);
        self.iter().try_for_each(|v| v.give(core, to))
    }
    fn take(from: &mut &[u32]) -> Option<Self> {
        let count = next(from)?;
        (0..count).map(|_| Name::take(from)).collect()
    }
}

/// Declares rules: for each a method of [`Core`] that makes the claim and records the call, and its entry in the table.
macro_rules! rules {
    ($($(#[$doc:meta])* fn $name:ident($core:ident, $t:ident $(, $argument:ident: $type:ty)*) $body:block)*) => {
        pub(super) const RULES: &[Rule] = &[$(Rule {
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
                let mut _arguments = Vec::new();
                let mut _premises = Vec::new();
                $($argument.give(self, &mut _arguments).map_err(refuse)?;
                if matches!(<$type as Argument>::KIND, Kind::Proven) {
                    _premises.extend(_arguments.last().copied());
                })*
                let claim = make(self, &self.terms, $($argument),*).map_err(refuse)?;
                Ok(self.record(stringify!($name), _arguments, &_premises, claim))
            })*
        }
    };
}
use rules;

/// What a claim was derived with.
struct Step {
    claim: Claim,
    /// The assumptions that it rests on.
    uses: Set<u32>,
    call: Call,
}

/// A context, its terms, and everything that was derived in it.
pub struct Core {
    terms: Rc<Terms>,
    context: Context,
    assumptions: Vec<Claim>,
    steps: Vec<Step>,
    reading: Option<Reading>,
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
        Core { terms, context, assumptions, steps: Vec::new(), reading }
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
    /// Both sides of an equation, if it is one.
    pub fn sides(&self, p: Proven) -> Option<(Term, Term)> {
        self.eq(p).ok()
    }
    /// The calls so far; each made the claim of its number.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.steps.iter().map(|s| &s.call)
    }
    /// Runs a call.
    ///
    /// # Errors
    ///
    /// [`Refused`] as the rule does.
    pub fn call(&mut self, rule: &Rule, mut arguments: &[u32]) -> Result<Proven, Refused> {
        (rule.run)(self, &mut arguments)
    }

    /// The only place where a claim is added to the table.
    fn record(&mut self, rule: &'static str, arguments: Vec<u32>, premises: &[u32], claim: Claim) -> Proven {
        let own: &[u32] = if rule == "assume" { &arguments } else { &[] };
        let premises = premises.iter().filter_map(|p| self.steps.get(*p as usize));
        let uses = premises.fold(Rc::from(own), |uses, step| union(&uses, &step.uses));
        self.steps.push(Step { claim, uses, call: Call { rule, arguments } });
        Proven(self.steps.len() as u32 - 1)
    }

    fn proven(&self, p: Proven) -> Result<Claim, Why> {
        self.claim(p).ok_or(Why::Unknown)
    }
    fn eq(&self, p: Proven) -> Result<(Term, Term), Why> {
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

/// One guard of two facts.
const GUARDS: &str = "the premises have one guard";
