//! The order of the items in each row: as few crossings as sweeps of barycentres find.
//!
//! Source: Sugiyama, Tagawa and Toda 1981, "Methods for visual understanding of hierarchical system structures".

use std::collections::HashMap;

use super::layers::Layers;

/// Sweeps down and up; most pictures are settled after a few.
const SWEEPS: usize = 12;

/// Puts every row in order.
pub(super) fn order(layers: &mut Layers) {
    let neighbours = Neighbours::new(layers);
    for side in 0..2 {
        let mut best = (crossings(layers, &neighbours, side), layers.rows[side].clone());
        for sweep in 0..SWEEPS {
            let depth = layers.rows[side].len();
            if sweep % 2 == 0 {
                (1..depth).for_each(|row| sort(layers, side, row, &neighbours.above));
            } else {
                (0..depth.saturating_sub(1)).rev().for_each(|row| sort(layers, side, row, &neighbours.below));
            }
            let found = crossings(layers, &neighbours, side);
            if found < best.0 {
                best = (found, layers.rows[side].clone());
            }
        }
        layers.rows[side] = best.1;
    }
}

/// The items that each is joined to, with where the lines are, from the middle of the other.
struct Neighbours {
    above: Vec<Vec<(usize, f64)>>,
    below: Vec<Vec<(usize, f64)>>,
}

impl Neighbours {
    fn new(layers: &Layers) -> Neighbours {
        let (mut above, mut below) = (vec![Vec::new(); layers.items.len()], vec![Vec::new(); layers.items.len()]);
        for link in &layers.links {
            above[link.lower].push((link.upper, link.upper_at));
            below[link.upper].push((link.lower, link.lower_at));
        }
        Neighbours { above, below }
    }
}

/// The place of each item in its row.
fn places(row: &[usize]) -> HashMap<usize, f64> {
    row.iter().enumerate().map(|(at, item)| (*item, at as f64)).collect()
}

/// Where a line is, in places: lines of one item differ by less than one.
fn place(layers: &Layers, places: &HashMap<usize, f64>, (item, at): (usize, f64)) -> f64 {
    places.get(&item).copied().unwrap_or(0.0) + at / layers.items[item].width
}

fn sort(layers: &mut Layers, side: usize, row: usize, towards: &[Vec<(usize, f64)>]) {
    let other = |item: usize| towards[item].first().map(|(other, _)| layers.items[*other].row);
    let Some(next) = layers.rows[side][row].iter().find_map(|item| other(*item)) else { return };
    let known = places(&layers.rows[side][next]);
    let mut keyed: Vec<(f64, usize)> = Vec::new();
    for (at, item) in layers.rows[side][row].iter().enumerate() {
        let lines = &towards[*item];
        let sum: f64 = lines.iter().map(|end| place(layers, &known, *end)).sum();
        // What is joined to nothing stays where it is.
        keyed.push((if lines.is_empty() { at as f64 } else { sum / lines.len() as f64 }, *item));
    }
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    layers.rows[side][row] = keyed.into_iter().map(|(_, item)| item).collect();
}

/// How often lines cross.
fn crossings(layers: &Layers, neighbours: &Neighbours, side: usize) -> usize {
    let mut sum = 0;
    for pair in layers.rows[side].windows(2) {
        let (upper, lower) = (places(&pair[0]), places(&pair[1]));
        let mut lines: Vec<(f64, f64)> = Vec::new();
        for item in &pair[1] {
            for end in &neighbours.above[*item] {
                let own = neighbours.below[end.0].iter().find(|(other, _)| other == item).map_or(0.0, |(_, at)| *at);
                lines.push((place(layers, &upper, *end), place(layers, &lower, (*item, own))));
            }
        }
        lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        // Inversions, by insertion: pictures are small.
        let mut seen: Vec<f64> = Vec::with_capacity(lines.len());
        for (_, x) in lines {
            let at = seen.partition_point(|y| *y <= x);
            sum += seen.len() - at;
            seen.insert(at, x);
        }
    }
    sum
}
