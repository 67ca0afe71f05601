//! The grammar: what fits, what does not and why, and its JSON.

use pullback_program::architecture::{
    Activation, Architecture, ArchitectureError, Attention, Cell, Convolution, CrossEntropy, Dense, Embedding, Join,
    Layer, LayerFault, Mask, Normalization, Parallel, Pooling, PoolingKind, Positional, Recurrent, Reduce, Reduction,
    Shared, States, Statistics, Stencil, Time, TransposedConvolution,
};
use pullback_program::{Array, Literal, Shape};

use crate::support::{holds, ratio};

fn dense(features: usize) -> Layer {
    Layer::Dense(Dense { features, bias: true })
}

fn refused(input: &[usize], layer: Layer) -> String {
    Architecture::new(input, layer).verify().unwrap_err().to_string()
}

fn sequence(layers: Vec<Layer>) -> Layer {
    Layer::Sequential(layers)
}

#[test]
fn faults_name_the_layer_and_what_would_be_right() {
    let branches = vec![dense(3), dense(4)];
    let parallel = Layer::Parallel(Parallel { branches, join: Join::Add });
    assert_eq!(
        refused(&[2, 3], sequence(vec![dense(2), parallel])),
        "layer `1` (parallel): array 1 has shape [2, 4], expected [2, 3]"
    );
    let convolution = Layer::Convolution(Convolution::new(4, Stencil::new(&[3, 3])));
    let inner = Layer::Parallel(Parallel { branches: vec![dense(3), convolution], join: Join::Tuple });
    assert_eq!(
        refused(&[2, 3, 5], sequence(vec![Layer::Activation(Activation::Tanh), inner])),
        "layer `1.branches.1` (convolution): takes 4 axes, batch, channels and 2 that the window slides along, is given shape [2, 3, 5]"
    );
    let residual = Layer::Residual(Box::new(dense(4)));
    assert_eq!(
        refused(&[2, 3], residual),
        "layer (residual): the result of the inner layer has shape [2, 4], expected [2, 3]"
    );
    let wide = Layer::Convolution(Convolution::new(4, Stencil::new(&[3]).dilation(&[3])));
    assert_eq!(
        refused(&[1, 1, 5], wide),
        "layer (convolution): the window spans 7 places of axis 2, which with its padding has 5"
    );
    let grouped = Layer::Convolution(Convolution { groups: 2, ..Convolution::new(4, Stencil::new(&[1])) });
    assert_eq!(
        refused(&[1, 3, 5], grouped),
        "layer (convolution): the size of axis 1, 3, is no multiple of the 2 groups"
    );
    let strides = Layer::Convolution(Convolution::new(4, Stencil::new(&[1]).stride(&[1, 2])));
    assert_eq!(refused(&[1, 3, 5], strides), "layer (convolution): `stride` has 2 entries, expected 1");
    let padding = Layer::Pooling(Pooling { kind: PoolingKind::Max, stencil: Stencil::new(&[1]).padding(&[[1, 0]]) });
    assert_eq!(refused(&[1, 3], padding), "layer (pooling): window 0 along axis 1 holds padding alone");
    let eps = Layer::Normalization(Normalization::layer(2, ratio(0, 1)));
    assert_eq!(
        refused(&[1, 3], eps),
        "layer (normalization): `eps` is 0; it must be positive and finite, in single precision as well"
    );
    let axes = Layer::Reduce(Reduce { by: Reduction::Sum, axes: vec![1, 0] });
    assert_eq!(
        refused(&[1, 3], axes),
        "layer (reduce): `axes` has axis 0 after axis 1; axes come in ascending order, each once"
    );
    let labels = Layer::CrossEntropy(CrossEntropy::new(vec![0, 3]));
    assert_eq!(refused(&[2, 3], labels), "layer (cross_entropy): index 3 at position 1 of `labels`; there are 3");
    let embedding = Embedding { vocabulary: 2, features: 3, shape: vec![2], indices: vec![0, 2] };
    assert_eq!(
        refused(&[1], Layer::Embedding(embedding)),
        "layer (embedding): index 2 at position 1 of `indices`; there are 2"
    );
    let cropped = TransposedConvolution::new(1, Stencil::new(&[2]).padding(&[[2, 1]]));
    assert_eq!(
        refused(&[1, 1, 2], Layer::TransposedConvolution(cropped)),
        "layer (transposed_convolution): the padding of axis 2 takes away 3 places of 3"
    );
    let heads = Layer::Attention(Attention { heads: 2, mask: Mask::All, projections: None });
    assert_eq!(
        refused(&[1, 2, 3], heads),
        "layer (attention): the size of the last axis, 3, is no multiple of the 2 heads"
    );
    let shared = Layer::Shared(Shared { name: "0".to_owned(), layer: Box::new(dense(1)) });
    assert!(refused(&[1, 2], shared).contains("`0` is no name for shared parameters"));
    assert_eq!(refused(&[1, 0], dense(1)), "layer (architecture): the input is or has a 0; it must be positive");
    let tuple = Layer::Parallel(Parallel { branches: vec![dense(1), dense(1)], join: Join::Tuple });
    assert_eq!(
        refused(&[1, 2], sequence(vec![tuple, dense(1)])),
        "layer `1` (dense): takes one array, is given 2 arrays"
    );
}

