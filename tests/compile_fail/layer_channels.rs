//! A convolution of other channels than the ones that come.
use pullback::layers::{Convolution2dVars, Window};
use pullback::{N, Var, dims};

dims! { Batch = 32; Edges = 16; Shapes = 16; Side = 8 }

fn model(layer: Convolution2dVars<Shapes, Edges, N<1>, N<1>>, x: Var<(Batch, Edges, Side, Side)>) {
    let same = Window::<Side>::new();
    let _ = layer.apply(x, same, same);
}

fn main() {
    let _ = model;
}
