//! What `check` says of a program, and `architecture` of layers, for people.

use std::fmt::Write as _;

use super::plain;
use crate::output::Look;
use crate::program::architecture::Compiled;
use crate::program::check::{Checked, Port, Value};

/// Lines of a list, at most; `--json` has them all.
const SHOWN: usize = 20;

/// All that is known, with a line end.
pub(crate) fn checked(checked: &Checked, look: Look) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: well-formed; {}, {}, {}",
        plain(&checked.file),
        counted(checked.instructions, "instruction"),
        counted(checked.inputs.len(), "input"),
        counted(checked.outputs.len(), "output")
    );
    ports(&mut out, "inputs", &checked.inputs);
    ports(&mut out, "outputs", &checked.outputs);
    whose(&mut out, checked);
    domain(&mut out, checked);
    evidence(&mut out, checked, look);
    saved(&mut out, checked);
    out
}

/// What an architecture takes and gives, with a line end.
pub(crate) fn compiled(compiled: &Compiled) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: fits together; {}{}, {}, {} of {}, {}",
        plain(&compiled.file),
        counted(compiled.instructions, "instruction"),
        if compiled.core { " of the core language" } else { "" },
        counted(compiled.inputs.len(), "input"),
        counted(compiled.parameters.len(), "parameter"),
        counted(compiled.numbers, "number"),
        counted(compiled.outputs.len(), "output")
    );
    ports(&mut out, "inputs", &compiled.inputs);
    if !compiled.parameters.is_empty() {
        let rows: Vec<[String; 4]> = compiled
            .parameters
            .iter()
            .map(|p| [plain(&p.path), shape(&p.shape), p.numbers.to_string(), p.role.to_owned()])
            .collect();
        let width = |k: usize| rows.iter().take(SHOWN).map(|row| row[k].chars().count()).max().unwrap_or(0);
        let [a, b, c] = [width(0), width(1), width(2)];
        let line =
            |[path, shape, numbers, role]: &[String; 4]| format!("{path:<a$}  {shape:<b$}  {numbers:>c$}  {role}");
        list(&mut out, "parameters", rows.iter().map(line));
    }
    ports(&mut out, "outputs", &compiled.outputs);
    out
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A heading and its lines, as many as are shown.
fn list(out: &mut String, heading: &str, lines: impl ExactSizeIterator<Item = String>) {
    let _ = writeln!(out, "\n{heading}");
    let n = lines.len();
    for line in lines.take(SHOWN) {
        let _ = writeln!(out, "  {line}");
    }
    if n > SHOWN {
        let _ = writeln!(out, "  … and {} more, which --json has", n - SHOWN);
    }
}

