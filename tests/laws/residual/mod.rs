//! The residual is all that the backward rule needs, and both functions are functions.

mod strategy;
mod test_deterministic;
mod test_interleaved;
