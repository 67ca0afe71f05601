//! What the laws say of the functions of a case: the one place where a checker of laws is connected.

use serde::Serialize;

use super::Case;
use super::record::Record;

/// What the laws made of a case.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judged {
    /// The right rule passes and the shipped one breaks the law that it should.
    Caught,
    /// An accepted case: the right rule passes.
    Passed,
    /// Something else, in words.
    Missed(String),
    /// No checker of laws is connected.
    Unjudged,
}

/// Lets the laws judge a case.
///
/// Until a checker is connected here, no function counts as judged: the gradients and the statements speak for a case.
pub fn judge(_case: &Case, _record: &Record) -> Judged {
    Judged::Unjudged
}
