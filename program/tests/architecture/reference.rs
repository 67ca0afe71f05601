//! Layers that another system computed in float64: outputs and gradients.

use std::path::{Path, PathBuf};

use pullback_program::architecture::{
    Architecture, ArchitectureError, Attention, Cell, Convolution, CrossEntropy, Embedding, Layer, LayerFault, Mask,
    Normalization, Pooling, PoolingKind, Projections, Recurrent, Reduce, Reduction, States, Statistics, Stencil, Time,
    TransposedConvolution,
};
use pullback_program::{DynProgram, Literal};
use serde_json::Value;

use crate::support::{close, pulled};

struct Case {
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
        "cross_entropy_with_logits" => Layer::CrossEntropy(CrossEntropy::new(list(case.layer("labels")))),
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

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/architecture/reference")
}

/// A case by every way that there is; `core` names the operation that has no form in the core language, if one has none.
fn reproduced(file: &str, core: Option<&str>) {
    let text = std::fs::read_to_string(folder().join(file).with_extension("json")).unwrap();
    let case = Case { document: serde_json::from_str(&text).unwrap() };
    let architecture = build(&case);
    let program = architecture.compile().unwrap();
    let names: Vec<&str> = program.inputs().iter().map(|i| name(&case, &i.name)).collect();
    assert_eq!(names.len(), case.document["inputs"].as_object().unwrap().len());
    let inputs: Vec<Vec<f64>> = names.iter().map(|name| case.array("inputs", name)).collect();
    let expected = vec![numbers(&case.document["output"]["data"])];
    let seeds = vec![numbers(&case.document["cotangent"]["data"])];
    let gradients: Vec<Vec<f64>> = names.iter().map(|name| case.array("gradients", name)).collect();

    let value = close("loops", &architecture.direct(&inputs).unwrap(), &expected, 1e-9);
    println!("{file}: loops {value:e}");
    let agrees = |what: &str, program: &DynProgram| {
        let value = close(what, &program.evaluate(&inputs).unwrap(), &expected, 1e-9);
        let gradient = close(what, &pulled(program, &inputs, &seeds), &gradients, 1e-9);
        println!("{file}: {what} {value:e}, gradient {gradient:e}");
    };
    agrees("compiled", &program);
    match (architecture.lower(), core) {
        (Ok(core), None) => agrees("core", &core),
        (Err(ArchitectureError::Layer { fault: LayerFault::NoCore { operator }, .. }), Some(expected)) => {
            assert_eq!(operator, expected);
        }
        (found, expected) => panic!("{:?} has no form in the core, expected {expected:?}", found.err()),
    }
}

macro_rules! cases {
    ($($test:ident: $file:literal $(, without $operator:literal)?;)*) => {
        /// The files, each of which is a test.
        const FILES: &[&str] = &[$($file),*];
        $(#[test]
        fn $test() {
            reproduced($file, [$($operator)?].first().copied());
        })*
    };
}

// What has a logarithm or a maximum has no form in the core.
cases! {
    attention_38: "attention-38";
    attention_40: "attention-40";
    attention_42: "attention-42";
    avgpool_18: "avgpool-18";
    batchnorm_30: "batchnorm-30";
    batchnorm_36: "batchnorm-36";
    conv1d_0: "conv1d-0";
    conv1d_2: "conv1d-2";
    conv2d_10: "conv2d-10";
    conv2d_4: "conv2d-4";
    conv2d_6: "conv2d-6";
    conv2d_8: "conv2d-8";
    conv3d_12: "conv3d-12";
    convtranspose2d_14: "convtranspose2d-14";
    convtranspose2d_16: "convtranspose2d-16";
    crossentropy_50: "crossentropy-50", without "softmax_cross_entropy_labels";
    embedding_52: "embedding-52";
    groupnorm_32: "groupnorm-32";
    groupnorm_34: "groupnorm-34";
    gru_48: "gru-48";
    layernorm_26: "layernorm-26";
    layernorm_28: "layernorm-28";
    logsumexp_54: "logsumexp-54", without "logsumexp";
    lstm_46: "lstm-46";
    maxpool_22: "maxpool-22", without "max_pool2d";
    rnn_44: "rnn-44";
    sumpool_20: "sumpool-20";
    sumpool_24: "sumpool-24";
}

#[test]
fn every_file_is_a_test() {
    let paths = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let json = paths.filter(|path| path.extension().is_some_and(|e| e == "json"));
    let mut found: Vec<String> = json.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    found.sort();
    assert_eq!(found, FILES);
    assert_eq!(found.len(), 28);
}
