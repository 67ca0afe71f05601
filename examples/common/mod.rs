//! What the examples on handwritten digits have in common: rows, Adam, a training loop, a report.

mod data;
pub(crate) mod train;

use pullback::dims;

dims! {
    /// Rows that are learned from at a time.
    pub(crate) Batch = 32;
    /// Rows kept back for the end.
    pub(crate) HeldOut = 359;
    /// Pixels of a picture.
    pub(crate) Pixel = 8 * 8;
    /// Digits.
    pub(crate) Digit = 10;
}
