//! Tables that are straight along the lanes, borders aside.
//!
//! A window of a convolution is `i + k - padding` inside and nothing outside: along the lanes that is a stretch of memory.
//! What is read there is copied, not gathered; what is looked for here is whether a table is like that from each place where lanes start.

use std::collections::HashMap;

use super::code::Run;
use super::concrete::UNDEFINED;
use super::lanes::LANES;
use super::nest::{Affine, Lookup, Var};

/// The tables that were looked at.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    known: HashMap<(u16, Affine, Var), Option<u16>>,
}

impl Runs {
    /// The runs of a table for a lookup inside of these loops, one of which has lanes.
    /// None where some are no runs, and where the lanes are more than one block.
    pub(crate) fn find(
        &mut self,
        table: &[u32],
        lookup: &Lookup,
        lane: Var,
        loops: &[(Var, usize)],
        all: &mut Vec<Box<[Run]>>,
    ) -> Option<u16> {
        let key = (lookup.table, lookup.at.clone(), lane);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let made = runs(table, &lookup.at, lane, loops).map(|runs| {
            all.push(runs);
            all.len() as u16 - 1
        });
        self.known.insert(key, made);
        made
    }
}

fn runs(table: &[u32], at: &Affine, lane: Var, loops: &[(Var, usize)]) -> Option<Box<[Run]>> {
    let extent = |var: Var| loops.iter().find(|l| l.0 == var).map(|l| l.1);
    let lanes = extent(lane).filter(|n| *n <= LANES)?;
    let step = at.factor(lane);
    let mut runs = vec![Run::default(); table.len()];
    let mut starts = vec![at.constant];
    for (var, factor) in at.terms.iter().filter(|t| t.0 != lane) {
        let n = extent(*var)? as i64;
        starts = starts.iter().flat_map(|start| (0..n).map(move |i| start + i * factor)).collect();
    }
    for start in starts {
        let entry = |i: usize| table.get((start + i as i64 * step) as usize).filter(|e| **e != UNDEFINED);
        *runs.get_mut(start as usize)? = run(lanes, |i| entry(i).map(|e| i64::from(*e)))?;
    }
    Some(runs.into())
}

fn run(lanes: usize, entry: impl Fn(usize) -> Option<i64>) -> Option<Run> {
    let Some(from) = (0..lanes).find(|i| entry(*i).is_some()) else { return Some(Run::default()) };
    let to = (from..lanes).find(|i| entry(*i).is_none()).unwrap_or(lanes);
    let first = entry(from)?;
    let slope = if to > from + 1 { entry(from + 1)? - first } else { 1 };
    let straight = (from..to).all(|i| entry(i) == Some(first + (i - from) as i64 * slope));
    let empty_after = (to..lanes).all(|i| entry(i).is_none());
    (straight && empty_after).then_some(Run { from: from as u32, to: to as u32, first, slope })
}
