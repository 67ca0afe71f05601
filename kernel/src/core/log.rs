//! A proof as a thing: the calls of a core, written down, and run again.
//!
//! A [`Log`] has the terms that the calls take, the calls, and the conclusion. Claims are not in it: they are made again.
//! [`replay`] reads the statement, runs each call by the core alone, and concludes. Nothing in a log is believed.
//!
//! # Text
//!
//! Lines of words with one space between; the version stands in the first. Numbers are decimal.
//!
//! ```text
//! log        = "pullback log 1" "\n" { "statement" DIGEST "\n" } { entry "\n" } { call "\n" } conclusion "\n"
//! entry      = "free" DIMENSION NUMBER | "bound" K | "unit" | "pair" T T | "proj" K T | "map" MAP T
//!            | "num" RATIONAL | "size" DIMENSION | "read" TENSOR T | "delta" T T | "def" T
//!            | "+" T T | "*" T T | "fn" FUNCTION T | "guard" T | "sum" DIMENSION T | "max" DIMENSION T
//! call       = "!" RULE { argument }
//! argument   = T | CLAIM | NUMBER | FUNCTION | SIGN | DIMENSION NUMBER | COUNT { DIMENSION NUMBER }
//! conclusion = "adjoint" CLAIM CLAIM ( "-" | CLAIM CLAIM ) { CLAIM }
//!            | "equal" COUNT { CLAIM } { CLAIM } | "immaterial" CLAIM CLAIM
//! ```
//!
//! T is the number of an earlier entry, CLAIM that of an earlier call, both from 0.
//! DIGEST is the SHA-256 of the statement's canonical text, in hexadecimal; two of them where two statements are equal.
//! A rule takes what its table says ([`Rule::takes`](super::Rule)).

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::sync::OnceLock;

use num_traits::Zero;

use super::calls::{Call, Kind, RULES, Rule};
use super::digest;
use super::rules::{Core, Proven, Refused, Sign};
use super::term::{Function, Index, Node, Term};
use super::theorem::{Conclusion, Missing, Theorem};
use crate::Rational;
use crate::statement::Statement;
use crate::well_formed::Malformed;

/// A term of a log.
#[derive(Clone, PartialEq, Debug)]
enum Entry {
    Number(Rational),
    /// With the numbers of entries for children.
    Node(Node),
}

/// The calls of a core, with what they take and what follows.
#[derive(Clone, PartialEq, Debug)]
pub struct Log {
    /// The digests of the statements that it is about.
    digests: Vec<String>,
    entries: Vec<Entry>,
    calls: Vec<Call>,
    conclusion: Conclusion,
}

/// What is wrong with a log, and at which line of its text.
#[derive(Clone, PartialEq, Debug)]
pub struct LogError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a log.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    /// It is no log of this version.
    Version,
    /// It was made for another statement.
    Digest,
    /// The line is not of the grammar.
    Line,
    /// It speaks of an entry or claim that does not stand before it, or of an entry of another kind.
    Unknown,
    /// A statement is not well formed.
    Malformed(Malformed),
    /// Two statements do not have the same declarations.
    Declarations,
    /// The core refuses a call.
    Refused(Refused),
    /// The conclusion does not follow.
    Missing(Missing),
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.fault {
            Fault::Version => f.write_str("this is no log of version 1"),
            Fault::Digest => f.write_str("the log was made for another statement"),
            Fault::Line => f.write_str("the line is not of the grammar of logs"),
            Fault::Unknown => f.write_str("a term or claim is named that does not stand before, or is of another kind"),
            Fault::Malformed(malformed) => malformed.fmt(f),
            Fault::Declarations => f.write_str("the two statements do not have the same declarations"),
            Fault::Refused(refused) => refused.fmt(f),
            Fault::Missing(missing) => write!(f, "nothing is concluded: {missing}"),
        }
    }
}

impl std::error::Error for LogError {}

