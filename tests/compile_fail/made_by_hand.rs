//! The data of a contract comes through its constructor, which checks it.
use core::marker::PhantomData;

use pullback::contract;

contract! { contract logarithmic version 1 param c > 0 input x output y = log(c) * x }

fn main() {
    let _ = Logarithmic { param_c: -1.0f32, of: PhantomData };
}
