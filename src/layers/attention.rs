//! Scaled dot-product attention with any number of heads.

use pullback_program::architecture::{self, Layer, Mask, Parameter, Projections};

use super::bias::{BiasKind, WithBias};
use super::dense::Dense;
use super::parametric::{Parametric, of_layer};
use crate::program::{Applied, Path, Var};
use crate::scalar::Scalar;
use crate::shape::{Dim, Divides};
use crate::space::Space;
use crate::tensor::Tensor;

/// The projections of attention (Vaswani et al. 2017): queries from `Width`, keys and values from `Source`, as wide as all heads together.
///
/// # Example
///
/// ```
/// use pullback::layers::{Attention, Mask};
/// use pullback::{Program, Tensor, dims};
///
/// dims! { Batch = 2; Place = 5; Width = 8; Heads = 2 }
/// type X = Tensor<(Batch, Place, Width)>;
/// let causal = |(layer, x): (pullback::layers::AttentionVars<Width>, _)| layer.apply(Heads, x, &Mask::Causal);
/// let program = Program::<(Attention<Width>, X), X>::trace(causal)?;
/// assert_eq!(program.as_dynamic().inputs()[0].name, "0.query.weight");
/// # Ok::<(), pullback::TraceError>(())
/// ```
#[derive(Clone, Debug, Space)]
#[space(layer)]
pub struct Attention<
    Width: Dim,
    Source: Dim = Width,
    Inner: Dim = Width,
    Values: Dim = Width,
    Out: Dim = Width,
    T: Scalar = f32,
    B: BiasKind = WithBias,
> {
    /// To the queries of all heads.
    pub query: Dense<Width, Inner, T, B>,
    /// To their keys.
    pub key: Dense<Source, Inner, T, B>,
    /// To their values.
    pub value: Dense<Source, Values, T, B>,
    /// From the values that come out.
    pub output: Dense<Values, Out, T, B>,
}

fn layer<Inner: Dim, Values: Dim, Out: Dim, B: BiasKind>(heads: usize, mask: Mask) -> Layer {
    let (head, value) = (Inner::SIZE / heads, Values::SIZE / heads);
    let projections = Projections { head, value, output: Out::SIZE, bias: B::PRESENT };
    Layer::Attention(architecture::Attention { heads, mask, projections: Some(projections) })
}

impl<Width: Dim, Source: Dim, Inner: Dim, Values: Dim, Out: Dim, T: Scalar, B: BiasKind> Parametric
    for Attention<Width, Source, Inner, Values, Out, T, B>
{
    fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
        let layer = layer::<Inner, Values, Out, B>(1, Mask::All);
        of_layer::<Self>(&[&[1, Width::SIZE], &[1, Source::SIZE]], layer, path, visit);
    }
}

impl<Width: Dim, Source: Dim, Inner: Dim, Values: Dim, Out: Dim, T: Scalar, B: BiasKind>
    AttentionVars<Width, Source, Inner, Values, Out, T, B>
{
    /// Each place of `x` attends to those of `source` that the mask shows.
    ///
    /// Heads that do not divide the widths are E0105; a mask of other sizes, or with a row that shows nothing, makes the trace an error that names the row.
    #[track_caller]
    #[must_use]
    pub fn apply_to<Heads, N: Dim, Query: Dim, Key: Dim>(
        self,
        heads: Heads,
        x: Var<(N, Query, Width)>,
        source: Var<(N, Key, Source)>,
        mask: &Mask,
    ) -> Var<(N, Query, Out)>
    where
        Heads: Divides<Inner> + Divides<Values>,
    {
        let _ = heads;
        Applied::new(layer::<Inner, Values, Out, B>(Heads::SIZE, mask.clone()))
            .data::<Tensor<(N, Query, Width)>>(&x)
            .data::<Tensor<(N, Key, Source)>>(&source)
            .parameters::<Attention<Width, Source, Inner, Values, Out, T, B>>(&self)
            .gives::<Tensor<(N, Query, Out)>>()
    }
}

impl<Width: Dim, Inner: Dim, Values: Dim, Out: Dim, T: Scalar, B: BiasKind>
    AttentionVars<Width, Width, Inner, Values, Out, T, B>
{
    /// Each place of `x` attends to those that the mask shows, as in [`apply_to`](AttentionVars::apply_to).
    #[track_caller]
    #[must_use]
    pub fn apply<Heads, N: Dim, Place: Dim>(
        self,
        heads: Heads,
        x: Var<(N, Place, Width)>,
        mask: &Mask,
    ) -> Var<(N, Place, Out)>
    where
        Heads: Divides<Inner> + Divides<Values>,
    {
        self.apply_to(heads, x, x, mask)
    }
}

/// Attention without projections: each head attends with its part of the width.
///
/// Masks and heads are checked as in [`AttentionVars::apply_to`].
#[track_caller]
#[must_use]
pub fn attend<Heads: Divides<Width>, N: Dim, Query: Dim, Key: Dim, Width: Dim>(
    heads: Heads,
    x: Var<(N, Query, Width)>,
    source: Var<(N, Key, Width)>,
    mask: &Mask,
) -> Var<(N, Query, Width)> {
    let _ = heads;
    let layer = architecture::Attention { heads: Heads::SIZE, mask: mask.clone(), projections: None };
    Applied::new(Layer::Attention(layer))
        .data::<Tensor<(N, Query, Width)>>(&x)
        .data::<Tensor<(N, Key, Width)>>(&source)
        .gives::<Tensor<(N, Query, Width)>>()
}
