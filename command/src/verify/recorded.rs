//! The counts that are recorded of the suites of the command: what a run must reach, exactly.
//!
//! A suite that tries less than it did would hold as well, so that a lost contract, law or kind of layer must be a failure.
//! Whoever adds one changes the number here, and nowhere else; the suites of the crate of evidence have theirs beside them.
//! This module must never take a count from what was found.

use super::suites::{Failure, SuiteResult};

/// What a count must be.
#[derive(Clone, Copy, Debug)]
enum Times {
    /// This, whatever the scale.
    Once(usize),
    /// This, times the scale.
    Scale(usize),
    /// At least this, times the scale: what is drawn decides how much it is.
    Least(usize),
}

use Times::{Least, Once, Scale};

#[rustfmt::skip]
const RECORDED: &[(&str, &str, Times)] = &[
    ("contracts",     "statements",       Once(146)),
    ("contracts",     "proved",           Once(146)),
    ("contracts",     "declared",         Once(20)),
    ("laws",          "operations",       Once(146)),
    ("laws",          "instances",        Once(307)),
    ("laws",          "laws",             Once(25)),
    ("laws",          "checks",           Least(40_000)),
    ("programs",      "agree in doubles", Scale(384)),
    ("programs",      "executables",      Scale(384)),
    ("lowerings",     "lowerings",        Once(71)),
    ("lowerings",     "proved",           Once(71)),
    ("architectures", "agree",            Scale(264)),
    ("architectures", "agree exactly",    Least(30)),
    ("architectures", "in the core",      Least(90)),
    ("architectures", "kinds of layers",  Once(22)),
];

/// Holds what a suite counted to what is recorded of it.
pub(crate) fn hold(suite: &str, scale: usize, result: &mut SuiteResult) {
    for (_, count, times) in RECORDED.iter().filter(|(of, ..)| *of == suite) {
        let expected = match times {
            Once(number) => *number,
            Scale(number) | Least(number) => number.saturating_mul(scale),
        };
        result.recorded.push((count, expected));
        let found = result.counts.iter().find(|(name, _)| name == count).map_or(0, |(_, found)| *found);
        let least = if matches!(times, Least(_)) { "at least " } else { "" };
        if found < expected || (found > expected && least.is_empty()) {
            let message = format!(
                "{found} {count}, where {least}{expected} are recorded: whoever adds or removes one on purpose changes the number in {}",
                file!()
            );
            result.failures.push(Failure::Law { name: (*count).to_owned(), message });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::suites::{Run, SUITES};
    use super::*;

    fn counted(counts: &[(&'static str, usize)]) -> SuiteResult {
        SuiteResult { counts: counts.to_vec(), ..SuiteResult::default() }
    }

    #[test]
    fn a_count_that_shrank_or_is_gone_is_a_failure() {
        let messages = |result: &SuiteResult| -> Vec<String> {
            let message = |failure: &Failure| match failure {
                Failure::Law { name, message } => format!("{name}: {message}"),
                _ => String::new(),
            };
            result.failures.iter().map(message).collect()
        };
        let mut whole = counted(&[("lowerings", 71), ("proved", 71), ("refuted", 0)]);
        hold("lowerings", 5, &mut whole);
        assert_eq!((messages(&whole), whole.recorded), (vec![], vec![("lowerings", 71), ("proved", 71)]));
        let mut shrunk = counted(&[("lowerings", 70)]);
        hold("lowerings", 1, &mut shrunk);
        let found = messages(&shrunk);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("lowerings: 70 lowerings, where 71 are recorded"), "{found:?}");
        assert!(found[0].ends_with("recorded.rs"), "{found:?}");
        assert!(found[1].starts_with("proved: 0 proved, where 71 are recorded"), "{found:?}");
    }

    #[test]
    fn draws_are_counted_times_the_scale() {
        let mut result =
            counted(&[("agree", 528), ("agree exactly", 70), ("in the core", 200), ("kinds of layers", 22)]);
        hold("architectures", 2, &mut result);
        assert!(result.failures.is_empty(), "{:?}", result.recorded);
        hold("architectures", 3, &mut result);
        // What is drawn may be more than what is recorded, and never less.
        assert_eq!(result.failures.len(), 3);
    }

    #[test]
    fn every_suite_of_the_command_has_recorded_counts_and_every_row_a_suite() {
        for suite in SUITES.iter().filter(|suite| matches!(suite.run, Run::Here(_))) {
            assert!(RECORDED.iter().any(|(of, ..)| *of == suite.name), "{}", suite.name);
        }
        for (of, ..) in RECORDED {
            assert!(SUITES.iter().any(|suite| suite.name == *of), "{of}");
        }
    }
}
