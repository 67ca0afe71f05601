//! Runs neighbouring loops over the same indices together, so that what one makes the next finds still at hand.
//!
//! Two loops may run together along a variable if each iteration of the second needs of the first only its own iteration:
//! every buffer that one of them writes and the other touches has that variable at the same axis.
//! Only leading variables are run together, so the order of each loop along memory stays.

use crate::ir::{BufferId, Index, Routine, Scalar, Step, Temp, Var, Variable};

/// A touch of a buffer. Without a place, all of it.
pub(crate) struct Access<'a> {
    pub(crate) buffer: BufferId,
    pub(crate) at: Option<&'a [Index]>,
    pub(crate) write: bool,
}

/// Calls the function with every access of the step and the steps inside it.
pub(crate) fn accesses<'a>(step: &'a Step, f: &mut impl FnMut(Access<'a>)) {
    let reads = |value: &'a Scalar, f: &mut dyn FnMut(Access<'a>)| {
        value.visit(&mut |part| {
            if let Scalar::Read(buffer, at) = part {
                f(Access { buffer: *buffer, at: Some(at), write: false });
            }
        });
    };
    match step {
        Step::Check(c) => reads(&c.value, f),
        Step::Loop { body, .. } => body.iter().for_each(|s| accesses(s, f)),
        Step::Let { value, .. } | Step::Fold { value, .. } => reads(value, f),
        Step::Start { value, .. } => value.iter().for_each(|v| reads(v, f)),
        Step::Set { target, at, value } | Step::Add { target, at, value } => {
            reads(value, f);
            f(Access { buffer: *target, at: Some(at), write: true });
        }
        Step::Zero { target } => f(Access { buffer: *target, at: None, write: true }),
        Step::Gemm(g) => {
            f(Access { buffer: g.left.buffer, at: Some(&g.left.at), write: false });
            f(Access { buffer: g.right.buffer, at: Some(&g.right.at), write: false });
            f(Access { buffer: g.target.buffer, at: Some(&g.target.at), write: true });
        }
        Step::Carry { target, source, .. } => {
            f(Access { buffer: *source, at: None, write: false });
            f(Access { buffer: *target, at: None, write: true });
        }
    }
}

/// Scalar locals of a step: which it writes, which it reads.
fn temps(step: &Step, written: &mut Vec<Temp>, read: &mut Vec<Temp>) {
    step.scalars(&mut |s| {
        s.visit(&mut |part| {
            if let Scalar::Temp(t) = part {
                read.push(*t);
            }
        });
    });
    fn writes(step: &Step, written: &mut Vec<Temp>) {
        match step {
            Step::Let { temp, .. } | Step::Start { temp, .. } | Step::Fold { temp, .. } => written.push(*temp),
            Step::Loop { body, .. } => body.iter().for_each(|s| writes(s, written)),
            _ => {}
        }
    }
    writes(step, written);
}

fn has_check(step: &Step) -> bool {
    match step {
        Step::Check(_) => true,
        Step::Loop { body, .. } => body.iter().any(has_check),
        _ => false,
    }
}

fn temps_conflict(a: &Step, b: &Step) -> bool {
    let (mut wa, mut ra, mut wb, mut rb) = (vec![], vec![], vec![], vec![]);
    temps(a, &mut wa, &mut ra);
    temps(b, &mut wb, &mut rb);
    wa.iter().any(|t| rb.contains(t) || wb.contains(t)) || wb.iter().any(|t| ra.contains(t))
}

fn list(step: &Step) -> Vec<Access<'_>> {
    let mut all = vec![];
    accesses(step, &mut |a| all.push(a));
    all
}

/// Whether the order of the two steps matters.
fn conflict(a: &Step, b: &Step) -> bool {
    // A check comes before what it guards.
    if has_check(a) || has_check(b) || temps_conflict(a, b) {
        return true;
    }
    let (la, lb) = (list(a), list(b));
    la.iter().any(|x| lb.iter().any(|y| x.buffer == y.buffer && (x.write || y.write)))
}

