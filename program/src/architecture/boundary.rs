//! Whether an evaluation met a boundary: a kink or a tie, where the derivative is what a rule declares.
//!
//! A number type of its own takes note, and numbers know nothing of the evaluation that they are part of, so that the note is the thread's.
//! This module must never change a value or a derivative: what runs on [`Watch`] gives what it gives on dual numbers.

use std::cell::Cell;
use std::cmp::Ordering;

use pullback_kernel::Rational;
use pullback_kernel::eval::{Dual, EvalError, Number};
use pullback_kernel::statement::Function;

thread_local! {
    static MET: Cell<bool> = const { Cell::new(false) };
    /// Whether signs are asked for a choice that no derivative depends on.
    static SMOOTH: Cell<bool> = const { Cell::new(false) };
}

/// Takes note of a boundary, unless within [`smooth`].
fn met() {
    if !SMOOTH.get() {
        MET.set(true);
    }
}

/// What an evaluation gives, and whether it met a boundary.
pub(super) fn watched<R>(evaluation: impl FnOnce() -> R) -> (R, bool) {
    MET.set(false);
    SMOOTH.set(false);
    let result = evaluation();
    (result, MET.get())
}

/// A choice between forms of one smooth function, such as the shift of a softmax: its signs are no boundary.
pub(super) fn smooth<R>(choice: impl FnOnce() -> R) -> R {
    let outer = SMOOTH.replace(true);
    let result = choice();
    SMOOTH.set(outer);
    result
}

/// A float with its derivative that takes note when the sign of a number near zero is asked for that moves: a tie, or a kink.
///
/// What stands still takes the same side on both sides of the point, and so do two that move alike: the function is smooth along the direction, and a rule has its derivative there.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub(super) dual: Dual<f64>,
}

impl Watch {
    pub(super) fn new(dual: Dual<f64>) -> Watch {
        Watch { dual }
    }
}

impl Number for Watch {
    fn rational(q: &Rational) -> Self {
        Watch::new(Dual::rational(q))
    }
    fn add(&self, o: &Self) -> Self {
        Watch::new(self.dual.add(&o.dual))
    }
    fn neg(&self) -> Self {
        Watch::new(self.dual.neg())
    }
    fn mul(&self, o: &Self) -> Self {
        Watch::new(self.dual.mul(&o.dual))
    }
    fn recip(&self) -> Result<Self, EvalError> {
        Number::recip(&self.dual).map(Watch::new)
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        self.dual.call(f).map(Watch::new)
    }
    fn sign(&self) -> Option<Ordering> {
        if self.dual.value.abs() < 1e-9 && self.dual.tangent != 0.0 {
            met();
        }
        self.dual.sign()
    }
}
