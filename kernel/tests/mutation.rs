//! Soundness by mutation: backward rules that are nearly right.
//!
//! Every backward clause in `contracts/` is changed in one place (or two), in every way that a person gets
//! a gradient wrong. No change that makes a difference may be proved, and what is proved is shown equal
//! at random points by an oracle that shares nothing with the prover (see `support`).
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, and this one reports counts")]

#[path = "support/library.rs"]
mod library;
mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use pullback_kernel::source::Name;
use pullback_kernel::statement::{Function, Label, Statement};
use pullback_kernel::syntax::{
    Binder, Choice, Clause, Comparison, Contract, DimRef, Expr, ExprKind, Index, IndexKind, ItemKind, Map, Number,
    Operator, Place, Reduction, Target,
};
use pullback_kernel::{Outcome, Wrong, parse, prove};
use support::{Points, Random, Truth, recheck};

/// What was changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Change {
    DroppedTerm,
    Sign,
    DroppedFactor,
    Constant,
    WrongIndex,
    MissingSum,
    ExtraSum,
    OtherValue,
    OtherMap,
    CotangentDropped,
    CotangentSquared,
    CotangentTwice,
    OtherFunction,
    OtherBranch,
    Division,
    /// Two changes at once: they may undo each other.
    Two,
    /// Written otherwise, with the same meaning.
    Rearranged,
}

/// Mutants of each kind and contract, at most; of two changes at once, twice as many.
/// For a longer run: MUTANTS=50.
fn each() -> usize {
    std::env::var("MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(4)
}
/// Points that every mutant is compared at.
const POINTS: usize = 8;

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, place: Place::default() }
}
fn name(text: &str) -> Name {
    Name { text: text.to_owned(), span: Default::default() }
}
fn number(n: u32) -> Expr {
    expr(ExprKind::Number(Number::new(&n.to_string()).unwrap()))
}
fn binary(o: Operator, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(o, Box::new(a), Box::new(b)))
}
fn neg(a: Expr) -> Expr {
    expr(ExprKind::Neg(Box::new(a)))
}
fn sum(binders: Vec<Binder>, body: Expr) -> Expr {
    expr(ExprKind::Reduce(Reduction::Sum, binders, Box::new(body)))
}
fn variable(name: &Name, pack: bool) -> IndexKind {
    IndexKind::Variable(name.clone(), pack)
}

/// What a clause may speak of.
struct Names {
    /// Readable tensors: name and number of axes.
    values: Vec<(Name, usize)>,
    dims: Vec<DimRef>,
    maps: Vec<Map>,
    /// The index variables at hand.
    scope: Vec<(Name, bool)>,
    /// Names of cotangents.
    cotangents: Vec<String>,
}

impl Names {
    fn of(contract: &Contract, before: usize) -> Names {
        let mut names =
            Names { values: Vec::new(), dims: Vec::new(), maps: Vec::new(), scope: Vec::new(), cotangents: Vec::new() };
        for item in &contract.items[..before] {
            match &item.kind {
                ItemKind::Dims(dims) => names.dims.extend(dims.iter().cloned()),
                ItemKind::Maps(_, maps) => names.maps.extend(maps.iter().cloned()),
                ItemKind::Split { parts, whole } => names.maps.extend(parts.iter().map(|p| Map {
                    name: p.name.clone(),
                    from: vec![p.dim.clone()],
                    to: whole.clone(),
                })),
                ItemKind::Inputs(ts) | ItemKind::Constants(ts) => {
                    names.values.extend(ts.iter().map(|t| (t.name.clone(), t.axes.len())));
                }
                ItemKind::Param { name, .. } => names.values.push((name.clone(), 0)),
                ItemKind::Let(c) | ItemKind::Any(c) => names.values.push((c.name.clone(), c.at.len())),
                ItemKind::Output(c) => {
                    names.values.push((c.name.clone(), c.at.len()));
                    let cotangent = format!("d{}", c.name);
                    names.values.push((name(&cotangent), c.at.len()));
                    names.cotangents.push(cotangent);
                }
                _ => {}
            }
        }
        names
    }
    /// A name for a binder that nothing else has.
    fn fresh(&self) -> Name {
        name("zz")
    }
}

/// Every index variable called `from` becomes `to`.
fn renamed(e: &Expr, from: &str, to: &IndexKind) -> Expr {
    let index = |i: &Index| renamed_index(i, from, to);
    mapped(e, &mut |x| match &x.kind {
        ExprKind::Access(t, at) => Some(expr(ExprKind::Access(t.clone(), at.iter().map(index).collect()))),
        ExprKind::Equal(a, b) => Some(expr(ExprKind::Equal(index(a), index(b)))),
        _ => None,
    })
}

