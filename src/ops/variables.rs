//! The operations as methods of variables, and their operators.
//!
//! A method is called as its operation is, and applies the statement of that name with the sizes of its types: see the operation for its formula.
//! What needs index data, and what takes more than a variable and its company, is applied as a contract: `x.apply(&slice(…)?)`, `attention(…).of((q, k, v))`.
//!
//! | variables | methods |
//! | --- | --- |
//! | one, of any shape | those of [`elementwise`](super::elementwise) and [`declared`](super::declared), `square`, `cube`, `negate`, `scale`, `shift`, `clamp`, … |
//! | two of one shape | `+ - * /`, `add`, `subtract`, `multiply`, `divide`, `power`, `atan2`, `logaddexp`, `maximum`, `minimum` |
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
    abs atan cosine cube erf erfc exponential exponential_minus_one floor gelu gelu_tanh hard_sigmoid hard_tanh log
    log_logistic log_plus_one logistic negate reciprocal relu round_straight_through rsqrt silu sine softplus sqrt
    square stop_gradient tanh
}

/// Operations on two variables of one shape: a line is a name. Example: `maximum` is `x.maximum(y)`.
macro_rules! two {
    ($($name:ident)*) => {
        impl<S: Shape> Var<S> {$(
            #[doc = concat!("[`", stringify!($name), "`](fn@super::", stringify!($name), "), element by element.")]
            #[track_caller]
            #[must_use]
            pub fn $name(self, other: impl Agrees<Var<S>>) -> Var<S> {
                super::$name::<S, f64>().of((self, other.agree()))
            }
        )*}
    };
}

two! { atan2 divide logaddexp maximum minimum multiply power subtract }

/// Operators: a line is a trait, its method, and the operation. Example: `Add add add` is `x + y`.
macro_rules! operators {
    ($($operator:ident $method:ident $name:ident;)*) => {$(
        #[doc = concat!("[`", stringify!($name), "`](fn@crate::ops::", stringify!($name), ") of two variables of one shape, axis names included.")]
        impl<S: Shape, V: Agrees<Var<S>>> $operator<V> for Var<S> {
            type Output = Var<S>;
            #[track_caller]
            fn $method(self, other: V) -> Var<S> {
                super::$name::<S, f64>().of((self, other.agree()))
            }
        }
    )*};
}

operators! {
    Add add add;
    Sub sub subtract;
    Mul mul multiply;
    Div div divide;
}

impl<S: Shape> Neg for Var<S> {
    type Output = Var<S>;
    #[track_caller]
    fn neg(self) -> Var<S> {
        self.negate()
    }
}

/// Operations over the last axis that keep it: a line is a name. Example: `softmax` is `x.softmax()`.
macro_rules! along {
    ($($name:ident)*) => {
        impl<S: SplitLast> Var<S> {$(
            #[doc = concat!("[`", stringify!($name), "`](fn@super::", stringify!($name), ") over the last axis.")]
            #[track_caller]
            #[must_use]
            pub fn $name(self) -> Var<S> {
                super::$name::<S::Init, S::Last, f64>().of(self)
            }
        )*}
    };
}

along! { log_softmax softmax }

/// Operations that take the last axis away: a line is a name. Example: `reduce_sum` is `x.reduce_sum()`.
macro_rules! away {
    ($($name:ident)*) => {
        impl<S: SplitLast> Var<S> {$(
            #[doc = concat!("[`", stringify!($name), "`](fn@super::", stringify!($name), ") over the last axis, which is gone.")]
            #[track_caller]
            #[must_use]
            pub fn $name(self) -> Var<S::Init> {
                super::$name::<S::Init, S::Last, f64>().of(self)
            }
        )*}
    };
}

away! { euclidean_norm logsumexp mean reduce_max reduce_min reduce_sum sum_of_squares variance }

