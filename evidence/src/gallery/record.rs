//! The file of cases.

use serde::Deserialize;
use serde_json::Value;

use super::rule::{Arrays, Rule};

/// A case as it was recorded.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// What kind of fault it is.
    pub kind: String,
    /// `reject` or `accept`.
    pub verdict: String,
    /// What shows the fault.
    pub trigger: String,
    /// How the rule is sayable: `smooth`, `declared`, or what it is about else.
    pub in_language: String,
    input: Value,
    cotangent: Value,
    right_gradient: Value,
    wrong_gradient: Value,
}

/// All cases, in the order of the file.
///
/// # Errors
///
/// What is wrong with the file, with the line.
pub fn records() -> Result<Vec<Record>, String> {
    const FILE: &str = include_str!("../../gallery/wrong_rules.jsonl");
    let read =
        |(line, text): (usize, &str)| serde_json::from_str(text).map_err(|error| format!("{}: {error}", line + 1));
    FILE.lines().enumerate().filter(|(_, text)| !text.is_empty()).map(read).collect()
}

/// The numbers of a nested list, in order; `"nan"` is one of them.
fn flat(value: &Value) -> Option<Vec<f64>> {
    match value {
        Value::Number(number) => Some(vec![number.as_f64()?]),
        Value::String(text) => Some(vec![text.parse().ok()?]),
        Value::Array(list) => Some(list.iter().map(flat).collect::<Option<Vec<_>>>()?.concat()),
        _ => None,
    }
}

/// An array for each of so many: one alone stands there as it is, several are a list.
fn arrays(value: &Value, count: usize) -> Option<Arrays> {
    match value {
        _ if count == 1 => Some(vec![flat(value)?]),
        Value::Array(list) if list.len() == count => list.iter().map(flat).collect(),
        _ => None,
    }
}

/// What functions over slices take.
pub(super) fn slices(arrays: &[Vec<f64>]) -> Vec<&[f64]> {
    arrays.iter().map(Vec::as_slice).collect()
}

impl Record {
    /// The recorded inputs.
    pub fn inputs(&self, rule: &Rule) -> Option<Arrays> {
        arrays(&self.input, rule.inputs.len())
    }

    /// The recorded cotangents.
    pub fn cotangents(&self, rule: &Rule) -> Option<Arrays> {
        arrays(&self.cotangent, rule.outputs.len())
    }

    /// Whether the case is one that must pass, as the table says.
    pub(super) fn expects(&self, accepted: bool) -> Result<(), String> {
        let verdict = if accepted { "accept" } else { "reject" };
        if self.verdict == verdict { Ok(()) } else { Err(format!("the verdict is {}, not {verdict}", self.verdict)) }
    }

    /// Whether the functions give the recorded gradients.
    pub(super) fn gradients(&self, rule: &Rule) -> Result<(), String> {
        let numbers = |found: Option<Arrays>, what: &str| found.ok_or_else(|| format!("{what} is of another form"));
        let inputs = numbers(self.inputs(rule), "the input")?;
        let cotangents = numbers(self.cotangents(rule), "the cotangent")?;
        let (x, g) = (slices(&inputs), slices(&cotangents));
        let right = numbers(arrays(&self.right_gradient, rule.inputs.len()), "the right gradient")?;
        same("the right rule", &(rule.right)(&x, &g), &right)?;
        // One that ended with an error has no gradient.
        let wrong = match &self.wrong_gradient {
            Value::Null => Vec::new(),
            value => numbers(arrays(value, rule.inputs.len()), "the wrong gradient")?,
        };
        let mut shipped = rule.wrong.start();
        for _ in 1..rule.wrong.wrong_call() {
            same("the shipped rule, while it is still right,", &shipped(&x, &g), &right)?;
        }
        same("the shipped rule", &shipped(&x, &g), &wrong)
    }
}

/// Whether numbers are those that were recorded to twelve digits.
fn same(what: &str, found: &[Vec<f64>], recorded: &[Vec<f64>]) -> Result<(), String> {
    let lengths = |arrays: &[Vec<f64>]| arrays.iter().map(Vec::len).collect::<Vec<_>>();
    let largest = recorded.iter().flatten().fold(1e-3_f64, |most, x| if x.is_nan() { most } else { most.max(x.abs()) });
    let near = |(a, b): (&f64, &f64)| {
        // A zero may have come out as a rounding error of the other entries.
        let scale = if b.abs() > 1e-12 * largest { b.abs() } else { largest };
        (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * scale
    };
    let all = found.iter().flatten().zip(recorded.iter().flatten()).all(near);
    if lengths(found) == lengths(recorded) && all {
        return Ok(());
    }
    Err(format!("{what} gives {found:?}, {recorded:?} is recorded"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_numbers_are_seen() {
        assert_eq!(same("it", &[vec![f64::NAN, 1.0]], &[vec![f64::NAN, 1.0]]), Ok(()));
        assert!(same("it", &[vec![f64::NAN]], &[vec![1.0]]).is_err());
        assert!(same("it", &[vec![1.0]], &[vec![1.0 + 1e-6]]).is_err());
        assert!(same("it", &[vec![1.0, 1.0]], &[vec![1.0]]).is_err());
    }
}
