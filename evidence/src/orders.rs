//! Transforms of transforms, compared with a differentiation that shares no code with them: [nilpotent numbers](Nilpotent).
//!
//! With `P` a program made by so many transforms, what is compared is one number, `⟨w, P(z)⟩` for random `w`:
//!
//! ```text
//!   ⟨w, (forward of P)(x, v)⟩ = ⟨w, DP(x) v⟩             the part at ε of ⟨w, P(x + ε v)⟩
//!   ⟨w, (reverse of P)(x, u)⟩ = ⟨w, DP(x)ᵀ u⟩ = ⟨u, DP(x) w⟩   the part at ε of ⟨u, P(x + ε w)⟩
//! ```
//!
//! so that it comes down to the values of the first program, which the statements say.
//! The tape and the directional derivative of `P` are held to the same, one order further.

use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::{Budget, Rational};
use pullback_program::agreement::{Close, draw};
use pullback_program::evaluate::Arrays;
use pullback_program::random::Random;
use pullback_program::{DynProgram, EvaluateError, OperatorError, TransformError};

use crate::nilpotent::Nilpotent;

/// A way to transform a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Its forward program.
    Forward,
    /// Its reverse program.
    Reverse,
}

/// What makes a program of a program, for each mode. Another than the library's own shows what a comparison sees.
pub type Transform<'a> = &'a dyn Fn(Mode, &DynProgram) -> Result<DynProgram, TransformError>;

/// The library's own.
///
/// # Errors
///
/// As [`DynProgram::reverse`].
pub fn transform(mode: Mode, program: &DynProgram) -> Result<DynProgram, TransformError> {
    match mode {
        Mode::Forward => program.forward_mode(),
        Mode::Reverse => program.reverse(),
    }
}

/// The transforms of a program: it, and what at most two of them make of it.
pub const CHAINS: [&[Mode]; 7] = [
    &[],
    &[Mode::Forward],
    &[Mode::Reverse],
    &[Mode::Forward, Mode::Forward],
    &[Mode::Forward, Mode::Reverse],
    &[Mode::Reverse, Mode::Forward],
    &[Mode::Reverse, Mode::Reverse],
];

/// The program that so many transforms make, and inputs for it: those of the first one, and random ones.
///
/// # Errors
///
/// Those of the transforms.
pub fn chained<N: Number>(
    program: &DynProgram,
    inputs: &[Vec<N>],
    chain: &[Mode],
    by: Transform<'_>,
    random: &mut Random,
) -> Result<(DynProgram, Arrays<N>), TransformError> {
    let mut made = program.clone();
    for mode in chain {
        made = by(*mode, &made)?;
    }
    let mut all = inputs.to_vec();
    for input in &made.inputs()[inputs.len().min(made.inputs().len())..] {
        all.push(random.rationals(input.shape.elements()).iter().map(N::rational).collect());
    }
    Ok((made, all))
}

/// Compares a program and all that one or two transforms make of it with nilpotent numbers: values, pullbacks and directional derivatives,
/// which is derivatives of up to third order. Exactly where the numbers are exact. False where these can't say, or an evaluation
/// would take more than the budget.
///
/// # Errors
///
/// What differs, or which way has no value where another one has.
pub fn orders<N: Close + std::fmt::Debug>(
    program: &DynProgram,
    inputs: &[Vec<N>],
    by: Transform<'_>,
    budget: Budget,
    random: &mut Random,
) -> Result<bool, String> {
    for chain in CHAINS {
        match compare(program, inputs, chain, by, budget, random) {
            Err(Stopped::Unknown) => return Ok(false),
            Err(Stopped::Wrong(message)) => return Err(format!("{chain:?}: {message}\n{program}")),
            Ok(()) => {}
        }
    }
    Ok(true)
}

/// Why a comparison ended.
enum Stopped {
    /// The numbers can't say.
    Unknown,
    Wrong(String),
}

impl From<EvaluateError> for Stopped {
    fn from(error: EvaluateError) -> Self {
        match error {
            EvaluateError::Value { error: EvalError::Inexact(_) | EvalError::Unknown(_), .. }
            | EvaluateError::Limit { .. }
            | EvaluateError::NoRule { .. } => Stopped::Unknown,
            EvaluateError::Transform(error) => error.into(),
            other => Stopped::Wrong(other.to_string()),
        }
    }
}

