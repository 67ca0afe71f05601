//! What came of a check.

use crate::evidence::Evidence;
use crate::violation::Law;

/// What was tried, and what could not be decided or was left out.
///
/// A report is about a rule that was not found wrong: a violation is an error.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// Why the backward rule may be believed.
    pub evidence: Evidence,
    /// The seed of all points.
    pub seed: u64,
    /// How many points were tried.
    pub cases: usize,
    /// The laws that were tried, with their counts.
    pub laws: Vec<Tried>,
    /// The laws that were not tried, and why.
    pub skipped: Vec<Skipped>,
}

/// A law that was tried.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Tried {
    /// The law.
    pub law: Law,
    /// How many points it held at.
    pub held: usize,
    /// How many points could not be decided.
    pub undecided: usize,
    /// Why the last of those could not.
    pub why: Option<&'static str>,
}

/// A law that was not tried.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Skipped {
    /// The law.
    pub law: Law,
    /// Why it does not apply.
    pub why: &'static str,
}

impl Report {
    /// How many points a law held at.
    #[must_use]
    pub fn held(&self, law: &str) -> usize {
        self.laws.iter().find(|tried| tried.law.name == law).map_or(0, |tried| tried.held)
    }

    /// How many points of a law could not be decided.
    #[must_use]
    pub fn undecided(&self, law: &str) -> usize {
        self.laws.iter().find(|tried| tried.law.name == law).map_or(0, |tried| tried.undecided)
    }

    /// Why a law was not tried; nothing where it was.
    #[must_use]
    pub fn why_skipped(&self, law: &str) -> Option<&'static str> {
        self.skipped.iter().find(|skipped| skipped.law.name == law).map(|skipped| skipped.why)
    }

    /// How often a law held.
    #[must_use]
    pub fn checks(&self) -> usize {
        self.laws.iter().map(|tried| tried.held).sum()
    }

    /// Adds what came of further cases of the same check.
    pub(crate) fn add(&mut self, other: Report) {
        self.cases += other.cases;
        for tried in other.laws {
            match self.laws.iter_mut().find(|known| known.law == tried.law) {
                Some(known) => {
                    known.held += tried.held;
                    known.undecided += tried.undecided;
                    known.why = tried.why.or(known.why);
                }
                None => self.laws.push(tried),
            }
        }
        self.skipped.extend(other.skipped);
        let laws = &self.laws;
        self.skipped.retain(|skipped| laws.iter().all(|tried| tried.law != skipped.law));
        let mut seen = vec![];
        self.skipped.retain(|skipped| {
            !seen.contains(&skipped.law.name) && {
                seen.push(skipped.law.name);
                true
            }
        });
    }
}
