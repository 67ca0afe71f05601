//! Architectures: against the loops of their definitions, dual numbers, another system, and themselves in the core language.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, and some report counts")]

mod bounds;
mod counts;
mod edges;
mod finite;
mod grammar;
mod large;
mod mask;
mod parameters;
mod random;
mod reference;
mod sharing;
mod support;
