//! Theorems: the only place where one is made.
//!
//! [`prove`] pairs the outputs with their cotangents, differentiates by each input coordinate, and
//! compares the backward rule with it in the normal form. What is equal is a [`Theorem`], what differs at
//! a point is a [`Counterexample`], the rest is undecided and counts as failing.
//! A `Theorem` has private fields and no constructor outside this module.

use std::fmt;
use std::sync::Arc;

use num_traits::{One, Zero};

use crate::Rational;
use crate::boundary::{self, Fault, Pair};
use crate::budget::{Budget, Meter};
use crate::domain::{Domain, Needed};
use crate::limits::DERIVED;
use crate::normal::{Atom, Env, Ix, Normal, Poly, Rules, Stuck};
use crate::refute::{self, Counterexample, Wrong};
use crate::source::Span;
use crate::statement::{Condition, Declaration, Expr, ExprKind, Label, Local, LocalKind, Sign, Statement, Tensor};

/// That a statement's backward rule is the adjoint of the derivative of its forward part, for all shapes
/// and all inputs of the domain; on the boundaries of the forward formula it is what it [declares](Theorem::declaration).
///
/// ```compile_fail
/// // Nothing outside the kernel makes one.
/// let forged = pullback_kernel::Theorem { statement: todo!(), domain: vec![] };
/// ```
#[derive(Clone, Debug)]
pub struct Theorem {
    statement: Arc<Statement>,
    domain: Vec<Condition>,
    surrogate: Option<Box<Counterexample>>,
}

impl Theorem {
    /// The statement, its rule derived if it gave none.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }
    /// The open domain: the `where` clauses, and what the functions need that does not follow from signs.
    pub fn domain(&self) -> &[Condition] {
        &self.domain
    }
    /// What the statement declares of its nonsmooth points, shown to hold. `None`: the rule holds on the whole domain.
    pub fn declaration(&self) -> Option<&Declaration> {
        self.statement.declaration()
    }
    /// For a surrogate: a point at which it differs from the derivative, if one was found.
    /// The theorem then says only that the rule is linear in the cotangent and defined on the domain.
    pub fn differs_at(&self) -> Option<&Counterexample> {
        self.surrogate.as_deref()
    }
}

/// Of what kind a reason is that nothing could be said.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Cause {
    /// What was to be shown was not shown.
    NotShown,
    /// It takes more work or room than the kernel's limits allow.
    Limit,
    /// The kernel has no rule for a construct.
    Unsupported,
    /// It is no statement.
    Malformed,
}

/// Why nothing could be said.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// Of what kind the reason is.
    pub cause: Cause,
    /// One sentence.
    pub reason: String,
    /// What is left of expected − claimed in the normal form, if that is the reason.
    pub rest: Option<String>,
    /// The clause.
    pub span: Span,
}

/// What became of an attempt to prove a statement.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It holds.
    Proved(Theorem),
    /// It does not: here is where.
    Refuted(Box<Counterexample>),
    /// Neither was shown. Counts as failing.
    Undecided(Difference),
}

fn undecided(reason: impl Into<String>, span: Span) -> Outcome {
    Outcome::Undecided(Difference { cause: Cause::NotShown, reason: reason.into(), rest: None, span })
}

/// There is no normal form: of the smallest part that is to blame, else of what was asked for.
fn stuck(why: Stuck, span: Span) -> Outcome {
    let cause = match why {
        Stuck::Exceeded(..) => Cause::Limit,
        Stuck::Unsupported(..) => Cause::Unsupported,
        Stuck::Malformed(_) => Cause::Malformed,
    };
    let span = why.span().unwrap_or(span);
    Outcome::Undecided(Difference { cause, reason: why.to_string(), rest: None, span })
}

