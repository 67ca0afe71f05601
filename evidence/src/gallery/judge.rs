//! What the laws say of the functions of a case.

use std::sync::{Mutex, PoisonError};

use pullback_laws::{Declared, Domain, LawViolation, Options, Report, Rule, Signature, Subject, View, Whole};
use serde::Serialize;

use super::record::Record;
use super::rule::Shipped;
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
            Law::Defined => &["defined"],
            Law::Linear => &["homogeneous", "additive", "zero_to_zero"],
            Law::Pure => &["deterministic", "reusable", "interleaved", "recomputable"],
            Law::Transposition => &["adjoint", "duplicated", "same_contract"],
            Law::Declared => &["convention", "duplicated", "same_contract"],
        }
    }
}

/// What the laws have to be told of a case beside its functions: by whoever runs them, here and elsewhere.
struct Setting {
    case: &'static str,
    /// The same in words, for the score.
    says: &'static str,
    /// Where it is defined.
    options: fn(Options) -> Options,
}

const fn at(case: &'static str, says: &'static str, options: fn(Options) -> Options) -> Setting {
    Setting { case, says, options }
}

/// No accepted case is among them: these pass as they are.
const SETTINGS: &[Setting] = &[
    at("case-010", "its domain: numbers that are not all alike, where a deviation is smooth", |options| {
        options.domain(Domain::Distinct)
    }),
    at("case-013", "its domain: numbers that are not zero", |options| options.domain(Domain::NonZero)),
    at("case-029", "its domain: numbers that are not all zero, where a norm is smooth", |options| {
        options.domain(Domain::Distinct)
    }),
    at("case-049", "its domain: positive numbers", |options| options.domain(Domain::Positive)),
    at("case-055", "its domain: positive matrices, far from being singular", |options| {
        options.inside(|x| x[0][0] > 0.5 && x[0][0] * x[0][3] - x[0][1] * x[0][1] > 0.5)
    }),
];

/// The options of a case in words, where they are not the default ones.
pub fn told(case: &Case) -> Option<&'static str> {
    setting(case).map(|setting| setting.says)
}

fn setting(case: &Case) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.case == case.name)
}

/// Rules that are declared to be something else than the derivative, everywhere.
const SURROGATES: &[&str] = &["case-052", "case-054"];

/// Lets the laws judge a case: the right rule must pass, the shipped one must break a law of the kind that the table says.
pub fn judge(case: &Case, record: &Record) -> Judged {
    judged(case, record, setting(case))
}

fn judged(case: &Case, record: &Record, setting: Option<&Setting>) -> Judged {
    match check(case, record, setting, Shipped::Plain(case.rule.right)) {
        Err(violation) => Judged::Missed(format!("the right rule is rejected: {violation}")),
        Ok(_) => match case.law {
            None => Judged::Passed,
            Some(law) => match check(case, record, setting, case.rule.wrong) {
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
fn check(case: &Case, record: &Record, setting: Option<&Setting>, pull: Shipped) -> Result<Report, LawViolation> {
    let surrogate = SURROGATES.contains(&case.name);
    let label = match record.in_language.as_str() {
        _ if surrogate => Declared::Surrogate,
        "declared" => Declared::Convention,
        _ => Declared::Unproved,
    };
    let right = rule(case, Shipped::Plain(case.rule.right)).declared(label);
    let rule = rule(case, pull).declared(label);
    let (right, rule) = (right.at(&[]), rule.at(&[]));
    // What is declared is what the right rule gives.
    let stated =
        |x: &[f64], u: &[f64]| (case.rule.right)(&parts(x, case.rule.inputs), &parts(u, case.rule.outputs)).concat();
    let mut subject = Subject::new(&rule);
    if surrogate {
        subject = subject.is(Whole::Same(&right));
    } else if label == Declared::Convention {
        subject = subject.declares(&stated);
    }
    subject.check(&setting.map_or_else(Options::new, |setting| (setting.options)(Options::new())))
}

/// A rule of the case over arrays; several outputs are one after the other.
///
/// A rule with a memory has it on its tape: every forward call begins a new one.
fn rule<'a>(case: &'a Case, pull: Shipped) -> Rule<'a, f64> {
    let forward = move |x: &[View<'_, f64>]| {
        let x: Vec<f64> = x.iter().flat_map(|x| x.iter().copied()).collect();
        let value = (case.rule.forward)(&parts(&x, case.rule.inputs)).concat();
        (value, (x, Mutex::new(pull.start())))
    };
    Rule::new(signature(case), forward, move |(x, pull), u| {
        let mut pull = pull.lock().unwrap_or_else(PoisonError::into_inner);
        pull(&parts(x, case.rule.inputs), &parts(&u, case.rule.outputs))
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
        let judged = cases().zip(records().expect("the cases")).map(|(case, record)| (case.name, judge(case, &record)));
        let missed: Vec<String> = judged
            .filter_map(|(name, judged)| match judged {
                Judged::Missed(why) => Some(format!("{name}: {why}")),
                Judged::Caught(_) | Judged::Passed => None,
            })
            .collect();
        assert!(missed.is_empty(), "{}", missed.join("\n\n"));
    }

    /// What a case is told is needed: without it the laws do not judge the case. One for which they do loses its row.
    #[test]
    fn no_case_is_told_more_than_it_needs() {
        let all = cases().zip(records().expect("the cases"));
        let told: Vec<_> = all.filter_map(|(case, record)| Some((case, record, setting(case)?))).collect();
        assert_eq!(told.len(), SETTINGS.len());
        for (case, record, setting) in told {
            assert!(case.law.is_some(), "{} is an accepted case, which passes with default options", case.name);
            let found = judged(case, &record, None);
            assert!(matches!(found, Judged::Missed(_)), "{} needs no {:?}: {found:?}", case.name, setting.says);
        }
    }
}