fn renamed_index(i: &Index, from: &str, to: &IndexKind) -> Index {
    let kind = match &i.kind {
        IndexKind::Variable(v, _) if v.text == from => to.clone(),
        k @ IndexKind::Variable(..) => k.clone(),
        IndexKind::Map(m, args) => IndexKind::Map(m.clone(), args.iter().map(|a| renamed_index(a, from, to)).collect()),
    };
    Index { kind, place: i.place }
}

/// Replaces the outermost expressions for which `f` gives something.
fn mapped(e: &Expr, f: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Expr {
    if let Some(new) = f(e) {
        return new;
    }
    let mut parts = children(e);
    for p in &mut parts {
        *p = mapped(p, f);
    }
    with_children(e, parts)
}

fn mentions(e: &Expr, variable: &str) -> bool {
    let mut found = false;
    mapped(e, &mut |x| {
        let mut look = |i: &Index| found |= index_mentions(i, variable);
        match &x.kind {
            ExprKind::Access(_, at) => at.iter().for_each(look),
            ExprKind::Equal(a, b) => {
                look(a);
                look(b);
            }
            _ => {}
        }
        None
    });
    found
}
fn index_mentions(i: &Index, variable: &str) -> bool {
    match &i.kind {
        IndexKind::Variable(v, _) => v.text == variable,
        IndexKind::Map(_, args) => args.iter().any(|a| index_mentions(a, variable)),
    }
}

fn children(e: &Expr) -> Vec<Expr> {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Access(..) | ExprKind::Size(_) | ExprKind::Equal(..) => vec![],
        ExprKind::Neg(a)
        | ExprKind::Pow(a, _)
        | ExprKind::Call(_, a)
        | ExprKind::Abs(a)
        | ExprKind::Reduce(_, _, a) => {
            vec![(**a).clone()]
        }
        ExprKind::Binary(_, a, b) | ExprKind::Extremum(_, a, b) => vec![(**a).clone(), (**b).clone()],
        ExprKind::If(c) => vec![c.left.clone(), c.right.clone(), c.then.clone(), c.otherwise.clone()],
    }
}

fn with_children(e: &Expr, parts: Vec<Expr>) -> Expr {
    let mut parts = parts.into_iter();
    let mut next = || Box::new(parts.next().unwrap());
    let kind = match &e.kind {
        k @ (ExprKind::Number(_) | ExprKind::Access(..) | ExprKind::Size(_) | ExprKind::Equal(..)) => k.clone(),
        ExprKind::Neg(_) => ExprKind::Neg(next()),
        ExprKind::Pow(_, k) => ExprKind::Pow(next(), *k),
        ExprKind::Call(f, _) => ExprKind::Call(*f, next()),
        ExprKind::Abs(_) => ExprKind::Abs(next()),
        ExprKind::Reduce(r, b, _) => ExprKind::Reduce(*r, b.clone(), next()),
        ExprKind::Binary(o, ..) => ExprKind::Binary(*o, next(), next()),
        ExprKind::Extremum(x, ..) => ExprKind::Extremum(*x, next(), next()),
        ExprKind::If(c) => ExprKind::If(Box::new(Choice {
            comparison: c.comparison,
            left: *next(),
            right: *next(),
            then: *next(),
            otherwise: *next(),
        })),
    };
    Expr { kind, place: e.place }
}

/// All single changes of an expression, here and inside.
fn changes(e: &Expr, names: &mut Names) -> Vec<(Change, Expr)> {
    let mut out = Vec::new();
    here(e, names, &mut out);
    let kept = names.scope.len();
    if let ExprKind::Reduce(_, binders, _) = &e.kind {
        names.scope.extend(binders.iter().map(|b| (b.name.clone(), b.pack)));
    }
    let parts = children(e);
    for k in 0..parts.len() {
        for (change, new) in changes(&parts[k], names) {
            let mut all = parts.clone();
            all[k] = new;
            out.push((change, with_children(e, all)));
        }
    }
    names.scope.truncate(kept);
    out
}

