//! Variables of two shapes are added.
use pullback::{Program, Tensor, dims};

dims! { Batch = 32; Features = 32 }

fn main() {
    type Given = (Tensor<(Batch,)>, Tensor<(Features,)>);
    let _ = Program::<Given, Tensor<(Batch,)>>::trace(|(x, y)| x + y);
}