fn shape(sizes: &[usize]) -> String {
    format!("[{}]", sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
}

fn ports(out: &mut String, heading: &str, ports: &[Port]) {
    let names: Vec<String> = ports.iter().map(|port| plain(&port.name)).collect();
    let width = names.iter().take(SHOWN).map(|name| name.chars().count()).max().unwrap_or(0);
    let lines = names.iter().zip(ports).map(|(name, port)| format!("{name:<width$}  {}", shape(&port.shape)));
    list(out, heading, lines);
}

/// Statements that are not the library's. One that is called as one of its own is said to be another.
fn whose(out: &mut String, checked: &Checked) {
    let yours: Vec<_> = checked.statements.iter().filter(|s| !s.library).collect();
    if yours.is_empty() {
        return;
    }
    let width = yours.iter().take(SHOWN).map(|s| plain(&s.name).chars().count()).max().unwrap_or(0);
    let taken = |name: &str| pullback_program::Operator::library(name).is_ok();
    let lines = yours.iter().map(|s| {
        let other = if taken(&s.name) { "  (not the library's)" } else { "" };
        format!("{:<width$}  {}{other}", plain(&s.name), s.sha256)
    });
    list(out, "your statements", lines);
}

fn domain(out: &mut String, checked: &Checked) {
    if checked.domain.is_empty() {
        out.push_str("\ndomain: all inputs\n");
        return;
    }
    let lines = checked.domain.iter().map(|c| plain(&c.text));
    list(out, "domain: where all of these hold", lines);
    if checked.domain.iter().any(|c| c.in_inputs.is_none()) {
        out.push_str("  what would grow past reading in the names of the inputs is said in those of its statement\n");
    }
}

fn evidence(out: &mut String, checked: &Checked, look: Look) {
    let painted = |code: &str, text: &str| {
        if look.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    };
    if checked.evidence.proved {
        let word = painted("32", "proved");
        let _ = writeln!(out, "\nevidence: the gradient is {word}, as every instruction's rule is");
        return;
    }
    let word = painted("1;33", "not proved");
    let lines = checked.evidence.obstacles.iter().map(|o| {
        let what = match o.kind.as_str() {
            "undecided" => format!("is undecided: {}", plain(&o.text)),
            "surrogate" | "unproved" => format!("declares {} \"{}\"", o.kind, plain(&o.text)),
            kind => format!("declares {kind} {}", plain(&o.text)).trim_end().to_owned(),
        };
        let derived = o.derived.as_ref().map_or_else(String::new, |of| format!("is {}, which ", plain(of)));
        format!("instruction {} ({}) {derived}{what}", o.instruction, plain(&o.operator))
    });
    list(out, &format!("evidence: the gradient is {word}; in the way stand"), lines);
}

/// The columns of the table of saved values.
const HEAD: [&str; 5] = ["value", "shape", "bytes", "made by", "read by"];

fn saved(out: &mut String, checked: &Checked) {
    let saved = &checked.saved;
    // The largest: those are what a reader can do something about.
    let mut values: Vec<&Value> = saved.values.iter().collect();
    values.sort_by_key(|value| std::cmp::Reverse(value.elements));
    let rows: Vec<[String; 5]> = values.iter().take(SHOWN).map(|value| row(value)).collect();
    let _ = writeln!(out, "\nsaved values, in {}", saved.scalar);
    if !rows.is_empty() {
        table(out, &rows);
    }
    if values.len() > SHOWN {
        let _ = writeln!(out, "  … and {} more, which --json has", values.len() - SHOWN);
    }
    let _ = writeln!(out, "  total: {} elements, {} bytes", saved.elements, saved.bytes);
    let _ = writeln!(
        out,
        "  at most {} elements, {} bytes are held at one time, forward and back",
        saved.peak_elements, saved.peak_bytes
    );
}

fn row(value: &Value) -> [String; 5] {
    let name = match value.value {
        Some(at) => format!("%{at} {}", plain(&value.name)),
        None => plain(&value.name),
    };
    let maker = match (value.made_by, &value.maker) {
        (Some(at), Some(operator)) => format!("{at} {operator}"),
        _ => "input".to_owned(),
    };
    let some = value.read_by.iter().zip(&value.readers).take(3).map(|(at, operator)| format!("{at} {operator}"));
    let mut readers = some.collect::<Vec<_>>().join(", ");
    if value.read_by.len() > 3 {
        let _ = write!(readers, ", {} more", value.read_by.len() - 3);
    }
    [name, shape(&value.shape), value.bytes.to_string(), maker, readers]
}

fn table(out: &mut String, rows: &[[String; 5]]) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).max(HEAD[column].len())
    };
    let widths: [usize; 5] = std::array::from_fn(width);
    let mut line = |cells: [&str; 5]| {
        let [value, shape, bytes, maker, readers] = cells;
        let [a, b, c, d, _] = widths;
        let _ = writeln!(out, "  {value:<a$}  {shape:<b$}  {bytes:>c$}  {maker:<d$}  {readers}");
    };
    line(HEAD);
    rows.iter().for_each(|row| line(row.each_ref().map(String::as_str)));
}
