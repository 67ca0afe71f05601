//! Large numbers: the fused operations keep value and gradient; the core says where it overflows.

use pullback_program::Part;
use pullback_program::architecture::{Activation, Architecture, Attention, Layer, Mask, Reduce, Reduction};
use pullback_program::execute::{Executable, ExecuteError, Nonfinite, Numerics};

use crate::support::{close, pulled};

fn rows() -> Vec<Vec<f64>> {
    vec![vec![1e4, 1e4 - 1.0, -1e4, 0.0, -1e4, -1e4 + 1.0, -1e4 + 2.0, -1e4 + 0.5]]
}

fn softmax() -> Architecture {
    Architecture::new(&[2, 4], Layer::Activation(Activation::Softmax))
}

#[test]
fn softmax_of_large_numbers() {
    let program = softmax().compile().unwrap();
    let e = (-1.0_f64).exp();
    let below = [0.0, 1.0, 2.0, 0.5_f64].map(f64::exp);
    let total: f64 = below.iter().sum();
    let expected: Vec<f64> =
        [1.0 / (1.0 + e), e / (1.0 + e), 0.0, 0.0].into_iter().chain(below.map(|x| x / total)).collect();
    close("softmax", &program.evaluate(&rows()).unwrap(), std::slice::from_ref(&expected), 1e-12);
    let seeds = vec![vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]];
    let gradient = pulled(&program, &rows(), &seeds);
    let p = &expected;
    let one = |j: usize| if j < 4 { 0 } else { 5 };
    let by_hand: Vec<f64> = (0..8).map(|j| p[one(j)] * (f64::from(u8::from(j == one(j))) - p[j])).collect();
    close("gradient", &gradient, &[by_hand], 1e-12);
    assert!(gradient[0].iter().filter(|g| **g != 0.0).count() >= 6, "{gradient:?}");
}

#[test]
fn logarithms_of_large_sums() {
    let layer = Layer::Reduce(Reduce { by: Reduction::LogSumExp, axes: vec![1] });
    let architecture = Architecture::new(&[2, 4], layer);
    let program = architecture.compile().unwrap();
    let outputs = program.evaluate(&rows()).unwrap();
    close("logsumexp", &outputs, &architecture.direct(&rows()).unwrap(), 1e-12);
    let softmax = softmax().compile().unwrap().evaluate(&rows()).unwrap();
    close("gradient", &pulled(&program, &rows(), &[vec![1.0, 1.0]]), &softmax, 1e-11);
    let layer = Layer::Activation(Activation::LogSoftmax);
    let logarithm = Architecture::new(&[2, 4], layer);
    let outputs = logarithm.compile().unwrap().evaluate(&rows()).unwrap();
    close("log_softmax", &outputs, &logarithm.direct(&rows()).unwrap(), 1e-12);
}

/// The core has no shift: its first exponential of a large number is infinite, and is named.
#[test]
fn the_core_names_its_overflow() {
    let core = softmax().lower().unwrap();
    let exponential =
        core.instructions().position(|i| core.operation_of(&i).operator().name() == "exponential").unwrap();
    let numerics = Numerics { nonfinite: Nonfinite::Refuse };
    let mut executable = Executable::<f64>::new(&core, numerics).unwrap();
    let (inputs, mut outputs) = (rows(), vec![0.0; 8]);
    let error = executable.run(&[&inputs[0]], &mut [&mut outputs]).unwrap_err();
    let expected = ExecuteError::NotFinite {
        instruction: exponential,
        operator: "exponential".to_owned(),
        part: Part::Value,
        at: 0,
    };
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), format!("instruction {exponential} (`exponential`): a value is not finite, at 0"));
    // The fused program runs.
    let mut executable = Executable::<f64>::new(&softmax().compile().unwrap(), numerics).unwrap();
    executable.run(&[&inputs[0]], &mut [&mut outputs]).unwrap();
    assert!((outputs[..4].iter().sum::<f64>() - 1.0).abs() < 1e-15);
}

/// A hidden score that stands far above all that a query sees leaves the row as it is.
#[test]
fn a_large_hidden_score_hides_nothing() {
    let layer = Layer::Attention(Attention { heads: 1, mask: Mask::Causal, projections: None });
    let architecture = Architecture::new(&[1, 2, 1], layer);
    let program = architecture.compile().unwrap();
    // Query 0 has score 1e4 with itself and 2e4 with key 1, which it does not see.
    let inputs = vec![vec![100.0, 200.0]];
    let outputs = program.evaluate(&inputs).unwrap();
    assert_eq!(outputs, [[100.0, 200.0]]);
    assert_eq!(architecture.direct(&inputs).unwrap(), outputs);
    assert_eq!(pulled(&program, &inputs, &[vec![1.0, 0.0]]), [[1.0, 0.0]]);
    let mut executable = Executable::<f32>::new(&program, Numerics { nonfinite: Nonfinite::Refuse }).unwrap();
    let mut single = [0.0; 2];
    executable.run(&[&[100.0, 200.0]], &mut [&mut single]).unwrap();
    assert_eq!(single, [100.0, 200.0]);
}
