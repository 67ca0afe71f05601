//! Layers as typed functions of variables: the grammar of Theorem 3 with its shapes in types.
//!
//! A layer with parameters is a struct of tensors, and a space as every struct with `#[derive(Space)]`; its variables are applied to a variable.
//! Shapes are checked while compiling: channels, widths, heads, steps and the axes of windows.
//! What a layer computes is said once, in the [grammar](crate::program::dynamic::architecture): a typed layer adds the program that the grammar compiles.
//! This module must never apply an operation of its own, and never hold a derivative.
//!
//! | layer | parameters | applied by |
//! | --- | --- | --- |
//! | affine map of the last axis | [`Dense`] | `layer.apply(x)` |
//! | activation | | a method of [`Var`](crate::Var): [`tanh`](crate::Var::tanh), [`gelu_tanh`](crate::Var::gelu_tanh), [`softmax`](crate::Var::softmax), … |
//! | convolution | [`Convolution1d`], [`Convolution2d`], [`Convolution3d`] | `layer.apply(x, rows, columns)`, a [`Window`] for each axis |
//! | convolution in groups; depthwise is one channel a group | [`GroupedConvolution1d`], [`GroupedConvolution2d`], [`GroupedConvolution3d`] | the same |
//! | transposed convolution | [`TransposedConvolution1d`], [`TransposedConvolution2d`], [`TransposedConvolution3d`], and with groups [`GroupedTransposedConvolution1d`], … | the same |
//! | pooling | | [`pool1d`], [`pool2d`], [`pool3d`] |
//! | normalisation with gain and bias | [`LayerNorm`], [`RmsNorm`], [`BatchNorm`], [`InstanceNorm`], [`GroupNorm`] | `layer.apply(x, eps)` |
//! | normalisation over any axes | | [`normalize`] |
//! | attention with projections, of one array or two | [`Attention`] | `layer.apply(heads, x, &mask)`, `layer.apply_to(heads, x, source, &mask)` |
//! | attention without | | [`attend`] |
//! | recurrence over the second axis | [`Rnn`], [`Lstm`], [`Gru`] | `layer.last(x, state)`, `layer.states(x, state)` |
//! | rows of a table | [`Embedding`] | `layer.apply(indices)` |
//! | positions | [`Positions`] | `layer.apply(x)`, [`sinusoidal`] |
//! | another shape for each element of a batch | | [`x.reshape_each::<Z>()`](crate::Var::reshape_each) |
//! | residual | | [`residual`] |
//! | one after the other; several of one input | | functions, [`concatenate`](crate::Var::concatenate), tuples |
//!
//! A parameter that is used twice is one coordinate, and its gradient is the sum: a variable may be used as often as one likes.
//! [`initialize`] draws parameters from an explicit key, [`flatten`] and [`restore`] name them by path.
//!
//! # Example
//!
//! ```
//! use pullback::layers::{Convolution2d, Dense, PoolingKind, initialize, pool2d};
//! use pullback::shape::Window;
//! use pullback::{N, Program, Space, Tensor, Var, dims};
//!
//! dims! { Batch = 4; Gray = 1; Maps = 6; Side = 8; Inner = 4; Flat = 6 * 4 * 4; Class = 10 }
//!
//! #[derive(Clone, Debug, Space)]
//! struct Model {
//!     convolution: Convolution2d<Gray, Maps, N<3>, N<3>>,
//!     output: Dense<Flat, Class>,
//! }
//!
//! fn model(m: ModelVars, x: Var<(Batch, Gray, Side, Side)>) -> Var<(Batch, Class)> {
//!     let same = Window::<Side>::new().padding::<1>();
//!     let halves = Window::<Inner>::new().stride::<2>().over::<Side, N<2>>();
//!     let maps = m.convolution.apply(x, same, same).tanh();
//!     m.output.apply(pool2d(PoolingKind::Average, maps, halves, halves).reshape::<(Batch, Flat)>())
//! }
//!
//! type Given = (Model, Tensor<(Batch, Gray, Side, Side)>);
//! let program = Program::<Given, Tensor<(Batch, Class)>>::trace(|(m, x)| model(m, x))?;
//! assert!(program.proved().is_ok());
//! let parameters: Model = initialize(7, &Default::default());
//! assert_eq!(program.evaluate((parameters, Tensor::zeros()))?.to_vec(), [0.0; 40]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attention;
mod bias;
mod convolution;
mod dense;
mod embedding;
mod normalization;
mod parametric;
mod pooling;
mod recurrent;
mod structure;
mod transposed;

pub use attention::{Attention, AttentionVars, attend};
pub use bias::{BiasKind, NoBias, WithBias};
pub use convolution::{
    Convolution1d, Convolution1dVars, Convolution2d, Convolution2dVars, Convolution3d, Convolution3dVars,
    GroupedConvolution1d, GroupedConvolution1dVars, GroupedConvolution2d, GroupedConvolution2dVars,
    GroupedConvolution3d, GroupedConvolution3dVars,
};
pub use dense::{Dense, DenseVars};
pub use embedding::{Embedding, EmbeddingVars, Positions, PositionsVars, sinusoidal};
pub use normalization::{
    BatchNorm, BatchNormVars, GroupNorm, GroupNormVars, InstanceNorm, InstanceNormVars, LayerNorm, LayerNormVars,
    RmsNorm, RmsNormVars, normalize,
};
pub use parametric::{Parametric, RestoreError, flatten, initialize, parameters, restore};
pub use pooling::{pool1d, pool2d, pool3d};
pub use recurrent::{Gru, GruVars, Lstm, LstmVars, Rnn, RnnVars};
pub use structure::residual;
pub use transposed::{
    GroupedTransposedConvolution1d, GroupedTransposedConvolution1dVars, GroupedTransposedConvolution2d,
    GroupedTransposedConvolution2dVars, GroupedTransposedConvolution3d, GroupedTransposedConvolution3dVars, Spreads,
    TransposedConvolution1d, TransposedConvolution1dVars, TransposedConvolution2d, TransposedConvolution2dVars,
    TransposedConvolution3d, TransposedConvolution3dVars,
};

#[cfg(feature = "safetensors")]
pub use pullback_program::architecture::{Element, SafetensorsError};
pub use pullback_program::architecture::{
    Initializer, Initializers, Mask, Parameter, Parameters, PoolingKind, Role, Statistics,
};

pub use crate::shape::Window;
