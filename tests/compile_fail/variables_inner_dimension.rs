//! The inner dimensions of a matrix product of variables do not agree.
use pullback::{Program, Tensor, dims};

dims! { Batch = 32; Features = 784; Hidden = 128; Classes = 10 }

fn main() {
    type Given = (Tensor<(Batch, Features)>, Tensor<(Hidden, Classes)>);
    let _ = Program::<Given, Tensor<(Batch, Classes)>>::trace(|(x, w)| x.matmul(w));
}
