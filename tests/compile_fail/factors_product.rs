//! Groups times channels of a group is not the number of channels.
use pullback::shape::FactorsOf;
use pullback::{Dim, dims};

dims! { Groups = 4; Each = 8; Channels = 30 }

fn grouped<G: Dim, C: Dim, N: Dim>()
where
    (G, C): FactorsOf<N>,
{
}

fn main() {
    grouped::<Groups, Each, Channels>();
}
