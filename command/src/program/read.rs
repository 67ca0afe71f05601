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
    read(path, PROGRAM, |from| DynProgram::read_json(from, limits))
}

/// Reads an architecture, which may not fit together.
pub(super) fn architecture(path: &Path) -> Result<Architecture, Problems> {
    read(path, ARCHITECTURE, Architecture::read_json)
}

/// Reads arrays; none where no file is named.
pub(super) fn arrays(path: Option<&Path>) -> Result<Arrays, Problems> {
    path.map_or_else(|| Ok(Arrays::default()), |path| read(path, ARRAYS, Arrays::read_json))
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

fn read<T>(path: &Path, help: &str, parse: impl FnOnce(Bounded) -> Result<T, JsonError>) -> Result<T, Problems> {
    let origin = Origin::of(path);
    let from = origin.open().map_err(|problem| vec![*problem])?;
    parse(Bounded { from, left: BYTES }).map_err(|error| problems(&origin.name(), help, error))
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

/// A stream of bounded length.
struct Bounded {
    from: Box<dyn Read>,
    left: u64,
}

impl Read for Bounded {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.from.read(to)?;
        self.left = self.left.checked_sub(n as u64).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(n)
    }
}
