//! Floats of either size that carry a bound on their distance from the real they stand for.
//!
//! What [`running`](crate::running) says to first order, for comparisons, is here a bound that holds: underflow is counted, and a divisor that may be zero has no quotient.
//! So a program in the core form, whose exponentials and quotients have nothing that keeps them in range, gives a number with its digits or says where they went.
//! The bound is kept in doubles, each step of it rounded up by more than its own arithmetic loses.
//! This module must never let a bound be smaller than the error.
//!
//! # Source
//!
//! Higham, *Accuracy and stability of numerical algorithms*, 2002, §2.2 (the model with underflow) and §3.3 (running error bounds).

use std::cmp::Ordering;

use pullback_kernel::Rational;
use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::statement::Function;

use crate::evaluate::{Arrays, EvaluateError, at};
use crate::lowering::CORE;
use crate::numerics::{Numerics, Part};
use crate::operation::Operation;
use crate::program::DynProgram;
use crate::transform::Origins;

/// A float type, for [`Bounded`].
pub trait Float: Number + Copy + private::Sealed {
    /// The distance from one to the next number: twice the largest relative error of an operation.
    const UNIT: f64;
    /// How much of the greatest magnitude in its array an element may be off: three digits of a single, four of a double.
    const TOLERANCE: f64;
    /// More than what a result that underflows loses.
    const TINY: f64;
    /// The number as a double, exactly.
    fn double(self) -> f64;
}

mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Float for f32 {
    const UNIT: f64 = f32::EPSILON as f64;
    const TOLERANCE: f64 = 5e-4;
    // The smallest of its numbers.
    const TINY: f64 = 1.5e-45;
    fn double(self) -> f64 {
        f64::from(self)
    }
}

impl Float for f64 {
    const UNIT: f64 = f64::EPSILON;
    const TOLERANCE: f64 = 1e-4;
    // Terms of a bound underflow as well.
    const TINY: f64 = f64::MIN_POSITIVE;
    fn double(self) -> f64 {
        self
    }
}

/// A float and a bound on its error. See the module docs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounded<F> {
    /// The float, as it comes out without a bound.
    pub value: F,
    /// It is no farther than this from the real; infinite where nothing is known.
    pub error: f64,
}

impl<F: Float> Bounded<F> {
    /// A number that is what it says.
    pub fn exact(value: F) -> Self {
        Bounded { value, error: 0.0 }
    }

    /// The result of an operation that rounds so many times at most, behind what its operands' errors make of it.
    fn rounded(value: F, passed: f64, times: f64) -> Self {
        let own = times * F::UNIT * value.double().abs() + F::TINY;
        let error = (passed + own) * (1.0 + 16.0 * f64::EPSILON);
        // Infinities times zero: nothing is known.
        Bounded { value, error: if error.is_nan() { f64::INFINITY } else { error } }
    }

    fn size(&self) -> f64 {
        self.value.double().abs()
    }

    /// The smallest that the real may be, for one that is positive; none where it may not be.
    fn low(&self) -> Option<f64> {
        let low = self.value.double() - self.error;
        let low = low - low.abs() * f64::EPSILON;
        (low > 0.0).then_some(low)
    }
}

impl<F: Float> Number for Bounded<F> {
    const ROUNDS: bool = true;