/// The changes of the outermost part.
fn here(e: &Expr, names: &Names, out: &mut Vec<(Change, Expr)>) {
    let twice = |e: &Expr| binary(Operator::Mul, number(2), e.clone());
    let mut push = |c: Change, e: Expr| out.push((c, e));
    match &e.kind {
        ExprKind::Binary(o @ (Operator::Add | Operator::Sub), a, b) => {
            let (other, kept) = match o {
                Operator::Add => (Operator::Sub, (**b).clone()),
                _ => (Operator::Add, neg((**b).clone())),
            };
            push(Change::DroppedTerm, (**a).clone());
            push(Change::DroppedTerm, kept);
            push(Change::Sign, binary(other, (**a).clone(), (**b).clone()));
            push(Change::Constant, binary(*o, twice(a), (**b).clone()));
            push(Change::Constant, binary(*o, (**a).clone(), twice(b)));
            push(Change::Rearranged, neg(binary(other, neg((**a).clone()), (**b).clone())));
        }
        ExprKind::Binary(Operator::Mul, a, b) => {
            push(Change::DroppedFactor, (**a).clone());
            push(Change::DroppedFactor, (**b).clone());
            push(Change::Division, binary(Operator::Div, (**a).clone(), (**b).clone()));
            push(Change::Constant, binary(Operator::Mul, (**a).clone(), (**a).clone()));
            push(Change::Rearranged, binary(Operator::Mul, (**b).clone(), (**a).clone()));
            distribute(a, b, &mut push);
            distribute(b, a, &mut push);
        }
        ExprKind::Binary(Operator::Div, a, b) => {
            push(Change::DroppedFactor, (**a).clone());
            push(Change::Division, binary(Operator::Mul, (**a).clone(), (**b).clone()));
            let r = expr(ExprKind::Call(Function::Recip, b.clone()));
            push(Change::Rearranged, binary(Operator::Mul, r, (**a).clone()));
        }
        ExprKind::Neg(a) => push(Change::Sign, (**a).clone()),
        ExprKind::Pow(a, k) => {
            push(Change::DroppedFactor, (**a).clone());
            push(Change::Constant, expr(ExprKind::Pow(a.clone(), k + 1)));
            push(Change::Constant, expr(ExprKind::Pow(a.clone(), k - 1)));
            push(Change::Constant, expr(ExprKind::Pow(a.clone(), -k)));
            if *k == 2 {
                push(Change::Rearranged, binary(Operator::Mul, (**a).clone(), (**a).clone()));
            }
        }
        ExprKind::Number(n) => {
            let more = binary(Operator::Add, e.clone(), number(1));
            push(Change::Constant, more);
            push(Change::Constant, number(if n.text() == "0" { 2 } else { 0 }));
            push(Change::Constant, binary(Operator::Div, e.clone(), number(2)));
        }
        ExprKind::Size(d) => {
            push(Change::Constant, number(1));
            push(Change::Constant, binary(Operator::Sub, e.clone(), number(1)));
            for other in names.dims.iter().filter(|o| o.name != d.name) {
                push(Change::OtherValue, expr(ExprKind::Size(other.clone())));
            }
        }
        ExprKind::Call(f, a) => {
            push(Change::OtherFunction, (**a).clone());
            let other = match f {
                Function::Exp => Function::Tanh,
                Function::Sin => Function::Cos,
                Function::Cos => Function::Sin,
                Function::Tanh => Function::Sin,
                Function::Sqrt | Function::Recip => Function::Rsqrt,
                Function::Rsqrt | Function::Log => Function::Sqrt,
                Function::Round | Function::Atan => Function::Tanh,
                Function::Floor => Function::Round,
                Function::Erf => Function::Erfc,
                Function::Erfc => Function::Erf,
                Function::Log1p => Function::Log,
                Function::Expm1 => Function::Exp,
            };
            push(Change::OtherFunction, expr(ExprKind::Call(other, a.clone())));
        }
        ExprKind::Access(t, at) => access(e, t, at, names, &mut push),
        ExprKind::Equal(a, b) => {
            push(Change::DroppedFactor, number(1));
            for (side, other) in [(a, b), (b, a)] {
                for new in other_indices(side, names) {
                    push(new.0, expr(ExprKind::Equal(new.1, other.clone())));
                }
            }
            push(Change::Rearranged, expr(ExprKind::Equal(b.clone(), a.clone())));
        }
        ExprKind::Reduce(Reduction::Sum, binders, body) => {
            for (k, b) in binders.iter().enumerate() {
                let mut rest = binders.clone();
                rest.remove(k);
                let closed = |body: Expr| if rest.is_empty() { body } else { sum(rest.clone(), body) };
                for (v, pack) in &names.scope {
                    if *pack == b.pack {
                        push(Change::MissingSum, closed(renamed(body, &b.name.text, &variable(v, *pack))));
                    }
                }
                for m in &names.maps {
                    if let ([from], Some((v, pack))) = (m.from.as_slice(), names.scope.first())
                        && from.pack == *pack
                        && m.to.pack == b.pack
                    {
                        let at = Index { kind: variable(v, *pack), place: Place::default() };
                        push(
                            Change::MissingSum,
                            closed(renamed(body, &b.name.text, &IndexKind::Map(m.name.clone(), vec![at]))),
                        );
                    }
                }
            }
            if binders.len() > 1 {
                let mut order = binders.clone();
                order.reverse();
                push(Change::Rearranged, sum(order, (**body).clone()));
            }
            push(Change::Rearranged, neg(sum(binders.clone(), neg((**body).clone()))));
        }
        ExprKind::If(c) => {
            let with = |f: &dyn Fn(&mut Choice)| {
                let mut c = (**c).clone();
                f(&mut c);
                expr(ExprKind::If(Box::new(c)))
            };
            push(Change::OtherBranch, with(&|c| std::mem::swap(&mut c.then, &mut c.otherwise)));
            push(Change::OtherBranch, c.then.clone());
            push(Change::OtherBranch, c.otherwise.clone());
            push(Change::OtherBranch, with(&|c| c.then = number(0)));
            push(Change::OtherBranch, with(&|c| c.otherwise = c.then.clone()));
            push(Change::OtherBranch, with(&|c| c.right = number(2)));
            push(
                Change::OtherBranch,
                with(&|c| {
                    c.comparison = match c.comparison {
                        Comparison::Greater => Comparison::Less,
                        Comparison::Less => Comparison::Greater,
                        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
                        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
                    }
                }),
            );
            // The other side of the boundary: between the boundaries there is no difference.
            push(
                Change::Rearranged,
                with(&|c| {
                    c.comparison = match c.comparison {
                        Comparison::Greater => Comparison::LessOrEqual,
                        Comparison::Less => Comparison::GreaterOrEqual,
                        Comparison::GreaterOrEqual => Comparison::Less,
                        Comparison::LessOrEqual => Comparison::Greater,
                    };
                    std::mem::swap(&mut c.then, &mut c.otherwise);
                }),
            );
        }
        ExprKind::Reduce(Reduction::Max, ..) | ExprKind::Extremum(..) | ExprKind::Abs(_) => {}
    }
    if matches!(e.kind, ExprKind::Access(..) | ExprKind::Binary(Operator::Mul, ..) | ExprKind::Reduce(..)) {
        push(Change::Sign, neg(e.clone()));
        push(Change::Constant, twice(e));
        let z = names.fresh();
        for (v, pack) in &names.scope {
            if mentions(e, &v.text) {
                let binder = Binder { name: z.clone(), pack: *pack, dim: None };
                push(Change::ExtraSum, sum(vec![binder], renamed(e, &v.text, &variable(&z, *pack))));
            }
        }
        for d in &names.dims {
            let binder = Binder { name: z.clone(), pack: d.pack, dim: Some(d.clone()) };
            push(Change::ExtraSum, sum(vec![binder], e.clone()));
        }
    }
}

