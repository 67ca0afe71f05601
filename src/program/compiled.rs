//! Programs planned once and run often.

use core::fmt;

use pullback_program::execute::{CompileError, Executable, ExecuteError, Numerics};

use super::traced::{Path, Traced};
use super::typed::Program;
use crate::contract::Seed;
use crate::scalar::Real;
use crate::space::{Cotangent, Over};

/// A program with its order, kernels and storage decided: made by [`Program::compile`], and run on points of its spaces.
///
/// A run copies the coordinates in and out; what it allocates is the point that it gives, and a list of its tensors.
/// It takes `&mut self` because it works in storage of its own; a clone runs elsewhere.
///
/// # Example
///
/// ```
/// use pullback::program::{Numerics, Program};
/// use pullback::{Cotangent, N, Tensor};
///
/// type V = Tensor<(N<3>,)>;
/// let program = Program::<V, Tensor<()>>::trace(|x| (x * x).reduce_sum_all())?;
/// let mut run = program.compile_with_gradient(Numerics::default())?;
/// let (value, gradient) = run.value_and_pullback(&V::from_fn(|k| k as f32), Cotangent::new(Tensor::scalar(1.0)))?;
/// assert_eq!(value.to_scalar(), 5.0);
/// assert_eq!(gradient.into_inner().as_slice(), [0.0, 2.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Compiled<A: Traced, B: Traced, T> {
    program: Program<A, B>,
    executable: Executable<T>,
    inputs: Coordinates<T>,
    outputs: Coordinates<T>,
    seeds: Coordinates<T>,
    gradients: Coordinates<T>,
}

/// The coordinates of a point, in storage that stays.
#[derive(Clone)]
struct Coordinates<T> {
    flat: Vec<T>,
    lengths: Vec<usize>,
}

impl<T: Real> Coordinates<T> {
    fn of<A: Traced>() -> Self {
        let mut lengths = Vec::new();
        A::ports(&mut Path::default(), &mut |port| lengths.push(port.sizes.iter().product()));
        Coordinates { flat: vec![T::zero(); lengths.iter().sum()], lengths }
    }

    fn set<A: Over<T>>(&mut self, point: &A) {
        self.flat.clear();
        point.visit(&mut |coordinate: &T| self.flat.push(coordinate.clone()));
    }

    fn get<A: Over<T>>(&self) -> Result<A, ExecuteError> {
        // Only a space whose coordinates are not those of its tensors has none.
        A::from_coordinates(&mut self.flat.iter().cloned()).ok_or(ExecuteError::Count {
            what: "coordinates",
            expected: A::DIMENSION,
            found: self.flat.len(),
        })
    }

    fn arrays(&self) -> Vec<&[T]> {
        let mut rest = &self.flat[..];
        let take = |length: &usize| {
            let (array, left) = rest.split_at((*length).min(rest.len()));
            rest = left;
            array
        };
        self.lengths.iter().map(take).collect()
    }

    fn arrays_mut(&mut self) -> Vec<&mut [T]> {
        let mut rest = &mut self.flat[..];
        let mut arrays = Vec::with_capacity(self.lengths.len());
        for length in &self.lengths {
            let (array, left) = rest.split_at_mut((*length).min(rest.len()));
            arrays.push(array);
            rest = left;
        }
        arrays
    }
}

impl<A: Traced, B: Traced> Program<A, B> {
    /// The program planned for its values, over `f32` or `f64`.
    ///
    /// # Errors
    ///
    /// [`CompileError`] for a program whose values are past what a plan can name.
    pub fn compile<T: Real>(&self, numerics: Numerics) -> Result<Compiled<A, B, T>, CompileError>
    where
        A: Over<T>,
        B: Over<T>,
    {
        Ok(Compiled::new(self, Executable::new(self.as_dynamic(), numerics)?))
    }

    /// The program planned for its values and its gradient, over `f32` or `f64`.
    ///
    /// # Errors
    ///
    /// As [`compile`](Program::compile), and where there is no reverse program.
    pub fn compile_with_gradient<T: Real>(&self, numerics: Numerics) -> Result<Compiled<A, B, T>, CompileError>
    where
        A: Over<T>,
        B: Over<T>,
    {
        Ok(Compiled::new(self, Executable::with_gradient(self.as_dynamic(), numerics)?))
    }
}

impl<A: Traced + Over<T>, B: Traced + Over<T>, T: Real> Compiled<A, B, T> {
    fn new(program: &Program<A, B>, executable: Executable<T>) -> Self {
        let (inputs, outputs) = (Coordinates::of::<A>(), Coordinates::of::<B>());
        let (seeds, gradients) = (outputs.clone(), inputs.clone());
        Compiled { program: program.clone(), executable, inputs, outputs, seeds, gradients }
    }

    /// The output at an input.
    ///
    /// # Errors
    ///
    /// [`ExecuteError`] for an input outside of the domain, and for a value that is not finite where that is refused.
    pub fn evaluate(&mut self, input: &A) -> Result<B, ExecuteError> {
        self.inputs.set(input);
        self.executable.run(&self.inputs.arrays(), &mut self.outputs.arrays_mut())?;
        self.outputs.get()
    }

    /// The output at an input, keeping the tape for [`pullback`](Compiled::pullback).
    ///
    /// # Errors
    ///
    /// Those of [`evaluate`](Compiled::evaluate), and [`ExecuteError::NoGradient`] where no gradient was planned.
    pub fn forward(&mut self, input: &A) -> Result<B, ExecuteError> {
        self.inputs.set(input);
        self.executable.forward(&self.inputs.arrays(), &mut self.outputs.arrays_mut())?;
        self.outputs.get()
    }

    /// The cotangent of the input of the last [`forward`](Compiled::forward), for a cotangent of the output.
    ///
    /// # Errors
    ///
    /// [`ExecuteError::NoTape`] where no forward run came before it, or another run came between.
    pub fn pullback(&mut self, seed: impl Seed<B>) -> Result<Cotangent<A>, ExecuteError> {
        self.seeds.set(seed.into_cotangent().as_inner());
        self.executable.pullback(&self.seeds.arrays(), &mut self.gradients.arrays_mut())?;
        self.gradients.get().map(Cotangent::new)
    }

    /// The output at an input, and the cotangent of the input for a cotangent of the output.
    ///
    /// # Errors
    ///
    /// Those of [`forward`](Compiled::forward).
    pub fn value_and_pullback(&mut self, input: &A, seed: impl Seed<B>) -> Result<(B, Cotangent<A>), ExecuteError> {
        self.inputs.set(input);
        self.seeds.set(seed.into_cotangent().as_inner());
        self.executable.value_and_gradient(
            &self.inputs.arrays(),
            &self.seeds.arrays(),
            &mut self.outputs.arrays_mut(),
            &mut self.gradients.arrays_mut(),
        )?;
        Ok((self.outputs.get()?, Cotangent::new(self.gradients.get()?)))
    }

    /// The program.
    #[must_use]
    pub fn as_program(&self) -> &Program<A, B> {
        &self.program
    }
}

impl<A: Traced, B: Traced, T: Clone> Clone for Compiled<A, B, T> {
    fn clone(&self) -> Self {
        Compiled {
            program: self.program.clone(),
            executable: self.executable.clone(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            seeds: self.seeds.clone(),
            gradients: self.gradients.clone(),
        }
    }
}

impl<A: Traced, B: Traced, T> fmt::Debug for Compiled<A, B, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Compiled({:?})", self.program)
    }
}
