//! A gradient costs a few times what the value costs, and grows with the program and no faster.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, and this one reports counts")]

mod support;

use pullback_program::{Binding, DynProgram, IndexData};
use support::{Net, dims, exact, perceptron, window};

fn convolution() -> DynProgram {
    let (b, h) = (8, 28);
    let mut net = Net::new();
    let x = net.input("x", &[b, 1, 1, h, h]);
    let kernel = net.input("kernel", &[1, 16, 1, 5, 5]);
    let second = net.input("second", &[1, 32, 16, 5, 5]);
    let conv = |net: &mut Net, x, kernel, c: usize, o: usize, h: usize| {
        let oh = h - 4;
        let sizes: Vec<[usize; 1]> = [b, 1, c, h, h, o, oh, oh, 5, 5].map(|n| [n]).to_vec();
        let all: Vec<&[usize]> = sizes.iter().map(|s| s.as_slice()).collect();
        let maps = vec![window(oh, 5, 1), window(oh, 5, 1)];
        net.with("conv2d", Binding { maps, ..dims(&all) }, &[x, kernel])[0]
    };
    let pool = |net: &mut Net, x, c: usize, h: usize| {
        let maps = vec![window(h / 2, 2, 2), window(h / 2, 2, 2)];
        let lead = [b, 1, c];
        net.with("avg_pool2d", Binding { maps, ..dims(&[&lead, &[h], &[h], &[h / 2], &[h / 2], &[2], &[2]]) }, &[x])[0]
    };
    let y = conv(&mut net, x, kernel, 1, 16, h);
    let y = net.op("tanh", &[&[b, 1, 16, 24, 24]], &[y]);
    let y = pool(&mut net, y, 16, 24);
    let y = conv(&mut net, y, second, 16, 32, 12);
    let y = net.op("relu", &[&[b, 1, 32, 8, 8]], &[y]);
    net.finish(&[y])
}

/// The same weights in every step, the initial state an input.
fn recurrence(steps: usize) -> DynProgram {
    let (b, m, n) = (16, 32, 64);
    let mut net = Net::new();
    let xs: Vec<_> = (0..steps).map(|t| net.input(&format!("x{t}"), &[b, m])).collect();
    let mut state = net.input("state", &[b, n]);
    let w = net.input("w", &[m, n]);
    let u = net.input("u", &[n, n]);
    let bias = net.input("bias", &[n]);
    for x in xs {
        let x = net.op("matmul", &[&[b], &[m], &[n]], &[x, w]);
        let s = net.op("matmul", &[&[b], &[n], &[n]], &[state, u]);
        let z = net.op("add", &[&[b, n]], &[x, s]);
        let z = net.op("bias_add", &[&[b], &[n]], &[z, bias]);
        state = net.op("tanh", &[&[b, n]], &[z]);
    }
    net.finish(&[state])
}

fn cells(name: &str, gates: usize, steps: usize) -> DynProgram {
    let operator = pullback_program::Operator::library(name).unwrap();
    let statement = operator.statement();
    let sizes: Vec<Vec<usize>> =
        statement.dims().iter().enumerate().map(|(k, _)| vec![[16, 32, 64, gates * 64][k.min(3)]]).collect();
    let mut net = Net::new();
    let shape = |axes: &[pullback_kernel::statement::DimId]| -> Vec<usize> {
        axes.iter().flat_map(|d| sizes[d.0 as usize].clone()).collect()
    };
    let mut inputs: Vec<_> = statement.inputs().iter().map(|t| net.input(&t.name.text, &shape(&t.axes))).collect();
    let states: Vec<usize> = (0..statement.outputs().len()).map(|k| k + 1).collect();
    let mut outputs = Vec::new();
    for _ in 0..steps {
        let binding = Binding { dims: sizes.clone(), ..Binding::default() };
        outputs = net.with(name, binding, &inputs);
        states.iter().zip(&outputs).for_each(|(at, y)| {
            inputs[*at] = *y;
        });
    }
    net.finish(&outputs[..1])
}

