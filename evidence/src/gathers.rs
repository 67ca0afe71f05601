//! Suite `gathers`: every gather map with lengths 1 to 4, and its transposition law.
//!
//! For each map `at` from `m` places to `n`, of all `n^m`:
//! `(G x)ⱼ = x_at(j)`, `(G* u)ₖ = Σ uⱼ over at(j) = k`, and `⟨u, G x⟩ = ⟨G* u, x⟩` for all pairs of unit vectors,
//! which is the law for all vectors, for both sides are bilinear. Everything is exact.

use pullback_kernel::Rational;
use pullback_program::{Binding, Builder, DynProgram, IndexData, Limits, Operation, Operator, Shape};

use crate::suite::{Event, Options, Outcome, Suite};

/// The suite.
pub const SUITE: Suite = Suite {
    name: "gathers",
    about: "every gather map with lengths 1 to 4 satisfies its transposition law, exactly",
    draws: false,
    run,
};

/// The lengths of both sides.
const LENGTHS: std::ops::RangeInclusive<usize> = 1..=4;
/// Σ nᵐ over all lengths.
const MAPS: usize = 494;
/// Σ m n nᵐ over all lengths.
const PAIRS: usize = 6492;

/// Every map from so many places to so many.
fn maps(from: usize, to: usize) -> impl Iterator<Item = Vec<usize>> {
    let count = to.pow(from as u32);
    // The digits of a number to the base `to`.
    (0..count).map(move |code| (0..from as u32).map(|place| code / to.pow(place) % to).collect())
}

fn run(_: &Options, watch: &mut dyn FnMut(Event)) -> Outcome {
    let mut outcome = Outcome::default();
    watch(Event::Steps(MAPS));
    let (mut count, mut pairs) = (0, 0);
    for from in LENGTHS {
        for to in LENGTHS {
            for at in maps(from, to) {
                match program(&at, to).and_then(|gather| law(&gather, &at, to)) {
                    Ok(()) => {
                        count += 1;
                        pairs += from * to;
                    }
                    Err(message) => outcome.fail(format!("map {at:?} into {to}"), message),
                }
                watch(Event::Step);
            }
        }
    }
    outcome.count("maps", count, MAPS);
    outcome.count("pairs of unit vectors", pairs, PAIRS);
    outcome
}

/// A program of one gather.
fn program(at: &[usize], to: usize) -> Result<DynProgram, String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let binding = Binding {
        dims: vec![vec![at.len()], vec![to], Vec::new()],
        maps: vec![IndexData::Table(at.to_vec())],
        ..Binding::default()
    };
    let operator = Operator::library("gather").map_err(|error| words(&error))?;
    let gather = Operation::new(operator, binding, &Limits::default()).map_err(|faults| format!("{faults:?}"))?;
    let mut builder = Builder::new(Limits::default());
    let x = builder.input("x", Shape::new(&[to])).map_err(|error| words(&error))?;
    let y = builder.apply(gather, &[x]).map_err(|error| words(&error))?;
    builder.output("y", y[0]);
    Ok(builder.finish())
}

/// Whether a program is the gather by that map, and its pullback the transpose.
fn law(program: &DynProgram, at: &[usize], to: usize) -> Result<(), String> {
    let unit = |n: usize, k: usize| (0..n).map(|i| number(i64::from(i == k))).collect::<Vec<_>>();
    // Values that are all different tell every place from every other.
    let x: Vec<Rational> = (0..to).map(|k| number(7 * k as i64 - 5)).collect();
    let words = |error: pullback_program::EvaluateError| error.to_string();
    let (value, tape) = program.linearize(std::slice::from_ref(&x)).map_err(words)?;
    let expected: Vec<Rational> = at.iter().map(|k| x[*k].clone()).collect();
    if value[0] != expected {
        return Err(format!("gathers {:?}, not {expected:?}", value[0]));
    }
    let mut rows = Vec::new();
    for j in 0..at.len() {
        rows.push(program.pullback(&tape, &[unit(at.len(), j)]).map_err(words)?.swap_remove(0));
    }
    for k in 0..to {
        let (_, tangents) = program.directional(std::slice::from_ref(&x), &[unit(to, k)]).map_err(words)?;
        for (j, row) in rows.iter().enumerate() {
            let (pushed, pulled, entry) = (&tangents[0][j], &row[k], number(i64::from(at[j] == k)));
            if *pushed != entry || *pulled != entry {
                return Err(format!("at ({j}, {k}): ⟨u, G x⟩ = {pushed}, ⟨G* u, x⟩ = {pulled}, the entry is {entry}"));
            }
        }
    }
    // Several places at once add up.
    let u: Vec<Rational> = (0..at.len()).map(|j| number(3 * j as i64 - 4)).collect();
    let pulled = program.pullback(&tape, std::slice::from_ref(&u)).map_err(words)?;
    for (k, found) in pulled[0].iter().enumerate() {
        let sum = at.iter().zip(&u).filter(|(place, _)| **place == k).fold(number(0), |sum, (_, u)| sum + u);
        if *found != sum {
            return Err(format!("(G* u) is {found} at {k}, the sum over the fibre is {sum}"));
        }
    }
    Ok(())
}

fn number(n: i64) -> Rational {
    Rational::from_integer(n.into())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_map_is_met_once() {
        let mut met = BTreeSet::new();
        LENGTHS.for_each(|m| LENGTHS.for_each(|n| met.extend(maps(m, n).map(|at| (at, n)))));
        assert_eq!(met.len(), MAPS);
        assert!(met.contains(&(vec![2, 0, 2], 3)) && met.iter().all(|(at, n)| at.iter().all(|k| k < n)));
        assert!(run(&Options::default(), &mut |_| {}).holds());
    }

    #[test]
    fn another_map_is_seen() {
        let gather = program(&[0, 1, 1], 2).expect("a gather");
        assert_eq!(law(&gather, &[0, 1, 1], 2), Ok(()));
        assert!(law(&gather, &[0, 1, 0], 2).is_err_and(|message| message.starts_with("gathers")));
    }
}
