//! Executables against the statements as they are written.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use pullback_kernel::eval::Number;
use pullback_program::DynProgram;
use pullback_program::agreement::executable;
use pullback_program::execute::{Executable, ExecuteError, Nonfinite, Numerics};
use pullback_program::random::{self, Options, Random};
use support::{Net, chain};

type Arrays = Vec<Vec<f64>>;

fn slices(arrays: &Arrays) -> Vec<&[f64]> {
    arrays.iter().map(Vec::as_slice).collect()
}

fn slots(arrays: &mut Arrays) -> Vec<&mut [f64]> {
    arrays.iter_mut().map(Vec::as_mut_slice).collect()
}

fn zeros(lengths: impl Iterator<Item = usize>) -> Arrays {
    lengths.map(|n| vec![0.0; n]).collect()
}

fn lengths(program: &DynProgram) -> impl Iterator<Item = usize> + '_ {
    program.outputs().iter().map(|o| program.shape_of(o.value).elements())
}

fn close(what: &str, program: &DynProgram, a: &Arrays, b: &Arrays) {
    let largest = a.iter().chain(b).flatten().fold(1.0_f64, |s, x| s.max(x.abs()));
    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
        assert!((a - b).abs() <= 1e-12 * largest, "{what}: {a} and {b}\n{program}");
    }
}

