//! Sums, means and maxima of windows.

use pullback_program::architecture::{Layer, Pooling, PoolingKind};

use super::convolution::{side, stencil};
use crate::program::{Applied, Var};
use crate::shape::{Dim, Pool, Slides};
use crate::tensor::Tensor;

/// Pooling over so many axes after batch and channels.
/// Fragments: the function, the rank in words, then for each axis the type parameters of its size, kernel and window, and an argument.
/// Example: `pool1d "one axis": W K Along along`.
macro_rules! pool {
    ($name:ident $rank:literal: $($size:ident $kernel:ident $window:ident $argument:ident),+) => {
        #[doc = concat!("Windows of ", $rank, " after batch and channels, each become one element.")]
        ///
        /// A window of padding alone, which has no mean of its own elements and no maximum, makes the trace an error.
        #[track_caller]
        #[must_use]
        pub fn $name<N: Dim, C: Dim, $($size: Dim, $kernel: Dim, $window: Slides<$size, $kernel>),+>(
            kind: PoolingKind,
            x: Var<(N, C, $($size,)+)>,
            $($argument: Pool<$size, $kernel, $window>),+
        ) -> Var<(N, C, $($window::Out,)+)> {
            $(let _ = $argument;)+
            let stencil = stencil(&[$(side::<$kernel, $window>()),+]);
            Applied::new(Layer::Pooling(Pooling { kind, stencil }))
                .data::<Tensor<(N, C, $($size,)+)>>(&x)
                .gives::<Tensor<(N, C, $($window::Out,)+)>>()
        }
    };
}

pool! { pool1d "one axis": W KW Along along }
pool! { pool2d "two axes": H KH Rows rows, W KW Columns columns }
pool! { pool3d "three axes": D KD Planes planes, H KH Rows rows, W KW Columns columns }
