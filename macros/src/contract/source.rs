//! The text of a statement and its places.
//!
//! An inline statement arrives as tokens. Its text is written out again with every token at the line and column where it stood, so
//! that a byte of the text leads back to a token, and an error to the clause. Comments do not arrive; docs do.

use std::path::PathBuf;

use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree};
use pullback_kernel::source;
use pullback_kernel::statement::Statement;

use super::heading::Heading;

pub(super) struct Source {
    pub(super) text: String,
    /// Ascending ranges of the text, each a token.
    tokens: Vec<(std::ops::Range<usize>, Span)>,
    headings: Vec<Heading>,
    /// The file as written, and where it was found.
    pub(super) file: Option<(String, PathBuf)>,
}

type Wrong = (Span, String);

impl Source {
    pub(super) fn read(input: TokenStream) -> Result<Source, Wrong> {
        let tokens: Vec<TokenTree> = input.into_iter().collect();
        if tokens.is_empty() {
            return Err((
                super::call_site(),
                "expected a statement, `contract name version 1 …`, or `file = \"…\"`".into(),
            ));
        }
        match Heading::before(&tokens) {
            (heading, [TokenTree::Ident(word), TokenTree::Punct(sign), TokenTree::Literal(path), rest @ ..])
                if *word == "file" && sign.as_char() == '=' =>
            {
                if let [TokenTree::Punct(comma)] = rest
                    && comma.as_char() == ','
                {
                } else if let Some(extra) = rest.first() {
                    return Err((extra.span(), "expected nothing after the file".into()));
                }
                Self::from_file(heading, path)
            }
            _ => Self::inline(&tokens),
        }
    }

    fn from_file(heading: Heading, literal: &proc_macro2::Literal) -> Result<Source, Wrong> {
        let span = literal.span();
        let path: syn::LitStr = syn::parse2(TokenTree::Literal(literal.clone()).into())
            .map_err(|_| (span, "expected the path of a file as a string".to_string()))?;
        let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
        let found = root.join(path.value());
        let text = std::fs::read_to_string(&found).map_err(|e| {
            (span, format!("could not read {}: {e}; the path is relative to the folder of Cargo.toml", found.display()))
        })?;
        Ok(Source { text, tokens: vec![], headings: vec![heading], file: Some((path.value(), found)) })
    }

    fn inline(tokens: &[TokenTree]) -> Result<Source, Wrong> {
        let mut headings = vec![];
        let mut rest = tokens;
        let mut writer = Writer::default();
        while let Some(token) = rest.first() {
            let attribute = Heading::starts(rest);
            let (heading, after) = Heading::before(rest);
            match after {
                [keyword @ TokenTree::Ident(word), name, ..] if word == "contract" => {
                    headings.push(heading);
                    writer.token(keyword, None)?;
                    // The name, which may be a keyword itself.
                    writer.token(name, None)?;
                    rest = &after[2..];
                }
                _ if attribute => return Err(Heading::misplaced(token.span())),
                // `pub` is a name like any other.
                _ => {
                    writer.token(token, rest.get(1))?;
                    rest = &rest[1..];
                }
            }
        }
        Ok(Source { text: writer.text, tokens: writer.tokens, headings, file: None })
    }