#[test]
fn depth_and_sizes_are_limited() {
    let mut deep = dense(1);
    for _ in 0..100 {
        deep = Layer::Residual(Box::new(deep));
    }
    let error = Architecture::new(&[1, 1], deep).verify().unwrap_err();
    assert!(matches!(error, ArchitectureError::Layer { fault: LayerFault::Deep { limit: 64 }, .. }), "{error}");
    for layer in [
        dense(usize::MAX),
        dense(1 << 28),
        Layer::Convolution(Convolution::new(1, Stencil::new(&[usize::MAX]))),
        Layer::Convolution(Convolution::new(1, Stencil::new(&[1]).padding(&[[usize::MAX, 1]]))),
        Layer::Convolution(Convolution::new(usize::MAX, Stencil::new(&[1]))),
        Layer::Embedding(Embedding { vocabulary: 1 << 20, features: 1 << 20, shape: vec![1], indices: vec![0] }),
    ] {
        let error = Architecture::new(&[1, 2, 3], layer).verify().unwrap_err();
        assert!(matches!(error, ArchitectureError::Layer { fault: LayerFault::Large { .. }, .. }), "{error}");
    }
    assert_eq!(
        refused(&[1, 2, 3], dense(1 << 28)),
        "layer (dense): a parameter of shape [3, 268435456] is past 268435456 elements"
    );
    assert_eq!(refused(&[1, 2, 3], dense(usize::MAX)), "layer (dense): `features` is past 268435456");
}

fn convolve(rank: usize, change: impl Fn(&mut Convolution)) {
    let stencil = Stencil::new(&[2, 3, 2][..rank])
        .stride(&[1, 2, 2][..rank])
        .padding(&[[1, 0], [2, 1], [0, 2]][..rank])
        .dilation(&[2, 1, 1][..rank]);
    let mut convolution = Convolution::new(4, stencil);
    change(&mut convolution);
    let input = [&[2, 2], &[4, 3, 3][..rank]].concat();
    holds(&Architecture::new(&input, Layer::Convolution(convolution)), rank as u64);
}

#[test]
fn every_convolution_is_what_its_sum_says() {
    for rank in 1..=3 {
        convolve(rank, |_| {});
        convolve(rank, |c| c.groups = 2);
        convolve(rank, |c| c.bias = false);
        convolve(rank, |c| c.padding_value = Some(ratio(-3, 2)));
        convolve(rank, |c| (c.groups, c.padding_value) = (2, Some(ratio(1, 3))));
    }
    let depthwise = Convolution::depthwise(3, Stencil::new(&[2, 2]).padding(&[[1, 1], [0, 0]]));
    holds(&Architecture::new(&[2, 3, 3, 3], Layer::Convolution(depthwise)), 9);
}

