//! A composed contract has no statement that a program could apply.
use pullback::ops::tanh;
use pullback::{ContractExt, Program, Tensor, dims};

dims! { Hidden = 64 }

fn main() {
    let twice = tanh::<(Hidden,), f32>().then(tanh());
    let _ = Program::<Tensor<(Hidden,)>, Tensor<(Hidden,)>>::trace(|x| x.apply(&twice));
}
