//! Scaled dot-product attention, with and without masks and biases, and rotary position embedding.
//!
//! Each operation is a statement in `contracts/attention/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/attention/attention.contract");
contract!(file = "contracts/attention/attention_bias.contract");
contract!(file = "contracts/attention/attention_masked.contract");
contract!(file = "contracts/attention/attention_recompute.contract");
contract!(file = "contracts/attention/rotary_embedding.contract");