    /// Rebuild when the file changes.
    pub(super) fn tracking(&self) -> TokenStream {
        match &self.file {
            Some((_, path)) => {
                let path = path.to_string_lossy().into_owned();
                quote::quote! { const _: &::core::primitive::str = ::core::include_str!(#path); }
            }
            None => TokenStream::new(),
        }
    }

    /// What stands before a statement.
    pub(super) fn heading(&self, at: usize) -> Heading {
        let heading = if self.file.is_some() { self.headings.first() } else { self.headings.get(at) };
        heading.cloned().unwrap_or_default()
    }

    /// The first and the last token that a range of the text touches.
    pub(super) fn tokens_at(&self, span: source::Span) -> (Span, Span) {
        let range = span.range();
        let mut touched =
            self.tokens.iter().filter(|(r, _)| r.start < range.end.max(range.start + 1) && r.end > range.start);
        match (touched.next(), touched.next_back()) {
            (Some((_, first)), Some((_, last))) => (*first, *last),
            (Some((_, only)), None) => (*only, *only),
            // Past the end, or between tokens: the last one before.
            _ => match self.tokens.iter().rev().find(|(r, _)| r.start <= range.start) {
                Some((_, span)) => (*span, *span),
                None => (super::call_site(), super::call_site()),
            },
        }
    }

    /// Where to point for the statement as a whole.
    pub(super) fn statement_span(&self, statement: &Statement) -> Span {
        self.tokens_at(statement.name().span).0
    }
}

/// Writes tokens at their places.
#[derive(Default)]
struct Writer {
    text: String,
    tokens: Vec<(std::ops::Range<usize>, Span)>,
    /// Line and column at which the text ends, once a token was written.
    end: Option<(usize, usize)>,
    /// The last token is a sign that the next one continues.
    joint: bool,
    /// The last token, if it is a sign.
    last: Option<char>,
}

/// Signs that an expression is made with.
const SIGNS: &str = "+-*/^";

/// Whether a token goes on with the expression before it.
fn continues(next: Option<&TokenTree>) -> bool {
    matches!(next, Some(TokenTree::Punct(sign)) if SIGNS.contains(sign.as_char()))
}

/// The tokens of a group without delimiters, with those of groups that are nothing but such a group opened: a macro may hand on what it was handed.
fn flat(stream: TokenStream) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    match &tokens[..] {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::None => flat(group.stream()),
        _ => tokens,
    }
}

impl Writer {
    /// Writes a token; what comes next says how a group without delimiters may be read.
    fn token(&mut self, token: &TokenTree, next: Option<&TokenTree>) -> Result<(), Wrong> {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => self.fragment(group, next)?,
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Parenthesis | Delimiter::None => ("(", ")"),
                };
                self.word(open, group.span_open());
                self.tokens(group.stream())?;
                self.word(close, group.span_close());
            }
            TokenTree::Punct(sign) => {
                self.word(&sign.as_char().to_string(), sign.span());
                self.joint = sign.spacing() == Spacing::Joint;
            }
            // A keyword of Rust is a name like any other.
            TokenTree::Ident(name) => self.word(name.to_string().trim_start_matches("r#"), name.span()),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                match text.strip_prefix('-') {
                    // Another macro's number below zero is one number, whatever stands around it.
                    Some(number) if self.last != Some('^') => {
                        self.inserted("(", literal.span());
                        self.word("-", literal.span());
                        self.word(number, literal.span());
                        self.inserted(")", literal.span());
                    }
                    _ => self.word(&text, literal.span()),
                }
            }
        }
        Ok(())
    }

    fn tokens(&mut self, stream: TokenStream) -> Result<(), Wrong> {
        let mut tokens = stream.into_iter().peekable();
        while let Some(token) = tokens.next() {
            self.token(&token, tokens.peek())?;
        }
        Ok(())
    }

    /// A fragment of another macro, such as its `$e:expr`, which arrives in a group without delimiters.
    /// It is one thing, so an expression is written in parentheses; what binds tighter than any sign, or is no expression, stays as it is.
    fn fragment(&mut self, group: &Group, next: Option<&TokenTree>) -> Result<(), Wrong> {
        let inside: Vec<TokenTree> = flat(group.stream());
        let signs = |of: &str| inside.iter().any(|t| matches!(t, TokenTree::Punct(p) if of.contains(p.as_char())));
        let power = self.last == Some('^')
            && matches!(&inside[..], [TokenTree::Punct(minus), TokenTree::Literal(_)] if minus.as_char() == '-');
        // `a > b`, `a == b`, `i..`: no expression of the language, so it can't stand in parentheses.
        let clause = signs("<>=.,:");
        if clause && (SIGNS.contains(self.last.unwrap_or(' ')) || continues(next)) {
            let message =
                "this is one thing to the macro that it comes from, and would be taken apart by the signs around it";
            return Err((group.span(), message.into()));
        }
        let parentheses = signs(SIGNS) && !clause && !power;
        if parentheses {
            self.inserted("(", group.span_open());
        }
        self.tokens(inside.into_iter().collect())?;
        if parentheses {
            self.inserted(")", group.span_close());
        }
        Ok(())
    }

    /// A mark that stands nowhere in the user's file: the place of what follows is not measured from it.
    fn inserted(&mut self, mark: &str, span: Span) {
        if mark == "(" && !self.text.is_empty() {
            self.text.push(' ');
        }
        let from = self.text.len();
        self.text.push_str(mark);
        self.tokens.push((from..self.text.len(), span));
        self.joint = false;
        self.last = mark.chars().next();
    }

    fn word(&mut self, word: &str, span: Span) {
        if word.is_empty() {
            return;
        }
        let start = span.start();
        let glued = std::mem::take(&mut self.joint);
        match self.end {
            Some((line, _)) if start.line > line => {
                // Comments are gone, and what other macros hand on stands anywhere: one empty line is enough.
                self.text.push_str(&"\n".repeat((start.line - line).min(2)));
                self.text.push_str(&" ".repeat(start.column.min(1000)));
            }
            Some((line, column)) if start.line == line && start.column >= column && start.column - column < 1000 => {
                self.text.push_str(&" ".repeat(start.column - column));
            }
            // Tokens that another macro made: their places say nothing.
            Some(_) if !glued => self.text.push(' '),
            _ => {}
        }
        let from = self.text.len();
        self.text.push_str(word);
        self.tokens.push((from..self.text.len(), span));
        self.last = word.chars().next().filter(char::is_ascii_punctuation);
        let end = span.end();
        self.end = Some((end.line, end.column));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "contract norm version 1\n    dims   s.., n\n    param  eps > 0\n    input  x[s.., n]\n    output y[i..] = sum(k) x[i.., k]^2 * 1.5e-3\n    declares unproved \"for the test\"";

    fn read(text: &str) -> Source {
        let tokens: TokenStream = text.parse().expect("the text is made of tokens");
        Source::read(tokens).map_err(|(_, message)| message).expect("the text is a statement")
    }

    #[test]
    fn the_text_comes_back() {
        assert_eq!(read(TEXT).text, TEXT);
    }

    #[test]
    fn headings_are_taken_off() {
        let source = read(&format!("/// Docs.\n#[must_use]\npub(crate) {TEXT}"));
        assert_eq!(source.text.trim_start(), TEXT);
        let heading = source.heading(0);
        let attributes = heading.attributes().map_err(|(_, message)| message).expect("attributes that are known");
        assert!(attributes.docs.to_string().contains("Docs.") && attributes.documented);
        assert!(attributes.items.to_string().contains("must_use"));
        assert_eq!(heading.visibility().to_string().replace(' ', ""), "pub(crate)");
        assert_eq!(read(TEXT).heading(0).visibility().to_string(), "pub");
    }

    #[test]
    fn a_byte_leads_back_to_its_token() {
        let source = read(TEXT);
        let at = TEXT.find("x[i.., k]^2").expect("it is there");
        let (first, last) = source.tokens_at(source::Span::new(at, at + "x[i.., k]".len()));
        let (start, end) = (first.start(), last.end());
        assert_eq!((start.line, start.column), (5, 27));
        assert_eq!((end.line, end.column), (5, 36));
        // Between tokens and past the end there is a place too.
        let _ = source.tokens_at(source::Span::new(TEXT.len() + 7, TEXT.len() + 9));
    }
}
