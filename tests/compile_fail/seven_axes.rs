//! A statement about a tensor of seven axes, and one that can't be a type.
use pullback::contract;

contract! {
    contract seven version 1
    dims   a, b, c, d, e, f, g
    input  x[a, b, c, d, e, f, g]
    output y[i, j, k, l, m, n, o] = 2 * x[i, j, k, l, m, n, o]
}

contract! {
    contract self version 1
    input  x
    output y = 2 * x
}

fn main() {}
