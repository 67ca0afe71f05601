//! All laws at one point, and their results counted.

use pullback_laws::{
    Approximate, Domain, Draw, Flat, LAWS, Law, LawViolation, Moving, Outcome, Points, Remembers, Subject as Rule,
    Whole, equations,
};

use super::super::contract::On;
use super::{Operable, OperationReport};
use crate::contract::ContractExt;
use crate::contract::combinators::{discard, duplicate, identity};
use crate::scalar::Scalar;

/// A contract in the combinators that every contract fits into.
pub(super) trait Combined<T: Scalar>: Remembers<T> {
    fn after_identity(&self) -> Box<dyn Remembers<T> + '_>;
    fn before_identity(&self) -> Box<dyn Remembers<T> + '_>;
    fn recomputed(&self) -> Box<dyn Remembers<T> + '_>;
    /// `duplicate` of the output, and this before it.
    fn shared(&self) -> (Box<dyn Flat<T> + '_>, Box<dyn Flat<T> + '_>);
    fn dropped(&self) -> Box<dyn Flat<T> + '_>;
    fn beside_itself(&self) -> Box<dyn Flat<T> + '_>;
    fn fanned_out(&self) -> Box<dyn Flat<T> + '_>;
}

impl<T: Scalar, C: Operable<T>> Combined<T> for On<C> {
    fn after_identity(&self) -> Box<dyn Remembers<T> + '_> {
        Box::new(On(identity::<C::Input>().then(&self.0)))
    }
    fn before_identity(&self) -> Box<dyn Remembers<T> + '_> {
        Box::new(On((&self.0).then(identity::<C::Output>())))
    }
    fn recomputed(&self) -> Box<dyn Remembers<T> + '_> {
        Box::new(On((&self.0).checkpoint()))
    }
    fn shared(&self) -> (Box<dyn Flat<T> + '_>, Box<dyn Flat<T> + '_>) {
        (Box::new(On(duplicate::<C::Output>())), Box::new(On((&self.0).then(duplicate::<C::Output>()))))
    }
    fn dropped(&self) -> Box<dyn Flat<T> + '_> {
        Box::new(On((&self.0).then(discard::<C::Output>())))
    }
    fn beside_itself(&self) -> Box<dyn Flat<T> + '_> {
        Box::new(On((&self.0).par(&self.0)))
    }
    fn fanned_out(&self) -> Box<dyn Flat<T> + '_> {
        Box::new(On((&self.0).fan_out(&self.0)))
    }
}

/// The laws of a contract in combinators: each whole is held to its parts at points of its own.
fn combined<T: Approximate>(
    f: &dyn Combined<T>,
    Points { x, y, u, w, .. }: &Points<T>,
    sink: &mut dyn FnMut(Law, Result<(), LawViolation>),
) {
    let both = [&u[..], w].concat();
    let (duplicate, shared) = f.shared();
    let name = |whole: Whole<'_, T>| whole.law();
    sink(name(Whole::Composite(f, &*duplicate)), equations::composite(f, &*duplicate, &*shared, x, &both));
    sink(name(Whole::AfterIdentity(f)), equations::left_unit(f, &*f.after_identity(), x, u));
    sink(name(Whole::BeforeIdentity(f)), equations::right_unit(f, &*f.before_identity(), x, u));
    sink(name(Whole::Checkpoint(f)), equations::recomputed(f, &*f.recomputed(), x, u));
    let side_by_side = [&x[..], y].concat();
    sink(name(Whole::Product(f, f)), equations::componentwise(f, f, &*f.beside_itself(), &side_by_side, &both));
    sink(name(Whole::FanOut(f, f)), equations::fanned_out(f, f, &*f.fanned_out(), x, &both));
    sink(name(Whole::Duplicate), equations::sharing_adds(&*duplicate, u, &both));
    sink(name(Whole::Discard), equations::discarding_is_zero(&*f.dropped(), x));
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
    undecided: usize,
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
            undecided: 0,
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
        self.evidence = f.contract.evidence().label();
        let points = Points::new(&mut Draw::new(!self.seed), f.x, f.y, f.contract.dimensions().1);
        Rule::new(f.contract).on_duals(moving).visit(&points, &mut |law, result| match result {
            Ok(Outcome::Elsewhere) => {}
            Ok(Outcome::Undecided(_)) => self.undecided += 1,
            Ok(Outcome::Held) => self.record(law, Ok(())),
            Err(violation) => self.record(law, Err(violation)),
        });
        points
    }

    /// The laws of the contract in combinators.
    pub(super) fn combined<T: Approximate>(&mut self, f: &dyn Combined<T>, points: &Points<T>) {
        combined(f, points, &mut |law, result| self.record(law, result));
    }

    /// The same contract at a coarser scalar.
    pub(super) fn coarse<T: Approximate, U: Approximate>(
        &mut self,
        fine: &dyn Flat<U>,
        points: &Points<U>,
        coarse: &At<'_, T, dyn Flat<T> + '_>,
    ) {
        let u: Vec<T> = Draw::new(!self.seed).list(points.u.len(), Domain::NonZero);
        let result = equations::rounded(coarse.contract, fine, (&coarse.x, &points.x), (&u, &points.u));
        self.record(Law::ROUNDED, result);
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
            undecided: self.undecided,
            refused: self.refused,
        }
    }
}
