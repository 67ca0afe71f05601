//! A renaming that would change sizes.
use pullback::{Tensor, dims};

dims! { Row = 4; Col = 5 }

fn main() {
    let _ = Tensor::<(Row, Col)>::zeros().rename::<(Col, Row)>();
}
