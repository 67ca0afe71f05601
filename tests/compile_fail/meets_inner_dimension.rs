//! The inner dimensions of two layers do not agree.
use pullback::{ContractExt, Tensor, dims, identity};

dims! { Batch = 32; Features = 784; Hidden = 128 }

fn main() {
    let encoder = identity::<Tensor<(Batch, Features)>>();
    let decoder = identity::<Tensor<(Batch, Hidden)>>();
    let _ = encoder.then(decoder);
}
