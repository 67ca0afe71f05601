//! What became of a statement, as plain data: the object that `--json` prints.
//!
//! This module turns the kernel's verdicts into words and must never change one.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use pullback_kernel::source::{Span, line_column};
use pullback_kernel::statement::{Condition, Declaration, Label, Statement};
use pullback_kernel::{Budget, Cause, Counterexample, Difference, Outcome, Theorem, Value, Wrong};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::source::Source;

const ANOTHER_FORM: &str = "write the rule in another form; what is undecided counts as failing";
const NOT_SUPPORTED: &str = "say it without this construct; what is undecided counts as failing";
const MORE: &str = "--work gives it more, and --memory room; what is undecided counts as failing";

/// The verdict on a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// The kernel made a theorem.
    Proved,
    /// The kernel found a counterexample.
    Refuted,
    /// Neither. Counts as failing.
    Undecided,
}

impl Verdict {
    /// As it is printed.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Refuted => "refuted",
            Verdict::Undecided => "undecided",
        }
    }
}

/// A statement and what became of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Record {
    /// The operation.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: u32,
    /// Where it stands.
    pub(crate) file: String,
    /// The line of its name there.
    pub(crate) line: usize,
    /// The verdict.
    pub(crate) outcome: Verdict,
    /// Whether its rule is `given`, or `derived` by the kernel.
    pub(crate) rule: &'static str,
    /// Why the rule may be believed; nothing where it may not.
    pub(crate) evidence: Option<Evidence>,
    /// The conditions of its open domain; none where all inputs are in it.
    pub(crate) domain: Vec<String>,
    /// How long the kernel took.
    pub(crate) milliseconds: f64,
    /// Where it is wrong.
    pub(crate) counterexample: Option<Point>,
    /// Why nothing could be said.
    pub(crate) undecided: Option<Undecided>,
}

/// Why a rule may be believed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Evidence {
    /// `proved`, or what the statement declares of its nonsmooth points: `convention`, `subgradient`, `surrogate`,
    /// `unproved`.
    pub(crate) kind: &'static str,
    /// The author's words.
    pub(crate) text: Option<String>,
    /// Where a surrogate differs from the derivative.
    pub(crate) differs_at: Option<Point>,
}

/// Why nothing could be said.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Undecided {
    /// One sentence.
    pub(crate) reason: String,
    /// What is left of expected − claimed.
    pub(crate) left_over: Option<String>,
    /// The clause that it is about.
    pub(crate) clause: Clause,
    /// What may help.
    pub(crate) help: &'static str,
}

/// A clause in the source.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Clause {
    #[serde(skip)]
    pub(crate) span: Span,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) text: String,
}

/// A point at which a rule is not the adjoint of the derivative.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Point {
    /// Dimensions and their sizes.
    #[serde(serialize_with = "map")]
    #[schemars(with = "BTreeMap<String, usize>")]
    pub(crate) dims: Vec<(String, usize)>,
    /// Scalar parameters.
    #[serde(serialize_with = "map")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub(crate) params: Vec<(String, String)>,
    /// Index maps as tables, `-` where undefined.
    pub(crate) maps: Vec<Array>,
    /// Constants.
    pub(crate) constants: Vec<Array>,
    /// Inputs.
    pub(crate) inputs: Vec<Array>,
    /// The cotangents of the outputs.
    pub(crate) cotangents: Vec<Array>,
    /// The right value; nothing where the rule has no value at all.
    pub(crate) expected: Option<String>,
    /// What the rule gives.
    pub(crate) claimed: Option<String>,
    /// The cotangent that is wrong.
    pub(crate) tensor: Option<String>,
    /// At which index.
    pub(crate) at: Option<Vec<usize>>,
    /// Why the rule has no value.
    pub(crate) undefined: Option<String>,
    /// Whether the numbers are exact rationals.
    pub(crate) exact: bool,
    /// The clause at fault.
    pub(crate) clause: Clause,
    /// In words, as the kernel writes it.
    #[serde(skip)]
    pub(crate) shown: String,
}

/// A tensor of numbers, written as text so that none is rounded.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Array {
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    /// In row-major order.
    pub(crate) entries: Vec<String>,
}

/// Pairs as a JSON object, in their order.
pub(crate) fn map<K: AsRef<str>, V: Serialize, S: Serializer>(pairs: &[(K, V)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(key, value)| (key.as_ref(), value)))
}

