//! One contract many times.

use core::marker::PhantomData;

use crate::contract::seal::{MayCarryProof, OfItsParts};
use crate::contract::{Condition, Contract, DomainError, Evidence};
use crate::scalar::Scalar;
use crate::shape::{Dim, Join, Joined, Shape};
use crate::space::{Cotangent, Each, Space};
use crate::tensor::{Draft, Tensor};

/// A step applied `TIMES` times with the same parameters; made by [`repeat`](crate::ContractExt::repeat).
#[derive(Clone, Copy, Debug)]
pub struct Repeat<F, const TIMES: usize> {
    pub(crate) step: F,
}

impl<F, const TIMES: usize> MayCarryProof for Repeat<F, TIMES> {
    type Grounds = OfItsParts<Self>;
}

/// Stands in the state's place while the step has it; nobody sees it, for the step puts its own result there.
static RUNNING: Condition = Condition::new("repeat", "the step returns");

impl<F, P, A, const TIMES: usize> Contract for Repeat<F, TIMES>
where
    P: Space,
    A: Space,
    F: Contract<Input = (P, A), Output = A>,
{
    type Input = (P, A);
    type Output = A;
    type Residual = [F::Residual; TIMES];
    type Evidence = <F::Evidence as Evidence>::Within<Self>;

    #[inline]
    fn forward(&self, (parameters, input): (P, A)) -> Result<(A, Self::Residual), DomainError> {
        // An array can't be filled as far as the first error, so the rest is filled with zeros that nobody sees.
        let mut state = Ok(input);
        let residual = core::array::from_fn(|_| {
            let current = core::mem::replace(&mut state, Err(DomainError::new(&RUNNING, 0)));
            match current.and_then(|current| self.step.forward((parameters.clone(), current))) {
                Ok((next, residual)) => {
                    state = Ok(next);
                    residual
                }
                Err(error) => {
                    state = Err(error);
                    F::Residual::zero()
                }
            }
        });
        state.map(|output| (output, residual))
    }

    #[inline]
    fn pullback(&self, residual: &Self::Residual, seed: Cotangent<A>) -> Cotangent<(P, A)> {
        let mut state = seed;
        let mut parameters: Option<Cotangent<P>> = None;
        for residual in residual.iter().rev() {
            let (contribution, previous) = self.step.pullback(residual, state).split();
            state = previous;
            // From the last step to the first, without a zero in front, so that the order of additions is that of the unrolled chain.
            parameters = Some(match parameters {
                Some(sum) => sum.add(&contribution),
                None => contribution,
            });
        }
        (parameters.unwrap_or_else(Cotangent::zero), state).into()
    }
}

/// A contract on each row of a batch; made by [`map_over`](crate::ContractExt::map_over).
#[derive(Debug)]
pub struct MapOver<F, B> {
    pub(crate) each: F,
    pub(crate) axis: PhantomData<fn() -> B>,
}

/// A contract with shared parameters on each row of a batch; made by [`map_over_with`](crate::ContractExt::map_over_with).
#[derive(Debug)]
pub struct MapOverWith<F, B> {
    pub(crate) each: F,
    pub(crate) axis: PhantomData<fn() -> B>,
}

impl<F: Clone, B> Clone for MapOver<F, B> {
    #[inline]
    fn clone(&self) -> Self {
        MapOver { each: self.each.clone(), axis: PhantomData }
    }
}

impl<F: Clone, B> Clone for MapOverWith<F, B> {
    #[inline]
    fn clone(&self) -> Self {
        MapOverWith { each: self.each.clone(), axis: PhantomData }
    }
}

impl<F, B> MayCarryProof for MapOver<F, B> {
    type Grounds = OfItsParts<Self>;
}

impl<F, B> MayCarryProof for MapOverWith<F, B> {
    type Grounds = OfItsParts<Self>;
}

/// One row of a batch: the elements from `row · S::LEN` on.
#[inline]
fn row<S: Shape, Whole: Shape, T: Scalar>(batch: &Tensor<Whole, T>, row: usize) -> Tensor<S, T> {
    let elements = &batch.as_slice()[row * S::LEN..];
    Tensor::from_fn(|index| elements[index].clone())
}

/// Writes one row of a batch.
#[inline]
fn set_row<S: Shape, Whole: Shape, T: Scalar>(batch: &mut Draft<Whole, T>, row: usize, elements: &Tensor<S, T>) {
    batch.as_mut_slice()[row * S::LEN..][..S::LEN].clone_from_slice(elements.as_slice());
}

impl<F, B, S, Z, T, U> Contract for MapOver<F, B>
where
    B: Dim,
    S: Shape,
    Z: Shape,
    T: Scalar,
    U: Scalar,
    (B,): Join<S> + Join<Z>,
    F: Contract<Input = Tensor<S, T>, Output = Tensor<Z, U>>,
{
    type Input = Tensor<Joined<(B,), S>, T>;
    type Output = Tensor<Joined<(B,), Z>, U>;
    type Residual = Each<F::Residual, B>;
    type Evidence = <F::Evidence as Evidence>::Within<Self>;

    fn forward(&self, input: Self::Input) -> Result<(Self::Output, Self::Residual), DomainError> {
        let mut output = Draft::zeros();
        let residual = Each::try_from_fn(|index| {
            let (elements, residual) = self.each.forward(row(&input, index))?;
            set_row(&mut output, index, &elements);
            Ok(residual)
        })?;
        Ok((output.freeze(), residual))
    }

    fn pullback(&self, residual: &Self::Residual, seed: Cotangent<Self::Output>) -> Cotangent<Self::Input> {
        let mut input = Draft::zeros();
        for (index, residual) in residual.as_slice().iter().enumerate() {
            let elements = self.each.pullback(residual, Cotangent::new(row(seed.as_inner(), index)));
            set_row(&mut input, index, elements.as_inner());
        }
        Cotangent::new(input.freeze())
    }
}

impl<F, B, P, S, Z, T, U> Contract for MapOverWith<F, B>
where
    B: Dim,
    P: Space,
    S: Shape,
    Z: Shape,
    T: Scalar,
    U: Scalar,
    (B,): Join<S> + Join<Z>,
    F: Contract<Input = (P, Tensor<S, T>), Output = Tensor<Z, U>>,
{
    type Input = (P, Tensor<Joined<(B,), S>, T>);
    type Output = Tensor<Joined<(B,), Z>, U>;
    type Residual = Each<F::Residual, B>;
    type Evidence = <F::Evidence as Evidence>::Within<Self>;

    fn forward(&self, (parameters, input): Self::Input) -> Result<(Self::Output, Self::Residual), DomainError> {
        let mut output = Draft::zeros();
        let residual = Each::try_from_fn(|index| {
            let (elements, residual) = self.each.forward((parameters.clone(), row(&input, index)))?;
            set_row(&mut output, index, &elements);
            Ok(residual)
        })?;
        Ok((output.freeze(), residual))
    }

    fn pullback(&self, residual: &Self::Residual, seed: Cotangent<Self::Output>) -> Cotangent<Self::Input> {
        let mut input = Draft::zeros();
        let mut parameters = Cotangent::zero();
        for (index, residual) in residual.as_slice().iter().enumerate() {
            let (contribution, elements) =
                self.each.pullback(residual, Cotangent::new(row(seed.as_inner(), index))).split();
            parameters.accumulate(&contribution);
            set_row(&mut input, index, elements.as_inner());
        }
        (parameters, Cotangent::new(input.freeze())).into()
    }
}
