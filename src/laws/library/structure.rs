//! Instances of the rearrangements.

use crate::laws::Domain::Any;
use crate::ops::*;
use crate::shape::N;
use crate::tensor::{Bijection, IndexMap, PartialMap};

type Pair = (N<2>, N<3>);
type Window<const OUT: usize, const KERNEL: usize, const IN: usize> = PartialMap<(N<OUT>, N<KERNEL>), (N<IN>,)>;

operations! { draw:
    exact broadcast_in_dim(Any) {
        broadcast_in_dim::<Pair, N<5>, T>();
        broadcast_in_dim::<(), N<3>, T>();
    }
    exact broadcast_in_dim_axis(Any) {
        broadcast_in_dim_axis::<(N<2>,), (N<3>, N<1>), (N<2>,), T>();
        broadcast_in_dim_axis::<(), (N<3>,), (N<2>,), T>();
        broadcast_in_dim_axis::<(N<3>,), (N<2>,), (), T>();
    }
    exact broadcast_in_dim_leading(Any) {
        broadcast_in_dim_leading::<N<5>, Pair, T>();
        broadcast_in_dim_leading::<N<3>, (), T>();
    }
    exact broadcast_in_dim_scalar(Any) {
        broadcast_in_dim_scalar::<Pair, T>();
        broadcast_in_dim_scalar::<(), T>();
    }
    exact concatenate(Any, Any) {
        concatenate::<(N<2>,), N<3>, N<2>, N<5>, T>();
        concatenate::<(), N<1>, N<3>, N<4>, T>();
    }
    exact concatenate_leading(Any, Any) {
        concatenate_leading::<N<3>, N<2>, N<5>, (N<2>,), T>();
        concatenate_leading::<N<1>, N<3>, N<4>, (), T>();
    }
    exact concatenate_three(Any, Any, Any) {
        concatenate_three::<(N<2>,), N<3>, N<1>, N<2>, N<6>, T>();
        concatenate_three::<(), N<1>, N<5>, N<2>, N<8>, T>();
    }
    exact constant() {
        constant::<Pair, T>(draw.point::<T, _>(Any));
        constant::<(), T>(draw.point::<T, _>(Any));
    }
    exact diagonal(Any) {
        diagonal::<(N<2>,), N<3>, T>();
        diagonal::<(), N<5>, T>();
    }
    exact diagonal_matrix(Any) {
        diagonal_matrix::<(N<2>,), N<3>, T>();
        diagonal_matrix::<(), N<5>, T>();
    }
    exact gather(Any) {
        gather::<N<5>, N<3>, (N<2>,), T>(draw.map()?);
        gather::<N<2>, N<7>, (), T>(draw.map()?);
    }
    exact one_hot() {
        one_hot::<(N<2>, N<3>), N<4>, T>(draw.partial_map()?);
        one_hot::<(N<5>,), N<2>, T>(draw.partial_map()?);
    }
    exact pad(Any) {
        pad::<(N<2>,), N<3>, N<7>, T>(draw.map()?, draw.number(Any));
        pad::<(), N<2>, N<5>, T>(draw.map()?, draw.number(Any));
    }
    exact patches(Any) {
        patches::<(N<2>,), N<5>, N<3>, N<3>, T>(Window::<3, 3, 5>::window(2, 1, 1)?);
        patches::<(), N<3>, N<5>, N<2>, T>(draw.partial_map()?);
    }
    exact permute(Any) {
        permute::<(N<2>,), N<5>, T>(draw.bijection()?);
        permute::<(), N<3>, T>(draw.bijection()?);
    }
    exact permute_axes(Any) {
        permute_axes::<(N<2>, N<3>, N<5>), (N<5>, N<2>, N<3>), T>(Bijection::permute(&[2, 0, 1])?);
        permute_axes::<(N<7>,), (N<7>,), T>(draw.bijection()?);
    }
    exact reduce_sum(Any) {
        reduce_sum::<Pair, N<2>, T>();
        reduce_sum::<(), N<5>, T>();
    }
    exact reduce_sum_all(Any) {
        reduce_sum_all::<Pair, T>();
        reduce_sum_all::<(), T>();
    }
    exact reduce_sum_axis(Any) {
        reduce_sum_axis::<(N<2>,), (N<3>,), (N<2>,), T>();
        reduce_sum_axis::<(), (N<2>, N<3>), (N<1>,), T>();
        reduce_sum_axis::<(N<3>,), (N<2>,), (), T>();
    }
    exact reduce_sum_leading(Any) {
        reduce_sum_leading::<N<3>, (N<2>, N<1>), T>();
        reduce_sum_leading::<N<5>, (), T>();
    }
    exact reshape(Any) {
        reshape::<(N<2>, N<6>), (N<3>, N<4>), T>(Bijection::row_major());
        reshape::<(N<6>,), Pair, T>(draw.bijection()?);
    }
    exact resize_bilinear(Any) {
        resize_bilinear::<(N<2>,), N<3>, N<2>, N<5>, N<3>, T>(draw.map()?, draw.map()?, draw.map()?, draw.map()?, draw.point::<T, _>(Any), draw.point::<T, _>(Any));
        resize_bilinear::<(), N<5>, N<3>, N<2>, N<1>, T>(draw.map()?, draw.map()?, draw.map()?, draw.map()?, draw.point::<T, _>(Any), draw.point::<T, _>(Any));
    }
    exact resize_nearest(Any) {
        resize_nearest::<(N<2>,), N<3>, N<2>, N<5>, N<3>, T>(draw.map()?, draw.map()?);
        resize_nearest::<(), N<5>, N<3>, N<2>, N<1>, T>(draw.map()?, draw.map()?);
    }
    exact reverse(Any) {
        reverse::<(N<2>,), N<5>, T>(Bijection::from_fn(|j| 4 - j)?);
        reverse::<(), N<3>, T>(draw.bijection()?);
    }
    exact scatter(Any, Any) {
        scatter::<N<5>, N<3>, (N<2>,), T>(draw.map()?);
        scatter::<N<2>, N<7>, (), T>(draw.map()?);
    }
    exact scatter_add(Any) {
        scatter_add::<N<5>, N<3>, (N<2>,), T>(draw.map()?);
        scatter_add::<N<2>, N<7>, (), T>(draw.map()?);
    }
    exact segment_mean(Any) {
        segment_mean::<N<5>, N<3>, (N<2>,), T>(IndexMap::from_fn(|row| row % 3)?);
        segment_mean::<N<7>, N<2>, (), T>(IndexMap::from_fn(|row| row / 6)?);
    }
    exact segment_sum(Any) {
        segment_sum::<N<5>, N<3>, (N<2>,), T>(draw.map()?);
        segment_sum::<N<2>, N<7>, (), T>(draw.map()?);
    }
    exact slice(Any) {
        slice::<(N<2>,), N<3>, N<5>, T>(draw.map()?);
        slice::<(), N<5>, N<2>, T>(draw.map()?);
    }
    exact split(Any) {
        split::<(N<2>,), N<3>, N<2>, N<5>, T>();
        split::<(), N<1>, N<3>, N<4>, T>();
    }
    exact take(Any) {
        take::<Pair, (N<2>, N<2>), T>(draw.map()?);
        take::<(N<5>,), (), T>(draw.map()?);
    }
    exact take_along_axis(Any) {
        take_along_axis::<(N<3>,), N<2>, N<5>, T>(draw.map()?);
        take_along_axis::<(), N<5>, N<2>, T>(draw.map()?);
    }
    exact trace(Any) {
        trace::<(N<2>,), N<3>, T>();
        trace::<(), N<5>, T>();
    }
    exact transpose(Any) {
        transpose::<(N<2>,), N<2>, N<3>, T>();
        transpose::<(), N<5>, N<1>, T>();
    }
}
