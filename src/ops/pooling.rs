//! Sums and averages over windows.
//!
//! Each operation is a statement in `contracts/pooling/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/pooling/avg_pool1d.contract");
contract!(file = "contracts/pooling/avg_pool2d.contract");
contract!(file = "contracts/pooling/sum_pool1d.contract");
contract!(file = "contracts/pooling/sum_pool2d.contract");
