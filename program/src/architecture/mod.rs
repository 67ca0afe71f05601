//! Architectures: layers as data, compiled to programs (Theorem 3).
//!
//! | what | where |
//! | --- | --- |
//! | the grammar | [`Layer`], one file a family |
//! | what a layer may be wrong about | [`ArchitectureError`], [`LayerFault`] |
//! | inputs, parameters and outputs of a whole | [`Signature`] |
//! | the program of fused operations | [`Architecture::compile`] |
//! | the same in the core language | [`Architecture::lower`] |
//! | the loops of the definition, for tests | [`Architecture::direct`] |
//! | values of the parameters | [`Parameters`], [`Initializers`] |
//! | random architectures | [`random`] |
//! | the levels compared, for tests and evidence | [`agreement`] |
//! | documents, with the feature `json` | `Architecture::from_json`, `to_json` |
//!
//! Every size is fixed, and so is every structural index: windows, masks, the rows of an embedding.
//! Parameters and initial states are inputs of the program, named by the path of their layer, such as `2.branches.1.weight`.
//! A parameter that is read in several places is one input, and its gradient is the sum over all (Theorem 2); [`Shared`] and [`Tied`] say where, and nothing else does.
//!
//! The two levels are tied by proof: `lower` replaces each fused operation by its [`Lowering`](crate::lowering::Lowering), which the kernel proves equal for all shapes.
//! `direct` shares no code with either.
//! This module must never compute a gradient, and never holds an infinite constant: masks are sets of keys, and every number of a layer is finite in double precision.
//!
//! # Example
//!
//! ```
//! use pullback_program::architecture::{Activation, Architecture, Dense, Layer};
//!
//! let layer = Layer::Sequential(vec![
//!     Layer::Dense(Dense { features: 8, bias: true }),
//!     Layer::Activation(Activation::Tanh),
//!     Layer::Dense(Dense { features: 3, bias: true }),
//! ]);
//! let program = Architecture::new(&[32, 5], layer).compile()?;
//! let names: Vec<&str> = program.inputs().iter().map(|i| i.name.as_str()).collect();
//! assert_eq!(names, ["x", "0.weight", "0.bias", "2.weight", "2.bias"]);
//! # Ok::<(), pullback_program::architecture::ArchitectureError>(())
//! ```

mod activation;
pub mod agreement;
mod attention;
mod boundary;
mod convolution;
mod dense;
mod direct;
mod embedding;
mod emit;
mod error;
mod initialize;
#[cfg(feature = "json")]
mod json;
mod layer;
mod loss;
mod normalization;
mod parameters;
mod pooling;
pub mod random;
mod recurrent;
mod reduce;
#[cfg(feature = "safetensors")]
mod safetensors;
mod shape;
mod sharing;
mod signature;
mod stencil;
mod structure;
mod transposed;

pub use activation::Activation;
pub use attention::{Attention, Mask, Projections};
pub use convolution::Convolution;
pub use dense::Dense;
pub use direct::DirectError;
pub use embedding::{Embedding, Positional};
pub use error::{ArchitectureError, LayerFault};
pub use initialize::{Initializer, Initializers, Stream};
#[cfg(feature = "json")]
pub use json::schema;
pub use layer::Layer;
pub use loss::CrossEntropy;
pub use normalization::{Normalization, Statistics};
pub use parameters::{Parameters, ParametersError};
pub use pooling::{Pooling, PoolingKind};
pub use recurrent::{Cell, Recurrent, States, Time};
pub use reduce::{Reduce, Reduction};
#[cfg(feature = "safetensors")]
pub use safetensors::{Element, SafetensorsError};
pub use sharing::{Shared, Tie, Tied};
pub use signature::{Parameter, Role, Signature};
pub use stencil::Stencil;
pub use structure::{Join, Parallel};
pub use transposed::TransposedConvolution;

use crate::lowering::LowerError;
use crate::operation::Limits;
use crate::program::{DynProgram, ValueId};
use emit::Emit;
use signature::{Place, Scope};

