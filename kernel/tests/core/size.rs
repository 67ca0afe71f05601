//! How much has to be read: code lines, without comments, blank lines and tests.

use std::fs;
use std::path::Path;

/// What a theorem rests on.
const TRUSTED: [&str; 15] = [
    "core/mod.rs",
    "core/term.rs",
    "core/table.rs",
    "core/ring.rs",
    "core/rules.rs",
    "core/rules/equality.rs",
    "core/rules/sums.rs",
    "core/rules/indices.rs",
    "core/rules/functions.rs",
    "core/rules/guards.rs",
    "core/rules/signs.rs",
    "core/rules/derivatives.rs",
    "core/reading.rs",
    "core/reading/reader.rs",
    "core/theorem.rs",
];
/// What runs a log, what is said of faults, and a hash: none of them can make a claim.
const LOGS: [&str; 5] = ["core/calls.rs", "core/log.rs", "core/digest.rs", "core/quick.rs", "core/words.rs"];

fn code_lines(file: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let tests = text.find("#[cfg(test)]").unwrap_or(text.len());
    text[..tests].lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("//")).count()
}

fn count(files: &[&str]) -> usize {
    files
        .iter()
        .map(|file| (code_lines(file), file))
        .inspect(|(n, file)| println!("{n:>5} {file}"))
        .map(|(n, _)| n)
        .sum()
}

#[test]
fn the_core_is_short() {
    let trusted = count(&TRUSTED);
    println!("{trusted:>5} trusted");
    let logs = count(&LOGS);
    println!("{logs:>5} logs");
    assert!(trusted <= 2_000, "{trusted} lines");
    // No file of the core is left out.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/core");
    let files =
        |folder: &Path| fs::read_dir(folder).unwrap().filter(|e| e.as_ref().is_ok_and(|e| e.path().is_file())).count();
    assert_eq!(
        files(&folder) + files(&folder.join("rules")) + files(&folder.join("reading")),
        TRUSTED.len() + LOGS.len()
    );
}
