//! The laws on every operation of the library.

mod test_documentation;
mod test_draw;
mod test_every_operation;
mod test_report;
