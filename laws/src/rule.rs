//! Rules of closures: for an operation that lives anywhere.

use core::fmt::Display;
use core::ops::Deref;
use std::sync::Arc;

use pullback_scalar::{Dual, Scalar};

use crate::evidence::{Declared, Evidence};
use crate::flat::{Call, Flat, Moving, Pushed, Refusal, Run, Saved, Shaped};
use crate::signature::Signature;
use crate::storage::Storage;

/// An array as a closure sees it: its numbers in row-major order, and its shape.
#[derive(Debug)]
pub struct View<'a, T> {
    shape: &'a [usize],
    numbers: &'a [T],
    /// The shapes of the arrays that it is made of, where it is made of several.
    parts: &'a [Vec<usize>],
}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

impl<'a, T> View<'a, T> {
    /// The sizes of its axes.
    #[must_use]
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }

    /// The arrays that it is made of: the cotangents of several outputs lie one after the other, and each has a shape of its own.
    pub fn parts(&self) -> Vec<View<'a, T>> {
        if self.parts.is_empty() {
            return vec![*self];
        }
        let mut rest = self.numbers;
        let part = |shape: &'a Vec<usize>| {
            let (numbers, others) = rest.split_at(shape.iter().product::<usize>().min(rest.len()));
            rest = others;
            View { shape, numbers, parts: &[] }
        };
        self.parts.iter().map(part).collect()
    }
}

impl<T> Deref for View<'_, T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.numbers
    }
}

/// What a forward function saved by itself: its inputs and its output.
#[derive(Clone, Debug, PartialEq)]
pub struct Tape<T> {
    /// The arguments.
    pub inputs: Vec<Vec<T>>,
    /// The output; several are one after the other.
    pub output: Vec<T>,
    /// The shapes of the arguments.
    pub shapes: Vec<Vec<usize>>,
    /// The shapes of the outputs.
    pub outputs: Vec<Vec<usize>>,
}

impl<T> Tape<T> {
    /// The arguments, with their shapes.
    #[must_use]
    pub fn arguments(&self) -> Vec<View<'_, T>> {
        self.inputs.iter().zip(&self.shapes).map(|(numbers, shape)| View { shape, numbers, parts: &[] }).collect()
    }

    /// The outputs, with their shapes.
    #[must_use]
    pub fn results(&self) -> Vec<View<'_, T>> {
        View { shape: &[], numbers: &self.output, parts: &self.outputs }.parts()
    }
}

/// What a forward function was given, and the shapes of what it should give.
#[derive(Clone, Debug, PartialEq)]
pub struct Given<T> {
    /// The arguments.
    pub inputs: Vec<Vec<T>>,
    /// Their shapes.
    pub shapes: Vec<Vec<usize>>,
    /// The shapes of the outputs.
    pub outputs: Vec<Vec<usize>>,
}

/// The outputs, and what was saved.
pub type Finished<T, R> = Result<(Vec<Vec<T>>, R), Refusal>;

/// What a forward function may give: the output or several, the same and what it saves, or a result of either.
///
/// With outputs alone, the backward rule gets a [`Tape`].
pub trait Forward<T> {
    /// What the backward rule gets.
    type Residual: Send;
    /// Whether it can refuse its input.
    const REFUSES: bool = false;
    /// The outputs and what was saved.
    ///
    /// # Errors
    ///
    /// Where the function refused its input.
    fn finish(self, given: impl FnOnce() -> Given<T>) -> Finished<T, Self::Residual>;
}

/// Several outputs, in the order of the signature; an array of lists is the same.
///
/// ```
/// use pullback_laws::{Several, View};
///
/// // The parts of a tuple are told from the outputs: what is saved is said apart.
/// let halves = |x: &[View<'_, f64>]| {
///     let (left, right) = x[0].split_at(x[0].len() / 2);
///     Several(vec![left.to_vec(), right.to_vec()]).saving(x[0].len())
/// };
/// # let _ = halves;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Several<T>(pub Vec<Vec<T>>);

/// Several outputs, and what is saved.
#[derive(Clone, Debug, PartialEq)]
pub struct Saving<T, R> {
    outputs: Vec<Vec<T>>,
    residual: R,
}

