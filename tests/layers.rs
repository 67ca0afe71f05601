//! Typed layers compute what the grammar says, and their parameters are those of the grammar.
//!
//! Each is compared with the direct evaluator of the grammar, which shares no code with the program that a typed layer makes.

#![allow(missing_docs, reason = "tests say what they test by their names")]
#![allow(clippy::unwrap_used, reason = "a test that fails says where")]
#![allow(clippy::type_complexity, reason = "a signature says its shapes")]

use pullback::laws::{Domain, Draw, TypedDraw};
use pullback::layers::*;
use pullback::program::dynamic::Literal;
use pullback::program::dynamic::architecture::{
    self as grammar, Architecture, Cell, Layer, Normalization, Pooling, Positional, Projections, Recurrent, States,
    Stencil, Time,
};
use pullback::program::{Program, Traced};
use pullback::shape::Window;
use pullback::{Dim, IndexMap, N, Over, Rational, Scalar, Space, Tensor, Var, dims};

dims! {
    Batch = 2; Channel = 4; Filter = 6; Deep = 3; High = 5; Wide = 7;
    Steps = 3; Feature = 5; Hidden = 2; Double = 2 * Hidden; Gates = 3 * Hidden; Quarters = 4 * Hidden;
    Width = 8; Source = 6; Heads = 2; Place = 4; Key = 3; Vocabulary = 5; Groups = 2; Each = Channel / Groups; Third = Filter / Groups;
}

/// The data of a layer and its parameters in the order of the grammar.
fn compare<P: Parametric + Over<f64>, A: Traced + Over<f64>, B: Traced + Over<f64>>(
    name: &str,
    layer: Layer,
    states: &[&str],
    typed: impl FnOnce(P::Vars, A::Vars) -> B::Vars,
) {
    let program = Program::<(P, A), B>::trace(|(p, x)| typed(p, x)).unwrap();
    let mut draw = Draw::new(name.len() as u64);
    let (point, data): (P, A) = (draw.point(Domain::NonZero), draw.point(Domain::NonZero));
    let found = program.evaluate::<f64>((point.clone(), data.clone())).unwrap().coordinates();

    // Initial states are data of a typed layer, and come with a name in the grammar.
    let mut arrays = Vec::new();
    let (mut sizes, mut rest) = (Vec::new(), &data.coordinates()[..]);
    A::ports(&mut Default::default(), &mut |port| sizes.push(port.sizes.to_vec()));
    for sizes in &sizes {
        let (these, after) = rest.split_at(sizes.iter().product());
        arrays.push(these.to_vec());
        rest = after;
    }
    let named = arrays.split_off(arrays.len() - states.len());
    sizes.truncate(arrays.len());
    let architecture = Architecture { inputs: sizes, layer };
    let values = flatten(&point);
    let signature = architecture.verify().unwrap();
    for parameter in &signature.parameters {
        let state = states.iter().position(|state| *state == parameter.path);
        arrays.push(match state {
            Some(state) => named[state].clone(),
            None => values.get(&parameter.path).unwrap().to_vec(),
        });
    }
    // Neither has a parameter more, and the roles are those of the grammar.
    let described: Vec<_> = parameters::<P>();
    let expected: Vec<_> = signature.parameters.iter().filter(|p| p.role != Role::State).cloned().collect();
    assert_eq!(sorted(described), sorted(expected), "{name}");
    let expected = architecture.direct(&arrays).unwrap().concat();
    assert_eq!(found.len(), expected.len(), "{name}");
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{name} at {at}: {found} and {expected}");
    }
}

fn sorted(mut parameters: Vec<Parameter>) -> Vec<Parameter> {
    parameters.sort_by(|a, b| a.path.cmp(&b.path));
    parameters
}

type T<S> = Tensor<S, f64>;
type D<In, Out> = Dense<In, Out, f64>;

#[test]
fn dense() {
    let layer = |bias| Layer::Dense(grammar::Dense { features: Hidden::SIZE, bias });
    compare::<D<Feature, Hidden>, T<(Feature,)>, T<(Hidden,)>>("one axis", layer(true), &[], |p, x| p.apply(x));
    compare::<D<Feature, Hidden>, T<(Batch, Steps, Feature)>, T<(Batch, Steps, Hidden)>>(
        "three axes",
        layer(true),
        &[],
        |p, x| p.apply(x),
    );
    compare::<Dense<Feature, Hidden, f64, NoBias>, T<(Batch, Feature)>, T<(Batch, Hidden)>>(
        "without a bias",
        layer(false),
        &[],
        |p, x| p.apply(x),
    );
}

