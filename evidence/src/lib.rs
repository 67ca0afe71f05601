//! Evidence: what is shown of the library by computing, with oracles that share no code with what they judge.
//!
//! | suite | what it compares | with what | where |
//! | --- | --- | --- | --- |
//! | `claims` | what the kernel says of random and mutated statements, at points | an interpreter with numbers, derivatives and loops of its own | [`claims`](mod@claims) |
//! | `rational_graphs` | values and whole gradients, exactly | polynomials with rational coefficients, differentiated by their coefficients | [`rational`] |
//! | `gathers` | every gather map with lengths 1 to 4 | its transposition law, entry by entry | [`gathers`] |
//! | `tensor_graphs` | directional derivatives and gradients of smooth graphs | extrapolated differences of 106-bit values; each other | [`tensor_graphs`] |
//! | `random_statements` | executables of random statements, in every scalar | the reference evaluator | [`random_statements`] |
//! | `networks` | gradients and directional derivatives of networks with kinks, ties and copies, along each coordinate | one-sided differences of 106-bit values | [`networks`] |
//! | `random_programs` | programs that mix operations of the library and random statements, and their transforms twice over | nilpotent numbers, and the statements as they are written | [`random_programs`] |
//! | `hostile` | inputs that ask for much, in 512 MiB | that they end | [`hostile`] |
//! | `serialisation` | the same graphs, written and read back | themselves, to the bit | [`serialisation`] |
//! | `edges` | what happens at the edges | what is said of it | [`edges`] |
//! | `gallery` | rules that were shipped | the kernel's verdicts, and the recorded gradients | [`gallery`] |
//!
//! What is counted is fixed: a count that is not reached is a failure, like any difference.
//! Random draws start from a seed and nothing else.
//! This module must never be lenient where its oracle is in doubt, and must never print: the command does.
#![forbid(unsafe_code)]

pub mod claims;
pub mod double;
pub mod edges;
pub mod gallery;
pub mod gathers;
pub mod graphs;
pub mod hostile;
pub mod networks;
pub mod nilpotent;
pub mod orders;
pub mod random_programs;
pub mod random_statements;
pub mod rational;
pub mod ridders;
pub mod serialisation;
mod suite;
pub mod tensor_graphs;

pub use suite::{Count, Event, Failure, Measure, Options, Outcome, Suite, Worker};

/// The suites of this crate, in the order in which they are run.
pub const SUITES: &[Suite] = &[
    claims::SUITE,
    rational::SUITE,
    gathers::SUITE,
    tensor_graphs::SUITE,
    random_statements::SUITE,
    networks::SUITE,
    random_programs::SUITE,
    hostile::SUITE,
    serialisation::SUITE,
    edges::SUITE,
    gallery::SUITE,
];

/// The seed of a run that names none.
pub const SEED: u64 = 20_261_021;
