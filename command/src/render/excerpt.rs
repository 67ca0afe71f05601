//! A place in a source, underlined, with its message: miette's drawing over text that is safe to show.
//!
//! Lines that are too long to be read are cut around the place, so that a file of one line is no flood.

use std::fmt;
use std::ops::Range;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, Severity,
    SourceCode, SourceSpan, SpanContents,
};
use pullback_kernel::source::{Span, line_column};

use super::plain;
use crate::output::Look;
use crate::source::Source;

/// Bytes of a line that are shown, at most.
const LINE: usize = 200;
/// Bytes of a cut line that are shown before the place.
const BEFORE: usize = 60;

/// A message about places of a source.
pub(crate) struct Excerpt {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// The places, the main one first.
    pub(crate) labels: Vec<(Span, String)>,
    pub(crate) warning: bool,
}

/// As text, with a line end.
pub(crate) fn render(source: &Source, excerpt: &Excerpt, look: Look) -> String {
    let length = source.text.len();
    let spans: Vec<Range<usize>> = excerpt
        .labels
        .iter()
        .map(|(span, _)| {
            let start = floor(&source.text, (span.start as usize).min(length));
            start..floor(&source.text, (span.end as usize).clamp(start, length))
        })
        .collect();
    let (line, column) = line_column(&source.text, spans.first().map_or(0, |s| s.start));
    let (text, spans) = cut(&source.text, spans);
    let drawn = Drawn { excerpt, text: Named { text, name: plain(&source.file), line, column }, spans };
    let theme = match (look.terminal, look.color) {
        (true, true) => GraphicalTheme::unicode(),
        (true, false) => GraphicalTheme::unicode_nocolor(),
        (false, _) => GraphicalTheme::none(),
    };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(look.width).with_links(false);
    let mut out = String::new();
    if handler.render_report(&mut out, &drawn).is_err() {
        out = format!("  [{}] {} at {}:{line}:{column}\n", excerpt.code, excerpt.message, plain(&source.file));
    }
    // No spaces at the ends of lines.
    out.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// The character boundary at or before a byte.
fn floor(text: &str, mut byte: usize) -> usize {
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}

/// The text with its long lines cut around the first place on them, and where the places are then.
fn cut(text: &str, mut spans: Vec<Range<usize>>) -> (String, Vec<Range<usize>>) {
    if text.lines().all(|line| line.len() <= LINE) {
        return (text.to_owned(), spans);
    }
    let mut out = String::new();
    let mut start = 0;
    let mut moved = vec![0..0; spans.len()];
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end_matches('\n').len();
        let here = |byte: usize| (start..=end).contains(&byte);
        let (mut first, mut last) = (start, end);
        if end - start > LINE {
            let focus = spans.iter().map(|s| s.start).find(|s| here(*s)).unwrap_or(start);
            first = floor(text, focus.saturating_sub(BEFORE).max(start));
            last = floor(text, (first + LINE).min(end));
        }
        let before = if first > start { "…" } else { "" };
        let base = out.len() + before.len();
        let place = |byte: usize| base + byte.clamp(first, last) - first;
        for (span, moved) in spans.iter_mut().zip(&mut moved) {
            if here(span.start) {
                moved.start = place(span.start);
            }
            if here(span.end) {
                moved.end = place(span.end);
            }
        }
        out.push_str(before);
        out.push_str(&text[first..last]);
        out.push_str(if last < end { "…\n" } else { "\n" });
        start += line.len();
    }
    (out, moved)
}

/// Text that knows its name, and where its main place stands in the source that it came from.
#[derive(Debug)]
struct Named {
    text: String,
    name: String,
    line: usize,
    column: usize,
}

impl SourceCode for Named {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let found = self.text.read_span(span, before, after)?;
        // Without lines around it, it is the main place that is asked for: cut lines have their own columns.
        let (line, column) =
            if before == 0 && after == 0 { (self.line - 1, self.column - 1) } else { (found.line(), found.column()) };
        let named = MietteSpanContents::new_named(
            self.name.clone(),
            found.data(),
            *found.span(),
            line,
            column,
            found.line_count(),
        );
        Ok(Box::new(named))
    }
}

struct Drawn<'a> {
    excerpt: &'a Excerpt,
    text: Named,
    spans: Vec<Range<usize>>,
}

impl fmt::Debug for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.excerpt.message)
    }
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.excerpt.message)
    }
}

impl std::error::Error for Drawn<'_> {}

impl Diagnostic for Drawn<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.excerpt.code))
    }
    fn severity(&self) -> Option<Severity> {
        Some(if self.excerpt.warning { Severity::Warning } else { Severity::Error })
    }
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.excerpt.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.text)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let labels = self.excerpt.labels.iter().zip(&self.spans).enumerate();
        Some(Box::new(labels.map(|(k, ((_, text), span))| {
            let text = (!text.is_empty()).then(|| text.clone());
            let place = (span.start, span.end - span.start);
            if k == 0 {
                LabeledSpan::new_primary_with_span(text, place)
            } else {
                LabeledSpan::new_with_span(text, place)
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_places_of_any_text_can_be_drawn(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'x')], 0..700),
            places in proptest::collection::vec((0_u32..800, 0_u32..800), 0..4),
            terminal in any::<bool>(),
        ) {
            let source = Source::new("any".into(), bytes);
            let labels = places.into_iter().map(|(a, b)| (Span { start: a.min(b), end: a.max(b) }, "here".to_owned()));
            let excerpt =
                Excerpt { code: "E0000", message: "any".into(), help: None, labels: labels.collect(), warning: false };
            let text = render(&source, &excerpt, Look { terminal, color: false, width: 80 });
            prop_assert!(text.contains("any"));
        }
    }

    #[test]
    fn a_long_line_is_cut_around_its_place() {
        let line = format!("{}wrong{}", "a ".repeat(50_000), " b".repeat(50_000));
        let source = Source::new("long".into(), line.into_bytes());
        let labels = vec![(Span::new(100_000, 100_005), "here".to_owned())];
        let excerpt = Excerpt { code: "E0000", message: "it is".into(), help: None, labels, warning: false };
        let text = render(&source, &excerpt, Look { terminal: false, color: false, width: 120 });
        assert!(text.len() < 1000, "{text}");
        assert!(text.contains("[long:1:100001]"), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|l| l.contains("wrong")).unwrap_or_default();
        let column = |line: &str, what: &str| line.find(what).map(|byte| line[..byte].chars().count());
        assert_eq!(column(lines[at], "wrong"), column(lines[at + 1], "^^"), "{text}");
    }
}
