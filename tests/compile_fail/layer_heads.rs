//! Seven heads on a width of 64.
use pullback::layers::{AttentionVars, Mask};
use pullback::{Var, dims};

dims! { Batch = 32; Place = 8; Width = 64; Heads = 7 }

fn model(layer: AttentionVars<Width>, x: Var<(Batch, Place, Width)>) {
    let _ = layer.apply(Heads, x, &Mask::Causal);
}

fn main() {
    let _ = model;
}
