//! Which numbers of an input are made equal, from case to case.
//!
//! Functions meet equal numbers in many ways: an argument given twice, a black background, rows of a batch that are alike.
//! What needs no gradient is not among them, and what its domain keeps apart stays apart.

use core::ops::Range;

use crate::draw::{Domain, Draw};
use crate::flat::Shaped;
use crate::options::Options;
use crate::points::case_seed;

/// How many turns there are before anything else about them comes again.
pub(crate) const ROUND: usize = 6;

/// A way to make numbers of an input equal.
#[derive(Clone, Copy)]
enum Way {
    /// Two arguments of one length, by where they begin.
    Twins { one: usize, other: usize, length: usize },
    /// Each number and the one after it.
    Neighbours,
    /// All rows of an argument.
    Rows,
    /// All numbers of an argument.
    All,
    /// About half of the numbers of an argument to others of it.
    Scattered,
}

/// An argument that a gradient is asked for, and whose numbers may be equal.
struct Argument {
    domain: Domain,
    coordinates: Range<usize>,
    row: usize,
}

fn arguments(about: &dyn Shaped, options: &Options) -> Vec<Argument> {
    let (lengths, rows) = (about.arguments(), about.rows());
    let mut start = 0;
    let mut all = vec![];
    for (at, &length) in lengths.iter().enumerate() {
        let (domain, coordinates) = (options.domain_of(at), start..start + length);
        start += length;
        if length > 0 && domain != Domain::Distinct && !options.constants.contains(&at) {
            all.push(Argument { domain, coordinates, row: rows.get(at).copied().unwrap_or(length).max(1) });
        }
    }
    all
}

/// The ways that there are, those between arguments apart.
fn ways(all: &[Argument]) -> (Vec<Way>, Vec<Way>) {
    let is_twin = |one: &Argument, other: &Argument| {
        one.coordinates.len() == other.coordinates.len() && one.domain == other.domain
    };
    let twins = all.iter().enumerate().flat_map(|(at, other)| all[..at].iter().map(move |one| (one, other)));
    let twins = twins.filter(|(one, other)| is_twin(one, other)).map(|(one, other)| Way::Twins {
        one: one.coordinates.start,
        other: other.coordinates.start,
        length: one.coordinates.len(),
    });
    let mut within = vec![];
    if all.iter().any(|argument| argument.coordinates.len() > 1) {
        within.push(Way::Neighbours);
        if all.iter().any(|argument| (2..argument.coordinates.len()).contains(&argument.row)) {
            within.push(Way::Rows);
        }
        within.extend([Way::All, Way::Scattered]);
    }
    (twins.collect(), within)
}

/// Whether any two numbers of an input may be made equal.
pub(crate) fn has_copies(about: &dyn Shaped, options: &Options) -> bool {
    let (twins, within) = ways(&arguments(about, options));
    !twins.is_empty() || !within.is_empty()
}

/// Of each coordinate, the one whose number it gets, which comes before it or is itself; nothing where no two may be equal.
///
/// Ways take turns, those between arguments and those within them one after the other, and from round to round the other first, so that each way meets what comes once a round.
pub(crate) fn copies(about: &dyn Shaped, options: &Options, case: usize, turn: usize) -> Option<Vec<usize>> {
    let all = arguments(about, options);
    let (twins, within) = ways(&all);
    let (list, turn) = match (twins.is_empty(), within.is_empty()) {
        (true, true) => return None,
        (false, true) => (twins, turn),
        (true, false) => (within, turn),
        (false, false) if (turn + turn / ROUND).is_multiple_of(2) => (twins, turn / 2),
        (false, false) => (within, turn / 2),
    };
    let way = list[turn % list.len()];
    let mut draw = Draw::new(case_seed(!options.seed, case));
    let mut from: Vec<usize> = (0..about.dimensions().0).collect();
    if let Way::Twins { one, other, length } = way {
        (0..length).for_each(|at| from[other + at] = one + at);
        return Some(from);
    }
    for Argument { coordinates, row, .. } in &all {
        for place in 0..coordinates.len() {
            let to = match way {
                Way::Neighbours => place - place % 2,
                Way::Rows => place % row,
                Way::All => 0,
                Way::Scattered if draw.below(2) == 0 => draw.below(place + 1),
                Way::Scattered | Way::Twins { .. } => place,
            };
            from[coordinates.start + place] = from[coordinates.start + to];
        }
    }
    Some(from)
}
