//! Operators: statements by name and content, and the statements derived from them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use pullback_kernel::Rational;
use pullback_kernel::diagnostics::nearest;
use pullback_kernel::statement::{Condition, Label, Statement, Tensor};
use pullback_kernel::{NoRule, Outcome, domain, load, prove};
use pullback_schedule::{Routine, schedule_forward};
use sha2::{Digest as _, Sha256};

use crate::statements::STATEMENTS;

/// The SHA-256 of a statement's canonical text: what a statement is called by, beside its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Digest([u8; 32]);

impl Digest {
    fn of(text: &str) -> Digest {
        Digest(Sha256::digest(text.as_bytes()).into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Digest {
    type Err = OperatorError;

    fn from_str(text: &str) -> Result<Digest, OperatorError> {
        let mut bytes = [0; 32];
        let digits = text.as_bytes();
        if digits.len() != 64 || !digits.iter().all(|d| matches!(d, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(OperatorError::NotADigest(text.chars().take(80).collect()));
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            let value = |d: u8| if d <= b'9' { d - b'0' } else { d - b'a' + 10 };
            *byte = value(pair[0]) << 4 | value(pair[1]);
        }
        Ok(Digest(bytes))
    }
}

/// What was meant, perhaps.
fn like(near: &Option<String>) -> String {
    near.as_ref().map_or(String::new(), |near| format!(" (did you mean `{near}`?)"))
}

/// Why there is no operator.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OperatorError {
    /// The library has no statement of that name.
    #[error("the library has no statement `{name}`{}; a statement of your own needs its text", like(near))]
    Unknown {
        /// The name.
        name: String,
        /// One that is nearly the same.
        near: Option<String>,
    },
    /// Neither a name nor a text was given.
    #[error("a statement needs its `name`, if it is one of the library's, or its `text`")]
    Nothing,
    /// The text has another content than was said.
    #[error("`{name}` has the content {found}, not {expected}: the statement was changed")]
    Changed {
        /// The statement's name.
        name: String,
        /// The digest that was asked for.
        expected: String,
        /// The digest of what is there.
        found: String,
    },
    /// Not 64 lower-case hexadecimal digits.
    #[error("`{0}` is not a content hash: 64 hexadecimal digits in lower case")]
    NotADigest(String),
    /// The text is not one statement.
    #[error("{0}")]
    Text(String),
    /// The statement has another name than was said.
    #[error("the text is that of `{found}`, not of `{expected}`")]
    Name {
        /// The name that was asked for.
        expected: String,
        /// The name in the text.
        found: String,
    },
    /// The rule is wrong, or was not shown to be right and does not say so.
    #[error("the backward rule of `{name}` {reason}")]
    Rule {
        /// The statement's name.
        name: String,
        /// What the kernel says.
        reason: String,
    },
    /// Nothing is left of the statement that was to be derived: it is zero, whatever the data.
    #[error("the derived statement of `{0}` is zero")]
    Zero(String),
    /// A rule that can't be derived within the kernel's limits. It is not zero.
    #[error("a rule that is to be derived for `{0}` is past the kernel's limits")]
    Limit(String),
    /// A derivation that names an input or output twice, out of order, or that is not there.
    #[error("a derivation of `{0}` names its inputs and outputs each once, in order, and among those that are there")]
    Derivation(String),
}

/// How a statement comes from another; see the kernel's `transform`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(
        rename_all = "snake_case",
        deny_unknown_fields,
        expecting = "a derivation: `taped`, or an object with `pullback` or `pushforward`"
    )
)]
pub enum Derivation {
    /// The forward part, with what the rule saves among its outputs.
    Taped,
    /// The backward rule, for the cotangents of these outputs and these inputs.
    Pullback {
        /// Outputs whose cotangents are given; those of the others are zero.
        seeds: Vec<u32>,
        /// Inputs whose cotangents are wanted.
        wanted: Vec<u32>,
    },
    /// The directional derivative, for the tangents of these inputs and these outputs.
    Pushforward {
        /// Inputs that move; the others stand still.
        moving: Vec<u32>,
        /// Outputs whose tangents are wanted.
        wanted: Vec<u32>,
    },
}