/// The rule of a name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    static BY_NAME: OnceLock<HashMap<&str, &Rule>> = OnceLock::new();
    let all = || RULES.iter().flat_map(|rules| rules.iter()).map(|rule| (rule.name, rule)).collect();
    BY_NAME.get_or_init(all).get(name).copied()
}

/// Visits the arguments of a call, each with its kind. `None` if they are not what the rule takes.
fn each(takes: &[Kind], arguments: &mut [u32], f: &mut impl FnMut(Kind, &mut u32) -> Option<()>) -> Option<()> {
    let mut rest = arguments.iter_mut();
    for kind in takes {
        match kind {
            Kind::Name => (0..2).try_for_each(|_| f(Kind::Number, rest.next()?))?,
            Kind::Names => {
                let count = rest.next()?;
                f(Kind::Number, count)?;
                (0..u64::from(*count) * 2).try_for_each(|_| f(Kind::Number, rest.next()?))?;
            }
            kind => f(*kind, rest.next()?)?,
        }
    }
    rest.next().is_none().then_some(())
}

impl Conclusion {
    /// The claims that it follows from.
    fn claims(&mut self) -> Vec<&mut Proven> {
        match self {
            Conclusion::Adjoint { derivative, equation, immaterial, obligations } => {
                let immaterial = immaterial.iter_mut().flat_map(|(d, e)| [d, e]);
                [derivative, equation].into_iter().chain(immaterial).chain(obligations).collect()
            }
            Conclusion::Equal { equations, obligations } => equations.iter_mut().chain(obligations).collect(),
            Conclusion::Immaterial { derivative, equation } => vec![derivative, equation],
        }
    }
}

impl Log {
    /// The log of a conclusion: the calls that it follows from, and no others. `None` if the core is about no statement.
    pub fn of(core: &Core, conclusion: &Conclusion) -> Option<Log> {
        let reading = core.reading()?;
        let statements = [Some(&reading.statement), reading.other.as_ref()];
        let digests = statements.into_iter().flatten().map(|s| digest::of(s)).collect();
        let mut calls: Vec<Call> = core.calls().cloned().collect();
        let mut conclusion = conclusion.clone();
        let mut needed = vec![false; calls.len()];
        conclusion.claims().into_iter().for_each(|p| {
            if let Some(needed) = needed.get_mut(p.number() as usize) {
                *needed = true;
            }
        });
        let mut terms = vec![false; core.terms().count()];
        for k in (0..calls.len()).rev() {
            if !needed[k] {
                continue;
            }
            let call = &mut calls[k];
            each(rule(call.rule)?.takes, &mut call.arguments, &mut |kind, n| {
                match kind {
                    Kind::Proven => *needed.get_mut(*n as usize)? = true,
                    Kind::Term | Kind::Index => *terms.get_mut(*n as usize)? = true,
                    _ => {}
                }
                Some(())
            })?;
        }
        // Children stand before what is made of them.
        for place in (0..terms.len()).rev() {
            if terms[place] {
                core.terms().at(place as u32)?.children().for_each(|c| terms[c as usize] = true);
            }
        }
        let number = |used: &[bool]| -> HashMap<u32, u32> {
            (0u32..).zip(used).filter(|(_, used)| **used).map(|(k, _)| k).zip(0u32..).collect()
        };
        let (places, claims) = (number(&terms), number(&needed));
        let mut entries = vec![Entry::Number(Rational::zero()); places.len()];
        for (old, new) in &places {
            entries[*new as usize] = match core.terms().at(*old)? {
                Node::Num(q) => Entry::Number(core.terms().value(q)),
                node => Entry::Node(node.with(|c| places.get(&c).copied().unwrap_or(0))),
            };
        }
        let mut kept = Vec::new();
        for (mut call, _) in calls.into_iter().zip(needed).filter(|(_, needed)| *needed) {
            each(rule(call.rule)?.takes, &mut call.arguments, &mut |kind, n| {
                match kind {
                    Kind::Proven => *n = *claims.get(n)?,
                    Kind::Term | Kind::Index => *n = *places.get(n)?,
                    _ => {}
                }
                Some(())
            })?;
            kept.push(call);
        }
        for p in conclusion.claims() {
            *p = Proven(*claims.get(&p.number())?);
        }
        Some(Log { digests, entries, calls: kept, conclusion })
    }

