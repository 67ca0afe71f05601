//! When two results of one real number agree.

use num_traits::ToPrimitive;

use pullback_scalar::{Rational, Scalar};

use crate::equations::Outcome;
use crate::options::Options;
use crate::points::Points;
use crate::report::Report;
use crate::suite::Subject;
use crate::violation::{Law, LawViolation};

/// A scalar that laws can be stated over: equality that allows for rounding, and none by default.
///
/// A law is written once; on exact scalars it holds to the last digit, on floats to half of their digits.
///
/// # Why half of the digits
///
/// A law compares two ways to compute one number, which differ by rounding alone: some hundreds of operations on numbers of order one, with condition numbers in the thousands at worst.
/// That eats less than half of the digits, and a wrong rule, at points in general position, is wrong in the first ones.
/// The error is taken relative to the greatest number that went into the comparison, since a sum that cancels is as inexact as its terms.
/// Where that is not enough, because more cancelled on the way than shows at the end, laws ask how rough the result is as a function of its input.
///
/// # Example
///
/// ```
/// use pullback_laws::Approximate;
/// use pullback_scalar::{Rational, Scalar};
///
/// assert!((0.1_f64 + 0.2).agrees(&0.3, &0.3));
/// assert!(!0.31_f64.agrees(&0.3, &0.3));
/// // The same error beside terms of 10⁹ is rounding.
/// assert!(0.31_f64.agrees(&0.3, &1e9));
/// let third = Rational::from_ratio(1, 3);
/// assert!(!third.agrees(&Rational::from_ratio(333_333_333, 1_000_000_000), &third));
/// ```
pub trait Approximate: Scalar {
    /// The relative error that is allowed: zero for exact scalars.
    const TOLERANCE: f64 = 0.0;

    /// The greatest number.
    const GREATEST: f64 = f64::INFINITY;

    /// Whether two numbers agree, when the greatest number that they were computed from has the magnitude `scale`.
    ///
    /// What is not a number, or not finite, agrees with nothing.
    fn agrees(&self, other: &Self, _scale: &Self) -> bool {
        self == other
    }

    /// Whether it is a number, and finite.
    fn is_finite(&self) -> bool {
        true
    }

    /// The nearest double, for reports and for comparing scalars of different precision.
    fn to_f64(&self) -> f64;

    /// The number in words.
    fn show(&self) -> String {
        format!("{self:?}")
    }

    /// All laws at this scalar: compiled in this crate for the scalars that it knows, and optimised as it is, whoever asks.
    #[doc(hidden)]
    fn try_all(subject: &Subject<'_, Self>, options: &Options) -> Result<Report, LawViolation> {
        subject.try_all(options)
    }

    /// All laws at these points, as [`try_all`](Approximate::try_all).
    #[doc(hidden)]
    fn visit_all(
        subject: &Subject<'_, Self>,
        points: &Points<Self>,
        sink: &mut dyn FnMut(Law, Result<Outcome, LawViolation>),
    ) {
        subject.visit_all(points, sink);
    }
}

/// The two functions above for a scalar by name, so that they are compiled here.
macro_rules! compiled {
    () => {
        fn try_all(subject: &Subject<'_, Self>, options: &Options) -> Result<Report, LawViolation> {
            subject.try_all(options)
        }
        fn visit_all(
            subject: &Subject<'_, Self>,
            points: &Points<Self>,
            sink: &mut dyn FnMut(Law, Result<Outcome, LawViolation>),
        ) {
            subject.visit_all(points, sink);
        }
    };
}

impl Approximate for Rational {
    compiled!();

    fn to_f64(&self) -> f64 {
        ToPrimitive::to_f64(self).unwrap_or(f64::NAN)
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

/// Fragments: each float and its tolerance, the square root of its machine epsilon.
macro_rules! float {
    ($($float:ident $tolerance:literal),*) => {$(
        impl Approximate for $float {
            compiled!();

            const TOLERANCE: f64 = $tolerance;
            const GREATEST: f64 = $float::MAX as f64;

            fn agrees(&self, other: &Self, scale: &Self) -> bool {
                let bound = $tolerance * scale;
                bound.is_finite() && (self - other).abs() <= bound
            }
            fn is_finite(&self) -> bool {
                $float::is_finite(*self)
            }
            fn to_f64(&self) -> f64 {
                f64::from(*self)
            }
        }
    )*};
}

float! { f32 3.5e-4, f64 1.5e-8 }

/// How many binary digits a scalar has; none where it is exact.
pub(crate) fn digits<T: Approximate>() -> Option<u32> {
    (T::TOLERANCE > 0.0).then(|| (-2.0 * T::TOLERANCE.log2()) as u32)
}

/// The absolute value.
pub(crate) fn magnitude<T: Scalar>(number: &T) -> T {
    if number.is_positive() { number.clone() } else { -number.clone() }
}

/// The least of some numbers; nothing of none.
pub(crate) fn least<T: Scalar>(numbers: impl Iterator<Item = T>) -> Option<T> {
    numbers.reduce(|one, other| -(-one).maximum(-other))
}
