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
        row.neither += usize::from(!kernel && !laws);
    }
    if rows.is_empty() {
        return String::new();
    }
    let mut out =
        format!("{:<12} {:>6} {:>14} {:>12} {:>8}\n", "gallery", "cases", "by the kernel", "by laws", "neither");
    let mut all = Row::default();
    for (door, row) in &rows {
        line(&mut out, door, row);
        all.cases += row.cases;
        all.kernel += row.kernel;
        all.laws += row.laws;
        all.neither += row.neither;
    }
    line(&mut out, "all", &all);
    out
}

fn line(out: &mut String, name: &str, row: &Row) {
    let Row { cases, kernel, laws, neither } = row;
    let _ = writeln!(out, "{name:<12} {cases:>6} {kernel:>14} {laws:>12} {neither:>8}");
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
            json!({ "door": "contract", "statement": null, "functions": { "caught": "adjoint" } }),
        ];
        let found: Vec<Vec<String>> =
            table(&cases).lines().skip(1).map(|l| l.split_whitespace().map(str::to_owned).collect()).collect();
        let expected =
            [["contract", "2", "0", "1", "1"], ["statement", "1", "1", "0", "0"], ["all", "3", "1", "1", "1"]];
        assert_eq!(found, expected.map(|row| row.map(str::to_owned).to_vec()));
        assert_eq!(table(&[]), "");
    }
}
