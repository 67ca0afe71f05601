//! What is odd and allowed: axes of one element, nothing where something usually is, strides past the end.

use pullback_program::architecture::{
    Activation, Architecture, Attention, Cell, Convolution, CrossEntropy, Dense, Embedding, Join, Layer, Mask,
    Normalization, Parallel, Pooling, PoolingKind, Positional, Projections, Recurrent, Reduce, Reduction, States,
    Statistics, Stencil, Time, TransposedConvolution,
};

use crate::support::{holds, ratio};

fn normalization(statistics: Statistics, axes: Vec<usize>, gain: Option<Vec<usize>>) -> Layer {
    Layer::Normalization(Normalization { statistics, axes, groups: None, eps: ratio(1, 2), bias: gain.clone(), gain })
}

#[test]
fn axes_of_one_element() {
    let one = |rank: usize| vec![1; rank];
    let stencil = |rank: usize| Stencil::new(&one(rank));
    for rank in 1..=3 {
        let sizes = one(rank + 2);
        holds(&Architecture::new(&sizes, Layer::Convolution(Convolution::new(1, stencil(rank)))), 1);
        let channels =
            TransposedConvolution { channels: 2, stencil: stencil(rank), groups: 1, bias: true, extra: vec![] };
        holds(&Architecture::new(&sizes, Layer::TransposedConvolution(channels)), 2);
        for kind in [PoolingKind::Sum, PoolingKind::Average, PoolingKind::AverageInside, PoolingKind::Max] {
            holds(&Architecture::new(&sizes, Layer::Pooling(Pooling { kind, stencil: stencil(rank) })), 3);
            holds(&Architecture::new(&one(rank), Layer::Pooling(Pooling { kind, stencil: stencil(rank) })), 4);
        }
    }
    for cell in [Cell::Plain, Cell::Lstm, Cell::Gru] {
        for states in [States::Last, States::All] {
            for time in [Time::First, Time::Second] {
                holds(&Architecture::new(&one(3), Layer::Recurrent(Recurrent { cell, hidden: 1, time, states })), 5);
            }
        }
    }
    let projections = Some(Projections { head: 1, value: 1, output: 1, bias: true });
    for mask in [Mask::All, Mask::Causal, Mask::Window { before: 0, after: 0 }, Mask::Sets(vec![vec![true]])] {
        for projections in [None, projections.clone()] {
            let attention = Attention { heads: 1, mask: mask.clone(), projections };
            holds(&Architecture::new(&one(2), Layer::Attention(attention.clone())), 6);
            holds(&Architecture::new(&one(5), Layer::Attention(attention)), 7);
        }
    }
    for statistics in [Statistics::MeanVariance, Statistics::RootMeanSquare] {
        for gain in [None, Some(vec![]), Some(vec![0])] {
            holds(&Architecture::new(&[1], normalization(statistics, vec![0], gain.clone())), 8);
            holds(&Architecture::new(&[1, 1, 1], normalization(statistics, vec![0, 2], gain)), 9);
        }
    }
    for positional in [Positional::Sinusoidal, Positional::Learned] {
        holds(&Architecture::new(&[1, 1], Layer::Positional(positional)), 10);
    }
    for by in [Reduction::Sum, Reduction::Mean, Reduction::LogSumExp] {
        holds(&Architecture::new(&[1], Layer::Reduce(Reduce { by, axes: vec![0] })), 11);
    }
    holds(&Architecture::new(&[1], Layer::CrossEntropy(CrossEntropy::new(vec![0]))), 12);
    holds(&Architecture::new(&[1], Layer::Activation(Activation::LogSoftmax)), 13);
    holds(&Architecture::new(&[1], Layer::Flatten), 14);
    holds(&Architecture::new(&[2], Layer::Reshape(vec![])), 15);
}

