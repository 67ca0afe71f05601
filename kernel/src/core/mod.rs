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
//! | `quick`, `words` | a hash, and messages: nothing rests on them |
//! | `calls`, `log` | the calls of a core as a certificate, and how it is run again |
//!
//! What the model does not have yet, each with its reason where it stands:
//!
//! | what | rules |
//! | --- | --- |
//! | the error function, arc tangent, floor and rounding | `fn_odd`, `f_odd`, `f_erf`, `f_round`, `f_floor`, `d_step`, and two derivatives of `d_fn` |
//! | signs of `exp a - 1` and of a logarithm | `f_expm1`, `f_log` |
//! | the empty tuple after another, the components of a tuple | `same_unit`, `same_tuple` |
//! | signs of weighted sums, and of both branches of an `if` | `f_sum_weighted`, `f_cases` |
//! | the other branch of an `if` | `d_unguarded` |
//! | maxima whose values can be one function | `d_max_shared` |
//!
//! A theorem says what holds off the steps, kinks and ties that it lists; what a statement declares of these is not here.
//!
//! A prover is not trusted: it builds terms with [`Core::terms`], which are only terms, and asks for each step.

mod calls;
mod quick;
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
