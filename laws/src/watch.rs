//! Every call of a case at one of its points, beside the first such call.
//!
//! Laws compare some calls with each other; this module sees them all, those before the first law too.
//! A rule that is wrong in its first calls, when a cache is cold or a buffer is not yet filled, is right in all that a law compares.
//! It must never be the rule that a law is tried on with other results: what is called is passed on as it is.

use std::sync::{Mutex, PoisonError};

use crate::approximate::Approximate;
use crate::equations::residual::DETERMINISTIC;
use crate::flat::{Call, Flat, Refusal, Run, Saved, shaped_as};
use crate::points::Points;
use crate::storage::Storage;
use crate::trial::Trial;
use crate::violation::LawViolation;

/// A rule whose calls are watched at some points.
pub(crate) struct Watch<'a, T: Approximate> {
    rule: &'a dyn Flat<T>,
    inputs: [Vec<T>; 2],
    seeds: [Vec<T>; 2],
    seen: Mutex<Seen<T>>,
}

/// The first result of each call, and the first that another one did not give again.
struct Seen<T> {
    values: [Option<Vec<T>>; 2],
    pulled: [[Option<Vec<T>>; 2]; 2],
    found: Option<LawViolation>,
}

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Seen { values: [None, None], pulled: [[None, None], [None, None]], found: None }
    }
}

/// Whether two lists are the same, signs of zeros included.
fn is_same<T: Approximate>(one: &[T], other: &[T]) -> bool {
    let same =
        |(one, other): (&T, &T)| one == other && one.to_f64().is_sign_negative() == other.to_f64().is_sign_negative();
    one.len() == other.len() && one.iter().zip(other).all(same)
}

impl<'a, T: Approximate> Watch<'a, T> {
    pub(crate) fn new(rule: &'a dyn Flat<T>, points: &Points<T>) -> Self {
        let Points { x, y, u, w, .. } = points;
        let inputs = [x.clone(), y.clone()];
        Watch { rule, inputs, seeds: [u.clone(), w.clone()], seen: Mutex::default() }
    }

    /// A call that did not give what the same call gave before.
    pub(crate) fn found(&self) -> Option<LawViolation> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).found.take()
    }

    fn saw(&self, input: usize, seed: Option<usize>, result: &[T]) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let Seen { values, pulled, found } = &mut *seen;
        let first = match seed {
            None => &mut values[input],
            Some(seed) => &mut pulled[input][seed],
        };
        let Some(first) = first else {
            *first = Some(result.to_vec());
            return;
        };
        if found.is_some() {
            return;
        }
        let x = &self.inputs[input][..];
        let compared = match seed {
            None => Trial { law: DETERMINISTIC, about: self.rule, at: &[("x", x)] }
                .alike(("f(x) of an earlier call", first), ("f(x)", result)),
            Some(seed) => Trial { law: DETERMINISTIC, about: self.rule, at: &[("x", x), ("u", &self.seeds[seed][..])] }
                .alike(("K(r, u) of an earlier call", first), ("K(r, u)", result)),
        };
        *found = compared.err();
    }
}

shaped_as!([T: Approximate] Watch<'_, T>, rule);

impl<T: Approximate> Watch<'_, T> {
    fn watched<'s>(&'s self, input: Option<usize>, run: Run<'s, T>) -> Run<'s, T> {
        let Some(input) = input else { return run };
        self.saw(input, None, &run.value);
        Run { value: run.value, saved: Box::new(Watched { watch: self, input, saved: run.saved }) }
    }
}

impl<T: Approximate> Flat<T> for Watch<'_, T> {
    fn run<'s>(&'s self, input: &[T]) -> Result<Run<'s, T>, Refusal> {
        let place = self.inputs.iter().position(|known| is_same(known, input));
        Ok(self.watched(place, self.rule.run(input)?))
    }

    fn call<'s>(&'s self, call: &Call<T>) -> Result<Run<'s, T>, Refusal> {
        // A gradient that nobody asked for is not compared.
        let place = match call.tracked.iter().all(|tracked| *tracked) {
            true => {
                let input = call.coordinates();
                self.inputs.iter().position(|known| is_same(known, &input))
            }
            false => None,
        };
        Ok(self.watched(place, self.rule.call(call)?))
    }
}

/// What was saved at one of the points.
struct Watched<'a, T: Approximate> {
    watch: &'a Watch<'a, T>,
    input: usize,
    saved: Box<dyn Saved<T> + 'a>,
}

impl<T: Approximate> Watched<'_, T> {
    fn seed(&self, seed: &[T]) -> Option<usize> {
        self.watch.seeds.iter().position(|known| is_same(known, seed))
    }
}

impl<T: Approximate> Saved<T> for Watched<'_, T> {
    fn pull(&self, seed: &[T]) -> Vec<T> {
        let pulled = self.saved.pull(seed);
        if let Some(place) = self.seed(seed) {
            self.watch.saw(self.input, Some(place), &pulled);
        }
        pulled
    }

    fn answer(&self, seed: &Storage<T>) -> Vec<Option<Vec<T>>> {
        // Before the rule, which may write into it.
        let place = self.seed(&seed.read());
        let answer = self.saved.answer(seed);
        if let (Some(place), true) = (place, answer.iter().all(Option::is_some)) {
            self.watch.saw(self.input, Some(place), &answer.iter().flatten().flatten().cloned().collect::<Vec<T>>());
        }
        answer
    }

    fn gave(&self) -> Option<Vec<usize>> {
        self.saved.gave()
    }
}
