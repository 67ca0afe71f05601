//! What the kernel proves and no shape can say: a map of seven indices, a value of seven axes that a derived rule saves, thirteen parts.
use pullback::contract;

contract! {
    contract mapped version 1
    dims   a, b, c, d, e, f, g, n
    map    q: a * b * c * d * e * f * g -> n
    input  x[n]
    output y = sum(i1: a, i2: b, i3: c, i4: d, i5: e, i6: f, i7: g) x[q(i1, i2, i3, i4, i5, i6, i7)]^2
}

contract! {
    contract saved version 1
    dims   n
    input  x[n]
    let    l[a: n, b: n, c: n, d: n, e: n, f: n, g: n] = x[a] * x[b] * x[c] * x[d] * x[e] * x[f] * x[g]
    output y = sum(a, b, c, d, e, f, g) l[a, b, c, d, e, f, g]^2
}

contract! {
    contract parted version 1
    dims   n, k
    split  a: n, b: n, c: n, d: n, e: n, f: n, g: n, h: n, i: n, j: n, l: n, m: n, o: n -> k
    input  x[k]
    output y = sum(t: n) x[o(t)]^2
}

fn main() {}
