//! The traits.

use core::fmt::Debug;

use crate::scalar::Scalar;

/// A finite-dimensional vector space as a type: zero, addition, and a dimension that the compiler knows.
///
/// # Example
///
/// ```
/// use pullback::{Over, Space, Tensor, dims};
///
/// dims! { Pixel = 64; Class = 10 }
///
/// /// The parameters of a linear classifier.
/// #[derive(Clone, Debug, Space)]
/// struct Linear {
///     weight: Tensor<(Pixel, Class)>,
///     bias: Tensor<(Class,)>,
/// }
///
/// assert_eq!(Linear::DIMENSION, 650);
/// let step = Linear { weight: Tensor::full(0.5), bias: Tensor::full(1.0) };
/// let twice = Linear::zero().add(&step).add(&step);
/// assert_eq!(twice.bias.as_slice()[0], 2.0);
/// assert_eq!(step.dot(&step), 640.0 * 0.25 + 10.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "E0114: `{Self}` is not a space",
    label = "not a finite product of tensors",
    note = "a space is `()`, a tensor, a tuple or array of spaces, or a struct with `#[derive(Clone, Debug, Space)]`"
)]
pub trait Space: Clone + Debug + Send + Sync + 'static {
    /// The number of coordinates; `usize::MAX` where it is not known while compiling.
    const DIMENSION: usize;

    /// The origin.
    #[must_use]
    fn zero() -> Self;

    /// Adds `term`, in place where nobody else holds the elements.
    fn accumulate(&mut self, term: &Self);

    /// The sum, made in place where nobody else holds the elements.
    #[inline]
    #[must_use]
    fn add(mut self, term: &Self) -> Self {
        self.accumulate(term);
        self
    }
}

/// A space whose coordinates are scalars `T`.
///
/// `()` is a space over every scalar, and a product is one over `T` where its parts are.
/// Coordinates come in order: by part, and within a tensor in row-major order.
#[diagnostic::on_unimplemented(
    message = "E0114: `{Self}` is not a space over `{T}`",
    label = "has coordinates of another scalar than `{T}`"
)]
pub trait Over<T: Scalar>: Space {
    /// Shows every coordinate to a function, in order.
    fn visit<F: FnMut(&T)>(&self, visit: &mut F);

    /// The function applied to every coordinate.
    #[must_use]
    fn map_coordinates<F: FnMut(T) -> T>(self, function: &mut F) -> Self;

    /// The function applied to the same coordinates of two points.
    #[must_use]
    fn zip_coordinates<F: FnMut(T, &T) -> T>(self, other: &Self, function: &mut F) -> Self;

    /// The point with the given coordinates, or nothing where they are too few; no more than [`DIMENSION`](Space::DIMENSION) are taken.
    fn from_coordinates<I: Iterator<Item = T>>(coordinates: &mut I) -> Option<Self>;

    /// The Euclidean pairing: the sum of the products of the coordinates, added in order.
    #[must_use]
    fn dot(&self, other: &Self) -> T;

    /// The point times a scalar.
    #[inline]
    #[must_use]
    fn scale(self, factor: &T) -> Self {
        self.map_coordinates(&mut |coordinate| coordinate * factor.clone())
    }

    /// The coordinates in a vector, [`DIMENSION`](Space::DIMENSION) of them.
    #[must_use]
    fn coordinates(&self) -> Vec<T> {
        let mut coordinates = Vec::with_capacity(Self::DIMENSION);
        self.visit(&mut |coordinate: &T| coordinates.push(coordinate.clone()));
        coordinates
    }
}

/// A struct of spaces, isomorphic to the tuple of its fields; made by `#[derive(Space)]`.
///
/// `from_parts(x.into_parts())` is `x`, and `from_parts(p).into_parts()` is `p`.
#[diagnostic::on_unimplemented(
    message = "E0114: `{Self}` is not a struct of spaces",
    label = "needs `#[derive(Space)]`"
)]
pub trait Composite: Space {
    /// The tuple of the fields, in the order of their declaration.
    type Parts: Space;
    /// The fields.
    #[must_use]
    fn into_parts(self) -> Self::Parts;
    /// The struct with those fields.
    #[must_use]
    fn from_parts(parts: Self::Parts) -> Self;
}

/// A space that is a pair; implemented for every pair, and for nothing else.
///
/// A user does not write it: it lets a combinator speak about the parts of a contract's input.
#[diagnostic::on_unimplemented(
    message = "E0114: `{Self}` is not a pair of parameters and input",
    label = "expected `(parameters, input)`, found `{Self}`"
)]
pub trait Pair: Space {
    /// The first part: parameters.
    type Left: Space;
    /// The second part: the input.
    type Right: Space;
    /// The pair.
    #[must_use]
    fn pair(left: Self::Left, right: Self::Right) -> Self;
    /// The parts.
    #[must_use]
    fn unpair(self) -> (Self::Left, Self::Right);
    /// The pair with one more parameter, `((left, more), right)`.
    type With<More: Space>: Pair;
    /// Adds a parameter.
    #[must_use]
    fn with<More: Space>(self, more: More) -> Self::With<More>;
    /// Takes it off again.
    #[must_use]
    fn without<More: Space>(extended: Self::With<More>) -> (Self, More);
}

impl<A: Space, B: Space> Pair for (A, B) {
    type Left = A;
    type Right = B;
    #[inline]
    fn pair(left: A, right: B) -> Self {
        (left, right)
    }
    #[inline]
    fn unpair(self) -> (A, B) {
        self
    }
    type With<More: Space> = ((A, More), B);
    #[inline]
    fn with<More: Space>(self, more: More) -> ((A, More), B) {
        ((self.0, more), self.1)
    }
    #[inline]
    fn without<More: Space>(((left, more), right): ((A, More), B)) -> ((A, B), More) {
        ((left, right), more)
    }
}
