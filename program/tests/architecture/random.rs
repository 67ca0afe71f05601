//! Random architectures: compiled, lowered, by loops, and their gradients by every way that there is.

use std::collections::{BTreeMap, BTreeSet};

use pullback_kernel::Rational;
use pullback_program::architecture::agreement::{Disagreement, levels};
use pullback_program::architecture::random::{KINDS, Options, Sample, depth, sample};
use pullback_program::architecture::{Activation, Architecture, Dense, Layer};

use crate::support::features;

/// What was found, over all samples.
#[derive(Default)]
struct Found {
    exact: usize,
    lowered: usize,
    declared: usize,
    tied: usize,
    compared: usize,
    skipped: usize,
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
    "embedding", "cross_entropy", "flatten", "reshape",
    "permute", "residual", "sequential", "product",
    "shared", "join Add", "dense bias", "dense without bias",
    "convolution bias", "convolution without bias", "convolution depthwise", "convolution stride",
    "convolution dilation", "convolution padding", "convolution asymmetric padding", "transposed_convolution bias",
    "transposed_convolution without bias", "transposed_convolution groups", "transposed_convolution extra", "transposed_convolution stride",
    "transposed_convolution dilation", "transposed_convolution padding", "transposed_convolution asymmetric padding", "pooling stride",
    "pooling dilation", "pooling padding", "pooling asymmetric padding", "normalization gain",
    "normalization without gain", "normalization bias", "normalization without bias", "attention cross",
    "attention self", "attention heads", "attention bias", "attention without bias",
    "recurrent Plain First", "recurrent Plain Second", "recurrent Lstm First", "recurrent Lstm Second",
    "recurrent Gru First", "recurrent Gru Second", "tied transposed", "tied as it is",
    "cross_entropy ignoring",
];

fn check(seed: u64, sample: &Sample, found: &mut Found) {
    let Sample { architecture, .. } = sample;
    let agreed = levels(sample, seed).unwrap_or_else(|e| panic!("{seed}: {e}\n{architecture:?}"));
    found.exact += usize::from(agreed.exact);
    found.tied += usize::from(agreed.tied);
    found.compared += agreed.compared;
    found.skipped += agreed.skipped;
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
    let mut met = Vec::new();
    features(&architecture.layer, architecture.inputs.len(), &mut met);
    for feature in met {
        *found.features.entry(feature).or_default() += 1;
    }
}

#[test]
fn architectures_are_what_their_definitions_say() {
    let mut found = Found::default();
    let mut count = 0;
    let mut seed = 0;
    // What is seldom drawn may take longer.
    let missing = |found: &Found| EXPECTED.iter().any(|feature| !found.features.contains_key(*feature));
    while count < 600 || (missing(&found) && count < 3000) {
        let kind = KINDS[seed as usize % KINDS.len()];
        // Each kind with each choice.
        let round = seed / KINDS.len() as u64;
        let (rational, declared) = (round.is_multiple_of(3), round % 5 < 2);
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
    println!("gradients of {} inputs compared, of {} not", found.compared, found.skipped);
    println!("worst value {:e}, worst gradient {:e}", found.value, found.gradient);
    println!("depths {:?}", found.depths);
    for (feature, times) in &found.features {
        println!("{times:5} {feature}");
    }
    assert!(found.depths.keys().all(|depth| *depth <= 6) && found.depths.contains_key(&6));
    let missing: Vec<_> = EXPECTED.iter().filter(|feature| !found.features.contains_key(**feature)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let deep: usize = found.depths.range(5..).map(|(_, times)| times).sum();
    assert!(deep >= 200, "{deep} of depth 5 and 6");
    // Ties are skipped where they are met, which is seldom.
    assert!(found.skipped * 50 <= found.compared, "{} of {} skipped", found.skipped, found.compared);
    assert!(found.value <= 1e-13 && found.gradient <= 1e-12, "{:e} {:e}", found.value, found.gradient);
    assert!(found.exact >= 100 && found.lowered >= 250, "{} exact, {} lowered", found.exact, found.lowered);

    println!("operations with a proof: {:?}", found.operations);
}

/// A kink stops the comparison of what crosses it, and of nothing else.
#[test]
fn a_tie_skips_what_crosses_it() {
    let kink = Layer::Product(vec![Layer::Activation(Activation::Relu), Layer::Activation(Activation::Tanh)]);
    let architecture = Architecture { inputs: vec![vec![2], vec![2]], layer: kink };
    let signature = architecture.verify().unwrap();
    let half = || Rational::new(1.into(), 2.into());
    for (at, skipped) in [(Rational::from_integer(0.into()), 1), (half(), 0)] {
        let inputs = vec![vec![half(), at], vec![half(), half()]];
        let sample = Sample { architecture: architecture.clone(), signature: signature.clone(), inputs };
        // Directions are drawn, and may be zero along the kink.
        let agreed: Vec<_> = (0..20).map(|seed| levels(&sample, seed).unwrap()).collect();
        assert!(agreed.iter().all(|a| a.compared + a.skipped == 2 && a.skipped <= skipped));
        assert!(agreed.iter().filter(|a| a.skipped == skipped && a.tied == (skipped > 0)).count() >= 10);
    }
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
