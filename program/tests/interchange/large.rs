//! Large documents. The figures of a million instructions are those of the bench `million`.

use pullback_program::{DynProgram, Limits};

use crate::programs::chain;

#[test]
fn a_hundred_thousand_instructions() {
    let program = chain(100_000);
    let text = program.to_json().unwrap();
    // A line an instruction; what stands around them does not grow.
    assert_eq!(text.lines().count() - chain(10).to_json().unwrap().lines().count(), 100_000 - 10);
    assert_eq!(DynProgram::read_json(text.as_bytes(), &Limits::default()).unwrap(), program);
    let reverse = program.reverse().unwrap().to_json().unwrap();
    assert!(DynProgram::from_json(&reverse, &Limits::default()).is_ok());
}
