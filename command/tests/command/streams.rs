//! Standard output as a file, marks of encodings, and what becomes of a file that is replaced.

use std::fs;

use serde_json::Value;

use crate::support::{SQUARE, folder, run, run_with, write};

const MARK: &str = "\u{feff}";

#[test]
fn a_report_may_go_to_standard_output() {
    let here = folder();
    let run = run(here.path(), &["verify", "--suite", "gathers", "--output", "-"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).expect("a report and nothing else");
    assert_eq!(report["suites"][0]["name"], "gathers");
    assert_eq!(fs::read_dir(here.path()).expect("the folder").count(), 0, "no file called -");
}

#[test]
fn a_mark_of_the_encoding_is_no_part_of_a_text() {
    let here = folder();
    let program = run(here.path(), &["program", "square", "--dims", "s=2"]).stdout;
    let input = |text: &str| format!("{MARK}{text}").into_bytes();
    for (arguments, text) in [
        (&["prove", "-"][..], SQUARE),
        (&["check", "-"], &program),
        (&["architecture", "-"], r#"{"version": 1, "inputs": [[2, 3]], "layer": {"activation": "tanh"}}"#),
    ] {
        let run = run_with(here.path(), arguments, input(text));
        assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
    }
    write(here.path(), "model.json", &program);
    let run = run_with(here.path(), &["eval", "model.json", "--inputs", "-"], input("{\"x\": [1, 2]}"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // And has no column.
    let column = |text: String| {
        let run = run_with(here.path(), &["prove", "-", "--json"], text.into_bytes());
        (run.objects()[0]["line"].clone(), run.objects()[0]["column"].clone())
    };
    let wrong = "contract % version 1".to_owned();
    assert_eq!(column(format!("{MARK}{wrong}")), column(wrong));
}

#[test]
fn standard_input_has_one_name() {
    let here = folder();
    for arguments in [&["prove", "-"][..], &["check", "-"], &["draw", "-"], &["transform", "-", "--to", "reverse"]] {
        let run = run_with(here.path(), arguments, b"{".to_vec());
        assert!(run.code == Some(2) && run.stderr.contains("<stdin>"), "{arguments:?}: {}", run.stderr);
        assert!(!run.stderr.contains(" -:") && !run.stderr.contains("[-"), "{arguments:?}: {}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_mode_and_a_dangling_link_is_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let here = folder();
    write(here.path(), "old.json", "before");
    fs::set_permissions(here.path().join("old.json"), fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink("there.json", here.path().join("link.json")).expect("a link");
    for (name, at) in [("old.json", "old.json"), ("link.json", "there.json")] {
        let run = run(here.path(), &["program", "square", "--dims", "s=2", "--output", name]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(fs::read_to_string(here.path().join(at)).expect("a file").contains("\"version\": 1"));
    }
    let mode = fs::metadata(here.path().join("old.json")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(fs::symlink_metadata(here.path().join("link.json")).expect("a link").file_type().is_symlink());
}
