//! Lowerings: equal to the fused operations for all shapes, by the kernel; and to the bit of what they say, by numbers.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, and this one reports counts")]

use std::collections::BTreeSet;

use pullback_kernel::Outcome;
use pullback_kernel::eval::Number;
use pullback_program::lowering::{CORE, LowerError, Lowering};
use pullback_program::random::{self, Options};

#[test]
fn every_lowering_is_proved_equal_for_all_shapes() {
    let mut failed = Vec::new();
    for lowering in Lowering::all() {
        match lowering.equality() {
            Ok(Outcome::Proved(_)) => {}
            Ok(Outcome::Refuted(c)) => failed.push(format!("{}: refuted {c}", lowering.name())),
            Ok(Outcome::Undecided(d)) => failed.push(format!("{}: undecided {d}", lowering.name())),
            Err(e) => failed.push(format!("{}: {e}", lowering.name())),
        }
    }
    println!("{} lowerings", Lowering::all().len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn lowered_programs_compute_the_same() {
    let mut seen = BTreeSet::new();
    for seed in 0..600 {
        let name = Lowering::all()[seed % Lowering::all().len()].name();
        let options = Options { instructions: 1, operation: Some(name), ..Options::default() };
        let Some(sample) = random::sample(seed as u64, &options) else { continue };
        let lowered = match sample.program.lower() {
            Ok(lowered) => lowered,
            Err(LowerError::NoForm { .. }) => continue,
            Err(e) => panic!("{e}\n{}", sample.program),
        };
        for operation in lowered.operations() {
            assert!(CORE.contains(&operation.operator().name()), "{}", operation.operator().name());
        }
        let inputs: Vec<Vec<f64>> = sample.inputs.iter().map(|x| x.iter().map(f64::rational).collect()).collect();
        let (a, b) = (sample.program.evaluate(&inputs).unwrap(), lowered.evaluate(&inputs).unwrap());
        for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
            assert!((a - b).abs() <= 1e-10 * a.abs().max(1.0), "{a} and {b}\n{}\n{lowered}", sample.program);
        }
        seen.insert(name);
    }
    assert_eq!(seen.len(), Lowering::all().len(), "{seen:?}");
}

#[test]
fn what_has_no_form_is_named() {
    let options = Options { instructions: 1, operation: Some("log"), ..Options::default() };
    let sample = random::sample(7, &options).unwrap();
    let error = sample.program.lower().unwrap_err().to_string();
    assert!(error.contains("(`log`) has no form in the core language"), "{error}");
}
