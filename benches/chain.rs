//! What composition costs: `cargo bench --bench chain`. Ten small contracts composed, against one function
//! written by hand that does the same arithmetic in the same order. Value and gradient, for a tensor on the
//! heap and for one that is stored inline. Then a 4-8-1 perceptron, one call of value and all gradients,
//! whose aim is a microsecond; its twin as an executable is in `program/benches/gradient.rs`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use pullback::ops::{add, matrix_vector, square, tanh};
use pullback::{Contract, ContractExt, Cotangent, N, Shape, Tensor};

type Values<S> = Tensor<S, f32>;

/// Five times a square and a hyperbolic tangent.
fn composed<S: Shape>() -> impl Contract<Input = Values<S>, Output = Values<S>> {
    square()
        .then(tanh())
        .then(square())
        .then(tanh())
        .then(square())
        .then(tanh())
        .then(square())
        .then(tanh())
        .then(square())
        .then(tanh())
}

/// The same by hand, each step saving what its rule reads.
fn by_hand<S: Shape>(x: &Values<S>, seed: &Values<S>) -> (Values<S>, Values<S>) {
    let mut saved: [(Values<S>, Values<S>); 5] = core::array::from_fn(|_| (Tensor::zeros(), Tensor::zeros()));
    let mut value = x.clone();
    for slot in &mut saved {
        let y = value.map(|x| x * x).map(f32::tanh);
        *slot = (value, y.clone());
        value = y;
    }
    let mut cotangent = seed.clone();
    for (x, y) in saved.iter().rev() {
        cotangent = cotangent.zip_map(y, |dy, y| dy * (1.0 - y * y));
        cotangent = cotangent.zip_map(x, |dy, x| 2.0 * x * dy);
    }
    (value, cotangent)
}

fn compare<S: Shape>(c: &mut Criterion, name: &str) {
    let contract = composed::<S>();
    let x = Values::<S>::from_fn(|k| (k as f32 / S::LEN as f32) - 0.5);
    let seed = Values::<S>::from_fn(|k| 1.0 + (k % 7) as f32);
    let mut group = c.benchmark_group(name);
    group.bench_function("composed", |b| {
        b.iter(|| {
            let (y, r) = contract.forward(black_box(x.clone())).expect("defined everywhere");
            (y, contract.pullback(&r, Cotangent::new(black_box(seed.clone()))))
        });
    });
    group.bench_function("by hand", |b| b.iter(|| by_hand(black_box(&x), black_box(&seed))));
    group.finish();
}

fn chain(c: &mut Criterion) {
    compare::<(N<4096>,)>(c, "ten contracts on 4096 numbers");
    compare::<(N<16>,)>(c, "ten contracts on 16 numbers");
    compare::<()>(c, "ten contracts on one number");
}

/// Four numbers to eight to one.
fn perceptron(c: &mut Criterion) {
    let dense = matrix_vector::<N<8>, N<4>, f32>().then_with(add());
    let model = dense.then(tanh()).then_with(matrix_vector::<N<1>, N<8>, f32>().then_with(add()));
    let value = |k: usize| 0.5 - (k % 5) as f32 / 4.0;
    let hidden = (Tensor::from_fn(value), Tensor::from_fn(value));
    let parameters = (hidden, (Tensor::from_fn(value), Tensor::from_fn(value)));
    let x = Tensor::<(N<4>,)>::from_fn(value);
    c.bench_function("4-8-1 perceptron, composed", |b| {
        b.iter(|| {
            let (y, r) = model.forward(black_box((parameters.clone(), x.clone()))).expect("defined everywhere");
            (y, model.pullback(&r, Cotangent::new(Tensor::full(1.0))))
        });
    });
}

criterion_group!(benches, chain, perceptron);
criterion_main!(benches);
