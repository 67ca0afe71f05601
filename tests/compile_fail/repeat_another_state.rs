//! A step that does not give back the state that it takes.
use pullback::ops::matmul;
use pullback::{ContractExt, dims, swap};

dims! { Batch = 32; Hidden = 64; Wide = 128 }

fn main() {
    let _ = swap().then(matmul::<Batch, Hidden, Wide, f32>()).repeat::<3>();
}
