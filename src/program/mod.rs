//! Programs: ordinary closures over typed variables, as finite lists of operations.
//!
//! ```
//! use pullback::program::Program;
//! use pullback::{Tensor, dims};
//!
//! dims! { Batch = 2; Features = 3; Classes = 4 }
//! type Given = (Tensor<(Batch, Features)>, Tensor<(Features, Classes)>);
//!
//! let program = Program::<Given, Tensor<()>>::trace(|(x, w)| x.matmul(w).log_softmax().mean_all())?;
//! assert!(program.proved().is_ok());
//! // Its gradient is a program again, and so is the gradient's derivative.
//! let curvature = program.gradient()?.forward_mode()?;
//! assert_eq!(curvature.as_dynamic().inputs().len(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | type | what it is |
//! | --- | --- |
//! | [`Program<A, B>`](Program) | a program with its shapes in the type; a contract (Theorem 2) |
//! | [`Var<S>`](Var) | a variable: a value of a program while it is traced |
//! | [`Traced`] | a space whose tensors can be variables |
//! | [`Symbolic`] | a contract that a program can apply: every one made from a statement |
//! | [`Linear`] | a program at one input: its backward rule |
//! | [`Compiled`] | a program planned once, to be run often |
//! | [`ProvedProgram`] | a program whose gradient is proved |
//! | [`Exact`], [`Evaluable`] | scalars that programs hold, and that they run over |
//! | [`Agrees`] | the condition that shapes of variables fit, with its message |
//!
//! The list itself is a [`DynProgram`], with shapes as data: the crate behind [`dynamic`] verifies it, transforms it and evaluates it.
//! The operations are methods of [`Var`], one for each operation of [`ops`](crate::ops) that needs no index data; what needs some is applied as a contract: `x.apply(&ops::slice(…))`.
//! This module must never hold a derivative rule, and a variable must never be broadcast unasked.

mod compiled;
mod contract;
mod error;
mod evaluate;
mod exact;
mod layer;
mod symbolic;
mod trace;
mod traced;
mod typed;
mod var;

pub use compiled::Compiled;
pub use contract::{ProgramResidual, ProvedProgram};
pub use error::{OperationError, ShapeError, TraceError, TraceFault};
pub use evaluate::Linear;
pub use exact::{Evaluable, Exact};
#[doc(hidden)]
pub use symbolic::Stated;
pub use symbolic::{Symbolic, Takes};
pub use traced::{Path, Port, ScalarOf, Traced};
pub use typed::{GradientError, Program};
pub use var::{Agrees, Var, Variable};

/// Programs with shapes as data, and what is done with them.
#[doc(inline)]
pub use pullback_program as dynamic;
pub use pullback_program::evaluate::{AtBoundary, Checked, Touched};
pub use pullback_program::evidence::{Certificate, DomainCondition, Obstacle};
pub use pullback_program::execute::{CompileError, ExecuteError, Nonfinite, Numerics};
pub use pullback_program::{DynProgram, EvaluateError, Limits, TransformError};

#[doc(hidden)]
pub use exact::{Indices, array};
pub(crate) use layer::Applied;
#[doc(hidden)]
pub use trace::Slot;
pub(crate) use trace::{apply, fail, nothing};
