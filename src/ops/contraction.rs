//! Products summed over shared axes: matrices, vectors, batches of them.
//!
//! Each operation is a statement in `contracts/contraction/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/contraction/bilinear.contract");
contract!(file = "contracts/contraction/dot_general.contract");
contract!(file = "contracts/contraction/gram.contract");
contract!(file = "contracts/contraction/inner_product.contract");
contract!(file = "contracts/contraction/linear.contract");
contract!(file = "contracts/contraction/linear_map.contract");
contract!(file = "contracts/contraction/matmul.contract");
contract!(file = "contracts/contraction/matrix_vector.contract");
contract!(file = "contracts/contraction/outer_product.contract");
