//! What a small architecture may ask for: refused with its place, before anything of that size is made.

use pullback_program::Literal;
use pullback_program::architecture::{
    Activation, Architecture, Attention, Cell, Convolution, Dense, Join, Layer, Mask, Normalization, Parallel, Pooling,
    PoolingKind, Positional, Projections, Recurrent, Reduce, Reduction, Shared, States, Statistics, Stencil, Time,
    TransposedConvolution,
};

use crate::support::{holds, ratio};

/// Bytes that a refusal may take.
const BYTES: u64 = 16 << 20;

/// The message of a refusal, which must come before anything large is made.
fn refused(inputs: &[&[usize]], layer: Layer) -> String {
    let architecture = Architecture { inputs: inputs.iter().map(|sizes| sizes.to_vec()).collect(), layer };
    let mut error = String::new();
    let used = allocation_counter::measure(|| error = architecture.compile().unwrap_err().to_string());
    assert!(used.bytes_max < BYTES, "{} bytes for: {error}", used.bytes_max);
    error
}

fn attention(mask: Mask) -> Layer {
    Layer::Attention(Attention { heads: 1, mask, projections: None })
}

fn convolution(stencil: Stencil, value: Option<Literal>) -> Layer {
    Layer::Convolution(Convolution { padding_value: value, bias: false, ..Convolution::new(1, stencil) })
}

fn tuple(branches: Vec<Layer>) -> Layer {
    Layer::Parallel(Parallel { branches, join: Join::Tuple })
}

/// Tables that follow from few numbers, each of them within the limits of an array.
#[test]
fn structural_data_is_bounded() {
    const N: usize = 1 << 27;
    let past = format!("is past {} words", pullback_program::Limits::default().budget.bytes / 32);
    let large = |layer: Layer, sizes: &[usize], words: &str| {
        let error = refused(&[sizes], layer);
        assert!(
            error.contains(words) && error.ends_with(&past) || error.ends_with("is past 268435456 elements"),
            "{error}"
        );
        assert!(error.starts_with("layer "), "{error}");
    };
    large(attention(Mask::Causal), &[1, 8192, 1], "the mask");
    large(attention(Mask::Window { before: 5, after: 5 }), &[1, 16384, 1], "the mask");
    large(Layer::Positional(Positional::Sinusoidal), &[1 << 14, 1 << 11], "the table of positions");
    let steps = Recurrent { cell: Cell::Plain, hidden: 1, time: Time::First, states: States::Last };
    large(Layer::Recurrent(steps), &[1 << 21, 1, 1], "the steps");
    let stencil = Stencil::new(&[3]).padding(&[[1, 1]]);
    large(convolution(stencil.clone(), None), &[1, 1, 1 << 26], "the maps of the windows");
    large(Layer::Pooling(Pooling { kind: PoolingKind::Sum, stencil: stencil.clone() }), &[1, 1 << 26], "the maps");
    let transposed =
        TransposedConvolution { channels: 1, stencil: Stencil::new(&[2]), groups: 1, bias: false, extra: vec![] };
    large(Layer::TransposedConvolution(transposed), &[1, 1, N / 2 + 1], "the maps of the windows");
    // Padding that is cut away again by the stride: few places of the result, many with the padding.
    const FAR: usize = 1 << 28;
    let far = Stencil::new(&[1, 1, 1]).stride(&[FAR; 3]).padding(&[[FAR, FAR]; 3]);
    large(convolution(far.clone(), Some(ratio(1, 2))), &[1, 1, 1, 1, 1], "the input with its padding");
    let inside = Stencil::new(&[2, 2, 2]).stride(&[FAR; 3]).padding(&[[1, FAR]; 3]);
    let error = refused(&[&[1, 1, 1]], Layer::Pooling(Pooling { kind: PoolingKind::Max, stencil: inside }));
    assert!(error.contains("holds padding alone"), "{error}");
}

