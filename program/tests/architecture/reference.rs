//! Layers that another system computed in float64: outputs and gradients.

use std::collections::BTreeMap;
use std::path::Path;

use pullback_program::Literal;
use pullback_program::architecture::{
    Architecture, Attention, Cell, Convolution, CrossEntropy, Embedding, Layer, Mask, Normalization, Pooling,
    PoolingKind, Projections, Recurrent, Reduce, Reduction, States, Statistics, Stencil, Time, TransposedConvolution,
};
use serde_json::Value;

use crate::support::{close, distance};

struct Case {
    name: String,
    document: Value,
}

impl Case {
    fn layer(&self, key: &str) -> &Value {
        &self.document["layer"][key]
    }
    fn kind(&self) -> &str {
        self.layer("kind").as_str().unwrap()
    }
    fn flag(&self, key: &str) -> bool {
        self.layer(key).as_bool().unwrap()
    }
    fn number(&self, key: &str) -> usize {
        self.layer(key).as_u64().unwrap() as usize
    }
    fn shape(&self, input: &str) -> Vec<usize> {
        list(&self.document["inputs"][input]["shape"])
    }
    fn array(&self, of: &str, name: &str) -> Vec<f64> {
        numbers(&self.document[of][name]["data"])
    }
}

fn list(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).collect()
}

fn pairs(value: &Value) -> Vec<[usize; 2]> {
    value.as_array().unwrap().iter().map(|pair| [0, 1].map(|k| list(pair)[k])).collect()
}

fn stencil(case: &Case, window: &[usize]) -> Stencil {
    Stencil::new(window).stride(&list(case.layer("stride"))).padding(&pairs(case.layer("padding")))
}

fn convolution(case: &Case) -> Layer {
    let weight = case.shape("w");
    let stencil = stencil(case, &weight[2..]).dilation(&list(case.layer("dilation")));
    let (groups, bias) = (case.number("groups"), case.flag("bias"));
    Layer::Convolution(Convolution { groups, bias, ..Convolution::new(weight[0], stencil) })
}

fn transposed(case: &Case) -> Layer {
    let weight = case.shape("w");
    let both: Vec<[usize; 2]> = list(case.layer("padding")).iter().map(|n| [*n, *n]).collect();
    let stencil = Stencil::new(&weight[2..]).stride(&list(case.layer("stride"))).padding(&both);
    Layer::TransposedConvolution(TransposedConvolution {
        bias: false,
        ..TransposedConvolution::new(weight[1], stencil)
    })
}

fn pooling(case: &Case, kind: PoolingKind) -> Layer {
    Layer::Pooling(Pooling { kind, stencil: stencil(case, &list(case.layer("window"))) })
}

fn normalization(case: &Case) -> Layer {
    let (rank, eps) = (case.shape("x").len(), Literal::Float(case.layer("eps").as_f64().unwrap()));
    let mut of = match case.kind() {
        "group_norm" => Normalization::group(rank, case.number("groups"), eps),
        "batch_norm" => Normalization { axes: list(case.layer("axes")), ..Normalization::batch(rank, eps) },
        _ => Normalization { axes: list(case.layer("axes")), ..Normalization::layer(rank, eps) },
    };
    assert_eq!(of.statistics, Statistics::MeanVariance);
    if !case.flag("affine") {
        (of.gain, of.bias) = (None, None);
    }
    Layer::Normalization(of)
}

fn attention(case: &Case) -> Layer {
    let mask = match case.layer("mask").as_array() {
        None => Mask::All,
        Some(rows) => Mask::Sets(rows.iter().map(|row| list(row).iter().map(|n| *n == 1).collect()).collect()),
    };
    let projections = case.flag("projections").then(|| Projections {
        head: case.number("head_dim"),
        value: case.number("value_dim"),
        output: case.shape("wo")[1],
        bias: false,
    });
    Layer::Attention(Attention { heads: case.number("heads"), mask, projections })
}

fn recurrent(case: &Case, cell: Cell) -> Layer {
    let states = if case.layer("output") == "all states" { States::All } else { States::Last };
    Layer::Recurrent(Recurrent { cell, hidden: case.shape("h0")[1], time: Time::First, states })
}