#[test]
fn convolutions() {
    dims! { Along = 4; Rows = 3; Columns = 5; Planes = 2; OddColumns = 3 }
    // (7 + 1 + 2 - 2 (3 - 1) - 1) / 2 + 1 = 3 places.
    let stencil = Stencil::new(&[3]).stride(&[2]).padding(&[[1, 2]]).dilation(&[2]);
    let layer = Layer::Convolution(grammar::Convolution::new(Filter::SIZE, stencil.clone()));
    let along = Window::<Rows>::new().stride::<2>().padding_low_high::<1, 2>().dilation::<2>();
    type One = Convolution1d<Channel, Filter, N<3>, f64>;
    compare::<One, T<(Batch, Channel, Wide)>, T<(Batch, Filter, Rows)>>("1d", layer, &[], |p, x| p.apply(x, along));

    let padded =
        grammar::Convolution { padding_value: Some(Literal::Float(0.5)), ..grammar::Convolution::new(6, stencil) };
    compare::<One, T<(Batch, Channel, Wide)>, T<(Batch, Filter, Rows)>>(
        "1d, padded with a number",
        Layer::Convolution(padded),
        &[],
        |p, x| p.apply_padded(x, along, 0.5),
    );

    let stencil = Stencil::new(&[3, 2]).stride(&[1, 2]).padding(&[[0, 0], [1, 1]]);
    let layer = grammar::Convolution { bias: false, ..grammar::Convolution::new(Filter::SIZE, stencil.clone()) };
    type Two = Convolution2d<Channel, Filter, N<3>, N<2>, f64, NoBias>;
    let (rows, columns) = (Window::<Rows>::new(), Window::<Along>::new().stride::<2>().padding::<1>());
    compare::<Two, T<(Batch, Channel, High, Wide)>, T<(Batch, Filter, Rows, Along)>>(
        "2d",
        Layer::Convolution(layer),
        &[],
        |p, x| p.apply(x, rows, columns),
    );

    let stencil = Stencil::new(&[2, 3, 3]);
    let layer = Layer::Convolution(grammar::Convolution::new(Filter::SIZE, stencil));
    type Three = Convolution3d<Channel, Filter, N<2>, N<3>, N<3>, f64>;
    compare::<Three, T<(Batch, Channel, Deep, High, Wide)>, T<(Batch, Filter, Planes, Rows, Columns)>>(
        "3d",
        layer,
        &[],
        |p, x| p.apply(x, Window::<Planes>::new(), Window::<Rows>::new(), Window::<Columns>::new()),
    );
}

#[test]
fn transposed_convolutions() {
    dims! { Spread = 14; Rows = 7; Columns = 15; Planes = 4 }
    // 2 (7 - 1) + 3 - 1 = 14 places.
    let stencil = Stencil::new(&[3]).stride(&[2]).padding(&[[1, 0]]);
    let layer = Layer::TransposedConvolution(grammar::TransposedConvolution::new(Filter::SIZE, stencil));
    let along = Window::<Spread>::new().stride::<2>().padding_low_high::<1, 0>();
    type One = TransposedConvolution1d<Channel, Filter, N<3>, f64>;
    compare::<One, T<(Batch, Channel, Wide)>, T<(Batch, Filter, Spread)>>("1d", layer, &[], |p, x| p.apply(x, along));

    dims! { Longer = 15 }
    let stencil = Stencil::new(&[3]).stride(&[2]).padding(&[[1, 0]]);
    let layer = grammar::TransposedConvolution { extra: vec![1], ..grammar::TransposedConvolution::new(6, stencil) };
    let along = Window::<Longer>::new().stride::<2>().padding_low_high::<1, 0>();
    compare::<One, T<(Batch, Channel, Wide)>, T<(Batch, Filter, Longer)>>(
        "1d, one place more",
        Layer::TransposedConvolution(layer),
        &[],
        |p, x| p.apply(x, along),
    );

    let stencil = Stencil::new(&[3, 3]).stride(&[1, 2]);
    let layer = Layer::TransposedConvolution(grammar::TransposedConvolution::new(Filter::SIZE, stencil));
    type Two = TransposedConvolution2d<Channel, Filter, N<3>, N<3>, f64>;
    compare::<Two, T<(Batch, Channel, High, Wide)>, T<(Batch, Filter, Rows, Columns)>>("2d", layer, &[], |p, x| {
        p.apply(x, Window::<Rows>::new(), Window::<Columns>::new().stride::<2>())
    });

    let layer =
        Layer::TransposedConvolution(grammar::TransposedConvolution::new(Hidden::SIZE, Stencil::new(&[2, 1, 1])));
    type Three = TransposedConvolution3d<Channel, Hidden, N<2>, N<1>, N<1>, f64>;
    compare::<Three, T<(Batch, Channel, Deep, High, Hidden)>, T<(Batch, Hidden, Planes, High, Hidden)>>(
        "3d",
        layer,
        &[],
        |p, x| p.apply(x, Window::<Planes>::new(), Window::<High>::new(), Window::<Hidden>::new()),
    );
}

