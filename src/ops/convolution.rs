//! Convolution and transposed convolution.
//!
//! Each operation is a statement in `contracts/convolution/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/convolution/conv1d.contract");
contract!(file = "contracts/convolution/conv2d.contract");
contract!(file = "contracts/convolution/conv3d.contract");
contract!(file = "contracts/convolution/conv_transpose1d.contract");
contract!(file = "contracts/convolution/conv_transpose2d.contract");
