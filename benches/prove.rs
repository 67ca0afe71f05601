//! How long the proofs take: `cargo bench --bench prove`. All of the library's statements together, and
//! the slowest of them alone.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use pullback::ops::STATEMENTS;
use pullback_kernel::{Outcome, Statement, load, prove};

fn statements() -> Vec<Statement> {
    STATEMENTS.iter().flat_map(|(_, source)| load(source).0).collect()
}

fn proofs(c: &mut Criterion) {
    let all = statements();
    let proved = |s: &Statement| matches!(prove(black_box(s)), Outcome::Proved(_));
    c.bench_function(&format!("all {} statements", all.len()), |b| {
        b.iter(|| assert!(all.iter().all(proved)));
    });
    for name in ["lstm_cell", "gru_cell", "attention", "layer_norm", "softmax"] {
        if let Some(s) = all.iter().find(|s| s.name().text == name) {
            c.bench_function(name, |b| b.iter(|| assert!(proved(s))));
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = proofs
}
criterion_main!(benches);