/// Where the inputs of a derived operator come from, and what its outputs are: tensors of the statement it is derived from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wiring {
    /// Forward tensors, the first inputs.
    pub saved: Vec<Tensor>,
    /// The last inputs: the cotangents of these outputs, or the tangents of these inputs.
    pub given: Vec<u32>,
    /// The outputs: the cotangents of these inputs, or the tangents of these outputs.
    pub wanted: Vec<u32>,
}

/// Why the backward rule of an operator may be believed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// The kernel proved it.
    Proved,
    /// It is what its author declared: the label, and what is checked of it in the language, or the author's words where the label is taken on trust.
    Declared(Label, String),
    /// Nothing was shown: the kernel's reason.
    Undecided(String),
    /// It is derived from a statement whose rule has this standing, and can't have a better one.
    Derived {
        /// What it is of the other: `the pullback`.
        what: &'static str,
        /// The other, as [`Operator::shown`].
        from: String,
        /// Why the rule of the other may be believed: declared or undecided.
        standing: Box<Standing>,
    },
}

impl Standing {
    /// The standing of the statement that all comes from.
    pub fn origin(&self) -> &Standing {
        match self {
            Standing::Derived { standing, .. } => standing.origin(),
            standing => standing,
        }
    }

    /// How little it says: what is proved, then the labels in their order, then what is undecided.
    fn weakness(&self) -> (u8, Option<Label>) {
        match self.origin() {
            Standing::Declared(label, _) => (1, Some(*label)),
            Standing::Undecided(_) => (2, None),
            _ => (0, None),
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Standing::Proved => f.write_str("is proved"),
            Standing::Declared(label, text) if label.is_trusted() => write!(f, "declares {label} \"{text}\""),
            Standing::Declared(label, text) if text.is_empty() => write!(f, "declares {label}"),
            Standing::Declared(label, text) => write!(f, "declares {label} {text}"),
            Standing::Undecided(reason) => write!(f, "is undecided: {reason}"),
            Standing::Derived { what, from, standing } => write!(f, "is {what} of `{from}`, which {standing}"),
        }
    }
}

/// A statement as an operator of programs: the library's, a user's, or one derived from such.
///
/// Two operators with the same content are the same `Arc` while one of them is held.
pub struct Operator {
    name: String,
    shown: String,
    digest: Digest,
    /// The canonical text; of the base, for a derived operator.
    text: Arc<str>,
    in_library: bool,
    rule: Arc<Rule>,
    derivation: Option<Derivation>,
    wiring: Wiring,
    conditions: OnceLock<Vec<(Condition, String)>>,
    numbers: OnceLock<(Vec<Rational>, Vec<Rational>)>,
    routine: OnceLock<Routine>,
    derived: Mutex<BTreeMap<Derivation, Result<Arc<Operator>, OperatorError>>>,
}

/// A statement and why its rule may be believed, which everything derived from it asks.
struct Rule {
    statement: Statement,
    /// What it is derived from, as what, and how that is shown.
    base: Option<(Arc<Rule>, &'static str, String)>,
    ruled: OnceLock<Statement>,
    own: OnceLock<Standing>,
    standing: OnceLock<Standing>,
}

impl Rule {
    fn ruled(&self) -> &Statement {
        if self.statement.gradients().is_some() {
            return &self.statement;
        }
        self.ruled.get_or_init(|| self.statement.with_derived_rule())
    }

