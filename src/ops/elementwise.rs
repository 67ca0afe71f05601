//! Smooth functions applied to every element.
//!
//! Each operation is a statement in `contracts/elementwise/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/elementwise/atan.contract");
contract!(file = "contracts/elementwise/cosine.contract");
contract!(file = "contracts/elementwise/erf.contract");
contract!(file = "contracts/elementwise/erfc.contract");
contract!(file = "contracts/elementwise/exponential.contract");
contract!(file = "contracts/elementwise/exponential_minus_one.contract");
contract!(file = "contracts/elementwise/gelu.contract");
contract!(file = "contracts/elementwise/gelu_tanh.contract");
contract!(file = "contracts/elementwise/log.contract");
contract!(file = "contracts/elementwise/log_logistic.contract");
contract!(file = "contracts/elementwise/log_plus_one.contract");
contract!(file = "contracts/elementwise/logistic.contract");
contract!(file = "contracts/elementwise/reciprocal.contract");
contract!(file = "contracts/elementwise/rsqrt.contract");
contract!(file = "contracts/elementwise/silu.contract");
contract!(file = "contracts/elementwise/sine.contract");
contract!(file = "contracts/elementwise/softplus.contract");
contract!(file = "contracts/elementwise/sqrt.contract");
contract!(file = "contracts/elementwise/tanh.contract");
