//! Normalisation over an axis, a batch or groups, with closed-form backward rules.
//!
//! Each operation is a statement in `contracts/normalization/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/normalization/batch_norm.contract");
contract!(file = "contracts/normalization/batch_norm_inference.contract");
contract!(file = "contracts/normalization/batch_norm_training.contract");
contract!(file = "contracts/normalization/group_norm.contract");
contract!(file = "contracts/normalization/l2_normalize.contract");
contract!(file = "contracts/normalization/layer_norm.contract");
contract!(file = "contracts/normalization/rms_norm.contract");
contract!(file = "contracts/normalization/standardize.contract");
