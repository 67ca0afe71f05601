//! Suite `programs`: random programs over every operation, four ways to their gradients, and their executables.

use pullback_kernel::Rational;
use pullback_program::agreement::{Agreement, Close, executable, four_ways};
use pullback_program::execute::Numerics;
use pullback_program::random::{self, Options, Random, Sample};

use super::suites::{Context, Failure, SuiteResult};

/// Programs of each kind.
const PROGRAMS: usize = 384;

/// Draws of one program, at most.
const DRAWS: u64 = 64;

/// Runs the suite.
pub(crate) fn run(context: &mut Context<'_>) -> SuiteResult {
    let mut result = SuiteResult::default();
    let names: Vec<&'static str> = random::operations().collect();
    let (mut told, mut exact, mut executables) = (0, 0, 0);
    let programs = PROGRAMS * context.scale;
    context.console.begin(Some(2 * programs));
    for kind in [false, true] {
        for k in 0..programs {
            context.console.advance();
            let operation = Some(names[k % names.len()]);
            let options = Options { instructions: 1 + k % 7, rational: kind, operation, ..Options::default() };
            let seed = context.seed.wrapping_add(k as u64);
            // Not every operation has a value over the rationals, and over doubles another draw always fits.
            let draws = if kind { 1 } else { DRAWS };
            let Some(sample) = (0..draws).find_map(|draw| random::sample(seed.wrapping_add(draw << 32), &options))
            else {
                continue;
            };
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

/// The executables of a program against its statements.
fn planned(sample: &Sample, seed: u64) -> Result<(), String> {
    let compared = executable(&sample.program, &numbers(sample), &mut Random(seed), Numerics::default());
    compared.map_err(|disagreement| disagreement.to_string())
}
