//! A function that wants proof is given a declared rule.
use pullback::{Contract, Cotangent, Declared, DomainError, Proved, Surrogate};

struct Rounding;

impl Contract for Rounding {
    type Input = ();
    type Output = ();
    type Residual = ();
    type Evidence = Declared<Surrogate>;

    fn forward(&self, _: ()) -> Result<((), ()), DomainError> {
        Ok(((), ()))
    }

    fn pullback(&self, _: &(), seed: Cotangent<()>) -> Cotangent<()> {
        seed
    }
}

fn train<C: Contract<Evidence = Proved>>(_: C) {}

fn main() {
    train(Rounding);
}
