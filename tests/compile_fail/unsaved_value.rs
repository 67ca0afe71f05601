//! A rule reads what it did not save.
use pullback::contract;

contract! {
    contract square version 1
    dims   s..
    input  x[s..]
    output y[i..] = x[i..] * x[i..]
    dx[i..] = 2 * x[i..] * dy[i..]
}

fn main() {}