/// Proves or refutes a statement. A rule that it does not give is derived first.
///
/// # Example
/// ```
/// use pullback_kernel::{Outcome, load, prove};
/// let source = "contract square version 1 dims s.. input x[s..]
///     output y[i..] = x[i..] * x[i..] saves x dx[i..] = 2 * x[i..] * dy[i..]";
/// let (statements, errors) = load(source);
/// assert!(errors.is_empty());
/// assert!(matches!(prove(&statements[0]), Outcome::Proved(_)));
/// ```
pub fn prove(statement: &Statement) -> Outcome {
    prove_within(statement, &Budget::default())
}

/// As [`prove`], within a budget: what is not decided within it is undecided.
///
/// A quarter of the work is for the domain, a half for the proof, a quarter for the search for a counterexample:
/// a rule whose proof would take too long may still be refuted.
pub fn prove_within(statement: &Statement, budget: &Budget) -> Outcome {
    let search = Meter::new(budget.quarters(1));
    let derived;
    let statement = if statement.gradients().is_some() {
        statement
    } else {
        derived = statement.with_derived_rule();
        &derived
    };
    if statement.gradients().is_none() {
        return stuck(Stuck::past("nodes in the derived rule, or nested too deep", DERIVED as u64), statement.span());
    }
    if let Err(malformed) = statement.well_formed() {
        let (reason, span) = (malformed.to_string(), statement.span());
        return Outcome::Undecided(Difference { cause: Cause::Malformed, reason, rest: None, span });
    }
    let mut domain = Domain::forward(statement, Meter::new(budget.quarters(1)));
    let conditions = domain.conditions.clone();
    let mut rules = Rules::new(statement, Meter::new(budget.quarters(2)));

    if let Some(outcome) = any_is_immaterial(&mut rules, budget.quarters(1)) {
        return outcome;
    }
    domain.check_backward();
    if let Some(why) = domain.stuck {
        return stuck(why, statement.span());
    }
    if let Some(needed) = domain.unmet.first() {
        return unmet(statement, &conditions, needed, &search);
    }

    rules.assume(&conditions);
    if statement.declaration().is_some_and(|d| d.label == Label::Surrogate) {
        return surrogate(statement, conditions, &mut rules, &search);
    }
    match compare(&mut rules) {
        Ok(Compared::Equal) => {
            Outcome::Proved(Theorem { statement: Arc::new(statement.clone()), domain: conditions, surrogate: None })
        }
        Ok(Compared::Boundary(fault)) => {
            if let Some(c) = refute::search_boundaries(statement, &conditions, &search) {
                return Outcome::Refuted(Box::new(c));
            }
            let rest = fault.rest.map(|p| rules.show(&p));
            Outcome::Undecided(Difference { cause: Cause::NotShown, reason: fault.reason, rest, span: fault.span })
        }
        different => {
            let found = refute::search(statement, &conditions, &search);
            let found = found.or_else(|| refute::search_boundaries(statement, &conditions, &search));
            if let Some(mut c) = found {
                if let Wrong::Undefined { .. } = c.wrong
                    && let Ok(Compared::Differ(span, _)) = &different
                {
                    c.span = *span;
                }
                return Outcome::Refuted(Box::new(c));
            }
            match different {
                Ok(Compared::Differ(span, rest)) => Outcome::Undecided(Difference {
                    cause: Cause::NotShown,
                    reason: "the rule was not brought to the form of the derivative, and no point was found at \
                             which they differ"
                        .into(),
                    rest: Some(rules.show(&rest)),
                    span,
                }),
                Ok(Compared::Equal | Compared::Boundary(_)) => undecided("the rule was not compared", statement.span()),
                Err(why) => stuck(why, statement.span()),
            }
        }
    }
}

/// What became of a rule beside the derivative.
enum Compared {
    /// They are equal, and on boundaries it is what is declared.
    Equal,
    /// The first gradient clause that is not equal to the derivative, with what is left of the difference.
    Differ(Span, Poly),
    /// They are equal, but on a boundary it is not what is declared.
    Boundary(Fault),
}

