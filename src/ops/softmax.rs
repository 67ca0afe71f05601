//! Softmax and its relatives, safe from overflow.
//!
//! Each operation is a statement in `contracts/softmax/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/softmax/log_softmax.contract");
contract!(file = "contracts/softmax/logaddexp.contract");
contract!(file = "contracts/softmax/logsumexp.contract");
contract!(file = "contracts/softmax/softmax.contract");
contract!(file = "contracts/softmax/softmax_masked.contract");
