//! A bias of another axis than the last, which nobody asked to broadcast.
use pullback::{Program, Tensor, dims};

dims! { Batch = 32; Classes = 10 }

fn main() {
    type Given = (Tensor<(Batch, Classes)>, Tensor<(Batch,)>);
    let _ = Program::<Given, Tensor<(Batch, Classes)>>::trace(|(x, bias)| x.bias_add(bias));
}
