//! An output axis with one place too many.
use pullback::shape::ConvOut;
use pullback::{Dim, dims};

dims! { Height = 28; Kernel = 3; OutHeight = 27 }

fn convolve<Out: ConvOut<In, K>, In: Dim, K: Dim>() {}

fn main() {
    convolve::<OutHeight, Height, Kernel>();
}