/// `a * (b + c)` as `a * b + a * c`, and into sums.
fn distribute(a: &Expr, b: &Expr, push: &mut dyn FnMut(Change, Expr)) {
    match &b.kind {
        ExprKind::Binary(o @ (Operator::Add | Operator::Sub), c, d) => {
            let times = |x: &Expr| binary(Operator::Mul, a.clone(), x.clone());
            push(Change::Rearranged, binary(*o, times(c), times(d)));
        }
        ExprKind::Reduce(Reduction::Sum, binders, body) if !binders.iter().any(|b| mentions(a, &b.name.text)) => {
            push(Change::Rearranged, sum(binders.clone(), binary(Operator::Mul, a.clone(), (**body).clone())));
        }
        _ => {}
    }
}

fn access(e: &Expr, t: &Name, at: &[Index], names: &Names, push: &mut dyn FnMut(Change, Expr)) {
    let read = |t: &Name, at: Vec<Index>| expr(ExprKind::Access(t.clone(), at));
    for k in 0..at.len() {
        for (change, new) in other_indices(&at[k], names) {
            let mut all = at.to_vec();
            all[k] = new;
            push(change, read(t, all));
        }
        for l in k + 1..at.len() {
            let mut all = at.to_vec();
            all.swap(k, l);
            push(Change::WrongIndex, read(t, all));
        }
    }
    for (other, axes) in &names.values {
        if other != t && *axes == at.len() {
            push(Change::OtherValue, read(other, at.to_vec()));
        }
    }
    if names.cotangents.contains(&t.text) {
        push(Change::CotangentDropped, number(1));
        push(Change::CotangentSquared, expr(ExprKind::Pow(Box::new(e.clone()), 2)));
        push(Change::CotangentTwice, binary(Operator::Add, e.clone(), e.clone()));
    }
}

