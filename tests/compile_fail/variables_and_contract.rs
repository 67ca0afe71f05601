//! A contract is applied to a variable of another shape than it takes.
use pullback::ops::tanh;
use pullback::{Program, Tensor, dims};

dims! { Hidden = 64; State = 64 }

fn main() {
    type Given = Tensor<(State,)>;
    let _ = Program::<Given, Tensor<(Hidden,)>>::trace(|x| x.apply(&tanh::<(Hidden,), f32>()));
}
