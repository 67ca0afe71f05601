//! Why there is no document.

use std::io;

use super::VERSION;
use crate::program::Faults;

/// Why a text is no program, no architecture or no arrays, or one of them can't be written.
///
/// | kind | who returns it |
/// | --- | --- |
/// | `Io` | the stream |
/// | `Syntax` | the parser: it is no JSON |
/// | `Form` | the form: it is JSON, and says something else than it may |
/// | `Version` | the form: it is of a later library |
/// | `Program` | [`Draft::verify`](crate::Draft::verify) |
/// | `Unwritable` | the writer: the document could not be read again |
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JsonError {
    /// The stream could not be read or written.
    #[error("{message}")]
    Io {
        /// The kind of the stream's error.
        kind: io::ErrorKind,
        /// Its words.
        message: String,
    },
    /// The text is no JSON.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// The text is JSON of another form: an unknown field, a missing one, one that comes twice, a value of another type.
    #[error("line {line}, column {column}: {message}")]
    Form {
        /// The line, from 1, at which reading stopped.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// The document has another version.
    #[error("line {line}, column {column}: version {found} is not known; this library reads version {VERSION}")]
    Version {
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
        /// The version that is named.
        found: String,
    },
    /// The document is well-formed, and the program in it is wrong.
    #[error(transparent)]
    Program(#[from] Faults),
    /// The program holds something that no document may.
    #[error("it can't be written as JSON: {0}")]
    Unwritable(String),
}

/// The beginning of a message, which may quote the text at length.
fn brief(message: &str) -> String {
    const SHOWN: usize = 400;
    let mut cut: String = message.chars().take(SHOWN).collect();
    if cut.len() < message.len() {
        cut.push('…');
    }
    cut
}

impl From<io::Error> for JsonError {
    fn from(error: io::Error) -> JsonError {
        JsonError::Io { kind: error.kind(), message: error.to_string() }
    }
}

impl JsonError {
    /// What reading stopped at.
    pub(super) fn reading(error: &serde_json::Error) -> JsonError {
        let (line, column) = (error.line(), error.column());
        // The place is said apart.
        let words = error.to_string();
        let message = brief(words.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&words));
        // The parser counts what it has read: at the beginning of a line, nothing yet.
        let column = column.max(1);
        match error.classify() {
            serde_json::error::Category::Io => {
                JsonError::Io { kind: error.io_error_kind().unwrap_or(io::ErrorKind::Other), message }
            }
            serde_json::error::Category::Data => JsonError::Form { line, column, message },
            serde_json::error::Category::Syntax | serde_json::error::Category::Eof => {
                JsonError::Syntax { line, column, message }
            }
        }
    }

    /// What writing stopped at.
    pub(super) fn writing(error: &serde_json::Error) -> JsonError {
        match error.io_error_kind() {
            Some(kind) => JsonError::Io { kind, message: error.to_string() },
            None => JsonError::Unwritable(error.to_string()),
        }
    }
}
