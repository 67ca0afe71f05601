//! Suite `tensor_graphs`: directional derivatives and gradients of smooth tensor graphs, in doubles.
//!
//! Three times a graph, with random tangents `v` and cotangents `u` that have all their bits:
//!
//! | what is judged | with what | normalised by | bound |
//! | --- | --- | --- | --- |
//! | the adjoint law in doubles, ⟨u, Jv⟩ = ⟨J*u, v⟩ | each other | the sizes of the two pairings | [`ADJOINT`] |
//! | the adjoint law in 106 bits | each other | the magnitudes of the terms of the two pairings | [`ADJOINT`] |
//! | the directional derivative Jv in doubles | extrapolated differences of values of 106 bits | its largest entry | [`DIRECTIONAL`] |
//!
//! `Jv` comes from dual numbers through the forward parts, `J*u` from the tape and the proved backward rules.
//!
//! The first row says that doubles do as well as doubles can: a derivative that cancels on its way, as that of a softmax
//! does, or that divides by what cancelled, has a rounding error relative to what cancelled.
//! The size of a number is that by [running error analysis](pullback_program::running), of `Jv` and of `J*u` each by the
//! operations that made it; over the terms that are left at the ends alone, the error has no bound.
//! The pairings are added up in 106 bits, so that what is measured is the error of the two and not that of the sum.
//!
//! A rule that is wrong by less than what cancelled would pass there.
//! The second row is for that: with 106 bits the same rules have rounding errors far below the bound whatever cancels, and so
//! the terms at the ends are all that it is relative to. Where these cancel too, and nothing but rounding is left of a
//! gradient, a millionth of its size is taken.
//!
//! The differences choose their own step, and their own estimate of how far they may be off is added to the discrepancy
//! (see [`ridders`]): a step that is too large or too small makes it worse, never better.
//! Doubles would leave such a difference about nine digits, which is where the bound comes from; 106 bits leave it all that
//! are needed. A derivative whose entries all cancel has no size of its own: at least a millionth of its terms is taken.

use pullback_kernel::eval::Number;
use pullback_program::random::Random;
use pullback_program::running::Running;
use pullback_program::{DynProgram, EvaluateError};

use crate::double::Double;
use crate::graphs::{self, GRAPHS, Graph, like};
use crate::ridders::{self, Differences};
use crate::suite::{Event, Options, Outcome, Suite};

/// The suite.
pub const SUITE: Suite = Suite {
    name: "tensor_graphs",
    about: "directional derivatives of smooth tensor graphs are those of their values, and gradients their adjoints",
    draws: true,
    run,
};

/// Draws of tangents and cotangents for each graph.
const CHECKS: usize = 3;
/// The largest normalised adjoint error that is allowed.
pub const ADJOINT: f64 = 4.3e-16;
/// The largest relative discrepancy between a directional derivative and differences that is allowed.
pub const DIRECTIONAL: f64 = 4.5e-10;
/// Of the terms of a derivative, what is left of it at least for its size to be its own.
const CANCELLED: f64 = 1e-6;
/// The estimate at which differences are good enough: far below the bound.
const WANTED: f64 = 1e-18;

fn run(options: &Options, watch: &mut dyn FnMut(Event)) -> Outcome {
    let mut outcome = Outcome::default();
    let wanted = GRAPHS * options.scale;
    let (mut count, mut checks) = (0, 0);
    let mut worst = Found::default();
    watch(Event::Steps(wanted));
    for graph in graphs::all(options) {
        match graph {
            Ok(graph) => {
                count += 1;
                let mut random = Random(!graph.seed);
                for _ in 0..CHECKS {
                    match check(&graph, &mut random) {
                        Ok(found) => {
                            checks += 1;
                            if !found.within() {
                                outcome.fail(&graph.name, format!("{found:?}\n{}", graph.program));
                            }
                            worst = worst.worse(found);
                        }
                        Err(message) => outcome.fail(&graph.name, format!("{message}\n{}", graph.program)),
                    }
                }
            }
            Err(message) => outcome.fail("graph", message),
        }
        watch(Event::Step);
    }
    outcome.count("graphs", count, wanted);
    outcome.count("checks", checks, wanted * CHECKS);
    outcome.measure("normalised adjoint error", worst.adjoint, ADJOINT);
    outcome.measure("adjoint error in 106 bits", worst.precise, ADJOINT);
    outcome.measure("relative directional discrepancy", worst.directional, DIRECTIONAL);
    outcome.measure("the differences' own estimate in it", worst.estimate, None);
    outcome
}

/// What one draw gave.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Found {
    adjoint: f64,
    /// In 106 bits.
    precise: f64,
    /// With the estimate.
    directional: f64,
    estimate: f64,
}

impl Found {
    fn within(&self) -> bool {
        // A NaN is not below anything.
        self.adjoint <= ADJOINT && self.precise <= ADJOINT && self.directional <= DIRECTIONAL
    }