fn compare(rules: &mut Rules<'_>) -> Normal<Compared> {
    let statement = rules.statement;
    let declaration = statement.declaration();
    let pairing = rules.pairing().map_err(|why| why.at(statement.span()))?;
    debug_assert!(closed(&pairing, &[]));
    let mut pairs = Vec::new();
    for (i, gradient) in statement.gradients().unwrap_or_default().iter().enumerate() {
        for clause in &gradient.clauses {
            for (_, env) in rules.scopes(&clause.vars, &Env::new())? {
                let at = clause.at.iter().map(|x| rules.index(x, &env)).collect::<Normal<Vec<Ix>>>()?;
                let expected = rules.derivative(&pairing, Tensor::Input(i as u32), &at)?;
                let claimed = rules.build(&clause.value, &env)?;
                // An index that is neither bound nor one of the clause's has lost its binder.
                if !closed(&pairing, &[]) || !closed(&expected, &at) || !closed(&claimed, &at) {
                    return Err(Stuck::Malformed("an index without its binder"));
                }
                let pair = Pair { gradient: i, at, expected, claimed, span: clause.span };
                let difference = boundary::between(rules, &pair, declaration.is_some())?;
                let rest = rules.reduce(difference)?;
                if !rest.is_zero() {
                    return Ok(Compared::Differ(clause.span, rest));
                }
                pairs.push(pair);
            }
        }
    }
    let fault = match declaration {
        Some(declaration) => boundary::judge(rules, declaration, &pairing, &pairs)?,
        None => None,
    };
    Ok(fault.map_or(Compared::Equal, Compared::Boundary))
}

/// Whether all free indices are among those of the given positions.
fn closed(p: &Poly, at: &[Ix]) -> bool {
    let mut known = Vec::new();
    for ix in at {
        ix.any(0, &mut |leaf, _| {
            if let Ix::Free(id, _) = leaf {
                known.push(*id);
            }
            false
        });
    }
    !p.any(0, &mut |leaf, _| matches!(leaf, Ix::Free(id, _) if !known.contains(id)))
}

/// Every `any` value must leave outputs and domain alone: no output's derivative by it is other than zero,
/// and no output steps with it (a step has derivative zero and is not constant).
///
/// The conditions of the values of `any` themselves belong to the domain too, and may depend on them: there is no such value
/// where they fail. What is asked is that the rest is defined, and the same, whatever they are.
fn any_is_immaterial(rules: &mut Rules<'_>, budget: Budget) -> Option<Outcome> {
    let statement = rules.statement;
    if !statement.locals().iter().any(|l| l.kind == LocalKind::Any) {
        return None;
    }
    let without = Domain::without_any(statement, Meter::new(budget));
    if let Some(why) = without.stuck {
        return Some(stuck(why, statement.span()));
    }
    let conditions = &without.conditions;
    for (k, local) in statement.locals().iter().enumerate() {
        if local.kind == LocalKind::Any
            && let Some(outcome) = immaterial(rules, conditions, Tensor::Local(k as u32), local)
                .unwrap_or_else(|why| Some(stuck(why, local.name.span)))
        {
            return Some(outcome);
        }
    }
    None
}

/// Whether an output or the domain was not proved to be the same whatever the values of `any` are.
pub(crate) fn any_matters(statement: &Statement) -> bool {
    let budget = Budget::default();
    any_is_immaterial(&mut Rules::new(statement, Meter::new(budget)), budget).is_some()
}