    fn rational(q: &Rational) -> Self {
        let value = F::rational(q);
        let exact = Rational::from_float(value.double()).is_some_and(|found| found == *q);
        if exact { Bounded::exact(value) } else { Bounded::rounded(value, 0.0, 1.0) }
    }
    fn float(x: f64) -> Self {
        let value = F::float(x);
        if value.double() == x { Bounded::exact(value) } else { Bounded::rounded(value, 0.0, 1.0) }
    }
    fn add(&self, o: &Self) -> Self {
        let value = self.value.add(&o.value);
        let sum = self.value.double() + o.value.double();
        // What is added without rounding, such as zero, adds nothing to the bound.
        if self.error + o.error == 0.0 && (self.size() == 0.0 || o.size() == 0.0) {
            return Bounded::exact(value);
        }
        if sum == 0.0 {
            return Bounded { value, error: (self.error + o.error) * (1.0 + 16.0 * f64::EPSILON) };
        }
        Bounded::rounded(value, self.error + o.error, 1.0)
    }
    fn neg(&self) -> Self {
        Bounded { value: self.value.neg(), error: self.error }
    }
    fn mul(&self, o: &Self) -> Self {
        let value = self.value.mul(&o.value);
        let known = |x: &Self, at: f64| x.error == 0.0 && x.value.double() == at;
        if known(self, 0.0) || known(o, 0.0) {
            return Bounded::exact(value);
        }
        // An infinite bound times zero is no bound: `rounded` says so.
        if known(self, 1.0) || known(o, 1.0) {
            return Bounded { value, error: self.error + o.error };
        }
        let passed = self.size() * o.error + o.size() * self.error + self.error * o.error;
        Bounded::rounded(value, passed, 1.0)
    }
    fn recip(&self) -> Result<Self, EvalError> {
        let value = self.value.recip()?;
        let low = self.size() - self.error;
        if low.is_nan() || low <= 0.0 {
            return Ok(Bounded { value, error: f64::INFINITY });
        }
        Ok(Bounded::rounded(value, self.error / self.size() / low * (1.0 + 16.0 * f64::EPSILON), 1.0))
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        let value = self.value.call(f)?;
        let nothing = Bounded { value, error: f64::INFINITY };
        // Functions of the platform are a few units off at most.
        const UNITS: f64 = 4.0;
        let passed = match f {
            Function::Recip => return self.recip(),
            Function::Exp => (value.double().abs() * (1.0 + UNITS * F::UNIT) + F::TINY) * self.error.exp_m1(),
            // No slope is greater than one.
            Function::Tanh | Function::Sin | Function::Cos => self.error,
            Function::Rsqrt => match self.low() {
                Some(low) => 0.5 * self.error / (low * low.sqrt()) * (1.0 + 16.0 * f64::EPSILON),
                None => return Ok(nothing),
            },
            Function::Sqrt => match self.low() {
                Some(low) => self.error / low.sqrt(),
                None => return Ok(nothing),
            },
            Function::Log => match self.low() {
                Some(low) => self.error / low,
                None => return Ok(nothing),
            },
            // The core has no others.
            _ => return Ok(nothing),
        };
        Ok(Bounded::rounded(value, passed, UNITS))
    }
    fn is_finite(&self) -> bool {
        self.value.is_finite()
    }
    fn sign(&self) -> Option<Ordering> {
        let sign = self.value.sign();
        // Of a number within its error of zero nobody knows on which side it is.
        if self.error > 0.0 && self.size() <= self.error { None } else { sign }
    }
}

/// The greatest magnitude in an array, and the greatest bound.
fn extent<F: Float>(array: &[Bounded<F>]) -> (f64, f64) {
    array.iter().fold((0.0, 0.0), |(size, error), x| (x.size().max(size), x.error.max(error)))
}

/// Whether an operation is of the core: the operation itself, or what it is derived from.
fn is_core(operation: &Operation) -> bool {
    let operator = operation.operator();
    operator.is_in_library() && CORE.contains(&operator.name())
}

impl DynProgram {
    /// Whether the program is in the core form: of operations of the core alone, and with an exponential, a reciprocal or an inverse root among them,
    /// which nothing keeps in range there.
    pub fn is_core_form(&self) -> bool {
        let open = ["exponential", "reciprocal", "rsqrt"];
        let applied: Vec<_> = self.instructions().map(|i| i.operation).collect();
        let operations = || applied.iter().map(|at| &self.operations()[*at]);
        operations().all(|o| is_core(o)) && operations().any(|o| open.contains(&o.operator().name()))
    }

