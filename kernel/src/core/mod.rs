//! The core: the inferences, and nothing else makes a theorem.
//!
//! It mirrors a model whose soundness is proved: one function for each constructor of the model's judgement, under its name.
//! Whatever a [`Core`] derives holds in every model of its [`Context`] that satisfies its assumptions, for all values of the
//! free indices. A rule that the model lacks says so in its doc, with the mathematical reason.
//!
//! | module | what |
//! | --- | --- |
//! | `term`, `table` | index terms and real terms, interned; substitution, binders |
//! | `ring` | equality of polynomials |
//! | `rules` | claims, the table of what was derived, and the rules by what they are about |
//! | `reading` | what a statement says: its pairing, its directions, its assumptions and obligations |
//! | `theorem` | what follows for a statement |
//! | `calls`, `log` | the calls of a core as a certificate, and how it is run again |
//!
//! A prover is not trusted: it builds terms with [`Core::terms`], which are only terms, and asks for each step.

mod calls;
mod reading;
mod ring;
mod rules;
mod table;
mod term;
mod theorem;
mod words;

pub mod digest;
pub mod log;

pub use calls::{Call, Kind, RULES, Rule};
pub use reading::{Asked, Branch, Definition, Input, Needed, Origin, Reading};
pub use rules::{Along, Assumption, Claim, Context, Core, Proven, Refused, Sign, Why};
pub use table::{MapSignature, Terms};
pub use term::{Dimension, Function, Index, Map, Name, Node, Number, Place, Tensor, Term};
pub use theorem::{Conclusion, Missing, Theorem};
