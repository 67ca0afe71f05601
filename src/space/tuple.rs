//! Tuples of spaces are spaces; so are `()` and markers, which have no coordinates.

use core::marker::PhantomData;

use super::{Over, Space};
use crate::scalar::Scalar;

/// Fragments: the parameters, the space, and its one point. Example: `trivial! { [] () () }` is for `()`.
macro_rules! trivial {
    ([$($parameter:ident: $first:tt $(+ $bound:tt)*)?] $space:ty, $point:expr) => {
        #[diagnostic::do_not_recommend]
        impl<$($parameter: $first $(+ $bound)*)?> Space for $space {
            const DIMENSION: usize = 0;
            #[inline]
            fn zero() -> Self {
                $point
            }
            #[inline]
            fn accumulate(&mut self, _term: &Self) {}
        }

        impl<Scal: Scalar $(, $parameter: $first $(+ $bound)*)?> Over<Scal> for $space {
            #[inline]
            fn visit<F: FnMut(&Scal)>(&self, _visit: &mut F) {}
            #[inline]
            fn map_coordinates<F: FnMut(Scal) -> Scal>(self, _function: &mut F) -> Self {
                $point
            }
            #[inline]
            fn zip_coordinates<F: FnMut(Scal, &Scal) -> Scal>(self, _other: &Self, _function: &mut F) -> Self {
                $point
            }
            #[inline]
            fn from_coordinates<I: Iterator<Item = Scal>>(_coordinates: &mut I) -> Option<Self> {
                Some($point)
            }
            #[inline]
            fn dot(&self, _other: &Self) -> Scal {
                Scal::zero()
            }
        }
    };
}

trivial! { [] (), () }
trivial! { [A: Send + Sync + 'static] PhantomData<A>, PhantomData }

/// Fragments: each part and its place. Example: `tuple! { A 0, B 1 }` makes `(A, B)` a space.
macro_rules! tuple {
    ($($part:ident $place:tt),*) => {
        // A part that is no space is not helped by a list of tuples.
        #[diagnostic::do_not_recommend]
        impl<$($part: Space),*> Space for ($($part,)*) {
            const DIMENSION: usize = 0_usize $(.saturating_add($part::DIMENSION))*;
            #[inline]
            fn zero() -> Self {
                ($($part::zero(),)*)
            }
            #[inline]
            fn accumulate(&mut self, term: &Self) {
                $(self.$place.accumulate(&term.$place);)*
            }
        }

        impl<Scal: Scalar, $($part: Over<Scal>),*> Over<Scal> for ($($part,)*) {
            #[inline]
            fn visit<Func: FnMut(&Scal)>(&self, visit: &mut Func) {
                $(self.$place.visit(visit);)*
            }
            #[inline]
            fn map_coordinates<Func: FnMut(Scal) -> Scal>(self, function: &mut Func) -> Self {
                ($(self.$place.map_coordinates(function),)*)
            }
            #[inline]
            fn zip_coordinates<Func: FnMut(Scal, &Scal) -> Scal>(self, other: &Self, function: &mut Func) -> Self {
                ($(self.$place.zip_coordinates(&other.$place, function),)*)
            }
            fn from_coordinates<Iter: Iterator<Item = Scal>>(coordinates: &mut Iter) -> Option<Self> {
                Some(($($part::from_coordinates(coordinates)?,)*))
            }
            #[inline]
            fn dot(&self, other: &Self) -> Scal {
                let mut sum = Scal::zero();
                $(sum.accumulate(self.$place.dot(&other.$place));)*
                sum
            }
        }
    };
}

tuple! { A 0 }
tuple! { A 0, B 1 }
tuple! { A 0, B 1, C 2 }
tuple! { A 0, B 1, C 2, D 3 }
tuple! { A 0, B 1, C 2, D 3, E 4 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5, G 6 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11 }
