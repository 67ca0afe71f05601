//! Nodes in rows, and lines that go from one row to the next.
//!
//! A line over several rows passes each row between at a place of its own, a bend, so that it never runs through a box.

use std::collections::BTreeMap;

use super::scene::{Edge, Kind, Node, Scene, Side};
use super::text::{short, width};

/// The size of the text in a box.
pub(super) const TEXT: f64 = 13.0;
/// The size of the text on an edge.
pub(super) const LABEL: f64 = 10.5;
/// The room that a line takes that passes a row.
const BEND: f64 = 12.0;
/// The room between two labels of one node.
const BETWEEN: f64 = 6.0;

/// Something that takes a place in a row.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The node; `None` for a bend.
    pub(super) node: Option<usize>,
    pub(super) side: Side,
    pub(super) row: usize,
    pub(super) width: f64,
}

/// The end of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tip {
    /// It goes on.
    None,
    Upper,
    Lower,
}

/// A line from a row to the next.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) upper: usize,
    /// Where it begins, from the middle of the upper item.
    pub(super) upper_at: f64,
    pub(super) lower: usize,
    pub(super) lower_at: f64,
    /// Where it is read.
    pub(super) tip: Tip,
}

/// Everything in its row.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    /// Nodes first, in their numbering; then bends.
    pub(super) items: Vec<Item>,
    pub(super) links: Vec<Link>,
    /// The items of each row, from left to right, of the program and of the reverse program.
    pub(super) rows: [Vec<Vec<usize>>; 2],
}

/// The text in a box.
pub(super) fn caption(node: &Node) -> (Option<String>, String) {
    match node.kind {
        Kind::Instruction(k) => (Some(k.to_string()), short(&node.name)),
        _ => (None, short(&node.name)),
    }
}

/// The label of a value: its shape.
pub(super) fn label(node: &Node, port: usize) -> String {
    short(&node.ports[port].shape.to_string())
}

fn label_width(node: &Node, port: usize) -> f64 {
    width(&label(node, port), LABEL) + 10.0
}

fn node_width(node: &Node) -> f64 {
    let (number, name) = caption(node);
    let text = width(&name, TEXT) + number.map_or(0.0, |n| width(&n, LABEL) + 7.0) + 20.0;
    let labels: f64 = (0..node.ports.len()).map(|port| label_width(node, port) + BETWEEN).sum::<f64>() + BETWEEN;
    let arguments = node.arguments as f64 * 12.0 + 12.0;
    text.max(labels).max(arguments).max(40.0)
}

/// The middle of the label of a value, from the middle of its node, and its width.
pub(super) fn port_at(node: &Node, port: usize) -> (f64, f64) {
    let widths: Vec<f64> = (0..node.ports.len()).map(|port| label_width(node, port)).collect();
    let all: f64 = widths.iter().sum::<f64>() + BETWEEN * (widths.len() as f64 - 1.0);
    let before: f64 = widths[..port].iter().map(|w| w + BETWEEN).sum();
    (before + widths[port] / 2.0 - all / 2.0, widths[port])
}

/// Where an argument enters, from the middle of the node.
pub(super) fn argument_at(node: &Node, argument: usize) -> f64 {
    let width = node_width(node);
    width * ((argument as f64 + 1.0) / (node.arguments as f64 + 1.0) - 0.5)
}

impl Layers {
    pub(super) fn new(scene: &Scene, row: &[usize]) -> Layers {
        let items = scene.nodes.iter().zip(row).enumerate().map(|(k, (node, row))| Item {
            node: Some(k),
            side: node.side,
            row: *row,
            width: node_width(node),
        });
        let depth = row.iter().max().map_or(0, |r| r + 1);
        let mut layers = Layers {
            items: items.collect(),
            links: Vec::new(),
            rows: [vec![Vec::new(); depth], vec![Vec::new(); depth]],
        };
        let mut nets: BTreeMap<(usize, usize), Vec<Edge>> = BTreeMap::new();
        scene.flow.iter().for_each(|e| nets.entry((e.from, e.port)).or_default().push(*e));
        for ((from, port), edges) in nets {
            layers.net(scene, from, port, &edges);
        }
        for (k, item) in layers.items.iter().enumerate() {
            layers.rows[item.side as usize][item.row].push(k);
        }
        layers
    }

    /// The lines from one value to all that read it: they part as late as they can.
    fn net(&mut self, scene: &Scene, from: usize, port: usize, edges: &[Edge]) {
        let (side, start) = (self.items[from].side, self.items[from].row);
        // Rows away from the source, in the direction of the flow.
        let distance =
            |row: usize| if side == Side::Forward { row.saturating_sub(start) } else { start.saturating_sub(row) };
        let row_at = |distance: usize| if side == Side::Forward { start + distance } else { start - distance };
        let farthest = edges.iter().map(|e| distance(self.items[e.to].row)).max().unwrap_or(0);
        let mut chain = vec![(from, port_at(&scene.nodes[from], port).0)];
        for step in 1..farthest {
            self.items.push(Item { node: None, side, row: row_at(step), width: BEND });
            let bend = (self.items.len() - 1, 0.0);
            self.link(side, chain[step - 1], bend, false);
            chain.push(bend);
        }
        for edge in edges {
            let end = (edge.to, argument_at(&scene.nodes[edge.to], edge.argument));
            let last = chain[distance(self.items[edge.to].row).saturating_sub(1)];
            self.link(side, last, end, true);
        }
    }

    fn link(&mut self, side: Side, from: (usize, f64), to: (usize, f64), ends: bool) {
        let (upper, lower, tip) = match side {
            Side::Forward => (from, to, Tip::Lower),
            Side::Reverse => (to, from, Tip::Upper),
        };
        let tip = if ends { tip } else { Tip::None };
        self.links.push(Link { upper: upper.0, upper_at: upper.1, lower: lower.0, lower_at: lower.1, tip });
    }
}
