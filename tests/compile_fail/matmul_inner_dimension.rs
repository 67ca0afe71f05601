//! The inner dimensions of a matrix product do not agree.
use pullback::ops::matmul;
use pullback::{ContractExt, Tensor, dims, identity};

dims! { Batch = 32; Features = 784; Hidden = 128; Classes = 10 }

fn main() {
    let pair = identity::<(Tensor<(Batch, Features)>, Tensor<(Hidden, Classes)>)>();
    let _ = pair.then(matmul::<Batch, Features, Classes, f32>());
}
