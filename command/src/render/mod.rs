//! Results for people and for machines.
//!
//! | module | what it shows |
//! | --- | --- |
//! | [`json`] | one object a line |
//! | [`text`] | a line a statement, with the clause and the counterexample where it fails |
//! | [`table`] | the suites of `verify` |
//! | [`score`] | the cases of the gallery |
//! | [`program`] | what `check` says of a program |
//! | [`excerpt`] | a place in a source, underlined |
//!
//! Nothing here runs anything or changes a verdict. Text from outside never reaches a terminal as it is.

pub(crate) mod excerpt;
mod json;
pub(crate) mod program;
mod score;
pub(crate) mod table;
pub(crate) mod text;

use std::time::Duration;

pub(crate) use crate::source::printable as plain;
pub(crate) use json::{Json, line};
pub(crate) use text::Text;

use crate::output::{Closed, Console};
use crate::problem::Problem;
use crate::record::Record;
use crate::source::Source;

/// A way to show the results of `prove`.
pub(crate) trait Show {
    /// What became of a statement.
    fn record(&mut self, console: &mut Console, source: &Source, record: &Record) -> Result<(), Closed>;
    /// What could not be read, parsed or tried; the source, if it was read.
    fn problem(&mut self, console: &mut Console, source: Option<&Source>, problem: &Problem) -> Result<(), Closed>;
    /// All is shown.
    fn end(&mut self, console: &mut Console, time: Duration) -> Result<(), Closed>;
}
