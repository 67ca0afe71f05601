//! Files that are written whole or not at all.
//!
//! A file is written beside its place and moved there when it is whole: whatever happens before leaves the file that was there as it was.
//! The new file has the permissions of the one that it replaces, and its owner as far as the system lets that be said.
//! Links are followed, also one to a file that does not exist yet: a file is replaced, never a link to it.
//! This module must never write into a file that somebody may be reading.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many links are followed, one after the other.
const LINKS: usize = 40;

/// Where a link leads, also to a file that does not exist yet; the path itself where it is none, or leads to what is no file.
///
/// # Errors
///
/// Where links lead to each other, or one can't be read.
pub fn followed(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(about) if about.is_file() => return path.canonicalize(),
        Ok(_) => return Ok(path.to_path_buf()),
        Err(_) => {}
    }
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&path) {
            Ok(about) if about.file_type().is_symlink() => {
                let to = fs::read_link(&path)?;
                // A path that is absolute stays what it is.
                path = folder(&path).join(to);
            }
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("links lead to each other"))
}

/// The folder that a file stands in.
pub fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Writes a file, all of it or nothing.
///
/// A device or a pipe is no file that could be replaced: it is written to as it is.
///
/// # Errors
///
/// Those of the system; the file that was there is as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = followed(path)?;
    let before = match fs::metadata(&path) {
        Ok(about) if about.is_dir() => return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder")),
        Ok(about) if !about.is_file() => return OpenOptions::new().write(true).open(&path)?.write_all(bytes),
        Ok(about) => Some(about),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let mut beside = Beside::new(&folder(&path))?;
    beside.file.write_all(bytes)?;
    if let Some(before) = before {
        beside.become_like(&before)?;
    }
    beside.file.sync_all()?;
    fs::rename(&beside.path, &path)?;
    beside.moved = true;
    Ok(())
}

/// Whether a file can be made in a folder.
///
/// # Errors
///
/// Those of the system.
pub fn probe(folder: &Path) -> io::Result<()> {
    Beside::new(folder).map(drop)
}

/// A file without a place yet, in the folder of its place; it is gone if it gets none.
struct Beside {
    file: File,
    path: PathBuf,
    moved: bool,
}

impl Beside {
    fn new(folder: &Path) -> io::Result<Beside> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".pullback-{}-{count}.partial", std::process::id()));
            // As any other new file: the mask of the process applies.
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Beside { file, path, moved: false }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Owner and permissions of another file.
    fn become_like(&self, other: &fs::Metadata) -> io::Result<()> {
        let permissions: Permissions = other.permissions();
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            let own = self.file.metadata()?;
            if (own.uid(), own.gid()) != (other.uid(), other.gid()) {
                // Only the administrator may give a file away; its group, most often, anybody who is of it.
                let _ = fchown(&self.file, Some(other.uid()), Some(other.gid()))
                    .or_else(|_| fchown(&self.file, None, Some(other.gid())));
            }
        }
        // After the owner, whose change takes some of them away.
        self.file.set_permissions(permissions)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.moved {
            let _ = fs::remove_file(&self.path);
        }
    }
}
