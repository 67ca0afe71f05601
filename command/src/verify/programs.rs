//! Suite `programs`: random programs over every operation, four ways to their gradients, and their executables.

use pullback_kernel::Rational;
use pullback_program::DynProgram;
use pullback_program::agreement::{Agreement, Close, draw, four_ways};
use pullback_program::execute::{Executable, Numerics};
use pullback_program::random::{self, Options, Random, Sample};

use super::suites::{Context, Failure, SuiteResult};

/// Programs of each kind.
const PROGRAMS: usize = 384;

/// Runs the suite.
pub(crate) fn run(context: &mut Context<'_>) -> SuiteResult {
    let mut result = SuiteResult::default();
    let names: Vec<&'static str> = random::operations().collect();
    let (mut told, mut exact, mut executables) = (0, 0, 0);
    context.console.begin(Some(2 * PROGRAMS));
    for kind in [false, true] {
        for k in 0..PROGRAMS {
            context.console.advance();
            let operation = Some(names[k % names.len()]);
            let options = Options { instructions: 1 + k % 7, rational: kind, operation, ..Options::default() };
            let seed = context.seed.wrapping_add(k as u64);
            let Some(sample) = random::sample(seed, &options) else { continue };
            let found = if kind {
                compare::<Rational>(&sample, seed).map(|agree| exact += usize::from(agree))
            } else {
                compare::<f64>(&sample, seed)
                    .map(|agree| told += usize::from(agree))
                    .and_then(|()| planned(&sample, seed).map(|()| executables += 1))
            };
            if let Err(message) = found {
                result.failures.push(Failure::Law { name: format!("program {seed}"), message });
            }
        }
    }
    if told == 0 || exact == 0 {
        result.failures.push(Failure::Internal { error: "no program was compared".into() });
    }
    result.counts = vec![("agree in doubles", told), ("agree exactly", exact), ("executables", executables)];
    result
}

fn numbers<N: Close>(sample: &Sample) -> Vec<Vec<N>> {
    sample.inputs.iter().map(|x| x.iter().map(N::rational).collect()).collect()
}

/// Whether the four ways could be compared; an error where they differ.
fn compare<N: Close>(sample: &Sample, seed: u64) -> Result<bool, String> {
    let found = four_ways(&sample.program, &numbers::<N>(sample), &mut Random(seed));
    found.map(|agreement| agreement == Agreement::Agree).map_err(|disagreement| disagreement.to_string())
}

/// The executable of a program against its tape.
fn planned(sample: &Sample, seed: u64) -> Result<(), String> {
    let (program, inputs) = (&sample.program, numbers::<f64>(sample));
    let (value, tape) = program.linearize(&inputs).map_err(|error| error.to_string())?;
    let seeds: Vec<Vec<f64>> = draw(&mut Random(seed), &value);
    let gradient = program.pullback(&tape, &seeds).map_err(|error| error.to_string())?;
    let (mut y, mut dx) = (zeros(&value), zeros(&inputs));
    let mut executable = Executable::with_gradient(program, Numerics::default()).map_err(|error| error.to_string())?;
    let mut slots = (
        y.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>(),
        dx.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>(),
    );
    executable
        .value_and_gradient(&slices(&inputs), &slices(&seeds), &mut slots.0, &mut slots.1)
        .map_err(|error| error.to_string())?;
    agree("value", program, &value, &y)?;
    agree("gradient", program, &gradient, &dx)
}

fn slices(arrays: &[Vec<f64>]) -> Vec<&[f64]> {
    arrays.iter().map(Vec::as_slice).collect()
}

fn zeros(like: &[Vec<f64>]) -> Vec<Vec<f64>> {
    like.iter().map(|x| vec![0.0; x.len()]).collect()
}

fn agree(what: &str, program: &DynProgram, a: &[Vec<f64>], b: &[Vec<f64>]) -> Result<(), String> {
    let scale = a.iter().flatten().fold(1.0_f64, |s, x| s.max(x.abs()));
    match a.iter().zip(b).find_map(|(a, b)| f64::differ(a, b, scale)) {
        None => Ok(()),
        Some(at) => Err(format!("the {what} of the executable differs at {at}\n{program}")),
    }
}
