//! Programs from files: checked, evaluated, differentiated, transformed, drawn, made of layers.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`read`] | programs and arrays from files, and what is wrong with them |
//! | [`check`] | `pullback check` |
//! | [`evaluate`] | `pullback eval`, `jvp` and `vjp` |
//! | [`architecture`] | `pullback architecture`: a program made of layers |
//! | [`statement`] | `pullback program`: a program of one statement |
//! | [`transform`], [`draw`] | the subcommands of the same names |
//!
//! A result is made whole before any of it is written: a run that fails writes nothing.

pub(crate) mod architecture;
pub(crate) mod check;
pub(crate) mod draw;
pub(crate) mod evaluate;
mod read;
pub(crate) mod statement;
pub(crate) mod transform;

use std::path::Path;

use crate::output::{Closed, Console};
use crate::problem::{Problem, ProgramProblem};
use crate::render::{Json, Show, text};
use crate::source::{Origin, name};
use crate::status::Status;
use crate::target::Target;
use crate::work::{Event, Teller};

/// Faults that are shown to people; machines get them all.
const SHOWN: usize = 20;

/// Everything that is wrong; never empty.
type Problems = Vec<Problem>;

/// Runs a job that may take long, for the program in this file.
fn job<T: Send + 'static>(
    console: &mut Console,
    program: &Path,
    work: impl FnOnce(Teller<'_>) -> Result<T, Problems> + Send + 'static,
) -> Result<T, Problems> {
    console.begin(None);
    let watch = |event| match event {
        Event::At(what) => console.at(&what),
        Event::Tick => console.tick(),
    };
    let result = crate::work::run(watch, work);
    console.end();
    result.unwrap_or_else(|stopped| Err(vec![Problem::internal(&Origin::of(program).name(), stopped.to_string())]))
}

/// A result, and what is to be known about it.
struct Document {
    text: String,
    /// For standard error.
    notes: Vec<String>,
}

impl From<String> for Document {
    fn from(text: String) -> Self {
        Document { text, notes: Vec::new() }
    }
}

/// Runs a job whose result is a text, and puts it where it belongs.
fn document<D: Into<Document> + Send + 'static>(
    console: &mut Console,
    program: &Path,
    output: Option<&Path>,
    work: impl FnOnce(Teller<'_>) -> Result<D, Problems> + Send + 'static,
) -> Result<Status, Closed> {
    let output = output.filter(|path| path.as_os_str() != "-");
    // Better now than after all the work.
    let target = match output.map(Target::new).transpose() {
        Ok(target) => target,
        Err(error) => return failed(console, &unwritable(output, &error), false),
    };
    let document = match job(console, program, work) {
        Ok(document) => document.into(),
        Err(problems) => return failed(console, &problems, false),
    };
    for note in document.notes.iter().take(SHOWN) {
        console.error(&text::note(note, console.errors));
    }
    if document.notes.len() > SHOWN {
        console.error(&format!("… and {} more", document.notes.len() - SHOWN));
    }
    match (document.text, target) {
        (text, None) => {
            console.result(&text)?;
            Ok(Status::Holds)
        }
        (text, Some(target)) => match target.write(text.as_bytes()) {
            Ok(()) => Ok(Status::Holds),
            Err(error) => failed(console, &unwritable(output, &error), false),
        },
    }
}

/// A result that this file can't take.
fn unwritable(output: Option<&Path>, error: &std::io::Error) -> Problems {
    let file = output.map(name).unwrap_or_default();
    // The error names the file itself.
    let message = error.to_string();
    let message = message.strip_prefix(&format!("{file}: ")).unwrap_or(&message).to_owned();
    vec![Problem::of_program(ProgramProblem::Unwritable, &file, message)]
}

/// Tells what is wrong.
fn failed(console: &mut Console, problems: &[Problem], json: bool) -> Result<Status, Closed> {
    if json {
        for problem in problems {
            Json.problem(console, None, problem)?;
        }
        return Ok(Status::CouldNotRun);
    }
    for problem in problems.iter().take(SHOWN) {
        let text = text::trouble(None, problem, console.errors);
        console.error(&text);
    }
    if problems.len() > SHOWN {
        console.error(&format!("… and {} more", problems.len() - SHOWN));
    }
    Ok(Status::CouldNotRun)
}