fn immaterial(
    rules: &mut Rules<'_>,
    conditions: &[Condition],
    tensor: Tensor,
    local: &Local,
) -> Normal<Option<Outcome>> {
    let statement = rules.statement;
    let reads = |a: &Atom| a.contains(&mut |b| matches!(b, Atom::Access(t, _) if *t == tensor));
    for c in conditions {
        for (_, env) in rules.scopes(&c.vars, &Env::new())? {
            if rules.build(&c.value, &env)?.contains(&mut |a| reads(a)) {
                let reason = format!("the domain depends on `{}`, which may be any value", local.name);
                return Ok(Some(undecided(reason, local.name.span)));
            }
        }
    }
    let dims: Vec<_> = local.vars.iter().map(|v| statement.dim_of(*v)).collect();
    for output in statement.outputs() {
        for clause in &output.clauses {
            for (_, env) in rules.scopes(&clause.vars, &Env::new())? {
                let value = rules.build(&clause.value, &env)?;
                if !value.contains(&mut |a| reads(a)) {
                    continue;
                }
                let steps = value.contains(&mut |a| {
                    let step = match a {
                        Atom::Positive(_) | Atom::Zero(_) | Atom::Attains(..) | Atom::Max(..) => true,
                        Atom::Call(f, _) => f.is_step(),
                        _ => false,
                    };
                    step && reads(a)
                });
                let mut rest = if steps { Some(value.clone()) } else { None };
                for (_, at) in rules.ranges(&dims)? {
                    let slope = rules.derivative(&value, tensor, &at)?;
                    let slope = rules.reduce(slope)?;
                    if !slope.is_zero() {
                        rest = Some(slope);
                    }
                }
                if let Some(rest) = rest {
                    return Ok(Some(Outcome::Undecided(Difference {
                        cause: Cause::NotShown,
                        reason: format!(
                            "`{}` may be any value, but `{}` was not proved to be the same whatever it is",
                            local.name, output.tensor.name
                        ),
                        rest: Some(rules.show(&rest)),
                        span: clause.span,
                    })));
                }
            }
        }
    }
    Ok(None)
}

/// A backward expression needs more than the domain gives.
fn unmet(statement: &Statement, conditions: &[Condition], needed: &Needed, search: &Meter) -> Outcome {
    if let Some(mut c) = refute::search(statement, conditions, search) {
        if matches!(c.wrong, Wrong::Undefined { .. }) {
            c.span = needed.span;
        }
        return Outcome::Refuted(Box::new(c));
    }
    let reason = format!(
        "this needs `{}`, which was not shown to follow from the domain",
        statement.show_condition(&needed.condition)
    );
    undecided(reason, needed.span)
}

/// A surrogate may differ from the derivative. It must be linear in the cotangent: each term reads exactly
/// one, outside of every function.
fn surrogate(statement: &Statement, conditions: Vec<Condition>, rules: &mut Rules<'_>, search: &Meter) -> Outcome {
    for gradient in statement.gradients().unwrap_or_default() {
        for clause in &gradient.clauses {
            let scopes = match rules.scopes(&clause.vars, &Env::new()) {
                Ok(scopes) => scopes,
                Err(why) => return stuck(why, clause.span),
            };
            for (_, env) in scopes {
                let p = match rules.build(&clause.value, &env) {
                    Ok(p) => p,
                    Err(why) => return stuck(why, clause.span),
                };
                if !boundary::linear(&p) {
                    return undecided("a surrogate must be linear in the cotangent", clause.span);
                }
            }
        }
    }
    let differs = refute::search(statement, &conditions, search);
    if let Some(c) = &differs
        && matches!(c.wrong, Wrong::Undefined { .. })
    {
        return Outcome::Refuted(Box::new(c.clone()));
    }
    Outcome::Proved(Theorem {
        statement: Arc::new(statement.clone()),
        domain: conditions,
        surrogate: differs.map(Box::new),
    })
}

/// The open domain of a statement: its `where` clauses, and the conditions of its functions that do not
/// follow from signs, those in the values of `any` too. Each stands after those that it takes to evaluate it.
///
/// That of a statement that is not well formed is empty: its condition is `0 > 0`.
pub fn domain(statement: &Statement) -> Vec<Condition> {
    if statement.well_formed().is_err() {
        let value = Expr { kind: ExprKind::Number(Rational::zero()), span: statement.span() };
        return vec![Condition { vars: Vec::new(), sign: Sign::Positive, value, written: false }];
    }
    Domain::forward(statement, Meter::new(Budget::default())).conditions
}

