//! Rows of a table at fixed indices, and what is added by position.

use pullback_program::architecture::{self, Layer, Parameter, Positional};

use super::parametric::{Parametric, of_layer};
use crate::program::{Applied, Path, Var};
use crate::scalar::Scalar;
use crate::shape::{Dim, Join, Joined, Shape};
use crate::space::Space;
use crate::tensor::{IndexMap, Tensor};

/// A table with a row for each word.
#[derive(Clone, Debug, Space)]
#[space(layer)]
pub struct Embedding<Vocabulary: Dim, F: Dim, T: Scalar = f32> {
    /// The rows.
    pub table: Tensor<(Vocabulary, F), T>,
}

impl<V: Dim, F: Dim, T: Scalar> Parametric for Embedding<V, F, T> {
    fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
        of_layer::<Self>(&[], rows::<V, F>(&[1], vec![0]), path, visit);
    }
}

fn rows<V: Dim, F: Dim>(shape: &[usize], indices: Vec<usize>) -> Layer {
    let (vocabulary, features, shape) = (V::SIZE, F::SIZE, shape.to_vec());
    Layer::Embedding(architecture::Embedding { vocabulary, features, shape, indices })
}

impl<V: Dim, F: Dim, T: Scalar> EmbeddingVars<V, F, T> {
    /// The rows at these indices, which are data of the program, as they are now.
    ///
    /// A row that is read twice gets both cotangents.
    #[track_caller]
    #[must_use]
    pub fn apply<S: Shape + Join<(F,)>>(self, indices: &IndexMap<S, (V,)>) -> Var<Joined<S, (F,)>> {
        Applied::new(rows::<V, F>(S::SIZES, indices.entries().to_vec()))
            .parameters::<Embedding<V, F, T>>(&self)
            .gives::<Tensor<Joined<S, (F,)>>>()
    }
}

/// A row for each place, which is learned.
#[derive(Clone, Debug, Space)]
#[space(layer)]
pub struct Positions<Place: Dim, F: Dim, T: Scalar = f32> {
    /// The rows.
    pub table: Tensor<(Place, F), T>,
}

impl<Place: Dim, F: Dim, T: Scalar> Parametric for Positions<Place, F, T> {
    fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
        of_layer::<Self>(&[&[Place::SIZE, F::SIZE]], Layer::Positional(Positional::Learned), path, visit);
    }
}

impl<Place: Dim, F: Dim, T: Scalar> PositionsVars<Place, F, T> {
    /// Each place with its row added.
    #[track_caller]
    #[must_use]
    pub fn apply<N: Dim>(self, x: Var<(N, Place, F)>) -> Var<(N, Place, F)> {
        Applied::new(Layer::Positional(Positional::Learned))
            .data::<Tensor<(N, Place, F)>>(&x)
            .parameters::<Positions<Place, F, T>>(&self)
            .gives::<Tensor<(N, Place, F)>>()
    }
}

/// Each place with sines and cosines added, a constant (Vaswani et al. 2017).
#[track_caller]
#[must_use]
pub fn sinusoidal<N: Dim, Place: Dim, F: Dim>(x: Var<(N, Place, F)>) -> Var<(N, Place, F)> {
    Applied::new(Layer::Positional(Positional::Sinusoidal))
        .data::<Tensor<(N, Place, F)>>(&x)
        .gives::<Tensor<(N, Place, F)>>()
}
