//! Operations that are not smooth everywhere: their rules are proved between the boundaries and declared on them.
//!
//! Each operation is a statement in `contracts/declared/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/declared/abs.contract");
contract!(file = "contracts/declared/clamp.contract");
contract!(file = "contracts/declared/elu.contract");
contract!(file = "contracts/declared/floor.contract");
contract!(file = "contracts/declared/hard_sigmoid.contract");
contract!(file = "contracts/declared/hard_tanh.contract");
contract!(file = "contracts/declared/huber.contract");
contract!(file = "contracts/declared/leaky_relu.contract");
contract!(file = "contracts/declared/max_pool1d.contract");
contract!(file = "contracts/declared/max_pool2d.contract");
contract!(file = "contracts/declared/maximum.contract");
contract!(file = "contracts/declared/mean_absolute_error.contract");
contract!(file = "contracts/declared/minimum.contract");
contract!(file = "contracts/declared/prelu.contract");
contract!(file = "contracts/declared/reduce_max.contract");
contract!(file = "contracts/declared/reduce_min.contract");
contract!(file = "contracts/declared/relu.contract");
contract!(file = "contracts/declared/round_straight_through.contract");
contract!(file = "contracts/declared/smooth_l1.contract");
contract!(file = "contracts/declared/stop_gradient.contract");