impl<T> Several<T> {
    /// With what is saved for the backward rule, instead of a [`Tape`].
    pub fn saving<R>(self, residual: R) -> Saving<T, R> {
        Saving { outputs: self.0, residual }
    }
}

impl<T: Clone + Send> Forward<T> for Several<T> {
    type Residual = Tape<T>;
    fn finish(self, given: impl FnOnce() -> Given<T>) -> Finished<T, Tape<T>> {
        let Given { inputs, shapes, outputs } = given();
        let tape = Tape { inputs, output: self.0.concat(), shapes, outputs };
        Ok((self.0, tape))
    }
}

impl<T: Clone + Send, const N: usize> Forward<T> for [Vec<T>; N] {
    type Residual = Tape<T>;
    fn finish(self, given: impl FnOnce() -> Given<T>) -> Finished<T, Tape<T>> {
        Several(self.into()).finish(given)
    }
}

impl<T: Clone + Send> Forward<T> for Vec<T> {
    type Residual = Tape<T>;
    fn finish(self, given: impl FnOnce() -> Given<T>) -> Finished<T, Tape<T>> {
        Several(vec![self]).finish(given)
    }
}

impl<T, R: Send> Forward<T> for Saving<T, R> {
    type Residual = R;
    fn finish(self, _: impl FnOnce() -> Given<T>) -> Finished<T, R> {
        Ok((self.outputs, self.residual))
    }
}

impl<T, R: Send> Forward<T> for (Vec<T>, R) {
    type Residual = R;
    fn finish(self, _: impl FnOnce() -> Given<T>) -> Finished<T, R> {
        Ok((vec![self.0], self.1))
    }
}

impl<T, F: Forward<T>, E: Display> Forward<T> for Result<F, E> {
    type Residual = F::Residual;
    const REFUSES: bool = true;
    fn finish(self, given: impl FnOnce() -> Given<T>) -> Finished<T, F::Residual> {
        self.map_err(|error| Refusal::new(error.to_string()))?.finish(given)
    }
}

/// What a backward rule may give: a cotangent for each argument, just one for a single argument, or none where none is asked for.
pub trait Cotangents<T> {
    /// One for each argument.
    fn pieces(self) -> Vec<Option<Vec<T>>>;
}

impl<T: Scalar> Cotangents<T> for Vec<T> {
    fn pieces(self) -> Vec<Option<Vec<T>>> {
        vec![Some(self)]
    }
}

impl<T: Scalar> Cotangents<T> for Vec<Vec<T>> {
    fn pieces(self) -> Vec<Option<Vec<T>>> {
        self.into_iter().map(Some).collect()
    }
}

impl<T: Scalar, const N: usize> Cotangents<T> for [Vec<T>; N] {
    fn pieces(self) -> Vec<Option<Vec<T>>> {
        self.into_iter().map(Some).collect()
    }
}

impl<T: Scalar> Cotangents<T> for Vec<Option<Vec<T>>> {
    fn pieces(self) -> Vec<Option<Vec<T>>> {
        self
    }
}

/// The answers of a backward rule of closures.
type Answers<'a, T> = Box<dyn Fn(&Storage<T>) -> Vec<Option<Vec<T>>> + Send + 'a>;
/// A forward function of closures, in a call and with the shapes of the call.
type Forwards<'a, T> = Box<dyn Fn(&Call<T>, &Shapes) -> Finished<T, Answers<'a, T>> + Send + Sync + 'a>;
/// A forward function at dual numbers.
type OnDuals<'a, T> = Box<dyn Fn(&Call<Dual<T>>, &Shapes) -> Result<Vec<Dual<T>>, Refusal> + Send + Sync + 'a>;

/// The plain function.
type Plain<'a, T> = Box<dyn Fn(&[View<'_, T>]) -> Vec<T> + Send + Sync + 'a>;
/// The cotangents that were declared on corners.
type Stated<'a, T> = Box<dyn Fn(&[View<'_, T>], View<'_, T>) -> Vec<Option<Vec<T>>> + Send + Sync + 'a>;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Shapes {
    inputs: Vec<Vec<usize>>,
    outputs: Vec<Vec<usize>>,
}

impl Shapes {
    /// What a forward function is given, and should give.
    fn given<T>(&self, inputs: Vec<Vec<T>>) -> Given<T> {
        Given { inputs, shapes: self.inputs.clone(), outputs: self.outputs.clone() }
    }