/// Another position along the same axis.
fn other_indices(i: &Index, names: &Names) -> Vec<(Change, Index)> {
    let with = |kind: IndexKind| Index { kind, place: i.place };
    let mut out = Vec::new();
    match &i.kind {
        IndexKind::Variable(v, pack) => {
            for (w, p) in &names.scope {
                if w != v && p == pack {
                    out.push((Change::WrongIndex, with(variable(w, *p))));
                }
            }
            for m in names.maps.iter().filter(|m| m.from == [m.to.clone()] && m.to.pack == *pack) {
                out.push((Change::OtherMap, with(IndexKind::Map(m.name.clone(), vec![i.clone()]))));
            }
            // Through a map from the dimension of some other variable.
            for m in names.maps.iter().filter(|m| m.from.len() == 1) {
                for (w, p) in &names.scope {
                    if m.from[0].pack == *p && m.to.pack == *pack {
                        let arg = with(variable(w, *p));
                        out.push((Change::OtherMap, with(IndexKind::Map(m.name.clone(), vec![arg]))));
                    }
                }
            }
        }
        IndexKind::Map(m, args) => {
            for other in names.maps.iter().filter(|o| o.name != *m && o.from.len() == args.len()) {
                out.push((Change::OtherMap, with(IndexKind::Map(other.name.clone(), args.clone()))));
            }
            if let [arg] = args.as_slice() {
                out.push((Change::OtherMap, arg.clone()));
                out.push((Change::OtherMap, with(IndexKind::Map(m.clone(), vec![i.clone()]))));
            }
            if args.len() == 2 {
                let swapped = vec![args[1].clone(), args[0].clone()];
                out.push((Change::OtherMap, with(IndexKind::Map(m.clone(), swapped))));
            }
            for k in 0..args.len() {
                for (change, new) in other_indices(&args[k], names) {
                    let mut all = args.clone();
                    all[k] = new;
                    out.push((change, with(IndexKind::Map(m.clone(), all))));
                }
            }
            for (w, p) in &names.scope {
                out.push((Change::OtherMap, with(variable(w, *p))));
            }
        }
    }
    out
}

/// Changes of a whole clause: its left side, and what adds to its right side.
fn clause_changes(clause: &Clause, names: &mut Names) -> Vec<(Change, Clause)> {
    let mut out = Vec::new();
    let with = |value: Expr| Clause { value, ..clause.clone() };
    names.scope.clear();
    for t in &clause.at {
        match t {
            Target::Binder(b) => names.scope.push((b.name.clone(), b.pack)),
            Target::Map(_, bs) => names.scope.extend(bs.iter().map(|b| (b.name.clone(), b.pack))),
        }
    }
    for (change, value) in changes(&clause.value, names) {
        out.push((change, with(value)));
    }
    out.push((Change::Sign, with(neg(clause.value.clone()))));
    out.push((Change::Constant, with(binary(Operator::Mul, number(2), clause.value.clone()))));
    out.push((Change::Constant, with(number(0))));
    for d in names.dims.clone() {
        out.push((
            Change::Constant,
            with(binary(Operator::Mul, expr(ExprKind::Size(d.clone())), clause.value.clone())),
        ));
        out.push((Change::Constant, with(binary(Operator::Div, clause.value.clone(), expr(ExprKind::Size(d))))));
    }
    // The cotangent used twice: as a factor of the whole, and on top of it.
    let mut reads: Vec<Expr> = Vec::new();
    mapped(&clause.value, &mut |x| {
        if let ExprKind::Access(t, _) = &x.kind
            && names.cotangents.contains(&t.text)
            && !reads.contains(x)
        {
            reads.push(x.clone());
        }
        None
    });
    for r in reads {
        out.push((Change::CotangentTwice, with(binary(Operator::Mul, clause.value.clone(), r.clone()))));
        out.push((Change::CotangentTwice, with(binary(Operator::Add, clause.value.clone(), r.clone()))));
        let zero = binary(Operator::Sub, r.clone(), r);
        out.push((Change::Rearranged, with(binary(Operator::Add, clause.value.clone(), zero))));
    }
    // A map on the other side: the inverse of a bijection, a gather for a scatter.
    for (k, t) in clause.at.iter().enumerate() {
        let mut at = clause.at.clone();
        match t {
            Target::Map(m, bs) if bs.len() == 1 => {
                at[k] = Target::Binder(bs[0].clone());
                let arg = Index { kind: variable(&bs[0].name, bs[0].pack), place: Place::default() };
                let value = renamed(&clause.value, &bs[0].name.text, &IndexKind::Map(m.clone(), vec![arg]));
                out.push((Change::OtherMap, Clause { at: at.clone(), value, ..clause.clone() }));
                out.push((Change::OtherMap, Clause { at, ..clause.clone() }));
            }
            Target::Binder(b) => {
                for m in &names.maps {
                    let bare = mapped(&clause.value, &mut |x| match &x.kind {
                        ExprKind::Access(t, ix) => Some(expr(ExprKind::Access(
                            t.clone(),
                            ix.iter()
                                .map(|i| match &i.kind {
                                    IndexKind::Map(n, args) if n == &m.name && args.len() == 1 => args[0].clone(),
                                    _ => i.clone(),
                                })
                                .collect(),
                        ))),
                        _ => None,
                    });
                    at[k] = Target::Map(m.name.clone(), vec![b.clone()]);
                    out.push((Change::OtherMap, Clause { at: at.clone(), value: bare, ..clause.clone() }));
                }
            }
            Target::Map(..) => {}
        }
    }
    out
}

