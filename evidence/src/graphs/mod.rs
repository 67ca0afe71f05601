//! The smooth tensor graphs that two suites are about: 201 of them, and as many more for each further `scale`.
//!
//! | graphs | how many | from |
//! | --- | --- | --- |
//! | architecture examples | five runs of eight | [`architectures`]; odd runs in the core language, even ones fused |
//! | generated | 160 | the library's operations of which nothing is declared, each wanted in turn |
//! | structural and reciprocal | 1 | [`structural`] |
//!
//! Everything follows from a seed. This module must never leave one out in silence: a graph that can't be made is an error.

pub mod architectures;
pub mod structural;

use pullback_kernel::eval::Number;
use pullback_program::random::{self, Random, smooth};
use pullback_program::{DynProgram, Shape};

use crate::suite::Options;

/// Runs of the architecture examples.
const RUNS: usize = 5;
/// Generated graphs.
const GENERATED: usize = 160;
/// Graphs of structure and reciprocals.
const STRUCTURAL: usize = 1;
/// All of them, at scale 1.
pub const GRAPHS: usize = RUNS * architectures::EXAMPLES.len() + GENERATED + STRUCTURAL;

/// A program and a point of its domain.
#[derive(Clone, Debug)]
pub struct Graph {
    /// What it is, and the seed of it.
    pub name: String,
    /// The program.
    pub program: DynProgram,
    /// A value for each input.
    pub inputs: Vec<Vec<f64>>,
    /// Where the random numbers of its checks start.
    pub seed: u64,
}

/// All graphs, one at a time. There are [`GRAPHS`] times the scale of them.
pub fn all(options: &Options) -> impl Iterator<Item = Result<Graph, String>> + use<> {
    let (seed, scale) = (options.seed, options.scale);
    let names: Vec<&'static str> = random::operations().filter(|name| smooth(name)).collect();
    let runs = (0..RUNS * scale).flat_map(move |run| {
        architectures::EXAMPLES.iter().map(move |example| example.graph(run, drawn(seed, 1, run)))
    });
    let generated = (0..GENERATED * scale).map(move |k| generate(drawn(seed, 2, k), names[k % names.len()], k));
    let structural = (0..STRUCTURAL * scale).map(move |k| structural::graph(drawn(seed, 3, k)));
    runs.chain(generated).chain(structural)
}

/// A seed for each graph of a kind.
fn drawn(seed: u64, kind: u64, k: usize) -> u64 {
    Random(seed ^ kind.wrapping_mul(0xa076_1d64_78bd_642f)).next_u64().wrapping_add(k as u64)
}

/// Draws of one graph, at most: an operation fits nearly always.
const DRAWS: u64 = 64;

/// A generated graph that has an operation in it.
fn generate(seed: u64, operation: &'static str, k: usize) -> Result<Graph, String> {
    let options = random::Options {
        instructions: 1 + k % 7,
        declared: false,
        operation: Some(operation),
        ..random::Options::default()
    };
    let sample = (0..DRAWS).find_map(|draw| random::sample(seed.wrapping_add(draw << 32), &options));
    let sample = sample.ok_or_else(|| format!("graph {seed}: no graph with `{operation}` came in {DRAWS} draws"))?;
    let inputs = sample.inputs.iter().map(|x| x.iter().map(f64::rational).collect()).collect();
    Ok(Graph { name: format!("generated graph {seed} with `{operation}`"), program: sample.program, inputs, seed })
}

/// Numbers between −`most` and `most`, with all their bits.
pub(crate) fn uniform(random: &mut Random, n: usize, most: f64) -> Vec<f64> {
    const PLACE: f64 = 1.0 / (1_u64 << 52) as f64;
    (0..n).map(|_| ((random.next_u64() >> 11) as f64 * PLACE - 1.0) * most).collect()
}

/// Numbers for arrays like these.
pub(crate) fn like(random: &mut Random, arrays: &[Vec<f64>]) -> Vec<Vec<f64>> {
    arrays.iter().map(|x| uniform(random, x.len(), 1.0)).collect()
}

/// Numbers for an array of a shape.
pub(crate) fn of_shape(random: &mut Random, shape: &Shape, most: f64) -> Vec<f64> {
    uniform(random, shape.elements(), most)
}
