//! Rearrangements: reshape, permutation, gather, slices, concatenation, broadcast, reduction.
//!
//! Each operation is a statement in `contracts/structure/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/structure/broadcast_in_dim.contract");
contract!(file = "contracts/structure/broadcast_in_dim_axis.contract");
contract!(file = "contracts/structure/broadcast_in_dim_leading.contract");
contract!(file = "contracts/structure/broadcast_in_dim_scalar.contract");
contract!(file = "contracts/structure/concatenate.contract");
contract!(file = "contracts/structure/concatenate_leading.contract");
contract!(file = "contracts/structure/concatenate_three.contract");
contract!(file = "contracts/structure/constant.contract");
contract!(file = "contracts/structure/diagonal.contract");
contract!(file = "contracts/structure/diagonal_matrix.contract");
contract!(file = "contracts/structure/gather.contract");
contract!(file = "contracts/structure/one_hot.contract");
contract!(file = "contracts/structure/pad.contract");
contract!(file = "contracts/structure/patches.contract");
contract!(file = "contracts/structure/permute.contract");
contract!(file = "contracts/structure/permute_axes.contract");
contract!(file = "contracts/structure/reduce_sum.contract");
contract!(file = "contracts/structure/reduce_sum_all.contract");
contract!(file = "contracts/structure/reduce_sum_axis.contract");
contract!(file = "contracts/structure/reduce_sum_leading.contract");
contract!(file = "contracts/structure/reshape.contract");
contract!(file = "contracts/structure/resize_bilinear.contract");
contract!(file = "contracts/structure/resize_nearest.contract");
contract!(file = "contracts/structure/reverse.contract");
contract!(file = "contracts/structure/scatter.contract");
contract!(file = "contracts/structure/scatter_add.contract");
contract!(file = "contracts/structure/segment_mean.contract");
contract!(file = "contracts/structure/segment_sum.contract");
contract!(file = "contracts/structure/slice.contract");
contract!(file = "contracts/structure/split.contract");
contract!(file = "contracts/structure/take.contract");
contract!(file = "contracts/structure/take_along_axis.contract");
contract!(file = "contracts/structure/trace.contract");
contract!(file = "contracts/structure/transpose.contract");
