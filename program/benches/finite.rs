//! What it costs to look for numbers that are not finite: value and gradient with and without, in pairs.
//!
//! ```text
//! cargo bench -p pullback-program --bench finite
//! ```
//!
//! The aim is 5 % of a training step. A line has the median time of a run that lets such numbers go on, and the median of the quotients of pairs.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a bench reports on a terminal")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use pullback_program::DynProgram;
use pullback_program::architecture::{Activation, Architecture, Layer};
use pullback_program::execute::{Executable, Numerics};
use support::{Net, chain, perceptron};

/// Pairs of a program.
const PAIRS: usize = 61;

struct Planned {
    executable: Executable<f32>,
    inputs: Vec<Vec<f32>>,
    seeds: Vec<Vec<f32>>,
    outputs: Vec<Vec<f32>>,
    gradients: Vec<Vec<f32>>,
}

impl Planned {
    fn new(program: &DynProgram, numerics: Numerics) -> Planned {
        let number = |k: usize| ((k * 37 + 11) % 101) as f32 / 400.0 + 0.01;
        let inputs: Vec<Vec<f32>> =
            program.inputs().iter().map(|i| (0..i.shape.elements()).map(number).collect()).collect();
        let lengths = || program.outputs().iter().map(|o| program.shape_of(o.value).elements());
        Planned {
            executable: Executable::with_gradient(program, numerics).unwrap(),
            seeds: lengths().map(|n| vec![1.0; n]).collect(),
            outputs: lengths().map(|n| vec![0.0; n]).collect(),
            gradients: inputs.clone(),
            inputs,
        }
    }

    /// Seconds of so many runs.
    fn seconds(&mut self, runs: usize) -> f64 {
        fn slots(arrays: &mut [Vec<f32>]) -> Vec<&mut [f32]> {
            arrays.iter_mut().map(Vec::as_mut_slice).collect()
        }
        let inputs: Vec<&[f32]> = self.inputs.iter().map(Vec::as_slice).collect();
        let seeds: Vec<&[f32]> = self.seeds.iter().map(Vec::as_slice).collect();
        let (mut outputs, mut gradients) = (slots(&mut self.outputs), slots(&mut self.gradients));
        let start = Instant::now();
        for _ in 0..runs {
            self.executable.value_and_gradient(&inputs, &seeds, &mut outputs, &mut gradients).unwrap();
        }
        start.elapsed().as_secs_f64()
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn compare(name: &str, program: &DynProgram) {
    let mut allow = Planned::new(program, Numerics::ALLOW);
    let mut refuse = Planned::new(program, Numerics::default());
    allow.seconds(1);
    refuse.seconds(1);
    let once = allow.seconds(1).max(1e-7);
    let runs = (2e-3 / once).ceil() as usize;
    let (mut times, mut quotients) = (Vec::new(), Vec::new());
    for pair in 0..PAIRS {
        // Whoever is first is so every other time.
        let (a, r) = if pair % 2 == 0 {
            let a = allow.seconds(runs);
            (a, refuse.seconds(runs))
        } else {
            let r = refuse.seconds(runs);
            (allow.seconds(runs), r)
        };
        times.push(a / runs as f64);
        quotients.push(r / a);
    }
    println!("{name:<12} {:>10.1} µs   {:>6.3}", 1e6 * median(times), median(quotients));
}

fn elementwise(length: usize) -> DynProgram {
    let mut net = Net::new();
    let (mut x, y) = (net.input("x", &[length]), net.input("y", &[length]));
    for _ in 0..6 {
        let t = net.op("tanh", &[&[length]], &[x]);
        let m = net.op("multiply", &[&[length]], &[t, y]);
        let r = net.op("relu", &[&[length]], &[m]);
        x = net.op("add", &[&[length]], &[r, y]);
    }
    net.finish(&[x])
}

fn main() {
    println!("program        goes on       quotient");
    compare("perceptron", &perceptron(64, &[784, 512, 512, 10]));
    compare("small", &perceptron(1, &[4, 8, 1]));
    compare("chain", &chain(20_000));
    compare("elementwise", &elementwise(100_000));
    let softmax = Architecture::new(&[64, 64], Layer::Activation(Activation::Softmax));
    compare("softmax", &softmax.compile().unwrap());
}
