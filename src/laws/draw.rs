//! Points of spaces and index maps, drawn from a seed.

use pullback_laws::{Domain, Draw};

use crate::scalar::Scalar;
use crate::shape::Shape;
use crate::space::{Over, Space};
use crate::tensor::{Bijection, IndexError, IndexMap, PartialMap, Tensor};

/// What a [`Draw`] gives that has a type: points, masks, index maps.
///
/// # Example
///
/// ```
/// use pullback::laws::{Approximate, Domain, Draw, TypedDraw};
/// use pullback::{N, Rational, Tensor};
///
/// type V<T> = Tensor<(N<3>,), T>;
/// let exact: V<Rational> = Draw::new(7).point(Domain::NonZero);
/// let double: V<f64> = Draw::new(7).point(Domain::NonZero);
/// assert_eq!(double.to_vec(), exact.as_slice().iter().map(Approximate::to_f64).collect::<Vec<_>>());
/// ```
pub trait TypedDraw {
    /// A point of a space.
    fn point<T: Scalar, A: Over<T>>(&mut self, domain: Domain) -> A;

    /// A tensor of zeros and positive numbers, with a positive one in every row along the last axis.
    fn mask<S: Shape, T: Scalar>(&mut self) -> Tensor<S, T>;

    /// An index map; where it has two entries or more, an index is read twice.
    ///
    /// # Errors
    ///
    /// None: every entry is an index of the target.
    fn map<From: Shape, To: Shape>(&mut self) -> Result<IndexMap<From, To>, IndexError>;

    /// An index map that reads no index twice within a row along the last axis, as the windows of a maximum need: twice the same element would be a tie.
    ///
    /// # Errors
    ///
    /// None, where a row is no longer than the target.
    fn window_map<From: Shape, To: Shape>(&mut self) -> Result<IndexMap<From, To>, IndexError>;

    /// A partial index map: now and then undefined, and many to one.
    ///
    /// # Errors
    ///
    /// None: every entry is an index of the target.
    fn partial_map<From: Shape, To: Shape>(&mut self) -> Result<PartialMap<From, To>, IndexError>;

    /// A bijection: a shuffle, which from three elements on is mostly no involution.
    ///
    /// # Errors
    ///
    /// Where the two shapes have different lengths.
    fn bijection<From: Shape, To: Shape>(&mut self) -> Result<Bijection<From, To>, IndexError>;
}

impl TypedDraw for Draw {
    fn point<T: Scalar, A: Over<T>>(&mut self, domain: Domain) -> A {
        let numbers = self.list(<A as Space>::DIMENSION, domain);
        A::from_coordinates(&mut numbers.into_iter()).unwrap_or_else(A::zero)
    }
    fn mask<S: Shape, T: Scalar>(&mut self) -> Tensor<S, T> {
        let row = S::SIZES.last().copied().unwrap_or(1);
        let mut kept = 0;
        Tensor::from_fn(|index| {
            if index % row == 0 {
                kept = self.below(row);
            }
            let shown = index % row == kept || self.below(2) == 0;
            if shown { self.number(Domain::Positive) } else { T::zero() }
        })
    }
    fn map<From: Shape, To: Shape>(&mut self) -> Result<IndexMap<From, To>, IndexError> {
        let mut entries: Vec<usize> = (0..From::LEN).map(|_| self.below(To::LEN)).collect();
        let (one, other) = (self.below(From::LEN), self.below(From::LEN));
        entries[one] = entries[other];
        IndexMap::new(entries)
    }
    fn window_map<From: Shape, To: Shape>(&mut self) -> Result<IndexMap<From, To>, IndexError> {
        let row = From::SIZES.last().copied().unwrap_or(1);
        let mut start = 0;
        IndexMap::from_fn(|index| {
            if index % row == 0 {
                start = self.below(To::LEN);
            }
            (start + index % row) % To::LEN
        })
    }
    fn partial_map<From: Shape, To: Shape>(&mut self) -> Result<PartialMap<From, To>, IndexError> {
        PartialMap::from_fn(|_| if self.below(4) == 0 { None } else { Some(self.below(To::LEN)) })
    }
    fn bijection<From: Shape, To: Shape>(&mut self) -> Result<Bijection<From, To>, IndexError> {
        let mut entries: Vec<usize> = (0..From::LEN).collect();
        for upper in (1..entries.len()).rev() {
            let other = self.below(upper + 1);
            entries.swap(upper, other);
        }
        Bijection::new(entries)
    }
}