/// The backward items of a contract.
fn backward(contract: &Contract) -> Vec<usize> {
    let first = contract
        .items
        .iter()
        .position(|i| matches!(i.kind, ItemKind::Saves(_) | ItemKind::Gradient(_)))
        .unwrap_or(contract.items.len());
    (first..contract.items.len())
        .filter(|k| matches!(contract.items[*k].kind, ItemKind::Let(_) | ItemKind::Gradient(_)))
        .collect()
}

/// The contract with all its dimensions of equal size, where that makes sense: wrong indices are then no
/// longer wrong shapes.
fn square(contract: &Contract) -> Option<Contract> {
    let mut first: [Option<DimRef>; 2] = [None, None];
    let mut squared = contract.clone();
    squared.name.text.push_str("_square");
    for item in &contract.items {
        match &item.kind {
            ItemKind::Dims(dims) => {
                for d in dims {
                    first[usize::from(d.pack)].get_or_insert_with(|| d.clone());
                }
            }
            // The parts of a split are smaller than the whole.
            ItemKind::Split { .. } => return None,
            _ => {}
        }
    }
    let one = |d: &DimRef| first[usize::from(d.pack)].clone().unwrap();
    let all = |dims: &mut Vec<DimRef>| dims.iter_mut().for_each(|d| *d = one(d));
    for item in &mut squared.items {
        match &mut item.kind {
            ItemKind::Dims(dims) => {
                dims.retain(|d| one(d) == *d);
            }
            ItemKind::Maps(_, maps) => {
                for m in maps {
                    all(&mut m.from);
                    m.to = one(&m.to);
                }
            }
            ItemKind::Inputs(ts) | ItemKind::Constants(ts) => ts.iter_mut().for_each(|t| all(&mut t.axes)),
            ItemKind::Let(c) | ItemKind::Any(c) | ItemKind::Output(c) | ItemKind::Gradient(c) => {
                for t in &mut c.at {
                    if let Target::Binder(Binder { dim: Some(d), .. }) = t {
                        *d = one(d);
                    }
                }
                c.value = mapped(&c.value, &mut |x| match &x.kind {
                    ExprKind::Size(d) => Some(expr(ExprKind::Size(one(d)))),
                    _ => None,
                });
            }
            _ => {}
        }
    }
    Some(squared)
}

/// All single changes of a contract's rule.
fn mutants(contract: &Contract) -> Vec<(Change, Contract)> {
    let mut out = Vec::new();
    for k in backward(contract) {
        let mut names = Names::of(contract, k);
        let (ItemKind::Let(clause) | ItemKind::Gradient(clause)) = &contract.items[k].kind else { continue };
        for (change, new) in clause_changes(clause, &mut names) {
            if new == *clause {
                continue;
            }
            let mut mutant = contract.clone();
            mutant.items[k].kind = match contract.items[k].kind {
                ItemKind::Let(_) => ItemKind::Let(new),
                _ => ItemKind::Gradient(new),
            };
            out.push((change, mutant));
        }
    }
    out
}

#[derive(Default, Clone, Copy)]
struct Tally {
    proved: usize,
    refuted: usize,
    undecided: usize,
    /// Undecided, and the oracle found no difference.
    undecided_equal: usize,
}

#[derive(Default)]
struct Report {
    by: BTreeMap<Change, Tally>,
    unresolved: usize,
    /// Counterexamples out of the range of the oracle's numbers.
    untold: usize,
    /// Comparisons that an accepted mutant passed, one a mutant and point.
    comparisons: usize,
    unsound: Vec<String>,
    undecided: Vec<String>,
    incomplete: Vec<String>,
    false_refutations: Vec<String>,
    slowest: Vec<(f64, String)>,
    proving: f64,
    judging: f64,
    drawing: f64,
    rechecking: f64,
}

