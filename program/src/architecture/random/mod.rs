//! Random architectures: for properties, and for whoever tests a compiler of their own.
//!
//! Everything follows from a seed.
//! An architecture comes with values for all its inputs, at which every number on the way to an output is of moderate size.
//! This module must never be lenient: what it gives was verified, and evaluated by the loops of [`direct`](super::Architecture::direct).

mod generate;
mod single;

use std::cmp::Ordering;

use pullback_kernel::Rational;
use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::statement::Function;

use super::signature::Signature;
use super::{Architecture, Layer};
use crate::random::Random;
use generate::Generator;

/// The kinds of layers, as [`Layer::kind`] says them.
pub const KINDS: [&str; 21] = [
    "dense",
    "activation",
    "convolution",
    "transposed_convolution",
    "pooling",
    "reduce",
    "normalization",
    "attention",
    "recurrent",
    "embedding",
    "positional",
    "cross_entropy",
    "flatten",
    "reshape",
    "permute",
    "join",
    "residual",
    "sequential",
    "parallel",
    "product",
    "shared",
];

/// What kind of architecture is wanted.
#[derive(Clone, Debug)]
pub struct Options {
    /// How deep layers stand in one another, at most.
    pub depth: usize,
    /// Elements of a value and of a parameter, at most.
    pub elements: usize,
    /// Only layers that have a value on exact rationals.
    pub rational: bool,
    /// Also layers whose rules are declared: maxima and kinks.
    pub declared: bool,
    /// A kind of layer that the architecture must have.
    pub kind: Option<&'static str>,
}

impl Default for Options {
    fn default() -> Self {
        Options { depth: 6, elements: 48, rational: false, declared: true, kind: None }
    }
}

/// A random architecture with values for its inputs.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The architecture.
    pub architecture: Architecture,
    /// What goes in and what comes out.
    pub signature: Signature,
    /// A value for each input of the signature. Data are seldom tied.
    pub inputs: Vec<Vec<Rational>>,
}

/// Numbers past this are not of moderate size: the core takes exponentials of them as they are.
const LARGEST: f64 = 300.0;

/// A random architecture.
///
/// `None` where none of many draws has what is wanted, such as attention on exact rationals.
pub fn sample(seed: u64, options: &Options) -> Option<Sample> {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9216_d5d9_8979_fb1b);
    (0..400).find_map(|_| {
        let mut generator = Generator { random: Random(random.next_u64()), options, powers: 2, names: 0 };
        generator.sample()
    })
}

/// How deep layers stand in one another: 1 for a layer without parts.
pub fn depth(layer: &Layer) -> usize {
    1 + layer.parts().into_iter().map(depth).max().unwrap_or(0)
}

/// Every layer within a layer, itself first.
pub fn layers(layer: &Layer) -> Vec<&Layer> {
    let mut all = vec![layer];
    all.extend(layer.parts().into_iter().flat_map(layers));
    all
}

/// A number, and the largest that went into it.
#[derive(Clone, Debug)]
struct Traced {
    value: f64,
    largest: f64,
}

impl Traced {
    fn new(value: f64, from: &[&Traced]) -> Traced {
        Traced { value, largest: from.iter().fold(value.abs(), |most, x| most.max(x.largest)) }
    }
}

impl Number for Traced {
    fn rational(q: &Rational) -> Self {
        Traced::new(f64::rational(q), &[])
    }
    fn add(&self, o: &Self) -> Self {
        Traced::new(self.value + o.value, &[self, o])
    }
    fn neg(&self) -> Self {
        Traced { value: -self.value, largest: self.largest }
    }
    fn mul(&self, o: &Self) -> Self {
        Traced::new(self.value * o.value, &[self, o])
    }
    fn recip(&self) -> Result<Self, EvalError> {
        Ok(Traced::new(Number::recip(&self.value)?, &[self]))
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        Ok(Traced::new(self.value.call(f)?, &[self]))
    }
    fn sign(&self) -> Option<Ordering> {
        self.value.sign()
    }
}
