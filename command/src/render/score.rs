//! The score of the gallery: how many of its cases are judged, by which door and by what.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

/// The suite whose results these are.
pub(crate) const SUITE: &str = "gallery";

/// Cases of one door.
#[derive(Default)]
struct Row {
    cases: usize,
    kernel: usize,
    laws: usize,
    /// By laws with default options.
    default: usize,
    neither: usize,
}

/// The table, with a line end; nothing for no results.
pub(crate) fn table(results: &[Value]) -> String {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for case in results {
        let row = rows.entry(case["door"].as_str().unwrap_or_default()).or_default();
        // The right statement is proved, and the kernel says of the other what it should: else the case is a failure.
        let kernel = case["statement"].is_string();
        let laws = case["functions"] == "passed" || case["functions"].get("caught").is_some();
        row.cases += 1;
        row.kernel += usize::from(kernel);
        row.laws += usize::from(laws);
        row.default += usize::from(laws && !case["options"].is_string());
        row.neither += usize::from(!kernel && !laws);
    }
    if rows.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "{:<12} {:>6} {:>14} {:>8} {:>20} {:>8}\n",
        "gallery", "cases", "by the kernel", "by laws", "with default options", "neither"
    );
    let mut all = Row::default();
    for (door, row) in &rows {
        line(&mut out, door, row);
        all.cases += row.cases;
        all.kernel += row.kernel;
        all.laws += row.laws;
        all.default += row.default;
        all.neither += row.neither;
    }
    line(&mut out, "all", &all);
    for case in results {
        if let (Some(name), Some(options)) = (case["name"].as_str(), case["options"].as_str()) {
            let _ = writeln!(out, "{name}: the laws are told of {options}");
        }
    }
    out
}

fn line(out: &mut String, name: &str, row: &Row) {
    let Row { cases, kernel, laws, default, neither } = row;
    let _ = writeln!(out, "{name:<12} {cases:>6} {kernel:>14} {laws:>8} {default:>20} {neither:>8}");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_nothing_judged_is_told() {
        let cases = [
            json!({ "door": "statement", "statement": "refuted", "functions": "unjudged" }),
            json!({ "door": "contract", "statement": null, "functions": "unjudged" }),
            json!({ "name": "it", "door": "contract", "statement": null, "functions": { "caught": "adjoint" }, "options": "its domain" }),
            json!({ "door": "contract", "statement": null, "functions": "passed", "options": null }),
        ];
        let table = table(&cases);
        let lines: Vec<String> =
            table.lines().skip(1).map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let expected =
            ["contract 3 0 2 1 1", "statement 1 1 0 0 0", "all 4 1 2 1 1", "it: the laws are told of its domain"];
        assert_eq!(lines, expected);
        assert_eq!(super::table(&[]), "");
    }
}
