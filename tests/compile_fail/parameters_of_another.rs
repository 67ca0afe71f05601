//! A struct whose fields are not the parameters.
use pullback::ops::{bias_add, matmul};
use pullback::{ContractExt, Space, Tensor, dims, swap};

dims! { Batch = 32; Features = 784; Hidden = 64; Classes = 64 }

#[derive(Clone, Debug, Space)]
struct Layer {
    weight: Tensor<(Features, Hidden)>,
    bias: Tensor<(Classes,)>,
}

fn main() {
    let weigh = swap().then(matmul::<Batch, Features, Hidden, f32>());
    let _ = weigh.then_with(swap().then(bias_add::<(Batch,), Hidden, f32>())).with_parameters::<Layer>();
}
