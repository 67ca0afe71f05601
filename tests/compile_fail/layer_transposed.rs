//! A transposed convolution whose output axis is too short.
use pullback::layers::{TransposedConvolution1dVars, Window};
use pullback::{N, Var, dims};

dims! { Batch = 32; Coarse = 4; Fine = 2; Places = 5; Spread = 8 }

fn model(layer: TransposedConvolution1dVars<Coarse, Fine, N<3>>, x: Var<(Batch, Coarse, Places)>) {
    let _ = layer.apply(x, Window::<Spread>::new().stride::<2>());
}

fn main() {
    let _ = model;
}
