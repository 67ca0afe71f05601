//! A struct with a field that is no space.
use pullback::{Space, Tensor, dims};

dims! { Classes = 10 }

#[derive(Clone, Debug, Space)]
struct Parameters {
    bias: Tensor<(Classes,)>,
    name: String,
}

fn main() {}
