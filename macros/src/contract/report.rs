//! Compile errors: at the clause, or for a file with the line and an underline in the message.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use pullback_kernel::source::{self, Diagnostic, line_column};
use pullback_kernel::statement::Statement;
use pullback_kernel::{Counterexample, Difference};

use super::source::Source;

/// Lines of a counterexample, at most; the rest is counted.
const LINES: usize = 16;
/// Characters of such a line, at most.
const WIDTH: usize = 160;

/// `::core::compile_error! { "…" }`, from the first to the last token that it is about.
pub(super) fn error(first: Span, last: Span, message: &str) -> TokenStream {
    let at = |mut token: TokenTree, span: Span| {
        token.set_span(span);
        token
    };
    let text: TokenStream = at(TokenTree::Literal(Literal::string(message)), last).into();
    let mut group = Group::new(Delimiter::Brace, text);
    group.set_span(last);
    [
        at(TokenTree::Punct(Punct::new(':', Spacing::Joint)), first),
        at(TokenTree::Punct(Punct::new(':', Spacing::Alone)), first),
        TokenTree::Ident(Ident::new("core", first)),
        at(TokenTree::Punct(Punct::new(':', Spacing::Joint)), first),
        at(TokenTree::Punct(Punct::new(':', Spacing::Alone)), first),
        TokenTree::Ident(Ident::new("compile_error", first)),
        at(TokenTree::Punct(Punct::new('!', Spacing::Alone)), first),
        TokenTree::Group(group),
    ]
    .into_iter()
    .collect()
}

/// An error about a range of the source.
pub(super) fn at(source: &Source, span: source::Span, message: &str) -> TokenStream {
    let (first, last) = source.tokens_at(span);
    match &source.file {
        None => error(first, last, message),
        Some(_) => error(super::call_site(), super::call_site(), &format!("{message}\n{}", excerpt(source, span, ""))),
    }
}

/// The place in a file: name, line, column, the line itself and an underline.
fn excerpt(source: &Source, span: source::Span, label: &str) -> String {
    let (line, column) = line_column(&source.text, span.start as usize);
    let text = source.text.lines().nth(line - 1).unwrap_or_default();
    let rest = text.chars().count().saturating_sub(column - 1);
    let touched = source.text.get(span.range()).unwrap_or_default();
    let width = touched.lines().next().unwrap_or_default().chars().count().clamp(1, rest.max(1));
    let name = source.file.as_ref().map_or("", |(name, _)| name.as_str());
    let number = line.to_string();
    let gap = " ".repeat(number.len());
    let under = format!("{}{} {label}", " ".repeat(column - 1), "^".repeat(width));
    format!("{gap}--> {name}:{line}:{column}\n{gap} |\n{number} | {text}\n{gap} | {}", under.trim_end())
}

/// What the parser or the resolver found.
pub(super) fn diagnostic(source: &Source, diagnostic: &Diagnostic) -> TokenStream {
    let mut labels = diagnostic.labels.iter();
    let (span, label) = labels.next().map_or((source::Span::default(), ""), |(s, l)| (*s, l.as_str()));
    let mut message = format!("[{}] {}", diagnostic.code, diagnostic.message);
    if source.file.is_some() {
        message.push('\n');
        message.push_str(&excerpt(source, span, label));
        for (span, label) in labels {
            message.push('\n');
            message.push_str(&excerpt(source, *span, label));
        }
        if let Some(help) = &diagnostic.help {
            message.push_str(&format!("\nhelp: {help}"));
        }
        return error(super::call_site(), super::call_site(), &message);
    }
    if !label.is_empty() {
        message.push_str(&format!("\nhere: {label}"));
    }
    for (span, label) in labels {
        let text: Vec<&str> = source.text.get(span.range()).unwrap_or_default().split_whitespace().collect();
        message.push_str(&format!("\n`{}`: {label}", text.join(" ")));
    }
    if let Some(help) = &diagnostic.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let (first, last) = source.tokens_at(span);
    error(first, last, &message)
}

/// A rule that is not the adjoint, with the point that shows it.
pub(super) fn refuted(source: &Source, statement: &Statement, found: &Counterexample) -> TokenStream {
    let shown = found.to_string();
    let mut lines: Vec<String> = shown
        .lines()
        .map(|line| {
            if line.chars().count() > WIDTH {
                format!("{}…", line.chars().take(WIDTH).collect::<String>())
            } else {
                line.to_string()
            }
        })
        .collect();
    if lines.len() > LINES {
        // The verdict stands in the last two lines.
        let verdict = lines.split_off(lines.len() - 2);
        let left = lines.len() + 2 - LINES;
        lines.truncate(LINES - 3);
        lines.push(format!("… {} more lines", left + 1));
        lines.extend(verdict);
    }
    let message = format!(
        "E0301: the backward rule of `{}` is refuted: it is not the adjoint of the derivative at\n{}",
        statement.name(),
        lines.join("\n")
    );
    at(source, found.span, &message)
}

/// A rule that was neither proved nor refuted.
pub(super) fn undecided(source: &Source, statement: &Statement, difference: &Difference) -> TokenStream {
    let mut message =
        format!("E0302: the backward rule of `{}` was not proved: {}", statement.name(), difference.reason);
    if let Some(rest) = &difference.rest {
        let short: String = rest.chars().take(600).collect();
        message.push_str(&format!("\nleft of expected - claimed: {short}"));
    }
    message.push_str(
        "\nhelp: write the rule in another form, or say that it is taken on trust: `declares unproved \"why\"`",
    );
    at(source, difference.span, &message)
}