/// The same layers at moderate sizes are what their loops say.
#[test]
fn moderate_sizes_are_not_refused() {
    let stencil = Stencil::new(&[2]).padding(&[[1, 2]]).stride(&[2]).dilation(&[2]);
    holds(&Architecture::new(&[1, 1, 7], convolution(stencil.clone(), Some(ratio(1, 2)))), 1);
    for kind in [PoolingKind::Sum, PoolingKind::Average, PoolingKind::AverageInside, PoolingKind::Max] {
        holds(&Architecture::new(&[2, 7], Layer::Pooling(Pooling { kind, stencil: stencil.clone() })), 2);
    }
    let depth = Layer::Sequential(vec![Layer::Permute(vec![1, 2, 0]); 3]);
    holds(&Architecture::new(&[2, 3, 4], depth), 3);
}

/// Each layer doubles what the one before gives.
#[test]
fn tuples_do_not_double_without_bound() {
    let double = || tuple(vec![Layer::Sequential(vec![]), Layer::Sequential(vec![])]);
    let error = refused(&[&[2]], Layer::Sequential((0..60).map(|_| double()).collect()));
    assert_eq!(error, "layer `10` (parallel): a tuple of 2048 arrays is past 1024 arrays");
    let wide = Architecture::new(&[2], Layer::Sequential((0..10).map(|_| double()).collect()));
    assert_eq!(wide.verify().unwrap().outputs.len(), 1024);
    assert_eq!(wide.compile().unwrap().outputs().len(), 1024);
    let many: Vec<&[usize]> = vec![&[1]; 1025];
    assert!(refused(&many, Layer::Join(Join::Add)).contains("a tuple of 1025 arrays"));
}

/// A name stands in the path of every parameter under it.
#[test]
fn names_are_short() {
    let dense = || Layer::Dense(Dense { features: 1, bias: true });
    let shared = |name: usize| {
        let inner = Layer::Sequential((0..1000).map(|_| dense()).collect());
        Layer::Shared(Shared { name: "n".repeat(name), layer: Box::new(inner) })
    };
    assert!(refused(&[&[1, 1]], shared(1 << 16)).contains("at most 64"));
    assert!(Architecture::new(&[1, 1], shared(64)).compile().is_ok());
}

/// Sizes whose products, sums or differences are past a word.
#[test]
fn sizes_do_not_overflow() {
    const MAX: usize = usize::MAX;
    let weight = |features| Layer::Dense(Dense { features, bias: true });
    let ones = |n: usize| vec![1; n];
    for (sizes, layer) in [
        (vec![MAX, MAX], Layer::Flatten),
        (vec![1, 1], weight(MAX)),
        (vec![1 << 28, 1], weight(1 << 28)),
        (vec![1, 1], Layer::Reshape(vec![MAX, MAX])),
        (vec![1, 1, 1], convolution(Stencil::new(&[MAX]), None)),
        (vec![1, 1, 1], convolution(Stencil::new(&[1]).padding(&[[MAX, MAX]]), None)),
        (vec![1, 1, 1], convolution(Stencil::new(&[1]).stride(&[MAX]), None)),
        (vec![1, 1, 1], convolution(Stencil::new(&[1]).dilation(&[MAX]), None)),
        (vec![1, 1, 1], convolution(Stencil::new(&[1 << 28]).dilation(&[1 << 28]), None)),
        (vec![1, 1, 1], Layer::Convolution(Convolution::depthwise(MAX, Stencil::new(&[1])))),
        (
            vec![1, 1, 1],
            Layer::TransposedConvolution(TransposedConvolution {
                channels: 1,
                stencil: Stencil::new(&[1 << 28]).stride(&[1 << 28]),
                groups: 1,
                bias: true,
                extra: vec![(1 << 28) - 1],
            }),
        ),
        (
            vec![1, 1, 1],
            Layer::TransposedConvolution(TransposedConvolution {
                channels: 1,
                stencil: Stencil::new(&[1]),
                groups: 1,
                bias: true,
                extra: vec![MAX],
            }),
        ),
        (
            vec![1, 1, 1],
            Layer::Recurrent(Recurrent { cell: Cell::Lstm, hidden: MAX, time: Time::First, states: States::All }),
        ),
        (
            vec![1, 1, 1],
            Layer::Recurrent(Recurrent { cell: Cell::Gru, hidden: 1 << 28, time: Time::First, states: States::All }),
        ),
        (vec![1, 1, 1], Layer::Attention(Attention { heads: MAX, mask: Mask::All, projections: None })),
        (
            vec![1, 1, 1],
            Layer::Attention(Attention {
                heads: 1 << 28,
                mask: Mask::All,
                projections: Some(Projections { head: 1 << 28, value: 1 << 28, output: 1, bias: true }),
            }),
        ),
        (
            vec![1, 1],
            Layer::Normalization(Normalization {
                statistics: Statistics::MeanVariance,
                axes: vec![MAX],
                groups: Some(MAX),
                eps: ratio(1, 2),
                gain: None,
                bias: None,
            }),
        ),
        (vec![1, 1], Layer::Reduce(Reduce { by: Reduction::Sum, axes: vec![MAX] })),
        (vec![1, 1], Layer::Permute(vec![MAX, MAX])),
        (vec![1, 1], Layer::Join(Join::Concatenate(MAX))),
        (ones(64), Layer::Reshape(vec![MAX; 64])),
    ] {
        let error = refused(&[&sizes], layer);
        assert!(!error.is_empty());
    }
}

