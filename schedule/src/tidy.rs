//! Passes over loops that save memory: inlining, aliasing, shrinking, scalar locals, and loops run as one.

use std::collections::HashMap;

use crate::fuse::accesses;
use crate::ir::{BufferId, Index, Role, Routine, Scalar, Step, Temp, Var, Variable};

/// Where a buffer is touched.
struct Site {
    path: Vec<usize>,
    /// The loop variables around, each with the length of its loop's path.
    loops: Vec<(usize, Var)>,
    at: Option<Vec<Index>>,
    write: bool,
    /// A plain `Set`.
    set: bool,
}

fn sites(routine: &Routine, buffer: BufferId) -> Vec<Site> {
    fn walk(
        steps: &[Step],
        path: &mut Vec<usize>,
        loops: &mut Vec<(usize, Var)>,
        buffer: BufferId,
        out: &mut Vec<Site>,
    ) {
        for (i, step) in steps.iter().enumerate() {
            path.push(i);
            if let Step::Loop { vars, body } = step {
                let depth = loops.len();
                loops.extend(vars.iter().map(|v| (path.len(), *v)));
                walk(body, path, loops, buffer, out);
                loops.truncate(depth);
            } else {
                accesses(step, &mut |a| {
                    if a.buffer == buffer {
                        out.push(Site {
                            path: path.clone(),
                            loops: loops.clone(),
                            at: a.at.map(<[Index]>::to_vec),
                            write: a.write,
                            set: a.write && matches!(step, Step::Set { .. }),
                        });
                    }
                });
            }
            path.pop();
        }
    }
    let mut out = vec![];
    walk(&routine.steps, &mut vec![], &mut vec![], buffer, &mut out);
    out
}

fn locals(routine: &Routine) -> Vec<BufferId> {
    (0..routine.buffers.len() as u32)
        .map(BufferId)
        .filter(|b| routine.buffers[b.0 as usize].role == Role::Local)
        .collect()
}

fn step_at<'a>(steps: &'a [Step], path: &[usize]) -> Option<&'a Step> {
    let (first, rest) = path.split_first()?;
    let step = steps.get(*first)?;
    if rest.is_empty() {
        return Some(step);
    }
    match step {
        Step::Loop { body, .. } => step_at(body, rest),
        _ => None,
    }
}

/// Does something to the list of steps that a path leads into.
fn with_body<R>(steps: &mut Vec<Step>, path: &[usize], f: impl FnOnce(&mut Vec<Step>, usize) -> R) -> Option<R> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        return Some(f(steps, *first));
    }
    match steps.get_mut(*first)? {
        Step::Loop { body, .. } => with_body(body, rest, f),
        _ => None,
    }
}

fn partial(routine: &Routine, index: &Index) -> bool {
    match index {
        Index::Var(_) | Index::First => false,
        Index::Map(m, args) => routine.partial[m.0 as usize] || args.iter().any(|a| partial(routine, a)),
    }
}

// ---- inline --------------------------------------------------------------------------------------------------------

/// A local that is computed element by element and read once, or costs nothing, goes where it is read.
pub(crate) fn inline(routine: &mut Routine) {
    for buffer in locals(routine) {
        let all = sites(routine, buffer);
        let (writes, reads): (Vec<&Site>, Vec<&Site>) = all.iter().partition(|s| s.write);
        let [write] = writes.as_slice() else { continue };
        if !write.set || write.path.len() > 2 {
            continue;
        }
        let Some(Step::Set { at, value, .. }) = step_at(&routine.steps, &write.path) else { continue };
        let vars: Option<Vec<Var>> = at.iter().map(|i| if let Index::Var(v) = i { Some(*v) } else { None }).collect();
        let Some(vars) = vars else { continue };
        // The definition stands alone in its loop.
        if write.path.len() == 2 && !matches!(&routine.steps[write.path[0]], Step::Loop { body, .. } if body.len() == 1)
        {
            continue;
        }
        let free = match value {
            Scalar::Read(_, at) => !at.iter().any(|i| partial(routine, i)),
            Scalar::Number(_) | Scalar::Param(_) | Scalar::Size(_) => true,
            _ => false,
        };
        let once = match reads.as_slice() {
            [read] => read.at.as_ref().is_some_and(|at| read.loops.iter().all(|(_, v)| at.iter().any(|i| i.has(*v)))),
            _ => false,
        };
        let fits = reads.iter().all(|r| {
            r.path > write.path
                && r.at.as_ref().is_some_and(|at| !at.iter().any(|i| partial(routine, i)))
                && !matches!(step_at(&routine.steps, &r.path), Some(Step::Gemm(_) | Step::Carry { .. }))
        });
        if !(fits && (free || once)) {
            continue;
        }
        let value = value.clone();
        let first = write.path[0];
        for step in &mut routine.steps {
            step.scalars_mut(&mut |s| {
                *s = s.rewrite(&mut |part| match part {
                    Scalar::Read(b, at) if *b == buffer => {
                        Some(value.replace(&|v| vars.iter().position(|w| *w == v).map(|k| at[k].clone())))
                    }
                    _ => None,
                });
            });
        }
        routine.steps.remove(first);
    }
}