    /// A cotangent of the outputs.
    fn seed<'s, T>(&'s self, numbers: &'s [T]) -> View<'s, T> {
        match &self.outputs[..] {
            [one] => View { shape: one, numbers, parts: &[] },
            several => View { shape: &[], numbers, parts: several },
        }
    }
}

/// A forward function and a backward rule as closures, with their shapes as data.
///
/// # Example
///
/// The matrix product of two arguments, at any sizes:
///
/// ```
/// use pullback_laws::{Options, Rule, View};
///
/// fn product(a: &[f64], b: &[f64], [m, k, n]: [usize; 3]) -> Vec<f64> {
///     (0..m * n).map(|at| (0..k).map(|l| a[at / n * k + l] * b[l * n + at % n]).sum()).collect()
/// }
/// fn transposed(a: &[f64], rows: usize) -> Vec<f64> {
///     let columns = a.len() / rows;
///     (0..a.len()).map(|at| a[at % rows * columns + at / rows]).collect()
/// }
///
/// let matmul = Rule::new(
///     "m k, k n -> m n".parse()?,
///     |x: &[View<'_, f64>]| {
///         let [m, k, n] = [x[0].shape()[0], x[0].shape()[1], x[1].shape()[1]];
///         (product(&x[0], &x[1], [m, k, n]), (x[0].to_vec(), x[1].to_vec(), [m, k, n]))
///     },
///     |(a, b, [m, k, n]), u| {
///         [product(&u, &transposed(b, *k), [*m, *n, *k]), product(&transposed(a, *m), &u, [*k, *m, *n])]
///     },
/// );
/// let report = matmul.check(&Options::new())?;
/// assert!(report.held("adjoint") > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Rule<'a, T: Scalar> {
    signature: Signature,
    declared: Declared,
    refuses: bool,
    in_storage: bool,
    forward: Forwards<'a, T>,
    on_duals: Option<OnDuals<'a, T>>,
    plain: Option<Plain<'a, T>>,
    stated: Option<Stated<'a, T>>,
}

