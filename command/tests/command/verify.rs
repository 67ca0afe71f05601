//! `pullback verify`: the report, and that it is written whole or not at all.
//!
//! One run does for most of what is asked of it: all evidence takes its time in a debug build.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{command, finish, folder, run};
use crate::validate::validate;

/// The suites, in order.
const SUITES: &[&str] = &[
    "contracts",
    "laws",
    "programs",
    "lowerings",
    "architectures",
    "claims",
    "rational_graphs",
    "gathers",
    "tensor_graphs",
    "random_statements",
    "networks",
    "random_programs",
    "hostile",
    "serialisation",
    "edges",
    "gallery",
];

/// Those of them that draw random numbers.
const DRAWING: &[&str] = &[
    "laws",
    "programs",
    "architectures",
    "claims",
    "rational_graphs",
    "tensor_graphs",
    "random_statements",
    "networks",
    "random_programs",
    "hostile",
    "serialisation",
];

/// The counts of the theory's artifact, by suite: they must be reached exactly.
const RECORDED: &[(&str, &str, u64)] = &[
    ("claims", "statements", 2000),
    ("rational_graphs", "graphs", 512),
    ("rational_graphs", "exact evaluations", 2048),
    ("gathers", "maps", 494),
    ("tensor_graphs", "graphs", 201),
    ("tensor_graphs", "checks", 603),
    ("random_statements", "points", 120),
    ("random_programs", "agree exactly", 4),
    ("random_programs", "executables", 28),
    ("hostile", "inputs", 350),
    ("serialisation", "comparisons", 201),
    ("edges", "checks", 10),
    ("gallery", "cases", 59),
];

/// Whether a report is one that the published schema admits.
fn admitted(report: &Value) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/verification-results.schema.json");
    let schema: Value = serde_json::from_slice(&fs::read(path).expect("the schema")).expect("JSON");
    validate(report, &schema, &schema, |_| false)
}

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
    assert!(run.stdout.contains("\neverything holds\n"), "{}", run.stdout);
    assert_eq!(names(here.path()), ["verification-results.json"]);
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(here.path().join("verification-results.json")).expect("the report"))
            .expect("JSON");
    assert_eq!((&report["version"], &report["seed"], &report["holds"]), (&1.into(), &20_261_021.into(), &true.into()));
    assert_eq!(report["library"], env!("CARGO_PKG_VERSION"));
    let suites = report["suites"].as_array().expect("suites");
    let suite_names: Vec<_> = suites.iter().map(|s| s["name"].as_str().expect("a name")).collect();
    assert_eq!(suite_names, SUITES);
    let counts = &suites[0]["counts"];
    assert_eq!(counts["statements"], counts["proved"]);
    assert_eq!(counts["statements"].as_u64(), suites[0]["results"].as_array().map(|r| r.len() as u64));
    assert!(suites.iter().all(|s| s["failures"].as_array().is_some_and(Vec::is_empty)));
    assert!(report["milliseconds"].as_f64().is_some_and(|t| t > 0.0));
    assert!(report["compiler"].as_str().is_some_and(|text| text.starts_with("rustc ")), "{}", report["compiler"]);
    for (suite, name, count) in RECORDED {
        let found = suites.iter().find(|s| s["name"] == *suite).expect("the suite");
        assert_eq!(found["counts"][name], *count, "{suite}");
        assert_eq!(found["recorded"][name], *count, "{suite}");
        assert!(run.stdout.contains(&format!("{count} {name}")), "{suite}: {}", run.stdout);
    }
    let tensor_graphs = suites.iter().find(|s| s["name"] == "tensor_graphs").expect("the suite");
    let measures = tensor_graphs["measures"].as_array().expect("measures");
    let bounds: Vec<f64> = measures.iter().filter_map(|m| m["bound"].as_f64()).collect();
    assert_eq!(bounds, [4.3e-16, 4.3e-16, 4.5e-10]);
    // What every suite counts is held to what is recorded, and a suite that draws says of what.
    for suite in suites {
        let recorded = suite["recorded"].as_object().expect("counts");
        assert!(!recorded.is_empty(), "{}", suite["name"]);
        // Some are recorded as the least that there may be; the suite holds the others to the number itself.
        let reached = |(name, count): (&String, &Value)| suite["counts"][name].as_u64() >= count.as_u64();
        assert!(recorded.iter().all(reached), "{suite}");
        let draws = DRAWING.contains(&suite["name"].as_str().expect("a name"));
        assert_eq!((suite.get("seed").is_some(), suite.get("scale").is_some()), (draws, draws), "{}", suite["name"]);
    }
    assert_eq!(admitted(&report), Ok(()));
    // The schema says something: other reports are not admitted.
    for (path, value) in [
        ("/version", Value::from(2)),
        ("/suites/0/counts/proved", "all".into()),
        ("/suites/8/measures/0/largest", "small".into()),
        ("/suites/0/holds", Value::Null),
        ("/suites/0/failures", Value::from(vec![1])),
    ] {
        let mut other = report.clone();
        *other.pointer_mut(path).expect(path) = value;
        assert!(admitted(&other).is_err(), "{path}");
    }
}

