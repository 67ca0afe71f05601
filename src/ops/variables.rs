//! The operations as methods of variables, and their operators.
//!
//! A method is called as its operation is, and applies the statement of that name with the sizes of its types: see the operation for its formula.
//! What needs index data, and what takes more than a variable and its company, is applied as a contract: `x.apply(&slice(…)?)`, `attention(…).of((q, k, v))`.
//!
//! | variables | methods |
//! | --- | --- |
//! | one, of any shape | those of [`elementwise`](super::elementwise) and [`declared`](super::declared), `square`, `cube`, `negate`, `scale`, `shift`, `clamp`, … |
//! | two of one shape | `+ - * /`, `add`, `subtract`, `multiply`, `divide`, `power`, `maximum`, `minimum` |
//! | over the last axis | `softmax`, `log_softmax`, `logsumexp`, `reduce_sum`, `reduce_max`, `mean`, `variance`, `layer_norm`, … |
//! | over the first axis | `reduce_sum_leading`, `mean_leading` |
//! | over all axes | `reduce_sum_all`, `mean_all` |
//! | products | `matmul`, `dot_general`, `linear`, `matrix_vector`, `inner_product`, `outer_product`, `multiply_scalar` |
//! | explicit broadcasts | `broadcast_in_dim`, `broadcast_in_dim_leading`, `broadcast_in_dim_scalar`, `bias_add`, `affine` |
//! | other shapes | `reshape`, `transpose`, `concatenate`, `concatenate_leading`, [`rename`](Var::rename) |
//! | losses | `mean_squared_error`, `softmax_cross_entropy`, `softmax_cross_entropy_labels`, … |
//!
//! Numbers among the arguments are exact: a float stands for the rational that it is.

use core::ops::{Add, Div, Mul, Neg, Sub};
use std::panic::Location;

use crate::contract::DomainError;
use crate::program::{self, Agrees, Exact, Symbolic, Traced, Var, Variable};
use crate::scalar::Real;
use crate::shape::{Dim, Join, Joined, SameLength, Shape, SplitFirst, SplitLast, SplitOf};
use crate::tensor::IndexMap;

/// The last axis of a variable.
type Last<V> = <<V as Variable>::Shape as SplitLast>::Last;
/// The first axis of a variable.
type First<V> = <<V as Variable>::Shape as SplitFirst>::First;

/// A contract that may refuse its parameters, applied.
#[track_caller]
fn of<C: Symbolic>(contract: Result<C, DomainError>, input: <C::Input as Traced>::Vars) -> <C::Output as Traced>::Vars {
    match contract {
        Ok(contract) => program::apply(&contract, input),
        Err(error) => {
            program::fail(Location::caller(), error);
            program::nothing::<C::Output>()
        }
    }
}

/// Operations on one variable that keep its shape: a line is a name. Example: `tanh` is `x.tanh()`.
macro_rules! one {
    ($($name:ident)*) => {
        impl<S: Shape> Var<S> {$(
            #[doc = concat!("[`", stringify!($name), "`](fn@super::", stringify!($name), ") of every element.")]
            #[track_caller]
            #[must_use]
            pub fn $name(self) -> Var<S> {
                super::$name::<S, f64>().of(self)
            }
        )*}
    };
}

one! {
    abs cosine cube exponential gelu_tanh hard_sigmoid hard_tanh log log_logistic logistic negate reciprocal relu
    round_straight_through rsqrt silu sine softplus sqrt square stop_gradient tanh
}

/// Operations on two variables of one shape: a line is a name, and the operator with its trait if there is one.
/// Example: `add + Add` is `x.add(y)` and `x + y`.
macro_rules! two {
    ($($name:ident $($sign:tt $operator:ident)?;)*) => {$(
        two! { @method $name $($operator)? }
        $(
            #[doc = concat!("`", stringify!($sign), "` is [`", stringify!($name), "`](fn@crate::ops::", stringify!($name), "): equal shapes, axis names included.")]
            impl<S: Shape, V: Agrees<Var<S>>> $operator<V> for Var<S> {
                type Output = Var<S>;
                #[track_caller]
                fn $name(self, other: V) -> Var<S> {
                    super::$name::<S, f64>().of((self, other.agree()))
                }
            }
        )?
    )*};
    (@method $name:ident $operator:ident) => {};
    (@method $name:ident) => {
        impl<S: Shape> Var<S> {
            #[doc = concat!("[`", stringify!($name), "`](fn@super::", stringify!($name), "), element by element.")]
            #[track_caller]
            #[must_use]
            pub fn $name(self, other: impl Agrees<Var<S>>) -> Var<S> {
                super::$name::<S, f64>().of((self, other.agree()))
            }
        }
    };
}

/// `subtract` by the name that the operator's trait gives it.
use super::{divide as div, multiply as mul, subtract as sub};
