//! The laws on rules of closures: that each rejects a rule which breaks it and nothing else, and that none rejects a right one.

// Tests fail by panicking.
#![allow(clippy::unwrap_used, missing_docs)]

mod alone;
mod frameworks;
mod generators;
mod large;
mod messages;
mod options;
mod outputs;
mod reports;
mod right;
mod rules;
mod wrong;
