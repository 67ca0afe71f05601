//! The statements of the gallery at the recorded points: their gradients, exactly or to 256 places, and the adjoint by dual
//! numbers. What the kernel says of them is for the suite `gallery`; here its counterexamples are checked again.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, and this one reports counts")]

#[path = "../../kernel/tests/support/mod.rs"]
mod support;

use num_traits::ToPrimitive;
use pullback_evidence::gallery::{self, stated::Stated};
use pullback_kernel::eval::{self, EvalError, Point};
use pullback_kernel::statement::Statement;
use pullback_kernel::syntax::Number;
use pullback_kernel::{Outcome, Rational, prove};
use support::{Fixed, Oracle, STEPS, Sample, adjoint, convert, numbers, part_table, recheck};

/// A case with statements.
struct Case {
    name: &'static str,
    stated: Stated,
}

impl Case {
    fn row(&self, name: &str) -> Option<&[&'static str]> {
        self.stated.rows.iter().find(|r| r.0 == name).map(|r| r.1.as_slice())
    }

    fn values(&self, name: &str) -> Vec<Rational> {
        let row = self.row(name).unwrap_or_else(|| panic!("{}: {name} is missing", self.name));
        row.iter().map(|t| rational(t)).collect()
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
    let undefined = |i: usize| case.row(&format!("{which} d{}", s.inputs()[i].name)) == Some(&["undefined"]);
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
    let (mut statements, errors) = case.stated.right();
    assert!(errors.is_empty(), "{}: {errors:#?}", case.name);
    let right = statements.remove(0);
    let sample = case.sample(&right);
    assert_gradient(case, "right", &right, &sample);
    assert_adjoint(case, &right, &sample);
    let (mut statements, _) = case.stated.wrong();
    if case.stated.outcome == "a shape error" {
        assert!(statements.is_empty(), "{}: the wrong rule has the right shape", case.name);
        return;
    }
    let wrong = statements.remove(0);
    assert_gradient(case, "wrong", &wrong, &sample);
    if let Outcome::Refuted(c) = prove(&wrong) {
        assert_eq!(recheck(&wrong, &c), Ok(true), "{}\n{c}", case.name);
    }
}

#[test]
fn the_statements_have_the_recorded_gradients() {
    let stated = |case: &gallery::Case| Some(Case { name: case.name, stated: Stated::new(case.statement?) });
    let all: Vec<Case> = gallery::cases().filter_map(stated).collect();
    for case in &all {
        check(case);
    }
    let with = |outcome: &str| all.iter().filter(|case| case.stated.outcome.starts_with(outcome)).count();
    let counts = [with("refuted"), with("undecided"), with("a shape error"), with("proved")];
    println!("{} cases: of the shipped rules {counts:?} are refuted, undecided, shape errors, proved", all.len());
    // The one that is proved is the reporter's of an accepted case, the one that is undecided has no value at its point.
    assert_eq!((all.len(), counts), (55, [51, 1, 2, 1]));
}

/// Every file of statements is one of the gallery's.
#[test]
fn no_file_is_left_out() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("gallery/statements");
    let files = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(files, gallery::cases().filter(|case| case.statement.is_some()).count());
}