// ---- alias ---------------------------------------------------------------------------------------------------------

/// A local that turns into an output element by element takes the output's storage.
pub(crate) fn alias(routine: &mut Routine) {
    'again: loop {
        for local in locals(routine) {
            let all = sites(routine, local);
            // One that becomes a scalar needs no storage.
            let scalar =
                all.iter().filter(|s| s.write).all(|s| s.set) && !needless_axes(routine, local, &all).contains(&false);
            if all.is_empty() || scalar {
                continue;
            }
            for result in 0..routine.buffers.len() {
                let id = BufferId(result as u32);
                let buffer = &routine.buffers[result];
                let made = matches!(buffer.role, Role::Result(_) | Role::Gradient(_));
                if made && buffer.axes == routine.buffers[local.0 as usize].axes && takes(routine, &all, id) {
                    swap(routine, local, id);
                    drop_idle(&mut routine.steps);
                    continue 'again;
                }
            }
        }
        return;
    }
}

/// Drops steps that write a value where it is.
fn drop_idle(steps: &mut Vec<Step>) {
    for step in steps.iter_mut() {
        if let Step::Loop { body, .. } = step {
            drop_idle(body);
        }
    }
    steps.retain(|s| match s {
        Step::Set { target, at, value: Scalar::Read(b, from) } => b != target || from != at,
        Step::Loop { body, .. } => !body.is_empty(),
        _ => true,
    });
}

fn takes(routine: &Routine, all: &[Site], result: BufferId) -> bool {
    let of_result = sites(routine, result);
    let mut writes = of_result.iter().filter(|s| s.write);
    let (Some(write), None) = (writes.next(), writes.next()) else { return false };
    let Some(at) = write.at.as_ref() else { return false };
    let plain = at.iter().all(|i| matches!(i, Index::Var(_)));
    if !write.set
        || !plain
        || of_result.iter().any(|s| s.path < write.path)
        || !all.iter().any(|s| s.path == write.path)
    {
        return false;
    }
    all.iter().all(|s| {
        if s.path == write.path {
            return s.at.as_ref() == Some(at);
        }
        let shared = s.path.iter().zip(&write.path).take_while(|(a, b)| a == b).count();
        s.path < write.path
            && write.loops.iter().filter(|(depth, _)| *depth <= shared).all(|(_, v)| {
                let here = Index::Var(*v);
                s.at.as_ref().is_some_and(|own| own.iter().zip(at).any(|(a, b)| *a == here && *b == here))
            })
    })
}

fn swap(routine: &mut Routine, old: BufferId, new: BufferId) {
    fn walk(step: &mut Step, old: BufferId, new: BufferId) {
        let change = |b: &mut BufferId| {
            if *b == old {
                *b = new;
            }
        };
        match step {
            Step::Loop { body, .. } => body.iter_mut().for_each(|s| walk(s, old, new)),
            Step::Set { target, .. } | Step::Add { target, .. } | Step::Zero { target } => change(target),
            Step::Gemm(g) => {
                change(&mut g.target.buffer);
                change(&mut g.left.buffer);
                change(&mut g.right.buffer);
            }
            Step::Carry { target, source, .. } => {
                change(target);
                change(source);
            }
            _ => {}
        }
    }
    for step in &mut routine.steps {
        walk(step, old, new);
        step.scalars_mut(&mut |s| {
            *s = s.rewrite(&mut |part| match part {
                Scalar::Read(b, at) if *b == old => Some(Scalar::Read(new, at.clone())),
                _ => None,
            });
        });
    }
}

// ---- shrink --------------------------------------------------------------------------------------------------------