#[test]
fn strides_past_the_end_and_windows_of_padding() {
    let far = Stencil::new(&[2]).stride(&[9]).dilation(&[3]).padding(&[[0, 7]]);
    let mut convolution = Convolution::new(2, far.clone());
    holds(&Architecture::new(&[1, 1, 4], Layer::Convolution(convolution.clone())), 1);
    convolution.padding_value = Some(ratio(-3, 2));
    holds(&Architecture::new(&[1, 1, 4], Layer::Convolution(convolution.clone())), 2);
    // The second window holds padding alone, which for a sum is nothing and for a convolution its value.
    let alone = Stencil::new(&[1]).stride(&[4]).padding(&[[0, 3]]);
    convolution.stencil = alone.clone();
    holds(&Architecture::new(&[1, 1, 2], Layer::Convolution(convolution)), 3);
    for kind in [PoolingKind::Sum, PoolingKind::Average] {
        holds(&Architecture::new(&[2], Layer::Pooling(Pooling { kind, stencil: alone.clone() })), 4);
    }
    for kind in [PoolingKind::Max, PoolingKind::AverageInside] {
        let pooling = Architecture::new(&[2], Layer::Pooling(Pooling { kind, stencil: alone.clone() }));
        let error = pooling.compile().unwrap_err().to_string();
        assert_eq!(error, "layer (pooling): window 1 along axis 0 holds padding alone");
        holds(&Architecture::new(&[4], Layer::Pooling(Pooling { kind, stencil: far.clone() })), 5);
    }
}

/// How many places of a window are no padding, counted one by one.
#[test]
fn shares_leave_the_padding_out() {
    for (window, stride, low, high, dilation) in
        [(3, 1, 2, 2, 1), (3, 2, 4, 1, 2), (2, 3, 1, 5, 4), (4, 1, 3, 3, 1), (2, 1, 1, 1, 3)]
    {
        let stencil = Stencil::new(&[window]).stride(&[stride]).padding(&[[low, high]]).dilation(&[dilation]);
        let pooling = Pooling { kind: PoolingKind::AverageInside, stencil };
        for size in 3..7 {
            let architecture = Architecture::new(&[size], Layer::Pooling(pooling.clone()));
            if architecture.verify().is_ok() {
                holds(&architecture, 1);
            }
        }
    }
}

#[test]
fn nothing_where_something_usually_is() {
    // No data: a table that is looked up.
    let rows = Embedding { vocabulary: 3, features: 2, shape: vec![], indices: vec![1] };
    holds(&Architecture { inputs: vec![], layer: Layer::Embedding(rows) }, 1);
    // No outputs.
    let nothing = Architecture { inputs: vec![], layer: Layer::Sequential(vec![]) };
    assert!(nothing.verify().unwrap().outputs.is_empty());
    assert!(nothing.compile().unwrap().outputs().is_empty());
    // A scalar.
    holds(&Architecture::new(&[], Layer::Activation(Activation::Tanh)), 2);
    holds(&Architecture::new(&[], Layer::Residual(Box::new(Layer::Sequential(vec![])))), 3);
    // One branch, one array.
    for join in [Join::Tuple, Join::Concatenate(1), Join::Add, Join::Multiply] {
        let branches = vec![Layer::Dense(Dense { features: 2, bias: false })];
        holds(&Architecture::new(&[1, 2], Layer::Parallel(Parallel { branches, join })), 4);
        holds(&Architecture::new(&[1, 2], Layer::Join(join)), 5);
    }
    for layer in [Layer::Flatten, Layer::Reshape(vec![1]), Layer::Dense(Dense { features: 1, bias: true })] {
        let error = Architecture::new(&[], layer).compile().unwrap_err().to_string();
        assert!(error.contains("one axis or more"), "{error}");
    }
}

/// What verifies has a program: numbers of activations are those that their statements take.
#[test]
fn numbers_of_activations() {
    for number in [ratio(-3, 2), ratio(0, 1), ratio(1, 3)] {
        for activation in [Activation::Scale, Activation::Shift, Activation::LeakyRelu, Activation::Elu] {
            let architecture = Architecture::new(&[3], Layer::Activation(activation(number.clone())));
            assert_eq!(architecture.verify().err(), architecture.compile().err());
            if architecture.verify().is_ok() {
                holds(&architecture, 1);
            }
        }
    }
}
