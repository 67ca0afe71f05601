//! The laws of one contract.

use pullback_laws::{Approximate, LawViolation, Options, Report, Subject as Rule};

use super::contract::{On, Subject};
use crate::scalar::{Dual, Rational};

/// Checks all laws that apply to a contract, at points that look for trouble; derivatives are measured.
///
/// The laws and what the points are like are in [`pullback_laws`].
/// A declared subgradient is held to the derivatives around each corner, a convention to what [`Checked::declares`](super::Checked::declares) says, a declared surrogate to all laws but those about the derivative; the report says which laws were left out, and why.
/// A rule of which nobody said anything is held to the derivatives around each corner too.
/// The domain of the options is that of all coordinates.
///
/// # Errors
///
/// The first violation, shrunk, with the options that reproduce it; also where a law was tried and could be decided nowhere.
///
/// # Example
///
/// A contract whose rule nobody proved:
///
/// ```
/// use pullback::laws::{self, Options};
/// use pullback::{Contract, Cotangent, Declared, DomainError, Tensor, Unproved};
///
/// struct Square;
///
/// impl Contract for Square {
///     type Input = Tensor<(), f64>;
///     type Output = Tensor<(), f64>;
///     type Residual = Tensor<(), f64>;
///     type Evidence = Declared<Unproved>;
///     fn forward(&self, x: Self::Input) -> Result<(Self::Output, Self::Residual), DomainError> {
///         Ok((x.map(|x: f64| x * x), x))
///     }
///     fn pullback(&self, x: &Self::Residual, seed: Cotangent<Self::Output>) -> Cotangent<Self::Input> {
///         // The factor 2 is missing.
///         Cotangent::new(x.zip_map(seed.as_inner(), |x: f64, u: f64| x * u))
///     }
/// }
///
/// let violation = laws::check(&Square, &Options::new()).unwrap_err();
/// assert_eq!(violation.law().name, "adjoint");
/// ```
pub fn check<T: Approximate, C: Subject<T>>(contract: &C, options: &Options) -> Result<Report, LawViolation> {
    Rule::new(&On(contract)).check(options)
}

/// The same for a contract that is generic over the scalar: derivatives are those of dual numbers, which have to agree with the measured ones.
///
/// # Errors
///
/// As [`check`].
///
/// # Example
///
/// ```
/// use pullback::laws::{self, Options};
/// use pullback::{Dual, N, ops};
///
/// let (f, on_duals) = (ops::tanh::<(N<3>,), f64>(), ops::tanh::<(N<3>,), Dual<f64>>());
/// let report = laws::check_with_duals(&f, &on_duals, &Options::new())?;
/// assert!(report.held("adjoint") > 0 && report.held("tangent") > 0);
/// # Ok::<(), pullback::laws::LawViolation>(())
/// ```
pub fn check_with_duals<T, C, D>(contract: &C, on_duals: &D, options: &Options) -> Result<Report, LawViolation>
where
    T: Approximate,
    C: Subject<T>,
    D: Subject<Dual<T>>,
{
    Rule::new(&On(contract)).on_duals(&On(on_duals)).check(options)
}

/// The same for a contract that is generic over rational scalars too: there the laws hold to the last digit.
///
/// `exact` is the contract over the rationals, and at their dual numbers.
///
/// # Errors
///
/// As [`check`].
///
/// # Example
///
/// ```
/// use pullback::laws::{self, Options};
/// use pullback::{Dual, N, Rational, Scalar, ops};
///
/// fn square<T: Scalar>() -> ops::Square<(N<3>,), T> {
///     ops::square()
/// }
/// let exact = (&square::<Rational>(), &square::<Dual<Rational>>());
/// let report = laws::check_exactly(&square::<f64>(), &square::<Dual<f64>>(), exact, &Options::new())?;
/// assert!(report.held("exact") > 0 && report.held("rounded") > 0);
/// # Ok::<(), pullback::laws::LawViolation>(())
/// ```
pub fn check_exactly<T, C, D, E, F>(
    contract: &C,
    on_duals: &D,
    exact: (&E, &F),
    options: &Options,
) -> Result<Report, LawViolation>
where
    T: Approximate,
    C: Subject<T>,
    D: Subject<Dual<T>>,
    E: Subject<Rational>,
    F: Subject<Dual<Rational>>,
{
    Rule::new(&On(contract)).on_duals(&On(on_duals)).exactly(&On(exact.0), &On(exact.1)).check(options)
}

