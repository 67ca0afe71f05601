//! The backward rule is linear.

mod strategy;
mod test_additive;
mod test_homogeneous;
mod test_zero_to_zero;
