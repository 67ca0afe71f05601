//! An exact rational has no exponential.
use pullback::{Rational, Real};

fn exponential<T: Real>(x: T) -> T {
    x.exp()
}

fn main() {
    exponential::<Rational>(pullback::Scalar::one());
}
