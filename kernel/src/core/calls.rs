//! Calls of the core as numbers: what is recorded, and how a record is run again.
//!
//! Nothing rests on it: a call that is run again goes through the rule like any other.

use super::rules::{
    Along, Assumption, Core, Proven, Refused, Sign, derivatives, equality, functions, guards, indices, signs, sums,
};
use super::term::{Function, Index, Name, Term};

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
    pub(super) run: fn(&mut Core, &mut &[u32]) -> Result<Proven, Refused>,
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

impl Call {
    pub(super) fn of(rule: &'static str, given: &[&dyn Give]) -> Call {
        let mut arguments = Vec::new();
        given.iter().for_each(|argument| argument.give(&mut arguments));
        Call { rule, arguments }
    }
}

impl Core {
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
}

/// Something that a rule takes, as numbers.
pub(super) trait Give {
    fn give(&self, to: &mut Vec<u32>);
}
/// And back.
pub(super) trait Argument: Give + Sized {
    const KIND: Kind;
    fn take(from: &mut &[u32]) -> Option<Self>;
}

fn next(from: &mut &[u32]) -> Option<u32> {
    let (first, rest) = from.split_first()?;
    *from = rest;
    Some(*first)
}

/// An argument that is one number.
macro_rules! argument {
    ($type:ty, $kind:ident, |$value:ident| $number:expr, |$taken:ident| $back:expr) => {
        impl Give for $type {
            fn give(&self, to: &mut Vec<u32>) {
                let $value = self;
                to.push($number);
            }
        }
        impl Argument for $type {
            const KIND: Kind = Kind::$kind;
            fn take(from: &mut &[u32]) -> Option<Self> {
                let $taken = next(from)?;
                $back
            }
        }
    };
}

fn place<T: PartialEq>(table: &[(T, &str)], value: &T) -> u32 {
    table.iter().position(|(other, _)| other == value).unwrap_or(table.len()) as u32
}

argument!(Proven, Proven, |p| p.0, |n| Some(Proven(n)));
argument!(Term, Term, |t| t.0, |n| Some(Term(n)));
argument!(Index, Index, |a| a.0, |n| Some(Index(n)));
argument!(u32, Number, |n| *n, |n| Some(n));
argument!(Assumption, Number, |n| n.0, |n| Some(Assumption(n)));
argument!(Along, Number, |d| d.0, |n| Some(Along(n)));
argument!(Function, Function, |f| place(&Function::ALL, f), |n| Some(Function::ALL.get(n as usize)?.0));
argument!(Sign, Sign, |k| place(&Sign::ALL, k), |n| Some(Sign::ALL.get(n as usize)?.0));

impl Give for Name {
    fn give(&self, to: &mut Vec<u32>) {
        to.extend([self.dimension, self.number]);
    }
}
impl Argument for Name {
    const KIND: Kind = Kind::Name;
    fn take(from: &mut &[u32]) -> Option<Self> {
        Some(Name { dimension: next(from)?, number: next(from)? })
    }
}
impl Give for Vec<Name> {
    fn give(&self, to: &mut Vec<u32>) {
        to.push(self.len() as u32);
        self.iter().for_each(|v| v.give(to));
    }
}
impl Argument for Vec<Name> {
    const KIND: Kind = Kind::Names;
    fn take(from: &mut &[u32]) -> Option<Self> {
        let count = next(from)?;
        (0..count).map(|_| Name::take(from)).collect()
    }
}
