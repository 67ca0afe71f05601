//! The schedule: turns a statement in index notation into loops in the order that its sums need.
//!
//! A [`Statement`] says what its outputs are, as sums; a [`Routine`] says in which order to compute them.
//! A sum that does not depend on an outer index is computed once, equal sums are computed once, a product summed over a shared
//! index becomes a matrix product, and an equality with a mapped index becomes a loop that adds into the place it names.
//!
//! | pass | module | what it does |
//! | --- | --- | --- |
//! | lower | `lower` | clauses to definitions: hoisted sums, matrix products, scatters |
//! | inline | `tidy` | a local that is read once goes where it is read |
//! | fuse | `fuse` | neighbouring loops over the same indices become one |
//! | alias, shrink | `tidy` | a local takes the storage of the output it turns into, or loses the axes of the loop around it |
//!
//! Nothing here decides whether a rule is right: the kernel does, before.
//! The names of Rust stay out of it: a [`Routine`] may be printed as code or run by an interpreter.
#![forbid(unsafe_code)]

mod cost;
mod fuse;
mod ir;
mod lower;
mod print;
mod term;
mod tidy;

pub use ir::{
    Buffer, BufferId, Check, Gemm, Index, Operand, Reduction, Role, Routine, Scalar, Step, Temp, Var, Variable,
};
pub use lower::{Schedule, ScheduleError, schedule, schedule_forward};

#[doc(no_inline)]
pub use pullback_kernel::statement::{Comparison, DimId, Function, MapId, ParamId, Sign, Statement};
