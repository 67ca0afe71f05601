//! Where a pattern with variables may stand in a value: by its reads, and by its index equalities.

use super::term::{Atom, Ix, Poly};
use crate::limits::INSTANCES;
use crate::statement::{DimId, Statement, Tensor};

/// Ways to choose a pattern's variables so that its reads and index equalities become some of the value's.
///
/// Suggestions only: whether the pattern becomes the value, or says something of it, is for the caller to see.
pub(crate) fn instances(statement: &Statement, pattern: &Poly, variables: &[u32], p: &Poly) -> Vec<Vec<(u32, Ix)>> {
    let (patterns, targets) = (sites(pattern), sites(p));
    let mut open: Vec<Vec<(u32, Ix)>> = vec![Vec::new()];
    let mut out = Vec::new();
    let mut left = INSTANCES;
    // Each pass gives one more read of the pattern a place in the value; a choice is whole when no variable is left.
    while let Some(found) = open.pop() {
        let is_open = |v: &&u32| !found.iter().any(|f: &(u32, Ix)| f.0 == **v);
        let Some(next) = variables.iter().find(is_open) else {
            if !out.contains(&found) {
                out.push(found);
            }
            continue;
        };
        let reads = |ix: &Ix| ix.any(0, &mut |leaf, _| matches!(leaf, Ix::Free(id, _) if id == next));
        for (kind, sample) in patterns.iter().filter(|(_, at)| at.iter().any(reads)) {
            for (_, at) in targets.iter().filter(|(k, at)| k == kind && at.len() == sample.len()) {
                if left == 0 {
                    return out;
                }
                left -= 1;
                let mut more = found.clone();
                if sample.iter().zip(at).all(|(x, y)| unify(statement, (x, y), variables, &mut more)) {
                    open.push(more);
                }
            }
        }
    }
    out
}

/// The reads of a normal form, and its index equalities, both ways round, with the indices that stand there.
fn sites(p: &Poly) -> Vec<(Option<Tensor>, Vec<Ix>)> {
    let mut out: Vec<(Option<Tensor>, Vec<Ix>)> = Vec::new();
    let mut note = |site| {
        if !out.contains(&site) {
            out.push(site);
        }
    };
    p.contains(&mut |a| {
        match a {
            Atom::Access(t, at) => note((Some(*t), at.clone())),
            Atom::Equal(a, b) => {
                note((None, vec![a.clone(), b.clone()]));
                note((None, vec![b.clone(), a.clone()]));
            }
            _ => {}
        }
        false
    });
    out
}

/// Whether the pattern's index becomes the value's, with what its variables are found to be.
fn unify(statement: &Statement, pair: (&Ix, &Ix), variables: &[u32], found: &mut Vec<(u32, Ix)>) -> bool {
    match pair {
        (Ix::Free(id, dim), y) if variables.contains(id) => match found.iter().find(|f| f.0 == *id) {
            Some(f) => f.1 == *y,
            None => {
                // An index bound inside the value would lose its binder; one of another dimension is no instance.
                let bound = y.any(0, &mut |ix, _| matches!(ix, Ix::Bound(..)));
                let fits = !bound && dim_of(statement, y) == Some(*dim);
                if fits {
                    found.push((*id, y.clone()));
                }
                fits
            }
        },
        (Ix::Map(m, xs), Ix::Map(n, ys)) => {
            m == n && xs.len() == ys.len() && xs.iter().zip(ys).all(|pair| unify(statement, pair, variables, found))
        }
        (Ix::Inverse(m, k, x), Ix::Inverse(n, l, y)) => m == n && k == l && unify(statement, (x, y), variables, found),
        (x, y) => x == y,
    }
}

/// What an index ranges over; `None` of a bound one.
fn dim_of(statement: &Statement, ix: &Ix) -> Option<DimId> {
    match ix {
        Ix::Free(_, d) => Some(*d),
        Ix::Bound(..) => None,
        Ix::Map(m, _) => Some(statement.maps()[m.0 as usize].to),
        Ix::Inverse(m, k, _) => statement.maps()[m.0 as usize].from.get(*k as usize).copied(),
    }
}