fn changed_clause(original: &Contract, mutant: &Contract) -> String {
    let changed = original.items.iter().zip(&mutant.items).filter(|(a, b)| a != b);
    changed.map(|(_, b)| b.to_string()).collect::<Vec<_>>().join(" ; ")
}

/// Decides one mutant and holds the outcome against the oracle.
fn decide(
    original: &Contract,
    change: Change,
    mutant: &Contract,
    statement: &Statement,
    points: &Points,
    report: &mut Report,
) {
    let what = || format!("{} [{change:?}] {}", original.name, changed_clause(original, mutant));
    let start = Instant::now();
    let outcome = prove(statement);
    let took = start.elapsed().as_secs_f64();
    report.proving += took;
    let start = Instant::now();
    if took > 0.1 {
        report.slowest.push((took, what()));
    }
    let tally = report.by.entry(change).or_default();
    match outcome {
        Outcome::Proved(theorem) => {
            tally.proved += 1;
            // A surrogate claims to be linear, and no more.
            if statement.declaration().is_some_and(|d| d.label == Label::Surrogate) {
                let (truth, _) = points.judge(statement);
                if !points.is_linear(statement) || (truth == Truth::Differs && theorem.differs_at().is_none()) {
                    report.unsound.push(what());
                }
                return;
            }
            match points.judge(statement) {
                (Truth::Equal, told) => {
                    report.comparisons += told;
                    // Equal points that could not be told prove nothing.
                    if told < POINTS.min(points.len()) / 2 {
                        report.unsound.push(format!("{}: only {told} points told", what()));
                    }
                }
                (Truth::Differs, _) => report.unsound.push(format!("{}\n{statement}", what())),
            }
        }
        Outcome::Refuted(c) => {
            tally.refuted += 1;
            match recheck(statement, &c) {
                Ok(true) => {}
                Ok(false) => report.untold += 1,
                Err(e) => report.false_refutations.push(format!("{}: {e}\n{c}", what())),
            }
            report.rechecking += start.elapsed().as_secs_f64();
            return;
        }
        Outcome::Undecided(difference) => match points.judge(statement).0 {
            Truth::Equal => {
                tally.undecided_equal += 1;
                report.incomplete.push(format!("{}: {difference}", what()));
            }
            Truth::Differs => {
                tally.undecided += 1;
                report.undecided.push(format!("{}: {difference}", what()));
            }
        },
    }
    report.judging += start.elapsed().as_secs_f64();
}

fn run(path: &Path, report: &mut Report) {
    let source = std::fs::read_to_string(path).unwrap();
    let (contracts, errors) = parse(&source);
    assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    for contract in &contracts {
        vary(contract, path, false, report);
        if let Some(c) = square(contract).filter(|c| c.items[0] != contract.items[0]) {
            vary(&c, path, true, report);
        }
    }
}

fn vary(contract: &Contract, path: &Path, square: bool, report: &mut Report) {
    let original = Statement::resolve(contract).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
    if original.inputs().is_empty() {
        return;
    }
    let start = Instant::now();
    let points = Points::draw(&original, POINTS);
    report.drawing += start.elapsed().as_secs_f64();
    if square && points.largest(&original) < 2 {
        // Too many axes of one size: there is no room for a second place.
        return;
    }
    assert!(points.len() >= 4, "{}: {} points of the domain were found", path.display(), points.len());
    let surrogate = original.declaration().is_some_and(|d| d.label == Label::Surrogate);
    if !surrogate {
        let (truth, told) = points.judge(&original);
        assert_eq!((truth, told), (Truth::Equal, points.len()), "the rule of {}", path.display());
    }
    let mut all = mutants(contract);
    if square {
        assert!(matches!(prove(&original), Outcome::Proved(_)), "{original}");
        // The rest is as with the dimensions apart.
        let of_indices = [Change::WrongIndex, Change::MissingSum, Change::OtherMap, Change::OtherValue];
        all.retain(|(c, _)| of_indices.contains(c));
    }
    let mut random = Random::named(&contract.name.text);
    random.shuffle(&mut all);
    let mut counts: BTreeMap<Change, usize> = BTreeMap::new();
    let mut seen: Vec<Contract> = Vec::new();
    let mut kept: Vec<(Change, Contract)> = Vec::new();
    for (change, mutant) in &all {
        let count = counts.entry(*change).or_default();
        if *count >= each() || seen.contains(mutant) {
            continue;
        }
        let Ok(statement) = Statement::resolve(mutant) else {
            report.unresolved += 1;
            continue;
        };
        *count += 1;
        decide(contract, *change, mutant, &statement, &points, report);
        seen.push(mutant.clone());
        kept.push((*change, mutant.clone()));
    }
    let mut pairs = 0;
    for _ in 0..each() * 8 {
        if pairs == each() * 2 || kept.is_empty() || square {
            break;
        }
        let (_, first) = &kept[random.below(kept.len())];
        let mut again = mutants(first);
        if again.is_empty() {
            continue;
        }
        let (_, second) = again.swap_remove(random.below(again.len()));
        if second == *contract {
            continue;
        }
        if let Ok(statement) = Statement::resolve(&second) {
            pairs += 1;
            decide(contract, Change::Two, &second, &statement, &points, report);
        }
    }
}