    /// How many calls there are.
    pub fn len(&self) -> usize {
        self.calls.len()
    }
    /// Whether there is no call.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    fn line_of_entry(&self, k: usize) -> usize {
        2 + self.digests.len() + k
    }
    fn line_of_call(&self, k: usize) -> usize {
        self.line_of_entry(self.entries.len()) + k
    }
}

/// Runs a log about a statement.
///
/// # Errors
///
/// [`LogError`], with the line of the log's text.
pub fn replay(statement: &Statement, log: &Log) -> Result<Theorem, LogError> {
    check_digests(log, &[statement])?;
    let core = Core::read(statement).map_err(|m| LogError { line: 2, fault: Fault::Malformed(m) })?;
    run(core, log)
}

/// Runs a log about the equality of two statements.
///
/// # Errors
///
/// [`LogError`], with the line of the log's text.
pub fn replay_both(first: &Statement, second: &Statement, log: &Log) -> Result<Theorem, LogError> {
    check_digests(log, &[first, second])?;
    let at = |fault| LogError { line: 2, fault };
    let core = Core::read_both(first, second).map_err(|m| at(Fault::Malformed(m)))?;
    run(core.ok_or(at(Fault::Declarations))?, log)
}

fn check_digests(log: &Log, statements: &[&Statement]) -> Result<(), LogError> {
    let same = log.digests.iter().cloned().eq(statements.iter().map(|s| digest::of(s)));
    if same { Ok(()) } else { Err(LogError { line: 2, fault: Fault::Digest }) }
}

fn run(mut core: Core, log: &Log) -> Result<Theorem, LogError> {
    let mut places: Vec<u32> = Vec::with_capacity(log.entries.len());
    for (k, entry) in log.entries.iter().enumerate() {
        let place = match entry {
            Entry::Number(q) => core.terms().number(q.clone()).0,
            Entry::Node(node) => {
                let unknown = LogError { line: log.line_of_entry(k), fault: Fault::Unknown };
                if !node.children().all(|c| (c as usize) < k) {
                    return Err(unknown);
                }
                let node = node.with(|c| places.get(c as usize).copied().unwrap_or(0));
                core.terms().node(node).ok_or(unknown)?
            }
        };
        places.push(place);
    }
    for (k, call) in log.calls.iter().enumerate() {
        let at = |fault| LogError { line: log.line_of_call(k), fault };
        let rule = rule(call.rule).ok_or(at(Fault::Line))?;
        let mut arguments = call.arguments.clone();
        each(rule.takes, &mut arguments, &mut |kind, n| {
            if matches!(kind, Kind::Term | Kind::Index) {
                *n = *places.get(*n as usize)?;
            }
            Some(())
        })
        .ok_or(at(Fault::Unknown))?;
        core.call(rule, &arguments).map_err(|r| at(Fault::Refused(r)))?;
    }
    let end = log.line_of_call(log.calls.len());
    core.conclude(&log.conclusion).map_err(|m| LogError { line: end, fault: Fault::Missing(m) })
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pullback log 1")?;
        self.digests.iter().try_for_each(|d| writeln!(f, "statement {d}"))?;
        for entry in &self.entries {
            match entry {
                Entry::Number(q) => writeln!(f, "num {q}")?,
                Entry::Node(node) => write_node(f, *node)?,
            }
        }
        for call in &self.calls {
            write!(f, "! {}", call.rule)?;
            let mut words = String::new();
            let takes = rule(call.rule).map_or(&[][..], |rule| rule.takes);
            let _ = each(takes, &mut call.arguments.clone(), &mut |kind, n| {
                match kind {
                    Kind::Function => write!(words, " {}", Function::ALL.get(*n as usize)?.1),
                    Kind::Sign => write!(words, " {}", Sign::ALL.get(*n as usize)?.1),
                    _ => write!(words, " {n}"),
                }
                .ok()
            });
            writeln!(f, "{words}")?;
        }
        let list = |claims: &[Proven]| claims.iter().fold(String::new(), |s, p| s + " " + &p.number().to_string());
        match &self.conclusion {
            Conclusion::Adjoint { derivative, equation, immaterial, obligations } => {
                write!(f, "adjoint {} {}", derivative.number(), equation.number())?;
                match immaterial {
                    Some((d, e)) => write!(f, " {} {}", d.number(), e.number())?,
                    None => write!(f, " -")?,
                }
                writeln!(f, "{}", list(obligations))
            }
            Conclusion::Equal { equations, obligations } => {
                writeln!(f, "equal {}{}{}", equations.len(), list(equations), list(obligations))
            }
            Conclusion::Immaterial { derivative, equation } => {
                writeln!(f, "immaterial {} {}", derivative.number(), equation.number())
            }
        }
    }
}

