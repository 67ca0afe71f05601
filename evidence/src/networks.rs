//! Suite `networks`: networks with kinks and ties, at points where rows, windows and places are copies of one another.
//!
//! A copy of a value always ties with it, so that a network of maxima is at a tie wherever its input repeats itself, and
//! there the function is smooth all the same. What is asked:
//!
//! | what is judged | with what |
//! | --- | --- |
//! | the entry of the gradient along a coordinate | differences of values of 106 bits, ahead and behind |
//! | the directional derivative along it | the same |
//!
//! Only where the differences ahead and behind converge, and to one number, is the function smooth along the coordinate;
//! elsewhere there is nothing that a rule could be held to.
//! Weights have all their bits, so that no kink cancels another by chance.
//!
//! The same networks run with maxima whose rule gives each tied argument the whole cotangent, and must be caught.

use std::sync::Arc;

use pullback_program::random::Random;
use pullback_program::{DynProgram, EvaluateError, Operator, ValueId};

use crate::double::Double;
use crate::graphs::structural::{Hand, mapped, sized};
use crate::suite::{Event, Options, Outcome, Suite};

/// The suite.
pub const SUITE: Suite = Suite {
    name: "networks",
    about: "networks with kinks, ties and repeated inputs have their derivative wherever they are smooth",
    draws: true,
    run,
};

/// Networks, times the scale.
const NETWORKS: usize = 200;
/// Coordinates of each that are looked at.
const COORDINATES: usize = 6;
/// The first step of a difference: far below the distance to a kink that is not at the point itself.
const STEP: f64 = 1.0 / (1 << 26) as f64;
/// How well differences must have converged, and how close a derivative must be, over its size and one.
const TOLERANCE: f64 = 1e-8;

/// Maxima whose rules give every tied argument the whole cotangent: what these networks must not be made of.
const WHOLE: [&str; 2] = [
    "contract whole_pool version 1 dims s.., t, u, k map at: u, k -> t input x[s.., t]
     output y[i.., j] = max(l) x[i.., at(j, l)] saves x, y
     dx[i.., v] = sum(j, l) [v == at(j, l)] * (if x[i.., v] >= y[i.., j] then dy[i.., j] else 0)
     declares surrogate \"ties have the whole cotangent each\"",
    "contract whole_max version 1 dims s.., n input x[s.., n] output y[i..] = max(k) x[i.., k] saves x, y
     dx[i.., j] = if x[i.., j] >= y[i..] then dy[i..] else 0
     declares surrogate \"ties have the whole cotangent each\"",
];

/// The operators of maxima: of windows, and of a whole axis.
struct Maxima {
    windows: Arc<Operator>,
    axis: Arc<Operator>,
}

impl Maxima {
    fn library() -> Result<Maxima, String> {
        let operator = |name| Operator::library(name).map_err(|error| error.to_string());
        Ok(Maxima { windows: operator("max_pool1d")?, axis: operator("reduce_max")? })
    }

    fn whole() -> Result<Maxima, String> {
        let operator = |text| Operator::from_text(text).map_err(|error| error.to_string());
        Ok(Maxima { windows: operator(WHOLE[0])?, axis: operator(WHOLE[1])? })
    }
}

/// What came of one network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Found {
    /// Coordinates along which it is smooth.
    smooth: usize,
    /// Of those, where the gradient or the directional derivative is another.
    wrong: usize,
}

fn run(options: &Options, watch: &mut dyn FnMut(Event)) -> Outcome {
    let mut outcome = Outcome::default();
    let wanted = NETWORKS * options.scale;
    watch(Event::Steps(wanted));
    let (maxima, whole) = match (Maxima::library(), Maxima::whole()) {
        (Ok(maxima), Ok(whole)) => (maxima, whole),
        (Err(message), _) | (_, Err(message)) => {
            outcome.fail("operators", message);
            return outcome;
        }
    };
    let (mut networks, mut smooth, mut caught) = (0, 0, 0);
    for k in 0..wanted {
        let seed = Random(options.seed.wrapping_add(k as u64)).next_u64();
        match (judge(seed, &maxima), judge(seed, &whole)) {
            (Ok(found), Ok(twin)) => {
                networks += 1;
                smooth += found.smooth;
                caught += usize::from(twin.wrong > 0);
                if found.wrong > 0 {
                    outcome.fail(format!("network {seed}"), format!("{found:?}"));
                }
            }
            (Err(message), _) | (_, Err(message)) => outcome.fail(format!("network {seed}"), message),
        }
        watch(Event::Step);
    }
    outcome.count("networks", networks, wanted);
    outcome.count("smooth along a coordinate", smooth, None);
    outcome.count("caught with whole cotangents", caught, None);
    // Both are drawn; of each there are far more than this.
    if smooth < 2 * wanted || 4 * caught < wanted {
        outcome.fail(
            "draws",
            format!("{smooth} smooth coordinates and {caught} networks at ties are too few of {wanted}"),
        );
    }
    outcome
}

