//! Programs: finite lists of tensor operations, verified, differentiated and evaluated.
//!
//! | noun | what it is | where |
//! | --- | --- | --- |
//! | operator, operation | a statement; a statement with sizes and data | [`operation`] |
//! | program | a list of operations in static single assignment | [`program`] |
//! | evidence | whether the gradient of a program is proved, and what stands in the way | [`evidence`] |
//! | domain | where a program is defined, in the names of its inputs | [`domain`] |
//! | transform | the reverse and the forward program | [`transform`] |
//! | evaluation | values, tapes and directional derivatives, for every number | [`evaluate`] |
//! | execution | planned once, run often | [`execute`] |
//! | numerics | one policy for numbers that are none | [`Numerics`] |
//! | agreement | four ways to one gradient, compared | [`agreement`] |
//! | rounding | doubles that bound their own error | [`running`] |
//! | bounds | floats that carry a bound on their distance from the real | [`bounded`] |
//! | lowering | fused operations as core operations, proved equal for all shapes | [`lowering`] |
//! | architecture | layers as data, compiled to programs, with values for their parameters | [`architecture`] |
//! | interchange | programs and arrays as JSON (feature `json`) | `interchange` |
//! | picture | DOT and SVG | [`draw`] |
//! | file | written whole or not at all | [`whole`] |
//!
//! Shapes are data here; the crate `pullback` has them in types.
//! A program is verified before anything else reads it: [`DynProgram`] has no other way in than [`Builder`] and [`Draft::verify`].
//! Invariant: no derivative rule stands in this crate. Operators come from statements, and derived ones from the kernel.
#![forbid(unsafe_code)]

pub mod agreement;
pub mod architecture;
pub mod bounded;
mod cost;
pub mod domain;
pub mod draw;
pub mod evaluate;
pub mod evidence;
pub mod execute;
#[cfg(feature = "json")]
pub mod interchange;
pub mod lowering;
mod numerics;
pub mod operation;
pub mod program;
pub mod random;
pub mod running;
mod statements;
pub mod transform;
pub mod whole;

pub use evaluate::EvaluateError;
pub use numerics::{Given, Nonfinite, Numerics, Part, Rounded};
pub use operation::{
    Array, Binding, Derivation, Digest, Elements, IndexData, Limits, Literal, Number, Operation, OperationFault,
    Operator, OperatorError, Shape, Standing, Wiring,
};
pub use program::{
    ApplyError, Builder, Draft, DynProgram, Fault, FaultKind, Faults, Input, Instruction, Output, Place, ValueId,
};
pub use pullback_kernel::{Budget, Exceeded, Resource};
pub use statements::STATEMENTS;
pub use transform::TransformError;