/// Which axes of a local are those of loops around all of its life.
fn needless_axes(routine: &Routine, local: BufferId, all: &[Site]) -> Vec<bool> {
    let Some(first) = all.first() else { return vec![] };
    let shared = all
        .iter()
        .fold(first.path.len(), |n, s| n.min(s.path.iter().zip(&first.path).take_while(|(a, b)| a == b).count()));
    let around: Vec<Var> = first.loops.iter().filter(|(depth, _)| *depth <= shared).map(|(_, v)| *v).collect();
    let rank = routine.buffers[local.0 as usize].axes.len();
    (0..rank)
        .map(|k| {
            around.iter().any(|v| all.iter().all(|s| s.at.as_ref().is_none_or(|at| at[k] == Index::Var(*v))))
                && all.iter().any(|s| s.at.is_some())
        })
        .collect()
}

/// A local that lives inside a loop loses the axes of the loop.
pub(crate) fn shrink(routine: &mut Routine) {
    for local in locals(routine) {
        let all = sites(routine, local);
        let gone = needless_axes(routine, local, &all);
        if !gone.contains(&true) {
            continue;
        }
        let keep = |at: &mut Vec<Index>| {
            let mut k = 0;
            at.retain(|_| {
                k += 1;
                !gone[k - 1]
            });
        };
        fn walk(step: &mut Step, local: BufferId, keep: &impl Fn(&mut Vec<Index>)) {
            match step {
                Step::Loop { body, .. } => body.iter_mut().for_each(|s| walk(s, local, keep)),
                Step::Set { target, at, .. } | Step::Add { target, at, .. } if *target == local => keep(at),
                Step::Gemm(g) => {
                    for operand in [&mut g.target, &mut g.left, &mut g.right] {
                        if operand.buffer == local {
                            keep(&mut operand.at);
                        }
                    }
                }
                _ => {}
            }
        }
        for step in &mut routine.steps {
            walk(step, local, &keep);
            step.scalars_mut(&mut |s| {
                *s = s.rewrite(&mut |part| match part {
                    Scalar::Read(b, at) if *b == local => {
                        let mut at = at.clone();
                        keep(&mut at);
                        Some(Scalar::Read(*b, at))
                    }
                    _ => None,
                });
            });
        }
        let axes = &mut routine.buffers[local.0 as usize].axes;
        let mut k = 0;
        axes.retain(|_| {
            k += 1;
            !gone[k - 1]
        });
    }
}

// ---- scalar locals -------------------------------------------------------------------------------------------------

/// A local without axes that is set once becomes a scalar.
pub(crate) fn forward_scalars(routine: &mut Routine) {
    for local in locals(routine) {
        if !routine.buffers[local.0 as usize].axes.is_empty() {
            continue;
        }
        let all = sites(routine, local);
        let mut writes = all.iter().filter(|s| s.write);
        let (Some(write), None) = (writes.next(), writes.next()) else { continue };
        let parent = &write.path[..write.path.len() - 1];
        let inside = all.iter().filter(|s| !s.write).all(|s| s.path.starts_with(parent) && s.path > write.path);
        let read_as_matrix =
            all.iter().any(|s| matches!(step_at(&routine.steps, &s.path), Some(Step::Gemm(_) | Step::Carry { .. })));
        if !write.set || !inside || read_as_matrix {
            continue;
        }
        let name = routine.buffers[local.0 as usize].name.clone();
        let fresh = Temp(routine.temps.len() as u32);
        let temp = with_body(&mut routine.steps, &write.path, |body, at| {
            let Step::Set { value, .. } = &body[at] else { return None };
            if let Scalar::Temp(t) = value {
                let t = *t;
                body.remove(at);
                Some(t)
            } else {
                let value = value.clone();
                body[at] = Step::Let { temp: fresh, value };
                Some(fresh)
            }
        })
        .flatten();
        let Some(temp) = temp else { continue };
        if temp == fresh {
            routine.temps.push(name);
        }
        for step in &mut routine.steps {
            step.scalars_mut(&mut |s| {
                *s = s.rewrite(&mut |part| {
                    matches!(part, Scalar::Read(b, _) if *b == local).then_some(Scalar::Temp(temp))
                });
            });
        }
    }
    single_use(routine);
}

