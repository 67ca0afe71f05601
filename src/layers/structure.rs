//! Layers made of layers.

use pullback_program::architecture::Layer;

use crate::program::{Applied, Var};
use crate::shape::{Join, Joined, SameLength, Shape, SplitFirst};
use crate::tensor::Tensor;

/// What a layer gives, added to what it is given: the two have one shape, or it does not compile.
///
/// # Example
///
/// ```
/// use pullback::layers::residual;
/// use pullback::{Program, Tensor, dims};
///
/// dims! { Batch = 2; Features = 3 }
/// type X = Tensor<(Batch, Features)>;
/// let program = Program::<X, X>::trace(|x| residual(x, |x| x.tanh()))?;
/// assert_eq!(program.as_dynamic().len(), 2);
/// # Ok::<(), pullback::TraceError>(())
/// ```
#[track_caller]
#[must_use]
pub fn residual<S: Shape>(x: Var<S>, layer: impl FnOnce(Var<S>) -> Var<S>) -> Var<S> {
    x + layer(x)
}

impl<S: SplitFirst> Var<S> {
    /// The same elements of each element of the first axis, in row-major order under another shape: a [`reshape`](Var::reshape) that leaves the batch alone, whatever its size.
    ///
    /// Lengths that differ are E0102.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback::{Dim, Program, Tensor, Var, dims};
    ///
    /// dims! { Batch = 2; Pixel = 6; Row = 2; Column = 3 }
    /// fn rows<B: Dim>(x: Var<(B, Pixel)>) -> Var<(B, Row, Column)> {
    ///     x.reshape_each::<(Row, Column)>()
    /// }
    /// let program = Program::<Tensor<(Batch, Pixel)>, Tensor<(Batch, Row, Column)>>::trace(rows)?;
    /// assert_eq!(program.as_dynamic().len(), 1);
    /// # Ok::<(), pullback::TraceError>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn reshape_each<Z: Shape + SameLength<S::Rest>>(self) -> Var<Joined<(S::First,), Z>>
    where
        S::Rest: SameLength<Z>,
        (S::First,): Join<Z>,
    {
        Applied::new(Layer::Reshape(Z::SIZES.to_vec()))
            .data::<Tensor<S>>(&self)
            .gives::<Tensor<Joined<(S::First,), Z>>>()
    }
}
