//! Suite `random_programs`: programs that mix operations of the library with random statements, and all that one or two
//! transforms make of them.
//!
//! | what is judged | with what | how near |
//! | --- | --- | --- |
//! | values, pullbacks and directional derivatives on rationals, to third order | nilpotent numbers ([`orders`]) | exactly |
//! | the same in 106 bits, of smooth programs | the same | 1e-20 of the terms |
//! | executables of all of these programs, in sweeps one after the other | the statements as they are written | what running error analysis allows each number |
//!
//! Programs have 5 to 30 instructions, half of them random statements, and half of their axes have length 1.

use pullback_kernel::eval::Number;
use pullback_kernel::{Budget, Rational};
use pullback_program::agreement::{Close, executable};
use pullback_program::evaluate::Arrays;
use pullback_program::execute::{Nonfinite, Numerics};
use pullback_program::random::statement::Style;
use pullback_program::random::{self, Random, Sample, sample, statements};

use crate::double::Double;
use crate::orders::{CHAINS, Transform, chained, orders, transform};
use crate::suite::{Event, Options, Outcome, Suite};

/// The suite.
pub const SUITE: Suite = Suite {
    name: "random_programs",
    about: "programs of the library's and of random statements agree with nilpotent numbers to third order, planned or not",
    draws: true,
    run,
};

/// Programs of each kind.
const PROGRAMS: usize = 4;
/// Random statements that they are made with, of each style.
const STATEMENTS: usize = 12;
/// Programs that are made with the same random statements.
const POOL: usize = 12;
/// Work of one evaluation: derivatives of derivatives of some statements have loops within loops, and another draw has not.
const WORK: u64 = 1 << 24;
/// Draws of one program, at most.
const DRAWS: u64 = 64;

/// To 1e-20 of the largest number around: what 106 bits leave where a dozen digits cancel.
impl Close for Double {
    fn differ(a: &[Self], b: &[Self], scale: f64) -> Option<usize> {
        let apart = |(a, b): (&Double, &Double)| {
            let apart = a.add(&b.neg()).size();
            apart > 1e-20 * scale || apart.is_nan()
        };
        a.iter().zip(b).position(apart)
    }
    fn size(&self) -> f64 {
        self.abs().high
    }
}

fn run(options: &Options, watch: &mut dyn FnMut(Event)) -> Outcome {
    let mut outcome = Outcome::default();
    let count = PROGRAMS * options.scale;
    watch(Event::Steps(2 * count));
    let (mut exact, mut smooth, mut executables, mut own) = (0, 0, 0, 0);
    for rational in [true, false] {
        let mut samples = Samples::new(options.seed, rational);
        for k in 0..count {
            let seed = options.seed.wrapping_add(k as u64);
            if k > 0 && k % POOL == 0 {
                samples = Samples::new(seed, rational);
            }
            // Some programs leave what rationals can say; another draw does not.
            let mut found = Ok(false);
            for draw in 0..DRAWS {
                // Derivatives of the statements at hand may all be too long.
                if draw > 0 && draw % (DRAWS / 4) == 0 {
                    samples = Samples::new(seed.wrapping_add(draw << 48), rational);
                }
                let Some(sample) = samples.draw(seed.wrapping_add(draw << 32), k) else { continue };
                found = judge(&sample, rational, seed, &transform, &mut executables);
                if found != Ok(false) {
                    own += sample
                        .program
                        .operations()
                        .iter()
                        .filter(|o| o.operator().name().starts_with("random_"))
                        .count();
                    break;
                }
            }
            match found {
                Ok(told) => *(if rational { &mut exact } else { &mut smooth }) += usize::from(told),
                Err(message) => outcome.fail(format!("program {seed}"), message),
            }
            watch(Event::Step);
        }
    }
    outcome.count("agree exactly", exact, count);
    outcome.count("agree in 106 bits", smooth, count);
    outcome.count("executables", executables, count * CHAINS.len());
    outcome.count("operations of random statements", own, None);
    outcome
}

/// Programs over a pool of statements.
struct Samples {
    options: random::Options,
}

impl Samples {
    fn new(seed: u64, rational: bool) -> Samples {
        let style = Style { rational, mild: true, products: seed.is_multiple_of(2) };
        let (statements, _) = statements(seed.wrapping_mul(31) ^ u64::from(rational), STATEMENTS, style);
        let options =
            random::Options { rational, declared: false, ones: true, statements, ..random::Options::default() };
        Samples { options }
    }

    fn draw(&self, seed: u64, k: usize) -> Option<Sample> {
        let most = if self.options.rational { 9 } else { 26 };
        sample(seed, &random::Options { instructions: 5 + k % most, ..self.options.clone() })
    }
}

