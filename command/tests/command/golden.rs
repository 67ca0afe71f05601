//! Whole outputs. With `PULLBACK_BLESS=1` in the environment the files in `golden/` are written anew.

use std::path::Path;

use crate::architectures::write_architectures;
use crate::programs::programs;
use crate::support::{Run, STATEMENTS, run, run_with};

/// Name of the golden file, arguments, standard input.
const CASES: &[(&str, &[&str], &str)] = &[
    ("proved", &["prove", "proved.contract"], ""),
    ("domain", &["prove", "domain.contract"], ""),
    ("declared", &["prove", "declared.contract"], ""),
    ("refuted", &["prove", "refuted.contract"], ""),
    ("undefined", &["prove", "undefined.contract"], ""),
    ("undecided", &["prove", "undecided.contract"], ""),
    ("admitted", &["prove", "admitted.contract"], ""),
    ("syntax", &["prove", "syntax.contract"], ""),
    ("not_utf8", &["prove", "latin.contract"], ""),
    ("nothing", &["prove", "nothing.contract"], ""),
    ("missing", &["prove", "missing.contract", "domain.contract"], ""),
    ("folder_json", &["prove", "--json", ".", "missing.contract"], ""),
    (
        "stdin",
        &["prove", "-"],
        "contract negative version 1 dims s.. input x[s..] output y[i..] = -x[i..]\ndx[i..] = dy[i..]\n",
    ),
    ("unsafe_text", &["prove", "-"], "contract \u{1b}[31mred\u{202e} version 1\r\n"),
    ("no_source", &["prove"], ""),
    ("help", &["--help"], ""),
    ("help_prove", &["prove", "--help"], ""),
    ("help_verify", &["verify", "--help"], ""),
];

/// The same, in the folder of the programs.
const PROGRAMS: &[(&str, &[&str], &str)] = &[
    ("check", &["check", "model.json"], ""),
    ("check_declared", &["check", "declared.json", "--require-proof"], ""),
    ("check_long", &["check", "long.json", "--scalar", "f32"], ""),
    ("check_wrong", &["check", "wrong.json"], ""),
    ("check_wrong_json", &["check", "wrong.json", "--json"], ""),
    ("check_broken", &["check", "broken.json"], ""),
    ("check_version", &["check", "version.json"], ""),
    ("check_folder", &["check", "."], ""),
    ("check_stdin", &["check", "-"], "[]"),
    (
        "check_refuted",
        &["check", "-"],
        "{\"version\": 1, \"inputs\": [{\"name\": \"x\", \"shape\": [2]}], \"statements\": [{\"name\": \"twice\", \"sha256\": \"0000000000000000000000000000000000000000000000000000000000000000\", \"text\": \"contract twice version 1\\ndims n\\ninput x[n]\\noutput y[i] = 2 * x[i]\\ndx[i] = 3 * dy[i]\\n\"}], \"operations\": [], \"instructions\": [], \"outputs\": []}",
    ),
    ("check_unsafe", &["check", "-"], "{\"version\": 1, \"\u{1b}[31m\u{202e}\": []}"),
    ("eval", &["eval", "model.json", "--inputs", "point.json"], ""),
    ("eval_outside", &["eval", "model.json", "--inputs", "outside.json"], ""),
    ("eval_other", &["eval", "model.json", "--inputs", "other.json"], ""),
    ("eval_form", &["eval", "model.json", "--inputs", "model.json"], ""),
    ("eval_none", &["eval", "model.json"], ""),
    ("eval_missing", &["eval", "model.json", "--inputs", "nowhere.json"], ""),
    ("jvp", &["jvp", "exact.json", "--inputs", "exact-point.json", "--tangents", "exact-point.json"], ""),
    ("vjp", &["vjp", "model.json", "--inputs", "point.json", "--cotangents", "seed.json"], ""),
    ("draw_huge", &["draw", "huge.json"], ""),
    ("draw_nowhere", &["draw", "model.json", "--output", "nowhere/model.svg"], ""),
    ("architecture", &["architecture", "network.json"], ""),
    ("architecture_core", &["architecture", "network.json", "--lower"], ""),
    ("architecture_kink", &["architecture", "kink.json", "--lower"], ""),
    ("architecture_misfit", &["architecture", "misfit.json"], ""),
    ("architecture_hidden", &["architecture", "hidden.json"], ""),
    ("architecture_field", &["architecture", "field.json"], ""),
    ("help_architecture", &["architecture", "--help"], ""),
    ("help_check", &["check", "--help"], ""),
    ("help_eval", &["eval", "--help"], ""),
    ("help_jvp", &["jvp", "--help"], ""),
    ("help_vjp", &["vjp", "--help"], ""),
    ("help_transform", &["transform", "--help"], ""),
    ("help_draw", &["draw", "--help"], ""),
];

#[test]
fn outputs_are_the_golden_ones() {
    let bless = std::env::var_os("PULLBACK_BLESS").is_some();
    let goldens = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/golden");
    let mut wrong = Vec::new();
    let programs = programs();
    write_architectures(programs.path());
    let in_folder = |folder| move |case| (folder, case);
    let all = CASES.iter().map(in_folder(Path::new(STATEMENTS))).chain(PROGRAMS.iter().map(in_folder(programs.path())));
    for (folder, (name, arguments, input)) in all {
        let run = if input.is_empty() {
            run(folder, arguments)
        } else {
            run_with(folder, arguments, input.as_bytes().to_vec())
        };
        let found = written(arguments, &run);
        let path = goldens.join(format!("{name}.txt"));
        if bless {
            std::fs::write(&path, found).expect("a golden file is written");
        } else if std::fs::read_to_string(&path).unwrap_or_default() != found {
            wrong.push(format!("{name}: differs from {}\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\nPULLBACK_BLESS=1 writes them anew", wrong.join("\n"));
}

#[test]
fn no_golden_file_is_stale() {
    let goldens = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/golden");
    for entry in std::fs::read_dir(goldens).expect("the golden files") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        assert!(
            CASES.iter().chain(PROGRAMS).any(|(case, ..)| format!("{case}.txt") == name),
            "{name} belongs to no case"
        );
    }
}

fn written(arguments: &[&str], run: &Run) -> String {
    let code = run.code.map_or("none".into(), |code| code.to_string());
    let mut text = format!("$ pullback {}\nexit code {code}\n", arguments.join(" "));
    for (name, stream) in [("output", &run.stdout), ("error", &run.stderr)] {
        if !stream.is_empty() {
            text.push_str(&format!("--- standard {name}\n{}", timeless(stream)));
        }
    }
    text
}

/// Without times.
fn timeless(text: &str) -> String {
    let number = |c: char| c.is_ascii_digit() || c == '.';
    let line = |line: &str| {
        let mut line = line.to_owned();
        if let Some((before, after)) = line.split_once(" ms  ") {
            line = format!("{} _ ms  {after}", before.trim_end_matches(number).trim_end());
        }
        if let Some(before) = line.strip_suffix(" s")
            && before.contains("undecided")
        {
            line = format!("{}_ s", before.trim_end_matches(number));
        }
        let mut parts = line.split("\"milliseconds\":");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            out.push_str("\"milliseconds\":0");
            out.push_str(part.trim_start_matches(number));
        }
        out + "\n"
    };
    text.lines().map(line).collect()
}
