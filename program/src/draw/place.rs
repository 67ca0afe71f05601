//! The position of each item in its row.
//!
//! A row is placed so that its lines are as upright as they can be: least squares under the order and the widths,
//! which the pool of adjacent violators solves exactly.

use super::layers::Layers;

/// Sweeps down and up.
const SWEEPS: usize = 25;
/// The room between two items.
const APART: f64 = 22.0;
/// How much more it counts that a line over several rows is upright.
const UPRIGHT: f64 = 6.0;

/// The middle of each item; each side begins at zero. With the widths of both sides.
pub(super) fn place(layers: &Layers) -> (Vec<f64>, [f64; 2]) {
    let mut x = vec![0.0; layers.items.len()];
    let mut width = [0.0; 2];
    let lines = Lines::new(layers);
    for (rows, width) in layers.rows.iter().zip(&mut width) {
        rows.iter().for_each(|row| pack(layers, row, &mut x, |_| None));
        for sweep in 0..SWEEPS {
            let down = sweep % 2 == 0;
            // Between the two sides in the end, and then so that single lines are upright.
            let towards = match sweep {
                _ if sweep + 1 == SWEEPS => Towards::Above,
                _ if sweep >= SWEEPS / 2 => Towards::Both,
                _ if down => Towards::Above,
                _ => Towards::Below,
            };
            let mut one = |row: &Vec<usize>| pack(layers, row, &mut x, |k| lines.wanted(layers, k, towards));
            if down { rows.iter().for_each(&mut one) } else { rows.iter().rev().for_each(&mut one) }
        }
        *width = moved_to_zero(layers, rows, &mut x);
    }
    (x, width)
}

/// Which neighbours an item is moved to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Towards {
    Above,
    Below,
    Both,
}

/// The links of each item, as (the other item, the shift between the two middles, the weight).
struct Lines {
    above: Vec<Vec<(usize, f64, f64)>>,
    below: Vec<Vec<(usize, f64, f64)>>,
}

impl Lines {
    fn new(layers: &Layers) -> Lines {
        let (mut above, mut below) = (vec![Vec::new(); layers.items.len()], vec![Vec::new(); layers.items.len()]);
        for link in &layers.links {
            let bent = layers.items[link.upper].node.is_none() || layers.items[link.lower].node.is_none();
            let weight = if bent { UPRIGHT } else { 1.0 };
            above[link.lower].push((link.upper, link.upper_at - link.lower_at, weight));
            below[link.upper].push((link.lower, link.lower_at - link.upper_at, weight));
        }
        Lines { above, below }
    }
}

/// Where an item would be best, and how much that counts.
type Wanted = Option<(Vec<(usize, f64, f64)>, f64)>;

impl Lines {
    fn wanted(&self, layers: &Layers, item: usize, towards: Towards) -> Wanted {
        let (above, below) = (&self.above[item], &self.below[item]);
        let lines = match towards {
            Towards::Above if !above.is_empty() => above.clone(),
            Towards::Below if !below.is_empty() => below.clone(),
            _ => above.iter().chain(below).copied().collect(),
        };
        let weight: f64 = lines.iter().map(|line| line.2).sum();
        // A bend belongs to a line that should be straight.
        let own = if layers.items[item].node.is_none() { UPRIGHT } else { 1.0 };
        if lines.is_empty() { None } else { Some((lines, weight * own)) }
    }
}

/// Places a row: each item as near as it can be to where it is wanted.
fn pack(layers: &Layers, row: &[usize], x: &mut [f64], wanted: impl Fn(usize) -> Wanted) {
    // With the room of what stands before taken away, order is all that is left of the distances.
    let mut before = 0.0;
    let mut shift = Vec::with_capacity(row.len());
    for (at, item) in row.iter().enumerate() {
        let half = layers.items[*item].width / 2.0;
        if at > 0 {
            before += half + APART;
        }
        shift.push(before);
        before += half;
    }
    // Blocks of items that touch: (sum of weight · position, weight, how many).
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (item, shift) in row.iter().zip(&shift) {
        let (position, weight) = match wanted(*item) {
            Some((lines, weight)) => {
                let sum: f64 = lines.iter().map(|(other, at, w)| (x[*other] + at) * w).sum();
                (sum / lines.iter().map(|l| l.2).sum::<f64>(), weight)
            }
            None => (x[*item], 0.01),
        };
        blocks.push(((position - shift) * weight, weight, 1));
        while let [.., a, b] = blocks[..]
            && a.0 / a.1 > b.0 / b.1
        {
            blocks.truncate(blocks.len() - 2);
            blocks.push((a.0 + b.0, a.1 + b.1, a.2 + b.2));
        }
    }
    let positions = blocks.iter().flat_map(|(sum, weight, n)| std::iter::repeat_n(sum / weight, *n));
    for ((item, shift), position) in row.iter().zip(&shift).zip(positions) {
        x[*item] = position + shift;
    }
}

/// Moves a side so that it begins at zero; its width.
fn moved_to_zero(layers: &Layers, rows: &[Vec<usize>], x: &mut [f64]) -> f64 {
    let items = || rows.iter().flatten().copied();
    let half = |k: usize| layers.items[k].width / 2.0;
    let left = items().map(|k| x[k] - half(k)).fold(f64::INFINITY, f64::min);
    items().for_each(|k| x[k] -= left);
    items().map(|k| x[k] + half(k)).fold(0.0, f64::max)
}
