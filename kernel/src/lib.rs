//! The trusted part of `pullback`: statements in index notation and the theorems about them.
#![forbid(unsafe_code)]

pub mod budget;
pub mod core;
pub mod diagnostics;
mod lexer;
pub mod limits;
pub mod parser;
mod print;
mod resolve;
pub mod source;
pub mod syntax;

pub use parser::parse;
pub use resolve::{load, load_bytes};
pub use statement::Statement;

mod boundary;
mod compose;
pub mod derive;
mod domain;
mod equal;
pub mod eval;
pub mod interval;
pub mod nearest;
mod normal;
mod prove;
mod pulled;
mod refute;
pub mod statement;
mod transform;
mod well_formed;

pub use budget::{Budget, Exceeded, Meter, Resource};
pub use compose::{Argument, ComposeError, Composer, Fixed, Substitution};
pub use domain::Needed;
pub use equal::equal;
pub use prove::{Cause, Difference, Outcome, Theorem, domain, prove, prove_within};
pub use refute::{Counterexample, Value, Wrong};
pub use transform::{NoRule, Pullback, Pushforward};
pub use well_formed::Malformed;

/// Exact rationals.
pub type Rational = num_rational::BigRational;