fn write_node(f: &mut fmt::Formatter<'_>, node: Node) -> fmt::Result {
    match node {
        Node::Free(v) => writeln!(f, "free {} {}", v.dimension, v.number),
        Node::Bound(k) => writeln!(f, "bound {k}"),
        Node::Unit => writeln!(f, "unit"),
        Node::Pair(a, b) => writeln!(f, "pair {} {}", a.0, b.0),
        Node::Proj(k, a) => writeln!(f, "proj {k} {}", a.0),
        Node::Map(m, a) => writeln!(f, "map {m} {}", a.0),
        Node::Num(_) => Ok(()),
        Node::Size(d) => writeln!(f, "size {d}"),
        Node::Read(x, a) => writeln!(f, "read {x} {}", a.0),
        Node::Delta(a, b) => writeln!(f, "delta {} {}", a.0, b.0),
        Node::Def(a) => writeln!(f, "def {}", a.0),
        Node::Add(a, b) => writeln!(f, "+ {} {}", a.0, b.0),
        Node::Mul(a, b) => writeln!(f, "* {} {}", a.0, b.0),
        Node::Fn(g, a) => {
            let name = Function::ALL.iter().find(|(h, _)| *h == g).map_or("", |(_, name)| name);
            writeln!(f, "fn {name} {}", a.0)
        }
        Node::Guard(a) => writeln!(f, "guard {}", a.0),
        Node::Sum(d, a) => writeln!(f, "sum {d} {}", a.0),
        Node::Max(d, a) => writeln!(f, "max {d} {}", a.0),
    }
}

/// A number as it is written: no sign, no leading zero.
fn natural(word: &str) -> Option<u32> {
    let plain = word.bytes().all(|b| b.is_ascii_digit()) && (word == "0" || !word.starts_with('0'));
    if plain { word.parse().ok() } else { None }
}

fn read_entry(words: &[&str]) -> Option<Entry> {
    if let ["num", q] = words {
        let q: Rational = q.parse().ok()?;
        return Some(Entry::Number(q)).filter(|e| matches!(e, Entry::Number(q) if q.to_string() == words[1]));
    }
    let n = |k: usize| words.get(k).copied().and_then(natural);
    let (index, term) = (|k| n(k).map(Index), |k| n(k).map(Term));
    let (node, length) = match *words.first()? {
        "free" => (Node::Free(super::Name { dimension: n(1)?, number: n(2)? }), 3),
        "bound" => (Node::Bound(n(1)?), 2),
        "unit" => (Node::Unit, 1),
        "pair" => (Node::Pair(index(1)?, index(2)?), 3),
        "proj" => (Node::Proj(n(1)?, index(2)?), 3),
        "map" => (Node::Map(n(1)?, index(2)?), 3),
        "size" => (Node::Size(n(1)?), 2),
        "read" => (Node::Read(n(1)?, index(2)?), 3),
        "delta" => (Node::Delta(index(1)?, index(2)?), 3),
        "def" => (Node::Def(index(1)?), 2),
        "+" => (Node::Add(term(1)?, term(2)?), 3),
        "*" => (Node::Mul(term(1)?, term(2)?), 3),
        "fn" => (Node::Fn(Function::ALL.iter().find(|(_, name)| Some(name) == words.get(1))?.0, term(2)?), 3),
        "guard" => (Node::Guard(term(1)?), 2),
        "sum" => (Node::Sum(n(1)?, term(2)?), 3),
        "max" => (Node::Max(n(1)?, term(2)?), 3),
        _ => return None,
    };
    (words.len() == length).then_some(Entry::Node(node))
}

