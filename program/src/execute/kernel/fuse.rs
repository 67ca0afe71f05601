//! Sweeps over the same elements become one, so that what one makes reaches the next in a register.
//!
//! A *sweep* is a loop, or loops right inside each other, around steps that are no loops.
//! Two sweeps are run as one where each element that one of them writes is touched by the other in the same iteration only.
//! A sweep over a flat array is cut into rows where the other runs over rows.

use pullback_scalar::Real;

use super::concrete::constant;
use super::nest::{Affine, Condition, Expr, Nest, Place, Stmt, Temp, Var};

/// A flat array is not cut into rows shorter than this.
const ROW: usize = 32;

/// The loops of a sweep, the outermost first, and what is inside.
struct Sweep {
    loops: Vec<(Var, usize)>,
    body: Vec<Stmt>,
}

/// Runs neighbouring sweeps as one wherever that may be.
pub(crate) fn fuse<T>(nest: &mut Nest<T>) {
    let mut made: Vec<Stmt> = Vec::new();
    for stmt in std::mem::take(&mut nest.body) {
        match stmt {
            Stmt::Zero(buffer) => {
                // In front of the sweeps that have nothing to do with it.
                let touches = |s: &Stmt| !is_sweep(s) || touches(s, buffer);
                let at = made.iter().rposition(touches).map_or(0, |at| at + 1);
                made.insert(at, Stmt::Zero(buffer));
            }
            stmt => {
                let joined = match made.last() {
                    Some(last) if is_sweep(last) && is_sweep(&stmt) => join(last, &stmt, &mut nest.vars),
                    _ => None,
                };
                match (joined, made.last_mut()) {
                    (Some(joined), Some(last)) => *last = joined,
                    _ => made.push(stmt),
                }
            }
        }
    }
    nest.body = made;
}

/// The number of iterations of the sweep that a nest ends with.
pub(crate) fn last_sweep<T>(nest: &Nest<T>) -> Option<usize> {
    let sweep = sweep(nest.body.last()?)?;
    Some(sweep.loops.iter().map(|l| l.1).product())
}

/// Whether a nest is one sweep, zeros before it aside.
pub(crate) fn is_one_sweep<T>(nest: &Nest<T>) -> bool {
    nest.body.split_last().is_some_and(|(last, before)| is_sweep(last) && before.iter().all(is_zero))
}

fn is_zero(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Zero(_))
}

/// Whether it is loops right inside each other, around steps that are no loops.
pub(crate) fn is_sweep(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Loop { body, .. } => match body.as_slice() {
            [inner @ Stmt::Loop { .. }] => is_sweep(inner),
            body => body.iter().all(is_straight),
        },
        _ => false,
    }
}

fn is_straight(stmt: &Stmt) -> bool {
    !matches!(stmt, Stmt::Loop { .. } | Stmt::Zero(_) | Stmt::Copy(..) | Stmt::Gemm(_))
}

fn touches(stmt: &Stmt, buffer: u16) -> bool {
    let mut found = false;
    stmt.places(&mut |place, _| found |= place.buffer == buffer);
    found
}

fn sweep(stmt: &Stmt) -> Option<Sweep> {
    let mut loops = vec![];
    let mut at = stmt;
    while let Stmt::Loop { var, extent, body, .. } = at {
        loops.push((*var, *extent));
        match body.as_slice() {
            [inner @ Stmt::Loop { .. }] => at = inner,
            body => return body.iter().all(is_straight).then(|| Sweep { loops, body: body.to_vec() }),
        }
    }
    None
}

fn join(first: &Stmt, second: &Stmt, vars: &mut Var) -> Option<Stmt> {
    let (mut first, mut second) = (sweep(first)?, sweep(second)?);
    if !first.cut(&second.loops, vars) && !second.cut(&first.loops, vars) {
        return None;
    }
    second.rename(&first.loops);
    if folds(&first) || folds(&second) || !apart(&first, &second) {
        return None;
    }
    first.body.append(&mut second.body);
    let Sweep { loops, mut body } = first;
    for (var, extent) in loops.into_iter().rev() {
        body = vec![Stmt::Loop { var, extent, lanes: false, body }];
    }
    body.pop()
}

/// Whether it brings values into an accumulator of the outside.
fn folds(sweep: &Sweep) -> bool {
    !super::lanes::folded_from_outside(&sweep.body).is_empty()
}

/// Whether all that both touch, and one of them writes, is the same element, another one in each iteration.
fn apart(first: &Sweep, second: &Sweep) -> bool {
    let places = |sweep: &Sweep| {
        let mut places: Vec<(Place, bool)> = vec![];
        sweep.body.iter().for_each(|s| s.places(&mut |place, written| places.push((place.clone(), written))));
        places
    };
    let (ours, theirs) = (places(first), places(second));
    ours.iter().all(|(our, our_write)| {
        theirs.iter().filter(|(their, write)| their.buffer == our.buffer && (*our_write || *write)).all(|(their, _)| {
            our == their && our.point.lookups.is_empty() && is_injective(&our.point.affine, &first.loops)
        })
    })
}