    /// The outputs in floats, right to a few digits at least, or an error that names the instruction where they went.
    ///
    /// Each element is right to three digits in singles and four in doubles, relative to the greatest magnitude in its array,
    /// or to a few units in the last place of the greatest magnitude in all results.
    /// Inputs count as exact. The bound holds whatever the program; it is what the core form needs, whose exponentials overflow and whose quotients underflow.
    ///
    /// # Errors
    ///
    /// As [`evaluate`](DynProgram::evaluate); [`EvaluateError::Digits`] where the bound is past that.
    ///
    /// # Complexity
    ///
    /// As [`evaluate`](DynProgram::evaluate), times a small number.
    pub fn evaluate_bounded<F: Float>(&self, inputs: &[Vec<F>]) -> Result<Arrays<F>, EvaluateError> {
        self.bounded(inputs, None, 0)
    }

    /// The cotangents of the inputs in floats, as [`evaluate_bounded`](DynProgram::evaluate_bounded) gives the outputs.
    ///
    /// # Errors
    ///
    /// As [`evaluate_bounded`](DynProgram::evaluate_bounded), and where there is no reverse program.
    pub fn pullback_bounded<F: Float>(
        &self,
        inputs: &[Vec<F>],
        cotangents: &[Vec<F>],
    ) -> Result<Arrays<F>, EvaluateError> {
        let (joint, origins) = self.joint().map_err(EvaluateError::Transform)?;
        let seeded = [inputs, cotangents].concat();
        joint.bounded(&seeded, Some(&origins), self.outputs().len())
    }

    /// The tangents of the outputs in floats, as [`evaluate_bounded`](DynProgram::evaluate_bounded) gives the outputs.
    /// Errors name instructions of the [`forward program`](DynProgram::forward_mode).
    ///
    /// # Errors
    ///
    /// As [`evaluate_bounded`](DynProgram::evaluate_bounded), and where there is no forward program.
    pub fn pushforward_bounded<F: Float>(
        &self,
        inputs: &[Vec<F>],
        tangents: &[Vec<F>],
    ) -> Result<Arrays<F>, EvaluateError> {
        let forward = self.forward_mode().map_err(EvaluateError::Transform)?;
        forward.bounded(&[inputs, tangents].concat(), None, 0)
    }

    /// The outputs behind the first ones, which are left out.
    fn bounded<F: Float>(
        &self,
        inputs: &[Vec<F>],
        origins: Option<&Origins>,
        first: usize,
    ) -> Result<Arrays<F>, EvaluateError> {
        let exact = |x: &Vec<F>| x.iter().copied().map(Bounded::exact).collect::<Vec<_>>();
        let inputs: Vec<Vec<Bounded<F>>> = inputs.iter().map(exact).collect();
        let place = |error: EvaluateError| match origins {
            Some(origins) => error.moved(|joint| origins.of(joint)),
            None => error,
        };
        // The first instruction behind each value at which a result lost its digits.
        let mut lost: Vec<Option<(usize, f64, f64)>> = vec![None; self.inputs().len()];
        let mut watch = |instruction: usize, results: &[Vec<Bounded<F>>]| {
            let applied = self.instruction(instruction);
            let earlier = applied.arguments.iter().filter_map(|a| lost[a.index()]).min_by_key(|l| l.0);
            for result in results {
                let (size, error) = extent(result);
                let own = (error > F::TOLERANCE * size).then_some((instruction, size, error));
                lost.push(earlier.or(own));
            }
        };
        let mut outputs = self.evaluate_watched(&inputs, Numerics::default(), &mut watch).map_err(place)?;
        let outputs = outputs.split_off(first);
        let greatest = outputs.iter().map(|o| extent(o).0).fold(0.0, f64::max);
        for (output, array) in self.outputs()[first..].iter().zip(&outputs) {
            let (size, error) = extent(array);
            if error <= (F::TOLERANCE * size).max(64.0 * F::UNIT * greatest) {
                continue;
            }
            let last = self.producer(output.value).map_or(0, |p| p.0);
            let (instruction, size, error) = lost[output.value.index()].unwrap_or((last, size, error));
            let (instruction, operator) = at(self, instruction);
            let (size, error) = (format!("{size:.1e}"), format!("{error:.1e}"));
            return Err(place(EvaluateError::Digits { instruction, operator, part: Part::Value, size, error }));
        }
        Ok(outputs.into_iter().map(|o| o.into_iter().map(|x| x.value).collect()).collect())
    }
}
