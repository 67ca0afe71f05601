//! Suite `random_statements`: proved statements whose products are read at every kind of index, as executables of every scalar
//! and by the reference evaluator.
//!
//! Each statement runs at three lists of sizes: ones and packs without axes, small primes, and about 40 along one dimension.
//! What is judged is the value and the gradient of an executable, twice over:
//!
//! | scalar | with what | how near |
//! | --- | --- | --- |
//! | `f64` | the statement as it is written | what running error analysis allows each number |
//! | `f32` | the same | the same, in singles |
//! | dual numbers over `f64` | the directional derivative of the statement | as `f64` |
//!
//! The evaluator is exact on rationals, where doubles are held to it: so that the two can't be wrong alike.
//! The code that the macro writes is compared with the same evaluator where it is compiled, in the tests of the library.

use std::sync::Arc;

use pullback_kernel::Rational;
use pullback_kernel::eval::Number;
use pullback_kernel::statement::Statement;
use pullback_program::agreement::draw;
use pullback_program::evaluate::Arrays;
use pullback_program::execute::{Executable, Numerics};
use pullback_program::random::statement::Style;
use pullback_program::random::{Extent, Random, sizes, statements};
use pullback_program::running::Running;
use pullback_program::{Builder, DynProgram, Limits, Operation, Operator};
use pullback_scalar::{Dual, Real};

use crate::suite::{Event, Options, Outcome, Suite};

/// The suite.
pub const SUITE: Suite = Suite {
    name: "random_statements",
    about: "proved statements at every kind of index compute what they say, in every scalar and at three sizes",
    draws: true,
    run,
};

/// Statements of each style.
const STATEMENTS: usize = 20;
/// What all dimensions of a statement together are, at most: the evaluator goes through every term.
const VOLUME: usize = 2000;
/// Sizes.
const EXTENTS: [Extent; 3] = [Extent::Ones, Extent::Primes, Extent::Forty];
/// A number past this is of a statement that grows; it is drawn again, smaller, or not at all.
const LARGEST: f64 = 1e9;

fn run(options: &Options, watch: &mut dyn FnMut(Event)) -> Outcome {
    let mut outcome = Outcome::default();
    let count = STATEMENTS * options.scale;
    watch(Event::Steps(2 * count));
    let (mut found, mut points, mut undecided) = (0, 0, 0);
    for rational in [true, false] {
        let style = Style { rational, mild: true, products: true };
        let (mut pool, drawn) = statements(options.seed ^ u64::from(rational), 2 * count, style);
        undecided += drawn - pool.len();
        pool.retain(|operator| {
            EXTENTS.iter().all(|extent| small(operator.statement(), *extent, options.seed).is_some())
        });
        pool.truncate(count);
        found += pool.len();
        for (k, operator) in pool.iter().enumerate() {
            for extent in EXTENTS {
                let mut random = Random(options.seed.wrapping_add((k * 3) as u64 + extent as u64));
                match at(operator, extent, rational, options.seed, &mut random) {
                    Ok(()) => points += 1,
                    Err(message) => {
                        let statement = operator.statement();
                        outcome.fail(operator.name(), format!("{extent:?}: {message}\n{statement}"));
                    }
                }
            }
            watch(Event::Step);
        }
    }
    outcome.count("statements", found, 2 * count);
    outcome.count("points", points, 6 * count);
    outcome.count("without a proof or inputs", undecided, None);
    outcome
}

/// Sizes whose product is small, if there are.
fn small(statement: &Statement, extent: Extent, seed: u64) -> Option<Vec<Vec<usize>>> {
    let draws = (0..64).map(|draw| sizes(statement, extent, &mut Random(seed.wrapping_add(draw))));
    draws.into_iter().find(|sizes| sizes.iter().flatten().product::<usize>() <= VOLUME)
}

/// A program of one instruction.
fn program(operator: &Arc<Operator>, extent: Extent, seed: u64, random: &mut Random) -> Result<DynProgram, String> {
    let statement = operator.statement();
    let dims = small(statement, extent, seed).ok_or("no sizes are small")?;
    let binding = random.binding(statement, dims);
    let operation = Operation::new(operator.clone(), binding, &Limits::default()).map_err(|f| format!("{f:?}"))?;
    let mut builder = Builder::new(Limits::default());
    let mut arguments = vec![];
    for (k, shape) in operation.inputs().to_vec().into_iter().enumerate() {
        arguments.push(builder.input(&format!("x{k}"), shape).map_err(|e| e.to_string())?);
    }
    let results = builder.apply(operation, &arguments).map_err(|e| e.to_string())?;
    results.iter().enumerate().for_each(|(k, value)| _ = builder.output(&format!("y{k}"), *value));
    Ok(builder.finish())
}