/// Whether different iterations are different values.
pub(crate) fn is_injective(affine: &Affine, loops: &[(Var, usize)]) -> bool {
    let mut steps: Vec<(i64, i64)> = loops.iter().map(|(var, n)| (affine.factor(*var).abs(), *n as i64)).collect();
    steps.sort_unstable();
    let mut reach = 0;
    steps.iter().all(|(step, extent)| {
        let clear = *step > reach;
        reach += step * (extent - 1);
        clear
    })
}

impl Sweep {
    /// Cuts the one loop that it has into such loops.
    fn cut(&mut self, into: &[(Var, usize)], vars: &mut Var) -> bool {
        let extents = |loops: &[(Var, usize)]| loops.iter().map(|l| l.1).collect::<Vec<_>>();
        if extents(&self.loops) == extents(into) {
            return true;
        }
        // Short rows would run slower than the flat array does.
        let [(flat, extent)] = self.loops[..] else { return false };
        if into.last().is_some_and(|row| row.1 < ROW) {
            return false;
        }
        if extent != into.iter().map(|l| l.1).product::<usize>() {
            return false;
        }
        let fresh: Vec<(Var, usize)> = into.iter().zip(*vars..).map(|((_, extent), var)| (var, *extent)).collect();
        *vars += into.len() as Var;
        for stmt in &mut self.body {
            stmt.affines(&mut |affine| {
                let mut step = affine.factor(flat);
                affine.remove(flat);
                for (var, extent) in fresh.iter().rev() {
                    affine.add(&Affine::counter(*var, step), 1);
                    step *= *extent as i64;
                }
            });
            stmt.places_mut(&mut |place| {
                if let Some(at) = place.homes.iter().position(|h| h.0 == flat) {
                    let (_, home) = place.homes.remove(at);
                    place.homes.extend(fresh.iter().map(|(var, _)| (*var, home)));
                }
            });
        }
        self.loops = fresh;
        true
    }

    /// Takes over the counters of loops with the same extents.
    fn rename(&mut self, loops: &[(Var, usize)]) {
        let pairs: Vec<(Var, Var)> = self.loops.iter().zip(loops).map(|(old, new)| (old.0, new.0)).collect();
        let new = |var: Var| pairs.iter().find(|p| p.0 == var).map_or(var, |p| p.1);
        for stmt in &mut self.body {
            stmt.affines(&mut |affine| {
                affine.terms.iter_mut().for_each(|t| t.0 = new(t.0));
                affine.terms.sort_unstable();
            });
            stmt.places_mut(&mut |place| place.homes.iter_mut().for_each(|h| h.0 = new(h.0)));
        }
        self.loops = loops.to_vec();
    }
}

/// Appends another nest, its buffers being these of the first. Both stay runnable by themselves.
pub(crate) fn append<T: Real>(nest: &mut Nest<T>, other: &Nest<T>, buffers: &[u16], member: u16) {
    let (vars, temps): (Var, Temp) = (nest.vars, nest.temps);
    let (tables, conditions) = (nest.tables.len() as u16, nest.conditions.len() as u16);
    let consts: Vec<u16> = other.consts.iter().map(|c| constant(&mut nest.consts, c.clone())).collect();
    nest.tables.extend(other.tables.iter().cloned());
    nest.conditions.extend(other.conditions.iter().map(|c| Condition { member, ..c.clone() }));
    nest.vars += other.vars;
    nest.temps += other.temps;
    for stmt in &other.body {
        let mut stmt = stmt.clone();
        stmt.affines(&mut |a| a.terms.iter_mut().for_each(|t| t.0 += vars));
        stmt.places_mut(&mut |place| {
            place.buffer = buffers[place.buffer as usize];
            place.homes.iter_mut().for_each(|h| h.0 += vars);
            place.point.lookups.iter_mut().for_each(|l| l.table += tables);
        });
        stmt.exprs_mut(&mut |e| match e {
            Expr::Const(c) => *c = consts[*c as usize],
            Expr::Temp(t) => *t += temps,
            Expr::Equal(sides) => {
                let lookups = sides.0.lookups.iter_mut().chain(&mut sides.1.lookups);
                lookups.for_each(|l| l.table += tables);
            }
            _ => {}
        });
        stmt.visit_mut(&mut |s| match s {
            Stmt::Loop { var, .. } => *var += vars,
            Stmt::Let(t, _) | Stmt::Start(t, _) | Stmt::Fold(t, ..) => *t += temps,
            Stmt::Check { check, .. } => *check += conditions,
            Stmt::Zero(buffer) => *buffer = buffers[*buffer as usize],
            Stmt::Copy(target, source) => {
                (*target, *source) = (buffers[*target as usize], buffers[*source as usize]);
            }
            _ => {}
        });
        nest.body.push(stmt);
    }
}
