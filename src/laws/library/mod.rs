//! The laws, run on a contract and on every operation of the library.
//!
//! The tables of operations are generic over a parameter that says nothing, so that the code of their contracts is made by who runs them and not by everyone who depends on this crate.

#[macro_use]
mod table;

mod arithmetic;
mod attention;
mod contraction;
mod convolution;
mod declared;
mod elementwise;
mod loss;
mod normalization;
mod pooling;
mod recurrent;
mod regularization;
mod softmax;
mod statistics;
mod structure;
mod tally;

use pullback_laws::{Draw, LAWS, Law, LawViolation};

use super::contract::Subject;
use crate::contract::Contract;
use crate::scalar::Scalar;
use crate::space::Over;
use table::Operation;

/// What came of running the laws on one operation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OperationReport {
    /// The name of the operation, that of its statement.
    pub name: &'static str,
    /// Why its backward rule may be believed: `proved`, or the label of a declaration.
    pub evidence: &'static str,
    /// The instances that were tried: how each was made, with its shapes.
    pub instances: Vec<&'static str>,
    /// How often each law held, in the order of [`LAWS`]; laws that were not tried are left out.
    pub held: Vec<(Law, usize)>,
    /// How many trials of a law could not be decided: they are not counted among those that held.
    pub undecided: usize,
    /// The first violation of each law.
    pub violations: Vec<LawViolation>,
    /// How many violations there were.
    pub violated: usize,
    /// Instances that could not be made, and why: a fault in the table.
    pub refused: Vec<String>,
}

impl OperationReport {
    /// Whether every law that was tried held, and every instance could be made.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.violated == 0 && self.refused.is_empty()
    }

    /// How many times a law was tried.
    #[must_use]
    pub fn checks(&self) -> usize {
        self.violated + self.held.iter().map(|(_, times)| times).sum::<usize>()
    }
}

/// What came of running the laws on the library.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LibraryReport {
    /// The seed that all points came from.
    pub seed: u64,
    /// How many points were tried for each instance of an operation.
    pub cases: usize,
    /// One entry for each operation, by family and name.
    pub operations: Vec<OperationReport>,
}

impl LibraryReport {
    /// Whether all laws held.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.operations.iter().all(OperationReport::holds)
    }

    /// How many times a law was tried.
    #[must_use]
    pub fn checks(&self) -> usize {
        self.operations.iter().map(OperationReport::checks).sum()
    }

    /// All violations that were kept.
    pub fn violations(&self) -> impl Iterator<Item = &LawViolation> {
        self.operations.iter().flat_map(|operation| &operation.violations)
    }

    /// How often each law held, over all operations, in the order of [`LAWS`]; laws that were not tried are left out.
    #[must_use]
    pub fn held(&self) -> Vec<(Law, usize)> {
        let times = |law: &Law| -> usize {
            self.operations.iter().flat_map(|operation| &operation.held).filter(|(l, _)| l == law).map(|(_, n)| n).sum()
        };
        LAWS.iter().map(|law| (*law, times(law))).filter(|(_, times)| *times > 0).collect()
    }
}

/// Runs the laws on every operation of the library, at `cases` points for each of its instances.
///
/// Instances have small shapes: not square, prime, with axes of size one; index maps have repeats, points respect the domain and keep off the boundaries of declared rules.
/// Operations of rational statements are checked exactly over the rationals, and at both floats against them; others at doubles, and singles against them.
/// A rule that is declared a surrogate is not held to be an adjoint, only to be linear and a function of its residual.
///
/// `progress` is told the name of each operation before its turn.
/// The report depends on `seed` and `cases` alone.
///
/// # Example
///
/// ```no_run
/// let report = pullback::laws::check_library(20_261_021, 8, |name| eprintln!("{name}"));
/// assert!(report.holds(), "{}", report.violations().next().unwrap());
/// ```
pub fn check_library<P: FnMut(&str)>(seed: u64, cases: usize, mut progress: P) -> LibraryReport {
    let mut operations = Vec::new();
    for operation in operations_of::<P>() {
        progress(operation.name);
        operations.push(operation.check(seed, cases));
    }
    LibraryReport { seed, cases, operations }
}

/// Runs the laws on one operation of the library, as [`check_library`] does; nothing where there is none of this name.
///
/// # Example
///
/// ```no_run
/// let report = pullback::laws::check_operation("softmax", 7, 3).unwrap();
/// assert!(report.holds() && report.checks() > 50);
/// assert_eq!(report.evidence, "proved");
/// ```
#[must_use]
pub fn check_operation<S: AsRef<str>>(name: S, seed: u64, cases: usize) -> Option<OperationReport> {
    let name = name.as_ref();
    operations_of::<S>()
        .into_iter()
        .find(|operation| operation.name == name)
        .map(|operation| operation.check(seed, cases))
}

/// The names of the operations that [`check_library`] runs over, by family.
#[must_use]
pub fn operation_names<C: FromIterator<&'static str>>() -> C {
    operations_of::<C>().into_iter().map(|operation| operation.name).collect()
}

fn operations_of<P>() -> Vec<Operation<P>> {
    [
        arithmetic::table::<P>(),
        attention::table::<P>(),
        contraction::table::<P>(),
        convolution::table::<P>(),
        declared::table::<P>(),
        elementwise::table::<P>(),
        loss::table::<P>(),
        normalization::table::<P>(),
        pooling::table::<P>(),
        recurrent::table::<P>(),
        regularization::table::<P>(),
        softmax::table::<P>(),
        statistics::table::<P>(),
        structure::table::<P>(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The seed of one point.
fn case_seed(seed: u64, name: &str, instance: usize, case: usize) -> u64 {
    let mut draw = Draw::new(seed);
    let mut mixed = draw.bits();
    let numbers = name.bytes().map(u64::from).chain([instance as u64, case as u64]);
    for number in numbers {
        mixed = Draw::new(mixed ^ number).bits();
    }
    mixed
}

/// A contract of the library: its residual has coordinates too.
trait Operable<T: Scalar>: Subject<T> + Contract<Residual: Over<T>> {}

impl<T: Scalar, C: Subject<T> + Contract<Residual: Over<T>>> Operable<T> for C {}
