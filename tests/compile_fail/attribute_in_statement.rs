//! Attributes that would say nothing, or cover a part only.
use pullback::contract;

contract! {
    contract first version 1
    dims   n
    #[cfg(any())]
    input  x[n]
    output y[i] = x[i]^2
}

contract! {
    contract second version 1
    dims   n
    input  x[n]
    /// The square.
    output y[i] = x[i]^2
}

contract! {
    #[derive(PartialEq)]
    contract third version 1
    dims   n
    input  x[n]
    output y[i] = x[i]^2
}

fn main() {}