/// How many leading variables two loops may run together along.
fn together(vars: &[Variable], a: &Step, b: &Step) -> usize {
    let (Step::Loop { vars: va, .. }, Step::Loop { vars: vb, .. }) = (a, b) else { return 0 };
    if has_check(a) || has_check(b) || temps_conflict(a, b) {
        return 0;
    }
    let (la, lb) = (list(a), list(b));
    let shared: Vec<BufferId> = la
        .iter()
        .filter(|x| lb.iter().any(|y| x.buffer == y.buffer && (x.write || y.write)))
        .map(|x| x.buffer)
        .collect();
    let dims = |v: Var| &vars[v.0 as usize].dims;
    let mut count = 0;
    for (x, y) in va.iter().zip(vb) {
        let aligned = |buffer: BufferId| {
            let axis = |at: Option<&[Index]>, v: Var| at.and_then(|at| at.iter().position(|i| *i == Index::Var(v)));
            let mut place = None;
            la.iter()
                .filter(|a| a.buffer == buffer)
                .map(|a| axis(a.at, *x))
                .chain(lb.iter().filter(|b| b.buffer == buffer).map(|b| axis(b.at, *y)))
                .all(|axis| match (axis, place) {
                    (None, _) => false,
                    (Some(k), None) => {
                        place = Some(k);
                        true
                    }
                    (Some(k), Some(p)) => k == p,
                })
        };
        if dims(*x) != dims(*y) || !shared.iter().all(|b| aligned(*b)) {
            break;
        }
        count += 1;
    }
    // Loops that share nothing run together only if they are the same all the way.
    if shared.is_empty() && (count != va.len() || count != vb.len()) {
        return 0;
    }
    count
}

/// Runs loops together wherever they may.
pub(crate) fn fuse(routine: &mut Routine) {
    let steps = std::mem::take(&mut routine.steps);
    routine.steps = body(&mut routine.vars, steps);
}

fn body(vars: &mut Vec<Variable>, steps: Vec<Step>) -> Vec<Step> {
    let mut done: Vec<Step> = vec![];
    for step in steps {
        place(vars, &mut done, step);
    }
    for step in &mut done {
        if let Step::Loop { body: inner, .. } = step {
            let taken = std::mem::take(inner);
            *inner = body(vars, taken);
        }
    }
    done
}

/// Appends the step, or runs it together with an earlier loop.
fn place(vars: &mut Vec<Variable>, done: &mut Vec<Step>, step: Step) {
    // Steps after the candidate that have to move before it, the last first.
    let mut before: Vec<usize> = vec![];
    for at in (0..done.len()).rev() {
        let count = together(vars, &done[at], &step);
        if count > 0 {
            // They move over the candidate and over the steps in between that stay.
            let free =
                before.iter().all(|b| (at..*b).filter(|i| !before.contains(i)).all(|i| !conflict(&done[i], &done[*b])));
            if !free {
                break;
            }
            let mut moved = vec![];
            for b in &before {
                moved.insert(0, done.remove(*b));
            }
            let first = done.remove(at);
            let merged = merge(vars, first, step, count);
            let after = done.split_off(at);
            done.extend(moved);
            done.push(merged);
            done.extend(after);
            return;
        }
        if conflict(&done[at], &step) || before.iter().any(|b| conflict(&done[at], &done[*b])) {
            if matches!(done[at], Step::Loop { .. } | Step::Gemm(_) | Step::Check(_) | Step::Carry { .. }) {
                break;
            }
            before.push(at);
        }
    }
    done.push(step);
}

fn merge(vars: &mut Vec<Variable>, first: Step, second: Step, count: usize) -> Step {
    let (Step::Loop { vars: va, body: ba }, Step::Loop { vars: vb, body: bb }) = (first, second) else {
        unreachable!("only loops are merged")
    };
    // The second loop's binders get names of their own, so that none is captured.
    let mut second = Step::Loop { vars: vb[count..].to_vec(), body: bb };
    freshen(vars, &mut second);
    second.rename(&|v| vb[..count].iter().position(|w| *w == v).map(|at| va[at]));
    let wrap = |step: Step| match step {
        Step::Loop { vars, body } if vars.is_empty() => body,
        other => vec![other],
    };
    let mut merged = wrap(Step::Loop { vars: va[count..].to_vec(), body: ba });
    merged.extend(wrap(second));
    Step::Loop { vars: va[..count].to_vec(), body: merged }
}

/// Gives every loop inside variables of its own.
fn freshen(vars: &mut Vec<Variable>, step: &mut Step) {
    fn bound(step: &Step, out: &mut Vec<Var>) {
        match step {
            Step::Loop { vars, body } => {
                out.extend(vars);
                body.iter().for_each(|s| bound(s, out));
            }
            Step::Gemm(g) => out.extend(g.m.iter().chain(&g.n).chain(&g.k)),
            _ => {}
        }
    }
    let mut old = vec![];
    bound(step, &mut old);
    old.sort_unstable();
    old.dedup();
    let new: Vec<Var> = old
        .iter()
        .map(|v| {
            let variable = vars[v.0 as usize].clone();
            vars.push(variable);
            Var(vars.len() as u32 - 1)
        })
        .collect();
    step.rename(&|v| old.binary_search(&v).ok().map(|at| new[at]));
}
