//! Files that are written whole or not at all: [`pullback_program::whole`], asked before the work that makes them.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use pullback_program::whole::{folder, followed, probe, replace};

use crate::render::plain;
use crate::source::name;

/// Where a file goes.
pub(crate) struct Target {
    /// Links followed: a file is replaced, not a link to it.
    path: PathBuf,
}

impl Target {
    /// Looks whether a file can go there.
    pub(crate) fn new(path: &Path) -> io::Result<Target> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", plain(&name(path))));
        let wrong = |what: String| named(io::Error::new(io::ErrorKind::InvalidInput, what));
        // A file is written beside its place, so that is tried before any work is done.
        let unwritable = |folder: &Path, error: &io::Error| {
            wrong(format!("nothing can be written to the folder {}: {error}", plain(&name(folder))))
        };
        let ends_in = |end: char| path.to_string_lossy().ends_with(end);
        let path = &followed(path).map_err(named)?;
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => return Err(wrong("is a folder".into())),
            Ok(about) if !about.is_file() => {}
            Ok(_) => {
                let folder = folder(path);
                probe(&folder).map_err(|error| unwritable(&folder, &error))?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if path.file_name().is_none() || ends_in('/') || ends_in(std::path::MAIN_SEPARATOR) {
                    return Err(wrong("names no file".into()));
                }
                let folder = folder(path);
                match fs::metadata(&folder).as_ref().map(Metadata::is_dir) {
                    Ok(true) => probe(&folder).map_err(|error| unwritable(&folder, &error))?,
                    Ok(false) => return Err(wrong(format!("{} is no folder", plain(&name(&folder))))),
                    Err(error) => return Err(wrong(format!("the folder {}: {error}", plain(&name(&folder))))),
                }
            }
            Err(error) => return Err(named(error)),
        }
        Ok(Target { path: path.clone() })
    }

    /// Its name for people.
    pub(crate) fn name(&self) -> String {
        plain(&name(&self.path))
    }

    /// The target, unless it is where results are printed: one would be written into the other.
    pub(crate) fn beside_results(self) -> io::Result<Target> {
        if is_standard_output(&self.path) {
            let what = format!(
                "{}: is standard output, where the results are printed; --json prints the report there",
                self.name()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        Ok(self)
    }

    /// Writes the file, all of it or nothing.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        replace(&self.path, bytes)
    }
}

/// Whether a path leads to where standard output goes. What goes to `/dev/null` is in nobody's way.
#[cfg(unix)]
fn is_standard_output(path: &Path) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let out = io::stdout().as_fd().try_clone_to_owned().and_then(|out| fs::File::from(out).metadata());
    let (Ok(out), Ok(there)) = (out, fs::metadata(path)) else { return false };
    let is_device = out.file_type().is_char_device() && !io::IsTerminal::is_terminal(&io::stdout());
    !is_device && (out.dev(), out.ino()) == (there.dev(), there.ino())
}

/// Nothing else has a path to standard output.
#[cfg(not(unix))]
fn is_standard_output(_: &Path) -> bool {
    false
}
