//! What the tests have in common.

use pullback_kernel::Rational;
use pullback_kernel::eval::{Dual, EvalError, Number};
use pullback_kernel::statement::Function;
use pullback_program::architecture::{Architecture, Layer};
use pullback_program::random::Random;
use pullback_program::{DynProgram, Literal};
use std::cell::Cell;
use std::cmp::Ordering;

pub(crate) fn floats(arrays: &[Vec<Rational>]) -> Vec<Vec<f64>> {
    arrays.iter().map(|x| x.iter().map(f64::rational).collect()).collect()
}

pub(crate) fn draw(random: &mut Random, like: &[Vec<f64>]) -> Vec<Vec<f64>> {
    floats(&like.iter().map(|x| random.rationals(x.len())).collect::<Vec<_>>())
}

pub(crate) fn ratio(n: i64, d: i64) -> Literal {
    Literal::Exact(Rational::new(n.into(), d.into()))
}

/// The largest difference over the largest number, array by array.
pub(crate) fn distance(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.iter().map(Vec::len).collect::<Vec<_>>(), b.iter().map(Vec::len).collect::<Vec<_>>());
    let one = |a: &Vec<f64>, b: &Vec<f64>| {
        let scale = a.iter().chain(b).fold(0.0_f64, |s, x| s.max(x.abs()));
        let worst =
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0_f64, |s, d| if d.is_nan() { d } else { s.max(d) });
        if scale == 0.0 { worst } else { worst / scale.max(1e-3) }
    };
    a.iter().zip(b).map(|(a, b)| one(a, b)).fold(0.0, |s, d| if d.is_nan() || s.is_nan() { f64::NAN } else { s.max(d) })
}

pub(crate) fn close(what: &str, a: &[Vec<f64>], b: &[Vec<f64>], bound: f64) -> f64 {
    let found = distance(a, b);
    assert!(found <= bound, "{what}: {found:e} apart\n{a:?}\n{b:?}");
    found
}

pub(crate) fn dot(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
}

/// The gradient by the tape.
pub(crate) fn pulled(program: &DynProgram, inputs: &[Vec<f64>], seeds: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (_, tape) = program.linearize(inputs).unwrap_or_else(|e| panic!("{e}\n{program}"));
    program.pullback(&tape, seeds).unwrap()
}

thread_local! {
    static BOUNDARY: Cell<bool> = const { Cell::new(false) };
}

/// A float that takes note when the sign of a number near zero is asked for: a tie, or a kink.
#[derive(Clone, Debug)]
pub(crate) struct Watch(f64);

impl Watch {
    /// Whether there was one since the last time.
    pub(crate) fn boundary() -> bool {
        BOUNDARY.with(|seen| seen.replace(false))
    }
}

impl Number for Watch {
    fn rational(q: &Rational) -> Self {
        Watch(f64::rational(q))
    }
    fn add(&self, o: &Self) -> Self {
        Watch(self.0 + o.0)
    }
    fn neg(&self) -> Self {
        Watch(-self.0)
    }
    fn mul(&self, o: &Self) -> Self {
        Watch(self.0 * o.0)
    }
    fn recip(&self) -> Result<Self, EvalError> {
        Number::recip(&self.0).map(Watch)
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        self.0.call(f).map(Watch)
    }
    fn sign(&self) -> Option<Ordering> {
        if self.0.abs() < 1e-9 {
            BOUNDARY.with(|seen| seen.set(true));
        }
        self.0.sign()
    }
}

/// The directional derivative of the loops, by dual numbers, and whether a tie or kink was met.
pub(crate) fn pushed(architecture: &Architecture, inputs: &[Vec<f64>], tangents: &[Vec<f64>]) -> (Vec<Vec<f64>>, bool) {
    Watch::boundary();
    let dual = |(x, v): (&f64, &f64)| Dual { value: Watch(*x), tangent: Watch(*v) };
    let pairs: Vec<Vec<_>> = inputs.iter().zip(tangents).map(|(x, v)| x.iter().zip(v).map(dual).collect()).collect();
    let outputs = architecture.direct(&pairs).unwrap();
    (outputs.iter().map(|y| y.iter().map(|d| d.tangent.0).collect()).collect(), Watch::boundary())
}

/// The whole gradient by dual numbers, one coordinate of the inputs after the other.
pub(crate) fn gradient(architecture: &Architecture, inputs: &[Vec<f64>], seeds: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut tangents: Vec<Vec<f64>> = inputs.iter().map(|x| vec![0.0; x.len()]).collect();
    let mut gradient = tangents.clone();
    for array in 0..inputs.len() {
        for at in 0..inputs[array].len() {
            tangents[array][at] = 1.0;
            gradient[array][at] = dot(seeds, &pushed(architecture, inputs, &tangents).0);
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
