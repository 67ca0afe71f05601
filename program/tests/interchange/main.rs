//! Programs and arrays as JSON: what is written is read, what is wrong is refused, and the schema is the form.
#![cfg(feature = "json")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod architecture;
mod arrays;
mod large;
mod mutations;
#[path = "../support/mod.rs"]
mod programs;
mod refusals;
mod round_trip;
mod schema;
mod support;
mod validate;