#[test]
fn groups() {
    dims! { Rows = 3; Along = 5 }
    let layer = |groups, stencil| {
        Layer::Convolution(grammar::Convolution { groups, ..grammar::Convolution::new(Filter::SIZE, stencil) })
    };
    type Grouped = GroupedConvolution1d<Groups, Each, Filter, N<3>, f64>;
    compare::<Grouped, T<(Batch, Channel, Wide)>, T<(Batch, Filter, Along)>>(
        "in groups",
        layer(2, Stencil::new(&[3])),
        &[],
        |p, x| p.apply(x, Window::<Along>::new()),
    );
    type Depthwise = GroupedConvolution2d<Channel, N<1>, Channel, N<3>, N<3>, f64>;
    let depthwise = Layer::Convolution(grammar::Convolution::depthwise(4, Stencil::new(&[3, 3])));
    compare::<Depthwise, T<(Batch, Channel, High, Wide)>, T<(Batch, Channel, Rows, Along)>>(
        "depthwise",
        depthwise,
        &[],
        |p, x| p.apply(x, Window::<Rows>::new(), Window::<Along>::new()),
    );
    let transposed = grammar::TransposedConvolution::new(Filter::SIZE, Stencil::new(&[3]));
    let transposed = Layer::TransposedConvolution(grammar::TransposedConvolution { groups: 2, ..transposed });
    type Spread = GroupedTransposedConvolution1d<Channel, Groups, Third, Filter, N<3>, f64>;
    compare::<Spread, T<(Batch, Channel, Along)>, T<(Batch, Filter, Wide)>>("transposed", transposed, &[], |p, x| {
        p.apply(x, Window::<Wide>::new())
    });
}

#[test]
fn pooling() {
    dims! { Along = 4; Rows = 3; Planes = 2; Columns = 6 }
    for kind in [PoolingKind::Sum, PoolingKind::Average, PoolingKind::AverageInside, PoolingKind::Max] {
        let stencil = Stencil::new(&[3]).stride(&[2]).padding(&[[1, 1]]);
        compare::<(), T<(Batch, Channel, Wide)>, T<(Batch, Channel, Along)>>(
            "1d",
            Layer::Pooling(Pooling { kind, stencil }),
            &[],
            |(), x| pool1d(kind, x, Window::<Along>::new().stride::<2>().padding::<1>().over::<_, N<3>>()),
        );
        let stencil = Stencil::new(&[3, 2]);
        compare::<(), T<(Batch, Channel, High, Wide)>, T<(Batch, Channel, Rows, Columns)>>(
            "2d",
            Layer::Pooling(Pooling { kind, stencil }),
            &[],
            |(), x| {
                pool2d(kind, x, Window::<Rows>::new().over::<_, N<3>>(), Window::<Columns>::new().over::<_, N<2>>())
            },
        );
        let stencil = Stencil::new(&[2, 3, 2]);
        compare::<(), T<(Batch, Channel, Deep, High, Wide)>, T<(Batch, Channel, Planes, Rows, Columns)>>(
            "3d",
            Layer::Pooling(Pooling { kind, stencil }),
            &[],
            |(), x| {
                let (planes, rows) =
                    (Window::<Planes>::new().over::<_, N<2>>(), Window::<Rows>::new().over::<_, N<3>>());
                pool3d(kind, x, planes, rows, Window::<Columns>::new().over::<_, N<2>>())
            },
        );
    }
}

