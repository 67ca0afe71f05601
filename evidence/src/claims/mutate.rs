//! Statements changed at random: any expression, comparison, index, condition or keyword.
//!
//! What comes out need not be a statement; whoever uses it tries again. Nothing here knows what a right rule is.

use pullback_kernel::statement::{Function, Label, Sign, Statement};
use pullback_kernel::syntax::{
    Choice, Comparison, Condition, Contract, Expr, ExprKind, Extremum, Index, IndexKind, Item, ItemKind, Number,
    Operator, Place, Reduction,
};
use pullback_program::random::Random;

const SIGNS: [Sign; 3] = [Sign::Positive, Sign::NonNegative, Sign::NonZero];
const COMPARISONS: [Comparison; 4] =
    [Comparison::Greater, Comparison::GreaterOrEqual, Comparison::Less, Comparison::LessOrEqual];
const NUMBERS: [&str; 7] = ["0", "1", "2", "0.5", "3", "1.5", "0.25"];

/// Which part of a statement is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The conditions and the forward formula.
    Forward,
    /// The rule.
    Rule,
    /// Any.
    Any,
}

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, place: Place::default() }
}

fn literal(text: &str) -> Option<ExprKind> {
    Number::new(text).map(ExprKind::Number)
}

/// The expressions of a part, with the items that they stand in.
fn expressions(contract: &mut Contract, part: Part) -> Vec<&mut Expr> {
    let first = contract.items.iter().position(|i| matches!(i.kind, ItemKind::Saves(_) | ItemKind::Gradient(_)));
    let first = first.unwrap_or(contract.items.len());
    let mut out = Vec::new();
    for (k, item) in contract.items.iter_mut().enumerate() {
        if (part == Part::Forward && k >= first) || (part == Part::Rule && k < first) {
            continue;
        }
        match &mut item.kind {
            ItemKind::Where(conditions) => out.extend(conditions.iter_mut().map(|c| &mut c.value)),
            ItemKind::Let(c) | ItemKind::Any(c) | ItemKind::Output(c) | ItemKind::Gradient(c) => out.push(&mut c.value),
            _ => {}
        }
    }
    out
}

fn children(e: &mut Expr) -> Vec<&mut Expr> {
    match &mut e.kind {
        ExprKind::Number(_) | ExprKind::Access(..) | ExprKind::Size(_) | ExprKind::Equal(..) => Vec::new(),
        ExprKind::Neg(a)
        | ExprKind::Pow(a, _)
        | ExprKind::Call(_, a)
        | ExprKind::Abs(a)
        | ExprKind::Reduce(_, _, a) => vec![a],
        ExprKind::Binary(_, a, b) | ExprKind::Extremum(_, a, b) => vec![a, b],
        ExprKind::If(c) => vec![&mut c.left, &mut c.right, &mut c.then, &mut c.otherwise],
    }
}

fn count(e: &mut Expr) -> usize {
    1 + children(e).into_iter().map(count).sum::<usize>()
}

/// The `k`-th expression inside, itself first.
fn nth(e: &mut Expr, k: usize) -> Option<&mut Expr> {
    if k == 0 {
        return Some(e);
    }
    let mut left = k - 1;
    for child in children(e) {
        let n = count(child);
        if left < n {
            return nth(child, left);
        }
        left -= n;
    }
    None
}

/// An expression somewhere in the part.
fn somewhere<'c>(contract: &'c mut Contract, part: Part, random: &mut Random) -> Option<&'c mut Expr> {
    let mut all = expressions(contract, part);
    let total: usize = all.iter_mut().map(|e| count(e)).sum();
    let mut k = random.below(total.max(1));
    for e in all {
        let n = count(e);
        if k < n {
            return nth(e, k);
        }
        k -= n;
    }
    None
}

fn indices(e: &mut Expr) -> Vec<&mut Index> {
    match &mut e.kind {
        ExprKind::Access(_, at) => at.iter_mut().collect(),
        ExprKind::Equal(a, b) => vec![a, b],
        _ => Vec::new(),
    }
}

