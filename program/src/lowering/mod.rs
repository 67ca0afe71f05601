//! The core language, and what lowers to it.
//!
//! The theory's core has a dozen schemas: constants, addition and multiplication of equal shapes, reshape, permutation, fixed gather, sum reduction, concatenation, the matrix product, `exp`, `tanh`, reciprocal and inverse square root, with explicit broadcast.
//! A fused operation such as `softmax` or `conv2d` has a *lowering*: a list of core operations over its own dimensions.
//!
//! | what | where |
//! | --- | --- |
//! | the core | [`CORE`] |
//! | the lowerings, one a fused operation | `table` |
//! | a lowering as one statement, and the theorem that it is equal to the fused one for all shapes | [`Lowering`] |
//! | a program in the core alone | [`DynProgram::lower`] |
//!
//! The same list is read twice: over symbolic dimensions, for the proof, and over sizes, for the program.
//! Invariant: a lowering says what to compute in core operations and nothing else; it has no loops, no data of its own and no derivative.

mod stage;
mod table;

use std::sync::OnceLock;

use pullback_kernel::statement::Statement;
use pullback_kernel::{ComposeError, Outcome, equal};

use crate::operation::{Operation, Operator, OperatorError};
use crate::program::{ApplyError, Builder, DynProgram, ValueId};
use stage::{Concrete, Lower, Symbolic};

/// The operations of the core language. `one_hot` is a constant: an index map as a matrix.
pub const CORE: &[&str] = &[
    "add",
    "broadcast_in_dim",
    "broadcast_in_dim_axis",
    "broadcast_in_dim_leading",
    "broadcast_in_dim_scalar",
    "concatenate",
    "concatenate_leading",
    "constant",
    "exponential",
    "gather",
    "matmul",
    "multiply",
    "one_hot",
    "permute",
    "permute_axes",
    "reciprocal",
    "reduce_sum",
    "reduce_sum_all",
    "reduce_sum_axis",
    "reduce_sum_leading",
    "reshape",
    "rsqrt",
    "slice",
    "take",
    "tanh",
    "transpose",
];

/// Why an operation has no form in the core.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LowerError {
    /// No lowering is known: it has a logarithm, a sine or a kink, or is a user's own.
    #[error("instruction {instruction} (`{operator}`) has no form in the core language")]
    NoForm {
        /// Which instruction.
        instruction: usize,
        /// Its operator.
        operator: String,
    },
    /// The lowering does not fit together.
    #[error("the lowering of `{operator}`: {error}")]
    Compose {
        /// The operator.
        operator: String,
        /// What does not fit.
        error: ComposeError,
    },
    /// An index map whose matrix is past the limits.
    #[error("the lowering of `{operator}`: a matrix of {elements} elements for an index map; {limit} are the most")]
    Large {
        /// The operator.
        operator: String,
        /// Elements of the matrix.
        elements: usize,
        /// The limit.
        limit: usize,
    },
    /// The core program would be past the limits.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// A statement of the library.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// Data of a core operation.
    #[error("the lowering of `{operator}`: {fault}")]
    Data {
        /// The operator.
        operator: String,
        /// What is wrong.
        fault: String,
    },
}

/// A fused operation as core operations, for all shapes.
pub struct Lowering {
    name: &'static str,
    steps: fn(&mut Lower<'_>) -> Result<Vec<stage::Value>, LowerError>,
    proof: OnceLock<Result<Outcome, LowerError>>,
}

impl Lowering {
    /// The lowering of a library operation, if it has one.
    pub fn of(name: &str) -> Option<&'static Lowering> {
        table::all().iter().find(|lowering| lowering.name == name)
    }

    /// All lowerings, in the order of their names.
    pub fn all() -> &'static [Lowering] {
        table::all()
    }

    /// The operation that is lowered.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The lowering as one statement, with the declarations of the fused one.
    ///
    /// # Errors
    ///
    /// [`LowerError`] where it does not fit together: a fault of this crate, which a test looks for.
    pub fn statement(&self) -> Result<Statement, LowerError> {
        let fused = Operator::library(self.name)?;
        let mut stage = Symbolic::new(self.name, fused.statement());
        let outputs = (self.steps)(&mut Lower::new(fused.statement(), &mut stage))?;
        Ok(stage.finish(&outputs))
    }

    /// Whether the lowering is equal to the fused operation: a theorem for all shapes, once.
    ///
    /// # Errors
    ///
    /// As [`statement`](Lowering::statement).
    pub fn equality(&self) -> Result<&Outcome, LowerError> {
        let proof = self.proof.get_or_init(|| {
            let fused = Operator::library(self.name)?;
            let composed = |error| LowerError::Compose { operator: self.name.to_owned(), error };
            equal(fused.statement(), &self.statement()?).map_err(composed)
        });
        proof.as_ref().map_err(Clone::clone)
    }
}

impl DynProgram {
    /// The same function in the core language.
    ///
    /// Each instruction is replaced by its lowering; that the two are equal is [`Lowering::equality`].
    /// The core is for proofs, for reading and for exact or certified use: its intermediate values are large, its exponentials may overflow where a fused softmax does not,
    /// and its quotients may underflow. In floats [`evaluate_bounded`](DynProgram::evaluate_bounded) gives a right number or says where the digits went; an executable of it carries no bound.
    ///
    /// # Errors
    ///
    /// [`LowerError::NoForm`] for an operation without a form in the core.
    pub fn lower(&self) -> Result<DynProgram, LowerError> {
        let mut builder = Builder::new(*self.limits());
        let mut place: Vec<ValueId> = Vec::with_capacity(self.values());
        for input in self.inputs() {
            place.push(builder.input(&input.name, input.shape.clone())?);
        }
        for (k, instruction) in self.instructions().enumerate() {
            let operation = self.operation_of(&instruction);
            let arguments: Vec<ValueId> = instruction.arguments.iter().map(|a| place[a.index()]).collect();
            let lowering = core_form(operation).ok_or_else(|| LowerError::NoForm {
                instruction: k,
                operator: operation.operator().shown().to_owned(),
            })?;
            match lowering {
                Form::Itself => place.extend(builder.apply((**operation).clone(), &arguments)?),
                Form::Lowered(lowering) => {
                    let mut stage = Concrete::new(operation, &arguments, &mut builder);
                    let outputs = (lowering.steps)(&mut Lower::new(operation.statement(), &mut stage))?;
                    place.extend(stage.values(&outputs));
                }
            }
        }
        for output in self.outputs() {
            builder.output(&output.name, place[output.value.index()]);
        }
        Ok(builder.finish())
    }
}

enum Form {
    Itself,
    Lowered(&'static Lowering),
}

fn core_form(operation: &Operation) -> Option<Form> {
    let operator = operation.operator();
    if operator.derivation().is_some() || !operator.is_in_library() {
        return None;
    }
    if CORE.contains(&operator.name()) {
        return Some(Form::Itself);
    }
    Lowering::of(operator.name()).map(Form::Lowered)
}