/// A network, its point and a cotangent.
struct Network {
    program: DynProgram,
    inputs: Vec<Vec<f64>>,
    cotangent: Vec<f64>,
}

/// A number with all its bits.
fn generic(random: &mut Random) -> f64 {
    let bits = random.next_u64() >> 11;
    let magnitude = 0.25 + bits as f64 / (1u64 << 53) as f64;
    if random.below(2) == 0 { magnitude } else { -magnitude }
}

fn generics(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| generic(random)).collect()
}

/// An image or a sentence: rows of a small table, most of them one row, which may be all zeros; a dense layer with bias; a
/// kink; maxima of windows of rows, or of all; a dense layer.
fn network(seed: u64, maxima: &Maxima) -> Result<Network, String> {
    let mut random = Random(seed);
    let (table, features, channels) = (1 + random.below(3), 1 + random.below(3), 1 + random.below(3));
    let rows = 4 + random.below(5);
    let background = random.below(table);
    let at: Vec<usize> =
        (0..rows).map(|_| if random.below(4) > 0 { background } else { random.below(table) }).collect();
    let mut hand = Hand::new();
    let x = hand.input("x", &[table, features])?;
    let w = hand.input("w", &[features, channels])?;
    let b = hand.input("b", &[channels])?;
    let mut inputs = vec![
        generics(&mut random, table * features),
        generics(&mut random, features * channels),
        generics(&mut random, channels),
    ];
    if random.below(2) == 0 {
        inputs[0][background * features..(background + 1) * features].fill(0.0);
    }
    let read = hand.apply("gather", mapped(&[&[rows], &[table], &[features]], &at), &[x])?;
    let mut h = hand.plain("matmul", &[&[rows], &[features], &[channels]], &[read, w])?;
    h = hand.plain("bias_add", &[&[rows], &[channels]], &[h, b])?;
    h = kinked(&mut hand, &mut random, h, &[rows, channels])?;
    h = hand.plain("transpose", &[&[], &[rows], &[channels]], &[h])?;
    let (mut wide, mut width) = (h, rows);
    for _ in 0..random.below(3) {
        let window = 2 + random.below(2);
        let stride = 1 + random.below(2);
        if width < window {
            break;
        }
        let out = (width - window) / stride + 1;
        let windows: Vec<usize> = (0..out).flat_map(|u| (0..window).map(move |k| stride * u + k)).collect();
        let binding = mapped(&[&[channels], &[width], &[out], &[window]], &windows);
        wide = hand.with(maxima.windows.clone(), binding, &[wide])?;
        width = out;
        wide = kinked(&mut hand, &mut random, wide, &[channels, width])?;
    }
    let mut y = wide;
    let mut length = channels * width;
    if random.below(2) == 0 {
        y = hand.with(maxima.axis.clone(), sized(&[&[channels], &[width]]), &[y])?;
        length = channels;
    } else if random.below(2) == 0 {
        y = hand.plain("reduce_sum", &[&[channels], &[width]], &[y])?;
        length = channels;
    }
    let program = hand.finish(&[y]);
    Ok(Network { program, inputs, cotangent: generics(&mut random, length) })
}

/// The value through a function with a kink, or as it is.
fn kinked(hand: &mut Hand, random: &mut Random, x: ValueId, sizes: &[usize]) -> Result<ValueId, String> {
    match ["relu", "relu", "abs", "hard_tanh", ""][random.below(5)] {
        "" => Ok(x),
        name => hand.plain(name, &[sizes], &[x]),
    }
}

fn judge(seed: u64, maxima: &Maxima) -> Result<Found, String> {
    let network = network(seed, maxima)?;
    let words = |error: EvaluateError| error.to_string();
    let Network { program, inputs, cotangent } = &network;
    let (_, tape) = program.linearize(inputs).map_err(words)?;
    let gradient = program.pullback(&tape, std::slice::from_ref(cotangent)).map_err(words)?;
    let places: Vec<(usize, usize)> =
        inputs.iter().enumerate().flat_map(|(a, x)| (0..x.len()).map(move |k| (a, k))).collect();
    let mut random = Random(!seed);
    let mut found = Found::default();
    for _ in 0..COORDINATES {
        let (a, k) = places[random.below(places.len())];
        let Some(derivative) = differences(&network, (a, k)).map_err(words)? else { continue };
        found.smooth += 1;
        let mut v: Vec<Vec<f64>> = inputs.iter().map(|x| vec![0.0; x.len()]).collect();
        v[a][k] = 1.0;
        let (_, pushed) = program.directional(inputs, &v).map_err(words)?;
        let along: f64 = pushed.concat().iter().zip(cotangent).map(|(y, u)| y * u).sum();
        let close = |x: f64| (x - derivative).abs() <= TOLERANCE * derivative.abs().max(1.0);
        found.wrong += usize::from(!close(gradient[a][k]) || !close(along));
    }
    Ok(found)
}

