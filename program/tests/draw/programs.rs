//! Programs to draw.

use pullback_program::{Array, Binding, DynProgram, Shape};

use crate::support::{Net, dims, exact};

/// Two layers and a loss.
pub(crate) fn network() -> DynProgram {
    let mut s = Net::new();
    let x = s.input("images", &[32, 784]);
    let w1 = s.input("hidden.weight", &[784, 64]);
    let b1 = s.input("hidden.bias", &[64]);
    let w2 = s.input("output.weight", &[64, 10]);
    let b2 = s.input("output.bias", &[10]);
    let h = s.op("matmul", &[&[32], &[784], &[64]], &[x, w1]);
    let h = s.op("bias_add", &[&[32], &[64]], &[h, b1]);
    let h = s.op("tanh", &[&[32, 64]], &[h]);
    let y = s.op("matmul", &[&[32], &[64], &[10]], &[h, w2]);
    let y = s.op("bias_add", &[&[32], &[10]], &[y, b2]);
    let p = s.op("log_softmax", &[&[32], &[10]], &[y]);
    let targets = Array::splat(Shape::new(&[32, 10]), exact(1, 10));
    let loss = s.with("multiply_constant", Binding { constants: vec![targets], ..dims(&[&[32, 10]]) }, &[p])[0];
    let loss = s.op("mean_all", &[&[32, 10]], &[loss]);
    s.named(&[("loss", loss), ("log probabilities", p)])
}

/// One value that many read.
pub(crate) fn shared() -> DynProgram {
    let mut s = Net::new();
    let x = s.input("x", &[4]);
    let mut sum = s.op("tanh", &[&[4]], &[x]);
    for name in ["sine", "cosine", "exponential", "square", "logistic"] {
        let y = s.op(name, &[&[4]], &[x]);
        let z = s.op("multiply", &[&[4]], &[y, x]);
        sum = s.op("add", &[&[4]], &[sum, z]);
    }
    s.named(&[("y", sum)])
}

/// `x ↦ tanh(w · x)` over and over, with one `w`.
pub(crate) fn recurrence(steps: usize) -> DynProgram {
    let mut s = Net::new();
    let mut x = s.input("x", &[8]);
    let w = s.input("w", &[8]);
    for _ in 0..steps {
        let y = s.op("multiply", &[&[8]], &[w, x]);
        x = s.op("tanh", &[&[8]], &[y]);
    }
    s.named(&[("y", x)])
}

/// Nothing but an input, under these names.
pub(crate) fn named(input: &str, output: &str) -> DynProgram {
    let mut s = Net::new();
    let x = s.input(input, &[]);
    s.named(&[(output, x)])
}
