//! A size that the anonymous axes do not have.
use pullback::{Dim, N};

fn size<D: Dim>() -> usize {
    D::SIZE
}

fn main() {
    size::<N<50257>>();
}
