//! Programs to draw.

use pullback_program::{Array, Binding, Builder, DynProgram, Limits, Literal, Operation, Operator, Shape, ValueId};

/// A builder with the library at hand.
pub(crate) struct Sketch(pub(crate) Builder);

impl Sketch {
    pub(crate) fn new() -> Sketch {
        Sketch(Builder::new(Limits::default()))
    }

    pub(crate) fn input(&mut self, name: &str, shape: &[usize]) -> ValueId {
        self.0.input(name, Shape::new(shape)).unwrap()
    }

    pub(crate) fn apply(&mut self, name: &str, dims: &[&[usize]], arguments: &[ValueId]) -> ValueId {
        self.with(name, dims, Vec::new(), arguments)
    }

    pub(crate) fn with(
        &mut self,
        name: &str,
        dims: &[&[usize]],
        constants: Vec<Array>,
        arguments: &[ValueId],
    ) -> ValueId {
        let dims = dims.iter().map(|d| d.to_vec()).collect();
        let binding = Binding { dims, constants, ..Binding::default() };
        let operation = Operation::new(Operator::library(name).unwrap(), binding, &Limits::default()).unwrap();
        self.0.apply(operation, arguments).unwrap()[0]
    }

    pub(crate) fn finish(mut self, outputs: &[(&str, ValueId)]) -> DynProgram {
        outputs.iter().for_each(|(name, value)| assert!(self.0.output(name, *value)));
        self.0.finish()
    }
}

/// Two layers and a loss.
pub(crate) fn network() -> DynProgram {
    let mut s = Sketch::new();
    let x = s.input("images", &[32, 784]);
    let w1 = s.input("hidden.weight", &[784, 64]);
    let b1 = s.input("hidden.bias", &[64]);
    let w2 = s.input("output.weight", &[64, 10]);
    let b2 = s.input("output.bias", &[10]);
    let h = s.apply("matmul", &[&[32], &[784], &[64]], &[x, w1]);
    let h = s.apply("bias_add", &[&[32], &[64]], &[h, b1]);
    let h = s.apply("tanh", &[&[32, 64]], &[h]);
    let y = s.apply("matmul", &[&[32], &[64], &[10]], &[h, w2]);
    let y = s.apply("bias_add", &[&[32], &[10]], &[y, b2]);
    let p = s.apply("log_softmax", &[&[32], &[10]], &[y]);
    let targets =
        Array::splat(Shape::new(&[32, 10]), Literal::Exact(pullback_kernel::Rational::new(1.into(), 10.into())));
    let loss = s.with("multiply_constant", &[&[32, 10]], vec![targets], &[p]);
    let loss = s.apply("mean_all", &[&[32, 10]], &[loss]);
    s.finish(&[("loss", loss), ("log probabilities", p)])
}

/// One value that many read.
pub(crate) fn shared() -> DynProgram {
    let mut s = Sketch::new();
    let x = s.input("x", &[4]);
    let mut sum = s.apply("tanh", &[&[4]], &[x]);
    for name in ["sine", "cosine", "exponential", "square", "logistic"] {
        let y = s.apply(name, &[&[4]], &[x]);
        let z = s.apply("multiply", &[&[4]], &[y, x]);
        sum = s.apply("add", &[&[4]], &[sum, z]);
    }
    s.finish(&[("y", sum)])
}

/// `x ↦ tanh(w · x)` over and over, with one `w`.
pub(crate) fn recurrence(steps: usize) -> DynProgram {
    let mut s = Sketch::new();
    let mut x = s.input("x", &[8]);
    let w = s.input("w", &[8]);
    for _ in 0..steps {
        let y = s.apply("multiply", &[&[8]], &[w, x]);
        x = s.apply("tanh", &[&[8]], &[y]);
    }
    s.finish(&[("y", x)])
}

/// Nothing but an input, under these names.
pub(crate) fn named(input: &str, output: &str) -> DynProgram {
    let mut s = Sketch::new();
    let x = s.input(input, &[]);
    s.finish(&[(output, x)])
}
