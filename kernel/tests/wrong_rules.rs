//! Rules that were shipped and were wrong: each is refused, and the right one is proved.
//!
//! `cases/` holds one file a case, and a note on the format.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, and this one reports counts")]

mod support;

use std::path::Path;

use num_traits::ToPrimitive;
use pullback_kernel::eval::{self, EvalError, Point};
use pullback_kernel::statement::Statement;
use pullback_kernel::syntax::Number;
use pullback_kernel::{Outcome, Rational, load, prove};
use support::{Fixed, Oracle, STEPS, Sample, adjoint, convert, numbers, part_table, recheck};

/// A file of `cases/`.
struct Case {
    name: String,
    source: String,
    /// `name = values` lines above the statements.
    rows: Vec<(String, Vec<String>)>,
    /// What becomes of the wrong rule.
    outcome: String,
}

impl Case {
    fn read(path: &Path) -> Case {
        let source = std::fs::read_to_string(path).unwrap();
        let mut case = Case {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            rows: Vec::new(),
            outcome: String::new(),
            source: source.clone(),
        };
        for line in source.lines().map_while(|l| l.strip_prefix("//")) {
            let Some(line) = line.strip_prefix("   ") else { continue };
            if let Some(outcome) = line.strip_prefix("the wrong rule is ") {
                case.outcome = outcome.to_owned();
            } else if let Some((name, values)) = line.split_once(" = ") {
                case.rows.push((name.to_owned(), values.split_whitespace().map(str::to_owned).collect()));
            }
        }
        assert!(!case.outcome.is_empty(), "{}", case.name);
        case
    }

    fn row(&self, name: &str) -> Option<&[String]> {
        self.rows.iter().find(|r| r.0 == name).map(|r| r.1.as_slice())
    }

    fn values(&self, name: &str) -> Vec<Rational> {
        let row = self.row(name).unwrap_or_else(|| panic!("{}: {name} is missing", self.name));
        row.iter().map(|t| rational(t)).collect()
    }

    /// The source with one of its two statements.
    fn statement(&self, which: &str) -> (Vec<Statement>, Vec<pullback_kernel::source::Diagnostic>) {
        let at = self.source.find("contract wrong").unwrap();
        load(if which == "right" { &self.source[..at] } else { &self.source[at..] })
    }

    fn sample(&self, s: &Statement) -> Sample {
        let sizes: Vec<usize> = s.dims().iter().map(|d| self.values(&d.name.text)[0].to_usize().unwrap()).collect();
        let map = |k: usize| {
            part_table(s, &sizes, k).unwrap_or_else(|| {
                let row = self.row(&s.maps()[k].name.text).unwrap();
                row.iter().map(|t| t.parse().ok()).collect()
            })
        };
        Sample {
            point: Point {
                maps: (0..s.maps().len()).map(map).collect(),
                params: s.params().iter().map(|p| self.values(&p.name.text)[0].clone()).collect(),
                constants: s.constants().iter().map(|t| self.values(&t.name.text)).collect(),
                inputs: s.inputs().iter().map(|t| self.values(&t.name.text)).collect(),
                sizes,
            },
            cotangents: s.outputs().iter().map(|o| self.values(&format!("d{}", o.tensor.name))).collect(),
        }
    }
}

/// `-0.5`, `1e-8`, `4/9`
fn rational(text: &str) -> Rational {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let part = |t: &str| Number::new(t).unwrap_or_else(|| panic!("not a number: {t}")).value().clone();
    let value = match text.split_once('/') {
        Some((n, d)) => part(n) / part(d),
        None => part(text),
    };
    value * Rational::from_integer(sign.into())
}

/// What the rule gives at the point: exact where it is rational, else to 256 places.
enum Gradient {
    Exact(Vec<Vec<Rational>>),
    Precise(Vec<Vec<Fixed>>),
    Undefined,
}

fn gradient(s: &Statement, sample: &Sample) -> Gradient {
    fn run<N: Oracle>(s: &Statement, sample: &Sample) -> Result<Vec<Vec<N>>, EvalError> {
        let point = convert::<N>(&sample.point);
        let values = eval::forward(s, &point)?;
        eval::backward(s, &point, &values, &numbers(&sample.cotangents))
    }
    match run::<Rational>(s, sample) {
        Ok(g) => return Gradient::Exact(g),
        Err(EvalError::Undefined(_)) => return Gradient::Undefined,
        Err(_) => {}
    }
    match run::<Fixed>(s, sample) {
        Ok(g) => Gradient::Precise(g),
        Err(EvalError::Undefined(_)) => Gradient::Undefined,
        Err(e) => panic!("{e}"),
    }
}