/// A scalar that is named and read once in the same body goes where it is read.
fn single_use(routine: &mut Routine) {
    let mut uses: HashMap<Temp, usize> = HashMap::new();
    for step in &routine.steps {
        step.scalars(&mut |s| {
            s.visit(&mut |part| {
                if let Scalar::Temp(t) = part {
                    *uses.entry(*t).or_default() += 1;
                }
            });
        });
    }
    fn walk(body: &mut Vec<Step>, uses: &HashMap<Temp, usize>) {
        let mut i = 0;
        while i < body.len() {
            if let Step::Loop { body: inner, .. } = &mut body[i] {
                walk(inner, uses);
            }
            if let Step::Let { temp, value } = &body[i]
                && uses.get(temp) == Some(&1)
            {
                let (temp, value) = (*temp, value.clone());
                // Only into the very next step, so that nothing that the value reads has changed.
                let next = body.get_mut(i + 1).filter(|s| !matches!(s, Step::Loop { .. }));
                let mut done = false;
                if let Some(next) = next {
                    next.scalars_mut(&mut |s| {
                        *s = s.rewrite(&mut |part| {
                            if *part == Scalar::Temp(temp) {
                                done = true;
                                Some(value.clone())
                            } else {
                                None
                            }
                        });
                    });
                }
                if done {
                    body.remove(i);
                    continue;
                }
            }
            i += 1;
        }
    }
    walk(&mut routine.steps, &uses);
}

/// A function call that stands twice in one body is computed once.
pub(crate) fn share_scalars(routine: &mut Routine) {
    let mut steps = std::mem::take(&mut routine.steps);
    share_body(&mut routine.temps, &mut steps);
    routine.steps = steps;
}

fn share_body(temps: &mut Vec<String>, body: &mut Vec<Step>) {
    for step in body.iter_mut() {
        if let Step::Loop { body, .. } = step {
            share_body(temps, body);
        }
    }
    loop {
        let mut seen: HashMap<Scalar, (usize, usize)> = HashMap::new();
        for (i, step) in body.iter().enumerate() {
            if !matches!(step, Step::Loop { .. }) {
                step.scalars(&mut |s| calls(s, &mut |c| seen.entry(c.clone()).or_insert((i, 0)).1 += 1));
            }
        }
        let size = |s: &Scalar| {
            let mut n = 0usize;
            s.visit(&mut |_| n += 1);
            n
        };
        let best = seen
            .into_iter()
            .filter(|(_, (_, n))| *n > 1)
            .max_by_key(|(s, (first, _))| (size(s), usize::MAX - first, format!("{s:?}")));
        let Some((call, (first, _))) = best else { return };
        let temp = Temp(temps.len() as u32);
        temps.push("c".to_string());
        for step in body.iter_mut().skip(first) {
            step.scalars_mut(&mut |s| *s = s.rewrite(&mut |part| (*part == call).then_some(Scalar::Temp(temp))));
        }
        body.insert(first, Step::Let { temp, value: call });
    }
}

/// Calls and quotients that are evaluated whatever the branches choose.
fn calls(s: &Scalar, f: &mut impl FnMut(&Scalar)) {
    match s {
        Scalar::If { left, right, .. } => {
            calls(left, f);
            calls(right, f);
        }
        Scalar::Call(_, a) => {
            f(s);
            calls(a, f);
        }
        Scalar::Neg(a) | Scalar::Pow(a, _) => calls(a, f),
        Scalar::Div(a, b) => {
            f(s);
            calls(a, f);
            calls(b, f);
        }
        Scalar::Add(a, b) | Scalar::Sub(a, b) | Scalar::Mul(a, b) => {
            calls(a, f);
            calls(b, f);
        }
        _ => {}
    }
}

// ---- collapse ------------------------------------------------------------------------------------------------------

/// Loops that only pass along neighbouring axes become one.
pub(crate) fn collapse(routine: &mut Routine) {
    let mut steps = std::mem::take(&mut routine.steps);
    collapse_body(&mut routine.vars, &mut steps);
    routine.steps = steps;
}

