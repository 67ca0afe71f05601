//! Programs are contracts (Theorem 2).
//!
//! The forward function runs the instructions, the residual is the tape, and the backward rule pulls back from it.
//! What the kernel says of every instruction is known only when the program is there, so the type of a [`Program`] claims nothing; a [`ProvedProgram`] exists only where the certificate does.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pullback_program::EvaluateError;
use pullback_program::evaluate::Tape;

use super::evaluate::{arrays, point};
use super::exact::Evaluable;
use super::traced::{ScalarOf, Traced};
use super::typed::Program;
use crate::contract::seal::{MayCarryProof, OfItsParts};
use crate::contract::{Condition, Contract, Declared, DomainError, Proved, Unproved};
use crate::space::{Cotangent, Over, Space};

/// The tape of a program, as the residual of a contract: one value for each tensor that a rule reads.
///
/// How many coordinates it has is known only of the program, so its dimension counts as unbounded; [`Program::tape_report`] says it.
#[derive(Clone, Debug)]
pub struct ProgramResidual<T: Evaluable> {
    /// Nothing for zero.
    tape: Option<Arc<Tape<T::Number>>>,
}

impl<T: Evaluable> Space for ProgramResidual<T> {
    const DIMENSION: usize = usize::MAX;

    fn zero() -> Self {
        ProgramResidual { tape: None }
    }

    /// Adds the tape of the same program; one of another program lies in another space, and leaves it unchanged.
    fn accumulate(&mut self, term: &Self) {
        match (&mut self.tape, &term.tape) {
            (_, None) => {}
            (tape @ None, term) => tape.clone_from(term),
            (Some(tape), Some(term)) => Arc::make_mut(tape).accumulate(term),
        }
    }
}

/// A program whose gradient is proved: every instruction's rule is (Theorem 2).
///
/// Made by [`Program::proved`] and in no other way.
///
/// # Example
///
/// ```
/// use pullback::program::Program;
/// use pullback::{ContractExt, N, ProvedContract, Tensor, ops};
///
/// type V = Tensor<(N<2>,)>;
/// fn needs_proof<C: ProvedContract>(_: &C) {}
///
/// let smooth = Program::<V, V>::trace(|x| x.tanh() * x)?.proved().expect("both rules are proved");
/// needs_proof(&smooth.then(ops::square()));
///
/// let kinked = Program::<V, V>::trace(|x| x.relu())?;
/// let obstacles = kinked.proved().unwrap_err();
/// assert_eq!(obstacles[0].operator, "relu");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ProvedProgram<A: Traced, B: Traced> {
    // Invariant: its certificate says that every rule is proved.
    program: Program<A, B>,
}

impl<A: Traced, B: Traced> ProvedProgram<A, B> {
    /// A program whose certificate was just made.
    pub(super) fn certified(program: Program<A, B>) -> Self {
        ProvedProgram { program }
    }

    /// The program.
    #[must_use]
    pub fn as_program(&self) -> &Program<A, B> {
        &self.program
    }

    /// The program, without its proof.
    #[must_use]
    pub fn into_program(self) -> Program<A, B> {
        self.program
    }
}

impl<A: Traced, B: Traced> Clone for ProvedProgram<A, B> {
    fn clone(&self) -> Self {
        ProvedProgram { program: self.program.clone() }
    }
}

impl<A: Traced, B: Traced> fmt::Debug for ProvedProgram<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proved({:?})", self.program)
    }
}

/// The evidence comes from the certificate, which the only constructor asks for.
impl<A: Traced, B: Traced> MayCarryProof for ProvedProgram<A, B> {
    type Grounds = OfItsParts<Self>;
}

type Forwarded<B, T> = Result<(B, ProgramResidual<T>), DomainError>;

fn forward<A: Traced + Over<T>, B: Traced + Over<T>, T: Evaluable>(
    program: &Program<A, B>,
    input: A,
) -> Forwarded<B, T> {
    let program = program.as_dynamic();
    let run = || {
        let (output, tape) = program.linearize(&arrays(&input))?;
        if T::EXACT {
            // What the rules can't say must be an error here: a pullback has none.
            program.pullback(&tape, &arrays(&B::zero()))?;
        }
        Ok((point(output)?, ProgramResidual { tape: Some(Arc::new(tape)) }))
    };
    run().map_err(outside)
}

fn pullback<A: Traced + Over<T>, B: Traced + Over<T>, T: Evaluable>(
    program: &Program<A, B>,
    residual: &ProgramResidual<T>,
    seed: Cotangent<B>,
) -> Cotangent<A> {
    // Zero is the residual of no forward.
    let Some(tape) = &residual.tape else { return Cotangent::zero() };
    let gradient = program.as_dynamic().pullback(tape, &arrays(seed.as_inner())).and_then(point);
    // What overflowed or underflowed on the way has no value.
    Cotangent::new(gradient.unwrap_or_else(|_| A::zero().map_coordinates(&mut |_| T::undefined())))
}

/// The error of a program as that of a contract, which is two words: its texts are kept for good, each once.
fn outside(error: EvaluateError) -> DomainError {
    static KNOWN: Mutex<BTreeMap<(String, String), &'static Condition>> = Mutex::new(BTreeMap::new());
    let (operator, condition) = match error {
        EvaluateError::Domain { operator, condition, .. } => (operator, condition),
        EvaluateError::Value { operator, error, .. } => (operator, format!("it has a value; {error}")),
        // Without the place: texts are kept for good.
        EvaluateError::NotFinite { operator, part, .. } => (operator, format!("{part} of it is finite")),
        EvaluateError::Given { what, name, .. } => ("program".to_owned(), format!("the {what} `{name}` is finite")),
        EvaluateError::NoRule { operator, .. } => (operator, "it has a rule within the kernel's limits".to_owned()),
        other => ("program".to_owned(), other.to_string()),
    };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let condition = known.entry((operator, condition)).or_insert_with_key(|(operator, condition)| {
        let keep = |text: &str| -> &'static str { Box::leak(text.into()) };
        Box::leak(Box::new(Condition::new(keep(operator), keep(condition))))
    });
    DomainError::somewhere(condition)
}

impl<A, B> Contract for Program<A, B>
where
    A: Traced + Over<ScalarOf<A, B>>,
    B: Traced + Over<ScalarOf<A, B>>,
    ScalarOf<A, B>: Evaluable,
{
    type Input = A;
    type Output = B;
    type Residual = ProgramResidual<ScalarOf<A, B>>;
    type Evidence = Declared<Unproved>;

    fn forward(&self, input: A) -> Result<(B, Self::Residual), DomainError> {
        forward(self, input)
    }

    fn pullback(&self, residual: &Self::Residual, seed: Cotangent<B>) -> Cotangent<A> {
        pullback(self, residual, seed)
    }
}

impl<A, B> Contract for ProvedProgram<A, B>
where
    A: Traced + Over<ScalarOf<A, B>>,
    B: Traced + Over<ScalarOf<A, B>>,
    ScalarOf<A, B>: Evaluable,
{
    type Input = A;
    type Output = B;
    type Residual = ProgramResidual<ScalarOf<A, B>>;
    type Evidence = Proved;

    fn forward(&self, input: A) -> Result<(B, Self::Residual), DomainError> {
        forward(&self.program, input)
    }

    fn pullback(&self, residual: &Self::Residual, seed: Cotangent<B>) -> Cotangent<A> {
        pullback(&self.program, residual, seed)
    }
}
