//! Programs that gave a wrong number once, with the right ones.
#![cfg(feature = "json")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use pullback_program::agreement::executable;
use pullback_program::execute::{Executable, Numerics};
use pullback_program::random::Random;
use pullback_program::{DynProgram, Limits};

type Arrays = Vec<Vec<f64>>;

fn program(text: &str) -> DynProgram {
    DynProgram::from_json(text, &Limits::default()).unwrap()
}

/// The values and gradients of an executable, in two sweeps each, and of the statements as they are written.
fn gives(text: &str, inputs: &Arrays, seeds: &Arrays, values: &Arrays, gradients: &Arrays) {
    let program = program(text);
    let (found, tape) = program.linearize(inputs).unwrap();
    assert_eq!((&found, &program.pullback(&tape, seeds).unwrap()), (values, gradients));
    let mut both = Executable::<f64>::with_gradient(&program, Numerics::default()).unwrap();
    let (x, u): (Vec<&[f64]>, Vec<&[f64]>) =
        (inputs.iter().map(Vec::as_slice).collect(), seeds.iter().map(Vec::as_slice).collect());
    let unset = |like: &Arrays| -> Arrays { like.iter().map(|x| vec![f64::NAN; x.len()]).collect() };
    for _ in 0..2 {
        let (mut y, mut dx) = (unset(values), unset(inputs));
        both.forward(&x, &mut y.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>()).unwrap();
        both.pullback(&u, &mut dx.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>()).unwrap();
        assert_eq!((&y, &dx), (values, gradients));
    }
    for seed in 0..4 {
        executable(&program, inputs, &mut Random(seed), Numerics::default()).unwrap();
    }
}

/// Three products, each through a part of a split: the projections of attention.
#[test]
fn a_product_through_a_part() {
    gives(
        include_str!("faults/qkv.json"),
        &vec![vec![1.0, 10.0], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]],
        &vec![vec![1.0, 0.0, 0.0, 1.0], vec![0.0; 4], vec![0.0; 4]],
        &vec![vec![1.0, 2.0, 10.0, 20.0], vec![3.0, 4.0, 30.0, 40.0], vec![5.0, 6.0, 50.0, 60.0]],
        &vec![vec![1.0, 2.0], vec![1.0, 10.0, 0.0, 0.0, 0.0, 0.0]],
    );
}

/// The target of a product is a part of the gradient.
#[test]
fn a_product_into_a_part() {
    gives(
        include_str!("faults/mm.json"),
        &vec![(1..=8).map(f64::from).collect(), vec![1.0, 0.0, 0.0, 1.0]],
        &vec![vec![1.0, 10.0, 100.0, 1000.0]],
        &vec![vec![1.0, 2.0, 3.0, 4.0]],
        &vec![vec![1.0, 10.0, 100.0, 1000.0, 0.0, 0.0, 0.0, 0.0], vec![301.0, 3010.0, 402.0, 4020.0]],
    );
}

/// A map of a map over an axis of length one, after a kernel that counted to two.
#[test]
fn a_map_of_a_map_without_a_loop() {
    gives(
        include_str!("faults/map_of_map.json"),
        &vec![vec![3.0, 5.0]],
        &vec![vec![7.0, 11.0], vec![13.0]],
        &vec![vec![0.0, 3.0], vec![0.0]],
        &vec![vec![11.0, 0.0]],
    );
}
