//! The documentation of what a statement becomes.

use std::fmt::Write as _;

use super::items::Plan;
use super::names::NUMBER;

/// A line of rustdoc.
pub(super) fn doc(out: &mut String, text: &str) {
    for line in text.lines().chain(text.is_empty().then_some("")) {
        let _ = writeln!(out, "#[doc = {line:?}]");
    }
}

/// Prose of a statement as rustdoc: brackets are indices and no links, stars are products.
fn plain(text: &str) -> String {
    let mut code = false;
    let mut out = String::new();
    for c in text.chars() {
        code ^= c == '`';
        if !code && matches!(c, '[' | ']' | '<' | '>' | '*') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

pub(super) fn document(
    out: &mut String,
    plan: &Plan<'_>,
    inputs: &[(String, String)],
    outputs: &[(String, String)],
    saved: &[(String, String)],
) {
    let statement = plan.statement;
    if !plan.attributes.documented {
        let about = statement.doc().trim();
        doc(out, &if about.is_empty() { statement.name().text.clone() } else { plain(about) });
    }
    doc(out, "");
    doc(out, "```text");
    doc(out, plan.source.trim());
    doc(out, "```");
    doc(out, "");
    let short = |list: &[(String, String)]| -> String {
        if list.is_empty() {
            return "nothing".into();
        }
        let shown = |t: &str| t.replace("::pullback::__macro::", "").replace(&format!(", {NUMBER}>"), ">");
        list.iter().map(|(name, t)| format!("`{name}: {}`", shown(t))).collect::<Vec<_>>().join(", ")
    };
    doc(out, "| | |");
    doc(out, "| --- | --- |");
    doc(out, &format!("| takes | {} |", short(inputs)));
    doc(out, &format!("| gives | {} |", short(outputs)));
    doc(out, &format!("| saves | {} |", short(saved)));
    let domain = if plan.domain.is_empty() {
        "all inputs".to_string()
    } else {
        plan.domain.iter().map(|c| format!("`{}`", c.replace('|', "\\|"))).collect::<Vec<_>>().join(", ")
    };
    doc(out, &format!("| domain | {domain} |"));
    let rule = if plan.derived { "derived and " } else { "" };
    let evidence = match statement.declaration() {
        Some(d) => {
            let said = statement.show_declaration(d).replace('|', "\\|");
            format!("declares {} {said}", d.label).trim_end().to_owned()
        }
        None => format!("{rule}proved by the kernel"),
    };
    doc(out, &format!("| backward rule | {evidence} |"));
}
