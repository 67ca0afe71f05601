//! A softmax whose rule forgets the sum.
use pullback::contract;

contract! {
    contract softmax version 1
    dims   s.., n
    input  x[s.., n]
    any    m[i..] = max(k) x[i.., k]
    let    e[i.., j] = exp(x[i.., j] - m[i..])
    output y[i.., j] = e[i.., j] / sum(k) e[i.., k]
    saves  y
    dx[i.., j] = y[i.., j] * (dy[i.., j] - y[i.., j] * dy[i.., j])
}

fn main() {}