/// Tests of a contract, one a law, named after the law.
///
/// They are proptest's, which a user has among the `dev-dependencies`; each draws seeds, and a violation comes shrunk and with the options that reproduce it.
/// Each test checks something, or fails: `adjoint` checks the laws `convention` and `duplicated` too, on the corners of the function and where numbers are equal, and `defined` the law `refused`, outside of its domain.
/// A surrogate is the adjoint of nothing, and says so: without the word its test `adjoint` fails.
///
/// # Fragments
///
/// | form | tests |
/// | --- | --- |
/// | `laws!(contract)` | `fn additive`, `fn adjoint` and so on, of an expression that makes the contract |
/// | `laws!(name: contract)` | the same in a module `name` |
/// | `laws!(name: contract, options)` | at the points of these [`Options`], which name the domain |
/// | `laws!(name: <T: Real> contract)` | a contract for every `T` with transcendental functions: derivatives by dual numbers, and the laws about those |
/// | `laws!(name: <T: Scalar> contract)` | a contract for every scalar: the laws over the rationals too |
/// | `laws!(surrogate name: contract)` | all of those but `adjoint`, in each form with a name |
///
/// Options go behind the contract in every form with a name.
///
/// # Example
///
/// ```
/// use pullback::laws::{Domain, Options, laws};
/// use pullback::{N, ops};
///
/// // A contract at one scalar.
/// laws!(ops::tanh::<(N<3>,), f64>());
///
/// // One that is not defined everywhere, in a module of its own.
/// laws!(logarithm: ops::log::<(N<3>,), f64>(), Options::new().domain(Domain::Positive));
///
/// // One for every scalar: exact over the rationals.
/// laws!(square: <T: Scalar> ops::square::<(N<2>, N<3>), T>());
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! laws {
    (surrogate $name:ident : <$scalar:ident : $bound:ident> $contract:expr $(, $options:expr)? $(,)?) => {
        $crate::laws!(@generic $name $bound $scalar ($contract) [] ($($options)?));
    };
    (surrogate $name:ident : $contract:expr $(, $options:expr)? $(,)?) => {
        $crate::laws!(@plain $name ($contract) [] ($($options)?));
    };
    ($name:ident : <$scalar:ident : Scalar> $contract:expr $(, $options:expr)? $(,)?) => {
        $crate::laws!(@generic $name Scalar $scalar ($contract) [(adjoint ADJOINT CONVENTION DUPLICATED) (exact EXACT)] ($($options)?));
    };
    ($name:ident : <$scalar:ident : Real> $contract:expr $(, $options:expr)? $(,)?) => {
        $crate::laws!(@generic $name Real $scalar ($contract) [(adjoint ADJOINT CONVENTION DUPLICATED)] ($($options)?));
    };
    ($name:ident : $contract:expr $(, $options:expr)? $(,)?) => {
        $crate::laws!(@plain $name ($contract) [(adjoint ADJOINT CONVENTION DUPLICATED)] ($($options)?));
    };
    (@generic $name:ident Scalar $scalar:ident ($contract:expr) [$($adjoint:tt)*] $options:tt) => {
        $crate::laws!(@module $name [$($adjoint)* (primal PRIMAL) (tangent TANGENT) (rounded ROUNDED)] $options
            fn check(options: &$crate::laws::Options) -> Result<$crate::laws::Report, $crate::laws::LawViolation> {
                fn make<$scalar: $crate::Scalar>() -> impl $crate::laws::Subject<$scalar> {
                    $contract
                }
                let exact = (&make::<$crate::Rational>(), &make::<$crate::Dual<$crate::Rational>>());
                $crate::laws::check_exactly(&make::<f64>(), &make::<$crate::Dual<f64>>(), exact, options)
            }
        );
    };
    (@generic $name:ident Real $scalar:ident ($contract:expr) [$($adjoint:tt)*] $options:tt) => {
        $crate::laws!(@module $name [$($adjoint)* (primal PRIMAL) (tangent TANGENT)] $options
            fn check(options: &$crate::laws::Options) -> Result<$crate::laws::Report, $crate::laws::LawViolation> {
                fn make<$scalar: $crate::Real>() -> impl $crate::laws::Subject<$scalar> {
                    $contract
                }
                $crate::laws::check_with_duals(&make::<f64>(), &make::<$crate::Dual<f64>>(), options)
            }
        );
    };
    (@plain $name:ident ($contract:expr) $laws:tt $options:tt) => {
        $crate::laws!(@module $name $laws $options
            fn check(options: &$crate::laws::Options) -> Result<$crate::laws::Report, $crate::laws::LawViolation> {
                $crate::laws::check(&$contract, options)
            }
        );
    };
    (@module $name:ident $laws:tt $options:tt $check:item) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            $check
            $crate::laws!(@tests $laws $options);
        }
    };
    (@tests $laws:tt ()) => { $crate::laws!(@tests $laws ($crate::laws::Options::new())); };
    (@tests [$($own:tt)*] $options:tt) => {
        $crate::laws!(@each $options
            $($own)*
            (shape SHAPE) (defined DEFINED REFUSED)
            (homogeneous HOMOGENEOUS) (additive ADDITIVE) (zero_to_zero ZERO_TO_ZERO)
            (deterministic DETERMINISTIC) (reusable REUSABLE) (interleaved INTERLEAVED) (recomputable RECOMPUTABLE)
            (residual_suffices RESIDUAL_SUFFICES) (unchanged UNCHANGED) (moved MOVED)
        );
    };
    (@each $options:tt $($law:tt)*) => { $($crate::laws!(@test $options $law);)* };
    (@test ($options:expr) ($name:ident $law:ident $($also:ident)*)) => {
        ::proptest::proptest! {
            // The engine shrinks the point: another seed would not be simpler.
            #![proptest_config(::proptest::test_runner::Config {
                max_shrink_iters: 0,
                failure_persistence: None,
                ..::proptest::test_runner::Config::with_cases(8)
            })]
            #[test]
            fn $name(seed in ::proptest::num::u64::ANY) {
                check(&$options.seed(seed).only($crate::laws::Law::$law)$(.also($crate::laws::Law::$also))*)?;
            }
        }
    };
    ($contract:expr $(,)?) => {
        fn check(options: &$crate::laws::Options) -> Result<$crate::laws::Report, $crate::laws::LawViolation> {
            $crate::laws::check(&$contract, options)
        }
        $crate::laws!(@tests [(adjoint ADJOINT CONVENTION DUPLICATED)] ());
    };
}