    fn worse(self, o: Found) -> Found {
        Found {
            adjoint: worse(self.adjoint, o.adjoint),
            precise: worse(self.precise, o.precise),
            directional: worse(self.directional, o.directional),
            estimate: worse(self.estimate, o.estimate),
        }
    }
}

/// The larger; a NaN is larger than anything.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// A ratio of sizes; nothing of nothing is nothing.
fn over(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}

fn check(graph: &Graph, random: &mut Random) -> Result<Found, String> {
    let Graph { program, inputs, .. } = graph;
    let words = |error: EvaluateError| error.to_string();
    let sides = Sides::draw(graph, random).map_err(words)?;
    let differences = differences(program, inputs, &sides.v).map_err(words)?;
    let (directional, estimate) = discrepancy(&sides.doubles.pushed.concat(), &sides.sizes, &differences);
    Ok(Found { adjoint: sides.adjoint(), precise: sides.precise(), directional, estimate })
}

/// `Jv` and `J*u`.
struct Derivatives<N> {
    pushed: Vec<Vec<N>>,
    pulled: Vec<Vec<N>>,
}

impl<N: Number> Derivatives<N> {
    /// By dual numbers and by the tape, in these numbers.
    fn of(graph: &Graph, number: fn(f64) -> N, u: &[Vec<f64>], v: &[Vec<f64>]) -> Result<Self, EvaluateError> {
        let numbers = |x: &[Vec<f64>]| x.iter().map(|x| x.iter().copied().map(number).collect()).collect::<Vec<_>>();
        let inputs = numbers(&graph.inputs);
        let (_, tape) = graph.program.linearize(&inputs)?;
        let pulled = graph.program.pullback(&tape, &numbers(u))?;
        let (_, pushed) = graph.program.directional(&inputs, &numbers(v))?;
        Ok(Derivatives { pushed, pulled })
    }
}

/// The sides of `⟨u, Jv⟩ = ⟨J*u, v⟩`, as doubles and in 106 bits.
struct Sides {
    u: Vec<Vec<f64>>,
    v: Vec<Vec<f64>>,
    doubles: Derivatives<f64>,
    precise: Derivatives<Double>,
    /// The size of each entry of `Jv`.
    sizes: Vec<f64>,
    /// That of the two pairings.
    size: f64,
}

impl Sides {
    /// All of them, for random `u` and `v`.
    fn draw(graph: &Graph, random: &mut Random) -> Result<Sides, EvaluateError> {
        let v = like(random, &graph.inputs);
        let outputs: Vec<Vec<f64>> =
            graph.program.outputs().iter().map(|o| vec![0.0; graph.program.shape_of(o.value).elements()]).collect();
        let u = like(random, &outputs);
        let doubles = Derivatives::of(graph, |x| x, &u, &v)?;
        let precise = Derivatives::of(graph, Double::new, &u, &v)?;
        let running = Derivatives::of(graph, Running::exact, &u, &v)?;
        let sizes: Vec<f64> = running.pushed.iter().flatten().map(Running::size).collect();
        let ahead = u.iter().flatten().zip(&sizes).map(|(u, size)| u.abs() * size);
        let back = v.iter().flatten().zip(running.pulled.iter().flatten()).map(|(v, pulled)| v.abs() * pulled.size());
        let size = ahead.chain(back).sum();
        Ok(Sides { u, v, doubles, precise, sizes, size })
    }

    /// The difference of the two pairings in doubles, over their sizes.
    fn adjoint(&self) -> f64 {
        let terms = |a: &[Vec<f64>], b: &[Vec<f64>]| -> Vec<Double> {
            a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| Double::product(*a, *b)).collect()
        };
        let Derivatives { pushed, pulled } = &self.doubles;
        over(apart(&terms(&self.u, pushed), &terms(&self.v, pulled)), self.size)
    }

    /// The difference of the two pairings in 106 bits, over the magnitudes of their terms.
    fn precise(&self) -> f64 {
        let terms = |a: &[Vec<f64>], b: &[Vec<Double>]| -> Vec<Double> {
            a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| b.times(Double::new(*a))).collect()
        };
        let Derivatives { pushed, pulled } = &self.precise;
        let (ahead, back) = (terms(&self.u, pushed), terms(&self.v, pulled));
        let ends = ahead.iter().chain(&back).map(|term| term.abs().high).sum::<f64>();
        over(apart(&ahead, &back), ends.max(CANCELLED * self.size))
    }
}

/// How far apart two sums are.
fn apart(ahead: &[Double], back: &[Double]) -> f64 {
    let sum = |terms: &[Double]| terms.iter().fold(Double::ZERO, |sum, term| sum.plus(*term));
    sum(ahead).plus(sum(back).minus()).abs().high
}

fn differences(program: &DynProgram, inputs: &[Vec<f64>], v: &[Vec<f64>]) -> Result<Differences, EvaluateError> {
    let moved = |t: f64| -> Vec<Vec<Double>> {
        let of = |(x, v): (&Vec<f64>, &Vec<f64>)| {
            x.iter().zip(v).map(|(x, v)| Double::new(*x).plus(Double::product(t, *v))).collect()
        };
        inputs.iter().zip(v).map(of).collect()
    };
    ridders::derivative(|t| Ok(program.evaluate(&moved(t))?.concat()), WANTED)
}