#[test]
fn every_transposed_convolution_is_what_its_sum_says() {
    for rank in 1..=3 {
        for (groups, bias) in [(1, true), (2, false)] {
            let stencil = Stencil::new(&[2, 3, 2][..rank])
                .stride(&[2, 3, 1][..rank])
                .padding(&[[1, 0], [0, 1], [0, 1]][..rank])
                .dilation(&[1, 2, 2][..rank]);
            let extra = vec![1, 2, 0][..rank].to_vec();
            let layer = TransposedConvolution { extra, groups, bias, ..TransposedConvolution::new(2, stencil) };
            let input = [&[2, 2], &[2, 2, 2][..rank]].concat();
            holds(&Architecture::new(&input, Layer::TransposedConvolution(layer)), rank as u64);
        }
    }
}

#[test]
fn every_pooling_is_what_its_window_says() {
    for rank in 1..=3 {
        for kind in [PoolingKind::Sum, PoolingKind::Average, PoolingKind::AverageInside, PoolingKind::Max] {
            for padding in [&[[0, 0]; 3], &[[1, 0], [0, 1], [1, 1]]] {
                let stencil = Stencil::new(&[2, 2, 3][..rank]).stride(&[2, 1, 1][..rank]).padding(&padding[..rank]);
                let input = [&[2], &[3, 3, 4][..rank]].concat();
                let layer = Layer::Pooling(Pooling { kind, stencil });
                // A window may hold equal numbers, where the rule is a convention.
                let architecture = Architecture::new(&input, layer);
                if kind == PoolingKind::Max { distinct(&architecture) } else { drop(holds(&architecture, 1)) }
            }
        }
    }
}

/// As `holds`, at numbers that all differ.
fn distinct(architecture: &Architecture) {
    use crate::support::{close, draw, gradient, pulled};
    let program = architecture.compile().unwrap();
    let n: usize = architecture.inputs[0].iter().product();
    let inputs = vec![(0..n).map(|k| (k * 37 % n) as f64 - n as f64 / 2.0).collect::<Vec<_>>()];
    let outputs = program.evaluate(&inputs).unwrap();
    close("loops", &architecture.direct(&inputs).unwrap(), &outputs, 1e-12);
    let seeds = draw(&mut pullback_program::random::Random(2), &outputs);
    close("gradient", &gradient(architecture, &inputs, &seeds), &pulled(&program, &inputs, &seeds), 1e-12);
}

#[test]
fn every_normalisation_is_what_its_statistics_say() {
    let eps = || ratio(1, 8);
    let shape = [2, 4, 3];
    let mut all = vec![
        Normalization::layer(3, eps()),
        Normalization::batch(3, eps()),
        Normalization::instance(3, eps()),
        Normalization::group(3, 2, eps()),
        Normalization::rms(3, eps()),
    ];
    for statistics in [Statistics::MeanVariance, Statistics::RootMeanSquare] {
        for axes in [vec![0], vec![1], vec![2], vec![0, 1], vec![0, 2], vec![1, 2], vec![0, 1, 2]] {
            let (gain, bias) = (Some(vec![0, 2]), Some(vec![1]));
            all.push(Normalization { statistics, axes: axes.clone(), groups: None, eps: eps(), gain, bias: None });
            all.push(Normalization { statistics, axes, groups: None, eps: eps(), gain: None, bias });
        }
        let axes = vec![1];
        all.push(Normalization { statistics, axes, groups: Some(2), eps: eps(), gain: Some(vec![1]), bias: None });
    }
    for (k, normalization) in all.into_iter().enumerate() {
        holds(&Architecture::new(&shape, Layer::Normalization(normalization)), k as u64);
    }
}