/// Changes one expression in one way.
fn change(e: &mut Expr, other: &Expr, random: &mut Random) -> Option<()> {
    let old = std::mem::replace(e, expr(literal("0")?));
    let boxed = || Box::new(old.clone());
    let another = || Box::new(other.clone());
    let zero = || literal("0").map(expr);
    let function = Function::ALL[random.below(Function::ALL.len())];
    let comparison = COMPARISONS[random.below(COMPARISONS.len())];
    let operators = [Operator::Add, Operator::Sub, Operator::Mul, Operator::Div];
    let operator = operators[random.below(4)];
    let number = NUMBERS[random.below(NUMBERS.len())];
    e.kind = match (&old.kind, random.below(16)) {
        // What is there, otherwise.
        (ExprKind::Binary(_, a, b), 0..=2) => ExprKind::Binary(operator, a.clone(), b.clone()),
        (ExprKind::Binary(_, a, _), 3) => a.kind.clone(),
        (ExprKind::Binary(_, _, b), 4) => b.kind.clone(),
        (ExprKind::Binary(o, a, b), 5) => ExprKind::Binary(*o, b.clone(), a.clone()),
        (ExprKind::Extremum(_, a, b), 0..=2) => {
            ExprKind::Extremum([Extremum::Max, Extremum::Min][random.below(2)], a.clone(), b.clone())
        }
        (ExprKind::Neg(a) | ExprKind::Abs(a), 0..=2) => a.kind.clone(),
        (ExprKind::Pow(a, k), 0..=3) => ExprKind::Pow(a.clone(), k + random.below(5) as i32 - 2),
        (ExprKind::Call(_, a), 0..=2) => ExprKind::Call(function, a.clone()),
        (ExprKind::Call(_, a), 3) => a.kind.clone(),
        (ExprKind::Number(_), 0..=4) => literal(number)?,
        (ExprKind::Reduce(r, b, a), 0..=1) => {
            let other = if *r == Reduction::Sum { Reduction::Max } else { Reduction::Sum };
            ExprKind::Reduce(other, b.clone(), a.clone())
        }
        (ExprKind::If(c), 0..=2) => {
            ExprKind::If(Box::new(Choice { then: c.otherwise.clone(), otherwise: c.then.clone(), ..(**c).clone() }))
        }
        (ExprKind::If(c), 3..=5) => ExprKind::If(Box::new(Choice { comparison, ..(**c).clone() })),
        (ExprKind::If(c), 6) => c.then.kind.clone(),
        (ExprKind::Access(..) | ExprKind::Equal(..), 0..=2) => {
            let mut changed = old.clone();
            let mut theirs: Vec<Index> = indices(&mut other.clone()).into_iter().map(|i| i.clone()).collect();
            let mut ours = indices(&mut changed);
            if ours.is_empty() {
                return None;
            }
            let at = random.below(ours.len());
            let inner = match &ours[at].kind {
                IndexKind::Map(_, args) => args.first().cloned(),
                IndexKind::Variable(..) => None,
            };
            theirs.extend(inner);
            *ours[at] = theirs.get(random.below(theirs.len().max(1)))?.clone();
            changed.kind
        }
        // Something around it, or beside it.
        (_, 6) => ExprKind::Call(function, boxed()),
        (_, 7) => ExprKind::Pow(boxed(), [2, -1, 3, -2, 0][random.below(5)]),
        (_, 8) => ExprKind::Neg(boxed()),
        (_, 9) => ExprKind::Extremum([Extremum::Max, Extremum::Min][random.below(2)], boxed(), another()),
        (_, 10) => ExprKind::Abs(boxed()),
        (_, 11) => {
            let guard = if random.below(2) == 0 { other.clone() } else { old.clone() };
            let (then, otherwise) = if random.below(2) == 0 { (old, zero()?) } else { (other.clone(), old) };
            ExprKind::If(Box::new(Choice { comparison, left: guard, right: zero()?, then, otherwise }))
        }
        (_, 12) => ExprKind::Binary(operator, boxed(), another()),
        (_, 13) => ExprKind::Binary(operator, boxed(), Box::new(expr(literal(number)?))),
        // The same, in a form that must first be seen to be it.
        (_, 14) => {
            let there = Box::new(expr(ExprKind::Binary(Operator::Add, boxed(), another())));
            ExprKind::Binary(Operator::Sub, there, another())
        }
        _ => other.kind.clone(),
    };
    Some(())
}

/// Changes something that is no expression: a condition's sign, a condition more or fewer, a `let` that becomes an `any`.
fn reword(contract: &mut Contract, random: &mut Random) -> Option<()> {
    let at = random.below(contract.items.len());
    let value = somewhere(contract, Part::Forward, random)?.clone();
    let item = &mut contract.items[at].kind;
    match item {
        ItemKind::Where(conditions) => {
            let k = random.below(conditions.len());
            match random.below(3) {
                0 if conditions.len() > 1 => {
                    conditions.remove(k);
                }
                1 => conditions.swap(0, k),
                _ => conditions[k].sign = SIGNS[random.below(3)],
            }
        }
        ItemKind::Let(c) => *item = ItemKind::Any(c.clone()),
        ItemKind::Any(c) => *item = ItemKind::Let(c.clone()),
        ItemKind::Output(_) => {
            let condition = Condition { value, sign: SIGNS[random.below(3)] };
            let item = Item { kind: ItemKind::Where(vec![condition]), place: Place::default() };
            contract.items.insert(at, item);
        }
        _ => return None,
    }
    Some(())
}

/// Changes the contract in a place of this part.
pub fn mutate(contract: &mut Contract, part: Part, random: &mut Random) -> Option<()> {
    if part != Part::Rule && random.below(8) == 0 {
        return reword(contract, random);
    }
    let other = somewhere(contract, part, random)?.clone();
    change(somewhere(contract, part, random)?, &other, random)
}

/// The statement of a contract; one that turned out to have kinks declares something.
pub fn resolve(contract: &Contract, random: &mut Random) -> Option<Statement> {
    match Statement::resolve(contract) {
        Ok(statement) => Some(statement),
        Err(diagnostics) if diagnostics.iter().all(|d| d.code == "E0266") => {
            let label = [Label::Convention, Label::Subgradient, Label::Subgradient][random.below(3)];
            let mut declared = contract.clone();
            let kind = ItemKind::Declares { label, named: Vec::new(), written: false, text: "at its kinks".into() };
            declared.items.push(Item { kind, place: Place::default() });
            Statement::resolve(&declared).ok()
        }
        Err(_) => None,
    }
}