/// A layer with the sizes of what it is applied to. See the module docs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, expecting = "an architecture: an object with `inputs` and `layer`")
)]
pub struct Architecture {
    /// The sizes of each data input, the batch first.
    ///
    /// One is called `x` in the program; several are a tuple, called `x.0`, `x.1` and so on.
    #[cfg_attr(feature = "json", schemars(inner(inner(range(min = 1)))))]
    pub inputs: Vec<Vec<usize>>,
    /// The layer; most often a sequence of layers.
    pub layer: Layer,
}

impl Architecture {
    /// An architecture with one data input.
    pub fn new(input: &[usize], layer: Layer) -> Architecture {
        Architecture { inputs: vec![input.to_vec()], layer }
    }

    /// Checks the whole, and says what goes in and what comes out.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError::Layer`] with the path of the first layer that does not fit, and what would.
    pub fn verify(&self) -> Result<Signature, ArchitectureError> {
        let place = Place::root();
        let mut scope = Scope::default();
        let mut shapes = Vec::new();
        place.tuple(self.inputs.len())?;
        for sizes in &self.inputs {
            shapes.push(place.shape("the input", sizes)?);
        }
        let outputs = self.layer.outputs(&place, &shapes, &mut scope)?;
        Ok(Signature::new(shapes, scope, outputs))
    }

    /// The program of fused operations.
    ///
    /// Its inputs are those of the [`Signature`], in order; its output is `y`, or `y.0`, `y.1` and so on for a tuple.
    ///
    /// # Errors
    ///
    /// As [`verify`](Architecture::verify); [`ArchitectureError::Apply`] for a program past the limits.
    ///
    /// # Source
    ///
    /// Theorem 3: every architecture of the grammar has a finite program of equal denotation.
    pub fn compile(&self) -> Result<DynProgram, ArchitectureError> {
        self.compile_within(&Limits::default())
    }

    /// As [`compile`](Architecture::compile), within other limits, which the program keeps.
    ///
    /// # Errors
    ///
    /// As [`compile`](Architecture::compile).
    pub fn compile_within(&self, limits: &Limits) -> Result<DynProgram, ArchitectureError> {
        Ok(self.emitted(limits)?.0)
    }

    /// The program, and the first value of each layer.
    fn emitted(&self, limits: &Limits) -> Result<(DynProgram, Vec<(usize, Place)>), ArchitectureError> {
        let signature = self.verify()?;
        let (mut emit, data) = Emit::new(&signature, limits)?;
        let outputs = self.layer.emit(&Place::root(), &data, &mut emit)?;
        Ok(emit.finish(&outputs))
    }

    /// The program in the core language: the schemas of the theory and nothing else.
    ///
    /// # Errors
    ///
    /// As [`compile`](Architecture::compile); [`LayerFault::NoCore`] for a layer that has no form in the core: a kink, a logarithm, a sine; [`ArchitectureError::Lower`] for a core program past the limits.
    pub fn lower(&self) -> Result<DynProgram, ArchitectureError> {
        self.lower_within(&Limits::default())
    }

    /// As [`lower`](Architecture::lower), within other limits, which the program keeps.
    ///
    /// # Errors
    ///
    /// As [`lower`](Architecture::lower).
    pub fn lower_within(&self, limits: &Limits) -> Result<DynProgram, ArchitectureError> {
        let (program, entered) = self.emitted(limits)?;
        program.lower().map_err(|error| {
            let LowerError::NoForm { instruction, ref operator } = error else { return error.into() };
            // What joins layers has a form, so that the last layer entered is the one.
            let value = program.instruction(instruction).results().next().map_or(0, ValueId::index);
            let layer = entered.iter().rev().find(|(first, _)| *first <= value);
            let fault = LayerFault::NoCore { operator: operator.clone() };
            layer.map_or(error.into(), |(_, at)| at.error(fault))
        })
    }
}

/// The name of one of so many ports.
fn port(name: &str, count: usize, at: usize) -> String {
    if count == 1 { name.to_owned() } else { format!("{name}.{at}") }
}
