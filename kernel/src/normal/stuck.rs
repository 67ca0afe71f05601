//! Why a normal form could not be made: what is too large, what no rule speaks of, and what is no statement
//! are three things, and a reader is told which.

use std::fmt;

use crate::source::Span;

/// Why there is no normal form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stuck {
    /// More work or room than the kernel's limits allow.
    TooLarge,
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

    /// The place of an unsupported construct, unless a smaller one is known.
    pub(crate) fn at(self, span: Span) -> Self {
        match self {
            Stuck::Unsupported(what, None) => Stuck::Unsupported(what, Some(span)),
            known => known,
        }
    }

    /// The place, if it is known.
    pub(crate) fn span(self) -> Option<Span> {
        match self {
            Stuck::Unsupported(_, span) => span,
            Stuck::TooLarge | Stuck::Malformed(_) => None,
        }
    }
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stuck::TooLarge => f.write_str("the normal form grows past the kernel's limits"),
            Stuck::Unsupported(what, _) => write!(f, "the kernel has no rule for {what}"),
            Stuck::Malformed(what) => write!(f, "this is no statement: {what}"),
        }
    }
}
