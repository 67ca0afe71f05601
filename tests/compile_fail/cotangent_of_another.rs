//! A cotangent of another space than the output.
use pullback::{ContractExt, Cotangent, Tensor, dims, identity};

dims! { Classes = 10; Labels = 10 }

fn main() {
    let model = identity::<Tensor<(Classes,)>>();
    let (_, tape) = model.linearize(Tensor::zeros()).unwrap();
    let _ = tape.pullback(Cotangent::new(Tensor::<(Labels,)>::zeros()));
}
