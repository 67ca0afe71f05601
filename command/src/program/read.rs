//! Programs and arrays from files.

use std::io::{self, Read};
use std::path::Path;

use pullback_program::architecture::Architecture;
use pullback_program::interchange::{Arrays, JsonError};
use pullback_program::{DynProgram, Limits};

use super::Problems;
use crate::problem::{Problem, ProgramProblem};
use crate::source::Origin;

/// Bytes of one file, at most. What is in them is limited as well: this is for streams that never end.
const BYTES: u64 = 4 << 30;

/// What helps where a program has another form.
const PROGRAM: &str = "docs/program.schema.json says what a program looks like";
/// What helps where architectures have another form.
const ARCHITECTURE: &str = "docs/architecture.schema.json says what an architecture looks like";
/// What helps where arrays have another form.
const ARRAYS: &str =
    "arrays look like this: {\"x\": {\"shape\": [2], \"data\": [0.5, \"1/3\"]}, \"w\": [[1, 2]], \"eps\": 1e-3}";

/// Reads and verifies a program.
pub(super) fn program(path: &Path, limits: &Limits) -> Result<DynProgram, Problems> {
    read(path, PROGRAM, |from| DynProgram::read_json(from, limits), |text| DynProgram::from_json(text, limits))
}

/// Reads an architecture, which may not fit together.
pub(super) fn architecture(path: &Path) -> Result<Architecture, Problems> {
    read(path, ARCHITECTURE, |from| Architecture::read_json(from), Architecture::from_json)
}

/// Reads arrays; none where no file is named.
pub(super) fn arrays(path: Option<&Path>) -> Result<Arrays, Problems> {
    path.map_or_else(
        || Ok(Arrays::default()),
        |path| read(path, ARRAYS, |from| Arrays::read_json(from), Arrays::from_json),
    )
}

/// Standard input can be read once.
pub(super) fn once(paths: &[Option<&Path>]) -> Result<(), Problems> {
    let standard = paths.iter().flatten().filter(|path| path.as_os_str() == "-").count();
    if standard < 2 {
        return Ok(());
    }
    let message = format!("standard input is named {standard} times; it can be read once");
    Err(vec![Problem::of_program(ProgramProblem::Json, &Origin::Stdin.name(), message)])
}

fn read<T>(
    path: &Path,
    help: &str,
    parse: impl FnOnce(&mut Bounded) -> Result<T, JsonError>,
    text: impl FnOnce(&str) -> Result<T, JsonError>,
) -> Result<T, Problems> {
    let origin = Origin::of(path);
    let from = origin.open().map_err(|problem| vec![*problem])?;
    let mut from = Bounded { from, left: BYTES, copy: Some(Vec::new()) };
    parse(&mut from).map_err(|error| {
        // A stream may have been read one byte past what is wrong: of the text, the place is known.
        let placed = matches!(error, JsonError::Syntax { .. } | JsonError::Form { .. } | JsonError::Version { .. });
        let copy = from.copy.as_deref().filter(|_| placed).and_then(whole);
        let error = copy.and_then(|copy| Some(in_characters(text(copy).err()?, copy))).unwrap_or(error);
        problems(&origin.name(), help, error)
    })
}

/// The text of some bytes, of which the last character may be cut.
fn whole(bytes: &[u8]) -> Option<&str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&bytes[..error.valid_up_to()]).ok(),
        Err(_) => None,
    }
}

/// The same error, with its column in characters of a text instead of bytes.
fn in_characters(mut error: JsonError, text: &str) -> JsonError {
    if let JsonError::Syntax { line, column, .. }
    | JsonError::Form { line, column, .. }
    | JsonError::Version { line, column, .. } = &mut error
    {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let before = text.split('\n').nth(line.saturating_sub(1)).unwrap_or_default().char_indices();
        *column = before.take_while(|(at, _)| *at < column.saturating_sub(1)).count() + 1;
    }
    error
}

fn problems(file: &str, help: &str, error: JsonError) -> Problems {
    match error {
        JsonError::Io { kind: io::ErrorKind::FileTooLarge, .. } => {
            vec![Problem::of_program(ProgramProblem::Json, file, format!("more than {BYTES} bytes"))]
        }
        JsonError::Io { kind, message } => vec![Problem::unreadable(file, &io::Error::new(kind, message))],
        JsonError::Syntax { line, column, message } => {
            vec![Problem::of_program(ProgramProblem::Json, file, message).at(line, column)]
        }
        JsonError::Form { line, column, message } => {
            let problem = Problem::of_program(ProgramProblem::Json, file, message).at(line, column);
            vec![problem.with_help(help)]
        }
        JsonError::Version { line, column, found } => {
            let message = format!("version {found} is not known");
            let help = "a newer release of pullback may read it; this one reads version 1";
            vec![Problem::of_program(ProgramProblem::Json, file, message).at(line, column).with_help(help)]
        }
        JsonError::Program(faults) => {
            let fault =
                |fault: &pullback_program::Fault| Problem::of_program(ProgramProblem::Program, file, fault.to_string());
            faults.0.iter().map(fault).collect()
        }
        error @ JsonError::Unwritable(_) => {
            vec![Problem::of_program(ProgramProblem::Unwritable, file, error.to_string())]
        }
    }
}

/// What could not be written.
pub(super) fn unwritten(path: &Path, error: &JsonError) -> Problems {
    vec![Problem::of_program(ProgramProblem::Unwritable, &Origin::of(path).name(), error.to_string())]
}

/// Bytes of a text that are kept, to find the place of what is wrong.
const KEPT: usize = 1 << 26;

/// A stream of bounded length, and what was read of it as long as that is not much.
struct Bounded {
    from: Box<dyn Read>,
    left: u64,
    copy: Option<Vec<u8>>,
}

impl Read for Bounded {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.from.read(to)?;
        match &mut self.copy {
            Some(copy) if copy.len() + n <= KEPT => copy.extend_from_slice(&to[..n]),
            _ => self.copy = None,
        }
        self.left = self.left.checked_sub(n as u64).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(n)
    }
}
