//! Results for people.
//!
//! A statement takes one line; one that fails shows its clause, and the point at which it is wrong.

use std::fmt::Write as _;
use std::time::Duration;

use super::excerpt::{self, Excerpt};
use super::{Show, plain};
use crate::output::{Closed, Console, Look};
use crate::problem::Problem;
use crate::record::{Evidence, Point, Record, Verdict};
use crate::source::Source;

/// Characters of one line of a counterexample, at most.
const LINE: usize = 1000;

/// Text for people, and the counts for the last line.
#[derive(Default)]
pub(crate) struct Text {
    proved: usize,
    refuted: usize,
    undecided: usize,
    problems: usize,
}

impl Show for Text {
    fn record(&mut self, console: &mut Console, source: &Source, record: &Record) -> Result<(), Closed> {
        *match record.outcome {
            Verdict::Proved => &mut self.proved,
            Verdict::Refuted => &mut self.refuted,
            Verdict::Undecided => &mut self.undecided,
        } += 1;
        let text = statement(source, record, console.results);
        console.result(&text)
    }

    fn problem(&mut self, console: &mut Console, source: Option<&Source>, problem: &Problem) -> Result<(), Closed> {
        self.problems += 1;
        let text = trouble(source, problem, console.errors);
        console.error(&text);
        Ok(())
    }

    fn end(&mut self, console: &mut Console, time: Duration) -> Result<(), Closed> {
        let Text { proved, refuted, undecided, problems } = self;
        if *proved + *refuted + *undecided == 0 {
            return Ok(());
        }
        let mut text = format!("{proved} proved, {refuted} refuted, {undecided} undecided");
        if *problems > 0 {
            let _ = write!(text, ", and {problems} {}", if *problems == 1 { "error" } else { "errors" });
        }
        let _ = write!(text, "; {:.1} s", time.as_secs_f64());
        console.result(&text)
    }
}

/// The colour of a verdict.
fn painted(verdict: Verdict, text: &str, look: Look) -> String {
    let code = match verdict {
        Verdict::Proved => "32",
        Verdict::Refuted => "1;31",
        Verdict::Undecided => "1;33",
    };
    if look.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

fn faint(text: &str, look: Look) -> String {
    if look.color { format!("\x1b[2m{text}\x1b[0m") } else { text.to_owned() }
}

/// A statement: a line, and more where there is more to say.
pub(crate) fn statement(source: &Source, record: &Record, look: Look) -> String {
    let domain = match record.domain.as_slice() {
        [] => "all inputs".to_owned(),
        conditions => format!("where {}", conditions.join(", ")),
    };
    let mut words = Vec::new();
    words.extend(record.evidence.as_ref().map(Evidence::words));
    if record.outcome == Verdict::Proved || !record.domain.is_empty() {
        words.push(domain);
    }
    if record.outcome == Verdict::Proved && record.rule == "derived" {
        words.push("rule derived".into());
    }
    let verdict = painted(record.outcome, &format!("{:<9}", record.outcome.word()), look);
    let place = faint(&format!("{}:{}", plain(&record.file), record.line), look);
    let named = format!("{} v{}", record.name, record.version);
    let time = format!("{:.1} ms", record.milliseconds);
    let mut text = format!("{verdict}  {named:<26} {time:>9}  {}", words.join("; "));
    if !words.is_empty() {
        text.push_str("  ");
    }
    text.push_str(&place);
    text.push('\n');
    if let Some(point) = record.evidence.as_ref().and_then(|e| e.differs_at.as_ref()) {
        let _ = writeln!(text, "           differs from the derivative at {}", point.words());
    }
    if let Some(point) = &record.counterexample {
        let (what, here) = match point.undefined {
            Some(_) => ("it has no value at a point of the domain", "no value at the point below"),
            None => ("it is not the adjoint of the derivative", "wrong at the point below"),
        };
        let excerpt = Excerpt {
            code: "E0301",
            message: format!("the backward rule of `{}` is refuted: {what}", record.name),
            help: None,
            labels: vec![(point.clause.span, here.into())],
            warning: false,
        };
        text.push_str(&excerpt::render(source, &excerpt, look));
        text.push_str("  counterexample\n");
        text.push_str(&indented(&point.shown, "    "));
        text.push('\n');
    }
    if let Some(undecided) = &record.undecided {
        let excerpt = Excerpt {
            code: "E0302",
            message: format!("the backward rule of `{}` was not proved: {}", record.name, undecided.reason),
            help: Some(undecided.help.into()),
            labels: vec![(undecided.clause.span, "not decided".into())],
            warning: true,
        };
        text.push_str(&excerpt::render(source, &excerpt, look));
        if let Some(rest) = &undecided.left_over {
            text.push_str("  left over of expected - claimed\n");
            text.push_str(&indented(rest, "    "));
        }
        text.push('\n');
    }
    text
}

/// Something that could not be read, parsed or tried.
pub(crate) fn trouble(source: Option<&Source>, problem: &Problem, look: Look) -> String {
    match source {
        Some(source) if !problem.labels.is_empty() => {
            let excerpt = Excerpt {
                code: problem.code,
                message: plain(&problem.message),
                help: problem.help.as_deref().map(plain),
                labels: problem.labels.iter().map(|l| (l.span, plain(&l.text))).collect(),
                warning: false,
            };
            excerpt::render(source, &excerpt, look) + "\n"
        }
        _ => {
            let error = if look.color { "\x1b[1;31merror\x1b[0m" } else { "error" };
            let place = match (problem.line, problem.column) {
                (Some(line), Some(column)) => format!("{}:{line}:{column}", plain(&problem.file)),
                _ => plain(&problem.file),
            };
            // What the kernel shows of a point takes lines of its own.
            let mut lines = problem.message.lines();
            let first = plain(lines.next().unwrap_or_default());
            let mut text = format!("{error}: [{}] {place}: {first}\n", problem.code);
            text.push_str(&indented(&lines.collect::<Vec<_>>().join("\n"), "    "));
            if let Some(help) = &problem.help {
                let _ = writeln!(text, "  help: {}", plain(help));
            }
            text
        }
    }
}

/// What is to be known about a result, with a line end.
pub(crate) fn note(text: &str, look: Look) -> String {
    let word = if look.color { "\x1b[1;33mnote\x1b[0m" } else { "note" };
    format!("{word}: {}\n", plain(text))
}

/// Lines with something before each, none too long.
fn indented(text: &str, before: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let line = plain(line);
        let cut: String = line.chars().take(LINE).collect();
        let dots = if cut.len() < line.len() { "…" } else { "" };
        let _ = writeln!(out, "{before}{cut}{dots}");
    }
    out
}

impl Evidence {
    /// In a few words.
    fn words(&self) -> String {
        match &self.text {
            None => self.kind.to_owned(),
            Some(text) if matches!(self.kind, "surrogate" | "unproved") => format!("{} \"{}\"", self.kind, plain(text)),
            Some(text) => format!("{} {}", self.kind, plain(text)),
        }
    }
}

impl Point {
    /// On one line.
    fn words(&self) -> String {
        let value = |text: &Option<String>| text.clone().unwrap_or_else(|| "no value".into());
        let place = self.place().unwrap_or_else(|| "a point".into());
        let numbers: Vec<String> =
            self.shown.lines().filter_map(|l| l.strip_prefix("input      ")).map(plain).collect();
        let mut text = format!("{place} = {}, where the rule gives {}", value(&self.expected), value(&self.claimed));
        if !numbers.is_empty() {
            let _ = write!(text, " ({})", numbers.join(", "));
        }
        text.chars().take(LINE).collect()
    }
}
