//! A contract on a pair for each row of a batch.
use pullback::ops::matmul;
use pullback::{ContractExt, dims};

dims! { Batch = 32; Row = 2; Inner = 3; Column = 5 }

fn main() {
    let _ = matmul::<Row, Inner, Column, f32>().map_over::<Batch>();
}
