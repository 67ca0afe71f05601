//! The picture as SVG: nothing else is needed to show it.

use std::fmt::Write as _;

use super::DrawError;
use super::layers::{LABEL, Layers, Link, TEXT, Tip, caption, label, port_at};
use super::order::order;
use super::place::place;
use super::route::{Route, Routes, route};
use super::rows::rows;
use super::scene::{Kind, Node, Scene, Side};
use super::text::{width, xml};
use crate::program::DynProgram;

/// The height of a box.
const BOX: f64 = 32.0;
/// The height of a label.
const PILL: f64 = 16.0;
/// How far a row reaches over its boxes: half of a label, and room for a tip.
const OVER: f64 = PILL / 2.0 + 2.0;
/// The space between two rows, without tracks.
const SPACE: f64 = 30.0;
/// The distance of two tracks.
const TRACK: f64 = 7.0;
/// The distance of two lanes.
const LANE: f64 = 8.0;
/// The margin of the picture.
const MARGIN: f64 = 24.0;
/// The height of the head.
const HEAD: f64 = 92.0;
/// The height of the legend.
const LEGEND: f64 = 44.0;

const STYLE: &str = "
  .page { fill: #ffffff }
  text { font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328 }
  .title { font-size: 16px; font-weight: bold }
  .subtitle, .legend { font-size: 12px; fill: #57606a }
  .side { font-size: 13px; font-weight: bold }
  .name { font-size: 13px }
  .number { font-size: 10.5px; fill: #6e7781 }
  .shape { font-size: 10.5px }
  .box { stroke-width: 1.4 }
  .forward .box { fill: #e4eefb; stroke: #2f65a7 }
  .reverse .box { fill: #fdebdf; stroke: #b3541e }
  .forward .end, .reverse .end { fill: #ffffff }
  .pill { fill: #ffffff; stroke-width: 1 }
  .forward .pill { stroke: #9db8d9 }
  .reverse .pill { stroke: #dcb196 }
  .pill.saved { fill: #efe3fb; stroke: #7b3fb5 }
  .edge { fill: none; stroke-width: 1.4 }
  .edge.forward { stroke: #2f65a7 }
  .edge.reverse { stroke: #b3541e }
  .edge.saved { stroke: #7b3fb5; stroke-dasharray: 5 3; stroke-width: 1.3 }
  .tip.forward { fill: #2f65a7 }
  .tip.reverse { fill: #b3541e }
  .tip.saved { fill: #7b3fb5 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 }
    text { fill: #e6edf3 }
    .subtitle, .legend { fill: #9198a1 }
    .number { fill: #9198a1 }
    .forward .box { fill: #12263f; stroke: #6ea8f0 }
    .reverse .box { fill: #3a2114; stroke: #f0975c }
    .forward .end, .reverse .end { fill: #0d1117 }
    .pill { fill: #0d1117 }
    .forward .pill { stroke: #3d5f8c }
    .reverse .pill { stroke: #8a5a3a }
    .pill.saved { fill: #2d1b42; stroke: #b98aee }
    .edge.forward { stroke: #6ea8f0 }
    .edge.reverse { stroke: #f0975c }
    .edge.saved { stroke: #b98aee }
    .tip.forward { fill: #6ea8f0 }
    .tip.reverse { fill: #f0975c }
    .tip.saved { fill: #b98aee }
  }
";

impl DynProgram {
    /// A picture that any browser shows: the program goes down, beside it the reverse program goes up; each instruction has its pullback in its row.
    ///
    /// Shapes stand on the values; those that the backward rules read are marked, with dashed lines to their readers.
    /// It is light or dark as the reader's screen is.
    ///
    /// # Errors
    ///
    /// [`DrawError::TooLarge`] for a program of more than a few hundred instructions.
    pub fn to_svg(&self) -> Result<String, DrawError> {
        let scene = Scene::new(self)?;
        let mut layers = Layers::new(&scene, &rows(&scene));
        order(&mut layers);
        let (x, sizes) = place(&layers);
        let routes = route(&scene, &layers, &x);
        Ok(Picture::new(&scene, &layers, x, sizes, &routes).draw())
    }
}

struct Picture<'a> {
    scene: &'a Scene,
    layers: &'a Layers,
    routes: &'a Routes,
    /// The middle of each item.
    x: Vec<f64>,
    /// The upper edge of the boxes of each row.
    y: Vec<f64>,
    /// Where the gutter begins.
    gutter: f64,
    /// Where each side begins.
    left: [f64; 2],
    size: (f64, f64),
    out: String,
}

fn class(side: Side) -> &'static str {
    match side {
        Side::Forward => "forward",
        Side::Reverse => "reverse",
    }
}

impl<'a> Picture<'a> {
    fn new(scene: &'a Scene, layers: &'a Layers, mut x: Vec<f64>, sizes: [f64; 2], routes: &'a Routes) -> Self {
        let gutter = MARGIN + sizes[0];
        let reverse = gutter + 2.0 * MARGIN + routes.lanes as f64 * LANE;
        let left = [MARGIN, reverse];
        for (x, item) in x.iter_mut().zip(&layers.items) {
            *x += left[item.side as usize];
        }
        let mut y = Vec::new();
        let mut at = HEAD + OVER;
        for tracks in &routes.tracks {
            y.push(at);
            at += BOX + 2.0 * OVER + SPACE + *tracks as f64 * TRACK;
        }
        let both = layers.items.iter().any(|item| item.side == Side::Reverse);
        let drawn = if both { reverse + sizes[1] } else { gutter } + MARGIN;
        let head = width(&scene.title, 16.0).max(width(&scene.subtitle, 12.0)) + 2.0 * MARGIN;
        let size = (drawn.max(head).max(560.0), at + LEGEND);
        Picture { scene, layers, routes, x, y, gutter, left, size, out: String::new() }
    }

    fn draw(mut self) -> String {
        let (w, h) = self.size;
        let _ = writeln!(
            self.out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" viewBox=\"0 0 {w:.0} {h:.0}\" role=\"img\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>",
            xml(&self.scene.title)
        );
        self.head();
        self.layers.links.iter().for_each(|link| self.link(link));
        self.bends();
        self.routes.routes.iter().for_each(|route| self.saved(route));
        for k in 0..self.scene.nodes.len() {
            self.node(k);
        }
        self.legend();
        self.out.push_str("</svg>\n");
        self.out
    }

    fn head(&mut self) {
        let (title, subtitle) = (xml(&self.scene.title), xml(&self.scene.subtitle));
        self.text("title", MARGIN, 30.0, &title);
        self.text("subtitle", MARGIN, 50.0, &subtitle);
        self.text("side", self.left[0], 78.0, "program, downwards");
        if self.layers.items.iter().any(|item| item.side == Side::Reverse) {
            self.text("side", self.left[1], 78.0, "reverse program, upwards");
        }
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let _ = writeln!(self.out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
    }

    /// The upper and lower end of a row, labels included.
    fn band(&self, row: usize) -> (f64, f64) {
        (self.y[row] - OVER, self.y[row] + BOX + OVER)
    }

    fn tip(&mut self, class: &str, x: f64, y: f64, down: bool) {
        let back = if down { -6.0 } else { 6.0 };
        let _ = writeln!(self.out, "<path class=\"tip {class}\" d=\"M{x:.1} {y:.1}l-3.4 {back}h6.8z\"/>");
    }

    /// A line through the space between two rows.
    fn link(&mut self, link: &Link) {
        let (upper, lower) = (&self.layers.items[link.upper], &self.layers.items[link.lower]);
        let (x0, x1) = (self.x[link.upper] + link.upper_at, self.x[link.lower] + link.lower_at);
        let (y0, y1) = (self.band(upper.row).1, self.band(lower.row).0);
        // From the box or its label to the edge of the row, and from there to the other.
        let begins = match (upper.node, upper.side) {
            (None, _) => y0,
            (Some(_), Side::Forward) => self.y[upper.row] + BOX + PILL / 2.0,
            (Some(_), Side::Reverse) => self.y[upper.row] + BOX,
        };
        let ends = match (lower.node, lower.side) {
            (None, _) => y1,
            (Some(_), Side::Forward) => self.y[lower.row],
            (Some(_), Side::Reverse) => self.y[lower.row] - PILL / 2.0,
        };
        let middle = (y0 + y1) / 2.0;
        let class = class(upper.side);
        let _ = writeln!(
            self.out,
            "<path class=\"edge {class}\" d=\"M{x0:.1} {begins:.1}V{y0:.1}C{x0:.1} {middle:.1} {x1:.1} {middle:.1} {x1:.1} {y1:.1}V{ends:.1}\"/>"
        );
        match link.tip {
            Tip::None => {}
            Tip::Lower => self.tip(class, x1, ends, true),
            Tip::Upper => self.tip(class, x0, begins, false),
        }
    }

    /// Lines that pass a row.
    fn bends(&mut self) {
        for (k, item) in self.layers.items.iter().enumerate().filter(|(_, item)| item.node.is_none()) {
            let ((y0, y1), x) = (self.band(item.row), self.x[k]);
            let _ = writeln!(self.out, "<path class=\"edge {}\" d=\"M{x:.1} {y0:.1}V{y1:.1}\"/>", class(item.side));
        }
    }

    /// A line from a saved value to its readers.
    fn saved(&mut self, route: &Route) {
        let row = self.layers.items[route.from].row;
        let track = |picture: &Self, row: usize, track: usize| picture.band(row).1 + 6.0 + track as f64 * TRACK;
        let start = route.start + self.left[0];
        let lane = route.lane.map(|lane| self.gutter + MARGIN + lane as f64 * LANE);
        let under = self.y[row] + BOX + PILL / 2.0;
        let mut path = String::new();
        let mut tips = Vec::new();
        for (at, pass) in &route.passes {
            let y = track(self, *at, pass.track);
            let ends: Vec<f64> = pass.ends.iter().map(|(_, x)| x + self.left[1]).collect();
            let from = if *at == row { start } else { lane.unwrap_or(start) };
            let to = ends.iter().copied().chain(lane).fold(from, f64::max);
            if *at == row {
                let _ = write!(path, "M{start:.1} {under:.1}V{y:.1}");
            }
            let _ = write!(path, "M{from:.1} {y:.1}H{to:.1}");
            for x in ends {
                let end = self.y[*at] + BOX;
                let _ = write!(path, "M{x:.1} {y:.1}V{end:.1}");
                tips.push((x, end));
            }
        }
        if let (Some(lane), Some((first, a)), Some((last, b))) =
            (lane, route.passes.first_key_value(), route.passes.last_key_value())
        {
            let (y0, y1) = (track(self, *first, a.track), track(self, *last, b.track));
            let _ = write!(path, "M{lane:.1} {y0:.1}V{y1:.1}");
        }
        let _ = writeln!(self.out, "<path class=\"edge saved\" d=\"{path}\"/>");
        tips.into_iter().for_each(|(x, y)| self.tip("saved", x, y, false));
    }

    fn node(&mut self, k: usize) {
        let (scene, item) = (self.scene, &self.layers.items[k]);
        let node = &scene.nodes[k];
        let (x, y, w) = (self.x[k] - item.width / 2.0, self.y[item.row], item.width);
        let _ = writeln!(self.out, "<g class=\"{}\"><title>{}</title>", class(node.side), xml(&about(node)));
        let (end, round) = match node.kind {
            Kind::Instruction(_) => ("", 4.0),
            _ => (" end", BOX / 2.0),
        };
        let _ = writeln!(
            self.out,
            "<rect class=\"box{end}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{BOX}\" rx=\"{round}\"/>"
        );
        self.caption(node, self.x[k], y);
        for (port, value) in node.ports.iter().enumerate() {
            let (at, w) = port_at(node, port);
            let middle = if node.side == Side::Forward { y + BOX } else { y };
            let (cx, top) = (self.x[k] + at, middle - PILL / 2.0);
            let saved = if value.saved { " saved" } else { "" };
            let _ = writeln!(
                self.out,
                "<rect class=\"pill{saved}\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{w:.1}\" height=\"{PILL}\" rx=\"8\"/>\
                 <text class=\"shape\" text-anchor=\"middle\" x=\"{cx:.1}\" y=\"{:.1}\">{}</text>",
                cx - w / 2.0,
                middle + LABEL * 0.35,
                xml(&label(node, port))
            );
        }
        self.out.push_str("</g>\n");
    }

    /// The name in the part of the box that its labels leave free.
    fn caption(&mut self, node: &Node, middle: f64, y: f64) {
        let (number, name) = caption(node);
        let gap = if number.is_some() { 7.0 } else { 0.0 };
        let all = width(&name, TEXT) + gap + number.as_deref().map_or(0.0, |n| width(n, LABEL));
        let lift = match (node.ports.is_empty(), node.side) {
            (true, _) => 0.0,
            (false, Side::Forward) => -4.0,
            (false, Side::Reverse) => 4.0,
        };
        let base = y + BOX / 2.0 + TEXT * 0.35 + lift;
        let mut x = middle - all / 2.0;
        if let Some(number) = number {
            self.text("number", x, base, &number);
            x += width(&number, LABEL) + gap;
        }
        self.text("name", x, base, &xml(&name));
    }

    fn legend(&mut self) {
        let y = self.size.1 - 22.0;
        let mut x = MARGIN;
        for (class, what) in
            [("forward", "value"), ("reverse", "cotangent"), ("saved", "saved value, read by a backward rule")]
        {
            let _ = writeln!(self.out, "<path class=\"edge {class}\" d=\"M{x:.1} {y:.1}h26\"/>");
            self.text("legend", x + 33.0, y + 4.0, what);
            x += 33.0 + width(what, 12.0) + 22.0;
        }
    }
}

/// What a reader sees who points at a node.
fn about(node: &Node) -> String {
    let mut text = match node.kind {
        Kind::Input => format!("input {}", node.name),
        Kind::Instruction(k) => format!("instruction {k}: {}", node.name),
        Kind::Output => format!("output {}", node.name),
    };
    for port in &node.ports {
        let _ = write!(text, "; {}: {}{}", port.name, port.shape, if port.saved { ", saved" } else { "" });
    }
    text
}
