//! Value and gradient of an executable beside the same written by hand, on one thread.
//!
//! ```text
//! cargo bench -p pullback-program --bench gradient
//! ```
//!
//! | group | program | aim |
//! | --- | --- | --- |
//! | perceptron | 64 × 784-512-512-10 with tanh and cross-entropy, f32 and f64, the same matrix product | 1.5 times the hand-written one |
//! | small | 4-8-1 perceptron, one call | 3 µs |
//! | chain | 100,000 instructions on scalars | 3 times a hand-written tape of scalars, 64 bytes an instruction |
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a bench reports on a terminal")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use pullback_program::DynProgram;
use pullback_program::execute::{Executable, Numerics};
use pullback_scalar::Real;
use support::{Net, chain, perceptron};

const BATCH: usize = 64;
const SIZES: [usize; 4] = [784, 512, 512, 10];

/// Numbers that look random, small enough for tanh to stay away from its ends.
fn numbers<T: Real>(n: usize, scale: usize) -> Vec<T> {
    let mut state = n as u64 ^ 0x9e37_79b9;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        T::from_ratio((state >> 40) as i64 - (1 << 23), (1 << 23) * scale as i64)
    };
    (0..n).map(|_| next()).collect()
}

fn arrays<T: Real>(lengths: impl Iterator<Item = usize>) -> Vec<Vec<T>> {
    lengths.map(|n| numbers(n, 8)).collect()
}

/// The perceptron by hand: what a person would write with a matrix product at hand.
struct ByHand<T> {
    /// Activations of each layer, the input first.
    layers: [Vec<T>; 4],
    probability: Vec<T>,
    delta: [Vec<T>; 4],
    weights: [Vec<T>; 3],
    biases: [Vec<T>; 3],
    target: Vec<T>,
}

impl<T: Real + Copy> ByHand<T> {
    fn new() -> Self {
        let zeros = |n: usize| vec![T::zero(); n];
        ByHand {
            layers: SIZES.map(|n| zeros(BATCH * n)),
            probability: zeros(BATCH * SIZES[3]),
            delta: SIZES.map(|n| zeros(BATCH * n)),
            weights: [0, 1, 2].map(|k| zeros(SIZES[k] * SIZES[k + 1])),
            biases: [0, 1, 2].map(|k| zeros(SIZES[k + 1])),
            target: zeros(BATCH * SIZES[3]),
        }
    }

    /// `inputs` are x, target, w0, b0, …
    fn run(&mut self, inputs: &[Vec<T>]) -> T {
        self.layers[0].copy_from_slice(&inputs[0]);
        for k in 0..3 {
            let (m, l, n) = (BATCH, SIZES[k], SIZES[k + 1]);
            let (before, after) = self.layers.split_at_mut(k + 1);
            let (x, y) = (&before[k], &mut after[0]);
            T::gemm(m, l, n, y, 0, n, 1, x, 0, l, 1, &inputs[2 + 2 * k], 0, n, 1);
            for row in y.chunks_exact_mut(n) {
                for (y, b) in row.iter_mut().zip(&inputs[3 + 2 * k]) {
                    *y = *y + *b;
                    if k < 2 {
                        *y = y.tanh();
                    }
                }
            }
        }
        let (n, target) = (SIZES[3], &inputs[1]);
        let (mut loss, share) = (T::zero(), T::one() / T::from_usize(BATCH));
        for i in 0..BATCH {
            let row = i * n..(i + 1) * n;
            let logits = &self.layers[3][row.clone()];
            let largest = logits.iter().fold(logits[0], |a, b| a.maximum(*b));
            let total = logits.iter().fold(T::zero(), |sum, z| sum + (*z - largest).exp());
            let log_total = total.log() + largest;
            let whole = target[row.clone()].iter().fold(T::zero(), |sum, t| sum + *t);
            for j in row {
                let log_p = self.layers[3][j] - log_total;
                self.probability[j] = log_p.exp();
                loss = loss - target[j] * log_p;
                self.target[j] = -(share * log_p);
                self.delta[3][j] = share * (self.probability[j] * whole - target[j]);
            }
        }
        for k in (0..3).rev() {
            let (m, l, n) = (BATCH, SIZES[k], SIZES[k + 1]);
            let (before, after) = self.delta.split_at_mut(k + 1);
            let (dx, dy) = (&mut before[k], &after[0]);
            T::gemm(l, m, n, &mut self.weights[k], 0, n, 1, &self.layers[k], 0, 1, l, dy, 0, n, 1);
            self.biases[k].fill(T::zero());
            for row in dy.chunks_exact(n) {
                self.biases[k].iter_mut().zip(row).for_each(|(b, d)| *b = *b + *d);
            }
            T::gemm(m, n, l, dx, 0, l, 1, dy, 0, n, 1, &inputs[2 + 2 * k], 0, 1, n);
            if k > 0 {
                for (d, y) in dx.iter_mut().zip(&self.layers[k]) {
                    *d = *d * (T::one() - *y * *y);
                }
            }
        }
        loss * share
    }
}

