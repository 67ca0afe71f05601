//! Generated code against the kernel's reference evaluator, for every statement of the library.
//!
//! The evaluator runs a statement as it is written, sums and all; the generated code runs it in the order of the schedule.
//! Statements without transcendental functions are compared exactly, on rationals; the others on `f64` against intervals.
//! Each case runs at two lists of sizes, the second with every axis of length one.
//! Random statements (`random`, which `fresh` writes) run at three, in every scalar: their products are read at every kind of index.
#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps nothing")]

mod accepted;
mod agree;
mod behaviour;
mod cases;
mod fresh;
mod generated;
mod literals;
mod nasty;
mod random;
