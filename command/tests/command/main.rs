//! The command as a user meets it: what it prints, where, and its exit code.

mod architectures;
mod files;
mod golden;
mod programs;
mod properties;
mod prove;
mod statement;
mod streams;
mod support;
#[path = "../../../program/tests/interchange/validate.rs"]
mod validate;
mod verify;