/// The largest distance between a directional derivative and differences, their estimate included, and the estimate alone,
/// both over the largest entry.
fn discrepancy(pushed: &[f64], sizes: &[f64], differences: &Differences) -> (f64, f64) {
    let apart = pushed.iter().zip(&differences.tangents).map(|(a, b)| b.plus(Double::new(-a)).high.abs());
    let apart = apart.fold(0.0, worse) + differences.estimate;
    let largest = differences.tangents.iter().fold(0.0_f64, |most, x| most.max(x.high.abs()));
    let largest = sizes.iter().fold(largest, |most, size| most.max(CANCELLED * size));
    (over(apart, largest), over(differences.estimate, largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Graph {
        graphs::all(&Options::default()).next().expect("a graph").expect("a program")
    }

    fn sides(graph: &Graph) -> Sides {
        Sides::draw(graph, &mut Random(7)).expect("both sides")
    }

    /// The entry of a gradient that weighs most in its pairing.
    fn heaviest(sides: &Sides) -> (usize, usize) {
        let weigh = |a: usize, k: usize| (sides.doubles.pulled[a][k] * sides.v[a][k]).abs();
        let places = (0..sides.v.len()).flat_map(|a| (0..sides.v[a].len()).map(move |k| (a, k)));
        places.max_by(|p, q| weigh(p.0, p.1).total_cmp(&weigh(q.0, q.1))).expect("an entry")
    }

    /// An entry that is off by a part in a thousand million is seen.
    #[test]
    fn another_derivative_is_seen() {
        let graph = example();
        let sides = sides(&graph);
        let found = differences(&graph.program, &graph.inputs, &sides.v).expect("differences");
        let mut moved = sides.doubles.pushed.concat();
        assert!(found.estimate < 1e-15 && discrepancy(&moved, &sides.sizes, &found).0 < 1e-14);
        let largest = (0..moved.len()).max_by(|a, b| moved[*a].abs().total_cmp(&moved[*b].abs())).expect("an entry");
        moved[largest] *= 1.0 + 1e-9;
        assert!(discrepancy(&moved, &sides.sizes, &found).0 > DIRECTIONAL);
    }

    /// A rule that is wrong by a part in ten million millions is seen in every graph, whatever cancels in it: by doubles in
    /// most of them, and by 106 bits in all. Of a gradient that is zero there is nothing to be wrong by so little.
    #[test]
    fn a_rule_that_is_wrong_by_less_than_what_cancels_is_seen() {
        let (mut all, mut doubles) = (0, 0);
        for graph in graphs::all(&Options::default()) {
            let graph = graph.expect("a graph");
            let mut sides = sides(&graph);
            assert!(sides.precise() <= ADJOINT && sides.adjoint() <= ADJOINT, "{}", graph.name);
            let (a, k) = heaviest(&sides);
            if sides.doubles.pulled[a][k] == 0.0 {
                continue;
            }
            let entry = sides.precise.pulled[a][k];
            sides.precise.pulled[a][k] = entry.times(Double::new(1.0 + 1e-13));
            assert!(sides.precise() > ADJOINT, "{}: {:e}", graph.name, sides.precise());
            sides.doubles.pulled[a][k] *= 1.0 + 1e-13;
            all += 1;
            doubles += usize::from(sides.adjoint() > ADJOINT);
        }
        assert!(all > 190 && 5 * doubles > 4 * all && doubles < all, "{doubles} of {all}");
    }

    /// What cancels and is divided by makes doubles err by more than they show: `1 / (1 + x − 1)` for a small x.
    #[test]
    fn a_reciprocal_of_what_cancels_has_its_size() {
        let x = Running::exact(1e-9).add(&Running::exact(1.0)).add(&Running::exact(-1.0));
        let found = x.recip().expect("it is not zero");
        let error = (found.value - 1e9).abs();
        assert!(error > 1e8 * ADJOINT * found.value.abs() && error <= ADJOINT * found.size());
    }

    /// Differences that can't tell are no agreement: a kink where the step falls has a large estimate.
    #[test]
    fn a_kink_is_not_agreed_on() {
        let kink = |t: f64| Ok::<_, std::convert::Infallible>(vec![Double::new((t - 1e-4).abs())]);
        let Ok(found) = ridders::derivative(kink, WANTED);
        assert!(discrepancy(&[-1.0], &[1.0], &found).0 > DIRECTIONAL);
    }

    #[test]
    fn nothing_is_the_adjoint_of_nothing_and_a_nan_of_none() {
        assert_eq!(over(0.0, 0.0), 0.0);
        assert!(over(1.0, 0.0).is_infinite() && over(f64::NAN, 1.0).is_nan());
        assert!(!Found { adjoint: f64::NAN, ..Found::default() }.within() && Found::default().within());
        assert!(!Found { precise: 1e-15, ..Found::default() }.within());
    }
}
