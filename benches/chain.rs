//! What composition costs: `cargo bench --bench chain`. Ten small contracts composed, against one function
//! written by hand that does the same arithmetic in the same order. Value and gradient.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use pullback::ops::{square, tanh};
use pullback::{Contract, ContractExt, Cotangent, N, Tensor};

type Long = Tensor<(N<4096>,)>;

fn composed() -> impl Contract<Input = Long, Output = Long> {
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

/// The same by hand: five times a square and a hyperbolic tangent, each saving what its rule reads.
fn by_hand(x: &Long, seed: &Long) -> (Long, Long) {
    let mut value = x.clone();
    let mut saved = Vec::with_capacity(5);
    for _ in 0..5 {
        let squared = value.map(|x| x * x);
        let y = squared.map(f32::tanh);
        saved.push((value, y.clone()));
        value = y;
    }
    let mut cotangent = seed.clone();
    for (x, y) in saved.iter().rev() {
        cotangent = cotangent.zip_map(y, |dy, y| dy * (1.0 - y * y));
        cotangent = cotangent.zip_map(x, |dy, x| 2.0 * x * dy);
    }
    (value, cotangent)
}

fn chain(c: &mut Criterion) {
    let contract = composed();
    let x = Long::from_fn(|k| (k as f32 / 4096.0) - 0.5);
    let seed = Long::from_fn(|k| 1.0 + (k % 7) as f32);
    let mut group = c.benchmark_group("ten contracts on 4096 numbers");
    group.bench_function("composed", |b| {
        b.iter(|| {
            let (y, r) = contract.forward(black_box(x.clone())).expect("defined everywhere");
            (y, contract.pullback(&r, Cotangent::new(black_box(seed.clone()))))
        });
    });
    group.bench_function("by hand", |b| b.iter(|| by_hand(black_box(&x), black_box(&seed))));
    group.finish();
}

criterion_group!(benches, chain);
criterion_main!(benches);