    fn own(&self) -> &Standing {
        self.own.get_or_init(|| match (prove(self.ruled()), self.statement.declaration()) {
            (_, Some(d)) if d.label == Label::Unproved => Standing::Declared(d.label, d.text.clone()),
            (Outcome::Proved(theorem), Some(d)) => Standing::Declared(d.label, theorem.statement().show_declaration(d)),
            (Outcome::Proved(_), None) => Standing::Proved,
            (Outcome::Undecided(difference), _) => Standing::Undecided(difference.to_string()),
            (Outcome::Refuted(found), _) => Standing::Undecided(found.to_string()),
        })
    }

    /// The weaker of its own and that of what it is derived from: a pullback proves nothing of the rule that it is made of.
    fn standing(&self) -> &Standing {
        self.standing.get_or_init(|| {
            let own = self.own();
            let Some((base, what, from)) = &self.base else { return own.clone() };
            let theirs = base.standing();
            if *theirs == Standing::Proved || theirs.weakness() < own.weakness() {
                return own.clone();
            }
            Standing::Derived { what, from: from.clone(), standing: Box::new(theirs.clone()) }
        })
    }
}

/// The statements that are not the library's, by content.
static OWN: Mutex<BTreeMap<Digest, Weak<Operator>>> = Mutex::new(BTreeMap::new());

/// One cell for each statement of the library, in its order.
static LIBRARY: [OnceLock<Arc<Operator>>; STATEMENTS.len()] = [const { OnceLock::new() }; STATEMENTS.len()];

/// Whether the library has a statement of that name.
fn is_of_the_library(name: &str) -> bool {
    STATEMENTS.iter().any(|(path, _)| stem(path) == name)
}

/// A canonical text without the comment above it.
fn uncommented(mut text: &str) -> &str {
    while let Some((_, rest)) = text.split_once('\n').filter(|(line, _)| line.starts_with("//")) {
        text = rest;
    }
    text
}

fn stem(path: &str) -> &str {
    path.rsplit('/').next().and_then(|file| file.strip_suffix(".contract")).unwrap_or(path)
}

impl Operator {
    /// A statement of the library.
    ///
    /// # Errors
    ///
    /// [`OperatorError::Unknown`] for another name.
    pub fn library(name: &str) -> Result<Arc<Operator>, OperatorError> {
        let unknown = || {
            let name: String = name.chars().take(80).collect();
            let near = nearest(&name, STATEMENTS.iter().map(|(path, _)| stem(path)));
            OperatorError::Unknown { name, near }
        };
        let at = STATEMENTS.iter().position(|(path, _)| stem(path) == name).ok_or_else(unknown)?;
        if let Some(operator) = LIBRARY[at].get() {
            return Ok(operator.clone());
        }
        let statement = parse(STATEMENTS[at].1)?;
        Ok(LIBRARY[at].get_or_init(|| Arc::new(Operator::new(statement, true))).clone())
    }

    /// The one statement of a text: the library's own operator if it is one of the library's, else one of the user's.
    ///
    /// # Errors
    ///
    /// [`OperatorError::Text`] for another text, [`OperatorError::Rule`] for a rule that is refuted, or undecided and not declared unproved.
    pub fn from_text(text: &str) -> Result<Arc<Operator>, OperatorError> {
        let statement = parse(text)?;
        let canonical = statement.to_string();
        // What stands above a statement as a comment says nothing of its meaning.
        if let Ok(library) = Operator::library(&statement.name().text)
            && uncommented(&library.text) == uncommented(&canonical)
        {
            return Ok(library);
        }
        let digest = Digest::of(&canonical);
        let known = |own: &BTreeMap<Digest, Weak<Operator>>| own.get(&digest).and_then(Weak::upgrade);
        if let Some(operator) = known(&OWN.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(operator);
        }
        let operator = Operator::new(statement, false);
        operator.admit()?;
        let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(operator) = known(&own) {
            return Ok(operator);
        }
        let operator = Arc::new(operator);
        own.retain(|_, operator| operator.strong_count() > 0);
        own.insert(digest, Arc::downgrade(&operator));
        Ok(operator)
    }

