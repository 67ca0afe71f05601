//! A sum is no space.
use pullback::{Space, Tensor};

#[derive(Clone, Debug, Space)]
enum Either {
    Left(Tensor<()>),
    Right(Tensor<()>),
}

fn main() {}
