//! A deprecated contract is told where it is used, and nowhere else.
#![deny(warnings)]
use pullback::N;

pullback::contract! {
    #[deprecated(note = "`square` is in the library")]
    contract squared version 1
    dims   n
    input  x[n]
    output y[i] = x[i]^2
    saves  x
    dx[i] = 2 * x[i] * dy[i]
}

fn main() {
    let _ = squared::<N<2>, f32>();
}
