//! Groups that are not all channels.
use pullback::layers::{GroupedConvolution1dVars, Window};
use pullback::{N, Var, dims};

dims! { Batch = 32; Channels = 6; Groups = 2; Each = 2; Filters = 4; Along = 9 }

fn model(layer: GroupedConvolution1dVars<Groups, Each, Filters, N<1>>, x: Var<(Batch, Channels, Along)>) {
    let _ = layer.apply(x, Window::<Along>::new());
}

fn main() {
    let _ = model;
}
