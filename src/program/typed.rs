//! The program with its shapes in the type.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use pullback_program::evaluate::TapeReport;
use pullback_program::evidence::{Certificate, DomainCondition, Obstacle};
use pullback_program::{DynProgram, Limits, Shape, TransformError};

use super::contract::ProvedProgram;
use super::error::{ShapeError, TraceError};
use super::trace;
use super::traced::{Path, Port, Traced};
use super::var::{Agrees, Var};
use crate::scalar::Scalar;
use crate::tensor::Tensor;

/// A program from the space `A` to the space `B`: a finite list of operations, each an instruction of a [`DynProgram`].
///
/// It is made by [`trace`](Program::trace) from an ordinary closure, or from a program whose shapes are data by [`try_from_dynamic`](Program::try_from_dynamic).
/// A clone shares the list.
/// The scalars in `A` and `B` say over which numbers it is evaluated; the list itself knows none, and [`over`](Program::over) takes it to others.
///
/// | what | how |
/// | --- | --- |
/// | value | [`evaluate`](Program::evaluate) |
/// | gradient, without another program | [`linearize`](Program::linearize), then [`pullback`](super::Linear::pullback) |
/// | derivative in a direction | [`directional`](Program::directional) |
/// | gradient as a program | [`reverse`](Program::reverse), [`with_reverse`](Program::with_reverse), [`gradient`](Program::gradient) |
/// | directional derivative as a program | [`forward_mode`](Program::forward_mode), [`with_forward_mode`](Program::with_forward_mode) |
/// | evidence | [`certify`](Program::certify), [`proved`](Program::proved), [`domain`](Program::domain) |
/// | fast, over floats | [`compile`](Program::compile), [`compile_with_gradient`](Program::compile_with_gradient) |
/// | as a part of another program | [`of`](Program::of) |
/// | as a contract | it is one, and [`proved`](Program::proved) gives one with the evidence [`Proved`](crate::Proved) |
///
/// # Example
///
/// ```
/// use pullback::program::Program;
/// use pullback::{N, Tensor};
///
/// type V = Tensor<(N<3>,), f64>;
/// let program = Program::<V, Tensor<(), f64>>::trace(|x| (x * x + x).reduce_sum_all())?;
/// let x = V::from_fn(|k| k as f64);
/// assert_eq!(program.evaluate(x.clone())?.to_scalar(), 8.0);
/// assert_eq!(program.gradient()?.evaluate(x)?.as_slice(), [1.0, 3.0, 5.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Program<A: Traced, B: Traced> {
    // Invariant: the inputs have the shapes of the ports of `A`, the outputs those of `B`.
    program: Arc<DynProgram>,
    spaces: PhantomData<fn() -> (A, B)>,
}

impl<A: Traced, B: Traced> Program<A, B> {
    /// The program that a closure describes: it is called once, on a variable for each tensor of `A`.
    ///
    /// # Errors
    ///
    /// [`TraceError`] for the first thing that was wrong, with its line: a variable of another trace, data that does not fit a statement, a program past the [`Limits`].
    /// A shape that does not fit does not compile.
    #[track_caller]
    pub fn trace(closure: impl FnOnce(A::Vars) -> B::Vars) -> Result<Self, TraceError> {
        Self::trace_within(Limits::OF_CODE, closure)
    }

    /// As [`trace`](Program::trace), for programs of another size.
    ///
    /// # Errors
    ///
    /// As [`trace`](Program::trace).
    #[track_caller]
    pub fn trace_within(limits: Limits, closure: impl FnOnce(A::Vars) -> B::Vars) -> Result<Self, TraceError> {
        trace::trace::<A, B>(limits, closure).map(Self::of_these_shapes)
    }

