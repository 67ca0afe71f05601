//! Seven heads on a width of 64.
use pullback::shape::Divides;
use pullback::{Dim, dims};

dims! { Heads = 7; Width = 64 }

fn attention<H: Divides<W>, W: Dim>() {}

fn main() {
    attention::<Heads, Width>();
}
