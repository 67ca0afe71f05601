//! The front end: text to statements and back.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/library.rs"]
mod library;
mod limits;
mod messages;
mod properties;
mod reading;
