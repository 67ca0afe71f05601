//! Axes that are empty, too large, or not numbers.
use pullback::dims;

dims! {
    Empty = 0;
    Large = 1 << 40;
    Half = 7 / 2;
    Other = Unknown * 2
}

fn main() {}
