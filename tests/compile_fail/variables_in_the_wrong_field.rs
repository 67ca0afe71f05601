//! A field is given the variable of another.
use pullback::{Program, Space, Tensor, dims};

dims! { Features = 784; Hidden = 128 }

#[derive(Clone, Debug, Space)]
struct Dense {
    weight: Tensor<(Features, Hidden)>,
    bias: Tensor<(Hidden,)>,
}

fn main() {
    let _ = Program::<Dense, Dense>::trace(|layer| DenseVars { weight: layer.weight, bias: layer.weight.mean() });
}
