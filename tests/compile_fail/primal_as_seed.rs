//! The output is fed back where a cotangent is wanted.
use pullback::{ContractExt, Tensor, dims, identity};

dims! { Classes = 10 }

fn main() {
    let contract = identity::<Tensor<(Classes,)>>();
    let Ok((output, at)) = contract.linearize(Tensor::zeros()) else { return };
    let _ = at.pullback(output);
}