    fn new(statement: Statement, in_library: bool) -> Operator {
        let text: Arc<str> = statement.to_string().into();
        let name = statement.name().text.clone();
        Operator::from_parts(name, Digest::of(&text), text, in_library, statement)
    }

    fn from_parts(name: String, digest: Digest, text: Arc<str>, in_library: bool, statement: Statement) -> Operator {
        let own = &statement.name().text;
        let shown = if !in_library && is_of_the_library(&name) {
            format!("{own} (yours, {}…)", &digest.to_string()[..8])
        } else {
            own.clone()
        };
        let (ruled, own, standing) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Operator {
            name,
            shown,
            digest,
            text,
            in_library,
            rule: Arc::new(Rule { statement, base: None, ruled, own, standing }),
            derivation: None,
            wiring: Wiring::default(),
            conditions: OnceLock::new(),
            numbers: OnceLock::new(),
            routine: OnceLock::new(),
            derived: Mutex::default(),
        }
    }

    /// A rule that the kernel refutes is no operator, and one that it can't decide only if it says so.
    fn admit(&self) -> Result<(), OperatorError> {
        let refuse = |reason: String| Err(OperatorError::Rule { name: self.name.clone(), reason });
        let standing = match prove(&self.rule.statement) {
            Outcome::Refuted(found) => return refuse(format!("is refuted at\n{found}")),
            Outcome::Undecided(difference) => Standing::Undecided(difference.to_string()),
            Outcome::Proved(_) => Standing::Proved,
        };
        match (standing, self.rule.statement.declaration()) {
            (Standing::Undecided(reason), None) => refuse(format!("was not proved: {reason}")),
            (Standing::Undecided(reason), Some(d)) if d.label != Label::Unproved => {
                refuse(format!("was not proved: {reason}"))
            }
            _ => Ok(()),
        }
    }

    /// The statement's name; that of the base, for a derived operator.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of its statement, as messages and pictures have it.
    /// One of the user's that is called as one of the library's shows whose it is, with the beginning of its content hash: `tanh (yours, ca18c339…)`.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The content hash of the base.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The canonical text of the base.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the base is a statement of the library.
    pub fn is_in_library(&self) -> bool {
        self.in_library
    }

    /// The statement. One without a rule is given a derived one by [`ruled`](Operator::ruled).
    pub fn statement(&self) -> &Statement {
        &self.rule.statement
    }

    /// How it comes from the operator before it, if it is derived.
    pub fn derivation(&self) -> Option<&Derivation> {
        self.derivation.as_ref()
    }

    /// Where its inputs come from, if it is derived by a pullback or pushforward.
    pub fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// The statement with a backward rule. It has none only past the kernel's limits.
    pub fn ruled(&self) -> &Statement {
        self.rule.ruled()
    }

    /// Why its backward rule may be believed, and the rules that it is derived from. The first call proves them.
    pub fn standing(&self) -> &Standing {
        self.rule.standing()
    }

    /// Why its backward rule is that of its own statement, whatever that is derived from.
    pub fn own_standing(&self) -> &Standing {
        self.rule.own()
    }

    /// The conditions of its domain, with their words.
    pub fn conditions(&self) -> &[(Condition, String)] {
        self.conditions.get_or_init(|| {
            let words = |c: Condition| {
                let text = self.rule.statement.show_condition(&c);
                (c, text)
            };
            domain(&self.rule.statement).into_iter().map(words).collect()
        })
    }

    /// The numbers that its statement names: of the forward part, and of the rule.
    pub(crate) fn numbers(&self) -> &(Vec<Rational>, Vec<Rational>) {
        self.numbers.get_or_init(|| (self.statement().numbers(), self.ruled().rule_numbers()))
    }

    /// Its forward part as loops.
    pub fn routine(&self) -> &Routine {
        self.routine.get_or_init(|| schedule_forward(&self.rule.statement, self.conditions()))
    }