fn at(operator: &Arc<Operator>, extent: Extent, exact: bool, seed: u64, random: &mut Random) -> Result<(), String> {
    let words = |error: pullback_program::EvaluateError| error.to_string();
    let program = program(operator, extent, seed, random)?;
    let mut scale = 1;
    loop {
        let of = |random: &mut Random, n: usize| -> Vec<Rational> {
            random.rationals(n).into_iter().map(|q| q / Rational::from_integer(scale.into())).collect()
        };
        let x: Vec<Vec<Rational>> = program.inputs().iter().map(|i| of(random, i.shape.elements())).collect();
        let running = numbers::<Running>(&x);
        let (value, tape) = program.linearize(&running).map_err(words)?;
        let u: Vec<Vec<Rational>> = value.iter().map(|y| of(random, y.len())).collect();
        let pulled = program.pullback(&tape, &numbers(&u)).map_err(words)?;
        let v = draw(random, &x);
        let (_, pushed) = program.directional(&running, &numbers(&v)).map_err(words)?;
        let large = |arrays: &[Vec<Running>]| arrays.iter().flatten().any(|n| n.value.abs() > LARGEST);
        if (large(&value) || large(&pulled) || large(&pushed)) && scale < 1 << 12 {
            scale *= 16;
            continue;
        }
        if exact && extent != Extent::Forty {
            let (by, tape) = program.linearize(&x).map_err(words)?;
            near("exact value", &value, &numbers(&by), 1.0)?;
            near("exact gradient", &pulled, &numbers(&program.pullback(&tape, &u).map_err(words)?), 1.0)?;
        }
        let doubles = planned::<f64>(&program, &numbers(&x), &numbers(&u))?;
        near("value in doubles", &value, &doubles.0, 1.0)?;
        near("gradient in doubles", &pulled, &doubles.1, 1.0)?;
        let singles = planned::<f32>(&program, &numbers(&x), &numbers(&u))?;
        let wide = |arrays: Arrays<f32>| -> Arrays<f64> {
            arrays.into_iter().map(|x| x.into_iter().map(f64::from).collect()).collect()
        };
        near("value in singles", &value, &wide(singles.0), SINGLE)?;
        near("gradient in singles", &pulled, &wide(singles.1), SINGLE)?;
        let moving = |x: &[Vec<Rational>], v: &[Vec<Rational>]| -> Arrays<Dual<f64>> {
            let dual = |(x, v): (&Rational, &Rational)| Dual::new(f64::rational(x), f64::rational(v));
            x.iter().zip(v).map(|(x, v)| x.iter().zip(v).map(dual).collect()).collect()
        };
        let still: Vec<Vec<Rational>> = u.iter().map(|u| vec![Rational::from_integer(0.into()); u.len()]).collect();
        let duals = planned::<Dual<f64>>(&program, &moving(&x, &v), &moving(&u, &still))?;
        let part = |of: fn(&Dual<f64>) -> f64, arrays: &[Vec<Dual<f64>>]| -> Arrays<f64> {
            arrays.iter().map(|x| x.iter().map(of).collect()).collect()
        };
        near("value in dual numbers", &value, &part(|n| n.value, &duals.0), 1.0)?;
        near("tangent in dual numbers", &pushed, &part(|n| n.tangent, &duals.0), 1.0)?;
        return near("gradient in dual numbers", &pulled, &part(|n| n.value, &duals.1), 1.0);
    }
}

/// How much coarser singles are than doubles.
const SINGLE: f64 = f32::EPSILON as f64 / f64::EPSILON;

fn numbers<N: Number>(arrays: &[Vec<Rational>]) -> Arrays<N> {
    arrays.iter().map(|x| x.iter().map(N::rational).collect()).collect()
}

/// Value and gradient of an executable, and the same again by other sweeps.
fn planned<T: Real>(program: &DynProgram, x: &[Vec<T>], u: &[Vec<T>]) -> Result<(Arrays<T>, Arrays<T>), String> {
    let unset = |like: &[Vec<T>]| -> Arrays<T> { like.iter().map(|x| vec![T::zero() / T::zero(); x.len()]).collect() };
    let (x, u): (Vec<&[T]>, Vec<&[T]>) = (x.iter().map(Vec::as_slice).collect(), u.iter().map(Vec::as_slice).collect());
    let mut both = Executable::<T>::with_gradient(program, Numerics::default()).map_err(|e| e.to_string())?;
    let outputs: Vec<Vec<T>> =
        program.outputs().iter().map(|o| vec![T::zero(); program.shape_of(o.value).elements()]).collect();
    let inputs: Vec<Vec<T>> = x.iter().map(|x| x.to_vec()).collect();
    let (mut y, mut dx) = (unset(&outputs), unset(&inputs));
    both.value_and_gradient(&x, &u, &mut slots(&mut y), &mut slots(&mut dx)).map_err(|e| e.to_string())?;
    let first = (y.clone(), dx.clone());
    (y, dx) = (unset(&outputs), unset(&inputs));
    both.forward(&x, &mut slots(&mut y)).map_err(|e| e.to_string())?;
    both.pullback(&u, &mut slots(&mut dx)).map_err(|e| e.to_string())?;
    if first != (y, dx) {
        return Err("a second run gives other numbers".into());
    }
    Ok(first)
}

fn slots<T>(arrays: &mut [Vec<T>]) -> Vec<&mut [T]> {
    arrays.iter_mut().map(Vec::as_mut_slice).collect()
}

/// Each number as near as two ways to it can be, with so many times coarser arithmetic.
fn near(what: &str, expected: &[Vec<Running>], found: &[Vec<f64>], coarser: f64) -> Result<(), String> {
    for (array, (a, b)) in expected.iter().zip(found).enumerate() {
        let far = |(a, b): (&Running, &f64)| (a.value - b).abs() > coarser * a.apart() || (a.value - b).is_nan();
        if let Some(at) = a.iter().zip(b).position(far) {
            return Err(format!("{what}: array {array} at {at}: {} and not {}", b[at], a[at].value));
        }
        if a.len() != b.len() {
            return Err(format!("{what}: array {array} has {} numbers and not {}", b.len(), a.len()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place that is not written, one that is written twice, and a neighbour's number are all seen, in singles too.
    #[test]
    fn a_wrong_number_is_seen() {
        let right = vec![vec![Running::exact(1.5), Running::exact(-0.25)]];
        for coarser in [1.0, SINGLE] {
            assert_eq!(near("right", &right, &[vec![1.5, -0.25]], coarser), Ok(()));
            for wrong in [[1.5, f64::NAN], [3.0, -0.25], [-0.25, 1.5], [1.5, 0.0], [1.5001, -0.25]] {
                assert!(near("wrong", &right, &[wrong.to_vec()], coarser).is_err());
            }
        }
    }
}
