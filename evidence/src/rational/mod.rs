//! Suite `rational_graphs`: random scalar graphs over the rationals, their values and whole gradients exactly.
//!
//! Each graph is a program of the library, and beside it a fraction of polynomials (see [`oracle`]).
//! The program is differentiated by its transforms, the fraction by its coefficients; no rounding, so no tolerance.
//! Two ways of the library are judged at each point: the tape, and the reverse program.

mod draw;
pub mod oracle;

use pullback_kernel::Rational;
use pullback_program::DynProgram;

use crate::suite::{Event, Options, Outcome, Suite};
use draw::{Scalar, graph};

/// The suite.
pub const SUITE: Suite = Suite {
    name: "rational_graphs",
    about: "values and whole gradients of rational scalar graphs are those of their coefficients, exactly",
    draws: true,
    run,
};

/// Graphs that are recorded.
const GRAPHS: usize = 512;
/// Points of each.
const POINTS: usize = 4;

fn run(options: &Options, watch: &mut dyn FnMut(Event)) -> Outcome {
    let mut outcome = Outcome::default();
    let wanted = GRAPHS * options.scale;
    let (mut graphs, mut evaluations, mut partials) = (0, 0, 0);
    watch(Event::Steps(wanted));
    for k in 0..wanted {
        let seed = options.seed.wrapping_add(k as u64);
        match graph(seed, POINTS) {
            Ok(scalar) => {
                graphs += 1;
                let name = format!("graph {seed}");
                match Ways::new(&scalar) {
                    Ok(ways) => {
                        for point in &scalar.points {
                            match ways.judge(point) {
                                Ok(()) => {
                                    evaluations += 1;
                                    partials += point.at.len();
                                }
                                Err(message) => outcome.fail(&name, message),
                            }
                        }
                    }
                    Err(message) => outcome.fail(&name, message),
                }
            }
            Err(message) => outcome.fail(format!("graph {seed}"), message),
        }
        watch(Event::Step);
    }
    outcome.count("graphs", graphs, wanted);
    outcome.count("exact evaluations", evaluations, wanted * POINTS);
    outcome.count("partial derivatives", partials, None);
    outcome
}

/// A point of a graph, with the value and the gradient of its fraction.
pub(crate) struct Point {
    pub(crate) at: Vec<Rational>,
    pub(crate) value: Rational,
    pub(crate) gradient: Vec<Rational>,
}

/// The library's ways to a value and a gradient.
struct Ways<'a> {
    program: &'a DynProgram,
    reverse: DynProgram,
}

impl<'a> Ways<'a> {
    fn new(scalar: &'a Scalar) -> Result<Self, String> {
        let reverse = scalar.program.with_reverse().map_err(|error| error.to_string())?;
        Ok(Ways { program: &scalar.program, reverse })
    }

    fn judge(&self, point: &Point) -> Result<(), String> {
        let words = |error: pullback_program::EvaluateError| format!("{error}\n{}", self.program);
        let one = Rational::from_integer(1.into());
        let inputs: Vec<Vec<Rational>> = point.at.iter().map(|x| vec![x.clone()]).collect();
        let (value, tape) = self.program.linearize(&inputs).map_err(words)?;
        let gradient = self.program.pullback(&tape, &[vec![one.clone()]]).map_err(words)?;
        self.same("tape", point, value.iter().chain(&gradient))?;
        let seeded: Vec<Vec<Rational>> = inputs.into_iter().chain([vec![one]]).collect();
        self.same("reverse program", point, self.reverse.evaluate(&seeded).map_err(words)?.iter())
    }

    /// Whether these are the value and the gradient.
    fn same<'b>(&self, way: &str, point: &Point, found: impl Iterator<Item = &'b Vec<Rational>>) -> Result<(), String> {
        let found: Vec<&Rational> = found.flatten().collect();
        let expected: Vec<&Rational> = std::iter::once(&point.value).chain(&point.gradient).collect();
        if found == expected {
            return Ok(());
        }
        let list = |numbers: &[&Rational]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let at: Vec<&Rational> = point.at.iter().collect();
        Err(format!(
            "{way}: value and gradient at ({}) are {}, by coefficients {}\n{}",
            list(&at),
            list(&found),
            list(&expected),
            self.program
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The suite sees a wrong gradient: that of another graph.
    #[test]
    fn another_gradient_is_seen() {
        let mut scalar = graph(7, 1).expect("a graph");
        assert_eq!(Ways::new(&scalar).and_then(|ways| ways.judge(&scalar.points[0])), Ok(()));
        scalar.points[0].gradient[0] += Rational::new(1.into(), 1_000_000.into());
        let found = Ways::new(&scalar).and_then(|ways| ways.judge(&scalar.points[0]));
        assert!(found.is_err_and(|message| message.starts_with("tape: value and gradient at (")));
    }

    #[test]
    fn another_scale_is_another_count() {
        let outcome = run(&Options { seed: 3, ..Options::default() }, &mut |_| {});
        assert!(outcome.holds(), "{:?}", outcome.failures.first());
        assert_eq!(outcome.counts[1].found, 2048);
    }
}
