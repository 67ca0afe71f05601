//! All laws at one point, and their results counted.

use super::super::adjoint::{adjoint_at, coordinatewise_at, primal_at};
use super::super::composition::{LEFT_UNIT, RIGHT_UNIT, associative_at, composite_at, recomputed_at};
use super::super::flat::{Flat, Moving, Remembers, Subject};
use super::super::linear::{additive_at, homogeneous_at, zero_to_zero_at};
use super::super::product::{componentwise_at, discarding_is_zero_at, fanned_out_at, sharing_adds_at};
use super::super::residual::{deterministic_at, residual_suffices_at};
use super::super::rounded::rounded_at;
use super::super::violation::{Law, LawViolation};
use super::super::{Approximate, Domain, Draw, LAWS};
use super::super::{adjoint, composition, linear, product, residual, rounded};
use super::{Operable, OperationReport};
use crate::contract::ContractExt;
use crate::contract::combinators::{discard, duplicate, identity};
use crate::scalar::Scalar;

/// Where the results of trials go; it may stop the rest of them.
pub(super) type Sink<'a> = &'a mut dyn FnMut(Law, Result<(), LawViolation>) -> Result<(), LawViolation>;

/// Inputs, cotangents of the output, and a direction in the input.
pub(super) struct Points<T> {
    pub(super) x: Vec<T>,
    pub(super) y: Vec<T>,
    pub(super) u: Vec<T>,
    pub(super) w: Vec<T>,
    pub(super) v: Vec<T>,
}

/// The cotangents and the direction for two inputs.
pub(super) fn points<T: Scalar>(draw: &mut Draw, x: Vec<T>, y: Vec<T>, gives: usize) -> Points<T> {
    let (u, w) = (draw.list(gives, Domain::NonZero), draw.list(gives, Domain::NonZero));
    let v = draw.list(x.len(), Domain::NonZero);
    Points { x, y, u, w, v }
}

/// The laws of a contract by itself.
pub(super) fn alone<T: Approximate>(
    f: &dyn Flat<T>,
    moving: &dyn Moving<T>,
    is_adjoint: bool,
    Points { x, y, u, w, v }: &Points<T>,
    sink: Sink<'_>,
) -> Result<(), LawViolation> {
    sink(linear::HOMOGENEOUS, homogeneous_at(f, x, u))?;
    sink(linear::ADDITIVE, additive_at(f, x, u, w))?;
    sink(linear::ZERO_TO_ZERO, zero_to_zero_at(f, x))?;
    sink(adjoint::PRIMAL, primal_at(f, moving, x, v))?;
    if is_adjoint {
        sink(adjoint::ADJOINT, adjoint_at(f, moving, x, u, v))?;
        sink(adjoint::COORDINATEWISE, coordinatewise_at(f, moving, x, u))?;
    }
    sink(residual::DETERMINISTIC, deterministic_at(f, x, u))?;
    sink(residual::RESIDUAL_SUFFICES, residual_suffices_at(f, x, u, y, w))
}

/// A contract in the combinators that every contract fits into.
pub(super) trait Combined<T>: Remembers<T> {
    fn after_identity(&self) -> Box<dyn Remembers<T> + '_>;
    fn before_identity(&self) -> Box<dyn Remembers<T> + '_>;
    fn recomputed(&self) -> Box<dyn Remembers<T> + '_>;
    /// `duplicate` of the output, and this before it.
    fn shared(&self) -> (Box<dyn Flat<T> + '_>, Box<dyn Flat<T> + '_>);
    fn dropped(&self) -> Box<dyn Flat<T> + '_>;
    fn beside_itself(&self) -> Box<dyn Flat<T> + '_>;
    fn fanned_out(&self) -> Box<dyn Flat<T> + '_>;
}

impl<T: Scalar, C: Operable<T> + Subject<T>> Combined<T> for C {
    fn after_identity(&self) -> Box<dyn Remembers<T> + '_> {
        Box::new(identity::<C::Input>().then(self))
    }
    fn before_identity(&self) -> Box<dyn Remembers<T> + '_> {
        Box::new(self.then(identity::<C::Output>()))
    }
    fn recomputed(&self) -> Box<dyn Remembers<T> + '_> {
        Box::new(self.checkpoint())
    }
    fn shared(&self) -> (Box<dyn Flat<T> + '_>, Box<dyn Flat<T> + '_>) {
        (Box::new(duplicate::<C::Output>()), Box::new(self.then(duplicate::<C::Output>())))
    }
    fn dropped(&self) -> Box<dyn Flat<T> + '_> {
        Box::new(self.then(discard::<C::Output>()))
    }
    fn beside_itself(&self) -> Box<dyn Flat<T> + '_> {
        Box::new(self.par(self))
    }
    fn fanned_out(&self) -> Box<dyn Flat<T> + '_> {
        Box::new(self.fan_out(self))
    }
}