    /// A program whose shapes are data, if they are those of `A` and `B`. Names are not compared.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] with the first input or output, and the axis, that differs.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback::program::Program;
    /// use pullback::{N, Tensor, dims};
    ///
    /// dims! { Batch = 2; Features = 3 }
    /// type V = Tensor<(N<2>, N<3>)>;
    /// let dynamic = Program::<V, V>::trace(|x| x.tanh())?.into_dynamic();
    /// type Named = Tensor<(Batch, Features)>;
    /// assert!(Program::<Named, Named>::try_from_dynamic(dynamic.clone()).is_ok());
    /// type Turned = Tensor<(Features, Batch)>;
    /// let error = Program::<Turned, Turned>::try_from_dynamic(dynamic).unwrap_err();
    /// assert_eq!(error.to_string(), "input 0 (`input`): axis 0 is `Features` of size 3, the program has size 2");
    /// # Ok::<(), pullback::program::TraceError>(())
    /// ```
    pub fn try_from_dynamic(program: impl Into<Arc<DynProgram>>) -> Result<Self, ShapeError> {
        let program = program.into();
        fits::<A>("inputs", "input", program.inputs().iter().map(|i| (i.name.as_str(), &i.shape)))?;
        fits::<B>("outputs", "output", program.outputs().iter().map(|o| (o.name.as_str(), program.shape_of(o.value))))?;
        Ok(Self::of_these_shapes(program))
    }

    /// A program whose shapes are known to be those of `A` and `B`.
    fn of_these_shapes(program: impl Into<Arc<DynProgram>>) -> Self {
        Program { program: program.into(), spaces: PhantomData }
    }

    /// The program with its shapes as data.
    #[must_use]
    pub fn as_dynamic(&self) -> &Arc<DynProgram> {
        &self.program
    }

    /// The program with its shapes as data.
    #[must_use]
    pub fn into_dynamic(self) -> Arc<DynProgram> {
        self.program
    }

    /// The same program over other scalars.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback::program::Program;
    /// use pullback::{N, Rational, Scalar, Tensor};
    ///
    /// type V<T> = Tensor<(N<2>,), T>;
    /// let program = Program::<V<f32>, V<f32>>::trace(|x| x * x)?.over::<V<Rational>, V<Rational>>();
    /// let third = program.evaluate(V::from_fn(|_| Rational::from_ratio(1, 3)))?;
    /// assert_eq!(third.as_slice()[0], Rational::from_ratio(1, 9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn over<A2, B2>(&self) -> Program<A2, B2>
    where
        A2: Traced<Ports = A::Ports>,
        B2: Traced<Ports = B::Ports>,
    {
        Program::of_these_shapes(self.program.clone())
    }

    /// The program's instructions inside of another trace, on that trace's variables.
    #[track_caller]
    #[must_use]
    pub fn of(&self, variables: impl Agrees<A::Vars>) -> B::Vars {
        trace::inline::<A, B>(&self.program, variables.agree())
    }

    /// The program that takes an input and a cotangent of the output, and gives the cotangent of the input.
    ///
    /// Cotangents have the coordinates of their spaces, and programs know coordinates only, so they stand here as points of `B` and `A`.
    ///
    /// # Errors
    ///
    /// [`TransformError`] for an operation without a rule within the kernel's limits.
    pub fn reverse(&self) -> Result<Program<(A, B), A>, TransformError> {
        self.program.reverse().map(Program::of_these_shapes)
    }

    /// As [`reverse`](Program::reverse), with the output before the cotangent.
    ///
    /// # Errors
    ///
    /// As [`reverse`](Program::reverse).
    #[expect(clippy::type_complexity, reason = "the type is what the function is about")]
    pub fn with_reverse(&self) -> Result<Program<(A, B), (B, A)>, TransformError> {
        self.program.with_reverse().map(Program::of_these_shapes)
    }

    /// The program that takes an input and a tangent of it, and gives the tangent of the output.
    ///
    /// # Errors
    ///
    /// As [`reverse`](Program::reverse).
    pub fn forward_mode(&self) -> Result<Program<(A, A), B>, TransformError> {
        self.program.forward_mode().map(Program::of_these_shapes)
    }

    /// As [`forward_mode`](Program::forward_mode), with the output before its tangent.
    ///
    /// # Errors
    ///
    /// As [`reverse`](Program::reverse).
    #[expect(clippy::type_complexity, reason = "the type is what the function is about")]
    pub fn with_forward_mode(&self) -> Result<Program<(A, A), (B, B)>, TransformError> {
        self.program.with_forward_mode().map(Program::of_these_shapes)
    }

    /// Whether the gradient is proved, or what stands in the way (Theorem 2).
    #[must_use]
    pub fn certify(&self) -> Certificate {
        self.program.certify()
    }

