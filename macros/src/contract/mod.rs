//! `contract!`: from a statement to a proved type.
//!
//! | file | what |
//! | --- | --- |
//! | `source` | the text of the statement, and where each byte of it stands in the user's file |
//! | `heading` | attributes and visibility, and what they cover |
//! | `report` | diagnostics, counterexamples and undecided proofs as compile errors |
//! | `items` | the type, its constructor and its contract |
//! | `names` | names of the statement as names of Rust, its shapes as types |
//! | `document` | the documentation of the type |
//! | `code` | a routine as loops over slices |
//!
//! The order is the point: nothing is generated from a statement before the kernel has proved it, or its author has declared it.

mod code;
mod document;
mod heading;
mod items;
mod names;
mod report;
mod source;
#[cfg(test)]
mod tests;

use proc_macro2::{Span, TokenStream};
use pullback_kernel::statement::{Condition, DimId, Label, Sign, Statement};
use pullback_kernel::{Outcome, load, prove};
use pullback_schedule::schedule;

use items::Plan;
use source::Source;

/// The expansion of `contract! { … }` and `contract!(file = "…")`.
pub(crate) fn contract(input: TokenStream) -> TokenStream {
    let source = match Source::read(input) {
        Ok(source) => source,
        Err((span, message)) => return report::error(span, span, &message),
    };
    let (statements, diagnostics) = load(&source.text);
    if !diagnostics.is_empty() {
        return diagnostics.iter().map(|d| report::diagnostic(&source, d)).collect();
    }
    let mut out = source.tracking();
    for (at, statement) in statements.iter().enumerate() {
        out.extend(one(&source, statement, at).unwrap_or_else(|error| error));
    }
    out
}

fn one(source: &Source, statement: &Statement, at: usize) -> Result<TokenStream, TokenStream> {
    let heading = source.heading(at);
    let attributes = heading.attributes().map_err(|(span, message)| report::error(span, span, &message))?;
    sayable(source, statement)?;
    let label = statement.declaration().map(|d| d.label);
    let (domain, proved) = match prove(statement) {
        Outcome::Proved(theorem) => (theorem.domain().to_vec(), label.is_none()),
        Outcome::Undecided(_) if label == Some(Label::Unproved) => (pullback_kernel::domain(statement), false),
        Outcome::Refuted(found) => return Err(report::refuted(source, statement, &found)),
        Outcome::Undecided(difference) => return Err(report::undecided(source, statement, &difference)),
    };
    let derived = statement.gradients().is_none();
    let with_rule;
    let whole = if derived {
        with_rule = statement.with_derived_rule();
        &with_rule
    } else {
        statement
    };
    if derived {
        savable(source, whole)?;
    }
    let worded: Vec<(Condition, String)> = domain.into_iter().map(|c| (c.clone(), words(&source.text, &c))).collect();
    let span = source.statement_span(statement);
    let planned = schedule(whole, &worded).map_err(|e| report::error(span, span, &e.to_string()))?;
    let text = source.text.get(statement.span().range()).unwrap_or(&source.text);
    let domain: Vec<String> = worded.into_iter().map(|(_, text)| text).collect();
    let plan = Plan {
        statement: whole,
        schedule: &planned,
        source: text,
        domain: &domain,
        derived,
        proved,
        attributes: &attributes,
        visibility: &heading.visibility(),
        span,
    };
    let fault = |e: proc_macro2::LexError| report::error(span, span, &format!("this is a fault of pullback: {e}"));
    let code = items::items(&plan).map_err(fault)?;
    if std::env::var_os("PULLBACK_SHOW_CODE").is_some_and(|name| name == statement.name().text.as_str()) {
        return Err(report::error(
            span,
            span,
            &format!("forward:\n{}\nbackward:\n{}\n{code}", planned.forward, planned.backward),
        ));
    }
    Ok(code)
}

/// The most axes that a shape has.
const RANK: usize = 6;

/// The most parts that a split has.
const SPLIT: usize = 12;

/// What the language allows and a Rust type does not: refused here, where there is a place to point at.
fn sayable(source: &Source, statement: &Statement) -> Result<(), TokenStream> {
    let name = statement.name();
    if !names::nameable(&name.text) {
        let message = format!("`{}` can't name a type and a function of Rust; call the contract something else", name);
        return Err(report::at(source, name.span, &message));
    }
    // A pack may hold no axis at all; one that holds too many is told by its shape.
    let rank = |axes: &[DimId]| axes.iter().filter(|d| !statement.dims()[d.0 as usize].pack).count();
    let outputs = statement.outputs().iter().map(|o| o.tensor.clone());
    let saved = statement.saves().iter().map(|t| statement.tensor(*t));
    let all =
        statement.inputs().iter().cloned().chain(statement.constants().iter().cloned()).chain(outputs).chain(saved);
    for tensor in all {
        let rank = rank(&tensor.axes);
        if rank > RANK {
            let message = format!("E0111: `{}` has {rank} axes; a shape has at most {RANK}", tensor.name);
            return Err(report::at(source, tensor.name.span, &message));
        }
    }
    for map in statement.maps() {
        let rank = rank(&map.from);
        if rank > RANK {
            let message = format!(
                "E0111: `{}` takes {rank} indices, which are a shape; a shape has at most {RANK} axes",
                map.name
            );
            return Err(report::at(source, map.name.span, &message));
        }
    }
    for split in statement.splits() {
        if let Some(part) = split.parts.get(SPLIT) {
            let message = format!("E0106: a split of {} parts; in Rust it has at most {SPLIT}", split.parts.len());
            return Err(report::at(source, statement.maps()[part.0 as usize].name.span, &message));
        }
    }
    Ok(())
}

/// What a derived rule saves is said by nobody: refused at the value that it is.
fn savable(source: &Source, statement: &Statement) -> Result<(), TokenStream> {
    for saved in statement.saves() {
        let tensor = statement.tensor(*saved);
        let rank = tensor.axes.iter().filter(|d| !statement.dims()[d.0 as usize].pack).count();
        if rank > RANK {
            let message = format!(
                "E0111: the derived rule saves `{}`, which has {rank} axes; a shape has at most {RANK}\nhelp: write the rule, and save what it needs of fewer axes",
                tensor.name
            );
            return Err(report::at(source, tensor.name.span, &message));
        }
    }
    Ok(())
}

/// A condition as the statement writes it.
fn words(text: &str, condition: &Condition) -> String {
    let value = text.get(condition.value.span.range()).unwrap_or("?");
    let value: Vec<&str> = value.split_whitespace().collect();
    let sign = match condition.sign {
        Sign::Positive => "> 0",
        Sign::NonNegative => ">= 0",
        Sign::NonZero => "!= 0",
    };
    format!("{} {sign}", value.join(" "))
}

/// The span of the whole macro call.
fn call_site() -> Span {
    Span::call_site()
}
