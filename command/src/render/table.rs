//! The suites of `verify` as a table, and what does not hold below it.

use std::fmt::Write as _;

use super::{plain, score, text};
use crate::output::Look;
use crate::verify::report::Report;
use crate::verify::suites::{Failure, Finished, Measure};

/// Failures of a suite that are shown; the report has them all.
const SHOWN: usize = 20;

/// The table, with a line end.
pub(crate) fn report(report: &Report, look: Look) -> String {
    let mut out = String::new();
    let suites = &report.suites;
    let width = suites.iter().map(|s| s.name.len()).max().unwrap_or(0).max("suite".len());
    let counted: Vec<String> = suites.iter().map(counts).collect();
    let wide = counted.iter().map(String::len).max().unwrap_or(0).max("counts".len());
    let _ = writeln!(out, "{:<width$}  {:<6}  {:<wide$}  {:>9}", "suite", "result", "counts", "time");
    for (suite, counts) in suites.iter().zip(&counted) {
        let (word, code) = if suite.holds { ("holds", "32") } else { ("FAILS", "1;31") };
        let word = format!("{word:<6}");
        let word = if look.color { format!("\x1b[{code}m{word}\x1b[0m") } else { word };
        let time = format!("{:.2} s", suite.milliseconds / 1000.0);
        let _ = writeln!(out, "{:<width$}  {word}  {counts:<wide$}  {time:>9}", suite.name);
        for Measure { name, largest, bound } in &suite.measures {
            let bound = bound.map(|bound| format!(", at most {bound:.1e}")).unwrap_or_default();
            let _ = writeln!(out, "{:<width$}  {:<6}  {name} {largest:.2e}{bound}", "", "");
        }
    }
    for suite in suites.iter().filter(|s| s.name == score::SUITE) {
        let _ = write!(out, "\n{}", score::table(&suite.results));
    }
    for suite in suites.iter().filter(|s| !s.holds) {
        let _ = writeln!(out, "\n{}: it is not so that {}", suite.name, suite.about);
        for failure in suite.failures.iter().take(SHOWN) {
            out.push_str(&one(failure, look));
        }
        if suite.failures.len() > SHOWN {
            let _ = writeln!(out, "… and {} more, which the report has", suite.failures.len() - SHOWN);
        }
    }
    let Report { library, compiler, target, seed, scale, .. } = report;
    let total = report.milliseconds / 1000.0;
    let _ = writeln!(out, "\npullback {library}, {compiler}, {target}; seed {seed}, scale {scale}; {total:.2} s");
    let _ = writeln!(out, "{}", if report.holds { "everything holds" } else { "NOT everything holds" });
    out
}

fn counts(suite: &Finished) -> String {
    // What never happened and should not is no news.
    let news = |name: &str, n: usize| n > 0 || !matches!(name, "refuted" | "undecided" | "errors");
    let parts: Vec<String> =
        suite.counts.iter().filter(|(name, n)| news(name, *n)).map(|(name, n)| format!("{n} {name}")).collect();
    parts.join(", ")
}

fn one(failure: &Failure, look: Look) -> String {
    match failure {
        Failure::Statement { source, record } => text::statement(source, record, look),
        Failure::Problem { source, problem } => text::trouble(Some(source), problem, look),
        Failure::Law { message, .. } => {
            let lines: Vec<String> = message.lines().map(plain).collect();
            format!("{}\n", lines.join("\n"))
        }
        Failure::Internal { error } => format!("could not run: {}\n", plain(error)),
    }
}
