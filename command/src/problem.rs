//! What could not be read, parsed or tried. Every problem ends in exit code 2, but for `E0508`, which is a verdict and ends in 1.
//!
//! | code | kind (`error` in JSON) | what is wrong |
//! | --- | --- | --- |
//! | `E02xx` | `syntax` | what the kernel's front end says about the text; see `pullback_kernel::diagnostics` |
//! | `E0210` | `syntax` | a source that is too large |
//! | `E0401` | `unreadable` | a file or folder could not be read |
//! | `E0402` | `empty` | a folder that holds no contract file |
//! | `E0403` | `unreadable` | a folder with too much in it |
//! | `E0404` | `internal` | the kernel failed where it must not |
//! | `E0501` | `json` | a program or arrays that are no JSON, or JSON of another form |
//! | `E0502` | `program` | a program that is not well-formed: one problem a fault |
//! | `E0503` | `arrays` | arrays that are not those of the program |
//! | `E0504` | `evaluation` | a point outside of the domain, or a value that the numbers can't say |
//! | `E0505` | `transform` | a program that has no such transformed program |
//! | `E0506` | `picture` | a program that is not drawn |
//! | `E0507` | `unwritable` | a result that no file can hold, or a file that can't be written |
//! | `E0508` | `architecture` | an architecture that does not fit together, or has no such program |

use pullback_kernel::source::{Diagnostic, Span, line_column};
use schemars::JsonSchema;
use serde::Serialize;

use crate::source::Source;

/// Something that could not be read, parsed or tried.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Problem {
    /// The kind.
    pub(crate) error: &'static str,
    /// The file or folder, as shown.
    pub(crate) file: String,
    /// The line of the main place, from 1.
    pub(crate) line: Option<usize>,
    /// Its column in characters, from 1.
    pub(crate) column: Option<usize>,
    /// A stable code.
    pub(crate) code: &'static str,
    /// One sentence.
    pub(crate) message: String,
    /// What would be right.
    pub(crate) help: Option<String>,
    /// The places, the main one first.
    pub(crate) labels: Vec<Label>,
}

/// What is wrong with a program or its arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProgramProblem {
    Json,
    Program,
    Arrays,
    Evaluation,
    Transform,
    Picture,
    Unwritable,
    Architecture,
}

/// A place and a few words about it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Label {
    #[serde(skip)]
    pub(crate) span: Span,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) text: String,
}

impl Problem {
    fn about(error: &'static str, code: &'static str, file: &str, message: String) -> Problem {
        Problem { error, file: file.into(), line: None, column: None, code, message, help: None, labels: Vec::new() }
    }

    /// A file or folder could not be read.
    pub(crate) fn unreadable(file: &str, why: &std::io::Error) -> Problem {
        Problem::about("unreadable", "E0401", file, format!("could not be read: {why}"))
    }

    /// Something that looks like a contract file by its name, and is none.
    pub(crate) fn not_a_file(file: &str) -> Problem {
        let mut problem = Problem::about("unreadable", "E0401", file, "is not a regular file".into());
        problem.help = Some("name it on the command line if it is to be read".into());
        problem
    }

    /// A folder without contract files.
    pub(crate) fn empty(folder: &str) -> Problem {
        let mut problem = Problem::about("empty", "E0402", folder, "holds no .contract file".into());
        problem.help = Some("statements are looked for in files whose names end in .contract".into());
        problem
    }

    /// A folder with too much in it.
    pub(crate) fn too_many(folder: &str, limit: usize) -> Problem {
        let message = format!("holds more than {limit} files and folders; the rest was not searched");
        let mut problem = Problem::about("unreadable", "E0403", folder, message);
        problem.help = Some("name the folders that hold contracts".into());
        problem
    }

    /// A source that is too large.
    pub(crate) fn too_large(file: &str, limit: usize) -> Problem {
        let mut problem = Problem::about("syntax", "E0210", file, format!("a source of more than {limit} bytes"));
        (problem.line, problem.column) = (Some(1), Some(1));
        problem.help = Some("split it into several files".into());
        problem
    }

    /// A problem with a program or its arrays, of the kind and code of the table.
    pub(crate) fn of_program(kind: ProgramProblem, file: &str, message: String) -> Problem {
        let (error, code) = match kind {
            ProgramProblem::Json => ("json", "E0501"),
            ProgramProblem::Program => ("program", "E0502"),
            ProgramProblem::Arrays => ("arrays", "E0503"),
            ProgramProblem::Evaluation => ("evaluation", "E0504"),
            ProgramProblem::Transform => ("transform", "E0505"),
            ProgramProblem::Picture => ("picture", "E0506"),
            ProgramProblem::Unwritable => ("unwritable", "E0507"),
            ProgramProblem::Architecture => ("architecture", "E0508"),
        };
        Problem::about(error, code, file, message)
    }

    /// The same, at a place of its file.
    pub(crate) fn at(mut self, line: usize, column: usize) -> Problem {
        (self.line, self.column) = (Some(line), Some(column));
        self
    }

    /// The same, with what would be right.
    pub(crate) fn with_help(mut self, help: &str) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// The kernel failed.
    pub(crate) fn internal(file: &str, what: String) -> Problem {
        let mut problem = Problem::about("internal", "E0404", file, what);
        problem.help = Some("please report this, with the file".into());
        problem
    }

    /// What the front end says.
    pub(crate) fn syntax(source: &Source, diagnostic: Diagnostic) -> Problem {
        let mut problem = Problem::about("syntax", diagnostic.code, &source.file, diagnostic.message);
        problem.help = diagnostic.help;
        problem.labels = diagnostic
            .labels
            .into_iter()
            .map(|(span, text)| {
                let (line, column) = line_column(&source.text, span.start as usize);
                Label { span, line, column, text }
            })
            .collect();
        if let Some(first) = problem.labels.first() {
            (problem.line, problem.column) = (Some(first.line), Some(first.column));
        }
        problem
    }
}