/// An executable with its arrays.
struct Planned<T> {
    executable: Executable<T>,
    inputs: Vec<Vec<T>>,
    seeds: Vec<Vec<T>>,
    outputs: Vec<Vec<T>>,
    gradients: Vec<Vec<T>>,
}

impl<T: Real> Planned<T> {
    fn new(program: &DynProgram) -> Self {
        let inputs: Vec<Vec<T>> = arrays(program.inputs().iter().map(|i| i.shape.elements()));
        let lengths = || program.outputs().iter().map(|o| program.shape_of(o.value).elements());
        Planned {
            executable: Executable::with_gradient(program, Numerics::default()).unwrap(),
            seeds: lengths().map(|n| vec![T::one(); n]).collect(),
            outputs: lengths().map(|n| vec![T::zero(); n]).collect(),
            gradients: inputs.clone(),
            inputs,
        }
    }

    fn run(&mut self) {
        let inputs: [&[T]; 8] = std::array::from_fn(|k| self.inputs.get(k).map_or(&[][..], Vec::as_slice));
        let mut next = self.gradients.iter_mut();
        let mut gradients: [&mut [T]; 8] = std::array::from_fn(|_| next.next().map_or(&mut [][..], Vec::as_mut_slice));
        let count = self.inputs.len();
        self.executable
            .value_and_gradient(
                &inputs[..count],
                &[&self.seeds[0]],
                &mut [&mut self.outputs[0]],
                &mut gradients[..count],
            )
            .unwrap();
    }
}

fn close<T: Real + Into<f64> + Copy>(what: &str, a: &[T], b: &[T]) {
    let scale = a.iter().fold(1e-3_f64, |s, x| s.max((*x).into().abs()));
    for (a, b) in a.iter().zip(b) {
        assert!(((*a).into() - (*b).into()).abs() < 1e-4 * scale, "{what}: {a:?} and {b:?}");
    }
}

fn perceptrons<T: Real + Into<f64> + Copy>(c: &mut Criterion, name: &str) {
    let mut planned = Planned::<T>::new(&perceptron(BATCH, &SIZES));
    let mut by_hand = ByHand::<T>::new();
    // The two compute the same.
    planned.run();
    let loss = by_hand.run(&planned.inputs);
    close("loss", &planned.outputs[0], &[loss]);
    close("dx", &planned.gradients[0], &by_hand.delta[0]);
    close("dtarget", &planned.gradients[1], &by_hand.target);
    for k in 0..3 {
        close("dw", &planned.gradients[2 + 2 * k], &by_hand.weights[k]);
        close("db", &planned.gradients[3 + 2 * k], &by_hand.biases[k]);
    }
    let mut group = c.benchmark_group(format!("perceptron {name}"));
    group.sample_size(20);
    group.bench_function("by hand", |b| b.iter(|| black_box(by_hand.run(black_box(&planned.inputs)))));
    group.bench_function("executable", |b| b.iter(|| planned.run()));
    group.finish();
}

