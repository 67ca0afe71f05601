//! `pullback program`: a program of one statement, by name or from a file.

use pullback_program::{DynProgram, Limits};

use crate::support::{SQUARE, folder, run, run_with, write};

fn made(arguments: &[&str]) -> DynProgram {
    let here = folder();
    let run = run(here.path(), &[&["program"], arguments].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    DynProgram::from_json(&run.stdout, &Limits::default()).expect("a program")
}

fn refused(arguments: &[&str], messages: &[&str]) {
    let here = folder();
    let run = run(here.path(), &[&["program"], arguments].concat());
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {}", run.stderr);
    let text = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    for message in messages {
        assert!(text.contains(message), "{message} in {text}");
    }
}

#[test]
fn a_statement_with_its_data_is_a_program() {
    let program = made(&["matmul", "--dims", "m=2", "k=3", "n=4"]);
    let shapes = |program: &DynProgram| program.inputs().iter().map(|i| i.shape.sizes().to_vec()).collect::<Vec<_>>();
    assert_eq!((program.len(), shapes(&program)), (1, vec![vec![2, 3], vec![3, 4]]));
    let x: Vec<Vec<f64>> = vec![vec![1.0, 0.0, 2.0, 0.0, 1.0, 0.0], (0..12).map(f64::from).collect()];
    assert_eq!(program.evaluate(&x).expect("a value"), [[16.0, 19.0, 22.0, 25.0, 4.0, 5.0, 6.0, 7.0]]);

    let program = made(&["gather", "--dims", "m=2", "n=3", "s=", "--map", "at=2,0"]);
    assert_eq!(program.evaluate(&[vec![5.0, 6.0, 7.0]]).expect("a value"), [[7.0, 5.0]]);
    let program = made(&["reshape", "--dims", "s=2x3", "t=6", "--map", "order=row-major"]);
    assert_eq!(shapes(&program), [[2, 3]]);
    let program = made(&["pad", "--dims", "s=", "n=1", "m=3", "--param", "value=-1e-1", "--map", "at=1"]);
    assert_eq!(program.evaluate(&[vec![2.0]]).expect("a value"), [[-0.1, 2.0, -0.1]]);
    let program = made(&["multiply_constant", "--dims", "s=3", "--constant", "weight=1,-1/2,2e1"]);
    assert_eq!(program.evaluate(&[vec![1.0; 3]]).expect("a value"), [[1.0, -0.5, 20.0]]);
    let program = made(&["multiply_constant", "--dims", "s=2,2", "--constant", "weight=3"]);
    assert_eq!(program.evaluate(&[vec![1.0; 4]]).expect("a value"), [[3.0; 4]]);
}

#[test]
fn a_statement_may_be_a_file_or_standard_input() {
    let here = folder();
    write(here.path(), "my.contract", SQUARE);
    let from_file = run(here.path(), &["program", "my.contract", "--dims", "s=3"]);
    let from_input = run_with(here.path(), &["program", "-", "--dims", "s=3"], SQUARE.into());
    assert_eq!((from_file.code, &from_file.stdout), (Some(0), &from_input.stdout), "{}", from_file.stderr);
    let written = run(here.path(), &["program", "my.contract", "--dims", "s=3", "--output", "made.json"]);
    assert_eq!((written.code, written.stdout.as_str()), (Some(0), ""), "{}", written.stderr);
    assert_eq!(std::fs::read_to_string(here.path().join("made.json")).expect("a file"), from_file.stdout);
    // What is made is read by the others.
    let checked = run_with(here.path(), &["check", "-"], from_file.stdout.into());
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    let broken = run_with(here.path(), &["program", "-"], b"contract".to_vec());
    assert!(broken.code == Some(2) && broken.stderr.contains("<stdin>"), "{}", broken.stderr);
}

#[test]
fn what_is_missing_or_too_much_is_said_with_its_option() {
    refused(
        &["matmul", "--dims", "m=2", "q=7", "m=3"],
        &[
            "there is no dimension `q`; there are: m, k, n",
            "dimension `m` is given twice",
            "dimension `k` is missing: --dims k=…",
        ],
    );
    refused(&["matmul", "--dims", "m=2x2", "k=3", "n=1"], &["a dimension `m` has one size"]);
    refused(&["matmul", "--dims", "m=0", "k=3", "n=1"], &["0"]);
    refused(&["layer_norm", "--dims", "s=2", "n=3"], &["parameter `eps` is missing: --param eps=…"]);
    refused(&["layer_norm", "--dims", "s=2", "n=3", "--param", "eps=x"], &["`eps`: `x` is no exact number"]);
    refused(&["layer_norm", "--dims", "s=2", "n=3", "--param", "eps=-1"], &["parameter `eps` is -1; it must be > 0"]);
    refused(&["gather", "--dims", "m=2", "n=3", "s=1"], &["index map `at` is missing: --map at=…"]);
    refused(&["gather", "--dims", "m=2", "n=3", "s=1", "--map", "at=a"], &["an index map is `row-major`, or places"]);
    refused(&["gather", "--dims", "m=2", "n=3", "s=1", "--map", "at=0,3"], &["3"]);
    refused(&["no_such_statement"], &["no_such_statement", "a statement of a file is named by it"]);
    refused(&["no/such.contract"], &["could not be read"]);
    refused(&["matmul", "--dims", "m"], &["write NAME=VALUE"]);
}
