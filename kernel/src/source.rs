//! Places in a source text, and the diagnostics that point at them.
//!
//! A diagnostic names its place and says what would be right; it never prints itself.

use std::fmt;

/// A half-open range of bytes in the source text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { start: clamp(start), end: clamp(end) }
    }
    /// The smallest range that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
    /// As a range for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A name and where it was written. Equality looks at the text only.
#[derive(Clone, Debug)]
pub struct Name {
    /// The text.
    pub text: String,
    /// The place.
    pub span: Span,
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}
impl Eq for Name {}
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What is wrong with a source text, where, and what would be right.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// A stable code, `E02xx`.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// The places, the main one first, each with a few words.
    pub labels: Vec<(Span, String)>,
    /// What would be right, if it can be said.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code, self.message)?;
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// Line and column (both from 1, the column in characters) of a byte; a mark of the encoding at the beginning is no character.
pub fn line_column(source: &str, byte: usize) -> (usize, usize) {
    let mut byte = byte.min(source.len());
    while !source.is_char_boundary(byte) {
        byte -= 1;
    }
    let before = &source[..byte];
    // A mark of the encoding has no column.
    let before = before.strip_prefix('\u{feff}').unwrap_or(before);
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::line_column;

    #[test]
    fn columns_count_characters_and_no_mark() {
        assert_eq!(line_column("\u{feff}ab", 4), (1, 2));
        assert_eq!(line_column("\u{feff}ab\ncd", 7), (2, 2));
        assert_eq!(line_column("aé\nb", 3), (1, 3));
        assert_eq!(line_column("a\n", 2), (2, 1));
        assert_eq!(line_column("\u{feff}", 0), (1, 1));
    }
}