fn perceptron_bench(c: &mut Criterion) {
    perceptrons::<f32>(c, "f32");
    perceptrons::<f64>(c, "f64");
}

fn small_bench(c: &mut Criterion) {
    let mut net = Net::new();
    let x = net.input("x", &[4]);
    let (w, b) = (net.input("w0", &[4, 8]), net.input("b0", &[8]));
    let (v, a) = (net.input("w1", &[8, 1]), net.input("b1", &[1]));
    let h = net.op("linear", &[&[], &[4], &[8]], &[x, w, b]);
    let h = net.op("tanh", &[&[8]], &[h]);
    let y = net.op("linear", &[&[], &[8], &[1]], &[h, v, a]);
    let mut planned = Planned::<f64>::new(&net.finish(&[y]));
    c.bench_function("small executable", |b| b.iter(|| planned.run()));
}

/// A tape of scalars as people write it.
#[derive(Clone, Copy)]
enum Node {
    Tanh(u32),
    Multiply(u32, u32),
    Add(u32, u32),
}

struct ScalarTape {
    nodes: Vec<Node>,
    values: Vec<f64>,
    cotangents: Vec<f64>,
}

impl ScalarTape {
    fn chain(length: usize) -> Self {
        let nodes = (0..length as u32)
            .map(|k| match k % 3 {
                0 => Node::Tanh(k),
                1 => Node::Multiply(k, k),
                _ => Node::Add(k, 0),
            })
            .collect();
        ScalarTape { nodes, values: vec![0.0; length + 1], cotangents: vec![0.0; length + 1] }
    }

    fn run(&mut self, x: f64) -> (f64, f64) {
        self.values[0] = x;
        for (k, node) in self.nodes.iter().enumerate() {
            self.values[k + 1] = match *node {
                Node::Tanh(a) => self.values[a as usize].tanh(),
                Node::Multiply(a, b) => self.values[a as usize] * self.values[b as usize],
                Node::Add(a, b) => self.values[a as usize] + self.values[b as usize],
            };
        }
        self.cotangents.fill(0.0);
        let last = self.nodes.len();
        self.cotangents[last] = 1.0;
        for (k, node) in self.nodes.iter().enumerate().rev() {
            let u = self.cotangents[k + 1];
            match *node {
                Node::Tanh(a) => self.cotangents[a as usize] += u * (1.0 - self.values[k + 1] * self.values[k + 1]),
                Node::Multiply(a, b) => {
                    self.cotangents[a as usize] += u * self.values[b as usize];
                    self.cotangents[b as usize] += u * self.values[a as usize];
                }
                Node::Add(a, b) => {
                    self.cotangents[a as usize] += u;
                    self.cotangents[b as usize] += u;
                }
            }
        }
        (self.values[last], self.cotangents[0])
    }
}

fn chain_bench(c: &mut Criterion) {
    const LENGTH: usize = 100_000;
    let mut planned = Planned::<f64>::new(&chain(LENGTH));
    let mut tape = ScalarTape::chain(LENGTH);
    let x = planned.inputs[0][0];
    planned.run();
    let (y, dx) = tape.run(x);
    close("y", &planned.outputs[0], &[y]);
    close("dx", &planned.gradients[0], &[dx]);
    let bytes = planned.executable.bytes() as f64 / LENGTH as f64;
    println!("chain: {bytes:.1} bytes an instruction");
    assert!(bytes <= 64.0);
    let mut group = c.benchmark_group("chain");
    group.sample_size(20);
    group.bench_function("by hand", |b| b.iter(|| black_box(tape.run(black_box(x)))));
    group.bench_function("executable", |b| b.iter(|| planned.run()));
    group.finish();
}

criterion_group!(benches, perceptron_bench, small_bench, chain_bench);
criterion_main!(benches);
