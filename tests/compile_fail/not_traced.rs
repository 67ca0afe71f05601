//! A space without variables.
use pullback::{Program, Space, Tensor};

#[derive(Clone, Debug)]
struct Counter(i64);

impl Space for Counter {
    const DIMENSION: usize = 0;
    fn zero() -> Self {
        Counter(0)
    }
    fn accumulate(&mut self, term: &Self) {
        self.0 += term.0;
    }
}

fn main() {
    let _ = Program::<Counter, Tensor<()>>::trace(|_| pullback::Var::zeros());
}