impl Rules<'_> {
    /// A normal form for people, cut where it gets long.
    pub(crate) fn show(&self, p: &Poly) -> String {
        let mut out = String::new();
        for (k, (m, c)) in p.terms.iter().enumerate() {
            if k == 6 {
                out.push_str(&format!(" + … ({} terms in all)", p.terms.len()));
                break;
            }
            if k > 0 {
                out.push_str(" + ");
            }
            let mut names: Vec<Vec<String>> = Vec::new();
            out.push_str(&self.show_mono(m, c, &mut names));
        }
        if out.is_empty() { "0".into() } else { out }
    }

    fn show_mono(&self, m: &crate::normal::Mono, c: &Rational, names: &mut Vec<Vec<String>>) -> String {
        let level = names.len();
        let letters = m.bound.iter().enumerate().map(|(k, _)| format!("{}{k}", ["i", "j", "k", "l"][level.min(3)]));
        names.push(letters.collect());
        let mut parts = Vec::new();
        if !c.is_one() || m.factors.is_empty() {
            parts.push(c.to_string());
        }
        for (a, e) in &m.factors {
            let base = self.show_atom(a, names);
            parts.push(if e.is_one() { base } else { format!("{base}^{e}") });
        }
        let bound = names.pop().unwrap_or_default();
        let body = parts.join("*");
        if bound.is_empty() { body } else { format!("sum({}) {body}", bound.join(", ")) }
    }

    fn show_atom(&self, a: &Atom, names: &mut Vec<Vec<String>>) -> String {
        let s = self.statement;
        let list =
            |v: &[Ix], names: &[Vec<String>]| v.iter().map(|i| self.show_ix(i, names)).collect::<Vec<_>>().join(", ");
        let sum = |p: &Poly, names: &mut Vec<Vec<String>>| {
            p.terms.iter().map(|(m, c)| self.show_mono(m, c, names)).collect::<Vec<_>>().join(" + ")
        };
        match a {
            Atom::Equal(x, y) => format!("[{} == {}]", self.show_ix(x, names), self.show_ix(y, names)),
            Atom::Defined(m, args) => {
                format!("[{}({}) defined]", s.maps()[m.0 as usize].name, list(args, names))
            }
            Atom::Positive(p) => format!("[{} > 0]", sum(p, names)),
            Atom::Zero(p) => format!("[{} == 0]", sum(p, names)),
            Atom::Attains(_, _, at) => format!("[max at {}]", list(at, names)),
            Atom::Size(d) => format!("|{}|", s.dims()[d.0 as usize].name),
            Atom::Param(p) => s.params()[p.0 as usize].name.to_string(),
            Atom::Access(t, at) => format!("{}[{}]", s.tensor(*t).name, list(at, names)),
            Atom::Exp(m) => format!("exp({})", self.show_mono(m, &Rational::one(), names)),
            Atom::Power(p) => format!("({})", sum(p, names)),
            Atom::Call(f, p) => format!("{f}({})", sum(p, names)),
            Atom::Max(dims, p) => {
                let letters = dims.iter().enumerate().map(|(k, _)| format!("k{k}")).collect();
                names.push(letters);
                let body = sum(p, names);
                names.pop();
                format!("max({body})")
            }
        }
    }

    fn show_ix(&self, ix: &Ix, names: &[Vec<String>]) -> String {
        match ix {
            Ix::Free(id, d) => format!("{}_{id}", self.statement.dims()[d.0 as usize].name),
            Ix::Bound(depth, slot) => names
                .len()
                .checked_sub(1 + *depth as usize)
                .and_then(|k| names[k].get(*slot as usize).cloned())
                .unwrap_or_else(|| "?".into()),
            Ix::Map(m, args) => {
                let inner: Vec<_> = args.iter().map(|a| self.show_ix(a, names)).collect();
                format!("{}({})", self.statement.maps()[m.0 as usize].name, inner.join(", "))
            }
            Ix::Inverse(m, k, t) => {
                format!("{}^-1.{k}({})", self.statement.maps()[m.0 as usize].name, self.show_ix(t, names))
            }
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        if let Some(rest) = &self.rest {
            write!(f, "; left over: {rest}")?;
        }
        Ok(())
    }
}
