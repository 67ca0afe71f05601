//! The parameters of one layer for those of another.
use pullback::{Program, Space, Tensor, dims};

dims! { Features = 784; Hidden = 128 }

#[derive(Clone, Debug, Space)]
struct Encoder {
    weight: Tensor<(Features, Hidden)>,
}

#[derive(Clone, Debug, Space)]
struct Decoder {
    weight: Tensor<(Hidden, Features)>,
}

fn main() {
    let encode = Program::<Encoder, Tensor<(Hidden,)>>::trace(|layer| layer.weight.mean_leading()).unwrap();
    let _ = Program::<Decoder, Tensor<(Hidden,)>>::trace(|layer| encode.of(layer));
}