fn read_call(words: &[&str]) -> Option<Call> {
    let (name, words) = words.split_first()?;
    let rule = rule(name)?;
    let mut arguments = vec![0; words.len()];
    let mut words = words.iter();
    each(rule.takes, &mut arguments, &mut |kind, n| {
        let word = words.next()?;
        *n = match kind {
            Kind::Function => Function::ALL.iter().position(|(_, name)| name == word)? as u32,
            Kind::Sign => Sign::ALL.iter().position(|(_, name)| name == word)? as u32,
            _ => natural(word)?,
        };
        Some(())
    })?;
    Some(Call { rule: rule.name, arguments })
}

fn read_conclusion(words: &[&str]) -> Option<Conclusion> {
    let claims = |words: &[&str]| words.iter().map(|w| natural(w).map(Proven)).collect::<Option<Vec<_>>>();
    let claim = |word: &str| natural(word).map(Proven);
    match words {
        ["adjoint", d, e, "-", rest @ ..] => Some(Conclusion::Adjoint {
            derivative: claim(d)?,
            equation: claim(e)?,
            immaterial: None,
            obligations: claims(rest)?,
        }),
        ["adjoint", d, e, m, n, rest @ ..] => Some(Conclusion::Adjoint {
            derivative: claim(d)?,
            equation: claim(e)?,
            immaterial: Some((claim(m)?, claim(n)?)),
            obligations: claims(rest)?,
        }),
        ["equal", count, rest @ ..] => {
            let (equations, obligations) = rest.split_at_checked(natural(count)? as usize)?;
            Some(Conclusion::Equal { equations: claims(equations)?, obligations: claims(obligations)? })
        }
        ["immaterial", d, e] => Some(Conclusion::Immaterial { derivative: claim(d)?, equation: claim(e)? }),
        _ => None,
    }
}

impl std::str::FromStr for Log {
    type Err = LogError;

    fn from_str(text: &str) -> Result<Log, LogError> {
        let mut lines =
            text.lines().enumerate().map(|(k, line)| (k + 1, line.split(' ').collect::<Vec<_>>())).peekable();
        let bad = |line, fault| Err(LogError { line, fault });
        if lines.next().is_none_or(|(_, words)| words != ["pullback", "log", "1"]) {
            return bad(1, Fault::Version);
        }
        let (mut digests, mut entries, mut calls) = (Vec::new(), Vec::new(), Vec::new());
        while let Some((line, words)) = lines.next() {
            match words[..] {
                ["statement", digest] if entries.is_empty() && calls.is_empty() => digests.push(digest.to_owned()),
                ["!", ref call @ ..] => match read_call(call) {
                    Some(call) => calls.push(call),
                    None => return bad(line, Fault::Line),
                },
                _ => {
                    if let Some(entry) = read_entry(&words).filter(|_| calls.is_empty()) {
                        entries.push(entry);
                    } else if let Some(conclusion) = read_conclusion(&words) {
                        return match lines.peek() {
                            Some((line, _)) => bad(*line, Fault::Line),
                            None => Ok(Log { digests, entries, calls, conclusion }),
                        };
                    } else {
                        return bad(line, Fault::Line);
                    }
                }
            }
        }
        bad(text.lines().count() + 1, Fault::Line)
    }
}