#[test]
fn normalization() {
    let eps = || Literal::Float(0.125);
    type X = T<(Batch, Channel, Wide)>;
    let layer = |layer| Layer::Normalization(layer);
    compare::<LayerNorm<Wide, f64>, X, X>("layer", layer(Normalization::layer(3, eps())), &[], |p, x| {
        p.apply(x, 0.125)
    });
    compare::<RmsNorm<Wide, f64>, X, X>("rms", layer(Normalization::rms(3, eps())), &[], |p, x| p.apply(x, 0.125));
    compare::<BatchNorm<Channel, f64>, X, X>("batch", layer(Normalization::batch(3, eps())), &[], |p, x| {
        p.apply(x, 0.125)
    });
    compare::<InstanceNorm<Channel, f64>, X, X>("instance", layer(Normalization::instance(3, eps())), &[], |p, x| {
        p.apply(x, 0.125)
    });
    compare::<GroupNorm<Channel, f64>, X, X>("group", layer(Normalization::group(3, 2, eps())), &[], |p, x| {
        p.apply(Groups, x, 0.125)
    });
    let axes = vec![0, 2];
    let plain = Normalization { axes, gain: None, bias: None, ..Normalization::layer(3, eps()) };
    compare::<(), X, X>("any axes", layer(plain), &[], |(), x| normalize(x, Statistics::MeanVariance, &[0, 2], 0.125));
}

#[test]
fn attention() {
    let layer = |mask, projections| Layer::Attention(grammar::Attention { heads: 2, mask, projections });
    type X = T<(Batch, Place, Width)>;
    let projections = Some(Projections { head: 4, value: 4, output: 8, bias: true });
    for mask in [Mask::All, Mask::Causal, Mask::Window { before: 1, after: 0 }] {
        compare::<Attention<Width, Width, Width, Width, Width, f64>, X, X>(
            "self",
            layer(mask.clone(), projections.clone()),
            &[],
            |p, x| p.apply(Heads, x, &mask),
        );
        compare::<(), X, X>("without projections", layer(mask.clone(), None), &[], |(), x| attend(Heads, x, x, &mask));
    }
    dims! { Values = 6; Out = 5; Inner = 4 }
    let sets = Mask::Sets(vec![
        vec![true, false, true],
        vec![false, false, true],
        vec![true, true, true],
        vec![false, true, false],
    ]);
    let projections = Some(Projections { head: 2, value: 3, output: 5, bias: false });
    compare::<
        Attention<Width, Source, Inner, Values, Out, f64, NoBias>,
        (X, T<(Batch, Key, Source)>),
        T<(Batch, Place, Out)>,
    >("cross", layer(sets.clone(), projections), &[], |p, (x, source)| p.apply_to(Heads, x, source, &sets));
}

#[test]
fn a_mask_that_shows_nothing_is_an_error_with_its_row() {
    type X = T<(Batch, Place, Width)>;
    let mask = Mask::Sets(vec![vec![true; 4], vec![true; 4], vec![false; 4], vec![true; 4]]);
    let error = Program::<X, X>::trace(|x| attend(Heads, x, x, &mask)).unwrap_err();
    assert!(error.to_string().contains("tests/layers.rs"), "{error}");
    assert!(error.to_string().contains("row 2"), "{error}");
    let error = Program::<X, X>::trace(|x| normalize(x, Statistics::MeanVariance, &[7], 0.1)).unwrap_err();
    assert!(error.to_string().contains("axis 7"), "{error}");
    let error = Program::<X, X>::trace(|x| normalize(x, Statistics::MeanVariance, &[0], 0.0)).unwrap_err();
    assert!(error.to_string().contains("`eps`"), "{error}");
}

