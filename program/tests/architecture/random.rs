//! Random architectures: compiled, lowered, by loops, and their gradients by every way that there is.

use std::collections::{BTreeMap, BTreeSet};

use pullback_program::architecture::agreement::{Disagreement, levels};
use pullback_program::architecture::random::{KINDS, Options, Sample, depth, layers, sample};
use pullback_program::architecture::{Architecture, Dense, Layer};

use crate::support::features;

/// What was found, over all samples.
#[derive(Default)]
struct Found {
    exact: usize,
    lowered: usize,
    declared: usize,
    tied: usize,
    depths: BTreeMap<usize, usize>,
    features: BTreeMap<String, usize>,
    operations: BTreeSet<String>,
    value: f64,
    gradient: f64,
}

/// What must be met among them.
#[rustfmt::skip]
const EXPECTED: &[&str] = &[
    "activation tanh", "activation logistic", "activation silu", "activation gelu_tanh",
    "activation softplus", "activation log_logistic", "activation exponential", "activation sine",
    "activation cosine", "activation square", "activation cube", "activation negate",
    "activation scale", "activation shift", "activation relu", "activation leaky_relu",
    "activation elu", "activation softmax", "activation log_softmax", "convolution 1d",
    "convolution 1d, groups", "convolution 1d, padded by a value", "convolution 1d, groups, padded by a value", "transposed_convolution 1d",
    "pooling Sum 1d", "pooling Average 1d", "pooling AverageInside 1d", "pooling Max 1d",
    "convolution 2d", "convolution 2d, groups", "convolution 2d, padded by a value", "convolution 2d, groups, padded by a value",
    "transposed_convolution 2d", "pooling Sum 2d", "pooling Average 2d", "pooling AverageInside 2d",
    "pooling Max 2d", "convolution 3d", "convolution 3d, groups", "convolution 3d, padded by a value",
    "convolution 3d, groups, padded by a value", "transposed_convolution 3d", "pooling Sum 3d", "pooling Average 3d",
    "pooling AverageInside 3d", "pooling Max 3d", "reduce Sum", "reduce Mean",
    "reduce LogSumExp", "normalization MeanVariance", "normalization MeanVariance, groups", "normalization RootMeanSquare",
    "attention All", "attention All, projections", "attention Causal", "attention Causal, projections",
    "attention Window", "attention Window, projections", "attention Sets", "attention Sets, projections",
    "recurrent Plain Last", "recurrent Plain All", "recurrent Lstm Last", "recurrent Lstm All",
    "recurrent Gru Last", "recurrent Gru All", "positional Sinusoidal", "positional Table",
    "positional Learned", "parallel Tuple", "parallel Concatenate", "parallel Add",
    "parallel Multiply", "join Tuple", "join Concatenate", "join Multiply",
    "dense", "embedding", "cross_entropy", "flatten",
    "reshape", "permute", "residual", "sequential",
    "product", "shared",
];

fn check(seed: u64, sample: &Sample, found: &mut Found) {
    let Sample { architecture, .. } = sample;
    let agreed = levels(sample, seed).unwrap_or_else(|e| panic!("{seed}: {e}\n{architecture:?}"));
    found.exact += usize::from(agreed.exact);
    found.tied += usize::from(agreed.tied);
    found.value = found.value.max(agreed.value);
    found.gradient = found.gradient.max(agreed.gradient);
    if agreed.lowered {
        found.lowered += 1;
        for operation in architecture.compile().unwrap().operations() {
            found.operations.insert(operation.operator().name().to_owned());
        }
    } else {
        found.declared += 1;
    }
    *found.depths.entry(depth(&architecture.layer)).or_default() += 1;
    for layer in layers(&architecture.layer) {
        *found.features.entry(features(layer)).or_default() += 1;
    }
}

#[test]
fn five_hundred_architectures_are_what_their_definitions_say() {
    let mut found = Found::default();
    let mut count = 0;
    let mut seed = 0;
    while count < 500 {
        let kind = KINDS[seed as usize % KINDS.len()];
        let rational = seed % 3 == 0;
        let declared = seed % 4 == 0;
        let options = Options { kind: Some(kind), rational, declared, ..Options::default() };
        if let Some(sample) = sample(seed, &options) {
            check(seed, &sample, &mut found);
            count += 1;
        }
        seed += 1;
    }
    println!(
        "{count} architectures: {} exact, {} lowered, {} without a form in the core, {} at a tie",
        found.exact, found.lowered, found.declared, found.tied
    );
    println!("worst value {:e}, worst gradient {:e}", found.value, found.gradient);
    println!("depths {:?}", found.depths);
    for (feature, times) in &found.features {
        println!("{times:5} {feature}");
    }
    assert!(found.depths.keys().all(|depth| *depth <= 6) && found.depths.contains_key(&6));
    let missing: Vec<_> = EXPECTED.iter().filter(|feature| !found.features.contains_key(**feature)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(found.exact >= 100 && found.lowered >= 250, "{} exact, {} lowered", found.exact, found.lowered);

    println!("operations with a proof: {:?}", found.operations);
}

/// The comparison sees a fault: an architecture beside the values of another.
#[test]
fn a_fault_is_seen() {
    use pullback_program::architecture::agreement::distance;
    let with = Architecture::new(&[2, 3], Layer::Dense(Dense { features: 2, bias: true }));
    let without = Architecture::new(&[2, 3], Layer::Dense(Dense { features: 2, bias: false }));
    let inputs = crate::support::values(&with, 1);
    let a = with.direct(&inputs).unwrap();
    let b = without.compile().unwrap().evaluate(&inputs[..2]).unwrap();
    assert!(distance(&a, &b) > 1e-3);
    assert_eq!(distance(&a, &[]), f64::INFINITY);
    assert!(distance(&a, &[vec![f64::NAN; 4]]).is_nan());
    let mut other = sample(1, &Options::default()).unwrap();
    other.inputs.pop();
    assert!(matches!(levels(&other, 1), Err(Disagreement::Evaluate { .. } | Disagreement::Direct(_))));
}
