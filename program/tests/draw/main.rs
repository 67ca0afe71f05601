//! Pictures: well-formed for every program and every name, and nothing over anything else.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod dot;
mod programs;
#[path = "../support/mod.rs"]
mod support;
mod svg;
mod xml;
