//! The core: each rule and its false twin, proofs by hand, logs, claims made at random, and how long it is.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "core/support.rs"]
mod support;

#[path = "core/proofs.rs"]
mod proofs;
