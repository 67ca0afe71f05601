//! A shape with a size that the anonymous axes do not have.
use pullback::{N, Shape};

fn length<S: Shape>() -> usize {
    S::LEN
}

fn main() {
    length::<(N<2>, N<50257>)>();
}
