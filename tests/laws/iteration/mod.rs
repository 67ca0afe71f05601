//! One contract many times.

mod strategy;
mod test_repeated;
mod test_row_by_row;
