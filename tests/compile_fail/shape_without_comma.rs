//! One axis without the comma of a tuple.
use pullback::{Tensor, dims};

dims! { Batch = 32 }

fn length(_: &Tensor<Batch>) {}

fn main() {}
