//! The same through the trait: mismatched types, both of them named.
use pullback::{Contract, Tensor, dims, identity};

dims! { Classes = 10 }

fn main() {
    let contract = identity::<Tensor<(Classes,)>>();
    let output = Tensor::<(Classes,)>::zeros();
    let _ = contract.pullback(&(), output);
}
