//! Suite `gallery`: backward rules that were shipped and were wrong, and right ones that were reported as wrong.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `gallery/wrong_rules.jsonl` | 59 cases: formulas, a point, a cotangent, the right gradient and the wrong one |
//! | `gallery/statements/` | 55 of them as statements, each with the right rule and the shipped one |
//! | `values`, `usage`, `shapes`, `edges`, `accepted` | all of them as functions over slices, written by hand from the formulas |
//! | [`record`], [`stated`], [`judge`](mod@judge) | reading the cases, the kernel's verdict on statements, the laws' verdict on functions |
//!
//! A case is met by every door that fits it: the kernel proves the right statement and refuses the shipped one, and the
//! laws reject the shipped function. What was written by hand must give the recorded gradients, right and wrong: a
//! translation that is wrong in its own way is no case.
//! This module must never count a case as caught for which nothing said so.

mod accepted;
mod edges;
pub mod judge;
pub mod record;
pub mod rule;
mod shapes;
pub mod stated;
mod usage;
mod values;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::suite::{Event, Options, Outcome, Suite};
use judge::{Judged, judge};
use record::{Record, records};
use rule::{Forward, Pull, Rule, Shipped};
use stated::Stated;

/// The suite.
pub const SUITE: Suite = Suite {
    name: "gallery",
    about: "every wrong rule of the gallery is caught and every right one passes",
    draws: false,
    run,
};

/// Where a case is met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Door {
    /// As a statement: the kernel refuses the shipped rule.
    Statement,
    /// As a contract written by hand: the laws reject it.
    Contract,
    /// As what a program makes of its parts: fan-out, repeated arguments, a rule that a transform must keep.
    Program,
    /// As a rule that changes or keeps what is not its own.
    Mutation,
    /// As a rule that draws again.
    Randomness,
}

/// The law that a shipped function breaks: the first of these that does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Law {
    /// One cotangent for each input, of its shape.
    Shape,
    /// The rule has a value wherever the operation has one.
    Defined,
    /// Additive, zero at zero, homogeneous.
    Linear,
    /// The same for the same arguments.
    Pure,
    /// `⟨u, Jv⟩ = ⟨J*u, v⟩`
    Transposition,
    /// It is what was declared, where that is not the derivative.
    Declared,
}

/// A case: where it is met, what rejects it, and its functions.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its name, as in the file of cases.
    pub name: &'static str,
    /// The door that fits it best.
    pub door: Door,
    /// The law that rejects the shipped function; none for an accepted case.
    pub law: Option<Law>,
    /// Its statements, if it has any.
    pub statement: Option<&'static str>,
    /// Its functions.
    pub rule: Rule,
}

#[expect(clippy::too_many_arguments, reason = "a row of a table")]
const fn case(
    name: &'static str,
    door: Door,
    law: Option<Law>,
    statement: Option<&'static str>,
    inputs: &'static [&'static [usize]],
    outputs: &'static [&'static [usize]],
    forward: Forward,
    right: Pull,
    wrong: Shipped,
) -> Case {
    Case { name, door, law, statement, rule: Rule { inputs, outputs, forward, right, wrong } }
}

/// The statements of a case by its number: `text!("001")`.
macro_rules! text {
    ($number:literal) => {
        include_str!(concat!("../../gallery/statements/case-", $number, ".contract"))
    };
}
use text;

/// All cases, in the order of the file.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    [values::CASES, usage::CASES, shapes::CASES, edges::CASES, accepted::CASES].into_iter().flatten()
}

/// Cases of the file, and how many of them are to be rejected.
const CASES: (usize, usize) = (59, 55);
/// Cases that are statements too.
const STATEMENTS: usize = 55;

/// A case in the report.
#[derive(Serialize)]
struct Score {
    name: &'static str,
    kind: String,
    verdict: String,
    door: Door,
    law: Option<Law>,
    /// What the kernel made of its statements.
    statement: Option<&'static str>,
    /// What the laws made of its functions.
    functions: Judged,
    /// What the laws had to be told of it; none where the default options do.
    options: Option<&'static str>,
}

