//! Points that look for trouble.
//!
//! Random reals find what is wrong everywhere; what was shipped wrong is wrong at a tie, at a zero, on a corner, for one size, for a cotangent that is not all ones.
//! So the styles below take turns, and no point leaves the domain.

use pullback_scalar::Scalar;

use crate::approximate::Approximate;
use crate::draw::{Domain, Draw};
use crate::flat::Shaped;
use crate::options::Options;

/// Inputs, cotangents of the output, and a direction in the input.
#[derive(Clone, Debug, PartialEq)]
pub struct Points<T> {
    /// An input.
    pub x: Vec<T>,
    /// Another one.
    pub y: Vec<T>,
    /// A cotangent of the output.
    pub u: Vec<T>,
    /// Another one.
    pub w: Vec<T>,
    /// A direction in the input.
    pub v: Vec<T>,
}

impl<T: Scalar> Points<T> {
    /// The cotangents and the direction for two inputs: not uniform, of both signs, and never zero.
    #[must_use]
    pub fn new(draw: &mut Draw, x: Vec<T>, y: Vec<T>, gives: usize) -> Self {
        let (u, w) = (draw.list(gives, Domain::NonZero), draw.list(gives, Domain::NonZero));
        let v = draw.list(x.len(), Domain::NonZero);
        Points { x, y, u, w, v }
    }

    /// The points of a case: the same rationals at every scalar.
    #[must_use]
    pub fn of_case(about: &dyn Shaped, options: &Options, case: usize) -> Self {
        let mut draw = Draw::new(case_seed(options.seed, case));
        let (x, y) = (input(about, options, case, &mut draw), input(about, options, case + 1, &mut draw));
        let mut points = Points::new(&mut draw, x, y, about.dimensions().1);
        // Exact zeros in the cotangents, but never all of one.
        for list in [&mut points.u, &mut points.w] {
            let place = draw.below(list.len());
            if list.len() > 1 && case % 2 == 1 {
                list[place] = T::zero();
            }
        }
        let mut start = 0;
        for (argument, length) in about.arguments().into_iter().enumerate() {
            let end = (start + length).min(points.v.len());
            if options.constants.contains(&argument) {
                points.v[start..end].fill(T::zero());
            }
            start = end;
        }
        points
    }
}

/// The seed of one case.
fn case_seed(seed: u64, case: usize) -> u64 {
    Draw::new(Draw::new(seed).bits() ^ case as u64).bits()
}

/// The domain of every coordinate.
pub(crate) fn domains(about: &dyn Shaped, options: &Options) -> Vec<Domain> {
    let arguments = about.arguments();
    arguments.iter().enumerate().flat_map(|(at, &length)| vec![options.domain_of(at); length]).collect()
}

/// How the numbers of an input are related.
#[derive(Clone, Copy)]
enum Style {
    General,
    RepeatedRows,
    Zeros,
    Corners,
    Ties,
    RepeatedArguments,
    Mixed,
    Scaled(i32),
}

const STYLES: [Style; 7] = [
    Style::General,
    Style::Corners,
    Style::RepeatedRows,
    Style::Zeros,
    Style::Ties,
    Style::RepeatedArguments,
    Style::Mixed,
];

/// Numbers at which functions tend to have corners: zeros of both signs, ones, halves, and the bounds that people like.
const CORNERS: [(i64, i64); 10] = [(0, 1), (1, 1), (-1, 1), (1, 2), (-1, 2), (2, 1), (-2, 1), (3, 1), (-3, 1), (6, 1)];

fn input<T: Scalar>(about: &dyn Shaped, options: &Options, case: usize, draw: &mut Draw) -> Vec<T> {
    let rounds = STYLES.len() + options.scales.len();
    let turn = case % rounds;
    let style = STYLES.get(turn).copied().unwrap_or_else(|| Style::Scaled(options.scales[turn - STYLES.len()]));
    let mut all: Vec<T> = vec![];
    let (arguments, rows) = (about.arguments(), about.rows());
    let mut starts: Vec<usize> = vec![];
    for (at, &length) in arguments.iter().enumerate() {
        let domain = options.domain_of(at);
        let start = all.len();
        all.extend(draw.list::<T>(length, domain));
        let row = rows.get(at).copied().unwrap_or(length).max(1);
        let twin = arguments[..at].iter().position(|&other| other == length).map(|twin| starts[twin]);
        starts.push(start);
        if domain == Domain::Distinct {
            continue;
        }
        for place in 0..length {
            let corner = |draw: &mut Draw| {
                let own = options.corners.len();
                let choice = draw.below(CORNERS.len() + 2 * own);
                let (numerator, denominator) = CORNERS
                    .get(choice)
                    .copied()
                    .unwrap_or_else(|| options.corners[(choice - CORNERS.len()) % own.max(1)]);
                T::from_ratio(numerator, denominator)
            };
            let own = all[start + place].clone();
            let other = match style {
                Style::General => own,
                Style::RepeatedRows => all[start + place % row].clone(),
                Style::Ties => all[start].clone(),
                Style::Zeros => [T::zero(), own, -T::zero()][draw.below(3)].clone(),
                Style::Corners => corner(draw),
                Style::RepeatedArguments => twin.map_or(own, |twin| all[twin + place].clone()),
                Style::Mixed => match draw.below(4) {
                    0 => corner(draw),
                    1 => all[start + draw.below(place + 1)].clone(),
                    _ => own,
                },
                Style::Scaled(power) => own * T::from_ratio(2, 1).powi(power),
            };
            if domain.contains(&other) {
                all[start + place] = other;
            }
        }
    }
    all
}

/// Directions to measure derivatives in: one in general position, all coordinates at once, and single ones, up to a number that varies with the case.
pub(crate) fn directions<T: Approximate>(
    x: &[T],
    v: &[T],
    is_constant: &dyn Fn(usize) -> bool,
    case: usize,
) -> Vec<Vec<T>> {
    const SINGLE: usize = 12;
    // As large as the coordinate, so that a step is a fraction of it.
    let unit = |at: usize| {
        let size = crate::approximate::magnitude(&x[at]);
        if is_constant(at) {
            T::zero()
        } else if size.is_zero() || size.to_f64() > 1e200 {
            T::one()
        } else {
            size
        }
    };
    let all: Vec<T> = (0..x.len()).map(unit).collect();
    let general: Vec<T> = v.iter().zip(&all).map(|(v, size)| v.clone() * size.clone() * T::from_ratio(1, 4)).collect();
    let moving: Vec<usize> = (0..x.len()).filter(|&at| !is_constant(at)).collect();
    let least = all.iter().filter(|size| !size.is_zero()).fold(None, |least: Option<&T>, size| match least {
        Some(least) if !(least.clone() - size.clone()).is_positive() => Some(least),
        _ => Some(size),
    });
    let together: Vec<T> = (0..x.len())
        .map(|at| if is_constant(at) { T::zero() } else { least.cloned().unwrap_or_else(T::one) })
        .collect();
    let mut directions = vec![general, together];
    for place in 0..moving.len().min(SINGLE) {
        let at = moving[(place + case * SINGLE) % moving.len()];
        directions.push((0..x.len()).map(|other| if other == at { all[at].clone() } else { T::zero() }).collect());
    }
    directions.retain(|direction| direction.iter().any(|v| !v.is_zero()));
    directions
}
