//! Lines from saved values to the instructions of the reverse program that read them.
//!
//! Each runs down from its value into the space under the row, along a track there to the gutter between the programs,
//! along a lane of the gutter, and along a track under the row of its reader: it never meets a box.

use std::collections::BTreeMap;

use super::layers::{Layers, argument_at, port_at};
use super::scene::Scene;

/// A line from one saved value to all its readers.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// The node that makes the value.
    pub(super) from: usize,
    /// Where it leaves.
    pub(super) start: f64,
    /// The lane of the gutter that it goes along, if it changes rows.
    pub(super) lane: Option<usize>,
    /// What it does under each row.
    pub(super) passes: BTreeMap<usize, Pass>,
}

/// What a line does in the space under a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Pass {
    /// Its track there.
    pub(super) track: usize,
    /// The readers that it reaches from there, and where it enters them.
    pub(super) ends: Vec<(usize, f64)>,
}

/// All lines, and how many tracks and lanes they need.
#[derive(Clone, Debug)]
pub(super) struct Routes {
    pub(super) routes: Vec<Route>,
    /// Tracks under each row.
    pub(super) tracks: Vec<usize>,
    pub(super) lanes: usize,
}

/// Routes over positions that are relative to each side; the gutter begins right of `width`.
pub(super) fn route(scene: &Scene, layers: &Layers, x: &[f64]) -> Routes {
    let mut nets: BTreeMap<(usize, usize), Route> = BTreeMap::new();
    for edge in &scene.saved {
        let route = nets.entry((edge.from, edge.port)).or_insert_with(|| {
            // Beside the middle, where the value's other lines leave.
            let (middle, width) = port_at(&scene.nodes[edge.from], edge.port);
            let start = x[edge.from] + middle + width * 0.28;
            let passes = BTreeMap::from([(layers.items[edge.from].row, Pass::default())]);
            Route { from: edge.from, start, lane: None, passes }
        });
        let end = x[edge.to] + argument_at(&scene.nodes[edge.to], edge.argument);
        route.passes.entry(layers.items[edge.to].row).or_default().ends.push((edge.to, end));
    }
    let mut routes: Vec<Route> = nets.into_values().collect();
    let lanes = give_lanes(&mut routes);
    let tracks = give_tracks(&mut routes, layers.rows[0].len());
    Routes { routes, tracks, lanes }
}

/// Lanes of lines that change rows: two share one if they have no row in common.
fn give_lanes(routes: &mut [Route]) -> usize {
    let span = |route: &Route| {
        let first = route.passes.keys().next().copied().unwrap_or(0);
        (first, route.passes.keys().next_back().copied().unwrap_or(0))
    };
    let mut order: Vec<usize> = (0..routes.len()).filter(|k| routes[*k].passes.len() > 1).collect();
    // Short ones first: they come to stand inside of the long ones.
    order.sort_by_key(|k| (span(&routes[*k]).1 - span(&routes[*k]).0, span(&routes[*k]).0));
    let mut lanes: Vec<Vec<(usize, usize)>> = Vec::new();
    for k in order {
        let (first, last) = span(&routes[k]);
        let free = |lane: &Vec<(usize, usize)>| lane.iter().all(|(a, b)| last < *a || *b < first);
        let lane = lanes.iter().position(free).unwrap_or_else(|| {
            lanes.push(Vec::new());
            lanes.len() - 1
        });
        lanes[lane].push((first, last));
        routes[k].lane = Some(lane);
    }
    lanes.len()
}

/// Tracks under each row: every line that is there has one.
fn give_tracks(routes: &mut [Route], rows: usize) -> Vec<usize> {
    let mut tracks = vec![0; rows];
    // Those that begin farthest right are uppermost, so that their way down crosses no other.
    let mut order: Vec<usize> = (0..routes.len()).collect();
    order.sort_by(|a, b| routes[*b].start.total_cmp(&routes[*a].start));
    for k in order {
        for (row, pass) in &mut routes[k].passes {
            pass.track = tracks[*row];
            tracks[*row] += 1;
        }
    }
    tracks
}
