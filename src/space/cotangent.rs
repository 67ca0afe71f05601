//! Cotangents.

use super::{Composite, Space};

/// A cotangent at a point of the space `A`: what a backward rule takes and gives.
///
/// Its coordinates are those of `A`, under the Euclidean pairing, but it is a type of its own, so that a primal can't be passed for it by accident.
///
/// # Example
///
/// ```
/// use pullback::{Cotangent, N, Tensor};
///
/// let seed = Cotangent::new((Tensor::<()>::scalar(1.0), Tensor::<(N<2>,)>::zeros()));
/// let (loss, _rest) = seed.split();
/// assert_eq!(loss.into_inner().to_scalar(), 1.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cotangent<A: Space>(A);

impl<A: Space> Cotangent<A> {
    /// The cotangent with the coordinates of a point.
    #[inline]
    #[must_use]
    pub const fn new(coordinates: A) -> Self {
        Cotangent(coordinates)
    }

    /// The zero cotangent.
    #[inline]
    #[must_use]
    pub fn zero() -> Self {
        Cotangent(A::zero())
    }

    /// The coordinates.
    #[inline]
    #[must_use]
    pub fn into_inner(self) -> A {
        self.0
    }

    /// The coordinates, borrowed.
    #[inline]
    #[must_use]
    pub const fn as_inner(&self) -> &A {
        &self.0
    }

    /// The sum.
    #[inline]
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "the method of `Space`, which borrows its term")]
    pub fn add(self, term: &Self) -> Self {
        Cotangent(self.0.add(&term.0))
    }

    /// Adds `term`.
    #[inline]
    pub fn accumulate(&mut self, term: &Self) {
        self.0.accumulate(&term.0);
    }
}

impl<A: Composite> Cotangent<A> {
    /// The cotangent of a struct as that of the tuple of its fields.
    #[inline]
    #[must_use]
    pub fn into_parts(self) -> Cotangent<A::Parts> {
        Cotangent(self.0.into_parts())
    }

    /// The cotangent of a struct from that of the tuple of its fields.
    #[inline]
    #[must_use]
    pub fn from_parts(parts: Cotangent<A::Parts>) -> Self {
        Cotangent(A::from_parts(parts.0))
    }
}

/// Fragments: each part and its place. Example: `split! { A 0, B 1 }` splits the cotangent of a pair.
macro_rules! split {
    ($($part:ident $place:tt),*) => {
        impl<$($part: Space),*> Cotangent<($($part,)*)> {
            /// The cotangents of the parts.
            #[inline]
            #[must_use]
            pub fn split(self) -> ($(Cotangent<$part>,)*) {
                ($(Cotangent(self.0.$place),)*)
            }
        }

        impl<$($part: Space),*> From<($(Cotangent<$part>,)*)> for Cotangent<($($part,)*)> {
            #[inline]
            fn from(parts: ($(Cotangent<$part>,)*)) -> Self {
                Cotangent(($(parts.$place.0,)*))
            }
        }
    };
}

split! { A 0 }
split! { A 0, B 1 }
split! { A 0, B 1, C 2 }
split! { A 0, B 1, C 2, D 3 }
split! { A 0, B 1, C 2, D 3, E 4 }
split! { A 0, B 1, C 2, D 3, E 4, F 5 }
split! { A 0, B 1, C 2, D 3, E 4, F 5, G 6 }
split! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7 }
split! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8 }
split! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9 }
split! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10 }
split! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11 }
