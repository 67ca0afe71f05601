//! The normal form in which two expressions are compared.
//!
//! `term` says what a term is, `rules` brings it to normal form, `build` makes one from a statement,
//! `sign` sees what is positive, `derivative` differentiates it, `boundary` says what it is where a guard is zero,
//! `decide` asks whether it is zero.
//! It must never equate two expressions that differ on the domain; that it equates all that agree is a
//! wish, not a promise: what it cannot tell stays undecided.

mod boundary;
mod build;
mod decide;
mod derivative;
mod expand;
mod instances;
mod rules;
mod sign;
mod stuck;
mod term;

pub(crate) use boundary::{Family, solved};
pub(crate) use build::Env;
pub(crate) use instances::instances;
pub(crate) use rules::{Free, Normal, Rules};
pub(crate) use stuck::Stuck;
pub(crate) use term::{Atom, Ix, Mono, Poly};