/// Operations that take the first axis away: a line is a name. Example: `mean_leading` is `x.mean_leading()`.
macro_rules! leading {
    ($($name:ident)*) => {
        impl<S: SplitFirst> Var<S>
        where
            (S::First,): Join<S::Rest, Output = S>,
        {$(
            #[doc = concat!("[`", stringify!($name), "`](fn@super::", stringify!($name), ") over the first axis, which is gone.")]
            #[track_caller]
            #[must_use]
            pub fn $name(self) -> Var<S::Rest> {
                super::$name::<S::First, S::Rest, f64>().of(self)
            }
        )*}
    };
}

leading! { mean_leading reduce_sum_leading }

/// Operations that take all axes away: a line is a name. Example: `mean_all` is `x.mean_all()`.
macro_rules! whole {
    ($($name:ident)*) => {
        impl<S: Shape> Var<S> {$(
            #[doc = concat!("[`", stringify!($name), "`](fn@super::", stringify!($name), ") over all axes.")]
            #[track_caller]
            #[must_use]
            pub fn $name(self) -> Var<()> {
                super::$name::<S, f64>().of(self)
            }
        )*}
    };
}

whole! { mean_all reduce_sum_all }

/// Losses of a prediction and its target: a line is a name. Example: `mean_squared_error` is `x.mean_squared_error(target)`.
macro_rules! losses {
    ($($name:ident)*) => {
        impl<S: Shape> Var<S> {$(
            #[doc = concat!("[`", stringify!($name), "`](fn@super::", stringify!($name), ") of a prediction, given its target.")]
            #[track_caller]
            #[must_use]
            pub fn $name(self, target: impl Agrees<Var<S>>) -> Var<()> {
                super::$name::<S, f64>().of((self, target.agree()))
            }
        )*}
    };
}

losses! { binary_cross_entropy mean_absolute_error mean_squared_error }

/// Operations with numbers for parameters: a line is a name, the parameters, and the scalars that the operation is made for.
/// Example: `scale(factor): Exact` is `x.scale(0.5)`.
macro_rules! with_numbers {
    ($($name:ident($($number:ident),*): $($bound:ident)+;)*) => {
        impl<S: Shape> Var<S> {$(
            #[doc = concat!("[`", stringify!($name), "`](fn@super::", stringify!($name), ") of every element.")]
            #[track_caller]
            #[must_use]
            pub fn $name<T: $($bound +)+>(self, $($number: T),*) -> Var<S> {
                super::$name::<S, T>($($number),*).of(self)
            }
        )*}
    };
}

with_numbers! {
    clamp(low, high): Exact;
    elu(alpha): Exact Real;
    leaky_relu(slope): Exact;
    power_constant(exponent): Exact Real;
    scale(factor): Exact;
    shift(offset): Exact;
}

/// Operations over the last axis that guard a root with a positive number, and take other variables of that axis:
/// a line is a name, and the variables. Example: `rms_norm(gamma)` is `x.rms_norm(gamma, 1e-5)`.
macro_rules! guarded {
    ($($name:ident($($other:ident),*);)*) => {
        impl<S: SplitLast> Var<S> {$(
            #[doc = concat!("[`", stringify!($name), "`](fn@super::", stringify!($name), ") over the last axis; `eps` is positive, or the trace is an error.")]
            #[track_caller]
            #[must_use]
            pub fn $name<T: Exact + Real>(self, $($other: impl Agrees<Var<(S::Last,)>>,)* eps: T) -> Var<S> {
                of(super::$name::<S::Init, S::Last, T>(eps), guarded!(@input self $($other.agree())*))
            }
        )*}
    };
    (@input $this:expr) => { $this };
    (@input $this:ident $($other:expr)+) => { ($this, $($other),+) };
}

guarded! {
    l2_normalize();
    layer_norm(gamma, beta);
    rms_norm(gamma);
    standardize();
}

