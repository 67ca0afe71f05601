//! What the tests have in common.

use pullback_kernel::Rational;
use pullback_kernel::eval::Number;
use pullback_program::architecture::agreement::{directional, dot};
use pullback_program::architecture::{Architecture, Join, Layer, Parallel, Stencil};
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

/// The part of a name before its numbers.
fn word(of: impl std::fmt::Debug) -> String {
    format!("{of:?}").split([' ', '(', '{']).next().unwrap_or_default().to_owned()
}

/// What a layer chooses, in few words each, to count what was reached.
fn choices(layer: &Layer, arrays: usize) -> Vec<String> {
    let mut all = Vec::new();
    let mut one = |holds: bool, word: &str| {
        if holds {
            all.push(word.to_owned());
        }
    };
    let either = |holds: bool, what: &str| if holds { what.to_owned() } else { format!("without {what}") };
    let stencil = |of: &Stencil, padding: &str, one: &mut dyn FnMut(bool, &str)| {
        one(of.stride.iter().any(|n| *n > 1), "stride");
        one(of.dilation.iter().any(|n| *n > 1), "dilation");
        one(of.padding.iter().any(|[low, high]| low + high > 0), padding);
        one(of.padding.iter().any(|[low, high]| low != high), &format!("asymmetric {padding}"));
    };
    match layer {
        Layer::Dense(d) => one(true, &either(d.bias, "bias")),
        Layer::Activation(a) => one(true, a.operation()),
        Layer::Convolution(c) => {
            let value = if c.padding_value.is_some() { ", padded by a value" } else { "" };
            let groups = if c.groups > 1 { ", groups" } else { "" };
            one(true, &format!("{}d{groups}{value}", c.stencil.window.len()));
            one(true, &either(c.bias, "bias"));
            one(c.groups > 1 && c.groups == c.channels, "depthwise");
            stencil(&c.stencil, "padding", &mut one);
        }
        Layer::TransposedConvolution(c) => {
            one(true, &format!("{}d", c.stencil.window.len()));
            one(true, &either(c.bias, "bias"));
            one(c.groups > 1, "groups");
            one(c.extra.iter().any(|n| *n > 0), "extra");
            stencil(&c.stencil, "padding", &mut one);
        }
        Layer::Pooling(p) => {
            one(true, &format!("{:?} {}d", p.kind, p.stencil.window.len()));
            stencil(&p.stencil, "padding", &mut one);
        }
        Layer::Reduce(r) => one(true, &word(r.by)),
        Layer::Normalization(n) => {
            one(true, &format!("{:?}{}", n.statistics, if n.groups.is_some() { ", groups" } else { "" }));
            one(true, &either(n.gain.is_some(), "gain"));
            one(true, &either(n.bias.is_some(), "bias"));
        }
        Layer::Attention(a) => {
            let projections = if a.projections.is_some() { ", projections" } else { "" };
            one(true, &format!("{}{projections}", word(&a.mask)));
            one(true, if arrays == 2 { "cross" } else { "self" });
            one(a.heads > 1, "heads");
            if let Some(p) = &a.projections {
                one(true, &either(p.bias, "bias"));
            }
        }
        Layer::Recurrent(r) => {
            one(true, &format!("{:?} {:?}", r.cell, r.states));
            one(true, &format!("{:?} {:?}", r.cell, r.time));
        }
        Layer::Positional(p) => one(true, &word(p)),
        Layer::CrossEntropy(l) => one(true, if l.ignore.is_some() { "ignoring" } else { "" }),
        Layer::Join(j) => one(true, &word(j)),
        Layer::Parallel(p) => one(true, &word(p.join)),
        Layer::Tied(t) => {
            t.parameters.iter().for_each(|tie| one(true, if tie.transposed { "transposed" } else { "as it is" }))
        }
        _ => one(true, ""),
    }
    all.into_iter().map(|text| format!("{} {text}", layer.kind()).trim().to_owned()).collect()
}

/// What all layers of one choose, that is given so many arrays; and how many arrays it gives.
pub(crate) fn features(layer: &Layer, arrays: usize, found: &mut Vec<String>) -> usize {
    found.extend(choices(layer, arrays));
    match layer {
        Layer::Sequential(all) => all.iter().fold(arrays, |arrays, layer| features(layer, arrays, found)),
        Layer::Parallel(Parallel { branches, join }) => {
            let given = branches.iter().map(|branch| features(branch, arrays, found)).sum();
            if *join == Join::Tuple { given } else { 1 }
        }
        Layer::Product(all) => all.iter().map(|layer| features(layer, 1, found)).sum(),
        Layer::Residual(inner) => features(inner, arrays, found),
        Layer::Shared(shared) => features(&shared.layer, arrays, found),
        Layer::Tied(tied) => features(&tied.layer, arrays, found),
        Layer::Join(Join::Tuple) => arrays,
        _ => 1,
    }
}
