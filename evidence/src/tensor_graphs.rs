//! Suite `tensor_graphs`: directional derivatives and gradients of smooth tensor graphs, in doubles.
//!
//! Three times a graph, with random tangents `v` and cotangents `u` that have all their bits:
//!
//! | what is judged, in doubles | with what | normalised by | bound |
//! | --- | --- | --- | --- |
//! | the adjoint law, ⟨u, Jv⟩ = ⟨J*u, v⟩ | each other | the magnitudes of all terms of the two pairings, added up along every path of the graph | [`ADJOINT`] |
//! | the directional derivative Jv | extrapolated differences of values of 106 bits | its largest entry | [`DIRECTIONAL`] |
//!
//! `Jv` comes from dual numbers through the forward parts, `J*u` from the tape and the proved backward rules.
//!
//! The pairings are added up in 106 bits, so that what is measured is the error of `Jv` and `J*u` and not that of the sum.
//! Their terms are those of [`magnitude`](crate::magnitude): a derivative that cancels on its way, as that of a softmax
//! does, has a rounding error relative to what cancelled. Over the terms that are left at the ends alone the error of such
//! a graph is larger by the cancellation, without bound; that number is told too.
//!
//! The differences choose their own step, and their own estimate of how far they may be off is added to the discrepancy
//! (see [`ridders`]): a step that is too large or too small makes it worse, never better.
//! Doubles would leave such a difference about nine digits, which is where the bound comes from; 106 bits leave it all that
//! are needed. A derivative whose entries all cancel has no size of its own: at least a millionth of its terms is taken.

use pullback_program::random::Random;
use pullback_program::{DynProgram, EvaluateError};

use crate::double::Double;
use crate::graphs::{self, GRAPHS, Graph, like};
use crate::magnitude::Magnitude;
use crate::ridders::{self, Differences};
use crate::suite::{Event, Options, Outcome, Suite};

/// The suite.
pub const SUITE: Suite = Suite {
    name: "tensor_graphs",
    about: "directional derivatives of smooth tensor graphs are those of their values, and gradients their adjoints",
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
    outcome.measure("relative directional discrepancy", worst.directional, DIRECTIONAL);
    outcome.measure("the differences' own estimate in it", worst.estimate, None);
    outcome.measure("adjoint error over the terms at the ends", worst.ends, None);
    outcome
}

/// What one draw gave.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Found {
    adjoint: f64,
    /// The same over the terms of the two pairings alone.
    ends: f64,
    /// With the estimate.
    directional: f64,
    estimate: f64,
}

impl Found {
    fn within(&self) -> bool {
        // A NaN is not below anything.
        self.adjoint <= ADJOINT && self.directional <= DIRECTIONAL
    }

    fn worse(self, o: Found) -> Found {
        Found {
            adjoint: worse(self.adjoint, o.adjoint),
            ends: worse(self.ends, o.ends),
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
    let (values, tape) = program.linearize(inputs).map_err(words)?;
    let (v, u) = (like(random, inputs), like(random, &values));
    let pulled = program.pullback(&tape, &u).map_err(words)?;
    let (_, pushed) = program.directional(inputs, &v).map_err(words)?;
    let sized = |x: &[Vec<f64>]| x.iter().map(|x| x.iter().map(|x| Magnitude::new(*x)).collect()).collect::<Vec<_>>();
    let (_, terms) = program.directional(&sized(inputs), &sized(&v)).map_err(words)?;
    let sizes: Vec<f64> = terms.iter().flatten().map(|term| term.size).collect();
    let (adjoint, ends) = adjoint(&Pairing { u: &u, pushed: &pushed, pulled: &pulled, v: &v }, &sizes);
    let differences = differences(program, inputs, &v).map_err(words)?;
    let (directional, estimate) = discrepancy(&pushed.concat(), &sizes, &differences);
    Ok(Found { adjoint, ends, directional, estimate })
}

/// The four sides of `⟨u, Jv⟩ = ⟨J*u, v⟩`.
struct Pairing<'a> {
    u: &'a [Vec<f64>],
    pushed: &'a [Vec<f64>],
    pulled: &'a [Vec<f64>],
    v: &'a [Vec<f64>],
}

/// The difference of the two pairings, over the magnitudes of their terms along all paths, and over those at the ends.
fn adjoint(pairing: &Pairing<'_>, sizes: &[f64]) -> (f64, f64) {
    let Pairing { u, pushed, pulled, v } = pairing;
    let terms = |a: &[Vec<f64>], b: &[Vec<f64>]| -> Vec<Double> {
        a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| Double::product(*a, *b)).collect()
    };
    let (ahead, back) = (terms(u, pushed), terms(pulled, v));
    let sum = |terms: &[Double]| terms.iter().fold(Double::ZERO, |sum, term| sum.plus(*term));
    let apart = sum(&ahead).plus(sum(&back).minus()).abs().high;
    let ends = ahead.iter().chain(&back).map(|term| term.abs().high).sum::<f64>();
    // The paths are those of both pairings, and each of them is a sum over all.
    let paths = 2.0 * u.iter().flatten().zip(sizes).map(|(u, size)| u.abs() * size).sum::<f64>();
    (over(apart, paths), over(apart, ends))
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

    /// An entry that is off by a part in a thousand million is seen, and where the law is asked for one that is off by a
    /// part in ten million millions.
    #[test]
    fn other_derivatives_are_seen() {
        let Graph { program, inputs, .. } = example();
        let mut random = Random(7);
        let (values, tape) = program.linearize(&inputs).expect("values");
        let (v, u) = (like(&mut random, &inputs), like(&mut random, &values));
        let mut pulled = program.pullback(&tape, &u).expect("a gradient");
        let (_, pushed) = program.directional(&inputs, &v).expect("tangents");
        let sizes: Vec<f64> = pushed.concat().iter().map(|x| x.abs()).collect();
        let found = differences(&program, &inputs, &v).expect("differences");
        assert!(found.estimate < 1e-15 && discrepancy(&pushed.concat(), &sizes, &found).0 < 1e-14);
        let mut moved = pushed.concat();
        let largest = (0..moved.len()).max_by(|a, b| moved[*a].abs().total_cmp(&moved[*b].abs())).expect("an entry");
        moved[largest] *= 1.0 + 1e-9;
        assert!(discrepancy(&moved, &sizes, &found).0 > DIRECTIONAL);

        let pairing = Pairing { u: &u, pushed: &pushed, pulled: &pulled, v: &v };
        assert!(adjoint(&pairing, &sizes).0 <= ADJOINT);
        // The entry that weighs most, in its thirteenth digit.
        let weigh = |a: usize, k: usize| (pulled[a][k] * v[a][k]).abs();
        let places = (0..v.len()).flat_map(|a| (0..v[a].len()).map(move |k| (a, k)));
        let (a, k) = places.max_by(|p, q| weigh(p.0, p.1).total_cmp(&weigh(q.0, q.1))).expect("an entry");
        pulled[a][k] *= 1.0 + 1e-13;
        assert!(adjoint(&Pairing { u: &u, pushed: &pushed, pulled: &pulled, v: &v }, &sizes).0 > ADJOINT);
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
    }
}
