//! `pullback verify`: all evidence that the library has, in one report.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`suites`] | the table of suites; a new one is a row there |
//! | [`contracts`], [`laws`], [`programs`], [`lowerings`], [`architectures`] | a suite each |
//! | [`recorded`] | the counts that these must reach |
//! | [`evidence`] | the suites of the crate of evidence |
//! | [`report`] | the report |
//!
//! The report is written before anything is printed, so that a reader that goes away doesn't cost it.

mod architectures;
mod contracts;
mod evidence;
mod laws;
mod lowerings;
mod programs;
mod recorded;
pub(crate) mod report;
pub(crate) mod suites;

use std::time::Instant;

use crate::arguments;
use crate::output::{Closed, Console};
use crate::record::milliseconds;
use crate::render::table;
use crate::status::Status;
use crate::target::Target;
pub(crate) use evidence::work;
use report::Report;
use suites::{Context, SUITES};

/// Runs the subcommand.
pub(crate) fn run(arguments: &arguments::Verify, console: &mut Console) -> Result<Status, Closed> {
    // Better now than after all the work.
    let file = Some(&arguments.output).filter(|path| path.as_os_str() != "-");
    let target = match file.map(|file| Target::new(file).and_then(Target::beside_results)).transpose() {
        Ok(target) => target,
        Err(error) => {
            console.error(&format!("error: the report can't be written: {error}"));
            return Ok(Status::CouldNotRun);
        }
    };
    let wanted = |name: &str| arguments.suites.is_empty() || arguments.suites.iter().any(|suite| suite == name);
    let since = Instant::now();
    let mut finished = Vec::new();
    let (seed, scale) = (arguments.seed, arguments.scale);
    for suite in SUITES.iter().filter(|suite| wanted(suite.name)) {
        finished.push(suite.run(&mut Context { seed, scale, console }));
    }
    let report = Report::new(seed, scale, finished, milliseconds(since.elapsed()));
    let text = report.text();
    let Some(target) = target else {
        // Nothing else: it is for another program to read.
        console.result(&String::from_utf8_lossy(&text?))?;
        return Ok(report.status());
    };
    let written = text.and_then(|text| target.write(&text));
    if let Err(error) = &written {
        console.error(&format!("error: the report was not written: {error}"));
    }
    let status = report.status().max(if written.is_ok() { Status::Holds } else { Status::CouldNotRun });
    if arguments.json {
        console.result(&serde_json::to_string(&report).map_err(std::io::Error::other)?)?;
    } else {
        console.result(&table::report(&report, console.results))?;
        if written.is_ok() {
            console.result(&format!("report: {}", target.name()))?;
        }
    }
    Ok(status)
}
