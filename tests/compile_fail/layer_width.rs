//! A layer for other features than the ones that come.
use pullback::layers::{Dense, DenseVars};
use pullback::{Var, dims};

dims! { Batch = 32; Features = 64; Hidden = 64; Classes = 10 }

fn model(layer: DenseVars<Features, Classes>, x: Var<(Batch, Hidden)>) -> Var<(Batch, Classes)> {
    layer.apply(x)
}

fn main() {
    let _: Option<Dense<Features, Classes>> = None;
    let _ = model;
}
