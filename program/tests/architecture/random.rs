//! Random architectures: compiled, lowered, by loops, and their gradients by every way that there is.

use std::collections::{BTreeMap, BTreeSet};

use pullback_kernel::eval::EvalError;
use pullback_kernel::{Outcome, Rational};
use pullback_program::EvaluateError;
use pullback_program::agreement::{Agreement, four_ways};
use pullback_program::architecture::random::{KINDS, Options, Sample, depth, layers, sample};
use pullback_program::architecture::{ArchitectureError, DirectError};
use pullback_program::lowering::{CORE, LowerError, Lowering};
use pullback_program::random::Random;

use crate::support::{close, distance, dot, draw, features, floats, pulled, pushed};

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
    let Sample { architecture, inputs, .. } = sample;
    let program = architecture.compile().unwrap_or_else(|e| panic!("{seed}: {e}\n{architecture:?}"));
    let at = |what: &str| format!("{seed}: {what}\n{architecture:?}\n{program}");
    let point = floats(inputs);
    let value = program.evaluate(&point).unwrap_or_else(|e| panic!("{}", at(&e.to_string())));
    let loops = architecture.direct(&point).unwrap();
    found.value = found.value.max(close(&at("loops"), &loops, &value, 1e-10));

    // Exactly, where every number is rational.
    match architecture.direct::<Rational>(inputs) {
        Ok(exact) => match program.evaluate::<Rational>(inputs) {
            Ok(value) => {
                assert_eq!(value, exact, "{}", at("exact"));
                found.exact += 1;
            }
            // The softmax over one key is rational, and its hidden exponentials are not.
            Err(EvaluateError::Value { error: EvalError::Unknown(_), .. }) => {}
            Err(e) => panic!("{}", at(&e.to_string())),
        },
        Err(DirectError::Number(_)) => {}
        Err(e) => panic!("{}", at(&e.to_string())),
    }

    let seeds = draw(&mut Random(seed), &value);
    let gradient = pulled(&program, &point, &seeds);
    match architecture.lower() {
        Ok(core) => {
            for operation in core.operations() {
                let name = operation.operator().name();
                assert!(CORE.contains(&name), "{}", at(name));
            }
            let again = core.evaluate(&point).unwrap();
            found.value = found.value.max(close(&at("core"), &again, &value, 1e-10));
            let of_core = pulled(&core, &point, &seeds);
            // Sums of terms that cancel are small beside their terms.
            let scale = gradient.iter().flatten().fold(1.0_f64, |s, x| s.max(x.abs()));
            let apart = of_core.iter().flatten().zip(gradient.iter().flatten()).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) <= 1e-9 * scale, "{}", at("gradient of the core"));
            program.operations().iter().for_each(|o| {
                found.operations.insert(o.operator().name().to_owned());
            });
            found.lowered += 1;
        }
        Err(ArchitectureError::Lower(LowerError::NoForm { .. })) => found.declared += 1,
        Err(e) => panic!("{}", at(&e.to_string())),
    }

    // Each input by itself, parameters and states among them, along a random direction.
    let all = draw(&mut Random(!seed), &point);
    let magnitude = |u: &[Vec<f64>], v: &[Vec<f64>]| -> f64 {
        u.iter().flatten().zip(v.iter().flatten()).map(|(u, v)| (u * v).abs()).sum()
    };
    // Numbers cancel on their way: what is compared is a difference of numbers of this size.
    let terms = magnitude(&gradient, &all);
    for k in 0..point.len() {
        let alone: Vec<Vec<f64>> =
            all.iter().enumerate().map(|(j, v)| if j == k { v.clone() } else { vec![0.0; v.len()] }).collect();
        let (tangents, tied) = pushed(architecture, &point, &alone);
        if tied {
            found.tied += 1;
            break;
        }
        let (a, b) = (dot(&seeds, &tangents), dot(&gradient, &alone));
        let scale = terms.max(magnitude(&seeds, &tangents));
        let apart = (a - b).abs() / scale.max(1e-3);
        assert!(apart <= 1e-10, "{}", at(&format!("gradient of input {k}: {a} and {b}")));
        found.gradient = found.gradient.max(apart);
    }
    let ways = four_ways(&program, &point, &mut Random(seed));
    assert_eq!(ways, Ok(Agreement::Agree), "{}", at("four ways"));

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

    // The two levels are equal by proof: each operation of a lowered program is of the core, or has a theorem.
    for name in found.operations.iter().filter(|name| !CORE.contains(&name.as_str())) {
        let lowering = Lowering::of(name).unwrap_or_else(|| panic!("{name}"));
        assert!(matches!(lowering.equality(), Ok(Outcome::Proved(_))), "{name}");
    }
    println!("operations with a proof: {:?}", found.operations);
}

/// The comparison sees a fault: a bias that is left out.
#[test]
fn a_missing_bias_is_seen() {
    use pullback_program::architecture::{Architecture, Dense, Layer};
    let with = Architecture::new(&[2, 3], Layer::Dense(Dense { features: 2, bias: true }));
    let without = Architecture::new(&[2, 3], Layer::Dense(Dense { features: 2, bias: false }));
    let inputs = crate::support::values(&with, 1);
    let a = with.direct(&inputs).unwrap();
    let b = without.compile().unwrap().evaluate(&inputs[..2]).unwrap();
    assert!(distance(&a, &b) > 1e-3);
}
