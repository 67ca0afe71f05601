//! The scene for Graphviz.

use std::fmt::Write as _;

use super::DrawError;
use super::scene::{Edge, Kind, Node, Scene, Side};
use super::text::{quoted, short};
use crate::program::DynProgram;

const HEAD: &str = "  rankdir = TB;
  fontname = \"monospace\";
  node [shape = box, style = filled, fontname = \"monospace\", fontsize = 11];
  edge [fontname = \"monospace\", fontsize = 9];
";

impl DynProgram {
    /// A picture for Graphviz: the program and its reverse program as two clusters, shapes on the edges, saved values dashed.
    ///
    /// # Errors
    ///
    /// [`DrawError::TooLarge`] for a program of more than a few hundred instructions.
    pub fn to_dot(&self) -> Result<String, DrawError> {
        let scene = Scene::new(self)?;
        let mut text = String::from("digraph program {\n");
        text.push_str(HEAD);
        let _ = writeln!(text, "  label = {};", quoted(&format!("{}; {}", scene.title, scene.subtitle)));
        cluster(&mut text, &scene, Side::Forward, "program");
        if scene.nodes.iter().any(|node| node.side == Side::Reverse) {
            cluster(&mut text, &scene, Side::Reverse, "reverse program");
        }
        for edge in &scene.flow {
            // The reverse program goes up: Graphviz ranks it the other way round.
            let up = scene.nodes[edge.to].side == Side::Reverse;
            line(&mut text, &scene, edge, if up { ", dir = back" } else { "" }, up);
        }
        for edge in &scene.saved {
            line(&mut text, &scene, edge, ", style = dashed, color = \"#7b3fb5\", constraint = false", false);
        }
        for (node, partner) in scene.nodes.iter().enumerate().filter_map(|(k, n)| Some((k, n.partner?))) {
            let _ = writeln!(text, "  {{ rank = same; n{partner}; n{node}; }}");
        }
        text.push_str("}\n");
        Ok(text)
    }
}

fn cluster(text: &mut String, scene: &Scene, side: Side, label: &str) {
    let name = if side == Side::Forward { "forward" } else { "reverse" };
    let _ = writeln!(text, "  subgraph cluster_{name} {{\n    label = {};", quoted(label));
    for (k, node) in scene.nodes.iter().enumerate().filter(|(_, node)| node.side == side) {
        let _ = writeln!(text, "    n{k} [label = {}, {}];", quoted(&label_of(node)), style(node));
    }
    text.push_str("  }\n");
}

fn label_of(node: &Node) -> String {
    match node.kind {
        Kind::Instruction(k) => format!("{k} {}", short(&node.name)),
        _ => short(&node.name),
    }
}

fn style(node: &Node) -> &'static str {
    match (node.kind, node.side) {
        (Kind::Input | Kind::Output, Side::Forward) => "shape = ellipse, fillcolor = \"#ffffff\", color = \"#2f65a7\"",
        (Kind::Input | Kind::Output, Side::Reverse) => "shape = ellipse, fillcolor = \"#ffffff\", color = \"#b3541e\"",
        (Kind::Instruction(_), Side::Forward) => "fillcolor = \"#e4eefb\", color = \"#2f65a7\"",
        (Kind::Instruction(_), Side::Reverse) => "fillcolor = \"#fdebdf\", color = \"#b3541e\"",
    }
}

fn line(text: &mut String, scene: &Scene, edge: &Edge, style: &str, turned: bool) {
    let (from, to) = if turned { (edge.to, edge.from) } else { (edge.from, edge.to) };
    let port = &scene.nodes[edge.from].ports[edge.port];
    let shape = short(&port.shape.to_string());
    let label = if port.saved { format!("{shape} (saved)") } else { shape };
    let _ = writeln!(text, "  n{from} -> n{to} [label = {}{style}];", quoted(&label));
}
