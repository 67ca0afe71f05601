//! The sources of the library's statements.

use std::path::{Path, PathBuf};

/// Each `.contract` file of the library, in the order of the names.
pub(crate) fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../contracts"), &mut found);
    assert!(found.len() >= 128, "{} sources", found.len());
    found
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|e| e == "contract") {
            found.push(path);
        }
    }
}
