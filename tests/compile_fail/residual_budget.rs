//! A residual over its budget.
use pullback::contract::assert_residual_at_most;
use pullback::contract::combinators::{Checkpoint, Identity};
use pullback::{Tensor, dims};

dims! { Features = 784 }

const _: () = assert_residual_at_most::<Checkpoint<Identity<Tensor<(Features,)>>>, 100>();

fn main() {}
