//! What is done with what a nest makes: results that are copies, that nobody reads, or that must be finite.

use super::fuse::{is_injective, is_sweep};
use super::nest::{Condition, Expr, Nest, Place, Point, Requirement, Stmt, Var};

/// Finds results that are copies of a whole argument, takes the copying out of the nest, and reads the argument in their place.
/// Each is given as the result's buffer and the argument's.
pub(crate) fn copies<T>(
    nest: &mut Nest<T>,
    is_argument: impl Fn(u16) -> bool,
    is_result: impl Fn(u16) -> bool,
) -> Vec<(u16, u16)> {
    let mut found = vec![];
    for result in (0..nest.lengths.len() as u16).filter(|b| is_result(*b)) {
        let Some(argument) = copied(nest, result).filter(|a| is_argument(*a)) else { continue };
        found.push((result, argument));
        drop_writes(&mut nest.body, result);
        for stmt in &mut nest.body {
            stmt.places_mut(&mut |place| {
                if place.buffer == result {
                    place.buffer = argument;
                }
            });
        }
    }
    found
}

/// The buffer of which a result is a copy: it is written once, everywhere, with what stands at the same place there.
fn copied<T>(nest: &Nest<T>, result: u16) -> Option<u16> {
    if let [Stmt::Copy(target, source)] = nest.body.as_slice() {
        return (*target == result).then_some(*source);
    }
    let (mut writes, mut other, mut source) = (0, false, None);
    for stmt in &nest.body {
        let mut loops = vec![];
        walk(stmt, &mut loops, &mut |s, loops| match s {
            Stmt::Set(place, value) if place.buffer == result => {
                writes += 1;
                source = whole_copy(nest, place, value, loops);
            }
            Stmt::Add(place, _) => other |= place.buffer == result,
            Stmt::Zero(buffer) | Stmt::Copy(buffer, _) => other |= *buffer == result,
            Stmt::Gemm(p) => other |= p.target.place.buffer == result,
            _ => {}
        });
    }
    if writes == 1 && !other { source } else { None }
}

fn whole_copy<T>(nest: &Nest<T>, place: &Place, value: &Expr, loops: &[(Var, usize)]) -> Option<u16> {
    let Expr::Load(from) = value else { return None };
    let (length, source) = (nest.lengths[place.buffer as usize], nest.lengths[from.buffer as usize]);
    let whole = covers(&place.point, loops, length) && source == length;
    (whole && from.point == place.point).then_some(from.buffer)
}

/// Whether the point is each of so many places once.
fn covers(point: &Point, loops: &[(Var, usize)], length: usize) -> bool {
    point.lookups.is_empty()
        && is_injective(&point.affine, loops)
        && loops.iter().map(|l| l.1).product::<usize>() == length
}

fn walk<'a>(stmt: &'a Stmt, loops: &mut Vec<(Var, usize)>, f: &mut impl FnMut(&'a Stmt, &[(Var, usize)])) {
    if let Stmt::Loop { var, extent, body, .. } = stmt {
        loops.push((*var, *extent));
        body.iter().for_each(|s| walk(s, loops, f));
        loops.pop();
    } else {
        f(stmt, loops);
    }
}

/// Takes the steps that set a buffer out, and loops that have nothing left to do.
fn drop_writes(body: &mut Vec<Stmt>, buffer: u16) {
    body.retain_mut(|stmt| match stmt {
        Stmt::Set(place, _) => place.buffer != buffer,
        Stmt::Copy(target, _) => *target != buffer,
        Stmt::Loop { body, .. } => {
            drop_writes(body, buffer);
            body.iter().any(|s| !matches!(s, Stmt::Let(..)))
        }
        _ => true,
    });
}

/// Whether the last sweep sets all of the buffer, and touches no other element of it in the same iteration:
/// then a register holds what the buffer would.
fn is_settled<T>(nest: &Nest<T>, buffer: u16) -> bool {
    let Some(last) = nest.body.last().filter(|s| is_sweep(s)) else { return false };
    let (mut places, mut set, mut whole): (Vec<&Place>, usize, bool) = (vec![], 0, false);
    last.places(&mut |place, _| {
        if place.buffer == buffer {
            places.push(place);
        }
    });
    walk(last, &mut vec![], &mut |s, loops| match s {
        Stmt::Set(place, _) if place.buffer == buffer => {
            set += 1;
            whole = covers(&place.point, loops, nest.lengths[buffer as usize]);
        }
        // Added to: it is not what was set last.
        Stmt::Add(place, _) if place.buffer == buffer => set += 2,
        _ => {}
    });
    set == 1 && whole && places.iter().all(|p| *p == places[0])
}

/// Names what is set in a buffer that nobody reads later, in place of writing it. Whether that was possible.
pub(crate) fn pass_on<T>(nest: &mut Nest<T>, buffer: u16) -> bool {
    let settled = is_settled(nest, buffer);
    let temp = nest.temps;
    let Some(body) = nest.body.last_mut().and_then(inside).filter(|_| settled) else { return false };
    nest.temps += 1;
    let mut named = false;
    for stmt in body {
        if named {
            stmt.exprs_mut(&mut |e| {
                if matches!(e, Expr::Load(place) if place.buffer == buffer) {
                    *e = Expr::Temp(temp);
                }
            });
        }
        if let Stmt::Set(place, value) = stmt
            && place.buffer == buffer
        {
            *stmt = Stmt::Let(temp, value.clone());
            named = true;
        }
    }
    true
}

/// Asks of each number of the buffer whether it is finite, right where it is set. Whether that was possible.
pub(crate) fn require_finite<T>(nest: &mut Nest<T>, buffer: u16, member: u16) -> bool {
    let settled = is_settled(nest, buffer);
    let check = nest.conditions.len() as u16;
    let Some(body) = nest.body.last_mut().and_then(inside).filter(|_| settled) else { return false };
    let set = body.iter().position(|s| matches!(s, Stmt::Set(place, _) if place.buffer == buffer));
    if let Some(set) = set
        && let Stmt::Set(place, _) = &body[set]
    {
        let (value, at) = (Expr::Load(place.clone()), place.point.affine.clone());
        body.insert(set + 1, Stmt::Check { check, required: Requirement::Finite, value, at });
        nest.conditions.push(Condition { text: "finite".into(), member });
    }
    true
}

/// The steps inside of a sweep's loops.
fn inside(stmt: &mut Stmt) -> Option<&mut Vec<Stmt>> {
    let Stmt::Loop { body, .. } = stmt else { return None };
    match body.as_slice() {
        [Stmt::Loop { .. }] => inside(&mut body[0]),
        _ => Some(body),
    }
}