#[test]
fn every_activation_reduction_and_arrangement_is_what_it_says() {
    let layers = [
        Activation::Tanh,
        Activation::Logistic,
        Activation::Silu,
        Activation::GeluTanh,
        Activation::Softplus,
        Activation::LogLogistic,
        Activation::Exponential,
        Activation::Sine,
        Activation::Cosine,
        Activation::Square,
        Activation::Cube,
        Activation::Negate,
        Activation::Scale(ratio(2, 3)),
        Activation::Shift(ratio(2, 3)),
        Activation::Relu,
        Activation::LeakyRelu(ratio(1, 5)),
        Activation::Elu(ratio(3, 2)),
        Activation::Softmax,
        Activation::LogSoftmax,
    ];
    for (k, activation) in layers.into_iter().enumerate() {
        holds(&Architecture::new(&[2, 3], Layer::Activation(activation)), k as u64);
    }
    for by in [Reduction::Sum, Reduction::Mean, Reduction::LogSumExp] {
        for axes in [vec![0], vec![3], vec![0, 2], vec![1, 2], vec![0, 1, 3], vec![0, 1, 2, 3]] {
            holds(&Architecture::new(&[2, 3, 2, 2], Layer::Reduce(Reduce { by, axes })), 1);
        }
    }
    for layer in [
        Layer::Flatten,
        Layer::Reshape(vec![3, 4]),
        Layer::Permute(vec![2, 0, 1]),
        Layer::Positional(Positional::Sinusoidal),
        Layer::Positional(Positional::Learned),
        Layer::Positional(Positional::Table(Array::splat(Shape::new(&[4, 3]), ratio(1, 3)))),
        Layer::CrossEntropy(CrossEntropy::new(vec![0, 2, 1, 1, 0, 2, 2, 1])),
        Layer::Embedding(Embedding { vocabulary: 4, features: 2, shape: vec![2, 3], indices: vec![3, 0, 3, 1, 1, 3] }),
        sequence(vec![]),
    ] {
        holds(&Architecture::new(&[2, 4, 3], layer), 2);
    }
}

/// Rows of the ignored label have no part in the loss, its divisor or its gradient: it is the loss of the others.
#[test]
fn ignored_rows_are_left_out() {
    use crate::support::{close, pulled, values};
    for ignored in [2, 255] {
        let loss = |labels: &[usize]| Layer::CrossEntropy(CrossEntropy::new(labels.to_vec()).ignoring(ignored));
        let whole = Architecture::new(&[2, 3, 3], loss(&[0, ignored, 1, ignored, ignored, 0]));
        let program = holds(&whole, 3);
        let inputs = values(&whole, 4);
        let rows: Vec<&[f64]> = inputs[0].chunks(3).collect();
        let others = vec![[rows[0], rows[2], rows[5]].concat()];
        let alone =
            Architecture::new(&[3, 3], Layer::CrossEntropy(CrossEntropy::new(vec![0, 1, 0]))).compile().unwrap();
        assert_eq!(program.evaluate(&inputs).unwrap(), alone.evaluate(&others).unwrap());
        let (back, kept) = (pulled(&program, &inputs, &[vec![1.0]]), pulled(&alone, &others, &[vec![1.0]]));
        let back: Vec<&[f64]> = back[0].chunks(3).collect();
        close("the rows that count", &[[back[0], back[2], back[5]].concat()], &kept, 0.0);
        assert!([1, 3, 4].iter().all(|row| back[*row] == [0.0; 3]), "{back:?}");
    }
    let message = |labels: &[usize], ignored| {
        refused(&[2, 3], Layer::CrossEntropy(CrossEntropy::new(labels.to_vec()).ignoring(ignored)))
    };
    assert_eq!(
        message(&[7, 7], 7),
        "layer (cross_entropy): all labels are the ignored one; a mean needs one row at least"
    );
    assert_eq!(message(&[7, 8], 7), "layer (cross_entropy): index 8 at position 1 of `labels`; there are 3");
}

