//! Instances of the poolings.

use crate::ops::*;
use crate::shape::N;
use crate::tensor::PartialMap;

type Window<const OUT: usize, const KERNEL: usize, const IN: usize> = PartialMap<(N<OUT>, N<KERNEL>), (N<IN>,)>;

operations! { draw:
    exact avg_pool1d(Any) {
        avg_pool1d::<(N<2>,), N<5>, N<3>, N<3>, T>(Window::<3, 3, 5>::window(2, 1, 1)?);
        avg_pool1d::<(), N<5>, N<3>, N<2>, T>(draw.partial_map()?);
    }
    exact avg_pool2d(Any) {
        avg_pool2d::<(N<2>,), N<3>, N<4>, N<2>, N<3>, N<2>, N<2>, T>(
            Window::<2, 2, 3>::window(1, 1, 0)?,
            Window::<3, 2, 4>::window(1, 2, 1)?,
        );
        avg_pool2d::<(), N<3>, N<2>, N<2>, N<1>, N<1>, N<3>, T>(draw.partial_map()?, draw.partial_map()?);
    }
    exact sum_pool1d(Any) {
        sum_pool1d::<(N<2>,), N<5>, N<3>, N<3>, T>(Window::<3, 3, 5>::window(2, 1, 1)?);
        sum_pool1d::<(), N<5>, N<3>, N<2>, T>(draw.partial_map()?);
    }
    exact sum_pool2d(Any) {
        sum_pool2d::<(N<2>,), N<3>, N<4>, N<2>, N<3>, N<2>, N<2>, T>(
            Window::<2, 2, 3>::window(1, 1, 0)?,
            Window::<3, 2, 4>::window(1, 2, 1)?,
        );
        sum_pool2d::<(), N<3>, N<2>, N<2>, N<1>, N<1>, N<3>, T>(draw.partial_map()?, draw.partial_map()?);
    }
}
