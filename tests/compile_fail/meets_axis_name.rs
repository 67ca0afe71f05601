//! Two axes of equal size and different names.
use pullback::{ContractExt, Tensor, dims, identity};

dims! { Hidden = 64; State = 64 }

fn main() {
    let _ = identity::<Tensor<(Hidden,)>>().then(identity::<Tensor<(State,)>>());
}
