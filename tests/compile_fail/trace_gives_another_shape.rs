//! A closure gives another shape than the type of its program says.
use pullback::{Program, Tensor, dims};

dims! { Batch = 32; Features = 784 }

fn main() {
    let _ = Program::<Tensor<(Batch, Features)>, Tensor<(Batch,)>>::trace(|x| x.transpose().mean());
}
