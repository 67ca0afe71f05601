//! Arithmetic of tensors of one shape, with constants and with broadcast operands.
//!
//! Each operation is a statement in `contracts/arithmetic/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/arithmetic/add.contract");
contract!(file = "contracts/arithmetic/add_constant.contract");
contract!(file = "contracts/arithmetic/affine.contract");
contract!(file = "contracts/arithmetic/atan2.contract");
contract!(file = "contracts/arithmetic/bias_add.contract");
contract!(file = "contracts/arithmetic/bias_add_channels.contract");
contract!(file = "contracts/arithmetic/cube.contract");
contract!(file = "contracts/arithmetic/divide.contract");
contract!(file = "contracts/arithmetic/multiply.contract");
contract!(file = "contracts/arithmetic/multiply_constant.contract");
contract!(file = "contracts/arithmetic/multiply_scalar.contract");
contract!(file = "contracts/arithmetic/negate.contract");
contract!(file = "contracts/arithmetic/power.contract");
contract!(file = "contracts/arithmetic/power_constant.contract");
contract!(file = "contracts/arithmetic/scale.contract");
contract!(file = "contracts/arithmetic/select.contract");
contract!(file = "contracts/arithmetic/shift.contract");
contract!(file = "contracts/arithmetic/square.contract");
contract!(file = "contracts/arithmetic/subtract.contract");