impl<S: SplitLast> Var<S> {
    /// [`standard_deviation`](fn@super::standard_deviation) over the last axis, which is gone; `eps` is positive, or the trace is an error.
    #[track_caller]
    #[must_use]
    pub fn standard_deviation<T: Exact + Real>(self, eps: T) -> Var<S::Init> {
        of(super::standard_deviation::<S::Init, S::Last, T>(eps), self)
    }

    /// [`bias_add`](fn@super::bias_add): a bias on the last axis, the same for all others.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback::{Program, Tensor, dims};
    ///
    /// dims! { Batch = 2; Classes = 3 }
    /// type Given = (Tensor<(Batch, Classes)>, Tensor<(Classes,)>);
    /// let program = Program::<Given, Tensor<(Batch, Classes)>>::trace(|(x, bias)| x.bias_add(bias))?;
    /// assert_eq!(program.as_dynamic().len(), 1);
    /// # Ok::<(), pullback::TraceError>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn bias_add(self, bias: impl Agrees<Var<(S::Last,)>>) -> Var<S> {
        super::bias_add::<S::Init, S::Last, f64>().of((self, bias.agree()))
    }

    /// [`affine`](fn@super::affine): a gain and a bias on the last axis, the same for all others.
    #[track_caller]
    #[must_use]
    pub fn affine(self, gain: impl Agrees<Var<(S::Last,)>>, bias: impl Agrees<Var<(S::Last,)>>) -> Var<S> {
        super::affine::<S::Init, S::Last, f64>().of((self, gain.agree(), bias.agree()))
    }

    /// [`linear`](fn@super::linear): the last axis times a matrix, and a bias.
    #[track_caller]
    #[must_use]
    pub fn linear<W>(self, weight: W, bias: impl Agrees<Var<(Last<W>,)>>) -> Var<Joined<S::Init, (Last<W>,)>>
    where
        W: Variable<Shape: SplitLast> + Agrees<Var<(S::Last, Last<W>)>>,
        S::Init: Join<(Last<W>,)>,
    {
        super::linear::<S::Init, S::Last, Last<W>, f64>().of((self, weight.agree(), bias.agree()))
    }

    /// [`inner_product`](fn@super::inner_product) over the last axis, which is gone.
    #[track_caller]
    #[must_use]
    pub fn inner_product(self, other: impl Agrees<Var<S>>) -> Var<S::Init> {
        super::inner_product::<S::Init, S::Last, f64>().of((self, other.agree()))
    }

    /// [`cosine_similarity`](fn@super::cosine_similarity) over the last axis, which is gone; `eps` is positive, or the trace is an error.
    #[track_caller]
    #[must_use]
    pub fn cosine_similarity<T: Exact + Real>(self, other: impl Agrees<Var<S>>, eps: T) -> Var<S::Init> {
        of(super::cosine_similarity::<S::Init, S::Last, T>(eps), (self, other.agree()))
    }

    /// [`outer_product`](fn@super::outer_product) of the last axes.
    #[expect(clippy::type_complexity, reason = "the shapes are what the function is about")]
    #[track_caller]
    #[must_use]
    pub fn outer_product<V>(self, other: V) -> Var<Joined<S::Init, (S::Last, Last<V>)>>
    where
        V: Variable<Shape: SplitLast> + Agrees<Var<Joined<S::Init, (Last<V>,)>>>,
        S::Init: Join<(Last<V>,)> + Join<(S::Last, Last<V>)>,
    {
        super::outer_product::<S::Init, S::Last, Last<V>, f64>().of((self, other.agree()))
    }

    /// [`concatenate`](fn@super::concatenate) along the last axis, which is called `N`.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback::{Program, Tensor, dims};
    ///
    /// dims! { Batch = 2; Left = 3; Right = 4; Whole = Left + Right }
    /// type Given = (Tensor<(Batch, Left)>, Tensor<(Batch, Right)>);
    /// let program = Program::<Given, Tensor<(Batch, Whole)>>::trace(|(x, y)| x.concatenate::<Whole, _>(y))?;
    /// assert_eq!(program.as_dynamic().len(), 1);
    /// # Ok::<(), pullback::TraceError>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn concatenate<N: Dim, V>(self, other: V) -> Var<Joined<S::Init, (N,)>>
    where
        V: Variable<Shape: SplitLast> + Agrees<Var<Joined<S::Init, (Last<V>,)>>>,
        S::Init: Join<(Last<V>,)> + Join<(N,)>,
        (S::Last, Last<V>): SplitOf<N>,
    {
        super::concatenate::<S::Init, S::Last, Last<V>, N, f64>().of((self, other.agree()))
    }

    /// [`softmax_cross_entropy`](fn@super::softmax_cross_entropy) of logits over the last axis, given the probabilities that should come out.
    #[track_caller]
    #[must_use]
    pub fn softmax_cross_entropy(self, target: impl Agrees<Var<S>>) -> Var<()> {
        super::softmax_cross_entropy::<S::Init, S::Last, f64>().of((self, target.agree()))
    }

    /// [`softmax_cross_entropy_labels`](fn@super::softmax_cross_entropy_labels) of logits over the last axis, given the right class of each row.
    ///
    /// The labels are data of the program, as they are now; where they change from run to run, the classes are an input of [`softmax_cross_entropy`](Var::softmax_cross_entropy).
    #[track_caller]
    #[must_use]
    pub fn softmax_cross_entropy_labels(self, label: IndexMap<S::Init, (S::Last,)>) -> Var<()> {
        super::softmax_cross_entropy_labels::<S::Init, S::Last, f64>(label).of(self)
    }
}

