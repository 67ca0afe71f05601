//! How a rule is made of others.

use pullback_scalar::Scalar;

use crate::approximate::Approximate;
use crate::equations;
use crate::flat::{Flat, Remembers};
use crate::points::Points;
use crate::suite::Subject;
use crate::violation::{Law, LawViolation};

/// A claim about how a rule is made of parts: the rule is held to them.
///
/// Fused rules are written by hand because they are fast; this says what they have to agree with.
#[derive(Clone, Copy)]
pub enum Whole<'a, T: Scalar> {
    /// The same function and rule, but for what is saved.
    Same(&'a dyn Flat<T>),
    /// The first, then the second.
    Composite(&'a dyn Flat<T>, &'a dyn Flat<T>),
    /// A composite in another grouping.
    Associated(&'a dyn Remembers<T>),
    /// The rule after the identity.
    AfterIdentity(&'a dyn Remembers<T>),
    /// The rule before the identity.
    BeforeIdentity(&'a dyn Remembers<T>),
    /// The rule with its input for a residual: a checkpoint.
    Checkpoint(&'a dyn Flat<T>),
    /// Both, side by side.
    Product(&'a dyn Flat<T>, &'a dyn Flat<T>),
    /// Both, of one input.
    FanOut(&'a dyn Flat<T>, &'a dyn Flat<T>),
    /// The input twice.
    Duplicate,
    /// Nothing is left of the input.
    Discard,
    /// The rule of two arguments, both of them the one input.
    SharedArgument(&'a dyn Flat<T>),
    /// A step with shared parameters, so many times.
    Repeat {
        /// The step: of parameters and a state, a state.
        step: &'a dyn Flat<T>,
        /// How many coordinates the parameters have.
        parameters: usize,
        /// How many times.
        steps: usize,
    },
    /// The rule on each row of a batch.
    Rows(&'a dyn Flat<T>),
}

impl<T: Scalar> Whole<'_, T> {
    /// The law that the claim is held to.
    #[must_use]
    pub fn law(&self) -> Law {
        match self {
            Whole::Same(_) => equations::composition::SAME_CONTRACT,
            Whole::Composite(..) => equations::composition::COMPOSITE,
            Whole::Associated(_) => equations::composition::ASSOCIATIVE,
            Whole::AfterIdentity(_) => equations::composition::LEFT_UNIT,
            Whole::BeforeIdentity(_) => equations::composition::RIGHT_UNIT,
            Whole::Checkpoint(_) => equations::composition::RECOMPUTED,
            Whole::Product(..) => equations::product::COMPONENTWISE,
            Whole::FanOut(..) => equations::product::FANNED_OUT,
            Whole::Duplicate => equations::product::SHARING_ADDS,
            Whole::Discard => equations::product::DISCARDING_IS_ZERO,
            Whole::SharedArgument(_) => equations::product::SHARED_ARGUMENT,
            Whole::Repeat { .. } => equations::iteration::REPEATED,
            Whole::Rows(_) => equations::iteration::ROW_BY_ROW,
        }
    }
}

impl<T: Approximate> Whole<'_, T> {
    pub(crate) fn check(&self, subject: &Subject<'_, T>, points: &Points<T>) -> Result<(), LawViolation> {
        let (h, x, u) = (subject.rule, &points.x[..], &points.u[..]);
        match *self {
            Whole::Same(f) | Whole::Checkpoint(f) => match subject.remembers {
                // A checkpoint saves its input.
                Some(whole) if self.law() == equations::composition::RECOMPUTED => {
                    equations::recomputed(f, whole, x, u)
                }
                _ => equations::composition::same_as(self.law(), f, h, x, u),
            },
            Whole::Composite(f, g) => equations::composite(f, g, h, x, u),
            Whole::Associated(f) | Whole::AfterIdentity(f) | Whole::BeforeIdentity(f) => match subject.remembers {
                Some(whole) => equations::composition::regrouped(self.law(), whole, f, x, u),
                None => equations::composition::same_as(self.law(), h, f, x, u),
            },
            Whole::Product(f, g) => equations::componentwise(f, g, h, x, u),
            Whole::FanOut(f, g) => equations::fanned_out(f, g, h, x, u),
            Whole::Duplicate => equations::sharing_adds(h, x, u),
            Whole::Discard => equations::discarding_is_zero(h, x),
            Whole::SharedArgument(f) => equations::shared_argument(f, h, x, u),
            Whole::Repeat { step, parameters, steps } => equations::repeated(step, steps, h, parameters, x, u),
            Whole::Rows(f) => equations::row_by_row(f, h, x, u),
        }
    }
}
