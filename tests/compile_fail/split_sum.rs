//! Parts that do not add up to the whole.
use pullback::shape::SplitOf;
use pullback::{Dim, dims};

dims! { Left = 3; Right = 4; Whole = 8 }

fn concatenate<A: Dim, B: Dim, W: Dim>()
where
    (A, B): SplitOf<W>,
{
}

fn main() {
    concatenate::<Left, Right, Whole>();
}
