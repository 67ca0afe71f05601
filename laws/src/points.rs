//! Points that look for trouble.
//!
//! Random reals find what is wrong everywhere; what was shipped wrong is wrong at a tie, at a zero, on a corner, for one size, for a cotangent that is not all ones.
//! So the styles below take turns, and no point leaves the domain.

use pullback_scalar::Scalar;

use crate::approximate::{Approximate, least, magnitude};
use crate::draw::{Domain, Draw};
use crate::flat::Shaped;
use crate::options::{Options, OptionsError};

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

/// More coordinates than these are not looked at one by one.
pub(crate) const LARGE: usize = 512;

/// The coordinates that are looked at one by one, of more than [`LARGE`]: others from case to case.
///
/// What is special about a point is at these: with it everywhere, nothing would be smooth anywhere.
pub(crate) fn probes(length: usize, case: usize) -> Vec<usize> {
    const PROBES: usize = 8;
    let mut draw = Draw::new(case_seed(length as u64, case));
    let mut all: Vec<usize> = (0..PROBES).map(|_| draw.below(length)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// How many points are drawn before a domain is taken for empty.
const TRIES: usize = 1000;

impl<T: Approximate> Points<T> {
    /// The cotangents and the direction for two inputs: not uniform, of both signs, and never zero.
    #[must_use]
    pub fn new(draw: &mut Draw, x: Vec<T>, y: Vec<T>, gives: usize) -> Self {
        let (u, w) = (draw.list(gives, Domain::NonZero), draw.list(gives, Domain::NonZero));
        let v = draw.list(x.len(), Domain::NonZero);
        Points { x, y, u, w, v }
    }

    /// The points of a case: the same rationals at every scalar.
    ///
    /// # Errors
    ///
    /// Where no point was found inside of the domain.
    pub fn of_case(about: &dyn Shaped, options: &Options, case: usize) -> Result<Self, OptionsError> {
        let mut draw = Draw::new(case_seed(options.seed, case));
        let (x, y) =
            (inside(about, options, case, &mut draw)?, inside(about, options, case.wrapping_add(1), &mut draw)?);
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
        Ok(points)
    }
}

/// The seed of one case.
pub(crate) fn case_seed(seed: u64, case: usize) -> u64 {
    Draw::new(Draw::new(seed).bits() ^ case as u64).bits()
}

/// The domain of every coordinate.
pub(crate) fn domains(about: &dyn Shaped, options: &Options) -> Vec<Domain> {
    let arguments = about.arguments();
    arguments.iter().enumerate().flat_map(|(at, &length)| vec![options.domain_of(at); length]).collect()
}

/// Whether an input lies in the domain of the options.
pub(crate) fn is_inside<T: Approximate>(about: &dyn Shaped, options: &Options, x: &[T]) -> bool {
    let in_own = |(number, domain): (&T, Domain)| domain.contains(number);
    if !options.domains.is_empty() && !x.iter().zip(domains(about, options)).all(in_own) {
        return false;
    }
    let Some(inside) = &options.inside else { return true };
    let doubles: Vec<f64> = x.iter().map(Approximate::to_f64).collect();
    let mut rest = &doubles[..];
    let mut part = |length: usize| {
        let (part, others) = rest.split_at(length.min(rest.len()));
        rest = others;
        part
    };
    inside.contains(&about.arguments().into_iter().map(&mut part).collect::<Vec<_>>())
}

/// An input in the style of a case, inside of the domain: in another style where that has none.
fn inside<T: Approximate>(
    about: &dyn Shaped,
    options: &Options,
    case: usize,
    draw: &mut Draw,
) -> Result<Vec<T>, OptionsError> {
    if options.inside.is_none() {
        return Ok(input(about, options, case, draw));
    }
    for turn in 0..TRIES {
        // Every second one is in general position: a style may have no point inside at all.
        let style = if turn % 2 == 0 { case } else { 0 };
        let before = draw.clone();
        // Doubles decide, so that the same points are inside at every scalar.
        if is_inside(about, options, &input::<f64>(about, options, style, draw)) {
            *draw = before;
            return Ok(input(about, options, style, draw));
        }
    }
    Err(OptionsError::NothingInside { tried: TRIES })
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

/// Of the cases whose numbers are in general position, which one this is; nothing where its style makes some of them special.
pub(crate) fn general_turn(options: &Options, case: usize) -> Option<usize> {
    let rounds = STYLES.len() + options.scales.len();
    let is_general =
        |turn: &usize| STYLES.get(*turn).is_none_or(|style| matches!(style, Style::General | Style::RepeatedArguments));
    let turn = case % rounds;
    let before = |turn: usize| (0..turn).filter(is_general).count();
    is_general(&turn).then(|| (case / rounds).wrapping_mul(before(rounds)).wrapping_add(before(turn)))
}

/// Numbers at which functions tend to have corners: zeros of both signs, ones, halves, and the bounds that people like.
const CORNERS: [(i64, i64); 10] = [(0, 1), (1, 1), (-1, 1), (1, 2), (-1, 2), (2, 1), (-2, 1), (3, 1), (-3, 1), (6, 1)];

fn input<T: Scalar>(about: &dyn Shaped, options: &Options, case: usize, draw: &mut Draw) -> Vec<T> {
    let rounds = STYLES.len() + options.scales.len();
    let turn = case % rounds;
    let style = STYLES.get(turn).copied().unwrap_or_else(|| Style::Scaled(options.scales[turn - STYLES.len()]));
    let mut all: Vec<T> = vec![];
    let (arguments, rows) = (about.arguments(), about.rows());
    let mut starts: Vec<usize> = vec![];
    let total = arguments.iter().sum();
    let probes = (total > LARGE).then(|| probes(total, case));
    for (at, &length) in arguments.iter().enumerate() {
        let domain = options.domain_of(at);
        let start = all.len();
        match probes {
            Some(_) => all.extend((0..length).map(|_| draw.fine::<T>(domain))),
            None => all.extend(draw.list::<T>(length, domain)),
        }
        let row = rows.get(at).copied().unwrap_or(length).max(1);
        let twins: Vec<usize> = (0..at).filter(|&other| arguments[other] == length).map(|twin| starts[twin]).collect();
        starts.push(start);
        if domain == Domain::Distinct {
            continue;
        }
        let twin = match style {
            Style::RepeatedArguments => twins.get(draw.below(twins.len())).copied(),
            _ => None,
        };
        for place in 0..length {
            let corner = |draw: &mut Draw| {
                let own = options.corners.len();
                let choice = draw.below(CORNERS.len() + 2 * own + 1);
                if choice == CORNERS.len() + 2 * own {
                    return -T::zero();
                }
                let named = || options.corners[(choice - CORNERS.len()) % own.max(1)];
                let (numerator, denominator) = CORNERS.get(choice).copied().unwrap_or_else(named);
                T::from_ratio(numerator, denominator)
            };
            let own = all[start + place].clone();
            let is_special = probes.as_ref().is_none_or(|probes| probes.binary_search(&(start + place)).is_ok());
            let other = match style {
                _ if !is_special && !matches!(style, Style::Scaled(_)) => continue,
                Style::General => own,
                Style::RepeatedRows => all[start + place % row].clone(),
                Style::Ties => all[start].clone(),
                // All three among any three neighbours, and at one place from round to round.
                Style::Zeros => [T::zero(), -T::zero(), own][(place + case / rounds) % 3].clone(),
                Style::Corners => corner(draw),
                Style::RepeatedArguments => twin.map_or(own, |twin| all[twin + place].clone()),
                Style::Mixed => match draw.below(4) {
                    0 => corner(draw),
                    1 => all[start + draw.below(place + 1)].clone(),
                    _ => own,
                },
                Style::Scaled(power) => own * T::from_ratio(2, 1).powi(power),
            };
            // What is no number is in no domain.
            if domain.contains(&other) && (other.clone() - other.clone()).is_zero() {
                all[start + place] = other;
            }
        }
    }
    all
}

/// How large each coordinate is, for steps to be a part of it: a zero is as small as the least number beside it, so that nothing mixes what is large with what is tiny, and one at most.
pub(crate) fn sizes<T: Approximate>(x: &[T]) -> Vec<T> {
    let beside = least(x.iter().map(magnitude).filter(|size| !size.is_zero()));
    let beside = beside.filter(|least| least.to_f64() < 1.0).unwrap_or_else(T::one);
    let size = |x: &T| match magnitude(x) {
        size if size.is_zero() => beside.clone(),
        size if size.to_f64() > 1e200 => T::one(),
        size => size,
    };
    x.iter().map(size).collect()
}

/// Directions to measure derivatives in: one in general position, all coordinates at once, and single ones, up to a number that varies with the case.
///
/// Each is as large as the coordinates, so that a step is a fraction of them; where some of those are tiny, a wider one is given beside it.
pub(crate) fn directions<T: Approximate>(
    x: &[T],
    v: &[T],
    moving: &[bool],
    case: usize,
) -> Vec<(Vec<T>, Option<Vec<T>>)> {
    const SINGLE: usize = 6;
    const TINY: f64 = 1e-3;
    let sizes = sizes(x);
    let own = |at: usize| sizes[at].clone();
    let wide = |at: usize| {
        let size = own(at);
        if size.to_f64() < TINY { T::one() } else { size }
    };
    let places: Vec<usize> = (0..x.len()).filter(|&at| moving[at]).collect();
    let is_large = x.len() > LARGE;
    // Of many coordinates, those that are probed, and some beside them.
    let (block, singles): (Vec<usize>, Vec<usize>) = if is_large {
        let mut draw = Draw::new(case_seed(!(x.len() as u64), case));
        let probed: Vec<usize> = probes(x.len(), case).into_iter().filter(|&at| moving[at]).collect();
        let beside = (0..BLOCK.min(places.len())).map(|_| places[draw.below(places.len())]);
        (probed.iter().copied().chain(beside).collect(), probed.into_iter().take(SINGLE / 2).collect())
    } else {
        let one = |place: usize| places[(place + case.wrapping_mul(SINGLE)) % places.len()];
        (vec![], (0..places.len().min(SINGLE)).map(one).collect())
    };
    let along = |sizes: &dyn Fn(usize) -> T| -> Vec<Vec<T>> {
        let filled = |places: &[usize], part: &dyn Fn(usize) -> T| -> Vec<T> {
            let mut all = vec![T::zero(); x.len()];
            places.iter().for_each(|&at| all[at] = part(at));
            all
        };
        let least = least(places.iter().map(|&at| sizes(at)));
        let general = |at: usize| v[at].clone() * sizes(at) * T::from_ratio(1, 4);
        let mut all = vec![filled(&places, &general), filled(&places, &|_| least.clone().unwrap_or_else(T::one))];
        if !block.is_empty() {
            all.push(filled(&block, &general));
        }
        all.extend(singles.iter().map(|at| filled(&[*at], sizes)));
        all
    };
    let paired = along(&own).into_iter().zip(along(&wide));
    let both = paired.map(|(own, wide)| if own == wide { (own, None) } else { (own, Some(wide)) });
    both.filter(|(direction, _)| direction.iter().any(|v| !v.is_zero())).collect()
}

/// The direction in general position: of many coordinates, one that moves a part of them.
pub(crate) fn direction<T: Approximate>(
    x: &[T],
    v: &[T],
    moving: &[bool],
    case: usize,
) -> Option<(Vec<T>, Option<Vec<T>>)> {
    let [all, _, part] = {
        let mut them = directions(x, v, moving, case).into_iter();
        [them.next(), them.next(), them.next()]
    };
    if x.len() > LARGE { part } else { all }
}

/// How many coordinates move at once beside all and one.
const BLOCK: usize = 64;
