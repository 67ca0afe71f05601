//! Contracts as rules on coordinates, which is what the equations are about.

use pullback_laws::{Flat, Moving, Pushed, Refusal, Remembers, Run, Saved, Shaped};

use crate::contract::{Contract, DomainError, Evidence};
use crate::scalar::{Dual, Scalar};
use crate::space::{Cotangent, Over, Space};

/// A contract whose input and output have coordinates `T`: what laws are about.
///
/// Every such contract is one, if threads may share it; a user does not write it.
pub trait Subject<T: Scalar>: Contract<Input: Over<T>, Output: Over<T>> + Sync {}

impl<T: Scalar, C: Contract<Input: Over<T>, Output: Over<T>> + Sync> Subject<T> for C {}

/// A contract as a rule on coordinates: what [`equations`](super::equations) and [`Checked`](super::Checked) take.
///
/// # Example
///
/// ```
/// use pullback::laws::{On, equations};
/// use pullback::{N, ops};
///
/// let f = ops::square::<(N<2>,), f64>();
/// equations::homogeneous::<f64>(&On(&f), &[1.0, 2.0], &[3.0, -1.0])?;
/// # Ok::<(), pullback::laws::LawViolation>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct On<C>(
    /// The contract, or a reference to one.
    pub C,
);

impl<C: Contract> Shaped for On<C> {
    fn dimensions(&self) -> (usize, usize) {
        (C::Input::DIMENSION, C::Output::DIMENSION)
    }
    fn spaces(&self) -> (String, String) {
        (shape::<C::Input>(), shape::<C::Output>())
    }
    fn evidence(&self) -> pullback_laws::Evidence {
        pullback_laws::Evidence::labelled(C::Evidence::LABEL)
    }
}

struct Kept<'a, C: Contract> {
    contract: &'a C,
    residual: C::Residual,
}

impl<T: Scalar, C: Subject<T>> Saved<T> for Kept<'_, C> {
    fn pull(&self, seed: &[T]) -> Vec<T> {
        self.contract.pullback(&self.residual, Cotangent::new(point(seed))).into_inner().coordinates()
    }
}

impl<T: Scalar, C: Subject<T>> Flat<T> for On<C> {
    fn run<'a>(&'a self, input: &[T]) -> Result<Run<'a, T>, Refusal> {
        let (output, residual) = self.0.forward(point(input)).map_err(refusal)?;
        Ok(Run { value: output.coordinates(), saved: Box::new(Kept { contract: &self.0, residual }) })
    }
}

impl<T: Scalar, C: Subject<T> + Contract<Residual: Over<T>>> Remembers<T> for On<C> {
    fn residual(&self, input: &[T]) -> Result<Vec<T>, Refusal> {
        self.0.forward(point(input)).map(|(_, residual)| residual.coordinates()).map_err(refusal)
    }
}

impl<T: Scalar, C: Subject<Dual<T>>> Moving<T> for On<C> {
    fn push(&self, input: &[T], direction: &[T]) -> Result<Pushed<T>, Refusal> {
        let moving: Vec<Dual<T>> =
            input.iter().zip(direction).map(|(value, tangent)| Dual::new(value.clone(), tangent.clone())).collect();
        let (output, _) = self.0.forward(point(&moving)).map_err(refusal)?;
        let (value, tangent) = output.coordinates().into_iter().map(|dual| (dual.value, dual.tangent)).unzip();
        Ok(Pushed { value, tangent })
    }
}

fn refusal(error: DomainError) -> Refusal {
    let refusal = Refusal::new(error.to_string());
    if error.index() == usize::MAX { refusal } else { refusal.at(error.index()) }
}

/// The point with these coordinates; the origin for a space that breaks the promise to have one for every list of its dimension, which then satisfies no law.
fn point<T: Scalar, A: Over<T>>(coordinates: &[T]) -> A {
    A::from_coordinates(&mut coordinates.iter().cloned()).unwrap_or_else(A::zero)
}

/// The coordinates of a point, where its type does not say over which scalar.
pub(super) fn coordinates<T: Scalar, A: Over<T>>(point: &A) -> Vec<T> {
    point.coordinates()
}

/// What a space looks like: `Tensor(Row = 2, Col = 3)`.
fn shape<A: Space>() -> String {
    let shown = format!("{:?}", A::zero());
    let mut text = String::new();
    let mut depth = 0_usize;
    for letter in shown.chars() {
        match letter {
            // The elements of a tensor stand in brackets after its shape.
            '[' if depth > 0 || text.ends_with(')') => depth += 1,
            ']' if depth > 0 => depth -= 1,
            _ if depth == 0 => text.push(letter),
            _ => {}
        }
    }
    text
}
