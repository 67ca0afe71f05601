//! A reshape that loses elements.
use pullback::{Tensor, dims};

dims! { Row = 4; Col = 5; Flat = 16 }

fn main() {
    let _ = Tensor::<(Row, Col)>::zeros().reshape::<(Flat,)>();
}
