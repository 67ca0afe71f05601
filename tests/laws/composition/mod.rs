//! One after the other.

mod strategy;
mod test_associative;
mod test_composite;
mod test_recomputed;
mod test_same_contract;
mod test_units;