fn normalization(name: &str) -> DynProgram {
    let (b, n) = (64, 256);
    let mut net = Net::new();
    let x = net.input("x", &[b, n]);
    let gain = net.input("gain", &[n]);
    let bias = net.input("bias", &[n]);
    let binding = Binding { params: vec![exact(1, 100_000)], ..dims(&[&[b], &[n]]) };
    let arguments = if name == "rms_norm" { vec![x, gain] } else { vec![x, gain, bias] };
    let y = net.with(name, binding, &arguments)[0];
    net.finish(&[y])
}

fn attention() -> DynProgram {
    let (b, t, d, heads) = (4, 32, 64, 4);
    let mut net = Net::new();
    let x = net.input("x", &[b, t, d]);
    let weights: Vec<_> = ["q", "k", "v", "o"].iter().map(|w| net.input(w, &[d, d])).collect();
    let bias = net.input("bias", &[d]);
    let head = |net: &mut Net, w: usize| {
        let y = net.op("linear", &[&[b, t], &[d], &[d]], &[x, weights[w], bias]);
        let flat = [b, t, d];
        let split = [b, t, heads, d / heads];
        let y = net.with("reshape", Binding { maps: vec![IndexData::RowMajor], ..dims(&[&flat, &split]) }, &[y])[0];
        // [b, t, h, e] to [b, h, t, e].
        let e = d / heads;
        let place = (0..b * t * d).map(|k| {
            let (e1, h, t1, b1) = (k % e, k / e % heads, k / d % t, k / (d * t));
            ((b1 * heads + h) * t + t1) * e + e1
        });
        let maps = vec![IndexData::Table(place.collect())];
        net.with("permute_axes", Binding { maps, ..dims(&[&split, &[b, heads, t, e]]) }, &[y])[0]
    };
    let (q, k, v) = (head(&mut net, 0), head(&mut net, 1), head(&mut net, 2));
    let lead = [b, heads];
    let y = net.op("attention", &[&lead, &[t], &[t], &[d / heads], &[d / heads]], &[q, k, v]);
    net.finish(&[y])
}

/// `x + f(x)`, blocks of them.
fn residual(blocks: usize) -> DynProgram {
    let (b, n) = (32, 128);
    let mut net = Net::new();
    let mut x = net.input("x", &[b, n]);
    let w: Vec<_> = (0..blocks).map(|k| net.input(&format!("w{k}"), &[n, n])).collect();
    for w in w {
        let y = net.op("matmul", &[&[b], &[n], &[n]], &[x, w]);
        let y = net.op("gelu_tanh", &[&[b, n]], &[y]);
        x = net.op("add", &[&[b, n]], &[x, y]);
    }
    net.finish(&[x])
}

#[test]
fn value_and_gradient_cost_at_most_four_values() {
    let architectures = [
        ("perceptron", perceptron(64, &[784, 512, 512, 10])),
        ("convolution and pooling", convolution()),
        ("recurrence", recurrence(12)),
        ("LSTM", cells("lstm_cell", 4, 4)),
        ("GRU", cells("gru_cell", 3, 4)),
        ("layer normalisation", normalization("layer_norm")),
        ("root mean square normalisation", normalization("rms_norm")),
        ("attention", attention()),
        ("residual blocks", residual(6)),
    ];
    for (name, program) in architectures {
        let (value, both) = (program.cost(), program.with_reverse().unwrap().cost());
        let ratio = both as f64 / value as f64;
        println!("{name}: value {value}, value and gradient {both}, {ratio:.2} times");
        assert!(ratio <= 4.0, "{name}: {ratio:.2}");
    }
}

#[test]
fn the_reverse_program_grows_linearly() {
    let length = |steps: usize| {
        let program = recurrence(steps);
        let reverse = program.with_reverse().unwrap();
        (reverse.len(), reverse.cost())
    };
    let (a, b, c) = (length(8), length(16), length(32));
    // Equal steps add equal amounts.
    assert_eq!(2 * (b.0 - a.0), c.0 - b.0);
    assert_eq!(2 * (b.1 - a.1), c.1 - b.1);
}
