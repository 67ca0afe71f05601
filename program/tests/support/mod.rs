//! Programs by hand, for the tests.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test file uses its part, and fails by panicking"
)]

use pullback_program::{
    Array, Binding, Builder, DynProgram, IndexData, Limits, Literal, Operation, Operator, Shape, ValueId,
};

/// A builder with short words.
pub struct Net {
    pub builder: Builder,
}

impl Net {
    pub fn new() -> Net {
        Net { builder: Builder::new(Limits::default()) }
    }

    pub fn input(&mut self, name: &str, sizes: &[usize]) -> ValueId {
        self.builder.input(name, Shape::new(sizes)).unwrap()
    }

    /// An operation of the library whose dimensions have these sizes.
    pub fn op(&mut self, name: &str, dims: &[&[usize]], arguments: &[ValueId]) -> ValueId {
        self.with(name, Binding { dims: dims.iter().map(|d| d.to_vec()).collect(), ..Binding::default() }, arguments)[0]
    }

    pub fn with(&mut self, name: &str, binding: Binding, arguments: &[ValueId]) -> Vec<ValueId> {
        let operation = Operation::new(Operator::library(name).unwrap(), binding, &Limits::default());
        let operation = operation.unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        self.builder.apply(operation, arguments).unwrap_or_else(|e| panic!("{e}"))
    }

    pub fn finish(self, outputs: &[ValueId]) -> DynProgram {
        let names: Vec<String> = (0..outputs.len()).map(|k| format!("y{k}")).collect();
        let named: Vec<(&str, ValueId)> = names.iter().map(String::as_str).zip(outputs.iter().copied()).collect();
        self.named(&named)
    }

    pub fn named(mut self, outputs: &[(&str, ValueId)]) -> DynProgram {
        for (name, output) in outputs {
            assert!(self.builder.output(name, *output));
        }
        self.builder.finish()
    }
}

pub fn dims(dims: &[&[usize]]) -> Binding {
    Binding { dims: dims.iter().map(|d| d.to_vec()).collect(), ..Binding::default() }
}

/// A window of a convolution or pooling along one axis, without padding.
pub fn window(out: usize, kernel: usize, stride: usize) -> IndexData {
    IndexData::Table((0..out * kernel).map(|k| k / kernel * stride + k % kernel).collect())
}

pub fn exact(n: i64, d: i64) -> Literal {
    Literal::Exact(pullback_kernel::Rational::new(n.into(), d.into()))
}

pub fn zeros(shape: &[usize]) -> Array {
    Array::splat(Shape::new(shape), exact(0, 1))
}

/// A chain of scalar instructions: `x ← tanh(x)`, `x ← x · x`, `x ← x + x0` in turn.
pub fn chain(length: usize) -> DynProgram {
    let mut net = Net::new();
    let x0 = net.input("x", &[]);
    let make = |name: &str| {
        let operation = Operation::new(Operator::library(name).unwrap(), dims(&[&[]]), &Limits::default());
        operation.unwrap()
    };
    let operations = ["tanh", "multiply", "add"].map(|name| net.builder.intern(make(name)));
    let mut x = x0;
    for k in 0..length {
        x = match k % 3 {
            0 => net.builder.apply_interned(operations[0], &[x]),
            1 => net.builder.apply_interned(operations[1], &[x, x]),
            _ => net.builder.apply_interned(operations[2], &[x, x0]),
        }
        .unwrap();
    }
    net.finish(&[x])
}

/// A perceptron with tanh between its layers and a cross-entropy at its end: inputs x, target, w0, b0, …
pub fn perceptron(batch: usize, sizes: &[usize]) -> DynProgram {
    let (mut net, layers, classes) = (Net::new(), sizes.len() - 1, sizes[sizes.len() - 1]);
    let mut x = net.input("x", &[batch, sizes[0]]);
    let target = net.input("target", &[batch, classes]);
    let parameters: Vec<_> = (0..layers)
        .map(|k| (net.input(&format!("w{k}"), &sizes[k..k + 2]), net.input(&format!("b{k}"), &sizes[k + 1..k + 2])))
        .collect();
    for (k, (weight, bias)) in parameters.into_iter().enumerate() {
        x = net.op("linear", &[&[batch], &[sizes[k]], &[sizes[k + 1]]], &[x, weight, bias]);
        if k + 1 < layers {
            x = net.op("tanh", &[&[batch, sizes[k + 1]]], &[x]);
        }
    }
    let loss = net.op("softmax_cross_entropy", &[&[batch], &[classes]], &[x, target]);
    net.finish(&[loss])
}
