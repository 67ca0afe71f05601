//! The text of a statement and its places.
//!
//! An inline statement arrives as tokens. Its text is written out again with every token at the line and column where it stood, so
//! that a byte of the text leads back to a token, and an error to the clause. Comments do not arrive; docs do.

use std::path::PathBuf;

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};
use pullback_kernel::source;
use pullback_kernel::statement::Statement;

/// What stands before a statement.
#[derive(Default)]
struct Heading {
    attributes: String,
    visibility: Option<String>,
    documented: bool,
}

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
        match Self::heading_of(&tokens) {
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
            _ => Ok(Self::inline(tokens)),
        }
    }

    /// Attributes and visibility in front.
    fn heading_of(tokens: &[TokenTree]) -> (Heading, &[TokenTree]) {
        let mut heading = Heading::default();
        let mut rest = tokens;
        while let Some(taken) = heading.take(rest) {
            rest = &rest[taken..];
        }
        (heading, rest)
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

    fn inline(tokens: Vec<TokenTree>) -> Source {
        let mut headings = vec![];
        let mut rest = &tokens[..];
        let mut heading = Heading::default();
        let mut writer = Writer::default();
        while let Some(token) = rest.first() {
            if let Some(taken) = heading.take(rest) {
                rest = &rest[taken..];
                continue;
            }
            if matches!(token, TokenTree::Ident(word) if *word == "contract") {
                headings.push(std::mem::take(&mut heading));
            }
            writer.token(token);
            rest = &rest[1..];
        }
        Source { text: writer.text, tokens: writer.tokens, headings, file: None }
    }

    /// Rebuild when the file changes.
    pub(super) fn tracking(&self) -> TokenStream {
        match &self.file {
            Some((_, path)) => {
                let path = path.to_string_lossy().into_owned();
                quote::quote! { const _: &str = ::core::include_str!(#path); }
            }
            None => TokenStream::new(),
        }
    }

    /// Attributes, visibility, and whether there are docs, of a statement.
    pub(super) fn heading(&self, at: usize) -> (String, String, bool) {
        let heading = if self.file.is_some() { self.headings.first() } else { self.headings.get(at) };
        match heading {
            Some(h) => (h.attributes.clone(), h.visibility.clone().unwrap_or_else(|| "pub".into()), h.documented),
            None => (String::new(), "pub".into(), false),
        }
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

impl Heading {
    /// How many tokens in front are an attribute or a visibility, which are kept.
    fn take(&mut self, tokens: &[TokenTree]) -> Option<usize> {
        match tokens {
            [TokenTree::Punct(hash), group @ TokenTree::Group(body), ..]
                if hash.as_char() == '#' && body.delimiter() == Delimiter::Bracket =>
            {
                self.documented |=
                    matches!(body.stream().into_iter().next(), Some(TokenTree::Ident(word)) if word == "doc");
                self.attributes.push_str(&format!("#{group}\n"));
                Some(2)
            }
            [TokenTree::Ident(word), TokenTree::Group(scope), ..]
                if *word == "pub" && scope.delimiter() == Delimiter::Parenthesis =>
            {
                self.visibility = Some(format!("pub{scope}"));
                Some(2)
            }
            [TokenTree::Ident(word), ..] if *word == "pub" => {
                self.visibility = Some("pub".into());
                Some(1)
            }
            _ => None,
        }
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
}

impl Writer {
    fn token(&mut self, token: &TokenTree) {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                self.word(open, group.span_open());
                for inner in group.stream() {
                    self.token(&inner);
                }
                self.word(close, group.span_close());
            }
            TokenTree::Punct(sign) => {
                self.word(&sign.as_char().to_string(), sign.span());
                self.joint = sign.spacing() == Spacing::Joint;
            }
            other => self.word(&other.to_string(), other.span()),
        }
    }

    fn word(&mut self, word: &str, span: Span) {
        if word.is_empty() {
            return;
        }
        let start = span.start();
        let glued = std::mem::take(&mut self.joint);
        match self.end {
            Some((line, column)) if start.line > line && start.line - line < 10_000 => {
                self.text.push_str(&"\n".repeat(start.line - line));
                self.text.push_str(&" ".repeat(start.column.min(1000)));
                let _ = column;
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
        let (attributes, visibility, documented) = source.heading(0);
        assert!(attributes.contains("Docs.") && attributes.contains("must_use") && documented);
        assert_eq!(visibility.replace(' ', ""), "pub(crate)");
        assert_eq!(read(TEXT).heading(0).1, "pub");
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