#[test]
fn one_suite_is_run_alone_and_the_draws_follow_from_the_seed() {
    let here = folder();
    let report = |arguments: &[&str]| -> Value {
        let arguments = [&["verify", "--json"], arguments].concat();
        let run = run(here.path(), &arguments);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
        let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(admitted(&report), Ok(()));
        let written = fs::read(here.path().join("verification-results.json")).expect("the report");
        assert_eq!(serde_json::from_slice::<Value>(&written).expect("JSON"), report);
        report
    };
    let names = |report: &Value| -> Vec<Value> {
        report["suites"].as_array().expect("suites").iter().map(|s| s["name"].clone()).collect()
    };
    // In the order of the table, however they are asked for.
    assert_eq!(names(&report(&["--suite", "edges", "--suite", "gathers"])), ["gathers", "edges"]);
    let counts = |seed, scale| {
        report(&["--suite", "rational_graphs", "--seed", seed, "--scale", scale])["suites"][0]["counts"].clone()
    };
    let (once, twice) = (counts("7", "1"), counts("7", "2"));
    assert_eq!((&once["graphs"], &twice["graphs"]), (&512.into(), &1024.into()));
    assert_eq!(once, counts("7", "1"));
    assert_ne!(once["partial derivatives"], counts("8", "1")["partial derivatives"]);
}

#[test]
fn a_suite_that_is_not_there_is_refused_with_the_list() {
    let here = folder();
    for arguments in [["--suite", "nothing"], ["--scale", "0"], ["--scale", "many"], ["--seed", "-1"]] {
        let run = run(here.path(), &[&["verify"], &arguments[..]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        let number = arguments[0] == "--suite" || run.stderr.contains("a whole number from ");
        assert!(number, "{}", run.stderr);
        let listed = SUITES.iter().all(|name| run.stderr.contains(name));
        assert!(arguments[0] != "--suite" || listed, "{}", run.stderr);
    }
    assert!(names(here.path()).is_empty());
    let near = run(here.path(), &["verify", "--suite", "gather"]);
    assert!(near.stderr.contains("a similar value exists: 'gathers'"), "{}", near.stderr);
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

    /// Standard output is a pipe here. The table or the line of JSON goes there, and the report can't go there too.
    #[test]
    fn a_report_is_not_written_into_the_results() {
        let here = folder();
        for more in [&["--json"][..], &[]] {
            let arguments = [&["verify", "--suite", "edges", "--output", "/dev/stdout"], more].concat();
            let found = run(here.path(), &arguments);
            assert_eq!((found.code, found.stdout.as_str()), (Some(2), ""), "{found:?}");
            assert!(
                found.stderr.contains("/dev/stdout: is standard output, where the results are printed"),
                "{found:?}"
            );
        }
        let found = run(here.path(), &["verify", "--suite", "edges", "--output", "/dev/null", "--json"]);
        assert_eq!((found.code, found.stderr.as_str()), (Some(0), ""));
        assert!(serde_json::from_str::<Value>(&found.stdout).is_ok(), "{}", found.stdout);
    }

    /// Nobody, whatever his rights, makes a file there.
    #[test]
    fn a_folder_that_takes_no_file_is_refused_before_the_work() {
        let here = folder();
        let found = run(here.path(), &["verify", "--output", "/proc/report.json"]);
        assert_eq!((found.code, found.stdout.as_str()), (Some(2), ""), "{found:?}");
        assert!(found.stderr.contains("nothing can be written to the folder /proc"), "{}", found.stderr);
    }

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

    #[test]
    fn a_run_that_is_killed_in_a_suite_leaves_the_old_report_whole() {
        let here = folder();
        fs::write(here.path().join("report.json"), "the old one").expect("a file");
        // Far longer than it is let live.
        let arguments = ["verify", "--output", "report.json", "--suite", "tensor_graphs", "--scale", "1000000"];
        let mut child = command(here.path(), &arguments).stdout(Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(400));
        assert!(child.try_wait().expect("it runs").is_none());
        child.kill().expect("it is killed");
        assert!(!child.wait().expect("it ends").success());
        assert_eq!(fs::read_to_string(here.path().join("report.json")).expect("the report"), "the old one");
        assert_eq!(names(here.path()), ["report.json"]);
    }
}
