//! How large programs are: linear in steps and layers, the same for any number of heads.

use std::time::Instant;

use pullback_program::Literal;
use pullback_program::architecture::{
    Activation, Architecture, Attention, Cell, Dense, Layer, Mask, Normalization, Projections, Recurrent, States, Time,
};

fn lengths(build: impl Fn(usize) -> Architecture, sizes: [usize; 3]) -> [usize; 3] {
    sizes.map(|n| build(n).lower().unwrap().len())
}

fn recurrent(cell: Cell, states: States, steps: usize) -> Architecture {
    let layer = Layer::Recurrent(Recurrent { cell, hidden: 3, time: Time::Second, states });
    Architecture::new(&[2, steps, 3], layer)
}

fn block(width: usize, heads: usize, mask: Mask) -> Layer {
    let eps = Literal::Float(1e-5);
    let norm = || Layer::Normalization(Normalization::layer(3, eps.clone()));
    let head = width / heads;
    let projections = Some(Projections { head, value: head, output: width, bias: true });
    let attention = Layer::Attention(Attention { heads, mask, projections });
    let dense = |features| Layer::Dense(Dense { features, bias: true });
    let mlp = vec![norm(), dense(4 * width), Layer::Activation(Activation::GeluTanh), dense(width)];
    let residual = |layers| Layer::Residual(Box::new(Layer::Sequential(layers)));
    Layer::Sequential(vec![residual(vec![norm(), attention]), residual(mlp)])
}

fn transformer(layers: usize, shape: [usize; 3], heads: usize) -> Architecture {
    let blocks = (0..layers).map(|_| block(shape[2], heads, Mask::Causal)).collect();
    Architecture::new(&shape, Layer::Sequential(blocks))
}

#[test]
fn recurrences_grow_linearly() {
    for cell in [Cell::Plain, Cell::Lstm, Cell::Gru] {
        for states in [States::Last, States::All] {
            let [a, b, c] = lengths(|steps| recurrent(cell, states, steps), [4, 8, 16]);
            println!("{cell:?} {states:?}: {a}, {b}, {c} instructions for 4, 8, 16 steps");
            assert_eq!(2 * (b - a), c - b, "{cell:?} {states:?}");
        }
    }
}

#[test]
fn layers_grow_linearly() {
    let [a, b, c] = lengths(|layers| transformer(layers, [2, 3, 4], 2), [2, 4, 8]);
    println!("transformer: {a}, {b}, {c} instructions for 2, 4, 8 blocks");
    assert_eq!(2 * (b - a), c - b);
}

#[test]
fn heads_cost_no_instructions() {
    let [a, b, c] = lengths(|heads| transformer(1, [2, 3, 8], heads), [2, 4, 8]);
    println!("transformer block: {a}, {b}, {c} instructions for 2, 4, 8 heads");
    assert!(a == b && b == c);
}

#[test]
fn a_stack_of_24_blocks_compiles_in_a_second() {
    let architecture = transformer(24, [8, 128, 512], 8);
    // The statements are read and scheduled once a process.
    transformer(1, [1, 2, 4], 2).compile().unwrap();
    // The best of a few: what else the machine does is no fault of the compiler.
    let timed = || {
        let start = Instant::now();
        let program = architecture.compile().unwrap();
        (start.elapsed(), program)
    };
    let (took, program) = (0..3).map(|_| timed()).min_by_key(|(took, _)| *took).unwrap();
    let parameters: usize = program.inputs()[1..].iter().map(|i| i.shape.elements()).sum();
    println!("{} instructions, {parameters} parameters, {took:?}", program.len());
    assert!(took.as_secs_f64() < 1.0, "{took:?}");
}