    /// The program as a contract whose evidence is [`Proved`](crate::Proved).
    ///
    /// # Errors
    ///
    /// The instructions whose rules are not proved.
    pub fn proved(&self) -> Result<ProvedProgram<A, B>, Vec<Obstacle>> {
        match self.certify() {
            Certificate::Proved => Ok(ProvedProgram::certified(self.clone())),
            Certificate::Obstacles(obstacles) => Err(obstacles),
        }
    }

    /// The conditions of the domain, each at the instruction that asks for it.
    #[must_use]
    pub fn domain(&self) -> Vec<DomainCondition> {
        self.program.domain()
    }

    /// What the tape of [`linearize`](Program::linearize) will hold.
    #[must_use]
    pub fn tape_report(&self) -> TapeReport {
        self.program.tape_report()
    }
}

impl<A: Traced, T: Scalar> Program<A, Tensor<(), T>> {
    /// The gradient of a program with one number for output: [`reverse`](Program::reverse) with the cotangent one.
    ///
    /// # Errors
    ///
    /// As [`reverse`](Program::reverse).
    pub fn gradient(&self) -> Result<Program<A, A>, GradientError> {
        let reverse = self.reverse()?;
        Ok(Program::trace_within(*reverse.as_dynamic().limits(), |x| reverse.of((x, Var::ones())))?)
    }

    /// As [`gradient`](Program::gradient), with the value before it.
    ///
    /// # Errors
    ///
    /// As [`reverse`](Program::reverse).
    #[expect(clippy::type_complexity, reason = "the type is what the function is about")]
    pub fn with_gradient(&self) -> Result<Program<A, (Tensor<(), T>, A)>, GradientError> {
        let reverse = self.with_reverse()?;
        Ok(Program::trace_within(*reverse.as_dynamic().limits(), |x| reverse.of((x, Var::ones())))?)
    }
}

/// Why there is no gradient.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GradientError {
    /// There is no reverse program.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// It is past the limits with a constant for a seed.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Whether there is a value of the right shape for each port of a space.
fn fits<'a, A: Traced>(
    all: &'static str,
    what: &'static str,
    found: impl ExactSizeIterator<Item = (&'a str, &'a Shape)>,
) -> Result<(), ShapeError> {
    let mut expected = 0;
    A::ports(&mut Path::default(), &mut |_| expected += 1);
    if found.len() != expected {
        return Err(ShapeError::Count { what: all, expected, found: found.len() });
    }
    let mut found = found.enumerate();
    let mut result = Ok(());
    A::ports(&mut Path::default(), &mut |expected| {
        if let (Ok(()), Some((port, (name, shape)))) = (&result, found.next()) {
            result = same(what, port, name, expected, shape);
        }
    });
    result
}

fn same(what: &'static str, port: usize, name: &str, expected: Port<'_>, found: &Shape) -> Result<(), ShapeError> {
    let name = || name.to_owned();
    if expected.sizes.len() != found.rank() {
        return Err(ShapeError::Rank { what, port, name: name(), expected: expected.axes, found: found.clone() });
    }
    match expected.sizes.iter().zip(found.sizes()).position(|(expected, found)| expected != found) {
        None => Ok(()),
        Some(axis) => Err(ShapeError::Axis {
            what,
            port,
            name: name(),
            axis,
            axis_name: expected.axes[axis],
            expected: expected.sizes[axis],
            found: found.sizes()[axis],
        }),
    }
}

impl<A: Traced, B: Traced> Clone for Program<A, B> {
    fn clone(&self) -> Self {
        Self::of_these_shapes(self.program.clone())
    }
}

/// Equal lists of instructions; names count.
impl<A: Traced, B: Traced> PartialEq for Program<A, B> {
    fn eq(&self, other: &Self) -> bool {
        self.program == other.program
    }
}

impl<A: Traced, B: Traced> Eq for Program<A, B> {}

/// `Program(2 inputs, 7 instructions, 1 output)`.
impl<A: Traced, B: Traced> fmt::Debug for Program<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (inputs, outputs) = (self.program.inputs().len(), self.program.outputs().len());
        write!(
            f,
            "Program({}, {}, {})",
            count(inputs, "input"),
            count(self.program.len(), "instruction"),
            count(outputs, "output")
        )
    }
}

/// A line an instruction.
impl<A: Traced, B: Traced> fmt::Display for Program<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.program.fmt(f)
    }
}
