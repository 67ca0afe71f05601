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
/// A checker takes `case.rule.forward` with `case.rule.right`, which must pass unless the rule is declared, and with
/// `case.rule.wrong.start()`, which must break `case.law` if there is one; the recorded inputs and cotangents are
/// `record.inputs(&case.rule)` and `record.cotangents(&case.rule)`.
/// Until one is connected here, no function counts as judged: the gradients and the statements speak for a case.
pub fn judge(_case: &Case, _record: &Record) -> Judged {
    Judged::Unjudged
}
