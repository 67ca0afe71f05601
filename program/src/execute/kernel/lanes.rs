//! Which loops run their iterations side by side.
//!
//! On every way from a nest's outside to its inside at most one loop has lanes; loops around it and inside it run one iteration
//! after the other. A loop may have lanes where its iterations touch no element in common, other than to add to it.
//! Of the loops that may, the cheapest choice is taken, by a rough count of nanoseconds.

use std::collections::{HashMap, HashSet};

use pullback_kernel::statement::Function;

use super::nest::{Expr, Place, Stmt, Temp, Unary, Var};

/// How many iterations run side by side.
pub(crate) const LANES: usize = 256;

/// Marks the loops of a body.
pub(crate) fn choose(body: &mut [Stmt]) {
    for stmt in body {
        mark(stmt);
    }
}

/// Marks the loop or loops inside it; the cost of what was chosen.
fn mark(stmt: &mut Stmt) -> f64 {
    let alone = plain_cost(stmt);
    let Stmt::Loop { var, extent, body, .. } = stmt else { return alone };
    let (var, times) = (*var, *extent as f64);
    let nested: f64 = body.iter_mut().map(mark).sum::<f64>() * times + 4.0 * times;
    if !independent(body, var) {
        return nested;
    }
    let side_by_side = laned_cost(body, var, *extent);
    if side_by_side > nested {
        return nested;
    }
    stmt.visit_mut(&mut |s| {
        if let Stmt::Loop { lanes, .. } = s {
            *lanes = false;
        }
    });
    if let Stmt::Loop { lanes, .. } = stmt {
        *lanes = true;
    }
    side_by_side
}

// ---- what it costs ------------------------------------------------------------------------------------------------

fn plain_cost(stmt: &Stmt) -> f64 {
    match stmt {
        // Counted by `mark`.
        Stmt::Loop { .. } => 0.0,
        Stmt::Gemm(p) => 20.0 + 0.1 * (p.m * p.k * p.n) as f64,
        _ => 3.0 + stmt.value().map_or(0.0, |e| expr_cost(e, &mut |_| 3.0, 2.0, 12.0)),
    }
}

fn laned_cost(body: &[Stmt], var: Var, extent: usize) -> f64 {
    let blocks = extent.div_ceil(LANES) as f64;
    let wide = extent as f64 / blocks;
    blocks * 8.0 + body.iter().map(|s| laned_stmt(s, var, wide)).sum::<f64>() * blocks
}

fn laned_stmt(stmt: &Stmt, var: Var, wide: f64) -> f64 {
    let mut access = |place: &Place| access_cost(place, var, wide);
    let written = match stmt {
        Stmt::Loop { extent, body, .. } => {
            return *extent as f64 * (4.0 + body.iter().map(|s| laned_stmt(s, var, wide)).sum::<f64>());
        }
        Stmt::Set(place, _) | Stmt::Add(place, _) => access(place),
        Stmt::Fold(..) => 8.0 + 0.2 * wide,
        _ => 3.0,
    };
    written + stmt.value().map_or(0.0, |e| expr_cost(e, &mut access, 4.0 + 0.15 * wide, 4.0 + 8.0 * wide))
}

fn access_cost(place: &Place, var: Var, wide: f64) -> f64 {
    let looked_up = place.point.lookups.iter().filter(|l| l.at.factor(var) != 0).count();
    match place.point.affine.factor(var) {
        // A border of a window, or a gather.
        _ if looked_up == 1 && place.point.partial() => 8.0 + 0.5 * wide,
        _ if looked_up > 0 => 6.0 + 1.5 * wide * looked_up as f64,
        0 => 4.0,
        1 => 5.0 + 0.1 * wide,
        -8..=8 => 5.0 + 0.6 * wide,
        _ => 5.0 + 1.2 * wide,
    }
}

fn expr_cost(expr: &Expr, access: &mut impl FnMut(&Place) -> f64, simple: f64, function: f64) -> f64 {
    let mut cost = 0.0;
    expr.visit(&mut |e| {
        cost += match e {
            Expr::Const(_) | Expr::Temp(_) => 0.0,
            Expr::Load(place) => access(place),
            Expr::Unary(
                Unary::Neg
                | Unary::Sound
                | Unary::Call(Function::Recip | Function::Sqrt | Function::Rsqrt | Function::Round | Function::Floor),
                _,
            ) => simple,
            Expr::Unary(..) | Expr::Power(..) => function,
            Expr::Binary(..) | Expr::Choose(..) | Expr::Equal(_) => simple,
        }
    });
    cost
}

// ---- whether it may -----------------------------------------------------------------------------------------------

/// The accesses to one buffer.
#[derive(Default)]
struct Touched<'a> {
    places: Vec<&'a Place>,
    /// Whether it is read or set, and not only added to.
    ordered: bool,
    written: bool,
}

/// Whether the iterations of the counter may run side by side.
fn independent(body: &[Stmt], var: Var) -> bool {
    let mut touched: HashMap<u16, Touched<'_>> = HashMap::new();
    let (mut possible, mut straight) = (true, true);
    for stmt in body {
        stmt.places(&mut |place, written| {
            let entry = touched.entry(place.buffer).or_default();
            entry.places.push(place);
            entry.written |= written;
            entry.ordered |= !written;
        });
        stmt.visit(&mut |s| match s {
            Stmt::Set(place, _) => touched.entry(place.buffer).or_default().ordered = true,
            Stmt::Zero(_) | Stmt::Copy(..) | Stmt::Gemm(_) => possible = false,
            Stmt::Loop { .. } => straight = false,
            _ => {}
        });
    }
    let apart =
        |t: &Touched<'_>| !t.written || !t.ordered || same_home(&t.places, var) || straight && same(&t.places, var);
    possible && touched.values().all(apart) && !reads_own_sum(body)
}

/// The counter stands alone at the same axis of all.
fn same_home(places: &[&Place], var: Var) -> bool {
    let home = |place: &Place| place.homes.iter().find(|h| h.0 == var).map(|h| h.1);
    home(places[0]).is_some() && places.iter().all(|p| home(p) == home(places[0]))
}

/// All are the same element, another one in each iteration.
fn same(places: &[&Place], var: Var) -> bool {
    let point = &places[0].point;
    point.lookups.is_empty() && point.affine.factor(var) != 0 && places.iter().all(|p| p.point == *point)
}

/// Whether an accumulator from outside is read inside, where its sum is not complete.
fn reads_own_sum(body: &[Stmt]) -> bool {
    let (mut begun, mut folded, mut read) = (HashSet::<Temp>::new(), HashSet::new(), HashSet::new());
    for stmt in body {
        stmt.visit(&mut |s| match s {
            Stmt::Start(t, _) | Stmt::Let(t, _) => _ = begun.insert(*t),
            Stmt::Fold(t, ..) => _ = folded.insert(*t),
            _ => {}
        });
        stmt.exprs(&mut |e| {
            if let Expr::Temp(t) = e {
                read.insert(*t);
            }
        });
    }
    folded.iter().any(|t| !begun.contains(t) && read.contains(t))
}

/// The accumulators of the outside that a body folds into.
pub(crate) fn folded_from_outside(body: &[Stmt]) -> Vec<(Temp, pullback_schedule::Reduction)> {
    let mut begun = HashSet::new();
    let mut folded = vec![];
    for stmt in body {
        stmt.visit(&mut |s| match s {
            Stmt::Start(t, _) => _ = begun.insert(*t),
            Stmt::Fold(t, how, _) if !begun.contains(t) && !folded.contains(&(*t, *how)) => folded.push((*t, *how)),
            _ => {}
        });
    }
    folded
}