impl<S: SplitFirst> Var<S>
where
    (S::First,): Join<S::Rest, Output = S>,
{
    /// [`concatenate_leading`](fn@super::concatenate_leading) along the first axis, which is called `N`.
    #[track_caller]
    #[must_use]
    pub fn concatenate_leading<N: Dim, V>(self, other: V) -> Var<Joined<(N,), S::Rest>>
    where
        V: Variable<Shape: SplitFirst> + Agrees<Var<Joined<(First<V>,), S::Rest>>>,
        (First<V>,): Join<S::Rest>,
        (N,): Join<S::Rest>,
        (S::First, First<V>): SplitOf<N>,
    {
        super::concatenate_leading::<S::First, First<V>, N, S::Rest, f64>().of((self, other.agree()))
    }
}

impl<S: Shape> Var<S> {
    /// [`multiply_scalar`](fn@super::multiply_scalar): every element times one number.
    #[track_caller]
    #[must_use]
    pub fn multiply_scalar(self, factor: impl Agrees<Var<()>>) -> Var<S> {
        super::multiply_scalar::<S, f64>().of((factor.agree(), self))
    }

    /// [`huber`](fn@super::huber) of a prediction, given its target; `delta` is positive, or the trace is an error.
    #[track_caller]
    #[must_use]
    pub fn huber<T: Exact>(self, target: impl Agrees<Var<S>>, delta: T) -> Var<()> {
        of(super::huber::<S, T>(delta), (self, target.agree()))
    }

    /// [`smooth_l1`](fn@super::smooth_l1) of a prediction, given its target; `beta` is positive, or the trace is an error.
    #[track_caller]
    #[must_use]
    pub fn smooth_l1<T: Exact>(self, target: impl Agrees<Var<S>>, beta: T) -> Var<()> {
        of(super::smooth_l1::<S, T>(beta), (self, target.agree()))
    }

    /// [`broadcast_in_dim`](fn@super::broadcast_in_dim): the same along another last axis.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback::{Program, Tensor, dims};
    ///
    /// dims! { Batch = 2; Features = 3 }
    /// type Given = (Tensor<(Batch, Features)>, Tensor<(Batch,)>);
    /// let program = Program::<Given, Tensor<(Batch, Features)>>::trace(|(x, level)| x - level.broadcast_in_dim::<Features>())?;
    /// assert_eq!(program.as_dynamic().len(), 2);
    /// # Ok::<(), pullback::TraceError>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn broadcast_in_dim<N: Dim>(self) -> Var<Joined<S, (N,)>>
    where
        S: Join<(N,)>,
    {
        super::broadcast_in_dim::<S, N, f64>().of(self)
    }

