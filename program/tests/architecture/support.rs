//! What the tests have in common.

use pullback_kernel::Rational;
use pullback_kernel::eval::Number;
use pullback_program::architecture::agreement::{directional, dot};
use pullback_program::architecture::{Architecture, Layer};
use pullback_program::random::Random;
use pullback_program::{DynProgram, Literal};

pub(crate) use pullback_program::architecture::agreement::{distance, draw};

pub(crate) fn ratio(n: i64, d: i64) -> Literal {
    Literal::Exact(Rational::new(n.into(), d.into()))
}

pub(crate) fn close(what: &str, a: &[Vec<f64>], b: &[Vec<f64>], bound: f64) -> f64 {
    let found = distance(a, b);
    assert!(found <= bound, "{what}: {found:e} apart\n{a:?}\n{b:?}");
    found
}

/// The gradient by the tape.
pub(crate) fn pulled(program: &DynProgram, inputs: &[Vec<f64>], seeds: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (_, tape) = program.linearize(inputs).unwrap_or_else(|e| panic!("{e}\n{program}"));
    program.pullback(&tape, seeds).unwrap()
}

/// The whole gradient by dual numbers, one coordinate of the inputs after the other.
pub(crate) fn gradient(architecture: &Architecture, inputs: &[Vec<f64>], seeds: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut tangents: Vec<Vec<f64>> = inputs.iter().map(|x| vec![0.0; x.len()]).collect();
    let mut gradient = tangents.clone();
    for array in 0..inputs.len() {
        for at in 0..inputs[array].len() {
            tangents[array][at] = 1.0;
            gradient[array][at] = dot(seeds, &directional(architecture, inputs, &tangents).unwrap().0);
            tangents[array][at] = 0.0;
        }
    }
    gradient
}

/// Values for the inputs of an architecture, from a seed.
pub(crate) fn values(architecture: &Architecture, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random(seed);
    let signature = architecture.verify().unwrap();
    let n = signature.data.len();
    let scale = |k: usize| if k < n { 1.0 } else { 0.5 };
    signature
        .inputs()
        .enumerate()
        .map(|(k, (_, shape))| random.rationals(shape.elements()).iter().map(|q| scale(k) * f64::rational(q)).collect())
        .collect()
}

/// The program, the loops and, where there is one, the core program at one point; and the gradient by dual numbers.
pub(crate) fn holds(architecture: &Architecture, seed: u64) -> DynProgram {
    let program = architecture.compile().unwrap();
    let inputs = values(architecture, seed);
    let outputs = program.evaluate(&inputs).unwrap();
    close("loops", &architecture.direct(&inputs).unwrap(), &outputs, 1e-10);
    if let Ok(core) = architecture.lower() {
        close("core", &core.evaluate(&inputs).unwrap(), &outputs, 1e-10);
    }
    let seeds = draw(&mut Random(seed), &outputs);
    close("gradient", &gradient(architecture, &inputs, &seeds), &pulled(&program, &inputs, &seeds), 1e-10);
    program
}

/// A short description of a layer and what it chooses, to count what was reached.
pub(crate) fn features(layer: &Layer) -> String {
    let text = match layer {
        Layer::Activation(a) => a.operation().to_owned(),
        Layer::Convolution(c) => {
            let value = if c.padding_value.is_some() { ", padded by a value" } else { "" };
            format!("{}d{}{value}", c.stencil.window.len(), if c.groups > 1 { ", groups" } else { "" })
        }
        Layer::TransposedConvolution(c) => format!("{}d", c.stencil.window.len()),
        Layer::Pooling(p) => format!("{:?} {}d", p.kind, p.stencil.window.len()),
        Layer::Reduce(r) => format!("{:?}", r.by),
        Layer::Normalization(n) => {
            format!("{:?}{}", n.statistics, if n.groups.is_some() { ", groups" } else { "" })
        }
        Layer::Attention(a) => {
            let mask = format!("{:?}", a.mask);
            let mask = mask.split([' ', '(']).next().unwrap_or_default().to_owned();
            format!("{mask}{}", if a.projections.is_some() { ", projections" } else { "" })
        }
        Layer::Recurrent(r) => format!("{:?} {:?}", r.cell, r.states),
        Layer::Positional(p) => format!("{p:?}").split('(').next().unwrap_or_default().to_owned(),
        Layer::Join(j) => format!("{j:?}").split('(').next().unwrap_or_default().to_owned(),
        Layer::Parallel(p) => format!("{:?}", p.join).split('(').next().unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    format!("{} {text}", layer.kind()).trim().to_owned()
}
