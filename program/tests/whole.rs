//! Files are written whole or not at all, in the place and with the mode of what they replace.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use pullback_program::whole::replace;

/// A folder of its own for a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("pullback-whole-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
    fn names(&self) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = fs::read_dir(&self.0).unwrap().map(name).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_replaced_file_keeps_its_mode_and_owner_and_nothing_is_left_beside() {
    let folder = Folder::new("mode");
    let path = folder.0.join("a");
    for mode in [0o600, 0o640, 0o444, 0o755] {
        let _ = fs::remove_file(&path);
        fs::write(&path, "before").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let before = fs::metadata(&path).unwrap();
        replace(&path, b"after").unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"after");
        assert_eq!(after.mode(), before.mode());
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_ne!(after.ino(), before.ino(), "it is another file, so that who reads the old one reads all of it");
    }
    assert_eq!(folder.names(), ["a"]);
}

#[test]
fn links_are_followed_also_where_nothing_is_yet() {
    let folder = Folder::new("links");
    fs::create_dir(folder.0.join("there")).unwrap();
    symlink("there/file", folder.0.join("dangling")).unwrap();
    symlink("dangling", folder.0.join("further")).unwrap();
    replace(&folder.0.join("further"), b"one").unwrap();
    assert_eq!(fs::read(folder.0.join("there/file")).unwrap(), b"one");
    replace(&folder.0.join("dangling"), b"two").unwrap();
    assert_eq!(fs::read(folder.0.join("there/file")).unwrap(), b"two");
    assert!(fs::symlink_metadata(folder.0.join("further")).unwrap().file_type().is_symlink());
    symlink("round", folder.0.join("about")).unwrap();
    symlink("about", folder.0.join("round")).unwrap();
    assert!(replace(&folder.0.join("round"), b"").is_err());
}

#[test]
fn what_can_not_be_written_leaves_everything_as_it_was() {
    let folder = Folder::new("refused");
    assert_eq!(replace(&folder.0, b"").unwrap_err().kind(), io::ErrorKind::IsADirectory);
    assert_eq!(replace(&folder.0.join("no/file"), b"").unwrap_err().kind(), io::ErrorKind::NotFound);
    assert!(folder.names().is_empty());
    replace(Path::new("/dev/null"), b"gone").unwrap();
}
