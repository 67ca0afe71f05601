//! Random architectures: for properties, and for whoever tests a compiler of their own.
//!
//! Everything follows from a seed.
//! An architecture comes with values for all its inputs, at which every number that the loops compute is of moderate size, whether an output depends on it or not.
//! This module must never be lenient: what it gives was verified, and evaluated by the loops of [`direct`](super::Architecture::direct).

mod generate;
mod single;

use std::cell::Cell;
use std::cmp::Ordering;

use pullback_kernel::Rational;
use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::statement::Function;

use super::signature::Signature;
use super::{Architecture, Layer};
use crate::random::Random;
use generate::Generator;

/// The kinds of layers, as [`Layer::kind`] says them.
pub const KINDS: [&str; 22] = [
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
    "tied",
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

thread_local! {
    /// Numbers know nothing of the evaluation that they are part of, so the note is the thread's.
    static LARGEST_MET: Cell<f64> = const { Cell::new(0.0) };
}

/// Whether the loops meet no number that is not of moderate size, on the way to an output or not.
///
/// The core program computes also what no output depends on, such as what comes before an embedding.
fn moderate(architecture: &Architecture, inputs: &[Vec<Rational>]) -> bool {
    LARGEST_MET.set(0.0);
    let traced: Vec<Vec<Traced>> = inputs.iter().map(|x| x.iter().map(Traced::rational).collect()).collect();
    // A NaN is not below anything.
    architecture.direct(&traced).is_ok() && LARGEST_MET.get() < LARGEST
}

/// A number that takes note of its size.
#[derive(Clone, Debug)]
struct Traced(f64);

impl Traced {
    fn new(value: f64) -> Traced {
        let largest = LARGEST_MET.get();
        // A NaN stays.
        if !largest.is_nan() && (value.is_nan() || value.abs() > largest) {
            LARGEST_MET.set(value.abs());
        }
        Traced(value)
    }
}

impl Number for Traced {
    fn rational(q: &Rational) -> Self {
        Traced::new(f64::rational(q))
    }
    fn add(&self, o: &Self) -> Self {
        Traced::new(self.0 + o.0)
    }
    fn neg(&self) -> Self {
        Traced(-self.0)
    }
    fn mul(&self, o: &Self) -> Self {
        Traced::new(self.0 * o.0)
    }
    fn recip(&self) -> Result<Self, EvalError> {
        Ok(Traced::new(Number::recip(&self.0)?))
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        Ok(Traced::new(self.0.call(f)?))
    }
    fn sign(&self) -> Option<Ordering> {
        self.0.sign()
    }
}

#[cfg(test)]
mod tests {
    use super::super::agreement::{Disagreement, levels};
    use super::super::{Activation, Attention, Embedding, Mask};
    use super::*;
    use crate::evaluate::EvaluateError;

    /// A layer, and what forgets all that it gave.
    fn forgotten(layer: Layer) -> Architecture {
        let embedding = Embedding { vocabulary: 1, features: 1, shape: vec![1], indices: vec![0] };
        Architecture::new(&[2, 1], Layer::Sequential(vec![layer, Layer::Embedding(embedding)]))
    }

    fn at(x: i64) -> Vec<Vec<Rational>> {
        [vec![x, -x], vec![1]].map(|x| x.into_iter().map(|x| Rational::from_integer(x.into())).collect()).to_vec()
    }

    #[test]
    fn what_no_output_depends_on_is_of_moderate_size_as_well() {
        let cube = forgotten(Layer::Activation(Activation::Cube));
        assert!(moderate(&cube, &at(6)));
        assert!(!moderate(&cube, &at(7)));
        // A number of no size: `exp(2^12) - exp(2^12)`.
        let exponential = Layer::Activation(Activation::Exponential);
        let same = super::super::Parallel {
            branches: vec![
                exponential.clone(),
                Layer::Sequential(vec![exponential, Layer::Activation(Activation::Negate)]),
            ],
            join: super::super::Join::Add,
        };
        assert!(!moderate(&forgotten(Layer::Parallel(same)), &at(1 << 12)));
        assert!(moderate(&cube, &at(6)), "nothing stays from before");
    }

    /// Why it must be: the core takes exponentials of scores as they are.
    #[test]
    fn the_core_has_no_value_where_a_forgotten_score_is_large() {
        let mask = Mask::Sets(vec![vec![false, true], vec![true, false]]);
        let architecture = forgotten(Layer::Attention(Attention { heads: 1, mask, projections: None }));
        let signature = architecture.verify().expect("it fits");
        for x in [17, 30] {
            let sample = Sample { architecture: architecture.clone(), signature: signature.clone(), inputs: at(x) };
            let outside = matches!(
                levels(&sample, 1),
                Err(Disagreement::Evaluate { what: "the core program", error: EvaluateError::Domain { .. } })
            );
            // The scores are -289 and -900.
            assert_eq!((outside, moderate(&architecture, &sample.inputs)), (x == 30, x == 17));
        }
    }
}
