//! Moving, copying and dropping: linear contracts that save nothing.

use core::fmt;
use core::marker::PhantomData;

use crate::contract::seal::{MayCarryProof, OfItsParts};
use crate::contract::{Contract, DomainError, Proved};
use crate::space::{Composite, Cotangent, Space};

/// Fragments: docs, the type, its function, the spaces it is about, its input and output, forward as a pattern and an expression, backward likewise.
///
/// ```text
/// structure! {
///     /// Docs.
///     Swap swap [A, B]: (A, B) => (B, A);
///     |(a, b)| (b, a);
///     |seed| { let (b, a) = seed.split(); (a, b).into() }
/// }
/// ```
macro_rules! structure {
    ($(
        $(#[$docs:meta])*
        $name:ident $function:ident [$($space:ident: $bound:ident),*]: $input:ty => $output:ty;
        |$from:pat_param| $to:expr;
        |$seed:ident| $back:expr;
    )*) => {$(
        $(#[$docs])*
        pub struct $name<$($space),*>(PhantomData<fn() -> ($($space,)*)>);

        $(#[$docs])*
        #[inline]
        #[must_use]
        pub const fn $function<$($space: $bound),*>() -> $name<$($space),*> {
            $name(PhantomData)
        }

        impl<$($space),*> Clone for $name<$($space),*> {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($space),*> Copy for $name<$($space),*> {}

        impl<$($space),*> fmt::Debug for $name<$($space),*> {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(stringify!($name))
            }
        }

        impl<$($space),*> MayCarryProof for $name<$($space),*> {
            type Grounds = OfItsParts<Self>;
        }

        impl<$($space: $bound),*> Contract for $name<$($space),*> {
            type Input = $input;
            type Output = $output;
            type Residual = ();
            // Permutations, copies and projections: the combinator's laws test them, and this crate is trusted for them.
            type Evidence = Proved;

            #[inline]
            fn forward(&self, $from: $input) -> Result<($output, ()), DomainError> {
                Ok(($to, ()))
            }

            #[inline]
            fn pullback(&self, _residual: &(), $seed: Cotangent<$output>) -> Cotangent<$input> {
                $back
            }
        }
    )*};
}

structure! {
    /// What comes in goes out; the unit of composition.
    Identity identity [A: Space]: A => A;
    |input| input;
    |seed| seed;

    /// `a` becomes `(a, a)`; backward, the two cotangents are added.
    Duplicate duplicate [A: Space]: A => (A, A);
    |input| (input.clone(), input);
    |seed| {
        let (left, right) = seed.split();
        left.add(&right)
    };

    /// Everything becomes `()`; backward, the cotangent is zero.
    Discard discard [A: Space]: A => ();
    |_input| ();
    |_seed| Cotangent::zero();

    /// `(a, b)` becomes `(b, a)`.
    Swap swap [A: Space, B: Space]: (A, B) => (B, A);
    |(left, right)| (right, left);
    |seed| {
        let (right, left) = seed.split();
        (left, right).into()
    };

    /// `(a, b)` becomes `a`; backward, `b` gets zero.
    First first [A: Space, B: Space]: (A, B) => A;
    |(left, _)| left;
    |seed| (seed, Cotangent::zero()).into();

    /// `(a, b)` becomes `b`; backward, `a` gets zero.
    Second second [A: Space, B: Space]: (A, B) => B;
    |(_, right)| right;
    |seed| (Cotangent::zero(), seed).into();

    /// `((a, b), c)` becomes `(a, (b, c))`.
    Associate associate [A: Space, B: Space, C: Space]: ((A, B), C) => (A, (B, C));
    |((a, b), c)| (a, (b, c));
    |seed| {
        let (a, rest) = seed.split();
        let (b, c) = rest.split();
        (Cotangent::from((a, b)), c).into()
    };

    /// `(a, (b, c))` becomes `((a, b), c)`.
    Unassociate unassociate [A: Space, B: Space, C: Space]: (A, (B, C)) => ((A, B), C);
    |(a, (b, c))| ((a, b), c);
    |seed| {
        let (rest, c) = seed.split();
        let (a, b) = rest.split();
        (a, Cotangent::from((b, c))).into()
    };

    /// A struct becomes the tuple of its fields.
    Unpack unpack [P: Composite]: P => P::Parts;
    |input| input.into_parts();
    |seed| Cotangent::from_parts(seed);

    /// The tuple of its fields becomes a struct.
    Regroup regroup [P: Composite]: P::Parts => P;
    |parts| P::from_parts(parts);
    |seed| seed.into_parts();
}