/// Asserts the gradient that the case gives for `which`.
fn assert_gradient(case: &Case, which: &str, s: &Statement, sample: &Sample) {
    let undefined = |i: usize| case.row(&format!("{which} d{}", s.inputs()[i].name)) == Some(&["undefined".to_owned()]);
    let found = gradient(s, sample);
    for (i, input) in s.inputs().iter().enumerate() {
        let what = format!("{} {which} d{}", case.name, input.name);
        if undefined(i) {
            assert!(matches!(found, Gradient::Undefined), "{what} has a value");
            return;
        }
        let texts = case.row(&format!("{which} d{}", input.name)).unwrap_or_else(|| panic!("{what} is missing"));
        let largest = texts.iter().map(|t| rational(t).float().abs()).fold(1e-3, f64::max);
        for (k, text) in texts.iter().enumerate() {
            let expected = rational(text);
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            let float = match &found {
                // A short decimal is the value itself, a long one was cut.
                Gradient::Exact(g) if digits < 10 => {
                    assert_eq!(g[i][k], expected, "{what}[{k}]");
                    continue;
                }
                Gradient::Exact(g) => g[i][k].float(),
                Gradient::Precise(g) => g[i][k].float(),
                Gradient::Undefined => panic!("{what} has no value"),
            };
            // The data are 64-bit floats: a zero may have come out as a rounding error of the other entries.
            let expected = expected.float();
            let close = 1e-9 * if expected.abs() > 1e-12 * largest { expected.abs() } else { largest };
            assert!((float - expected).abs() <= close, "{what}[{k}] is {float}, not {expected}");
        }
    }
}

/// The right gradient is the adjoint by dual numbers too, where the point is no boundary.
fn assert_adjoint(case: &Case, s: &Statement, sample: &Sample) {
    let point = convert::<Fixed>(&sample.point);
    let cotangents = numbers(&sample.cotangents);
    let Ok(values) = eval::forward_off_boundary(s, &point, STEPS) else { return };
    let expected = adjoint(s, &point, &cotangents).unwrap();
    let claimed = eval::backward(s, &point, &values, &cotangents).unwrap();
    for (a, b) in expected.iter().flatten().zip(claimed.iter().flatten()) {
        assert_eq!(a.same(b), Some(true), "{}: {} and {}", case.name, a.float(), b.float());
    }
}

fn check(case: &Case) {
    let (mut statements, errors) = case.statement("right");
    assert!(errors.is_empty(), "{}: {errors:#?}", case.name);
    let right = statements.remove(0);
    let sample = case.sample(&right);
    match prove(&right) {
        Outcome::Proved(_) => {}
        Outcome::Refuted(c) => panic!("{}: the right rule is refuted\n{c}", case.name),
        Outcome::Undecided(d) => panic!("{}: the right rule is undecided: {d}", case.name),
    }
    assert_gradient(case, "right", &right, &sample);
    assert_adjoint(case, &right, &sample);

    let (mut statements, errors) = case.statement("wrong");
    if case.outcome == "a shape error" {
        assert!(!errors.is_empty() && statements.is_empty(), "{}: the wrong rule has the right shape", case.name);
        return;
    }
    assert!(errors.is_empty(), "{}: {errors:#?}", case.name);
    let wrong = statements.remove(0);
    match (prove(&wrong), case.outcome.as_str()) {
        (Outcome::Proved(_), "proved") => {}
        (Outcome::Refuted(c), "refuted") => {
            assert_eq!(recheck(&wrong, &c), Ok(true), "{}\n{c}", case.name);
        }
        (Outcome::Undecided(d), outcome) if outcome.starts_with("undecided: ") => {
            let reason = &outcome["undecided: ".len()..];
            assert!(d.to_string().starts_with(reason), "{}: {d}", case.name);
        }
        (Outcome::Proved(_), _) => panic!("{}: the wrong rule is proved", case.name),
        (Outcome::Refuted(c), o) => panic!("{}: the wrong rule is refuted, not {o}\n{c}", case.name),
        (Outcome::Undecided(d), o) => panic!("{}: the wrong rule is undecided, not {o}: {d}", case.name),
    }
    assert_gradient(case, "wrong", &wrong, &sample);
}

#[test]
fn every_shipped_wrong_rule_is_refused_and_the_right_one_proved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "contract"));
    paths.sort();
    let cases: Vec<Case> = paths.iter().map(|p| Case::read(p)).collect();
    let mut failed = Vec::new();
    for case in &cases {
        if std::panic::catch_unwind(|| check(case)).is_err() {
            failed.push(case.name.clone());
        }
    }
    let with = |outcome: &str| cases.iter().filter(|c| c.outcome.starts_with(outcome)).count();
    println!(
        "{} cases; of the second rules {} are refuted, {} undecided, {} are shape errors, {} proved",
        cases.len(),
        with("refuted"),
        with("undecided"),
        with("a shape error"),
        with("proved")
    );
    assert!(failed.is_empty(), "{failed:?}");
    assert!(cases.len() >= 30);
}
