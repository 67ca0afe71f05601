//! Why a normal form could not be made: what is too large, what no rule speaks of, and what is no statement
//! are three things, and a reader is told which.

use std::fmt;

use crate::budget::Exceeded;
use crate::source::Span;

/// Why there is no normal form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stuck {
    /// More than the budget or the kernel's limits allow, and where, once that is known.
    Exceeded(Exceeded, Option<Span>),
    /// A construct that no rule speaks of, and where it stands, once that is known.
    Unsupported(&'static str, Option<Span>),
    /// No statement: resolving a source never makes one like it.
    Malformed(&'static str),
}

impl Stuck {
    /// A construct that no rule speaks of; [`at`](Stuck::at) says where it stands.
    pub(crate) fn unsupported(what: &'static str) -> Self {
        Stuck::Unsupported(what, None)
    }

    /// More of something than [`limits`](crate::limits) allow.
    pub(crate) fn past(what: &'static str, limit: u64) -> Self {
        Stuck::Exceeded(Exceeded::count(what, limit), None)
    }

    /// The place, unless a smaller one is known.
    pub(crate) fn at(self, span: Span) -> Self {
        match self {
            Stuck::Exceeded(exceeded, None) => Stuck::Exceeded(exceeded, Some(span)),
            Stuck::Unsupported(what, None) => Stuck::Unsupported(what, Some(span)),
            known => known,
        }
    }

    /// The place, if it is known.
    pub(crate) fn span(self) -> Option<Span> {
        match self {
            Stuck::Exceeded(_, span) | Stuck::Unsupported(_, span) => span,
            Stuck::Malformed(_) => None,
        }
    }
}

impl From<Exceeded> for Stuck {
    fn from(exceeded: Exceeded) -> Self {
        Stuck::Exceeded(exceeded, None)
    }
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stuck::Exceeded(exceeded, _) => write!(f, "this grows past the kernel's limits: {exceeded}"),
            Stuck::Unsupported(what, _) => write!(f, "the kernel has no rule for {what}"),
            Stuck::Malformed(what) => write!(f, "this is no statement: {what}"),
        }
    }
}
