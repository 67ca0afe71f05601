//! Dropout, its mask an input: a recomputed step sees the same mask.
//!
//! Each operation is a statement in `contracts/regularization/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/regularization/dropout.contract");