/// A third derivative of some statements is past what the kernel derives: that is said, and no number of theirs is judged.
impl From<TransformError> for Stopped {
    fn from(error: TransformError) -> Self {
        match error {
            TransformError::Operator { error: OperatorError::Limit(_), .. } | TransformError::Limit(_) => {
                Stopped::Unknown
            }
            other => Stopped::Wrong(other.to_string()),
        }
    }
}

fn compare<N: Close + std::fmt::Debug>(
    program: &DynProgram,
    inputs: &[Vec<N>],
    chain: &[Mode],
    by: Transform<'_>,
    budget: Budget,
    random: &mut Random,
) -> Result<(), Stopped> {
    let (made, z) = chained(program, inputs, chain, by, random)?;
    let (made, program) = (made.within(budget), &program.clone().within(budget));
    let (value, tape) = made.linearize(&z)?;
    let (w, d) = (draw(random, &value), draw(random, &z));
    let pulled = made.pullback(&tape, &w)?;
    let (_, pushed) = made.directional(&z, &d)?;

    let both = |more: &[Vec<N>]| z.iter().chain(more).cloned().collect::<Vec<_>>();
    let shared = |chain: &[Mode], z: &[Vec<N>], w: &[Vec<N>]| {
        pairing(program, chain, &lifted(z), &lifted(w)).map(|all| all.value().clone())
    };
    let longer = |mode| chain.iter().copied().chain([mode]).collect::<Vec<_>>();
    let terms = |a: &[Vec<N>], b: &[Vec<N>]| {
        a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a.size() * b.size()).sum::<f64>()
    };
    let scale = (terms(&w, &value) + terms(&w, &pushed) + terms(&pulled, &d)).max(1.0);
    for (what, found, expected) in [
        ("value", dot(&w, &value), shared(chain, &z, &w)?),
        ("directional derivative", dot(&w, &pushed), shared(&longer(Mode::Forward), &both(&d), &w)?),
        ("pullback", dot(&pulled, &d), shared(&longer(Mode::Reverse), &both(&w), &d)?),
    ] {
        if N::differ(std::slice::from_ref(&expected), std::slice::from_ref(&found), scale).is_some() {
            return Err(Stopped::Wrong(format!("the {what} pairs to {found:?}, nilpotent numbers to {expected:?}")));
        }
    }
    Ok(())
}

fn dot<N: Number>(a: &[Vec<N>], b: &[Vec<N>]) -> N {
    let zero = N::rational(&Rational::from_integer(0.into()));
    a.iter().flatten().zip(b.iter().flatten()).fold(zero, |sum, (a, b)| sum.add(&a.mul(b)))
}

fn lifted<N: Number>(arrays: &[Vec<N>]) -> Arrays<Nilpotent<N>> {
    arrays.iter().map(|x| x.iter().cloned().map(Nilpotent::new).collect()).collect()
}

/// `⟨w, P(z)⟩` for the program that a chain of transforms makes, by the values of the first program alone.
fn pairing<N: Number>(
    program: &DynProgram,
    chain: &[Mode],
    z: &[Vec<Nilpotent<N>>],
    w: &[Vec<Nilpotent<N>>],
) -> Result<Nilpotent<N>, EvaluateError> {
    let Some((last, before)) = chain.split_last() else {
        let y = program.evaluate(z)?;
        let zero = Nilpotent::rational(&Rational::from_integer(0.into()));
        let pairs = w.iter().flatten().zip(y.iter().flatten());
        return Ok(pairs.fold(zero, |sum, (w, y)| sum.add(&w.mul(y))));
    };
    let generator = before.len() as u32;
    // What the program before takes, and what was added to it.
    let (x, more) = z.split_at(z.len() - added(program, before, *last));
    let (along, paired) = match last {
        Mode::Forward => (more, w),
        Mode::Reverse => (w, more),
    };
    let moved: Arrays<Nilpotent<N>> =
        x.iter().zip(along).map(|(x, v)| x.iter().zip(v).map(|(x, v)| x.plus(generator, v)).collect()).collect();
    Ok(pairing(program, before, &moved, paired)?.part(generator))
}

/// The counts of inputs and outputs after a chain of transforms.
fn ports(program: &DynProgram, chain: &[Mode]) -> (usize, usize) {
    chain.iter().fold((program.inputs().len(), program.outputs().len()), |(inputs, outputs), mode| match mode {
        Mode::Forward => (2 * inputs, outputs),
        Mode::Reverse => (inputs + outputs, inputs),
    })
}

/// How many inputs the last transform adds.
fn added(program: &DynProgram, before: &[Mode], last: Mode) -> usize {
    let (inputs, outputs) = ports(program, before);
    if last == Mode::Forward { inputs } else { outputs }
}
