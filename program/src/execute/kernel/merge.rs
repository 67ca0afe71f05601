//! Two loops that run along memory together become one.

use super::nest::{Stmt, Var};

/// Merges what can be merged, the innermost first.
pub(crate) fn merge(body: &mut [Stmt]) {
    for stmt in body {
        if let Stmt::Loop { body, .. } = stmt {
            merge(body);
        }
        while merge_once(stmt) {}
    }
}

/// A loop whose body is one loop, where each place moves as far in one step of the outer as in all steps of the inner.
fn merge_once(stmt: &mut Stmt) -> bool {
    let Stmt::Loop { var: outer, extent: times, body, .. } = stmt else { return false };
    let [Stmt::Loop { var: inner, extent, .. }] = body.as_mut_slice() else { return false };
    let (outer, inner, times, extent) = (*outer, *inner, *times, *extent);
    let fits = extent.checked_mul(times).is_some_and(|n| u32::try_from(n).is_ok());
    if !fits || !aligned(body, outer, inner, extent) {
        return false;
    }
    let Some(mut merged) = body.pop() else { return false };
    merged.affines(&mut |a| a.remove(outer));
    if let Stmt::Loop { extent, .. } = &mut merged {
        *extent *= times;
    }
    *stmt = merged;
    true
}

fn aligned(body: &mut [Stmt], outer: Var, inner: Var, extent: usize) -> bool {
    let mut aligned = true;
    for stmt in body {
        stmt.affines(&mut |a| aligned &= a.factor(outer) == a.factor(inner) * extent as i64);
    }
    aligned
}
