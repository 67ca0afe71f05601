//! Side by side, shared and dropped.

mod strategy;
mod test_componentwise;
mod test_discarding_is_zero;
mod test_fanned_out;
mod test_shared_argument;
mod test_sharing_adds;
