//! `pullback prove`: exit codes, JSON, streams.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;

use crate::support::{SQUARE, STATEMENTS, command, folder, run, run_with, write};

#[test]
fn the_worst_of_all_files_is_the_exit_code() {
    let code = |files: &[&str]| run(Path::new(STATEMENTS), &[&["prove"], files].concat()).code;
    assert_eq!(code(&["proved.contract"]), Some(0));
    assert_eq!(code(&["declared.contract"]), Some(0));
    assert_eq!(code(&["refuted.contract", "proved.contract"]), Some(1));
    assert_eq!(code(&["undecided.contract"]), Some(1));
    assert_eq!(code(&["admitted.contract"]), Some(1));
    assert_eq!(code(&["syntax.contract", "refuted.contract"]), Some(2));
    assert_eq!(code(&["missing.contract", "proved.contract"]), Some(2));
    assert_eq!(code(&["latin.contract"]), Some(2));
    assert_eq!(code(&["nothing.contract"]), Some(2));
}

#[test]
fn misuse_is_exit_code_2_and_help_is_0() {
    let here = Path::new(STATEMENTS);
    assert_eq!(run(here, &["prove"]).code, Some(2));
    assert_eq!(run(here, &["improve"]).code, Some(2));
    for limit in ["0", "-1", "nan", "inf", "1e300", "soon", "17179869184T"] {
        for option in ["--work", "--memory"] {
            assert_eq!(run(here, &["prove", "proved.contract", option, limit]).code, Some(2), "{option} {limit}");
        }
    }
    let help = run(here, &["prove", "--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
    assert_eq!(run(here, &["--version"]).code, Some(0));
}

#[test]
fn json_says_what_a_machine_needs() {
    let run =
        run(Path::new(STATEMENTS), &["prove", "--json", "declared.contract", "refuted.contract", "undecided.contract"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let objects = run.objects();
    let outcomes: Vec<_> = objects.iter().map(|o| o["outcome"].as_str().expect("an outcome")).collect();
    assert_eq!(outcomes, ["proved", "proved", "proved", "refuted", "undecided"]);
    let kinds: Vec<_> = objects[..3].iter().map(|o| o["evidence"]["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["convention", "subgradient", "surrogate"]);
    assert_eq!(objects[2]["evidence"]["differs_at"]["tensor"], "dx");
    assert!(objects.iter().all(|o| o["milliseconds"].as_f64().is_some_and(|t| t > 0.0)));

    let (refuted, text) = (&objects[3], "dbias[j] = 2 * (sum(i) dy[i, j])");
    let point = &refuted["counterexample"];
    assert_eq!((&refuted["name"], &refuted["file"]), (&"bias".into(), &"refuted.contract".into()));
    assert_eq!(point["tensor"], "dbias");
    assert_eq!(point["clause"], serde_json::json!({ "line": 8, "column": 1, "text": text }));
    // The numbers are there to check the claim: a bias gets the sum of its column.
    let (b, n) = (point["dims"]["b"].as_u64().expect("b"), point["dims"]["n"].as_u64().expect("n"));
    let entries = &point["cotangents"][0]["entries"];
    let column = point["at"][0].as_u64().expect("an index");
    let number = |text: &serde_json::Value| {
        let text = text.as_str().expect("a number as text");
        let (above, below) = text.split_once('/').unwrap_or((text, "1"));
        above.parse::<f64>().expect("above") / below.parse::<f64>().expect("below")
    };
    let sum: f64 = (0..b).map(|i| number(&entries[usize::try_from(i * n + column).expect("small")])).sum();
    assert!((sum - number(&point["expected"])).abs() < 1e-9);
    assert!((2.0 * sum - number(&point["claimed"])).abs() < 1e-9);

    let undecided = &objects[4]["undecided"];
    assert!(undecided["left_over"].as_str().is_some_and(|rest| rest.contains("atan")));
    assert_eq!(undecided["clause"]["line"], 6);
}

#[test]
fn what_cannot_be_read_or_parsed_is_an_object_too() {
    let run = run(Path::new(STATEMENTS), &["prove", "--json", "missing.contract", "syntax.contract", "latin.contract"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(2), ""));
    let objects = run.objects();
    let find = |file: &str| objects.iter().find(|o| o["file"] == file && o.get("error").is_some()).expect("an error");
    let missing = find("missing.contract");
    assert_eq!((&missing["error"], &missing["line"]), (&"unreadable".into(), &serde_json::Value::Null));
    let syntax = find("syntax.contract");
    assert_eq!((&syntax["line"], &syntax["column"]), (&4.into(), &40.into()));
    assert!(syntax["code"].as_str().is_some_and(|code| code.starts_with("E02")));
    assert!(syntax["message"].is_string() && syntax["help"].is_string());
    assert_eq!(find("latin.contract")["column"], 13);
    // What is sound in a file with errors is proved all the same.
    assert!(objects.iter().any(|o| o["name"] == "identity" && o["outcome"] == "proved"));
}

#[test]
fn standard_input_is_a_file_like_any_other() {
    let here = folder();
    let run = run_with(here.path(), &["prove", "--json", "-", "-"], SQUARE.into());
    assert_eq!(run.code, Some(0));
    let objects = run.objects();
    assert_eq!(objects.len(), 1);
    assert_eq!((&objects[0]["name"], &objects[0]["file"]), (&"square".into(), &"<stdin>".into()));
}

#[test]
fn what_takes_too_much_is_undecided() {
    let here = folder();
    let mut text = String::from("contract growing version 1\ndims n\ninput x[n]\nlet a0[i] = x[i]\n");
    for k in 0..60 {
        text.push_str(&format!("let a{}[i] = a{k}[i] * a{k}[i] + a{k}[i]\n", k + 1));
    }
    text.push_str("output y[i] = a60[i]\nsaves x\ndx[i] = dy[i]\n");
    for k in 0..4 {
        write(here.path(), &format!("{k}.contract"), &text);
    }
    let run = run(here.path(), &["prove", "--json", "--work", "1k", "."]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.objects().iter().all(|o| o["outcome"] == "undecided"), "{run:?}");
    assert_eq!(run.objects().len(), 4);
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let here = folder();
    let many: String = (0..1000).map(|k| SQUARE.replace("square", &format!("square{k}"))).collect();
    write(here.path(), "many.contract", many);
    for arguments in [&["prove", "many.contract"][..], &["prove", "--json", "many.contract"]] {
        let mut command = command(here.path(), arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
        let mut first = String::new();
        // The reader closes its end when it is dropped here, as `head -n 1` does.
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut first).expect("a line");
        assert!(first.contains("square0"), "{first}");
        let mut errors = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut errors).expect("text");
        let status = child.wait().expect("the command ends");
        assert_eq!((status.code(), errors.as_str()), (Some(2), ""), "not everything was said");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let mut command = command(Path::new(STATEMENTS), &["prove", "proved.contract"]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = command.stdout(full).stderr(Stdio::piped()).output().expect("the command ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("could not write the results"));
}

#[test]
fn nothing_but_text_goes_to_a_pipe() {
    let run = run(Path::new(STATEMENTS), &["prove", "."]);
    assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{run:?}");
}
