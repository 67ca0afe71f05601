//! Running the command, and a folder to run it in.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// The folder with the statements of these tests.
pub(crate) const STATEMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/command/statements");

/// A statement that holds.
pub(crate) const SQUARE: &str = "contract square version 1\ndims s..\ninput x[s..]\noutput y[i..] = x[i..]^2\n\
                                 saves x\ndx[i..] = 2 * x[i..] * dy[i..]\n";

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The lines of standard output as JSON.
    pub(crate) fn objects(&self) -> Vec<serde_json::Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
    }
}

/// The command, to be run in a folder.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pullback"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).env_remove("NO_COLOR");
    command
}

/// Runs it.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Run {
    finish(command(folder, arguments), Vec::new())
}

/// Runs it with something on standard input.
pub(crate) fn run_with(folder: &Path, arguments: &[&str], input: Vec<u8>) -> Run {
    let mut command = command(folder, arguments);
    command.stdin(Stdio::piped());
    finish(command, input)
}

/// Runs any command to its end.
pub(crate) fn finish(mut command: Command, input: Vec<u8>) -> Run {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    let writer = child.stdin.take().map(|mut stdin| {
        // The command may stop reading early.
        thread::spawn(move || drop(stdin.write_all(&input)))
    });
    let output = child.wait_with_output().expect("the command ends");
    if let Some(writer) = writer {
        writer.join().expect("the input is written");
    }
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// An empty folder.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Writes a file, and the folders that it needs.
pub(crate) fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
    std::fs::write(path, text).expect("a file is written");
}
