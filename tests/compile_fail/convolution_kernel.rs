//! A kernel that is longer than the padded input.
use pullback::shape::ConvOut;
use pullback::{Dim, dims};

dims! { Height = 5; Kernel = 7; OutHeight = 1 }

fn convolve<Out: ConvOut<In, K>, In: Dim, K: Dim>() {}

fn main() {
    convolve::<OutHeight, Height, Kernel>();
}
