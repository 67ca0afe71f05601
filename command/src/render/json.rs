//! Results for machines: one JSON object a line, problems among them.

use std::time::Duration;

use serde::Serialize;

use super::Show;
use crate::output::{Closed, Console};
use crate::problem::Problem;
use crate::record::Record;
use crate::source::Source;

/// One JSON object a line.
pub(crate) struct Json;

/// One object on one line.
pub(crate) fn line(console: &mut Console, value: &impl Serialize) -> Result<(), Closed> {
    let text = serde_json::to_string(value).map_err(std::io::Error::other)?;
    console.result(&text)
}

impl Show for Json {
    fn record(&mut self, console: &mut Console, _: &Source, record: &Record) -> Result<(), Closed> {
        line(console, record)
    }
    fn problem(&mut self, console: &mut Console, _: Option<&Source>, problem: &Problem) -> Result<(), Closed> {
        line(console, problem)
    }
    fn end(&mut self, _: &mut Console, _: Duration) -> Result<(), Closed> {
        Ok(())
    }
}
