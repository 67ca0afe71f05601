//! Two layers with parameters that do not meet.
use pullback::{Contract, ContractExt, Tensor, dims, second};

dims! { Hidden = 64; State = 64; Weight = 10 }

fn layer<A: pullback::Space>() -> impl Contract<Input = (Tensor<(Weight,)>, A), Output = A> {
    second()
}

fn main() {
    let _ = layer::<Tensor<(Hidden,)>>().then_with(layer::<Tensor<(State,)>>());
}
