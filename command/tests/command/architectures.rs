//! `pullback architecture`: exit codes, JSON, the program that is written.

use std::fs;
use std::path::Path;

use pullback_program::architecture::Architecture;
use pullback_program::{DynProgram, Limits};

use crate::support::{folder, run, run_with, write};

/// Two dense layers, the second the heads of a tuple.
const NETWORK: &str = r#"{"version": 1, "inputs": [[4, 3]], "layer": {"sequential": [
    {"dense": {"features": 5, "bias": true}},
    {"activation": "tanh"},
    {"parallel": {"branches": [{"dense": {"features": 2, "bias": false}}, {"activation": "softmax"}], "join": "tuple"}}
]}}
"#;

/// A folder with architectures.
pub(crate) fn write_architectures(here: &Path) {
    write(here, "network.json", NETWORK);
    write(here, "kink.json", r#"{"version": 1, "inputs": [[2]], "layer": {"activation": "relu"}}"#);
    write(
        here,
        "misfit.json",
        r#"{"version": 1, "inputs": [[1, 2, 2]], "layer": {"sequential": ["flatten", {"attention": {"heads": 0}}]}}"#,
    );
    write(
        here,
        "hidden.json",
        r#"{"version": 1, "inputs": [[2, 2]], "layer": {"attention": {"heads": 1, "mask": {"sets": [[true, false], [false, false]]}}}}"#,
    );
    write(here, "field.json", NETWORK.replace("\"bias\": false", "\"width\": 1"));
}

#[test]
fn all_is_said_to_machines() {
    let here = folder();
    write_architectures(here.path());
    let found = run(here.path(), &["architecture", "--json", "network.json"]);
    assert_eq!((found.code, found.stderr.as_str()), (Some(0), ""));
    let [object] = &found.objects()[..] else { panic!("one object") };
    let program = Architecture::from_json(NETWORK).expect("it is read").compile().expect("it fits together");
    assert_eq!(object["instructions"], program.len());
    assert_eq!(object["core"], false);
    assert_eq!(object["inputs"], serde_json::json!([{"name": "x", "shape": [4, 3]}]));
    assert_eq!(object["parameters"].as_array().map(Vec::len), Some(3));
    let weight = serde_json::json!({"path": "0.weight", "shape": [3, 5], "role": "weight", "numbers": 15});
    assert_eq!(object["parameters"][0], weight);
    assert_eq!(object["numbers"], 15 + 5 + 10);
    assert_eq!(object["outputs"][1], serde_json::json!({"name": "y.1", "shape": [4, 5]}));
}

#[test]
fn the_program_is_that_of_the_library() {
    let here = folder();
    write_architectures(here.path());
    let architecture = Architecture::from_json(NETWORK).expect("it is read");
    for (lower, expected) in [(false, architecture.compile()), (true, architecture.lower())] {
        let expected = expected.expect("it fits together");
        let mut arguments = vec!["architecture", "network.json", "--output", "program.json"];
        arguments.extend(lower.then_some("--lower"));
        let found = run(here.path(), &arguments);
        assert_eq!((found.code, found.stderr.as_str()), (Some(0), ""));
        assert!(found.stdout.contains("fits together"), "{}", found.stdout);
        assert_eq!(found.stdout.contains("core language"), lower);
        let text = fs::read_to_string(here.path().join("program.json")).expect("the program");
        assert_eq!(DynProgram::from_json(&text, &Limits::default()).expect("a program"), expected);
        // To standard output goes the program alone, as another run reads it.
        *arguments.iter_mut().find(|a| **a == "program.json").expect("an argument") = "-";
        let piped = run(here.path(), &arguments);
        assert_eq!(piped.stdout.trim_end(), text.trim_end());
        let checked = run_with(here.path(), &["check", "-", "--require-proof"], piped.stdout.into_bytes());
        assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    }
}

#[test]
fn exit_codes_tell_a_misfit_from_what_could_not_be_read() {
    let here = folder();
    write_architectures(here.path());
    for (arguments, code, error) in [
        (&["kink.json"][..], 0, None),
        (&["kink.json", "--lower"], 1, Some("architecture")),
        (&["misfit.json"], 1, Some("architecture")),
        (&["hidden.json"], 1, Some("architecture")),
        (&["field.json"], 2, Some("json")),
        (&["nowhere.json"], 2, Some("unreadable")),
        (&["."], 2, Some("unreadable")),
        (&["network.json", "--output", "nowhere/program.json"], 2, Some("unwritable")),
    ] {
        let run = run(here.path(), &[&["architecture", "--json"], arguments].concat());
        assert_eq!(run.code, Some(code), "{arguments:?}: {run:?}");
        assert_eq!(run.objects()[0].get("error").and_then(|e| e.as_str()), error, "{arguments:?}");
    }
    let run = run(here.path(), &["architecture", "hidden.json", "--output", "program.json"]);
    assert!(run.stderr.contains("row 1 of the mask is empty"), "{}", run.stderr);
    assert!(!here.path().join("program.json").exists());
}
