//! Which row each node stands in.
//!
//! Rows come from longest paths. The program goes down and the reverse program goes up, and an instruction and its pullback are one node here:
//! so the accumulations between two pullbacks push the two instructions apart.

use std::collections::VecDeque;

use super::scene::{Kind, Scene, Side};

/// The row of each node, from the top, starting at 0.
pub(super) fn rows(scene: &Scene) -> Vec<usize> {
    // What pulls back in another order than it was made can't be merged; no reverse program is such.
    let inner = inner(scene, true).or_else(|| inner(scene, false)).unwrap_or_else(|| vec![0; scene.nodes.len()]);
    shifted(&outer(scene, inner))
}

fn is_inner(scene: &Scene, node: usize) -> bool {
    matches!(scene.nodes[node].kind, Kind::Instruction(_))
}

/// Rows of the instructions; `None` if there is a cycle.
fn inner(scene: &Scene, merged: bool) -> Option<Vec<i64>> {
    let n = scene.nodes.len();
    let unit: Vec<usize> = (0..n).map(|k| scene.nodes[k].partner.filter(|_| merged).unwrap_or(k)).collect();
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut waiting = vec![0usize; n];
    for edge in scene.flow.iter().filter(|e| is_inner(scene, e.from) && is_inner(scene, e.to)) {
        let (upper, lower) = match scene.nodes[edge.from].side {
            Side::Forward => (unit[edge.from], unit[edge.to]),
            Side::Reverse => (unit[edge.to], unit[edge.from]),
        };
        below[upper].push(lower);
        waiting[lower] += 1;
    }
    let mut row = vec![0i64; n];
    let mut ready: VecDeque<usize> = (0..n).filter(|k| waiting[*k] == 0).collect();
    let mut done = Vec::with_capacity(n);
    while let Some(k) = ready.pop_front() {
        done.push(k);
        for lower in &below[k] {
            row[*lower] = row[*lower].max(row[k] + 1);
            waiting[*lower] -= 1;
            if waiting[*lower] == 0 {
                ready.push_back(*lower);
            }
        }
    }
    if done.len() < n {
        return None;
    }
    // What has nothing above it stands right over what it is for.
    let mut has_above = vec![false; n];
    below.iter().flatten().for_each(|k| has_above[*k] = true);
    for k in done.into_iter().rev().filter(|k| !has_above[*k]) {
        if let Some(first) = below[k].iter().map(|lower| row[*lower]).min() {
            row[k] = first - 1;
        }
    }
    Some((0..n).map(|k| row[unit[k]]).collect())
}

/// Inputs and outputs as near to their instructions as they can be.
fn outer(scene: &Scene, mut row: Vec<i64>) -> Vec<i64> {
    let inner = |k: usize| is_inner(scene, k);
    let bottom = (0..row.len()).filter(|k| inner(*k)).map(|k| row[k]).max().unwrap_or(0) + 1;
    for k in (0..row.len()).filter(|k| scene.nodes[*k].kind == Kind::Input) {
        let readers = scene.flow.iter().filter(|e| e.from == k && inner(e.to)).map(|e| row[e.to]);
        row[k] = match scene.nodes[k].side {
            Side::Forward => readers.min().map_or(0, |first| first - 1),
            Side::Reverse => readers.max().map_or(bottom, |last| last + 1),
        };
    }
    for edge in scene.flow.iter().filter(|e| scene.nodes[e.to].kind == Kind::Output) {
        row[edge.to] = match scene.nodes[edge.to].side {
            Side::Forward => row[edge.from] + 1,
            Side::Reverse => row[edge.from] - 1,
        };
    }
    row
}

fn shifted(row: &[i64]) -> Vec<usize> {
    let least = row.iter().copied().min().unwrap_or(0);
    row.iter().map(|r| usize::try_from(r - least).unwrap_or(0)).collect()
}
