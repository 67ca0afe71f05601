//! Numbers on their way into a program and out of it.
//!
//! A program has no scalar of its own: what it holds are exact literals, and it runs over whatever number it is given.

use pullback_program::operation::{Array, Elements};
use pullback_program::{IndexData, Literal, Number};

use crate::scalar::{Dual, Rational, Scalar};
use crate::shape::Shape;
use crate::tensor::{Bijection, IndexMap, PartialMap, Tensor};

/// A scalar whose values a program can hold as literals: each is one real number.
///
/// | scalar | literal |
/// | --- | --- |
/// | `f32`, `f64` | the float, to the bit |
/// | [`Rational`] | the rational |
///
/// A dual number is not one real, so a contract over dual numbers has no place in a program.
#[diagnostic::on_unimplemented(
    message = "E0119: `{Self}` can't stand in a program",
    label = "not one real number",
    note = "the parameters and constants of an operation in a program are `f32`, `f64` or `Rational`"
)]
pub trait Exact: Scalar {
    /// The number as a literal.
    fn literal(&self) -> Literal;
}

#[diagnostic::do_not_recommend]
impl Exact for f32 {
    #[inline]
    fn literal(&self) -> Literal {
        Literal::Float(f64::from(*self))
    }
}

#[diagnostic::do_not_recommend]
impl Exact for f64 {
    #[inline]
    fn literal(&self) -> Literal {
        Literal::Float(*self)
    }
}

#[diagnostic::do_not_recommend]
impl Exact for Rational {
    #[inline]
    fn literal(&self) -> Literal {
        Literal::Exact(self.clone().into())
    }
}

/// A tensor as an array of a program; one of equal elements is kept as one of them.
pub fn array<S: Shape, T: Exact>(tensor: &Tensor<S, T>) -> Array {
    let elements = tensor.as_slice();
    let first = elements[0].literal();
    let equal = elements.iter().all(|element| element.literal() == first);
    let elements =
        if equal { Elements::Splat(first) } else { Elements::Each(elements.iter().map(Exact::literal).collect()) };
    Array { shape: pullback_program::Shape::new(S::SIZES), elements }
}

/// An index map of a contract, as data of a program.
pub trait Indices {
    /// The values, one for each point of the domain.
    fn data(&self) -> IndexData;
}

impl<From: Shape, To: Shape> Indices for IndexMap<From, To> {
    fn data(&self) -> IndexData {
        IndexData::Table(self.entries().to_vec())
    }
}

impl<From: Shape, To: Shape> Indices for PartialMap<From, To> {
    fn data(&self) -> IndexData {
        IndexData::Partial((0..From::LEN).map(|at| self.at(at)).collect())
    }
}

impl<From: Shape, To: Shape> Indices for Bijection<From, To> {
    fn data(&self) -> IndexData {
        if self.is_identity() {
            IndexData::RowMajor
        } else {
            IndexData::Table((0..From::LEN).map(|at| self.at(at)).collect())
        }
    }
}

/// A scalar that programs are evaluated over.
///
/// | scalar | evaluates as | exact |
/// | --- | --- | --- |
/// | `f32`, `f64` | itself | no |
/// | [`Rational`] | the rational of the evaluator; no transcendental values | yes |
/// | [`Dual<T>`] | the dual number of the evaluator | as `T` |
#[diagnostic::on_unimplemented(
    message = "programs are not evaluated over `{Self}`",
    label = "not a number of the evaluator",
    note = "they are over `f32`, `f64`, `Rational` and dual numbers of such"
)]
pub trait Evaluable: Scalar {
    /// The number that the evaluator works with.
    type Number: Number + core::fmt::Debug + Send + Sync + 'static;

    /// Whether an operation may have a value that the scalar can't say, such as the exponential of a rational.
    const EXACT: bool;

    /// The scalar as a number.
    fn into_number(self) -> Self::Number;

    /// The number as a scalar.
    fn from_number(number: Self::Number) -> Self;

    /// What stands for no value where an error can't be returned: a NaN, if there is one.
    #[must_use]
    fn undefined() -> Self;
}

/// Scalars that are real numbers: type, the number of the evaluator, exactness, and what stands for no value.
macro_rules! evaluable {
    ($($scalar:ty, $number:ty, $exact:literal, $undefined:expr;)*) => {$(
        impl Evaluable for $scalar {
            type Number = $number;
            const EXACT: bool = $exact;
            #[inline]
            fn into_number(self) -> $number {
                self.into()
            }
            #[inline]
            fn from_number(number: $number) -> $scalar {
                number.into()
            }
            #[inline]
            fn undefined() -> $scalar {
                $undefined
            }
        }
    )*};
}

evaluable! {
    f32, f32, false, f32::NAN;
    f64, f64, false, f64::NAN;
    // A program over rationals looks for values that can't be said when it runs forward, so nobody ever meets this.
    Rational, pullback_kernel::Rational, true, <Rational as Scalar>::zero();
}

impl<T: Evaluable> Evaluable for Dual<T> {
    type Number = pullback_kernel::eval::Dual<T::Number>;
    const EXACT: bool = T::EXACT;

    #[inline]
    fn into_number(self) -> Self::Number {
        pullback_kernel::eval::Dual { value: self.value.into_number(), tangent: self.tangent.into_number() }
    }

    #[inline]
    fn from_number(number: Self::Number) -> Self {
        Dual { value: T::from_number(number.value), tangent: T::from_number(number.tangent) }
    }

    #[inline]
    fn undefined() -> Self {
        Dual { value: T::undefined(), tangent: T::undefined() }
    }
}