fn collapse_body(vars: &mut Vec<Variable>, steps: &mut [Step]) {
    for step in steps {
        let Step::Loop { vars: own, body } = step else { continue };
        // A loop that holds only a loop is one loop.
        while let [Step::Loop { vars: inner, body: innermost }] = body.as_mut_slice() {
            own.append(inner);
            *body = std::mem::take(innermost);
        }
        let mut at = 0;
        while at + 1 < own.len() {
            let (a, b) = (own[at], own[at + 1]);
            if !body.iter().all(|s| side_by_side(s, a, b)) {
                at += 1;
                continue;
            }
            let (first, second) = (vars[a.0 as usize].clone(), vars[b.0 as usize].clone());
            let dims = first.dims.iter().chain(&second.dims).copied().collect();
            vars.push(Variable { name: format!("{}{}", first.name, second.name), dims });
            let new = Var(vars.len() as u32 - 1);
            body.iter_mut().for_each(|s| join(s, a, b, new));
            own.splice(at..=at + 1, [new]);
        }
        collapse_body(vars, body);
    }
}

/// Every list of indices in the step, maps' arguments included.
fn lists<'a>(step: &'a Step, f: &mut impl FnMut(&'a [Index])) {
    fn inner<'a>(at: &'a [Index], f: &mut impl FnMut(&'a [Index])) {
        f(at);
        for i in at {
            if let Index::Map(_, args) = i {
                inner(args, f);
            }
        }
    }
    step.scalars(&mut |s| {
        s.visit(&mut |part| match part {
            Scalar::Read(_, at) => inner(at, f),
            Scalar::Equal(a, b) => {
                inner(std::slice::from_ref(a), f);
                inner(std::slice::from_ref(b), f);
            }
            _ => {}
        });
    });
    match step {
        Step::Loop { body, .. } => body.iter().for_each(|s| lists(s, f)),
        Step::Set { at, .. } | Step::Add { at, .. } => inner(at, f),
        Step::Gemm(g) => {
            inner(&g.left.at, f);
            inner(&g.right.at, f);
            inner(&g.target.at, f);
        }
        _ => {}
    }
}

fn side_by_side(step: &Step, a: Var, b: Var) -> bool {
    let mut good = true;
    lists(step, &mut |at| {
        for (k, i) in at.iter().enumerate() {
            if *i == Index::Var(a) {
                good &= at.get(k + 1) == Some(&Index::Var(b));
            }
            if *i == Index::Var(b) {
                good &= k > 0 && at[k - 1] == Index::Var(a);
            }
        }
    });
    fn checks(step: &Step, a: Var, b: Var) -> bool {
        match step {
            Step::Loop { body, .. } => body.iter().all(|s| checks(s, a, b)),
            Step::Check(c) => {
                c.vars.iter().enumerate().all(|(k, v)| {
                    (*v != a || c.vars.get(k + 1) == Some(&b)) && (*v != b || (k > 0 && c.vars[k - 1] == a))
                })
            }
            _ => true,
        }
    }
    good && checks(step, a, b)
}

fn join(step: &mut Step, a: Var, b: Var, new: Var) {
    fn list(at: &mut Vec<Index>, a: Var, b: Var, new: Var) {
        at.retain(|i| *i != Index::Var(b));
        for i in at {
            match i {
                Index::Var(v) if *v == a => *v = new,
                Index::Map(_, args) => list(args, a, b, new),
                _ => {}
            }
        }
    }
    step.scalars_mut(&mut |s| {
        *s = s.rewrite(&mut |part| match part {
            Scalar::Read(buffer, at) => {
                let mut at = at.clone();
                list(&mut at, a, b, new);
                Some(Scalar::Read(*buffer, at))
            }
            Scalar::Equal(p, q) => {
                let (mut p, mut q) = (vec![p.clone()], vec![q.clone()]);
                list(&mut p, a, b, new);
                list(&mut q, a, b, new);
                match (p.pop(), q.pop()) {
                    (Some(p), Some(q)) => Some(Scalar::Equal(p, q)),
                    _ => None,
                }
            }
            _ => None,
        });
    });
    fn targets(step: &mut Step, a: Var, b: Var, new: Var) {
        match step {
            Step::Loop { body, .. } => body.iter_mut().for_each(|s| targets(s, a, b, new)),
            Step::Set { at, .. } | Step::Add { at, .. } => list(at, a, b, new),
            Step::Gemm(g) => {
                list(&mut g.left.at, a, b, new);
                list(&mut g.right.at, a, b, new);
                list(&mut g.target.at, a, b, new);
            }
            Step::Check(c) => {
                c.vars.retain(|v| *v != b);
                c.vars.iter_mut().filter(|v| **v == a).for_each(|v| *v = new);
            }
            _ => {}
        }
    }
    targets(step, a, b, new);
}
