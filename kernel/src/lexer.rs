//! Source text to tokens.
//!
//! Two-character marks may be spaced (`s. .`, `> =`), since a macro's tokens arrive that way; `->` may
//! not. The lexer never fails: what it does not know it reports and leaves out.

use crate::diagnostics::Sink;
use crate::limits;
use crate::source::{Diagnostic, Span};
use std::collections::HashMap;

/// The sort of a token; its text is the source at its span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number.
    Number,
    /// A string, quotes included.
    Text,
    /// A mark; the canonical spelling.
    Mark(&'static str),
    /// After the last token.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// The tokens of a source (the last is [`Kind::End`]), and the comments above each `contract`.
pub(crate) struct Tokens {
    pub(crate) list: Vec<Token>,
    pub(crate) docs: HashMap<usize, String>,
    /// For an opening bracket, where the closing one is.
    pub(crate) closing: HashMap<usize, usize>,
    /// Whether something was reported that the parser should not build upon.
    pub(crate) stopped: bool,
    /// Places that were left out.
    pub(crate) skipped: Vec<Span>,
}

const PAIRS: [(char, char, &str); 5] =
    [('.', '.', ".."), ('>', '=', ">="), ('<', '=', "<="), ('=', '=', "=="), ('!', '=', "!=")];

const SINGLES: [(char, &str); 15] = [
    ('(', "("),
    (')', ")"),
    ('[', "["),
    (']', "]"),
    (',', ","),
    (':', ":"),
    ('=', "="),
    ('>', ">"),
    ('<', "<"),
    ('+', "+"),
    ('-', "-"),
    ('*', "*"),
    ('/', "/"),
    ('^', "^"),
    ('|', "|"),
];

/// What was probably meant by a character from elsewhere.
fn meant(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2212}' | '\u{2013}' | '\u{2014}' => "a minus is written `-`",
        '\u{b7}' | '\u{d7}' | '\u{22c5}' => "a product is written `*`",
        '\u{f7}' => "a quotient is written `/`",
        '\u{3a3}' | '\u{2211}' => "a sum is written `sum(i) …`",
        '\u{2265}' => "write `>=`",
        '\u{2264}' => "write `<=`",
        '\u{2260}' => "write `!=`",
        '\u{2192}' => "an arrow is written `->`",
        '\u{2026}' => "a pack is written with two dots, `s..`",
        '.' => "a pack is written with two dots, `s..`",
        '!' => "`!` is only part of `!=`",
        ';' | '{' | '}' => "clauses need no separators: line breaks and `;` mean nothing",
        '\'' => "a string stands in double quotes",
        _ => return None,
    })
}

struct Lexer<'a, 's> {
    source: &'a str,
    at: usize,
    sink: &'s mut Sink,
}

impl Lexer<'_, '_> {
    fn peek(&self) -> Option<char> {
        self.source[self.at..].chars().next()
    }
    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> usize {
        let rest = &self.source[self.at..];
        let length = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += length;
        length
    }

