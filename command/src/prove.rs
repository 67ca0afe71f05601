//! `pullback prove`: every statement of the sources that are named, one after the other.
//!
//! Results are shown as they come. A problem with one source never keeps the others from being proved.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use pullback_kernel::Budget;
use pullback_kernel::statement::Statement;

use crate::arguments;
use crate::files;
use crate::output::{Closed, Console};
use crate::problem::Problem;
use crate::record::{Record, Verdict};
use crate::render::{self, Json, Show, Text};
use crate::source::{Origin, Source, name};
use crate::status::Status;
use crate::work::{self, Event};

/// What came of one source.
pub(crate) enum Finding {
    /// Something in it could not be parsed or tried.
    Problem(Problem),
    /// A statement and its verdict.
    Record(Box<Record>),
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &arguments::Prove, console: &mut Console) -> Result<Status, Closed> {
    let since = Instant::now();
    let mut show: Box<dyn Show> = if arguments.json { Box::new(Json) } else { Box::new(Text::default()) };
    let budget = arguments.within.budget();
    let mut status = Status::Holds;
    for origin in search(&arguments.paths, console) {
        let read = origin.and_then(|origin| origin.read());
        match read {
            Err(problem) => {
                status = status.max(Status::CouldNotRun);
                show.problem(console, None, &problem)?;
            }
            Ok(source) => {
                let source = Arc::new(source);
                source_of(&source, &budget, console, &mut |console, finding| match finding {
                    Finding::Problem(problem) => {
                        status = status.max(Status::CouldNotRun);
                        show.problem(console, Some(&source), &problem)
                    }
                    Finding::Record(record) => {
                        if record.outcome != Verdict::Proved {
                            status = status.max(Status::Fails);
                        }
                        show.record(console, &source, &record)
                    }
                })?;
            }
        }
        console.advance();
    }
    console.end();
    show.end(console, since.elapsed())?;
    Ok(status)
}

/// Finds the sources, and begins the progress over them.
fn search(paths: &[PathBuf], console: &mut Console) -> Vec<Result<Origin, Box<Problem>>> {
    console.begin(None);
    let found = files::find(paths, |folder| console.at(&format!("searching {}", render::plain(&name(folder)))));
    console.begin(Some(found.len()));
    found
}

/// Proves every statement of a source, and tells what came of each.
pub(crate) fn source_of(
    source: &Arc<Source>,
    budget: &Budget,
    console: &mut Console,
    tell: &mut dyn FnMut(&mut Console, Finding) -> Result<(), Closed>,
) -> Result<(), Closed> {
    console.at(&render::plain(&source.file));
    let bytes = Arc::clone(source);
    let loaded = work::run(|_| console.tick(), move |_| pullback_kernel::load_bytes(&bytes.bytes));
    let (statements, mut diagnostics) = match loaded {
        Ok(loaded) => loaded,
        Err(stopped) => {
            return tell(console, Finding::Problem(Problem::internal(&source.file, stopped.to_string())));
        }
    };
    // In the order of their places; that there are too many is said last.
    diagnostics.sort_by_key(|d| (d.code == "E0299", d.labels.first().map(|label| label.0)));
    for diagnostic in diagnostics {
        tell(console, Finding::Problem(Problem::syntax(source, diagnostic)))?;
    }
    for statement in statements {
        let finding = statement_of(source, Arc::new(statement), budget, console);
        tell(console, finding)?;
    }
    Ok(())
}

fn statement_of(source: &Arc<Source>, statement: Arc<Statement>, budget: &Budget, console: &mut Console) -> Finding {
    console.at(&format!("{} in {}", statement.name(), render::plain(&source.file)));
    let (theirs, of, budget) = (Arc::clone(source), Arc::clone(&statement), *budget);
    let watch = |event| match event {
        Event::Tick | Event::At(_) => console.tick(),
    };
    match work::run(watch, move |_| Record::of(&theirs, &of, &budget)) {
        Ok(record) => Finding::Record(Box::new(record)),
        Err(stopped) => {
            let what = format!("`{}`: {stopped}", statement.name());
            Finding::Problem(Problem::internal(&source.file, what))
        }
    }
}
