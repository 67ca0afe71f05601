//! What the laws say of the functions of a case.

use std::sync::{Mutex, PoisonError};

use pullback_laws::{LawViolation, Options, Report, Rule, Signature, Subject, View, Whole};
use serde::Serialize;

use super::record::Record;
use super::rule::Remembering;
use super::{Case, Law};

/// What the laws made of a case.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judged {
    /// The right rule passes, and the shipped one breaks this law, which is one that it should.
    Caught(&'static str),
    /// An accepted case: the right rule passes.
    Passed,
    /// Something else, in words.
    Missed(String),
}

impl Law {
    /// What the checker of laws calls the equations of this kind.
    fn equations(self) -> &'static [&'static str] {
        match self {
            Law::Shape => &["shape"],
            Law::Defined => &["defined", "adjoint"],
            Law::Linear => &["homogeneous", "additive", "zero_to_zero"],
            Law::Pure => &["deterministic", "reusable", "interleaved", "recomputable"],
            Law::Transposition => &["adjoint"],
            Law::Declared => &["convention", "same_contract"],
        }
    }
}

/// What the laws have to know of a case beside its functions: where it is defined, where it has corners.
const OPTIONS: &[(&str, fn(Options) -> Options)] = &[];

/// Rules that are declared to be something else than the derivative, everywhere.
const SURROGATES: &[&str] = &["case-052", "case-054"];

/// Lets the laws judge a case: the right rule must pass, the shipped one must break a law of the kind that the table says.
pub fn judge(case: &Case, record: &Record) -> Judged {
    match check(case, record, Box::new(case.rule.right)) {
        Err(violation) => Judged::Missed(format!("the right rule is rejected: {violation}")),
        Ok(_) => match case.law {
            None => Judged::Passed,
            Some(law) => match check(case, record, case.rule.wrong.start()) {
                Ok(_) => Judged::Missed("the shipped rule passes all laws".to_owned()),
                Err(violation) if law.equations().contains(&violation.law().name) => {
                    Judged::Caught(violation.law().name)
                }
                Err(violation) => {
                    Judged::Missed(format!("the shipped rule breaks a law, but not of the kind {law:?}: {violation}"))
                }
            },
        },
    }
}

/// The laws on a rule of the case.
fn check(case: &Case, record: &Record, pull: Remembering) -> Result<Report, LawViolation> {
    let surrogate = SURROGATES.contains(&case.name);
    let label = match record.in_language.as_str() {
        _ if surrogate => "surrogate",
        "declared" => "convention",
        _ => "unproved",
    };
    let (right, rule) = (rule(case, Box::new(case.rule.right)).declared(label), rule(case, pull).declared(label));
    let (right, rule) = (right.at(&[]), rule.at(&[]));
    // What is declared is what the right rule gives.
    let stated =
        |x: &[f64], u: &[f64]| (case.rule.right)(&parts(x, case.rule.inputs), &parts(u, case.rule.outputs)).concat();
    let mut subject = Subject::new(&rule);
    match label {
        "surrogate" => subject = subject.is(Whole::Same(&right)),
        "convention" => subject = subject.declares(&stated),
        _ => {}
    }
    let options = OPTIONS.iter().find(|(name, _)| *name == case.name);
    subject.check(&options.map_or_else(Options::new, |(_, options)| options(Options::new())))
}

/// A rule of the case over arrays; several outputs are one after the other.
fn rule(case: &Case, pull: Remembering) -> Rule<'_, f64> {
    // A rule with a memory is one for the whole of a check.
    let pull = Mutex::new(pull);
    let forward = |x: &[View<'_, f64>]| (case.rule.forward)(&x.iter().map(|x| &**x).collect::<Vec<_>>()).concat();
    Rule::new(signature(case), forward, move |tape, u| {
        let x: Vec<&[f64]> = tape.inputs.iter().map(Vec::as_slice).collect();
        pull.lock().unwrap_or_else(PoisonError::into_inner)(&x, &parts(&u, case.rule.outputs))
    })
}

/// The arrays of these shapes, one after the other.
fn parts<'a>(mut numbers: &'a [f64], shapes: &[&[usize]]) -> Vec<&'a [f64]> {
    let mut part = |shape: &&[usize]| {
        let (part, rest) = numbers.split_at(shape.iter().product::<usize>().min(numbers.len()));
        numbers = rest;
        part
    };
    shapes.iter().map(&mut part).collect()
}

/// The shapes of the case.
fn signature(case: &Case) -> Signature {
    let shape = |shape: &&[usize]| shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let inputs: Vec<String> = case.rule.inputs.iter().map(shape).collect();
    let output = match case.rule.outputs {
        [one] => shape(one),
        several => several.iter().map(|shape| shape.iter().product::<usize>()).sum::<usize>().to_string(),
    };
    let text = format!("{} -> {output}", inputs.join(", "));
    text.parse().unwrap_or_else(|_| unreachable!("numbers are axes"))
}

#[cfg(test)]
mod tests {
    use super::super::{cases, record::records};
    use super::*;

    #[test]
    fn every_case_is_judged() {
        let mut missed = Vec::new();
        for (case, record) in cases().zip(records().expect("the cases")) {
            match judge(case, &record) {
                Judged::Missed(why) => missed.push(format!("{}: {why}", case.name)),
                Judged::Caught(law) => println!("{}: {law}", case.name),
                Judged::Passed => println!("{}: passed", case.name),
            }
        }
        assert!(missed.is_empty(), "{}", missed.join("\n\n"));
    }
}
