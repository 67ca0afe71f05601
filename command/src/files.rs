//! Finding contract files.
//!
//! A folder is searched to any depth, its links included, and a link that leads back is not followed twice.
//! What stands behind a link counts after what stands there by itself, so a file is shown under its own name.
//! Nothing is left out silently: what can't be searched is a problem.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::problem::Problem;
use crate::source::{Origin, name};

/// How a contract file's name ends.
const EXTENSION: &str = "contract";
/// Files and folders that one folder may hold, at any depth.
const ENTRIES: usize = 1_000_000;

/// The sources that the arguments name, each once, in the order of the arguments, and what is wrong with others.
pub(crate) fn find(arguments: &[PathBuf], mut tick: impl FnMut(&Path)) -> Vec<Result<Origin, Box<Problem>>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for argument in arguments {
        if argument.as_os_str() == "-" {
            if seen.insert(PathBuf::from("-")) {
                found.push(Ok(Origin::Stdin));
            }
            continue;
        }
        match std::fs::metadata(argument) {
            Ok(about) if about.is_dir() => {
                let Search { files, problems, .. } = search(argument, &mut tick);
                if files.is_empty() && problems.is_empty() {
                    found.push(Err(Problem::empty(&name(argument)).into()));
                }
                found.extend(problems.into_iter().map(|p| Err(Box::new(p))));
                found.extend(files.into_iter().filter(|f| seen.insert(real(f))).map(|f| Ok(Origin::File(f))));
            }
            Ok(_) => {
                if seen.insert(real(argument)) {
                    found.push(Ok(Origin::File(argument.clone())));
                }
            }
            Err(error) => found.push(Err(Problem::unreadable(&name(argument), &error).into())),
        }
    }
    found
}

/// The path without links, or as it is where that can't be told.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

struct Search {
    files: BTreeSet<PathBuf>,
    problems: Vec<Problem>,
    /// Folders and files that were met, without links.
    met: HashSet<PathBuf>,
    entries: usize,
}

fn search(folder: &Path, tick: &mut dyn FnMut(&Path)) -> Search {
    let mut search = Search { files: BTreeSet::new(), problems: Vec::new(), met: HashSet::new(), entries: 0 };
    let mut links: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    loop {
        let Some(folder) = folders.pop() else {
            // What stands there by itself is done; now what stands behind links, in the order of their paths.
            links.sort_unstable_by(|a, b| b.cmp(a));
            let Some(link) = links.pop() else { return search };
            match std::fs::metadata(&link) {
                Ok(about) if about.is_dir() => folders.push(link),
                Ok(about) => search.file(link, about.is_file()),
                // A link to nothing matters where a contract was meant.
                Err(error) if is_contract(&link) => {
                    search.problems.push(Problem::unreadable(&name(&link), &error));
                }
                Err(_) => {}
            }
            continue;
        };
        if !search.met.insert(real(&folder)) {
            continue;
        }
        tick(&folder);
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                search.problems.push(Problem::unreadable(&name(&folder), &error));
                continue;
            }
        };
        for entry in entries {
            search.entries += 1;
            if search.entries > ENTRIES {
                search.problems.push(Problem::too_many(&name(&folder), ENTRIES));
                return search;
            }
            let kind = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)));
            match kind {
                Err(error) => search.problems.push(Problem::unreadable(&name(&folder), &error)),
                Ok((path, _)) if is_hidden(&path) => {}
                Ok((path, kind)) if kind.is_symlink() => links.push(path),
                Ok((path, kind)) if kind.is_dir() => folders.push(path),
                Ok((path, kind)) => search.file(path, kind.is_file()),
            }
        }
    }
}

impl Search {
    fn file(&mut self, path: PathBuf, regular: bool) {
        if !is_contract(&path) {
        } else if !regular {
            self.problems.push(Problem::not_a_file(&name(&path)));
        } else if self.met.insert(real(&path)) {
            self.files.insert(path);
        }
    }
}

fn is_contract(path: &Path) -> bool {
    path.extension() == Some(OsStr::new(EXTENSION))
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
