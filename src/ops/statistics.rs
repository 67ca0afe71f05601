//! Means, variances and norms.
//!
//! Each operation is a statement in `contracts/statistics/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/statistics/cosine_similarity.contract");
contract!(file = "contracts/statistics/euclidean_norm.contract");
contract!(file = "contracts/statistics/mean.contract");
contract!(file = "contracts/statistics/mean_all.contract");
contract!(file = "contracts/statistics/mean_axis.contract");
contract!(file = "contracts/statistics/mean_leading.contract");
contract!(file = "contracts/statistics/standard_deviation.contract");
contract!(file = "contracts/statistics/sum_of_squares.contract");
contract!(file = "contracts/statistics/variance.contract");
