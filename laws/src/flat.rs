//! Rules as functions between lists of numbers: what every law is about.
//!
//! A law is about numbers, not about types: behind these traits its text is compiled once for a scalar, and not once for each rule.

use pullback_scalar::Scalar;
use thiserror::Error;

use crate::evidence::Evidence;
use crate::storage::Storage;

/// A forward function refuses its input: it lies outside of the domain.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Refusal {
    message: String,
    index: Option<usize>,
}

impl Refusal {
    /// A refusal in words.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Refusal { message: message.into(), index: None }
    }

    /// The same, because of the coordinate at this flat index.
    #[must_use]
    pub fn at(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }

    /// The flat index of the coordinate that lies outside, where it is known.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        self.index
    }
}

/// What a rule takes and gives.
pub trait Shaped {
    /// The numbers of coordinates of the input and of the output.
    fn dimensions(&self) -> (usize, usize);
    /// The shapes of the input and of the output, in words.
    fn spaces(&self) -> (String, String);
    /// Why its backward rule may be believed.
    fn evidence(&self) -> Evidence;
    /// The lengths of its arguments, one after the other in the input.
    fn arguments(&self) -> Vec<usize> {
        vec![self.dimensions().0]
    }
    /// The lengths of its outputs, one after the other in the output.
    fn outputs(&self) -> Vec<usize> {
        vec![self.dimensions().1]
    }
    /// How long the rows of each argument are: its last axis.
    fn rows(&self) -> Vec<usize> {
        self.arguments()
    }
    /// Whether an axis whose size varies from check to check has size one here.
    fn has_axis_of_one(&self) -> bool {
        false
    }
    /// Whether its forward function can refuse an input at all.
    fn refuses(&self) -> bool {
        true
    }
    /// Whether its arguments lie in storage that the rule could keep or change.
    fn shares_storage(&self) -> bool {
        false
    }
    /// Whether its forward function is told which arguments a gradient is asked for.
    fn tracks(&self) -> bool {
        false
    }
}

/// What a rule takes and gives that stands before another one: all of it as the other says.
///
/// Fragments: the rule's type with its generics in brackets before it, and the field that is the other one.
macro_rules! shaped_as {
    ([$($generics:tt)*] $before:ty, $field:ident) => {
        impl<$($generics)*> $crate::flat::Shaped for $before {
            fn dimensions(&self) -> (usize, usize) {
                self.$field.dimensions()
            }
            fn spaces(&self) -> (String, String) {
                self.$field.spaces()
            }
            fn evidence(&self) -> $crate::evidence::Evidence {
                self.$field.evidence()
            }
            fn arguments(&self) -> Vec<usize> {
                self.$field.arguments()
            }
            fn outputs(&self) -> Vec<usize> {
                self.$field.outputs()
            }
            fn rows(&self) -> Vec<usize> {
                self.$field.rows()
            }
            fn has_axis_of_one(&self) -> bool {
                self.$field.has_axis_of_one()
            }
            fn refuses(&self) -> bool {
                self.$field.refuses()
            }
            fn shares_storage(&self) -> bool {
                self.$field.shares_storage()
            }
            fn tracks(&self) -> bool {
                self.$field.tracks()
            }
        }
    };
}
pub(crate) use shaped_as;

/// The arguments of a forward function, in storage.
#[derive(Clone, Debug)]
pub struct Call<T> {
    /// One for each argument; two of them may be the same.
    pub arguments: Vec<Storage<T>>,
    /// The arguments that a gradient is asked for.
    pub tracked: Vec<bool>,
    /// The shapes of the arguments; of who has no shapes, their lengths.
    pub shapes: Vec<Vec<usize>>,
    /// The shapes of the outputs, where they are known.
    pub outputs: Vec<Vec<usize>>,
}

impl<T: Clone> Call<T> {
    /// A call with storage of its own for each argument, whose lengths are given, and a gradient asked for all.
    #[must_use]
    pub fn new(input: &[T], lengths: &[usize]) -> Self {
        let mut rest = input;
        let mut arguments = Vec::with_capacity(lengths.len());
        for &length in lengths {
            let (one, others) = rest.split_at(length.min(rest.len()));
            arguments.push(Storage::new(one.to_vec()));
            rest = others;
        }
        let shapes = lengths.iter().map(|length| vec![*length]).collect();
        Call { tracked: vec![true; arguments.len()], arguments, shapes, outputs: vec![] }
    }

    /// The coordinates of all arguments, one after the other.
    #[must_use]
    pub fn coordinates(&self) -> Vec<T> {
        self.arguments.iter().flat_map(Storage::read).collect()
    }
}

/// A rule on coordinates.
pub trait Flat<T: Scalar>: Shaped + Sync {
    /// The forward function: the value, and what was saved. The input itself is gone when this returns.
    ///
    /// # Errors
    ///
    /// Where the input is outside of the domain.
    fn run<'a>(&'a self, input: &[T]) -> Result<Run<'a, T>, Refusal>;

    /// The forward function on storage, which a rule that works in place may keep or change.
    ///
    /// # Errors
    ///
    /// As [`run`](Flat::run).
    fn call<'a>(&'a self, call: &Call<T>) -> Result<Run<'a, T>, Refusal> {
        self.run(&call.coordinates())
    }
}

/// The result of a forward function.
pub struct Run<'a, T> {
    /// The value.
    pub value: Vec<T>,
    /// What was saved for the backward rule.
    pub saved: Box<dyn Saved<T> + 'a>,
}

impl<T: Scalar> Run<'_, T> {
    /// The backward rule at what was saved.
    #[must_use]
    pub fn pull(&self, seed: &[T]) -> Vec<T> {
        self.saved.pull(seed)
    }
}

/// What a forward function saved, and the backward rule that reads it.
pub trait Saved<T: Scalar>: Send {
    /// The backward rule: the cotangent of the input, with as many coordinates as the input has.
    fn pull(&self, seed: &[T]) -> Vec<T>;

    /// The backward rule as it answers: a cotangent for each argument, and none where a gradient was not asked for.
    fn answer(&self, seed: &Storage<T>) -> Vec<Option<Vec<T>>> {
        vec![Some(self.pull(&seed.read()))]
    }

    /// The lengths of the outputs as the forward function gave them, where it gave them apart.
    fn gave(&self) -> Option<Vec<usize>> {
        None
    }
}

/// A rule whose residual has coordinates too.
pub trait Remembers<T: Scalar>: Flat<T> {
    /// What the forward function saves.
    ///
    /// # Errors
    ///
    /// Where the input is outside of the domain.
    fn residual(&self, input: &[T]) -> Result<Vec<T>, Refusal>;
}

/// A forward function at dual numbers: it gives values and directional derivatives.
pub trait Moving<T>: Sync {
    /// The value at an input, and its derivative in a direction.
    ///
    /// # Errors
    ///
    /// Where the input is outside of the domain.
    fn push(&self, input: &[T], direction: &[T]) -> Result<Pushed<T>, Refusal>;
}

/// The value of a forward function and its derivative in a direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Pushed<T> {
    /// The value.
    pub value: Vec<T>,
    /// Its derivative.
    pub tangent: Vec<T>,
}
