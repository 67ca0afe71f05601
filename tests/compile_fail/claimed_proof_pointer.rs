//! A rule by hand that claims to be proved, behind a pointer to a type of its own.
use pullback::{Contract, Cotangent, DomainError, Proved, Tensor};

struct Mine;

impl Contract for &Mine {
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

impl Contract for Box<Mine> {
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

fn main() {}
