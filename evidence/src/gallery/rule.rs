//! A rule as people write it: plain functions over slices, with the shapes as data.

/// An array for each input or output, in row-major order.
pub type Arrays = Vec<Vec<f64>>;
/// From the inputs to the outputs.
pub type Forward = fn(&[&[f64]]) -> Arrays;
/// From the inputs and the cotangents of the outputs to the cotangents of the inputs.
pub type Pull = fn(&[&[f64]], &[&[f64]]) -> Arrays;
/// The same, with a memory of earlier calls.
pub type Remembering = Box<dyn FnMut(&[&[f64]], &[&[f64]]) -> Arrays + Send>;

/// The backward rule that was shipped.
#[derive(Clone, Copy, Debug)]
pub enum Shipped {
    /// A function of what it is given.
    Plain(Pull),
    /// One that remembers: wrong from its second call on.
    Second(fn() -> Remembering),
}

impl Shipped {
    /// The rule, before its first call.
    pub fn start(self) -> Remembering {
        match self {
            Shipped::Plain(pull) => Box::new(pull),
            Shipped::Second(make) => make(),
        }
    }

    /// The call that has the recorded gradient.
    pub fn wrong_call(self) -> usize {
        match self {
            Shipped::Plain(_) => 1,
            Shipped::Second(_) => 2,
        }
    }
}

/// An operation with its right rule and the one that was shipped.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The shape of each input.
    pub inputs: &'static [&'static [usize]],
    /// The shape of each output.
    pub outputs: &'static [&'static [usize]],
    /// The operation.
    pub forward: Forward,
    /// The right rule.
    pub right: Pull,
    /// The one that was shipped; of an accepted case, what its reporter took for right.
    pub wrong: Shipped,
}

/// One output.
pub(super) fn one(y: Vec<f64>) -> Arrays {
    vec![y]
}

/// An array without axes.
pub(super) fn scalar(y: f64) -> Arrays {
    vec![vec![y]]
}

/// Element by element.
pub(super) fn map(x: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
    x.iter().map(|x| f(*x)).collect()
}

/// Element by element of two.
pub(super) fn zip(x: &[f64], y: &[f64], f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| f(*x, *y)).collect()
}

/// An array from its flat indices.
pub(super) fn from(n: usize, f: impl FnMut(usize) -> f64) -> Vec<f64> {
    (0..n).map(f).collect()
}

/// Σ xᵢ yᵢ
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The largest.
pub(super) fn largest(x: &[f64]) -> f64 {
    x.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The place of the largest, the first of several.
pub(super) fn winner(x: &[f64]) -> usize {
    (1..x.len()).fold(0, |best, k| if x[k] > x[best] { k } else { best })
}

/// 1 or 0.
pub(super) fn indicator(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// eˣ / Σ eˣ
pub(super) fn softmax(x: &[f64]) -> Vec<f64> {
    let m = largest(x);
    let e = map(x, |x| (x - m).exp());
    let total: f64 = e.iter().sum();
    map(&e, |e| e / total)
}
