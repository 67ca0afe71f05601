//! The core: each rule and its false twin, proofs by hand, logs, claims made at random, and how long it is.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, and these report counts")]

#[path = "support/library.rs"]
mod library;
#[path = "core/support.rs"]
mod support;

#[path = "core/calls.rs"]
mod calls;
#[path = "core/eval.rs"]
mod eval;
#[path = "core/fuzz.rs"]
mod fuzz;
#[path = "core/logs.rs"]
mod logs;
#[path = "core/proofs.rs"]
mod proofs;
#[path = "core/reading.rs"]
mod reading;
#[path = "core/refusals.rs"]
mod refusals;
#[path = "core/size.rs"]
mod size;
#[path = "core/twins.rs"]
mod twins;
