//! A gated recurrent unit with four gates.
use pullback::layers::GruVars;
use pullback::{Var, dims};

dims! { Batch = 32; Steps = 8; Features = 5; Hidden = 6; Gates = 4 * Hidden }

fn model(cell: GruVars<Features, Hidden, Gates>, x: Var<(Batch, Steps, Features)>, state: Var<(Batch, Hidden)>) {
    let _ = cell.last(x, state);
}

fn main() {
    let _ = model;
}
