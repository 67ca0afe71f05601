//! Every layer again, as plain loops from its definition: the oracle that compiled programs are tested against.
//!
//! It is generic over the number, so that exact rationals, floats and dual numbers run through the same loops.
//! It is slow, and says each sum as the papers do.
//! Invariant: nothing here is read by the compiler of layers, and nothing of that compiler is read here but the grammar itself and the names of parameters.

mod array;
mod attention;
mod convolution;
mod elementwise;
mod normalization;
mod recurrent;
mod structure;

use std::collections::HashMap;
use std::rc::Rc;

use num_traits::Zero;
use pullback_kernel::Rational;
use pullback_kernel::eval::{EvalError, Number};

use super::signature::Place;
use super::{Architecture, ArchitectureError, Layer};
use crate::operation::Shape;
use array::Array;

/// Why the loops give no value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DirectError {
    /// The architecture does not fit together.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// Another number of arrays than the signature has inputs.
    #[error("{found} arrays are given, the architecture has {expected} inputs")]
    Count {
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An array of another length than its shape.
    #[error("the array for `{name}` has {found} elements, shape {shape} has {}", .shape.elements())]
    Length {
        /// Of which input.
        name: String,
        /// Its shape.
        shape: Shape,
        /// How many elements there are.
        found: usize,
    },
    /// A number that is not defined, or that the number type can't say.
    #[error(transparent)]
    Number(#[from] EvalError),
}

/// Arrays, or why there are none.
type Arrays<N> = Result<Vec<Array<N>>, EvalError>;

/// The parameters by path, and the walk.
struct Direct<N> {
    parameters: HashMap<String, Rc<Array<N>>>,
}

impl Architecture {
    /// The outputs by the loops of the definitions, for the inputs of the [`Signature`](super::Signature) in order.
    ///
    /// # Errors
    ///
    /// [`DirectError`] for an architecture or arrays that do not fit, and for numbers that the type can't say, such as the exponential of a rational.
    ///
    /// # Complexity
    ///
    /// That of the definitions: a convolution multiplies its kernel at each place, a normalisation sums its slice for each element.
    pub fn direct<N: Number>(&self, inputs: &[Vec<N>]) -> Result<Vec<Vec<N>>, DirectError> {
        let signature = self.verify()?;
        let named: Vec<(&str, &Shape)> = signature.inputs().collect();
        if named.len() != inputs.len() {
            return Err(DirectError::Count { expected: named.len(), found: inputs.len() });
        }
        let mut arrays = Vec::new();
        for ((name, shape), data) in named.iter().zip(inputs) {
            if shape.elements() != data.len() {
                let (name, shape) = ((*name).to_owned(), (*shape).clone());
                return Err(DirectError::Length { name, shape, found: data.len() });
            }
            arrays.push(Array { sizes: shape.sizes().to_vec(), data: data.clone() });
        }
        let parameters = arrays.split_off(signature.data.len());
        let paths = signature.parameters.iter().map(|p| p.path.clone());
        let direct = Direct { parameters: paths.zip(parameters.into_iter().map(Rc::new)).collect() };
        let outputs = direct.layer(&self.layer, &Place::root(), &arrays)?;
        Ok(outputs.into_iter().map(|y| y.data).collect())
    }
}

impl<N: Number> Direct<N> {
    /// A parameter of a layer. Verification has met all that there are.
    fn parameter(&self, at: &Place, leaf: &str) -> Result<&Array<N>, EvalError> {
        self.at_path(&at.name(leaf)).map(|array| &**array)
    }

    /// An initial state of a layer.
    fn state(&self, at: &Place, leaf: &str) -> Result<&Array<N>, EvalError> {
        self.at_path(&at.state(leaf)).map(|array| &**array)
    }

    fn at_path(&self, path: &str) -> Result<&Rc<Array<N>>, EvalError> {
        self.parameters.get(path).ok_or_else(|| EvalError::Mismatch(format!("the parameter `{path}` is missing")))
    }

    fn layer(&self, layer: &Layer, at: &Place, inputs: &[Array<N>]) -> Arrays<N> {
        match layer {
            Layer::Residual(inner) => self.residual(inner, at, inputs),
            Layer::Sequential(layers) => self.sequence(layers, at, inputs),
            Layer::Parallel(parallel) => self.parallel(parallel, at, inputs),
            Layer::Product(layers) => self.product(layers, at, inputs),
            Layer::Shared(shared) => self.layer(&shared.layer, &at.shared(&shared.name), inputs),
            Layer::Tied(tied) => self.tied(tied, at, inputs),
            Layer::Join(join) => structure::join(*join, inputs.to_vec()),
            Layer::Attention(attention) => Ok(vec![self.attention(attention, at, inputs)?]),
            Layer::Embedding(embedding) => Ok(vec![self.embedding(embedding, at)?]),
            _ => match inputs {
                [x] => Ok(vec![self.single(layer, at, x)?]),
                _ => Err(EvalError::Mismatch("a tuple where one array is taken".to_owned())),
            },
        }
    }

    fn single(&self, layer: &Layer, at: &Place, x: &Array<N>) -> Result<Array<N>, EvalError> {
        match layer {
            Layer::Dense(dense) => self.dense(dense.bias, at, x),
            Layer::Activation(activation) => elementwise::activation(activation, x),
            Layer::Convolution(convolution) => self.convolution(convolution, at, x),
            Layer::TransposedConvolution(convolution) => self.transposed(convolution, at, x),
            Layer::Pooling(pooling) => convolution::pooling(pooling, x),
            Layer::Reduce(reduce) => elementwise::reduce(reduce, x),
            Layer::Normalization(normalization) => self.normalization(normalization, at, x),
            Layer::Recurrent(recurrent) => self.recurrent(recurrent, at, x),
            Layer::Positional(positional) => self.positional(positional, at, x),
            Layer::CrossEntropy(loss) => elementwise::cross_entropy(loss, x),
            Layer::Flatten => Ok(structure::reshape(x, &[x.sizes[0], x.sizes[1..].iter().product()])),
            Layer::Reshape(sizes) => Ok(structure::reshape(x, &[&x.sizes[..1], sizes].concat())),
            Layer::Permute(order) => Ok(structure::permute(order, x)),
            _ => Ok(x.clone()),
        }
    }
}

fn zero<N: Number>() -> N {
    N::rational(&Rational::zero())
}

fn integer<N: Number>(n: usize) -> N {
    N::rational(&Rational::from_integer(n.into()))
}

/// `a - b`.
fn minus<N: Number>(a: &N, b: &N) -> N {
    a.add(&b.neg())
}
