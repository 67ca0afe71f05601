//! Eight architectures, one for each family of Theorem 3: small, smooth, and with every attribute that is not its default.

use pullback_program::Literal;
use pullback_program::architecture::{
    Activation, Architecture, Attention, Cell, Convolution, Dense, Embedding, Layer, Mask, Normalization, Pooling,
    PoolingKind, Projections, Recurrent, States, Stencil, Time,
};
use pullback_program::random::Random;

use super::{Graph, of_shape};

/// An architecture by name.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Its name.
    pub name: &'static str,
    make: fn() -> Architecture,
}

/// The eight.
pub const EXAMPLES: &[Example] = &[
    Example { name: "perceptron", make: perceptron },
    Example { name: "convolution", make: convolution },
    Example { name: "pooling", make: pooling },
    Example { name: "residual", make: residual },
    Example { name: "recurrence", make: recurrence },
    Example { name: "normalisation", make: normalization },
    Example { name: "attention", make: attention },
    Example { name: "embedding", make: embedding },
];

impl Example {
    /// Its graph at a random point: fused in runs of even number, in the core language in the others.
    pub(super) fn graph(&self, run: usize, seed: u64) -> Result<Graph, String> {
        let core = run % 2 == 1;
        let name = format!("{}{}, run {run}", self.name, if core { " in the core language" } else { "" });
        let architecture = (self.make)();
        let signature = architecture.verify().map_err(|error| format!("{name}: {error}"))?;
        let program = if core { architecture.lower() } else { architecture.compile() };
        let program = program.map_err(|error| format!("{name}: {error}"))?;
        let mut random = Random(seed);
        let data = signature.data.len();
        // Parameters are smaller than data, as they are after any initialisation.
        let inputs = signature.inputs().enumerate();
        let inputs = inputs.map(|(k, (_, shape))| of_shape(&mut random, shape, if k < data { 1.0 } else { 0.5 }));
        let inputs = inputs.collect();
        Ok(Graph { name, program, inputs, seed })
    }
}

fn dense(features: usize) -> Layer {
    Layer::Dense(Dense { features, bias: true })
}

fn eps() -> Literal {
    Literal::Float(1e-3)
}

fn perceptron() -> Architecture {
    let layers = vec![dense(5), Layer::Activation(Activation::Tanh), dense(4), Layer::Activation(Activation::Logistic)];
    Architecture::new(&[3, 4], Layer::Sequential([layers, vec![dense(2)]].concat()))
}

fn convolution() -> Architecture {
    let first = Stencil::new(&[2, 2]).stride(&[2, 1]).padding(&[[1, 0], [0, 1]]).dilation(&[1, 2]);
    let convolution = Convolution { channels: 4, stencil: first, groups: 2, bias: true, padding_value: None };
    Architecture::new(
        &[2, 2, 4, 4],
        Layer::Sequential(vec![Layer::Convolution(convolution), Layer::Activation(Activation::Tanh)]),
    )
}

fn pooling() -> Architecture {
    let pool = |kind, stencil| Layer::Pooling(Pooling { kind, stencil });
    Architecture::new(
        &[2, 3, 6],
        Layer::Sequential(vec![
            pool(PoolingKind::Average, Stencil::new(&[3]).stride(&[2]).padding(&[[1, 0]])),
            Layer::Activation(Activation::Tanh),
            pool(PoolingKind::Sum, Stencil::new(&[2])),
            Layer::Flatten,
            dense(2),
        ]),
    )
}

fn residual() -> Architecture {
    let inner = Layer::Sequential(vec![dense(4), Layer::Activation(Activation::Tanh), dense(4)]);
    let block = Layer::Residual(Box::new(inner));
    Architecture::new(&[3, 4], Layer::Sequential(vec![block.clone(), block]))
}

fn recurrence() -> Architecture {
    let layer = Recurrent { cell: Cell::Gru, hidden: 3, time: Time::Second, states: States::All };
    Architecture::new(&[2, 4, 3], Layer::Recurrent(layer))
}

fn normalization() -> Architecture {
    let layer = Layer::Normalization(Normalization::layer(2, eps()));
    Architecture::new(&[4, 5], Layer::Sequential(vec![dense(6), layer, Layer::Activation(Activation::Tanh)]))
}

fn attention() -> Architecture {
    let projections = Some(Projections { head: 2, value: 3, output: 4, bias: true });
    Architecture::new(&[2, 3, 4], Layer::Attention(Attention { heads: 2, mask: Mask::Causal, projections }))
}

fn embedding() -> Architecture {
    // A row that is read twice, and one that nobody reads.
    let table = Embedding { vocabulary: 5, features: 3, shape: vec![2, 3], indices: vec![0, 3, 0, 4, 1, 3] };
    Architecture::new(
        &[1],
        Layer::Sequential(vec![Layer::Embedding(table), dense(4), Layer::Activation(Activation::Softmax)]),
    )
}