fn embedding(case: &Case) -> Layer {
    let rows = case.layer("indices").as_array().unwrap();
    let indices: Vec<usize> = rows.iter().flat_map(list).collect();
    let shape = vec![rows.len(), indices.len() / rows.len()];
    let table = case.shape("w");
    Layer::Embedding(Embedding { vocabulary: table[0], features: table[1], shape, indices })
}

fn build(case: &Case) -> Architecture {
    let layer = match case.kind() {
        "conv1d" | "conv2d" | "conv3d" => convolution(case),
        "conv_transpose2d" => transposed(case),
        "sum_pool2d" => pooling(case, PoolingKind::Sum),
        "avg_pool2d" => pooling(case, PoolingKind::Average),
        "max_pool2d" => pooling(case, PoolingKind::Max),
        "layer_norm" | "batch_norm" | "group_norm" => normalization(case),
        "attention" => attention(case),
        "rnn" => recurrent(case, Cell::Plain),
        "lstm" => recurrent(case, Cell::Lstm),
        "gru" => recurrent(case, Cell::Gru),
        "cross_entropy_with_logits" => Layer::CrossEntropy(CrossEntropy { labels: list(case.layer("labels")) }),
        "embedding" => embedding(case),
        "logsumexp" => Layer::Reduce(Reduce { by: Reduction::LogSumExp, axes: vec![case.shape("x").len() - 1] }),
        other => panic!("{other}"),
    };
    let inputs = match case.kind() {
        "attention" => vec![case.shape("xq"), case.shape("xk")],
        "embedding" => Vec::new(),
        _ => vec![case.shape("x")],
    };
    Architecture { inputs, layer }
}

/// What an input of ours is called there.
fn name<'a>(case: &Case, ours: &'a str) -> &'a str {
    match ours {
        "x.0" => "xq",
        "x.1" => "xk",
        "weight" | "table" => "w",
        "bias" => match case.kind() {
            "rnn" | "lstm" | "gru" => "bi",
            kind if kind.ends_with("norm") => "b",
            _ => "c",
        },
        "gain" => "g",
        "query.weight" => "wq",
        "key.weight" => "wk",
        "value.weight" => "wv",
        "output.weight" => "wo",
        "input_weight" => "wi",
        "state_weight" => "wh",
        "state" => "h0",
        "cell" => "c0",
        other => other,
    }
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/architecture/reference");
    let mut cases: Vec<Case> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            Case { name, document: serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap() }
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

#[test]
fn every_case_is_reproduced() {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut worst = 0.0_f64;
    let cases = cases();
    for case in &cases {
        let architecture = build(case);
        let program = architecture.compile().unwrap_or_else(|e| panic!("{}: {e}", case.name));
        let names: Vec<&str> = program.inputs().iter().map(|i| name(case, &i.name)).collect();
        assert_eq!(names.len(), case.document["inputs"].as_object().unwrap().len(), "{}", case.name);
        let inputs: Vec<Vec<f64>> = names.iter().map(|name| case.array("inputs", name)).collect();
        let expected = vec![numbers(&case.document["output"]["data"])];
        let seeds = vec![numbers(&case.document["cotangent"]["data"])];
        let gradients: Vec<Vec<f64>> = names.iter().map(|name| case.array("gradients", name)).collect();

        let (outputs, tape) = program.linearize(&inputs).unwrap();
        let pulled = program.pullback(&tape, &seeds).unwrap();
        worst = worst.max(close(&case.name, &outputs, &expected, 1e-9));
        worst = worst.max(close(&case.name, &pulled, &gradients, 1e-9));
        close(&case.name, &architecture.direct(&inputs).unwrap(), &expected, 1e-9);
        // The softmax of large numbers is for the fused operation; everything else holds in the core as well.
        if let Ok(core) = architecture.lower() {
            close(&case.name, &core.evaluate(&inputs).unwrap(), &expected, 1e-9);
            let (_, tape) = core.linearize(&inputs).unwrap();
            worst = worst.max(distance(&core.pullback(&tape, &seeds).unwrap(), &gradients));
        }
        *kinds.entry(case.kind().to_owned()).or_default() += 1;
    }
    println!("{} cases, worst {worst:e}, {kinds:?}", cases.len());
    assert_eq!(cases.len(), 28);
    assert!(worst <= 1e-9);
}
