//! A rule divides by what the domain does not exclude.
use pullback::contract;

contract! {
    contract product version 1
    dims   s..
    input  a[s..], b[s..]
    output y[i..] = a[i..] * b[i..]
    saves  a, b, y
    da[i..] = dy[i..] * y[i..] / a[i..]
    db[i..] = dy[i..] * a[i..]
}

fn main() {}
