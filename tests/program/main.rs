//! Typed programs: traced, evaluated, transformed, and mixed with contracts.

#![allow(missing_docs, reason = "tests say what they test by their names")]
#![allow(clippy::unwrap_used, reason = "a test that fails says where")]
#![allow(clippy::type_complexity, reason = "a signature says its shapes")]

mod support;

mod test_compiled;
mod test_contract;
mod test_convert;
mod test_errors;
mod test_four_ways;
mod test_layers;
mod test_operations;
mod test_sharing;
mod test_structs;
