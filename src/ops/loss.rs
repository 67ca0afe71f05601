//! Losses.
//!
//! Each operation is a statement in `contracts/loss/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/loss/binary_cross_entropy.contract");
contract!(file = "contracts/loss/mean_squared_error.contract");
contract!(file = "contracts/loss/negative_log_likelihood.contract");
contract!(file = "contracts/loss/softmax_cross_entropy.contract");
contract!(file = "contracts/loss/softmax_cross_entropy_labels.contract");