/// The laws of a contract in combinators.
fn combined<T: Approximate>(
    f: &dyn Combined<T>,
    Points { x, y, u, w, .. }: &Points<T>,
    sink: Sink<'_>,
) -> Result<(), LawViolation> {
    let both = [&u[..], w].concat();
    let (duplicate, shared) = f.shared();
    sink(composition::COMPOSITE, composite_at(f, &*duplicate, &*shared, x, &both))?;
    sink(composition::LEFT_UNIT, associative_at(LEFT_UNIT, &*f.after_identity(), f, x, u))?;
    sink(composition::RIGHT_UNIT, associative_at(RIGHT_UNIT, &*f.before_identity(), f, x, u))?;
    sink(composition::RECOMPUTED, recomputed_at(f, &*f.recomputed(), x, u))?;
    sink(product::COMPONENTWISE, componentwise_at(f, f, &*f.beside_itself(), &[&x[..], y].concat(), &both))?;
    sink(product::FANNED_OUT, fanned_out_at(f, f, &*f.fanned_out(), x, &both))?;
    sink(product::SHARING_ADDS, sharing_adds_at(&*duplicate, u, &both))?;
    sink(product::DISCARDING_IS_ZERO, discarding_is_zero_at(&*f.dropped(), x))
}

/// A contract at one scalar, with two inputs.
pub(super) struct At<'a, T, F: ?Sized> {
    pub(super) contract: &'a F,
    pub(super) x: Vec<T>,
    pub(super) y: Vec<T>,
}

/// The results so far, of one operation.
pub(super) struct Tally {
    name: &'static str,
    instance: &'static str,
    seed: u64,
    evidence: &'static str,
    held: Vec<usize>,
    violations: Vec<LawViolation>,
    violated: usize,
    refused: Vec<String>,
}

impl Tally {
    pub(super) fn new(name: &'static str) -> Self {
        Tally {
            name,
            instance: "",
            seed: 0,
            evidence: "",
            held: vec![0; LAWS.len()],
            violations: vec![],
            violated: 0,
            refused: vec![],
        }
    }

    pub(super) fn start(&mut self, instance: &'static str, seed: u64) {
        self.instance = instance;
        self.seed = seed;
    }

    pub(super) fn refuse(&mut self, why: &str) {
        let text = format!("{}: {why}", self.instance);
        if !self.refused.contains(&text) {
            self.refused.push(text);
        }
    }

    fn record(&mut self, law: Law, result: Result<(), LawViolation>) {
        match result {
            Ok(()) => {
                if let Some(at) = LAWS.iter().position(|l| *l == law) {
                    self.held[at] += 1;
                }
            }
            Err(violation) => {
                self.violated += 1;
                if self.violations.iter().all(|known| known.law() != law) {
                    let violation = violation.named(format!("{}, as {},", self.name, self.instance));
                    self.violations.push(violation.with_seed(self.seed));
                }
            }
        }
    }

    /// The laws of the contract by itself at one point, at the scalar that they are stated over.
    pub(super) fn point<T: Approximate>(
        &mut self,
        f: At<'_, T, dyn Flat<T> + '_>,
        moving: &dyn Moving<T>,
    ) -> Points<T> {
        self.evidence = f.contract.evidence();
        let points = points(&mut Draw::new(!self.seed), f.x, f.y, f.contract.dimensions().1);
        let is_adjoint = self.evidence != "surrogate";
        // The sink stops nothing.
        let _ = alone(f.contract, moving, is_adjoint, &points, &mut |law, result| {
            self.record(law, result);
            Ok(())
        });
        points
    }

    /// The laws of the contract in combinators.
    pub(super) fn combined<T: Approximate>(&mut self, f: &dyn Combined<T>, points: &Points<T>) {
        let _ = combined(f, points, &mut |law, result| {
            self.record(law, result);
            Ok(())
        });
    }

    /// The same contract at a coarser scalar.
    pub(super) fn coarse<T: Approximate, U: Approximate>(
        &mut self,
        fine: &dyn Flat<U>,
        points: &Points<U>,
        coarse: &At<'_, T, dyn Flat<T> + '_>,
    ) {
        let u: Vec<T> = Draw::new(!self.seed).list(points.u.len(), Domain::NonZero);
        let result = rounded_at(coarse.contract, fine, (&coarse.x, &points.x), (&u, &points.u));
        self.record(rounded::ROUNDED, result);
    }

    pub(super) fn report(self, instances: Vec<&'static str>) -> OperationReport {
        let held = LAWS.iter().copied().zip(self.held).filter(|(_, times)| *times > 0).collect();
        OperationReport {
            name: self.name,
            evidence: self.evidence,
            instances,
            held,
            violations: self.violations,
            violated: self.violated,
            refused: self.refused,
        }
    }
}
