//! The codes of the front end, and how its messages are put together.
//!
//! A message is one sentence about the user's own names, each label says what stands at its place,
//! and the help says what would be right. Nothing here prints, and nothing here panics.
//!
//! | code | what is wrong |
//! | --- | --- |
//! | `E0200` | the source is not UTF-8 |
//! | `E0201` | a character that the language does not have |
//! | `E0202` | a string that does not end, or an unknown escape in one |
//! | `E0203` | a malformed number |
//! | `E0204` | a name that is too long |
//! | `E0210` … `E0219` | a [limit](crate::limits) is passed |
//! | `E0220` | something else was expected here |
//! | `E0221` | not an item (often a misspelt keyword) |
//! | `E0222` | an unknown function |
//! | `E0223` | a condition that is not of the form `expr > 0` |
//! | `E0224` | a reserved word used as a name |
//! | `E0225` | text before the first `contract` |
//! | `E0226` | an unknown label after `declares` |
//! | `E0227` | no statement in the source |
//! | `E0228` | an integer was expected, or it does not fit |
//! | `E0240` | a name declared twice |
//! | `E0241` | an unknown name |
//! | `E0242` | an unknown dimension |
//! | `E0243` | an unknown index map |
//! | `E0244` | an unknown index variable |
//! | `E0245` | a name that is the cotangent of another |
//! | `E0246` | an index variable bound twice, or bound again in its own scope |
//! | `E0247` | a dimension that nothing uses |
//! | `E0250` | a wrong number of indices |
//! | `E0251` | a clash of dimensions |
//! | `E0252` | a pack where one axis stands, or the reverse |
//! | `E0253` | an index variable whose dimension nothing tells |
//! | `E0254` | a wrong number of arguments of a map |
//! | `E0255` | a name of one kind used as another (a dimension as a value, a map as a value) |
//! | `E0256` | a map on the left side that does not cover |
//! | `E0257` | clauses that leave a part of the tensor undefined |
//! | `E0258` | clauses that define a part of the tensor twice |
//! | `E0259` | clauses of one tensor that disagree about its axes |
//! | `E0260` | an impossible split |
//! | `E0261` | no output |
//! | `E0262` | a rule that leaves out the cotangent of an input |
//! | `E0263` | a rule that reads what was not saved |
//! | `E0264` | `saves` of what cannot be saved |
//! | `E0265` | a forward item after the rule has begun |
//! | `E0266` | a nonsmooth construct without `declares` |
//! | `E0267` | a value read before it is defined |
//! | `E0268` | a domain that depends on an output or on an `any` value |
//! | `E0269` | a cotangent read outside the rule |
//! | `E0270` | a rule that reads what it defines |
//! | `E0271` | a clause that defines neither a cotangent of an input nor an output |
//! | `E0272` | a statement given twice |
//! | `E0299` | too many errors; the rest is not shown |

use crate::limits;
use crate::source::{Diagnostic, Span};

impl Diagnostic {
    /// A message with its main place.
    pub(crate) fn new(code: &'static str, message: impl Into<String>, span: Span, words: impl Into<String>) -> Self {
        Diagnostic { code, message: message.into(), labels: vec![(span, words.into())], help: None }
    }
    /// One more place.
    pub(crate) fn and(mut self, span: Span, words: impl Into<String>) -> Self {
        self.labels.push((span, words.into()));
        self
    }
    /// What would be right.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
    /// `did you mean …`, if a candidate is near.
    pub(crate) fn or_help(self, suggestion: Option<String>, help: impl Into<String>) -> Self {
        match suggestion {
            Some(name) => self.with_help(format!("did you mean `{name}`?")),
            None => self.with_help(help),
        }
    }
}

/// Collects diagnostics up to [`limits::DIAGNOSTICS`].
#[derive(Default)]
pub(crate) struct Sink {
    list: Vec<Diagnostic>,
}

impl Sink {
    /// Adds one, or notes that there are too many.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let span = diagnostic.labels.first().map_or(Span::default(), |l| l.0);
        if self.list.len() < limits::DIAGNOSTICS {
            self.list.push(diagnostic);
        } else if self.list.len() == limits::DIAGNOSTICS {
            self.list.push(Diagnostic::new(
                "E0299",
                format!("more than {} errors; the rest is not shown", limits::DIAGNOSTICS),
                span,
                "errors from here on are not shown",
            ));
        }
    }
    /// Whether no more is taken.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() > limits::DIAGNOSTICS
    }
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
    /// What was collected.
    pub(crate) fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }
}

/// The candidate nearest to a misspelt name, if one is near.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let limit = (name.len() / 3).clamp(1, 3);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate == name || (name.len() == 1 && candidate.len() > 2) {
            continue;
        }
        if let Some(distance) = distance(name.as_bytes(), candidate.as_bytes(), limit) {
            // A single letter is as near to any other: nothing was misspelt.
            let meant = distance < name.len().max(candidate.len());
            if meant && best.is_none_or(|(d, c)| (distance, candidate) < (d, c)) {
                best = Some((distance, candidate));
            }
        }
    }
    best.map(|(_, c)| c.to_owned())
}

/// Optimal string alignment: insertions, deletions, replacements and swaps of neighbours.
fn distance(a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = usize::from(!a[i - 1].eq_ignore_ascii_case(&b[j - 1]));
            let mut cost = (last[j - 1] + same).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(before[j - 2] + 1);
            }
            row.push(cost);
        }
        if row.iter().all(|cost| *cost > limit) {
            return None;
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|cost| *cost <= limit)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn nearest_is_near() {
        assert_eq!(nearest("otuput", ["input", "output"]).as_deref(), Some("output"));
        assert_eq!(nearest("expp", ["exp", "log"]).as_deref(), Some("exp"));
        assert_eq!(nearest("weight", ["x", "y"]), None);
        assert_eq!(nearest("z", ["x", "y"]), None);
    }
}