    /// The operator derived from this one.
    ///
    /// # Errors
    ///
    /// [`OperatorError::Zero`] where the derived statement is zero, [`OperatorError::Limit`] where it is past the kernel's limits, [`OperatorError::Derivation`] for lists that are not in order.
    pub fn derive(&self, derivation: &Derivation) -> Result<Arc<Operator>, OperatorError> {
        // One derivation has one name, so that no more is kept than there is.
        if !self.admits(derivation) {
            return Err(OperatorError::Derivation(self.rule.statement.name().text.clone()));
        }
        let known = |of: &Operator| of.derived.lock().unwrap_or_else(PoisonError::into_inner).get(derivation).cloned();
        if let Some(known) = known(self) {
            return known;
        }
        let operator = self.derived_statement(derivation).map(|(statement, wiring)| {
            let (name, text) = (self.name.clone(), self.text.clone());
            let made = Operator::from_parts(name, self.digest, text, self.in_library, statement);
            let what = match derivation {
                Derivation::Taped => "the forward part",
                Derivation::Pullback { .. } => "the pullback",
                Derivation::Pushforward { .. } => "the pushforward",
            };
            let base = Some((self.rule.clone(), what, self.shown.clone()));
            let (ruled, own, standing) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
            let rule = Arc::new(Rule { statement: made.rule.statement.clone(), base, ruled, own, standing });
            Arc::new(Operator { derivation: Some(derivation.clone()), wiring, rule, ..made })
        });
        let mut derived = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        derived.entry(derivation.clone()).or_insert(operator).clone()
    }

    fn admits(&self, derivation: &Derivation) -> bool {
        let ordered = |list: &[u32], among: usize| {
            list.windows(2).all(|pair| pair[0] < pair[1]) && list.last().is_none_or(|last| (*last as usize) < among)
        };
        let (inputs, outputs) = (self.rule.statement.inputs().len(), self.rule.statement.outputs().len());
        match derivation {
            Derivation::Taped => true,
            Derivation::Pullback { seeds, wanted } => ordered(seeds, outputs) && ordered(wanted, inputs),
            Derivation::Pushforward { moving, wanted } => ordered(moving, inputs) && ordered(wanted, outputs),
        }
    }

    fn derived_statement(&self, derivation: &Derivation) -> Result<(Statement, Wiring), OperatorError> {
        let base = self.ruled();
        let name = || self.rule.statement.name().text.clone();
        let limit = |_: NoRule| OperatorError::Limit(name());
        let zero = || OperatorError::Zero(name());
        let among = |list: &[u32]| {
            let list = list.to_vec();
            move |k: u32| list.binary_search(&k).is_ok()
        };
        match derivation {
            Derivation::Taped => Ok((base.taped().map_err(limit)?, Wiring::default())),
            Derivation::Pullback { seeds, wanted } => {
                let p = base.pullback(&among(seeds), &among(wanted)).map_err(limit)?.ok_or_else(zero)?;
                Ok((p.statement, Wiring { saved: p.saved, given: p.seeds, wanted: p.wanted }))
            }
            Derivation::Pushforward { moving, wanted } => {
                let p = base.pushforward(&among(moving), &among(wanted)).map_err(limit)?.ok_or_else(zero)?;
                Ok((p.statement, Wiring { saved: p.saved, given: p.moving, wanted: p.wanted }))
            }
        }
    }
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

fn parse(text: &str) -> Result<Statement, OperatorError> {
    let (mut statements, diagnostics) = load(text);
    if let Some(first) = diagnostics.first() {
        return Err(OperatorError::Text(format!("{}: {}", first.code, first.message)));
    }
    match (statements.pop(), statements.len()) {
        (Some(statement), 0) => Ok(statement),
        (_, more) => {
            Err(OperatorError::Text(format!("expected one statement, found {}", if more == 0 { 0 } else { more + 1 })))
        }
    }
}
