//! Floats beside exact numbers.

mod strategy;
mod test_approximate;
mod test_rounded;
