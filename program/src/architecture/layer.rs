//! The grammar.

use super::activation::Activation;
use super::attention::Attention;
use super::convolution::Convolution;
use super::dense::Dense;
use super::embedding::{Embedding, Positional};
use super::emit::Emit;
use super::error::{ArchitectureError, LayerFault};
use super::loss::CrossEntropy;
use super::normalization::Normalization;
use super::pooling::Pooling;
use super::recurrent::Recurrent;
use super::reduce::Reduce;
use super::shape::{Permute, Reshape};
use super::sharing::{Shared, Tied};
use super::signature::{DEPTH, Place, Scope};
use super::structure::{Join, Parallel, joined, product, residual, sequence};
use super::transposed::TransposedConvolution;
use crate::operation::Shape;
use crate::program::ValueId;

/// A layer: a map from arrays to arrays, with parameters of its own.
///
/// Most take one array and give one; what takes or gives a tuple says so.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(
        rename_all = "snake_case",
        expecting = "a layer: an object with one key, the kind; `flatten` is the word alone"
    )
)]
pub enum Layer {
    /// An affine map of the last axis.
    Dense(Dense),
    /// A function of each element, or a softmax of each row.
    Activation(Activation),
    /// A convolution in one, two or three dimensions.
    Convolution(Convolution),
    /// The transpose of a convolution.
    TransposedConvolution(TransposedConvolution),
    /// Sums, means or maxima of windows.
    Pooling(Pooling),
    /// Sums, means or log-sum-exps of whole axes.
    Reduce(Reduce),
    /// Mean and variance brought to 0 and 1.
    Normalization(Normalization),
    /// Scaled dot-product attention: of an array with itself, or of the first of two with the second.
    Attention(Attention),
    /// A cell applied at each step.
    Recurrent(Recurrent),
    /// Rows of a table at fixed indices. Takes anything, and reads none of it.
    Embedding(Embedding),
    /// Something added that depends on the position.
    Positional(Positional),
    /// The mean cross-entropy against fixed labels.
    CrossEntropy(CrossEntropy),
    /// All axes but the first as one.
    Flatten,
    /// Other sizes, for the axes after the first.
    Reshape(#[cfg_attr(feature = "json", schemars(inner(range(min = 1))))] Vec<usize>),
    /// The axes in another order: axis `k` of the result is the axis that stands at `k`.
    Permute(Vec<usize>),
    /// One array made of a tuple.
    Join(Join),
    /// What the layer gives, added to what it is given.
    Residual(Box<Layer>),
    /// One after the other. None is the identity.
    Sequential(Vec<Layer>),
    /// Several layers of one input.
    Parallel(Parallel),
    /// A layer for each array of a tuple.
    Product(Vec<Layer>),
    /// A layer whose parameters go by a name, and are those of every layer of that name.
    Shared(Shared),
    /// A layer that reads some parameters of other layers in place of its own.
    Tied(Tied),
}

/// What a walk over layers gives.
pub(super) type Walk<T> = Result<Vec<T>, ArchitectureError>;

impl Layer {
    /// The word for its kind, as in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Layer::Dense(_) => "dense",
            Layer::Activation(_) => "activation",
            Layer::Convolution(_) => "convolution",
            Layer::TransposedConvolution(_) => "transposed_convolution",
            Layer::Pooling(_) => "pooling",
            Layer::Reduce(_) => "reduce",
            Layer::Normalization(_) => "normalization",
            Layer::Attention(_) => "attention",
            Layer::Recurrent(_) => "recurrent",
            Layer::Embedding(_) => "embedding",
            Layer::Positional(_) => "positional",
            Layer::CrossEntropy(_) => "cross_entropy",
            Layer::Flatten => "flatten",
            Layer::Reshape(_) => "reshape",
            Layer::Permute(_) => "permute",
            Layer::Join(_) => "join",
            Layer::Residual(_) => "residual",
            Layer::Sequential(_) => "sequential",
            Layer::Parallel(_) => "parallel",
            Layer::Product(_) => "product",
            Layer::Shared(_) => "shared",
            Layer::Tied(_) => "tied",
        }
    }

    /// The layers within it, each once.
    pub fn parts(&self) -> Vec<&Layer> {
        match self {
            Layer::Residual(inner) => vec![inner],
            Layer::Sequential(layers) | Layer::Product(layers) => layers.iter().collect(),
            Layer::Parallel(parallel) => parallel.branches.iter().collect(),
            Layer::Shared(shared) => vec![&shared.layer],
            Layer::Tied(tied) => vec![&tied.layer],
            _ => Vec::new(),
        }
    }

    /// The shapes that it gives, after a check of everything in it.
    pub(super) fn outputs(&self, at: &Place, inputs: &[Shape], scope: &mut Scope) -> Walk<Shape> {
        let at = &at.of(self.kind());
        if at.depth() > DEPTH {
            return at.fault(LayerFault::Deep { limit: DEPTH });
        }
        let one = match self {
            Layer::Residual(inner) => return residual::outputs(inner, at, inputs, scope),
            Layer::Sequential(layers) => return sequence::outputs(layers, at, inputs, scope),
            Layer::Parallel(parallel) => return parallel.outputs(at, inputs, scope),
            Layer::Product(layers) => return product::outputs(layers, at, inputs, scope),
            Layer::Shared(shared) => return shared.outputs(at, inputs, scope),
            Layer::Tied(tied) => return tied.outputs(at, inputs, scope),
            Layer::Join(join) => return join.outputs(at, inputs),
            Layer::Attention(attention) => attention.output(at, inputs, scope)?,
            Layer::Embedding(embedding) => embedding.output(at, scope)?,
            _ => self.output(at, at.one(inputs)?, scope)?,
        };
        Ok(vec![one])
    }

    /// The shape that a layer of one array gives.
    fn output(&self, at: &Place, input: &Shape, scope: &mut Scope) -> Result<Shape, ArchitectureError> {
        match self {
            Layer::Dense(dense) => dense.output(at, input, scope),
            Layer::Activation(activation) => activation.output(at, input),
            Layer::Convolution(convolution) => convolution.output(at, input, scope),
            Layer::TransposedConvolution(convolution) => convolution.output(at, input, scope),
            Layer::Pooling(pooling) => pooling.output(at, input),
            Layer::Reduce(reduce) => reduce.output(at, input),
            Layer::Normalization(normalization) => normalization.output(at, input, scope),
            Layer::Recurrent(recurrent) => recurrent.output(at, input, scope),
            Layer::Positional(positional) => positional.output(at, input, scope),
            Layer::CrossEntropy(loss) => loss.output(at, input),
            Layer::Flatten => Reshape::flat(at, input),
            Layer::Reshape(sizes) => Reshape::to(at, input, sizes),
            Layer::Permute(order) => Permute::output(at, input, order),
            _ => Ok(input.clone()),
        }
    }

    /// The values that it gives, as instructions.
    pub(super) fn emit(&self, at: &Place, inputs: &[ValueId], to: &mut Emit) -> Walk<ValueId> {
        let at = &at.of(self.kind());
        to.enter(at);
        let one = match self {
            Layer::Residual(inner) => return residual::emit(inner, at, inputs, to),
            Layer::Sequential(layers) => return sequence::emit(layers, at, inputs, to),
            Layer::Parallel(parallel) => return parallel.emit(at, inputs, to),
            Layer::Product(layers) => return product::emit(layers, at, inputs, to),
            Layer::Shared(shared) => return shared.emit(at, inputs, to),
            Layer::Tied(tied) => return tied.emit(at, inputs, to),
            Layer::Join(join) => return joined(*join, inputs, to),
            Layer::Attention(attention) => attention.emit(at, inputs, to)?,
            Layer::Embedding(embedding) => embedding.emit(at, to)?,
            _ => self.emit_one(at, *at.one(inputs)?, to)?,
        };
        Ok(vec![one])
    }

    fn emit_one(&self, at: &Place, x: ValueId, to: &mut Emit) -> Result<ValueId, ArchitectureError> {
        match self {
            Layer::Dense(dense) => dense.emit(at, x, to),
            Layer::Activation(activation) => activation.emit(x, to),
            Layer::Convolution(convolution) => convolution.emit(at, x, to),
            Layer::TransposedConvolution(convolution) => convolution.emit(at, x, to),
            Layer::Pooling(pooling) => pooling.emit(x, to),
            Layer::Reduce(reduce) => reduce.emit(x, to),
            Layer::Normalization(normalization) => normalization.emit(at, x, to),
            Layer::Recurrent(recurrent) => recurrent.emit(at, x, to),
            Layer::Positional(positional) => positional.emit(at, x, to),
            Layer::CrossEntropy(loss) => loss.emit(x, to),
            Layer::Flatten => Reshape::emit_flat(x, to),
            Layer::Reshape(sizes) => Reshape::emit(x, sizes, to),
            Layer::Permute(order) => to.permute(x, order),
            _ => Ok(x),
        }
    }
}