#[test]
fn two_thousand_programs_run_as_they_are_written() {
    let names: Vec<&'static str> = random::operations().collect();
    for seed in 0..2000 {
        let operation = Some(names[seed as usize % names.len()]);
        // Now and then all axes have size one.
        let size = if seed % 8 == 0 { 1 } else { 4 };
        let options = Options { instructions: 1 + seed as usize % 9, operation, size, ..Options::default() };
        let Some(sample) = random::sample(seed, &options) else { continue };
        let inputs: Arrays = sample.inputs.iter().map(|x| x.iter().map(f64::rational).collect()).collect();
        for nonfinite in [Nonfinite::Allow, Nonfinite::Refuse] {
            executable(&sample.program, &inputs, &mut Random(seed), Numerics { nonfinite })
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
    }
}

/// Derivatives of derivatives run as well: the reverse program of a reverse program.
#[test]
fn transforms_of_transforms_run() {
    let names: Vec<&'static str> = random::operations().collect();
    for seed in 0..256 {
        let operation = Some(names[seed as usize % names.len()]);
        let options = Options { instructions: 3, operation, ..Options::default() };
        let Some(sample) = random::sample(seed, &options) else { continue };
        let mut random = Random(seed);
        for program in [sample.program.reverse().unwrap(), sample.program.forward_mode().unwrap()] {
            let mut inputs: Arrays = sample.inputs.iter().map(|x| x.iter().map(f64::rational).collect()).collect();
            for input in &program.inputs()[inputs.len()..] {
                inputs.push(random.rationals(input.shape.elements()).iter().map(f64::rational).collect());
            }
            let (value, tape) = program.linearize(&inputs).unwrap();
            let seeds: Arrays =
                value.iter().map(|y| random.rationals(y.len()).iter().map(f64::rational).collect()).collect();
            let expected = program.pullback(&tape, &seeds).unwrap();
            let mut both = Executable::<f64>::with_gradient(&program, Numerics::default()).unwrap();
            let (mut outputs, mut gradients) = (zeros(lengths(&program)), zeros(inputs.iter().map(Vec::len)));
            both.forward(&slices(&inputs), &mut slots(&mut outputs)).unwrap();
            both.pullback(&slices(&seeds), &mut slots(&mut gradients)).unwrap();
            let largest = expected.iter().flatten().fold(1.0_f64, |s, x| s.max(x.abs()));
            // Two orders of evaluation of an ill-conditioned expression: the numbers in between are larger than the result.
            for (a, b) in expected.iter().flatten().zip(gradients.iter().flatten()) {
                assert!((a - b).abs() <= 1e-9 * largest, "{a} and {b}\n{program}");
            }
            close("value", &program, &value, &outputs);
        }
    }
}

/// A network without matrix products: reductions, broadcasts, elementwise runs.
fn without_products() -> DynProgram {
    let mut net = Net::new();
    let x = net.input("x", &[64, 96]);
    let (gain, bias) = (net.input("gain", &[96]), net.input("bias", &[96]));
    let y = net.op("affine", &[&[64], &[96]], &[x, gain, bias]);
    let y = net.op("tanh", &[&[64, 96]], &[y]);
    let y = net.op("softmax", &[&[64], &[96]], &[y]);
    let y = net.op("multiply", &[&[64, 96]], &[y, x]);
    let y = net.op("reduce_sum_all", &[&[64, 96]], &[y]);
    net.finish(&[y])
}

/// Allocations of one more run, and how many of them are still there.
fn allocations(program: &DynProgram) -> (u64, i64) {
    let inputs: Arrays = program.inputs().iter().map(|i| vec![0.25; i.shape.elements()]).collect();
    let seeds: Arrays = lengths(program).map(|n| vec![1.0; n]).collect();
    let (mut outputs, mut gradients) = (zeros(lengths(program)), zeros(inputs.iter().map(Vec::len)));
    let mut both = Executable::<f64>::with_gradient(program, Numerics::default()).unwrap();
    let (inputs, seeds) = (slices(&inputs), slices(&seeds));
    let (mut outputs, mut gradients) = (slots(&mut outputs), slots(&mut gradients));
    let mut run = || {
        both.forward(&inputs, &mut outputs).unwrap();
        both.pullback(&seeds, &mut gradients).unwrap();
        both.value_and_gradient(&inputs, &seeds, &mut outputs, &mut gradients).unwrap();
    };
    run();
    let again = allocation_counter::measure(&mut run);
    (again.count_total, again.count_current)
}

/// The executor allocates nothing after the first run; the crate of the matrix product takes a buffer for packing and gives it back.
#[test]
fn nothing_is_allocated_after_the_first_run() {
    assert_eq!(allocations(&chain(100)), (0, 0));
    assert_eq!(allocations(&without_products()), (0, 0));
    let (taken, kept) = allocations(&support::perceptron(8, &[16, 12, 10]));
    // Two products forward and four back, twice over, each with one buffer or two.
    assert!(taken <= 2 * 2 * 6, "{taken}");
    assert_eq!(kept, 0);
    // The counter counts.
    assert!(allocation_counter::measure(|| drop(std::hint::black_box(vec![1_u8; 100]))).count_total > 0);
}

#[test]
fn what_is_not_defined_or_not_finite_is_named() {
    let mut net = Net::new();
    let x = net.input("x", &[4]);
    let y = net.op("exponential", &[&[4]], &[x]);
    let z = net.op("log", &[&[4]], &[x]);
    let program = net.finish(&[y, z]);
    let run = |x: &[f64], nonfinite| {
        let mut executable = Executable::<f64>::new(&program, Numerics { nonfinite }).unwrap();
        let (mut y, mut z) = ([0.0; 4], [0.0; 4]);
        executable.run(&[x], &mut [&mut y, &mut z])
    };
    let error = run(&[1.0, 1.0, -1.0, 1.0], Nonfinite::Allow).unwrap_err();
    assert!(matches!(&error, ExecuteError::Domain { instruction: 1, at: 2, .. }), "{error}");
    assert_eq!(run(&[1.0, 1e4, 1.0, 1.0], Nonfinite::Allow), Ok(()));
    let error = run(&[1.0, 1e4, 1.0, 1.0], Nonfinite::Refuse).unwrap_err();
    assert!(matches!(&error, ExecuteError::NotFinite { instruction: 0, at: 1, .. }), "{error}");
    // A comparison would hide what the caller gave.
    let mut net = Net::new();
    let x = net.input("x", &[3]);
    let y = net.op("relu", &[&[3]], &[x]);
    let mut relu = Executable::<f64>::new(&net.finish(&[y]), Numerics { nonfinite: Nonfinite::Refuse }).unwrap();
    let hidden = relu.run(&[&[1.0, f64::NAN, 2.0]], &mut [&mut [0.0; 3]]).unwrap_err();
    assert_eq!(hidden.to_string(), "the input `x` has a value that is not finite, at 1");
    let error = run(&[1.0], Nonfinite::Allow).unwrap_err();
    assert!(matches!(error, ExecuteError::Length { expected: 4, found: 1, .. }), "{error}");
}
