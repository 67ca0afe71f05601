//! The proof of one type, claimed for another: as it is, with the same text, that of a combinator, that of what is wrapped.
use pullback::contract::{MayCarryProof, Seal};
use pullback::contract::combinators::Then;
use pullback::{Contract, Cotangent, DomainError, Proved, Tensor, contract};

contract! { contract right version 1 input x output y = x^2 }

struct Copied;

impl MayCarryProof for Copied {
    type Grounds = <Right as MayCarryProof>::Grounds;
}

impl Contract for Copied {
    type Input = Tensor<()>;
    type Output = Tensor<()>;
    type Residual = ();
    type Evidence = Proved;

    fn forward(&self, input: Tensor<()>) -> Result<(Tensor<()>, ()), DomainError> {
        Ok((input, ()))
    }

    fn pullback(&self, _: &(), seed: Cotangent<Tensor<()>>) -> Cotangent<Tensor<()>> {
        seed
    }
}

struct SameText;

impl MayCarryProof for SameText {
    type Grounds = Seal<Right, 0>;
}

struct Composed;

impl MayCarryProof for Composed {
    type Grounds = <Then<Right, Right> as MayCarryProof>::Grounds;
}

struct Wrapper<C>(C);

impl<C: MayCarryProof> MayCarryProof for Wrapper<C> {
    type Grounds = C::Grounds;
}

fn main() {}