impl<'a, T: Scalar> Rule<'a, T> {
    /// A rule over slices: `forward` of the arguments gives what [`Forward`] says, `backward` of what was saved and of a cotangent what [`Cotangents`] says.
    pub fn new<F, B, S, K>(signature: Signature, forward: F, backward: B) -> Self
    where
        F: Fn(&[View<'_, T>]) -> S + Send + Sync + 'a,
        S: Forward<T, Residual: 'a>,
        B: Fn(&S::Residual, View<'_, T>) -> K + Send + Sync + 'a,
        K: Cotangents<T>,
    {
        let backward = Arc::new(backward);
        let forward: Forwards<'a, T> = Box::new(move |call, shapes| {
            let inputs: Vec<Vec<T>> = call.arguments.iter().map(Storage::read).collect();
            let given = with_views(&inputs, &shapes.inputs, &forward);
            let (value, residual) = given.finish(|| shapes.given(inputs))?;
            let (backward, shapes) = (Arc::clone(&backward), shapes.clone());
            let residual = Kept(residual);
            let answers: Answers<'a, T> = Box::new(move |seed| {
                let seed = seed.read();
                backward(residual.get(), shapes.seed(&seed)).pieces()
            });
            Ok((value, answers))
        });
        Rule {
            signature,
            declared: Declared::Unproved,
            refuses: S::REFUSES,
            in_storage: false,
            forward,
            on_duals: None,
            plain: None,
            stated: None,
        }
    }

    /// A rule over storage, which it may keep and change as frameworks do; it is told which arguments a gradient is asked for, and so is what it saved.
    pub fn in_storage<F, B, S, K>(signature: Signature, forward: F, backward: B) -> Self
    where
        F: Fn(&Call<T>) -> S + Send + Sync + 'a,
        S: Forward<T, Residual: 'a>,
        B: Fn(&S::Residual, &Storage<T>) -> K + Send + Sync + 'a,
        K: Cotangents<T>,
    {
        let backward = Arc::new(backward);
        let forward: Forwards<'a, T> = Box::new(move |call, shapes| {
            let Shapes { inputs, outputs } = shapes.clone();
            let call = Call { shapes: inputs, outputs, ..call.clone() };
            let read = || shapes.given(call.arguments.iter().map(Storage::read).collect());
            let (value, residual) = forward(&call).finish(read)?;
            let (backward, residual) = (Arc::clone(&backward), Kept(residual));
            let answers: Answers<'a, T> = Box::new(move |seed| backward(residual.get(), seed).pieces());
            Ok((value, answers))
        });
        Rule {
            signature,
            declared: Declared::Unproved,
            refuses: S::REFUSES,
            in_storage: true,
            forward,
            on_duals: None,
            plain: None,
            stated: None,
        }
    }

    /// The same forward function at dual numbers, which give its derivative to the last digit.
    #[must_use]
    pub fn on_duals<F, S>(mut self, forward: F) -> Self
    where
        F: Fn(&[View<'_, Dual<T>>]) -> S + Send + Sync + 'a,
        S: Forward<Dual<T>>,
    {
        self.on_duals = Some(Box::new(move |call, shapes| {
            let inputs: Vec<Vec<Dual<T>>> = call.arguments.iter().map(Storage::read).collect();
            let given = with_views(&inputs, &shapes.inputs, &forward);
            given.finish(|| shapes.given(inputs)).map(|(value, _)| value.concat())
        }));
        self
    }

    /// What the rule is declared to be; [`Unproved`](Declared::Unproved) where nothing is said.
    #[must_use]
    pub fn declared(mut self, declared: Declared) -> Self {
        self.declared = declared;
        self
    }

    /// The plain function that the forward one should compute.
    #[must_use]
    pub fn computes(mut self, plain: impl Fn(&[View<'_, T>]) -> Vec<T> + Send + Sync + 'a) -> Self {
        self.plain = Some(Box::new(plain));
        self
    }

    /// What the rule is declared to give where the function has a corner: the cotangents, from the arguments and the cotangent of the output.
    #[must_use]
    pub fn declares<K: Cotangents<T>>(
        mut self,
        stated: impl Fn(&[View<'_, T>], View<'_, T>) -> K + Send + Sync + 'a,
    ) -> Self {
        self.stated = Some(Box::new(move |x, u| stated(x, u).pieces()));
        self
    }

    /// The shapes.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Whether it was given at dual numbers.
    pub(crate) fn has_duals(&self) -> bool {
        self.on_duals.is_some()
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.plain.is_some()
    }

    pub(crate) fn is_stated(&self) -> bool {
        self.stated.is_some()
    }

    /// The rule at sizes for the names of its signature.
    #[must_use]
    pub fn at(&self, sizes: &[usize]) -> AtSizes<'_, 'a, T> {
        AtSizes {
            rule: self,
            shapes: Shapes { inputs: self.signature.inputs(sizes), outputs: self.signature.outputs(sizes) },
        }
    }
}

/// What was saved: behind a function, so that it is captured whole.
struct Kept<R>(R);

impl<R> Kept<R> {
    fn get(&self) -> &R {
        &self.0
    }
}

fn with_views<T, S>(inputs: &[Vec<T>], shapes: &[Vec<usize>], then: &dyn Fn(&[View<'_, T>]) -> S) -> S {
    let views: Vec<View<'_, T>> =
        inputs.iter().zip(shapes).map(|(numbers, shape)| View { shape, numbers, parts: &[] }).collect();
    then(&views)
}

/// A [`Rule`] at fixed sizes.
pub struct AtSizes<'r, 'a, T: Scalar> {
    rule: &'r Rule<'a, T>,
    shapes: Shapes,
}

impl<T: Scalar> AtSizes<'_, '_, T> {
    /// The plain function, where there is one.
    pub(crate) fn plain(&self, x: &[T]) -> Vec<T> {
        let inputs: Vec<Vec<T>> = Call::new(x, &self.arguments()).arguments.iter().map(Storage::read).collect();
        self.rule.plain.as_ref().map_or_else(Vec::new, |plain| with_views(&inputs, &self.shapes.inputs, plain))
    }

    /// What was declared, where it was.
    pub(crate) fn stated(&self, x: &[T], u: &[T]) -> Vec<T> {
        let inputs: Vec<Vec<T>> = Call::new(x, &self.arguments()).arguments.iter().map(Storage::read).collect();
        let Some(stated) = &self.rule.stated else { return vec![] };
        let seed = self.shapes.seed(u);
        joined(with_views(&inputs, &self.shapes.inputs, &|views| stated(views, seed)), &self.arguments())
    }
}

/// The cotangents one after the other, with zeros for those that are not there.
///
/// The law `shape` says where one ends and the next begins, so no other law does.
fn joined<T: Scalar>(pieces: Vec<Option<Vec<T>>>, lengths: &[usize]) -> Vec<T> {
    let piece = |(place, piece): (usize, Option<Vec<T>>)| {
        piece.unwrap_or_else(|| vec![T::zero(); lengths.get(place).copied().unwrap_or(0)])
    };
    let mut all: Vec<T> = pieces.into_iter().enumerate().flat_map(piece).collect();
    all.resize(lengths.iter().sum(), T::zero());
    all
}

impl<T: Scalar> Shaped for AtSizes<'_, '_, T> {
    fn dimensions(&self) -> (usize, usize) {
        (self.arguments().iter().sum(), self.outputs().iter().sum())
    }
    fn spaces(&self) -> (String, String) {
        let words =
            |shapes: &[Vec<usize>]| shapes.iter().map(|shape| format!("{shape:?}")).collect::<Vec<_>>().join(", ");
        (words(&self.shapes.inputs), words(&self.shapes.outputs))
    }
    fn evidence(&self) -> Evidence {
        Evidence::Declared(self.rule.declared)
    }
    fn arguments(&self) -> Vec<usize> {
        self.shapes.inputs.iter().map(|shape| shape.iter().product()).collect()
    }
    fn outputs(&self) -> Vec<usize> {
        self.shapes.outputs.iter().map(|shape| shape.iter().product()).collect()
    }
    fn rows(&self) -> Vec<usize> {
        self.shapes.inputs.iter().map(|shape| shape.last().copied().unwrap_or(1)).collect()
    }
    fn has_axis_of_one(&self) -> bool {
        !self.rule.signature.names().is_empty() && self.shapes.inputs.iter().any(|shape| shape.contains(&1))
    }
    fn refuses(&self) -> bool {
        self.rule.refuses
    }
    fn shares_storage(&self) -> bool {
        self.rule.in_storage
    }
    fn tracks(&self) -> bool {
        self.rule.in_storage
    }
}

impl<T: Scalar> Flat<T> for AtSizes<'_, '_, T> {
    fn run<'s>(&'s self, input: &[T]) -> Result<Run<'s, T>, Refusal> {
        self.call(&Call::new(input, &self.arguments()))
    }
    fn call<'s>(&'s self, call: &Call<T>) -> Result<Run<'s, T>, Refusal> {
        let (value, answers) = (self.rule.forward)(call, &self.shapes)?;
        let gave = value.iter().map(Vec::len).collect();
        Ok(Run { value: value.concat(), saved: Box::new(Answering { answers, lengths: self.arguments(), gave }) })
    }
}

impl<T: Scalar> Moving<T> for AtSizes<'_, '_, T> {
    fn push(&self, input: &[T], direction: &[T]) -> Result<Pushed<T>, Refusal> {
        let duals: Vec<Dual<T>> = input.iter().zip(direction).map(|(x, v)| Dual::new(x.clone(), v.clone())).collect();
        let on_duals = self.rule.on_duals.as_ref().ok_or_else(|| Refusal::new("the rule has no dual numbers"))?;
        let output = on_duals(&Call::new(&duals, &self.arguments()), &self.shapes)?;
        let (value, tangent) = output.into_iter().map(|dual| (dual.value, dual.tangent)).unzip();
        Ok(Pushed { value, tangent })
    }
}

struct Answering<'a, T> {
    answers: Answers<'a, T>,
    lengths: Vec<usize>,
    /// The lengths of the outputs.
    gave: Vec<usize>,
}

impl<T: Scalar> Saved<T> for Answering<'_, T> {
    fn pull(&self, seed: &[T]) -> Vec<T> {
        joined(self.answer(&Storage::new(seed.to_vec())), &self.lengths)
    }
    fn answer(&self, seed: &Storage<T>) -> Vec<Option<Vec<T>>> {
        (self.answers)(seed)
    }
    fn gave(&self) -> Option<Vec<usize>> {
        Some(self.gave.clone())
    }
}