/// The derivative along a coordinate, if differences on both sides converge, and to one number.
fn differences(network: &Network, (a, k): (usize, usize)) -> Result<Option<f64>, EvaluateError> {
    let value = |t: f64| -> Result<Double, EvaluateError> {
        let mut moved: Vec<Vec<Double>> =
            network.inputs.iter().map(|x| x.iter().copied().map(Double::new).collect()).collect();
        moved[a][k] = moved[a][k].plus(Double::new(t));
        let values = network.program.evaluate(&moved)?.concat();
        let terms = values.iter().zip(&network.cotangent).map(|(y, u)| y.times(Double::new(*u)));
        Ok(terms.fold(Double::ZERO, |sum, term| sum.plus(term)))
    };
    let here = value(0.0)?;
    let mut sides = Vec::new();
    for way in [1.0, -1.0] {
        let mut slopes = Vec::new();
        for halvings in 0..3 {
            let step = way * STEP / f64::from(1 << halvings);
            slopes.push(value(step)?.plus(here.minus()).scaled(1.0 / step));
        }
        // The error that is linear in the step is taken out.
        let extrapolated: Vec<f64> = slopes.windows(2).map(|s| s[1].scaled(2.0).plus(s[0].minus()).high).collect();
        sides.push((extrapolated[1], (extrapolated[1] - extrapolated[0]).abs()));
    }
    let [(ahead, first), (behind, second)] = sides[..] else { return Ok(None) };
    let small = 0.01 * TOLERANCE * ahead.abs().max(1.0);
    let smooth = first <= small && second <= small && (ahead - behind).abs() <= small;
    Ok(smooth.then_some(ahead))
}

#[cfg(test)]
mod tests {
    use pullback_program::architecture::{Activation, Architecture, Convolution, Layer, Pooling, PoolingKind, Stencil};

    use super::*;

    /// The point of the whole: a background without an image is smooth in the bias, and every place of it counts once.
    #[test]
    fn a_bias_over_a_black_image_has_its_derivative() {
        let pooled = Pooling { kind: PoolingKind::Max, stencil: Stencil::new(&[2, 2]).stride(&[2, 2]) };
        let layers = vec![
            Layer::Convolution(Convolution::new(1, Stencil::new(&[3, 3]))),
            Layer::Activation(Activation::Relu),
            Layer::Pooling(pooled),
        ];
        let program = Architecture::new(&[1, 1, 10, 10], Layer::Sequential(layers)).compile().expect("a program");
        let inputs: Vec<Vec<f64>> = program
            .inputs()
            .iter()
            .map(|input| match input.shape.elements() {
                100 => vec![0.0; 100],
                1 => vec![0.5],
                n => (0..n).map(|k| k as f64 / 7.0 - 0.5).collect(),
            })
            .collect();
        let bias = inputs.iter().position(|x| x.len() == 1).expect("a bias");
        let (values, tape) = program.linearize(&inputs).expect("values");
        assert_eq!(values[0].len(), 16);
        let gradient = program.pullback(&tape, &[vec![1.0; 16]]).expect("a gradient");
        assert_eq!(gradient[bias], [16.0]);
        let mut v: Vec<Vec<f64>> = inputs.iter().map(|x| vec![0.0; x.len()]).collect();
        v[bias][0] = 1.0;
        let (_, pushed) = program.directional(&inputs, &v).expect("a derivative");
        assert_eq!(pushed[0].iter().sum::<f64>(), 16.0);
        let forward = program.forward_mode().expect("a program");
        let evaluated = forward.evaluate(&[inputs.clone(), v].concat()).expect("values");
        assert_eq!(evaluated.last().expect("tangents").iter().sum::<f64>(), 16.0);
    }

    /// A kink at the point itself has no derivative, on whatever side the differences are taken.
    #[test]
    fn a_kink_is_not_smooth_and_a_copy_is() {
        let mut hand = Hand::new();
        let x = hand.input("x", &[2]).expect("an input");
        let pairs = hand.apply("gather", mapped(&[&[4], &[2], &[]], &[0, 0, 0, 1]), &[x]).expect("a row");
        let y = hand.plain("reduce_max", &[&[], &[4]], &[pairs]).expect("a maximum");
        let program = hand.finish(&[y]);
        let at = |inputs: Vec<f64>| Network { program: program.clone(), inputs: vec![inputs], cotangent: vec![1.0] };
        assert_eq!(differences(&at(vec![1.0, 0.5]), (0, 0)), Ok(Some(1.0)));
        assert_eq!(differences(&at(vec![1.0, 1.0]), (0, 0)), Ok(None));
        assert_eq!(differences(&at(vec![1.0, 1.0]), (0, 1)), Ok(None));
    }
}
