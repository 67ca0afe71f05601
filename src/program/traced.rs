//! Spaces that have variables.

use core::fmt::{Debug, Display, Write as _};
use core::marker::PhantomData;

use super::trace::Slot;
use super::var::Var;
use crate::scalar::Scalar;
use crate::shape::Shape;
use crate::space::Space;
use crate::tensor::Tensor;

/// The place of a tensor in a space, such as `0.weight`.
#[derive(Debug, Default)]
pub struct Path {
    text: String,
}

impl Path {
    /// Inside of a part: a field's name, or a place in a tuple or an array.
    pub fn within<R>(&mut self, part: &dyn Display, inside: impl FnOnce(&mut Path) -> R) -> R {
        let outer = self.text.len();
        if outer > 0 {
            self.text.push('.');
        }
        // Writing into a string does not fail.
        let _ = write!(self.text, "{part}");
        let result = inside(self);
        self.text.truncate(outer);
        result
    }

    /// The path as it stands.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// A tensor of a space: an input or an output of a program.
#[derive(Clone, Copy, Debug)]
pub struct Port<'a> {
    /// Its path in the space; empty for a tensor alone.
    pub name: &'a str,
    /// The sizes of its axes.
    pub sizes: &'static [usize],
    /// The names of its axes.
    pub axes: &'static [&'static str],
}

/// A space whose tensors can be variables of a program.
///
/// | space | variables | paths |
/// | --- | --- | --- |
/// | [`Tensor<S, T>`](Tensor) | [`Var<S>`](Var) | empty |
/// | `()`, markers (`PhantomData`) | `()` | none |
/// | tuples | tuples | `0`, `1`, … |
/// | arrays | arrays | `0`, `1`, … |
/// | a struct `Layer` with `#[derive(Space)]` | the struct `LayerVars` with the same fields, made by the derive | the names of the fields |
///
/// A struct with a field that has no variables is a space all the same, only not one of programs.
///
/// # Example
///
/// ```
/// use pullback::program::{Program, Var};
/// use pullback::{Dim, Space, Tensor, dims};
///
/// dims! { Batch = 2; Features = 3; Hidden = 4 }
///
/// #[derive(Clone, Debug, Space)]
/// struct Dense<In: Dim, Out: Dim> {
///     weight: Tensor<(In, Out)>,
///     bias: Tensor<(Out,)>,
/// }
///
/// fn dense<B: Dim, In: Dim, Out: Dim>(layer: DenseVars<In, Out>, x: Var<(B, In)>) -> Var<(B, Out)> {
///     x.matmul(layer.weight).bias_add(layer.bias)
/// }
///
/// type Given = (Dense<Features, Hidden>, Tensor<(Batch, Features)>);
/// let program = Program::<Given, Tensor<(Batch, Hidden)>>::trace(|(layer, x)| dense(layer, x))?;
/// let names: Vec<&str> = program.as_dynamic().inputs().iter().map(|i| i.name.as_str()).collect();
/// assert_eq!(names, ["0.weight", "0.bias", "1"]);
/// # Ok::<(), pullback::program::TraceError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "E0117: `{Self}` has no variables",
    label = "can't be an input or an output of a program",
    note = "tensors, `()`, tuples, arrays, and structs with `#[derive(Space)]` of such have"
)]
pub trait Traced: Space {
    /// The variables: one [`Var`] for each tensor, in the same structure.
    type Vars: Copy + Debug + 'static;

    /// The shapes, in order, without the names of structs: two spaces with the same are the same space over different scalars.
    type Ports;

    /// The scalar of the first tensor; `D` where there is none.
    type ScalarOr<D: Scalar>: Scalar;