    /// [`broadcast_in_dim_leading`](fn@super::broadcast_in_dim_leading): the same along another first axis.
    #[track_caller]
    #[must_use]
    pub fn broadcast_in_dim_leading<N: Dim>(self) -> Var<Joined<(N,), S>>
    where
        (N,): Join<S>,
    {
        super::broadcast_in_dim_leading::<N, S, f64>().of(self)
    }

    /// [`reshape`](fn@super::reshape): the same elements in row-major order under another shape.
    #[track_caller]
    #[must_use]
    pub fn reshape<Z: Shape + SameLength<S>>(self) -> Var<Z>
    where
        S: SameLength<Z>,
    {
        super::typed::reshape::<S, Z, f64>().of(self)
    }
}

impl Var<()> {
    /// [`broadcast_in_dim_scalar`](fn@super::broadcast_in_dim_scalar): one number in every element.
    #[track_caller]
    #[must_use]
    pub fn broadcast_in_dim_scalar<S: Shape>(self) -> Var<S> {
        super::broadcast_in_dim_scalar::<S, f64>().of(self)
    }
}

impl<M: Dim, K: Dim> Var<(M, K)> {
    /// [`matmul`](fn@super::matmul): the matrix product. The columns of this one are the rows of the other, by name.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback::{Program, Tensor, dims};
    ///
    /// dims! { Batch = 2; Features = 3; Classes = 4 }
    /// type Given = (Tensor<(Batch, Features)>, Tensor<(Features, Classes)>);
    /// let program = Program::<Given, Tensor<(Batch, Classes)>>::trace(|(x, w)| x.matmul(w))?;
    /// assert_eq!(program.as_dynamic().len(), 1);
    /// # Ok::<(), pullback::TraceError>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn matmul<V>(self, right: V) -> Var<(M, Last<V>)>
    where
        V: Variable<Shape: SplitLast> + Agrees<Var<(K, Last<V>)>>,
    {
        super::matmul::<M, K, Last<V>, f64>().of((self, right.agree()))
    }

    /// [`matrix_vector`](fn@super::matrix_vector): the matrix times a vector.
    #[track_caller]
    #[must_use]
    pub fn matrix_vector(self, vector: impl Agrees<Var<(K,)>>) -> Var<(M,)> {
        super::matrix_vector::<M, K, f64>().of((self, vector.agree()))
    }
}

/// Operations on the last two axes, for each number of axes before them: a line is those axes.
/// Example: `B` is `x.transpose()` for `Var<(B, M, K)>`.
macro_rules! matrices {
    ($(($($batch:ident),*);)*) => {$(
        impl<$($batch: Dim,)* M: Dim, K: Dim> Var<($($batch,)* M, K)> {
            /// [`transpose`](fn@super::transpose): the last two axes change places.
            #[track_caller]
            #[must_use]
            pub fn transpose(self) -> Var<($($batch,)* K, M)> {
                super::transpose::<($($batch,)*), M, K, f64>().of(self)
            }

            /// [`dot_general`](fn@super::dot_general): a matrix product for each index of the axes before.
            #[track_caller]
            #[must_use]
            pub fn dot_general<V>(self, right: V) -> Var<($($batch,)* M, Last<V>)>
            where
                V: Variable<Shape: SplitLast> + Agrees<Var<($($batch,)* K, Last<V>)>>,
            {
                super::dot_general::<($($batch,)*), M, K, Last<V>, f64>().of((self, right.agree()))
            }
        }
    )*};
}

matrices! {
    ();
    (B);
    (B, H);
    (B, G, H);
    (B, F, G, H);
}
