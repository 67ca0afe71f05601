//! Finding and reading files.

use crate::support::{SQUARE, folder, run, write};

fn files(run: &crate::support::Run) -> Vec<String> {
    run.objects().iter().map(|o| o["file"].as_str().expect("a file").to_owned()).collect()
}

#[test]
fn folders_are_searched_in_order_and_files_proved_once() {
    let here = folder();
    for name in
        ["c/b.contract", "c/a/z.contract", "a.contract", "c/a.txt", ".hidden/x.contract", "d.contract/in.contract"]
    {
        write(here.path(), name, SQUARE);
    }
    let found = run(here.path(), &["prove", "--json", "c/b.contract", ".", "c", "./c/b.contract"]);
    assert_eq!(found.code, Some(0));
    assert_eq!(files(&found), ["c/b.contract", "./a.contract", "./c/a/z.contract", "./d.contract/in.contract"]);
    // A file that is named may end in anything.
    let found = run(here.path(), &["prove", "--json", "c/a.txt", ".hidden"]);
    assert_eq!(files(&found), ["c/a.txt", ".hidden/x.contract"]);
}

#[test]
fn a_folder_without_contracts_is_an_error() {
    let here = folder();
    write(here.path(), "other.txt", SQUARE);
    let found = run(here.path(), &["prove", "."]);
    assert_eq!((found.code, found.stdout.as_str()), (Some(2), ""));
    assert!(found.stderr.contains("[E0402] .: holds no .contract file"), "{}", found.stderr);
}

#[test]
fn a_file_that_is_too_large_is_not_read_to_its_end() {
    let here = folder();
    write(here.path(), "large.contract", " ".repeat((1 << 20) + 1));
    let found = run(here.path(), &["prove", "--json", "."]);
    assert_eq!(found.code, Some(2));
    assert_eq!(found.objects()[0]["code"], "E0210");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    #[test]
    fn links_are_followed_once() {
        let here = folder();
        write(here.path(), "z/in/a.contract", SQUARE);
        write(here.path(), "other/b.contract", SQUARE);
        let root = here.path().join("z");
        symlink("..", root.join("in/loop")).expect("a link");
        symlink("in", root.join("again")).expect("a link");
        symlink("in/a.contract", root.join("0.contract")).expect("a link");
        symlink("../other", root.join("beyond")).expect("a link");
        let found = run(here.path(), &["prove", "--json", "z"]);
        assert_eq!(found.code, Some(0), "{found:?}");
        assert_eq!(files(&found), ["z/beyond/b.contract", "z/in/a.contract"]);
    }

    #[test]
    fn what_only_looks_like_a_contract_is_not_left_out_silently() {
        let here = folder();
        write(here.path(), "a.contract", SQUARE);
        symlink("nowhere", here.path().join("b.contract")).expect("a link");
        symlink("self.contract", here.path().join("self.contract")).expect("a link");
        assert!(Command::new("mkfifo").arg(here.path().join("c.contract")).status().expect("mkfifo").success());
        let found = run(here.path(), &["prove", "."]);
        assert_eq!(found.code, Some(2));
        assert!(found.stdout.contains("1 proved"));
        for name in ["b.contract", "self.contract", "c.contract"] {
            assert!(found.stderr.contains(name), "{name}: {}", found.stderr);
        }
    }

    #[test]
    fn any_name_of_a_file_can_be_shown() {
        let here = folder();
        std::fs::write(here.path().join(OsStr::from_bytes(b"\xff\x1b[31m\n.contract")), SQUARE).expect("a file");
        let found = run(here.path(), &["prove", "."]);
        assert_eq!(found.code, Some(0), "{found:?}");
        assert!(found.stdout.contains("\u{fffd}\\u{1b}[31m\\n.contract"), "{found:?}");
        assert_eq!(run(here.path(), &["prove", "--json", "."]).objects().len(), 1);
    }
}
