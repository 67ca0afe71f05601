//! A chain of a million instructions: nothing recurs over a program, and every pass is linear.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, and this one reports times")]

mod support;

use std::time::Instant;

use pullback_program::Limits;

const LENGTH: usize = 1_000_000;

#[test]
fn a_chain_of_a_million_is_verified_evaluated_and_reversed() {
    let start = Instant::now();
    let note = |what: &str| println!("{:6.2} s  {what}", start.elapsed().as_secs_f64());
    let program = support::chain(LENGTH);
    note("built");
    let draft = program.draft();
    let verified = draft.verify(&Limits::default()).unwrap();
    assert!(verified == program);
    drop(draft);
    note("verified");
    let reverse = verified.reverse().unwrap();
    note("reversed");
    let x = [vec![0.5_f64]];
    let y = program.evaluate(&x).unwrap();
    note("evaluated");
    let (again, tape) = program.linearize(&x).unwrap();
    assert_eq!(y, again);
    let seed = [vec![1.0]];
    let pulled = program.pullback(&tape, &seed).unwrap();
    note("pulled back");
    let by_program = reverse.evaluate(&[x[0].clone(), seed[0].clone()]).unwrap();
    assert_eq!(pulled, by_program);
    note("reverse evaluated");
    // The output of each tanh is what the product after it reads: one value, saved once.
    assert_eq!(program.tape_report().elements, LENGTH.div_ceil(3));
    drop((program, verified, reverse, tape));
    note("dropped");
}