#[test]
fn tuples_go_in_and_out() {
    let product = Layer::Product(vec![dense(3), sequence(vec![dense(2), Layer::Activation(Activation::Tanh)])]);
    let cross = Layer::Attention(Attention { heads: 1, mask: Mask::Causal, projections: None });
    let pair = Layer::Parallel(Parallel { branches: vec![dense(4), dense(4)], join: Join::Tuple });
    for join in [Join::Tuple, Join::Concatenate(0), Join::Concatenate(1)] {
        let layer = sequence(vec![product.clone(), Layer::Join(join)]);
        let architecture = Architecture { inputs: vec![vec![2, 4, 3], vec![2, 4, 2]], layer };
        if join == Join::Tuple {
            let program = holds(&architecture, 3);
            let outputs: Vec<&str> = program.outputs().iter().map(|o| o.name.as_str()).collect();
            assert_eq!(outputs, ["y.0", "y.1"]);
        } else {
            let error = architecture.verify().unwrap_err().to_string();
            assert!(error.starts_with("layer `1` (join): array 1 has shape [2, 4, 2]"), "{error}");
        }
    }
    for join in [Join::Add, Join::Multiply, Join::Concatenate(0), Join::Concatenate(1), Join::Concatenate(2)] {
        let branches = vec![dense(3), dense(3), dense(3)];
        holds(&Architecture::new(&[2, 4, 3], Layer::Parallel(Parallel { branches, join })), 4);
    }
    holds(&Architecture::new(&[2, 4, 3], sequence(vec![pair, cross])), 5);
    holds(
        &Architecture {
            inputs: vec![vec![2, 3], vec![2, 3]],
            layer: Layer::Residual(Box::new(Layer::Product(vec![dense(3), dense(3)]))),
        },
        6,
    );
}

#[test]
fn what_is_declared_has_no_core() {
    let architecture = Architecture::new(&[2, 3], Layer::Activation(Activation::Relu));
    let error = architecture.lower().unwrap_err();
    assert_eq!(error.to_string(), "layer (activation): `relu` has no form in the core language");
    // The layer is named, wherever it stands and whatever was emitted before it.
    let activation = |of: Activation| Layer::Activation(of);
    let inner = sequence(vec![dense(3), activation(Activation::Sine)]);
    let branches = vec![Layer::Residual(Box::new(dense(3))), Layer::Residual(Box::new(inner)), dense(3)];
    let parallel = Layer::Parallel(Parallel { branches, join: Join::Add });
    let nested = sequence(vec![dense(3), parallel, activation(Activation::Softplus)]);
    let error = Architecture::new(&[2, 3], nested).lower().unwrap_err();
    assert_eq!(error.to_string(), "layer `1.branches.1.inner.1` (activation): `sine` has no form in the core language");
    assert!(matches!(error, ArchitectureError::Layer { fault: LayerFault::NoCore { .. }, .. }), "{error}");
    let shared = Layer::Shared(Shared { name: "s".to_owned(), layer: Box::new(activation(Activation::Relu)) });
    let error = Architecture::new(&[2, 3], sequence(vec![dense(3), shared, dense(2)])).lower().unwrap_err();
    assert_eq!(error.to_string(), "layer `1.inner` (activation): `relu` has no form in the core language");
}

#[test]
fn recurrences_take_three_axes() {
    let layer = Layer::Recurrent(Recurrent { cell: Cell::Gru, hidden: 2, time: Time::Second, states: States::All });
    assert_eq!(
        refused(&[2, 3], layer),
        "layer (recurrent): takes 3 axes, batch, steps and features, is given shape [2, 3]"
    );
    let eps = Layer::Normalization(Normalization::layer(2, Literal::Float(f64::INFINITY)));
    assert_eq!(
        refused(&[1, 3], eps),
        "layer (normalization): `eps` is inf; it must be positive and finite, in single precision as well"
    );
}
