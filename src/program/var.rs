//! The variable.

use core::fmt;
use core::marker::PhantomData;
use std::panic::Location;

use super::exact::{Exact, array};
use super::symbolic::Takes;
use super::trace::{self, Slot};
use super::traced::Traced;
use crate::shape::{SameSizes, Shape};
use crate::tensor::Tensor;

/// A value of a program while it is traced: its shape `S` in the type, and no scalar, since a program runs over any.
///
/// [`Program::trace`](super::Program::trace) hands out the first ones; every operation on them is an instruction.
/// `+ - * /` and the methods named after operations take variables of equal shapes, axis names included; a shape that does not fit does not compile.
/// Nothing is broadcast unasked.
///
/// A variable is a name and costs nothing to copy; what is used twice is computed once.
/// It belongs to its trace and its thread: used anywhere else it makes that trace return an error.
pub struct Var<S: Shape> {
    slot: Slot,
    // A name of this thread's trace.
    #[expect(clippy::type_complexity, reason = "a marker lists what it marks")]
    of: PhantomData<(fn() -> S, *const ())>,
}

impl<S: Shape> Var<S> {
    pub(super) fn new(slot: Slot) -> Self {
        Var { slot, of: PhantomData }
    }

    pub(super) fn slot(self) -> Slot {
        self.slot
    }

    /// An exact number in every element, as an instruction of its own.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback::program::{Program, Var};
    /// use pullback::{Rational, Scalar, Tensor};
    ///
    /// type Q = Tensor<(), Rational>;
    /// let third = Rational::from_ratio(1, 3);
    /// let program = Program::<Q, Q>::trace(|x| x * Var::constant(third.clone()))?;
    /// let two = Rational::from_ratio(2, 1);
    /// assert_eq!(program.evaluate(Tensor::scalar(two))?.to_scalar(), Rational::from_ratio(2, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn constant(value: impl Exact) -> Self {
        Var::new(trace::splat(S::SIZES, value.literal(), Location::caller()))
    }

    /// Zero in every element.
    #[track_caller]
    #[must_use]
    pub fn zeros() -> Self {
        Var::new(trace::splat(S::SIZES, pullback_program::Literal::integer(0), Location::caller()))
    }

    /// One in every element.
    #[track_caller]
    #[must_use]
    pub fn ones() -> Self {
        Var::new(trace::splat(S::SIZES, pullback_program::Literal::integer(1), Location::caller()))
    }

    /// The elements of a tensor, as they are now.
    #[track_caller]
    #[must_use]
    pub fn from_tensor<T: Exact>(tensor: &Tensor<S, T>) -> Self {
        Var::new(trace::constant(array(tensor), Location::caller()))
    }

    /// A contract of one input, applied to it; [`Symbolic::of`](super::Symbolic::of) is for any number of inputs.
    #[track_caller]
    #[must_use]
    pub fn apply<C: Takes<Self>>(self, contract: &C) -> <C::Output as Traced>::Vars {
        contract.take(self)
    }

    /// The same value under other names of the axes; the sizes must agree axis by axis.
    #[must_use]
    pub fn rename<Z: Shape>(self) -> Var<Z>
    where
        S: SameSizes<Z>,
    {
        Var::new(self.slot)
    }
}

impl<S: Shape> Clone for Var<S> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Shape> Copy for Var<S> {}

/// `Var(Batch = 32, Hidden = 64) %7`.
impl<S: Shape> fmt::Debug for Var<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Var(")?;
        for (index, (name, size)) in S::NAMES.iter().zip(S::SIZES).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(formatter, "{comma}{name} = {size}")?;
        }
        match self.slot.value() {
            Some(value) => write!(formatter, ") {value}"),
            None => formatter.write_str(") of nothing"),
        }
    }
}

/// Variables that may stand where `Expected` ones are taken.
///
/// Implemented for equal types only, so a shape that does not fit is reported with both names.
#[diagnostic::on_unimplemented(
    message = "E0116: variables do not agree: expected `{Expected}`, found `{Self}`",
    label = "expected `{Expected}`, found `{Self}`",
    note = "axes mix only when their names agree; `rename` says that two names mean the same",
    note = "nothing is broadcast unasked: `broadcast_in_dim` and its kin do it"
)]
pub trait Agrees<Expected> {
    /// The same variables.
    fn agree(self) -> Expected;
}

#[diagnostic::do_not_recommend]
impl<V> Agrees<V> for V {
    #[inline]
    fn agree(self) -> V {
        self
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A [`Var`] of any shape; closed. It lets a method speak about the shape of its argument.
pub trait Variable: sealed::Sealed + Copy {
    /// The shape.
    type Shape: Shape;
}

impl<S: Shape> sealed::Sealed for Var<S> {}

impl<S: Shape> Variable for Var<S> {
    type Shape = S;
}