/// Nothing is divided by a window, group, stride or step that is not there.
#[test]
fn zeros_are_named() {
    for (layer, words) in [
        (convolution(Stencil::new(&[0]), None), "window is or has a 0"),
        (convolution(Stencil::new(&[]), None), "`window` is a list of 0; it must be a list of 1, 2 or 3 sizes"),
        (convolution(Stencil::new(&[1; 4]), None), "`window` is a list of 4; it must be a list of 1, 2 or 3 sizes"),
        (convolution(Stencil::new(&[1]).stride(&[0]), None), "stride is or has a 0"),
        (convolution(Stencil::new(&[1]).dilation(&[0]), None), "dilation is or has a 0"),
        (convolution(Stencil::new(&[2]), None), "the window spans 2 places"),
        (convolution(Stencil::new(&[1, 1]), None), "4 axes"),
        (Layer::Convolution(Convolution::depthwise(0, Stencil::new(&[1]))), "channels is or has a 0"),
        (Layer::Convolution(Convolution { groups: 2, ..Convolution::new(2, Stencil::new(&[1])) }), "no multiple"),
        (Layer::Dense(Dense { features: 0, bias: false }), "features is or has a 0"),
        (Layer::Attention(Attention { heads: 0, mask: Mask::All, projections: None }), "heads is or has a 0"),
        (attention(Mask::Sets(vec![])), "`mask` has 0 entries"),
        (attention(Mask::Sets(vec![vec![false]])), "row 0 of the mask is empty"),
        (Layer::Recurrent(Recurrent { cell: Cell::Gru, hidden: 0, time: Time::First, states: States::All }), "hidden"),
        (Layer::Reshape(vec![0]), "the result is or has a 0"),
        (Layer::Reduce(Reduce { by: Reduction::Mean, axes: vec![] }), "`axes` is empty"),
        (tuple(vec![]), "`branches` is empty"),
        (Layer::Activation(Activation::Scale(Literal::Float(f64::NAN))), "finite"),
    ] {
        let error = refused(&[&[1, 1, 1]], layer);
        assert!(error.contains(words), "{words}: {error}");
    }
    // No steps: the input itself is refused.
    let steps = Recurrent { cell: Cell::Plain, hidden: 1, time: Time::First, states: States::Last };
    assert!(refused(&[&[0, 1, 1]], Layer::Recurrent(steps)).contains("the input is or has a 0"));
}

/// The core holds index maps as matrices: one that is too large is refused, not made.
#[test]
fn the_matrices_of_the_core_are_bounded() {
    let stencil = Stencil::new(&[3]);
    let architecture = Architecture::new(&[1, 1, 1 << 12], convolution(stencil, None));
    assert!(architecture.compile().is_ok());
    let mut error = String::new();
    let used = allocation_counter::measure(|| error = architecture.lower().unwrap_err().to_string());
    let elements = ((1 << 12) - 2) * 3 * (1 << 12);
    let expected =
        format!("the lowering of `conv1d`: a matrix of {elements} elements for an index map; 4194304 are the most");
    assert_eq!(error, expected);
    assert!(used.bytes_max < BYTES, "{}", used.bytes_max);
}
