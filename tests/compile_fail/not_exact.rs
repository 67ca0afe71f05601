//! A dual number is no literal of a program.
use pullback::{Dual, Program, Tensor, Var, dims};

dims! { Hidden = 64 }

fn main() {
    let _ = Program::<Tensor<(Hidden,)>, Tensor<(Hidden,)>>::trace(|x| x * Var::constant(Dual::variable(2.0)));
}
