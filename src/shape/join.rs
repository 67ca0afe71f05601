//! Putting shapes together and taking them apart.

use super::dim::Dim;
use super::tuple::Shape;

/// The concatenation of two shapes of together at most six axes: `(A, B)` joined with `(C,)` is `(A, B, C)`.
///
/// A statement's pack of axes, `x[s.., n]`, is `S: Join<(N,)>` and `Tensor<Joined<S, (N,)>>`.
/// The compiler can't read a concatenation backwards; where the whole shape is what a caller has, use [`SplitLast`].
#[diagnostic::on_unimplemented(
    message = "E0111: `{Self}` and `{Other}` have more than six axes together",
    label = "the concatenation is not a shape"
)]
pub trait Join<Other: Shape>: Shape {
    /// The concatenation.
    type Output: Shape;
}

/// The concatenation of two shapes.
pub type Joined<A, B> = <A as Join<B>>::Output;

/// A shape with a last axis: `(A, B, C)` is `(A, B)` and then `C`.
///
/// This is the direction in which the compiler infers: from `Tensor<(Batch, Classes)>` to the pack `(Batch,)` and the axis `Classes`.
#[diagnostic::on_unimplemented(message = "E0111: `{Self}` has no last axis", label = "needs at least one axis")]
pub trait SplitLast: Shape {
    /// All axes but the last.
    type Init: Shape + Join<(Self::Last,), Output = Self>;
    /// The last axis.
    type Last: Dim;
}

/// A shape with a first axis: `(A, B, C)` is `A` and then `(B, C)`.
#[diagnostic::on_unimplemented(message = "E0111: `{Self}` has no first axis", label = "needs at least one axis")]
pub trait SplitFirst: Shape {
    /// The first axis.
    type First: Dim;
    /// All axes but the first.
    type Rest: Shape;
}

/// A shape with a second axis, the channels of what is convolved and pooled: `(Batch, Channel, ..)`.
#[diagnostic::on_unimplemented(message = "E0111: `{Self}` has no second axis", label = "needs a batch and channels")]
pub trait SplitChannel: Shape {
    /// The second axis.
    type Channel: Dim;
    /// The shape with another second axis.
    type With<C: Dim>: Shape;
}

/// Fragments: the axes after the second. Example: `channel! { H W }` is for `(N, C, H, W)`.
macro_rules! channel {
    ($($place:ident)*) => {
        impl<N: Dim, C: Dim, $($place: Dim),*> SplitChannel for (N, C, $($place,)*) {
            type Channel = C;
            type With<Other: Dim> = (N, Other, $($place,)*);
        }
    };
}

channel! {}
channel! { W }
channel! { H W }
channel! { D H W }
channel! { D E H W }

/// Fragments: the axes on the left, then those still on the right, one of which moves over at each step.
/// Example: `join! { A B; C }` makes `(A, B)` join `(C,)` and `(A, B, C)` join `()`.
macro_rules! join {
    ($($left:ident)*; $next:ident $($right:ident)*) => {
        join! { @one $($left)*; $next $($right)* }
        join! { $($left)* $next; $($right)* }
    };
    ($($left:ident)*;) => {
        join! { @one $($left)*; }
    };
    (@one $($left:ident)*; $($right:ident)*) => {
        impl<$($left: Dim,)* $($right: Dim,)*> Join<($($right,)*)> for ($($left,)*) {
            type Output = ($($left,)* $($right,)*);
        }
    };
}

join! { ; }
join! { ; A }
join! { ; A B }
join! { ; A B C }
join! { ; A B C D }
join! { ; A B C D E }
join! { ; A B C D E F }

/// Fragments: the axes but the last, then the last; the axes are read again from the first on.
macro_rules! ends {
    ($($init:ident)*; $last:ident) => {
        impl<$($init: Dim,)* $last: Dim> SplitLast for ($($init,)* $last,) {
            type Init = ($($init,)*);
            type Last = $last;
        }
        impl<$last: Dim, $($init: Dim,)*> SplitFirst for ($last, $($init,)*) {
            type First = $last;
            type Rest = ($($init,)*);
        }
    };
}

ends! { ; A }
ends! { A; B }
ends! { A B; C }
ends! { A B C; D }
ends! { A B C D; E }
ends! { A B C D E; F }
