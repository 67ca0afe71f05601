//! Evaluation over a scalar: values, tapes and directional derivatives, by the statements as they are written.

use pullback_program::evaluate::{AtBoundary, Checked, Tape};
use pullback_program::{EvaluateError, Numerics};

use super::exact::Evaluable;
use super::traced::{Path, Traced};
use super::typed::Program;
use crate::contract::Seed;
use crate::space::{Cotangent, Over};

/// The coordinates of a point, an array for each port.
pub(super) fn arrays<T: Evaluable, A: Traced + Over<T>>(point: &A) -> Vec<Vec<T::Number>> {
    let mut coordinates = point.coordinates().into_iter().map(T::into_number);
    let mut arrays = Vec::new();
    A::ports(&mut Path::default(), &mut |port| {
        arrays.push(coordinates.by_ref().take(port.sizes.iter().product()).collect());
    });
    arrays
}

/// The point with these arrays for its ports.
pub(super) fn point<T: Evaluable, A: Traced + Over<T>>(arrays: Vec<Vec<T::Number>>) -> Result<A, EvaluateError> {
    let found = arrays.iter().map(Vec::len).sum();
    let mut coordinates = arrays.into_iter().flatten().map(T::from_number);
    // Only a space whose coordinates are not those of its tensors gets here.
    A::from_coordinates(&mut coordinates).ok_or(EvaluateError::Count {
        what: "coordinates",
        expected: A::DIMENSION,
        found,
    })
}

impl<A: Traced, B: Traced> Program<A, B> {
    /// The output at an input.
    ///
    /// Every statement is evaluated as it is written, which is slow, for every number.
    ///
    /// # Errors
    ///
    /// [`EvaluateError`] for an input outside of the domain, and for a value that the scalar can't say, with the instruction.
    pub fn evaluate<T: Evaluable>(&self, input: A) -> Result<B, EvaluateError>
    where
        A: Over<T>,
        B: Over<T>,
    {
        point(self.as_dynamic().evaluate(&arrays(&input))?)
    }

    /// As [`evaluate`](Program::evaluate), with the boundaries of declared rules that it touched: kinks, ties and jumps, where a derivative is what the rule says.
    ///
    /// # Errors
    ///
    /// Those of [`evaluate`](Program::evaluate), and [`EvaluateError::Boundary`] for a boundary, where that is refused.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback::program::{AtBoundary, Program};
    /// use pullback::{N, Tensor};
    ///
    /// type V = Tensor<(N<3>,), f64>;
    /// let program = Program::<V, V>::trace(|x| x.relu())?;
    /// let checked = program.evaluate_checked(V::from_fn(|k| k as f64 - 1.0), AtBoundary::Say)?;
    /// assert_eq!(checked.value.as_slice(), [0.0, 0.0, 1.0]);
    /// assert_eq!((checked.touched[0].first, checked.touched[0].elements), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn evaluate_checked<T: Evaluable>(&self, input: A, boundary: AtBoundary) -> Result<Checked<B>, EvaluateError>
    where
        A: Over<T>,
        B: Over<T>,
    {
        let Checked { value, touched } =
            self.as_dynamic().evaluate_checked(&arrays(&input), Numerics::default(), boundary)?;
        Ok(Checked { value: point(value)?, touched })
    }

    /// The output at an input, and the backward rule there: every instruction runs forward and saves what its rule reads.
    ///
    /// # Errors
    ///
    /// Those of [`evaluate`](Program::evaluate), and [`EvaluateError::NoRule`] for an operation without a rule.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback::program::Program;
    /// use pullback::{Cotangent, N, Tensor};
    ///
    /// type V = Tensor<(N<2>,), f64>;
    /// let program = Program::<V, V>::trace(|x| x * x)?;
    /// let (_, at) = program.linearize(V::from_fn(|k| k as f64))?;
    /// assert_eq!(at.pullback(Cotangent::new(V::full(1.0)))?.into_inner().as_slice(), [0.0, 2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn linearize<T: Evaluable>(&self, input: A) -> Result<(B, Linear<A, B, T>), EvaluateError>
    where
        A: Over<T>,
        B: Over<T>,
    {
        let (output, tape) = self.as_dynamic().linearize(&arrays(&input))?;
        Ok((point(output)?, Linear { program: self.clone(), tape }))
    }

    /// The output at an input, and the derivative there in a direction.
    ///
    /// # Errors
    ///
    /// Those of [`evaluate`](Program::evaluate).
    pub fn directional<T: Evaluable>(&self, input: A, tangent: A) -> Result<(B, B), EvaluateError>
    where
        A: Over<T>,
        B: Over<T>,
    {
        let (output, tangent) = self.as_dynamic().directional(&arrays(&input), &arrays(&tangent))?;
        Ok((point(output)?, point(tangent)?))
    }
}

/// A program at one input: its backward rule with the tape that was saved there; made by [`Program::linearize`].
#[derive(Clone, Debug)]
pub struct Linear<A: Traced, B: Traced, T: Evaluable> {
    program: Program<A, B>,
    tape: Tape<T::Number>,
}

impl<A: Traced + Over<T>, B: Traced + Over<T>, T: Evaluable> Linear<A, B, T> {
    /// The cotangent of the input for a cotangent of the output.
    ///
    /// # Errors
    ///
    /// [`EvaluateError`] for a value that the scalar can't say.
    pub fn pullback(&self, seed: impl Seed<B>) -> Result<Cotangent<A>, EvaluateError> {
        let seeds = arrays(seed.into_cotangent().as_inner());
        Ok(Cotangent::new(point(self.program.as_dynamic().pullback(&self.tape, &seeds)?)?))
    }

    /// What was saved.
    #[must_use]
    pub fn tape(&self) -> &Tape<T::Number> {
        &self.tape
    }
}
