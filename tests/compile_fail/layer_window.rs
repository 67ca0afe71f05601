//! A convolution whose output axis has one place too many.
use pullback::layers::{Convolution2dVars, Window};
use pullback::{N, Var, dims};

dims! { Batch = 32; Gray = 1; Edges = 16; Side = 8; Inner = 7 }

fn model(layer: Convolution2dVars<Gray, Edges, N<3>, N<3>>, x: Var<(Batch, Gray, Side, Side)>) {
    let same = Window::<Side>::new().padding::<1>();
    let _ = layer.apply(x, same, Window::<Inner>::new());
}

fn main() {
    let _ = model;
}
