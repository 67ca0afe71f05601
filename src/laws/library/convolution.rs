//! Instances of the convolutions: windows with stride, dilation and padding, and arbitrary partial maps, which their rules are proved for too.

use crate::ops::*;
use crate::shape::N;
use crate::tensor::PartialMap;

type Window<const OUT: usize, const KERNEL: usize, const IN: usize> = PartialMap<(N<OUT>, N<KERNEL>), (N<IN>,)>;

operations! { draw:
    exact conv1d(Any, Any) {
        conv1d::<N<2>, N<1>, N<2>, N<5>, N<3>, N<3>, N<3>, T>(Window::<3, 3, 5>::window(2, 1, 1)?);
        conv1d::<N<1>, N<2>, N<1>, N<5>, N<2>, N<3>, N<2>, T>(Window::<3, 2, 5>::window(1, 2, 0)?);
        conv1d::<N<2>, N<2>, N<2>, N<3>, N<1>, N<2>, N<2>, T>(draw.partial_map()?);
    }
    exact conv2d(Any, Any) {
        conv2d::<N<1>, N<1>, N<2>, N<3>, N<4>, N<2>, N<2>, N<3>, N<2>, N<2>, T>(
            Window::<2, 2, 3>::window(1, 1, 0)?,
            Window::<3, 2, 4>::window(1, 2, 1)?,
        );
        conv2d::<N<2>, N<2>, N<1>, N<3>, N<2>, N<1>, N<2>, N<1>, N<1>, N<2>, T>(
            draw.partial_map()?,
            draw.partial_map()?,
        );
    }
    exact conv3d(Any, Any) {
        conv3d::<N<1>, N<1>, N<1>, N<2>, N<3>, N<2>, N<2>, N<1>, N<2>, N<1>, N<2>, N<2>, N<2>, T>(
            Window::<1, 2, 2>::window(1, 1, 0)?,
            Window::<2, 2, 3>::window(1, 1, 0)?,
            Window::<1, 2, 2>::window(1, 1, 0)?,
        );
        conv3d::<N<1>, N<2>, N<1>, N<2>, N<2>, N<1>, N<1>, N<2>, N<1>, N<3>, N<1>, N<2>, N<1>, T>(
            draw.partial_map()?,
            draw.partial_map()?,
            draw.partial_map()?,
        );
    }
    exact conv_transpose1d(Any, Any) {
        conv_transpose1d::<N<2>, N<1>, N<2>, N<3>, N<2>, N<5>, N<3>, T>(Window::<3, 3, 5>::window(2, 1, 1)?);
        conv_transpose1d::<N<1>, N<2>, N<1>, N<2>, N<2>, N<3>, N<2>, T>(draw.partial_map()?);
    }
    exact conv_transpose2d(Any, Any) {
        conv_transpose2d::<N<1>, N<1>, N<2>, N<2>, N<3>, N<2>, N<3>, N<4>, N<2>, N<2>, T>(
            Window::<2, 2, 3>::window(1, 1, 0)?,
            Window::<3, 2, 4>::window(1, 2, 1)?,
        );
        conv_transpose2d::<N<1>, N<2>, N<1>, N<2>, N<1>, N<1>, N<2>, N<3>, N<1>, N<2>, T>(
            draw.partial_map()?,
            draw.partial_map()?,
        );
    }
}