#[test]
fn no_mutant_that_differs_is_proved_and_nearly_all_are_refuted() {
    let mut files = library::sources();
    // For work on one contract: MUTATE=softmax.
    if let Ok(only) = std::env::var("MUTATE") {
        files.retain(|f| f.to_string_lossy().contains(&only));
    }
    let (next, reports) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from).min(4) {
            scope.spawn(|| {
                let mut report = Report::default();
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    run(file, &mut report);
                }
                reports.lock().unwrap().push(report);
            });
        }
    });
    let mut total = Report::default();
    for r in reports.into_inner().unwrap() {
        for (change, t) in r.by {
            let sum = total.by.entry(change).or_default();
            sum.proved += t.proved;
            sum.refuted += t.refuted;
            sum.undecided += t.undecided;
            sum.undecided_equal += t.undecided_equal;
        }
        total.unresolved += r.unresolved;
        total.untold += r.untold;
        total.comparisons += r.comparisons;
        total.proving += r.proving;
        total.judging += r.judging;
        total.drawing += r.drawing;
        total.rechecking += r.rechecking;
        total.unsound.extend(r.unsound);
        total.undecided.extend(r.undecided);
        total.incomplete.extend(r.incomplete);
        total.false_refutations.extend(r.false_refutations);
        total.slowest.extend(r.slowest);
    }
    println!("{:<18} {:>7} {:>8} {:>10} {:>16}", "change", "proved", "refuted", "undecided", "undecided, equal");
    let mut sum = Tally::default();
    for (change, t) in &total.by {
        let name = format!("{change:?}");
        println!("{name:<18} {:>7} {:>8} {:>10} {:>16}", t.proved, t.refuted, t.undecided, t.undecided_equal);
        sum.proved += t.proved;
        sum.refuted += t.refuted;
        sum.undecided += t.undecided;
        sum.undecided_equal += t.undecided_equal;
    }
    let decided = sum.proved + sum.refuted + sum.undecided + sum.undecided_equal;
    println!("{:<18} {:>7} {:>8} {:>10} {:>16}", "all", sum.proved, sum.refuted, sum.undecided, sum.undecided_equal);
    println!("{decided} mutants; {} more did not resolve; {} comparisons", total.unresolved, total.comparisons);
    println!(
        "seconds: {:.1} proving, {:.1} judging, {:.1} rechecking, {:.1} drawing",
        total.proving, total.judging, total.rechecking, total.drawing
    );
    total.slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (took, what) in total.slowest.iter().take(10) {
        println!("slow: {took:.3} s for {what}");
    }
    for (what, lines) in [("undecided", &total.undecided), ("equal at all points, but undecided", &total.incomplete)] {
        for line in lines {
            println!("{what}: {:.240}", line.replace('\n', " "));
        }
    }
    assert!(total.unsound.is_empty(), "proved, but different:\n{}", total.unsound.join("\n"));
    assert!(total.false_refutations.is_empty(), "not counterexamples:\n{}", total.false_refutations.join("\n"));
    if std::env::var("MUTATE").is_ok() {
        return;
    }
    assert!(decided >= 1500, "{decided} mutants");
    assert!(total.untold * 100 <= sum.refuted, "{} counterexamples were not evaluated again", total.untold);
    let differing = sum.refuted + sum.undecided;
    assert!(sum.refuted * 100 >= differing * 95, "{} of {differing} differing mutants are refuted", sum.refuted);
    // Other ways to write a right rule are right.
    let same = total.by[&Change::Rearranged];
    assert_eq!(same.refuted, 0);
}

#[test]
fn a_changed_surrogate_is_reported_as_differing() {
    let rule = support::statement(
        "contract wrong version 1 dims s.. input x[s..] output y[i..] = x[i..]^2 saves x
         dx[i..] = x[i..] * dy[i..] declares surrogate \"half the derivative\"",
    );
    let Outcome::Proved(theorem) = prove(&rule) else { panic!("{rule}") };
    assert!(matches!(theorem.differs_at().unwrap().wrong, Wrong::Differs { .. }));
}