    /// A number: digits, a fraction, an exponent.
    fn number(&mut self) -> Option<Kind> {
        let start = self.at;
        let mut digits = self.take_while(|c| c.is_ascii_digit());
        let bytes = self.source.as_bytes();
        let digit_at = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
        if bytes.get(self.at) == Some(&b'.') && digit_at(self.at + 1) {
            self.at += 1;
            digits += self.take_while(|c| c.is_ascii_digit());
        }
        let mut exponent = "";
        if matches!(bytes.get(self.at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(self.at + 1), Some(b'+' | b'-')));
            if digit_at(self.at + 1 + sign) {
                self.at += 1 + sign;
                let from = self.at;
                self.take_while(|c| c.is_ascii_digit());
                exponent = &self.source[from..self.at];
            }
        }
        if self.peek().is_some_and(is_word) {
            self.take_while(is_word);
            self.sink.push(
                Diagnostic::new("E0203", "a number ends in letters", Span::new(start, self.at), "not a number")
                    .with_help("a number is `12`, `0.5` or `1e-5`, and a product is written `2 * x`"),
            );
            return None;
        }
        let span = Span::new(start, self.at);
        if digits > limits::DIGITS {
            self.sink.push(Diagnostic::new(
                "E0215",
                format!("a number of {digits} digits"),
                span,
                format!("at most {} digits are read", limits::DIGITS),
            ));
            return None;
        }
        let exponent = exponent.trim_start_matches('0');
        if exponent.len() > 9 || exponent.parse::<u32>().is_ok_and(|e| e > limits::EXPONENT) {
            self.sink.push(Diagnostic::new(
                "E0216",
                "a decimal exponent that is too large",
                span,
                format!("exponents are between -{0} and {0}", limits::EXPONENT),
            ));
            return None;
        }
        Some(Kind::Number)
    }

    /// A string; `\"` and `\\` are its escapes.
    fn text(&mut self) -> Option<Kind> {
        let start = self.at;
        self.at += 1;
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    self.at += 1;
                    return Some(Kind::Text);
                }
                '\n' => break,
                '\\' => {
                    let from = self.at;
                    self.at += 1;
                    if matches!(self.peek(), Some('"' | '\\')) {
                        self.at += 1;
                    } else {
                        self.sink.push(
                            Diagnostic::new(
                                "E0202",
                                "an unknown escape in a string",
                                Span::new(from, self.at),
                                "this backslash",
                            )
                            .with_help("only `\\\"` and `\\\\` are escapes"),
                        );
                    }
                }
                _ => self.at += c.len_utf8(),
            }
        }
        self.sink.push(
            Diagnostic::new("E0202", "a string does not end on its line", Span::new(start, self.at), "this string")
                .with_help("close it with `\"`"),
        );
        None
    }

    fn mark(&mut self, c: char) -> Option<&'static str> {
        let rest = &self.source[self.at + c.len_utf8()..];
        if c == '-' && rest.starts_with('>') {
            self.at += 2;
            return Some("->");
        }
        if let Some((_, second, mark)) = PAIRS.iter().find(|p| p.0 == c) {
            let next = rest.trim_start();
            // `x > = 0` is `x >= 0`; but never take the first half of another pair.
            if next.starts_with(*second) {
                self.at = self.source.len() - next.len() + 1;
                return Some(mark);
            }
        }
        let mark = SINGLES.iter().find(|m| m.0 == c)?.1;
        self.at += 1;
        Some(mark)
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// All tokens of a source, which must be within [`limits::SOURCE_BYTES`].
pub(crate) fn lex(source: &str, sink: &mut Sink) -> Tokens {
    let mut tokens =
        Tokens { list: Vec::new(), docs: HashMap::new(), closing: HashMap::new(), stopped: false, skipped: Vec::new() };
    let mut lexer = Lexer { source, at: 0, sink };
    let mut comments: Vec<(usize, &str)> = Vec::new();
    let (mut line, mut fresh) = (1, true);
    if source.starts_with('\u{feff}') {
        lexer.at = 3;
    }
    while let Some(c) = lexer.peek() {
        let start = lexer.at;
        if c == '\n' {
            (line, fresh) = (line + 1, true);
            lexer.at += 1;
            continue;
        }
        if c.is_whitespace() {
            lexer.at += c.len_utf8();
            continue;
        }
        if source[start..].starts_with("//") {
            lexer.take_while(|c| c != '\n');
            if comments.last().is_some_and(|(l, _)| l + 1 != line) {
                comments.clear();
            }
            if fresh {
                comments.push((line, &source[start..lexer.at]));
            }
            continue;
        }
        fresh = false;
        let kind = if c.is_ascii_digit() {
            lexer.number()
        } else if c == '"' {
            lexer.text()
        } else if c.is_ascii_alphabetic() || c == '_' {
            let length = lexer.take_while(is_word);
            if length > limits::NAME_BYTES {
                lexer.sink.push(Diagnostic::new(
                    "E0204",
                    format!("a name of {length} letters"),
                    Span::new(start, lexer.at),
                    format!("names have at most {} letters", limits::NAME_BYTES),
                ));
                None
            } else {
                Some(Kind::Word)
            }
        } else if let Some(mark) = lexer.mark(c) {
            line += source[start..lexer.at].matches('\n').count();
            Some(Kind::Mark(mark))
        } else {
            let strange = |c: char| {
                !c.is_whitespace()
                    && !is_word(c)
                    && c != '"'
                    && !SINGLES.iter().any(|m| m.0 == c)
                    && (!PAIRS.iter().any(|p| p.0 == c))
            };
            lexer.at += c.len_utf8();
            lexer.take_while(strange);
            let found: String = source[start..lexer.at].chars().take(8).collect();
            let mut diagnostic = Diagnostic::new(
                "E0201",
                format!("the language has no `{}`", found.escape_debug()),
                Span::new(start, lexer.at),
                "not part of the language",
            );
            diagnostic.help = meant(c).map(str::to_owned);
            lexer.sink.push(diagnostic);
            None
        };
        let span = Span::new(start, lexer.at);
        let Some(kind) = kind else {
            tokens.skipped.push(span);
            if lexer.sink.is_full() {
                tokens.stopped = true;
                break;
            }
            comments.clear();
            // A name or a number that is wrong in itself still stands for one.
            let stand_in = match c {
                '"' => Some(Kind::Text),
                c if c.is_ascii_digit() => Some(Kind::Number),
                c if is_word(c) => Some(Kind::Word),
                _ => None,
            };
            if let Some(kind) = stand_in {
                tokens.list.push(Token { kind, span });
            }
            continue;
        };
        if tokens.list.len() >= limits::TOKENS {
            lexer.sink.push(Diagnostic::new(
                "E0211",
                format!("more than {} tokens", limits::TOKENS),
                span,
                "nothing is read from here on",
            ));
            tokens.stopped = true;
            break;
        }
        if kind == Kind::Word
            && &source[span.range()] == "contract"
            && comments.last().is_some_and(|(l, _)| l + 1 == line)
        {
            let lines: Vec<&str> = comments.iter().map(|(_, text)| doc_line(text)).collect();
            tokens.docs.insert(tokens.list.len(), lines.join("\n").trim_matches('\n').to_owned());
        }
        comments.clear();
        tokens.list.push(Token { kind, span });
    }
    let end = lexer.at.min(source.len());
    tokens.list.push(Token { kind: Kind::End, span: Span::new(end, end) });
    match_brackets(&mut tokens);
    tokens
}

fn doc_line(comment: &str) -> &str {
    let text = comment.trim_start_matches('/');
    text.strip_prefix(' ').unwrap_or(text).trim_end()
}

fn match_brackets(tokens: &mut Tokens) {
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (i, token) in tokens.list.iter().enumerate() {
        match token.kind {
            Kind::Mark("(") => open.push((i, ")")),
            Kind::Mark("[") => open.push((i, "]")),
            Kind::Mark(mark @ (")" | "]")) => {
                if open.last().is_some_and(|(_, close)| *close == mark)
                    && let Some((at, _)) = open.pop()
                {
                    tokens.closing.insert(at, i);
                }
            }
            _ => {}
        }
    }
}