    /// Shows every tensor, in order.
    fn ports(path: &mut Path, visit: &mut dyn FnMut(Port<'_>));

    /// Makes the variables of values, asked for in order.
    fn vars(next: &mut dyn FnMut() -> Slot) -> Self::Vars;

    /// Shows the values of the variables, in order.
    fn slots(variables: &Self::Vars, visit: &mut dyn FnMut(Slot));
}

/// The scalar of a program from `A` to `B`: that of the first tensor among inputs and outputs; `f32` where there is none.
pub type ScalarOf<A, B> = <A as Traced>::ScalarOr<<B as Traced>::ScalarOr<f32>>;

#[diagnostic::do_not_recommend]
impl<S: Shape, T: Scalar> Traced for Tensor<S, T> {
    type Vars = Var<S>;
    type Ports = Var<S>;
    type ScalarOr<D: Scalar> = T;

    fn ports(path: &mut Path, visit: &mut dyn FnMut(Port<'_>)) {
        visit(Port { name: path.as_str(), sizes: S::SIZES, axes: S::NAMES });
    }

    fn vars(next: &mut dyn FnMut() -> Slot) -> Var<S> {
        Var::new(next())
    }

    fn slots(variables: &Var<S>, visit: &mut dyn FnMut(Slot)) {
        visit(variables.slot());
    }
}

/// Fragments: the parameters, and the space. Example: `trivial! { [] () }` is for `()`.
macro_rules! trivial {
    ([$($parameter:ident: $first:tt $(+ $bound:tt)*)?] $space:ty) => {
        #[diagnostic::do_not_recommend]
        impl<$($parameter: $first $(+ $bound)*)?> Traced for $space {
            type Vars = ();
            type Ports = ();
            type ScalarOr<Default: Scalar> = Default;
            fn ports(_: &mut Path, _: &mut dyn FnMut(Port<'_>)) {}
            fn vars(_: &mut dyn FnMut() -> Slot) {}
            fn slots(_: &(), _: &mut dyn FnMut(Slot)) {}
        }
    };
}

trivial! { [] () }
trivial! { [A: Send + Sync + 'static] PhantomData<A> }

#[diagnostic::do_not_recommend]
impl<A: Traced, const SIZE: usize> Traced for [A; SIZE] {
    type Vars = [A::Vars; SIZE];
    type Ports = [A::Ports; SIZE];
    type ScalarOr<D: Scalar> = A::ScalarOr<D>;

    fn ports(path: &mut Path, visit: &mut dyn FnMut(Port<'_>)) {
        for place in 0..SIZE {
            path.within(&place, |path| A::ports(path, visit));
        }
    }

    fn vars(next: &mut dyn FnMut() -> Slot) -> Self::Vars {
        core::array::from_fn(|_| A::vars(next))
    }

    fn slots(variables: &Self::Vars, visit: &mut dyn FnMut(Slot)) {
        variables.iter().for_each(|variables| A::slots(variables, visit));
    }
}

/// Fragments: each part and its place, then the scalar as nested parts. Example: `tuple! { A 0, B 1 }` gives `(A, B)` variables.
macro_rules! tuple {
    ($($part:ident $place:tt),*) => {
        #[diagnostic::do_not_recommend]
        impl<$($part: Traced),*> Traced for ($($part,)*) {
            type Vars = ($($part::Vars,)*);
            type Ports = ($($part::Ports,)*);
            type ScalarOr<Default: Scalar> = tuple!(@scalar $($part)*);
            fn ports(path: &mut Path, visit: &mut dyn FnMut(Port<'_>)) {
                $(path.within(&$place, |path| $part::ports(path, visit));)*
            }
            fn vars(next: &mut dyn FnMut() -> Slot) -> Self::Vars {
                ($($part::vars(next),)*)
            }
            fn slots(variables: &Self::Vars, visit: &mut dyn FnMut(Slot)) {
                $($part::slots(&variables.$place, visit);)*
            }
        }
    };
    (@scalar) => { Default };
    (@scalar $part:ident $($rest:ident)*) => { $part::ScalarOr<tuple!(@scalar $($rest)*)> };
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
