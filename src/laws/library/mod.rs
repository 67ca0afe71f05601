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

use super::draw::{Domain, Draw};
use super::flat::Subject;
use super::violation::{Law, LawViolation};
use super::{Approximate, LAWS};
use crate::contract::{Contract, Evidence};
use crate::scalar::{Dual, Scalar};
use crate::space::{Over, Space};
use table::Operation;
use tally::{alone, points};

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
pub struct Report {
    /// The seed that all points came from.
    pub seed: u64,
    /// How many points were tried for each instance of an operation.
    pub cases: usize,
    /// One entry for each operation, by family and name.
    pub operations: Vec<OperationReport>,
}

impl Report {
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
pub fn check_library<P: FnMut(&str)>(seed: u64, cases: usize, mut progress: P) -> Report {
    let mut operations = Vec::new();
    for operation in operations_of::<P>() {
        progress(operation.name);
        operations.push(operation.check(seed, cases));
    }
    Report { seed, cases, operations }
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

/// Runs the laws of a single contract at `cases` points, with its coordinates drawn from `domain`: that it is linear, deterministic, needs its residual only, and is the adjoint of its derivative.
///
/// `on_duals` is the same contract at dual numbers.
/// A contract with the evidence `Declared<Surrogate>` is not held to be an adjoint.
/// Gives the number of checks.
///
/// # Errors
///
/// The first violation, with the seed of its point.
///
/// # Example
///
/// A user's own contract, whose rule nobody proved:
///
/// ```
/// use pullback::laws::{Domain, check_contract};
/// use pullback::{Contract, Cotangent, Declared, DomainError, Dual, Scalar, Tensor, Unproved};
///
/// struct Square<T>(std::marker::PhantomData<fn() -> T>);
///
/// impl<T: Scalar> Contract for Square<T> {
///     type Input = Tensor<(), T>;
///     type Output = Tensor<(), T>;
///     type Residual = Tensor<(), T>;
///     type Evidence = Declared<Unproved>;
///     fn forward(&self, x: Self::Input) -> Result<(Self::Output, Self::Residual), DomainError> {
///         Ok((x.map(|x: T| x.clone() * x), x))
///     }
///     fn pullback(&self, x: &Self::Residual, seed: Cotangent<Self::Output>) -> Cotangent<Self::Input> {
///         // The factor 2 is missing.
///         Cotangent::new(x.zip_map(seed.as_inner(), |x: T, u: T| x * u))
///     }
/// }
///
/// let (f, on_duals) = (Square::<f64>(std::marker::PhantomData), Square::<Dual<f64>>(std::marker::PhantomData));
/// let violation = check_contract::<f64, _, _>(&f, &on_duals, Domain::Any, 1, 10).unwrap_err();
/// assert_eq!(violation.law().name, "adjoint");
/// ```
pub fn check_contract<T, C, D>(
    contract: &C,
    on_duals: &D,
    domain: Domain,
    seed: u64,
    cases: usize,
) -> Result<usize, LawViolation>
where
    T: Approximate,
    C: Subject<T>,
    D: Subject<Dual<T>>,
{
    let mut checks = 0;
    for case in 0..cases {
        let seed = case_seed(seed, "", 0, case);
        let mut draw = Draw::new(seed);
        let dimension = <C::Input as Space>::DIMENSION;
        let (x, y) = (draw.list::<T>(dimension, domain), draw.list::<T>(dimension, domain));
        let points = points(&mut draw, x, y, <C::Output as Space>::DIMENSION);
        let adjoint = <C::Evidence as Evidence>::LABEL != "surrogate";
        alone(contract, on_duals, adjoint, &points, &mut |_, result| {
            checks += 1;
            result.map_err(|violation| violation.with_seed(seed))
        })?;
    }
    Ok(checks)
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
trait Operable<T: Scalar>: Contract<Input: Over<T>, Output: Over<T>, Residual: Over<T>> {}

impl<T: Scalar, C: Contract<Input: Over<T>, Output: Over<T>, Residual: Over<T>>> Operable<T> for C {}
