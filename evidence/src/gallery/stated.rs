//! The statements of a case, and the kernel's verdict on them.
//!
//! A file holds two statements, `right` and `wrong`, below a note: `name = values` lines with a point, and what becomes of
//! the wrong rule.

use pullback_kernel::source::Diagnostic;
use pullback_kernel::statement::Statement;
use pullback_kernel::{Outcome, load, prove};

/// The two statements of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    source: &'static str,
    /// The lines `name = values` of the note.
    pub rows: Vec<(&'static str, Vec<&'static str>)>,
    /// What becomes of the wrong rule: `refuted`, `proved`, `a shape error`, or `undecided: ` and the reason.
    pub outcome: &'static str,
}

/// What was read of one of them.
pub type Loaded = (Vec<Statement>, Vec<Diagnostic>);

impl Stated {
    /// Reads a file.
    pub fn new(source: &'static str) -> Stated {
        let mut stated = Stated { source, rows: Vec::new(), outcome: "" };
        for line in source.lines().map_while(|line| line.strip_prefix("//")) {
            let Some(line) = line.strip_prefix("   ") else { continue };
            if let Some(outcome) = line.strip_prefix("the wrong rule is ") {
                stated.outcome = outcome;
            } else if let Some((name, values)) = line.split_once(" = ") {
                stated.rows.push((name, values.split_whitespace().collect()));
            }
        }
        stated
    }

    fn halves(&self) -> (&'static str, &'static str) {
        self.source.split_at(self.source.find("contract wrong").unwrap_or(self.source.len()))
    }

    /// The statement with the right rule.
    pub fn right(&self) -> Loaded {
        load(self.halves().0)
    }

    /// The statement with the shipped rule.
    pub fn wrong(&self) -> Loaded {
        load(self.halves().1)
    }

    /// Whether the kernel proves the right rule, and says of the other what it should.
    ///
    /// # Errors
    ///
    /// What it says instead.
    pub fn judge(&self) -> Result<(), String> {
        let right = match self.right() {
            (statements, errors) if errors.is_empty() && statements.len() == 1 => verdict(&statements[0]),
            (_, errors) => format!("not read: {errors:?}"),
        };
        if right != "proved" {
            return Err(format!("the right statement is {right}"));
        }
        let wrong = match self.wrong() {
            (statements, errors) if errors.is_empty() && statements.len() == 1 => verdict(&statements[0]),
            (statements, _) if statements.is_empty() => "a shape error".to_owned(),
            (_, errors) => format!("not read: {errors:?}"),
        };
        // An undecided one has a reason, of which the file says the beginning.
        let begins = self.outcome.starts_with("undecided: ") && wrong.starts_with(self.outcome);
        if wrong == self.outcome || begins || (self.outcome == "refuted" && wrong.starts_with("refuted")) {
            return Ok(());
        }
        Err(format!("the wrong statement is {wrong}, not {}", self.outcome))
    }
}

fn verdict(statement: &Statement) -> String {
    match prove(statement) {
        Outcome::Proved(_) => "proved".to_owned(),
        Outcome::Refuted(found) => format!("refuted\n{found}"),
        Outcome::Undecided(difference) => format!("undecided: {difference}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLDS: &str = "//   the wrong rule is refuted\n\n\
                         contract right version 1\ninput x\noutput y = 2 * x\ndx = 2 * dy\n\n\
                         contract wrong version 1\ninput x\noutput y = 2 * x\ndx = 3 * dy\n";

    #[test]
    fn another_verdict_is_seen() {
        assert_eq!(Stated::new(HOLDS).judge(), Ok(()));
        let swapped: &'static str = "//   the wrong rule is refuted\n\n\
                                     contract right version 1\ninput x\noutput y = 2 * x\ndx = 3 * dy\n\n\
                                     contract wrong version 1\ninput x\noutput y = 2 * x\ndx = 2 * dy\n";
        assert!(
            Stated::new(swapped).judge().is_err_and(|message| message.starts_with("the right statement is refuted"))
        );
        let right: &'static str = "//   the wrong rule is refuted\n\n\
                                   contract right version 1\ninput x\noutput y = 2 * x\ndx = 2 * dy\n\n\
                                   contract wrong version 1\ninput x\noutput y = 2 * x\ndx = 2 * dy\n";
        let found = Stated::new(right).judge();
        assert_eq!(found, Err("the wrong statement is proved, not refuted".to_owned()));
    }
}