#[test]
fn recurrence() {
    let layer = |cell, time, states| Layer::Recurrent(Recurrent { cell, hidden: Hidden::SIZE, time, states });
    type Second = T<(Batch, Steps, Feature)>;
    type First = T<(Steps, Batch, Feature)>;
    type S = T<(Batch, Hidden)>;
    type All = T<(Batch, Steps, Hidden)>;
    type Leading = T<(Steps, Batch, Hidden)>;
    macro_rules! cell {
        ($name:ty, $cell:ident, $states:expr, $input:ty, $steps:ty, |$p:ident, $x:ident| $last:expr, $all:expr, $last_leading:expr, $all_leading:expr) => {
            compare::<$name, $input, S>("last", layer(Cell::$cell, Time::Second, States::Last), $states, |$p, $x| {
                $last
            });
            compare::<$name, $input, All>("all", layer(Cell::$cell, Time::Second, States::All), $states, |$p, $x| $all);
            compare::<$name, $steps, S>("last", layer(Cell::$cell, Time::First, States::Last), $states, |$p, $x| {
                $last_leading
            });
            compare::<$name, $steps, Leading>(
                "all",
                layer(Cell::$cell, Time::First, States::All),
                $states,
                |$p, $x| $all_leading,
            );
        };
    }
    cell!(Rnn<Feature, Hidden, f64>, Plain, &["state"], (Second, S), (First, S),
        |p, x| p.last(x.0, x.1), p.states(x.0, x.1), p.last_leading(x.0, x.1), p.states_leading(x.0, x.1));
    cell!(Gru<Feature, Hidden, Gates, f64>, Gru, &["state"], (Second, S), (First, S),
        |p, x| p.last(x.0, x.1), p.states(x.0, x.1), p.last_leading(x.0, x.1), p.states_leading(x.0, x.1));
    cell!(Lstm<Feature, Hidden, Quarters, f64>, Lstm, &["state", "cell"], (Second, S, S), (First, S, S),
        |p, x| p.last(x.0, x.1, x.2), p.states(x.0, x.1, x.2), p.last_leading(x.0, x.1, x.2), p.states_leading(x.0, x.1, x.2));
}

#[test]
fn tables() {
    let indices = vec![4, 0, 0, 2, 1, 4];
    let rows = grammar::Embedding { vocabulary: 5, features: 5, shape: vec![2, 3], indices: indices.clone() };
    let map = IndexMap::<(Batch, Steps), (Vocabulary,)>::new(indices).unwrap();
    compare::<Embedding<Vocabulary, Feature, f64>, (), T<(Batch, Steps, Feature)>>(
        "rows",
        Layer::Embedding(rows),
        &[],
        |p, ()| p.apply(&map),
    );
    type X = T<(Batch, Steps, Feature)>;
    compare::<Positions<Steps, Feature, f64>, X, X>("learned", Layer::Positional(Positional::Learned), &[], |p, x| {
        p.apply(x)
    });
    compare::<(), X, X>("sinusoidal", Layer::Positional(Positional::Sinusoidal), &[], |(), x| sinusoidal(x));
}

/// A struct of layers, one of them twice, and a tensor of no layer.
#[derive(Clone, Debug, Space)]
struct Model<S: Scalar> {
    layers: [Dense<Feature, Feature, S>; 2],
    attention: Attention<Feature, Feature, Double, Double, Feature, S>,
    level: Tensor<(Feature,), S>,
}

#[test]
fn parameters_have_paths_and_are_drawn_by_them() {
    let paths: Vec<String> = parameters::<Model<f32>>().into_iter().map(|p| p.path).collect();
    let attention = ["query", "key", "value", "output"];
    let mut expected: Vec<String> =
        (0..2).flat_map(|k| [format!("layers.{k}.weight"), format!("layers.{k}.bias")]).collect();
    expected.extend(attention.iter().flat_map(|a| [format!("attention.{a}.weight"), format!("attention.{a}.bias")]));
    expected.push("level".to_owned());
    assert_eq!(paths, expected);

    let by = Initializers { free: Initializer::Ones, ..Initializers::default() };
    let model: Model<f32> = initialize(7, &by);
    let again: Model<f32> = initialize(7, &by);
    assert_eq!(model.coordinates(), again.coordinates());
    assert_ne!(model.coordinates(), initialize::<Model<f32>, f32>(8, &by).coordinates());
    assert_ne!(model.layers[0].weight.to_vec(), model.layers[1].weight.to_vec(), "another path");
    assert_eq!(model.level.to_vec(), [1.0; 5]);
    assert_eq!(model.attention.key.bias.to_vec(), [0.0; 4]);
    let bound = (6.0_f32 / 10.0).sqrt();
    assert!(model.layers[0].weight.as_slice().iter().all(|w| w.abs() <= bound));
    // The same numbers at every scalar, rounded.
    let double: Model<f64> = initialize(7, &by);
    let rounded: Vec<f32> = double.coordinates().iter().map(|x| *x as f32).collect();
    assert_eq!(model.coordinates(), rounded);
    // And those of the grammar.
    let layer = Layer::Dense(grammar::Dense { features: 5, bias: true });
    let expected = Architecture::new(&[1, 5], layer).initialize(7, &by).unwrap();
    let dense: Dense<Feature, Feature, f64> = initialize(7, &by);
    assert_eq!(Some(dense.weight.as_slice()), expected.get("weight"));
}

