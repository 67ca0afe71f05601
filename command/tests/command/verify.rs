//! `pullback verify`: the report, and that it is written whole or not at all.
//!
//! One run does for most of what is asked of it: all evidence takes its time in a debug build.

use std::fs;
use std::path::Path;

use crate::support::{command, finish, folder, run};

/// What stands in a folder.
fn names(folder: &Path) -> Vec<String> {
    let name = |e: std::io::Result<fs::DirEntry>| e.expect("an entry").file_name().to_string_lossy().into_owned();
    fs::read_dir(folder).expect("the folder").map(name).collect()
}

#[test]
fn without_arguments_everything_is_verified() {
    let here = folder();
    let run = run(here.path(), &[]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    let words: Vec<&str> = run.stdout.split_whitespace().collect();
    assert!(words.windows(2).any(|pair| pair == ["contracts", "holds"]), "{}", run.stdout);
    assert!(run.stdout.contains("everything holds"), "{}", run.stdout);
    assert_eq!(names(here.path()), ["verification-results.json"]);
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(here.path().join("verification-results.json")).expect("the report"))
            .expect("JSON");
    assert_eq!((&report["version"], &report["seed"], &report["holds"]), (&1.into(), &20_261_021.into(), &true.into()));
    assert_eq!(report["library"], env!("CARGO_PKG_VERSION"));
    let suites = report["suites"].as_array().expect("suites");
    let suite_names: Vec<_> = suites.iter().map(|s| s["name"].as_str().expect("a name")).collect();
    assert_eq!(suite_names, ["contracts", "laws", "programs", "lowerings", "architectures"]);
    let counts = &suites[0]["counts"];
    assert_eq!(counts["statements"], counts["proved"]);
    assert_eq!(counts["statements"].as_u64(), suites[0]["results"].as_array().map(|r| r.len() as u64));
    assert!(suites.iter().all(|s| s["failures"].as_array().is_some_and(Vec::is_empty)));
    assert!(report["milliseconds"].as_f64().is_some_and(|t| t > 0.0));
}

#[test]
fn a_report_that_has_no_place_is_refused_before_the_work() {
    let here = folder();
    for place in ["none/report.json", ".", "..", "", "missing/"] {
        let run = run(here.path(), &["verify", "--output", place]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{place}: {run:?}");
    }
    assert!(names(here.path()).is_empty());
}

#[cfg(target_os = "linux")]
mod linux {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_report_that_cannot_be_written_leaves_the_old_one_whole() {
        let here = folder();
        fs::write(here.path().join("report.json"), "the old one").expect("a file");
        // No file may grow; the signal that says so is ignored, so that writing fails.
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" verify --output report.json --seed 7";
        let mut shell = Command::new("sh");
        shell.args(["-c", script, env!("CARGO_BIN_EXE_pullback")]).current_dir(here.path()).stdin(Stdio::null());
        let run = finish(shell, Vec::new());
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains("the report was not written"), "{}", run.stderr);
        assert_eq!(fs::read_to_string(here.path().join("report.json")).expect("the report"), "the old one");
        assert_eq!(names(here.path()), ["report.json"]);
    }

    #[test]
    fn a_run_that_is_stopped_leaves_the_old_report_whole() {
        let here = folder();
        fs::write(here.path().join("report.json"), "the old one").expect("a file");
        let mut child = command(here.path(), &["verify", "--output", "report.json"])
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_millis(50));
        let pid = child.id().to_string();
        // As Ctrl-C, which a shell's background jobs, and so perhaps this test, are told to ignore.
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
        let since = Instant::now();
        let status = child.wait().expect("it ends");
        assert!(!status.success() && since.elapsed() < Duration::from_secs(2));
        assert_eq!(fs::read_to_string(here.path().join("report.json")).expect("the report"), "the old one");
        assert_eq!(names(here.path()), ["report.json"]);
    }
}