fn run(_: &Options, watch: &mut dyn FnMut(Event)) -> Outcome {
    let mut outcome = Outcome::default();
    let records: BTreeMap<String, Record> = match records() {
        Ok(records) => records.into_iter().map(|record| (record.name.clone(), record)).collect(),
        Err(error) => {
            outcome.fail("wrong_rules.jsonl", error);
            BTreeMap::new()
        }
    };
    watch(Event::Steps(records.len()));
    let (mut count, mut rejected, mut statements, mut judged) = (0, 0, 0, 0);
    for case in cases() {
        let Some(record) = records.get(case.name) else {
            outcome.fail(case.name, "the file of cases has no such case");
            continue;
        };
        let mut good = true;
        let mut check = |outcome: &mut Outcome, found: Result<(), String>| {
            if let Err(message) = found {
                good = false;
                outcome.fail(case.name, format!("{}, {}: {message}", case.name, record.kind));
            }
        };
        check(&mut outcome, record.expects(case.law.is_none()));
        check(&mut outcome, record.gradients(&case.rule));
        let stated = case.statement.map(Stated::new);
        if let Some(stated) = &stated {
            check(&mut outcome, stated.judge());
            statements += 1;
        }
        let functions = judge(case, record);
        if let Judged::Missed(message) = &functions {
            check(&mut outcome, Err(message.clone()));
        }
        judged += usize::from(matches!(functions, Judged::Caught(_) | Judged::Passed));
        if good {
            count += 1;
            rejected += usize::from(case.law.is_some());
        }
        outcome.push(&Score {
            name: case.name,
            kind: record.kind.clone(),
            verdict: record.verdict.clone(),
            door: case.door,
            law: case.law,
            statement: stated.map(|stated| stated.outcome),
            functions,
            options: judge::told(case),
        });
        watch(Event::Step);
    }
    outcome.count("cases", count, CASES.0);
    outcome.count("wrong rules", rejected, CASES.1);
    outcome.count("statements", statements, STATEMENTS);
    outcome.count("functions judged by laws", judged, CASES.0);
    outcome
}

#[cfg(test)]
mod tests {
    use pullback_program::random::Random;

    use super::record::slices;
    use super::*;
    use crate::double::Double;
    use crate::graphs::like;
    use crate::ridders;

    #[test]
    fn the_gallery_holds() {
        let outcome = run(&Options::default(), &mut |_| {});
        assert!(outcome.holds(), "{:#?}", outcome.failures);
        let recorded: Vec<String> = records().expect("the cases").into_iter().map(|record| record.name).collect();
        assert_eq!(cases().map(|case| case.name).collect::<Vec<_>>(), recorded);
    }

    /// The forward functions and the right rules belong to each other, near the recorded points: so the ones are not
    /// translated wrongly either. Two right rules are declared and are no derivatives.
    #[test]
    fn right_rules_are_the_derivatives_of_their_functions() {
        let records = records().expect("the cases");
        for (case, record) in cases().zip(&records).filter(|(case, _)| !["case-052", "case-054"].contains(&case.name)) {
            let mut random = Random(7);
            let recorded = record.inputs(&case.rule).expect("inputs");
            // Near it, off ties and kinks, and of moderate size.
            let noise = like(&mut random, &recorded);
            let near = |(x, e): (&f64, &f64)| x.clamp(-5.0, 5.0) + 0.1 * e;
            let x: Vec<Vec<f64>> =
                recorded.iter().zip(&noise).map(|(x, e)| x.iter().zip(e).map(near).collect()).collect();
            let call = |x: &[Vec<f64>]| (case.rule.forward)(&slices(x));
            let y = call(&x);
            assert_eq!(y.iter().map(Vec::len).collect::<Vec<_>>(), sizes(case.rule.outputs), "{}", case.name);
            let (v, u) = (like(&mut random, &x), like(&mut random, &y));
            let moved = |t: f64| -> Result<Vec<Double>, std::convert::Infallible> {
                let x: Vec<Vec<f64>> =
                    x.iter().zip(&v).map(|(x, v)| x.iter().zip(v).map(|(x, v)| x + t * v).collect()).collect();
                Ok(call(&x).concat().into_iter().map(Double::new).collect())
            };
            let Ok(found) = ridders::derivative(moved, 1e-9);
            let ahead: f64 = u.concat().iter().zip(&found.tangents).map(|(u, t)| u * t.high).sum();
            let pulled = (case.rule.right)(&slices(&x), &slices(&u));
            let back: f64 = pulled.concat().iter().zip(v.concat()).map(|(k, v)| k * v).sum();
            assert!((ahead - back).abs() <= 1e-6 * ahead.abs().max(1.0), "{}: {ahead} and {back}", case.name);
        }
    }

    fn sizes(shapes: &[&[usize]]) -> Vec<usize> {
        shapes.iter().map(|shape| shape.iter().product()).collect()
    }
}
