//! Tests that `laws!` makes.

mod test_forms;