impl Record {
    /// Lets the kernel say what becomes of a statement.
    pub(crate) fn of(source: &Source, statement: &Statement, budget: &Budget) -> Record {
        let since = Instant::now();
        let outcome = pullback_kernel::prove_within(statement, budget);
        let mut record = Record::blank(source, statement, since.elapsed());
        let conditions = |list: &[Condition]| list.iter().map(|c| statement.show_condition(c)).collect();
        record.domain = match &outcome {
            Outcome::Proved(theorem) => conditions(theorem.domain()),
            _ => conditions(&pullback_kernel::domain(statement)),
        };
        match outcome {
            Outcome::Proved(theorem) => {
                record.outcome = Verdict::Proved;
                record.evidence = Some(Evidence::new(source, &theorem));
            }
            Outcome::Refuted(found) => {
                record.outcome = Verdict::Refuted;
                record.counterexample = Some(Point::new(source, &found));
            }
            Outcome::Undecided(Difference { cause, reason, rest, span }) => {
                // What is admitted without a proof says so.
                record.evidence = statement.declaration().filter(|d| d.label == Label::Unproved).map(|d| Evidence {
                    kind: kind(d),
                    text: Some(d.text.clone()),
                    differs_at: None,
                });
                let clause = Clause::new(source, span);
                let help = match cause {
                    Cause::Unsupported => NOT_SUPPORTED,
                    Cause::Limit => MORE,
                    _ => ANOTHER_FORM,
                };
                record.undecided = Some(Undecided { reason, left_over: rest, clause, help });
            }
        }
        record
    }

    fn blank(source: &Source, statement: &Statement, time: Duration) -> Record {
        Record {
            name: statement.name().text.clone(),
            version: statement.version(),
            file: source.file.clone(),
            line: line_column(&source.text, statement.name().span.start as usize).0,
            outcome: Verdict::Undecided,
            rule: if statement.gradients().is_some() { "given" } else { "derived" },
            evidence: None,
            domain: Vec::new(),
            milliseconds: milliseconds(time),
            counterexample: None,
            undecided: None,
        }
    }
}

impl Evidence {
    fn new(source: &Source, theorem: &Theorem) -> Evidence {
        let declaration = theorem.declaration();
        Evidence {
            kind: declaration.map_or("proved", kind),
            text: declaration.map(|d| theorem.statement().show_declaration(d)).filter(|t| !t.is_empty()),
            differs_at: theorem.differs_at().map(|found| Point::new(source, found)),
        }
    }
}

fn kind(declaration: &Declaration) -> &'static str {
    match declaration.label {
        Label::Convention => "convention",
        Label::Subgradient => "subgradient",
        Label::Surrogate => "surrogate",
        Label::Unproved => "unproved",
    }
}

impl Clause {
    fn new(source: &Source, span: Span) -> Clause {
        let (line, column) = line_column(&source.text, span.start as usize);
        let text = source.text.get(span.range()).unwrap_or_default().trim().to_owned();
        Clause { span, line, column, text }
    }
}

impl Point {
    fn new(source: &Source, found: &Counterexample) -> Point {
        let array = |v: &Value| Array { name: v.name.clone(), shape: v.shape.clone(), entries: v.entries.clone() };
        let arrays = |list: &[Value]| list.iter().map(array).collect();
        let mut point = Point {
            dims: found.dims.clone(),
            params: found.params.clone(),
            maps: arrays(&found.maps),
            constants: arrays(&found.constants),
            inputs: arrays(&found.inputs),
            cotangents: arrays(&found.cotangents),
            expected: None,
            claimed: None,
            tensor: None,
            at: None,
            undefined: None,
            exact: found.exact,
            clause: Clause::new(source, found.span),
            shown: found.to_string(),
        };
        match &found.wrong {
            Wrong::Differs { expected, claimed, tensor, at } => {
                point.expected = Some(expected.clone());
                point.claimed = Some(claimed.clone());
                point.tensor = Some(tensor.clone());
                point.at = Some(at.clone());
            }
            Wrong::Outside { sides: (a, b), claimed, tensor, at } => {
                point.expected = Some(format!("between {a} and {b}"));
                point.claimed = Some(claimed.clone());
                point.tensor = Some(tensor.clone());
                point.at = Some(at.clone());
            }
            Wrong::NotLinear { once, twice, tensor, at } => {
                point.expected = Some(format!("half of {twice}, as it is at twice the cotangent"));
                point.claimed = Some(once.clone());
                point.tensor = Some(tensor.clone());
                point.at = Some(at.clone());
            }
            Wrong::Undefined { what } => point.undefined = Some(what.clone()),
        }
        point
    }

    /// `dx[0, 1]`, where it is wrong.
    pub(crate) fn place(&self) -> Option<String> {
        let (tensor, at) = (self.tensor.as_ref()?, self.at.as_ref()?);
        if at.is_empty() {
            return Some(tensor.clone());
        }
        Some(format!("{tensor}[{}]", at.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")))
    }
}

/// To the microsecond.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