/// One program in all ways; false where its numbers can't say.
fn judge(
    sample: &Sample,
    rational: bool,
    seed: u64,
    by: Transform<'_>,
    executables: &mut usize,
) -> Result<bool, String> {
    let budget = Budget::default().with_work(WORK);
    if rational {
        return orders::<Rational>(&sample.program, &sample.inputs, by, budget, &mut Random(seed));
    }
    if !orders::<Double>(&sample.program, &numbers(sample), by, budget, &mut Random(seed))? {
        return Ok(false);
    }
    for chain in CHAINS {
        let mut random = Random(seed);
        let (program, inputs) = chained::<f64>(&sample.program, &numbers(sample), chain, by, &mut random)
            .map_err(|error| error.to_string())?;
        let nonfinite = if seed.is_multiple_of(2) { Nonfinite::Allow } else { Nonfinite::Refuse };
        executable(&program, &inputs, &mut random, Numerics { nonfinite })
            .map_err(|error| format!("{chain:?}: {error}"))?;
        *executables += 1;
    }
    Ok(true)
}

fn numbers<N: Number>(sample: &Sample) -> Arrays<N> {
    sample.inputs.iter().map(|x| x.iter().map(N::rational).collect()).collect()
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test fails by panicking")]
mod tests {
    use pullback_program::{Builder, DynProgram, Limits, TransformError, ValueId};

    use super::*;
    use crate::orders::Mode;

    /// The program with each `add` in place of which one of its arguments stands: what is added to is overwritten, or stays.
    fn without_adding(program: &DynProgram, argument: usize) -> DynProgram {
        let mut builder = Builder::new(Limits::default());
        let input = |i: &pullback_program::Input| builder.input(&i.name, i.shape.clone()).expect("it was one");
        let mut place: Vec<ValueId> = program.inputs().iter().map(input).collect();
        for instruction in program.instructions() {
            let operation = program.operation_of(&instruction);
            let arguments: Vec<ValueId> = instruction.arguments.iter().map(|a| place[a.index()]).collect();
            if operation.operator().name() == "add" {
                place.push(arguments[argument]);
            } else {
                place.extend(builder.apply((**operation).clone(), &arguments).expect("it was one"));
            }
        }
        for output in program.outputs() {
            builder.output(&output.name, place[output.value.index()]);
        }
        builder.finish()
    }

    /// A reverse program that overwrites a cotangent instead of adding to it is seen by nilpotent numbers, in both kinds of numbers,
    /// by the four ways and by the suite of rational graphs' own pairing: not by one of them alone.
    #[test]
    fn a_reverse_program_that_overwrites_is_seen() {
        let right = |mode: Mode, program: &DynProgram| transform(mode, program);
        for argument in [0, 1] {
            let wrong = |mode: Mode, program: &DynProgram| -> Result<DynProgram, TransformError> {
                let made = transform(mode, program)?;
                Ok(if mode == Mode::Reverse { without_adding(&made, argument) } else { made })
            };
            for rational in [true, false] {
                let samples = Samples::new(5, rational);
                let (mut tried, mut seen) = (0, 0);
                for seed in 0..40 {
                    let Some(sample) = samples.draw(seed, 2) else { continue };
                    // Where something is added at all.
                    let reverse = sample.program.reverse().expect("it has one");
                    let own = sample.program.operations().iter().all(|o| o.operator().name() != "add");
                    let adds = reverse.operations().iter().any(|o| o.operator().name() == "add");
                    if !own || !adds || tried == 5 {
                        continue;
                    }
                    // What is dropped may have been zero: then there is nothing to be seen.
                    let (mut z, mut random) = (sample.inputs.clone(), Random(seed));
                    for input in &reverse.inputs()[z.len()..] {
                        z.push(random.rationals(input.shape.elements()));
                    }
                    let at = |program: &DynProgram| -> Vec<Vec<f64>> {
                        let z: Vec<Vec<f64>> = z.iter().map(|x| x.iter().map(f64::rational).collect()).collect();
                        program.evaluate(&z).expect("it has a value")
                    };
                    let apart = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-6 * a.abs().max(1.0);
                    let (right_values, wrong_values) = (at(&reverse), at(&without_adding(&reverse, argument)));
                    if !right_values.iter().flatten().zip(wrong_values.iter().flatten()).any(apart) {
                        continue;
                    }
                    match judge(&sample, rational, seed, &right, &mut 0) {
                        Ok(true) => tried += 1,
                        Ok(false) => continue,
                        Err(message) => panic!("{message}"),
                    }
                    seen += usize::from(judge(&sample, rational, seed, &wrong, &mut 0).is_err());
                }
                assert!(tried >= 3 && seen == tried, "{seen} of {tried}, rational: {rational}");
            }
        }
    }
}