#[test]
fn parameters_are_restored_by_path() {
    let model: Model<f64> = Draw::new(3).point(Domain::NonZero);
    let values = flatten(&model);
    let back: Model<f64> = restore(&values).unwrap();
    assert_eq!(back.coordinates(), model.coordinates());
    let other = restore::<Dense<Feature, Feature, f64>, f64>(&values).unwrap_err();
    assert!(matches!(&other, RestoreError::Unexpected { path } if path == "layers.0.weight"), "{other}");
    let less = flatten(&Dense::<Feature, Feature, f64>::zero());
    let missing = restore::<(Dense<Feature, Feature, f64>,), f64>(&less).unwrap_err();
    assert!(matches!(missing, RestoreError::Unexpected { .. }));
    let shape = restore::<Dense<Feature, Hidden, f64>, f64>(&less).unwrap_err();
    assert_eq!(shape.to_string(), "`weight` has shape [5, 5], the type has [5, 2]");
}

#[cfg(feature = "safetensors")]
#[test]
fn parameters_go_through_a_file() {
    let model: Model<f32> = initialize(11, &Initializers::default());
    let bytes = flatten(&model).to_safetensors().unwrap();
    let values = Parameters::<f32>::from_safetensors(&bytes, &parameters::<Model<f32>>()).unwrap();
    assert_eq!(restore::<Model<f32>, f32>(&values).unwrap().coordinates(), model.coordinates());
}

/// A parameter that is used in three steps gets the sum of what three of its own would get.
#[test]
fn a_shared_parameter_gets_the_sum() {
    type Q<S> = Tensor<S, Rational>;
    type Layer = Dense<Feature, Feature, Rational>;
    type X = Q<(Batch, Feature)>;
    let shared = Program::<(Layer, X), X>::trace(|(p, x)| p.apply(p.apply(p.apply(x)))).unwrap();
    let apart = Program::<([Layer; 3], X), X>::trace(|([a, b, c], x)| c.apply(b.apply(a.apply(x)))).unwrap();
    let mut draw = Draw::new(1);
    let (p, x, u): (Layer, X, X) = (draw.point(Domain::NonZero), draw.point(Domain::Any), draw.point(Domain::NonZero));
    let (dp, dx) = shared.reverse().unwrap().evaluate(((p.clone(), x.clone()), u.clone())).unwrap();
    let ([a, b, c], other) = apart.reverse().unwrap().evaluate((([p.clone(), p.clone(), p], x), u)).unwrap();
    assert_eq!(dx.to_vec(), other.to_vec());
    assert_eq!(dp.coordinates(), a.add(&b).add(&c).coordinates());
    assert_ne!(dp.coordinates(), c.coordinates());
}

/// One function for every batch.
#[test]
fn a_model_is_generic_in_its_batch() {
    fn model<B: Dim>(p: DenseVars<Width, Hidden, f64>, x: Var<(B, Heads, Place)>) -> Var<(B, Hidden)> {
        p.apply(x.reshape_each::<(Width,)>())
    }
    let one = Program::<(D<Width, Hidden>, T<(N<1>, Heads, Place)>), T<(N<1>, Hidden)>>::trace(|(p, x)| model(p, x));
    let two = Program::<(D<Width, Hidden>, T<(Batch, Heads, Place)>), T<(Batch, Hidden)>>::trace(|(p, x)| model(p, x));
    assert_eq!(one.unwrap().as_dynamic().len(), two.unwrap().as_dynamic().len());
}
