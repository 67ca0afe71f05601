//! A typed chain of 100 layers, each with parameters of its own: `cargo check` takes it in seconds.
//!
//! With the default recursion limit, a chain may be about 120 layers deep.
//! `repeat` shares the parameters of any number of steps in one type, and `erase` gives a chain of any depth a short one; both are used below.

use std::marker::PhantomData;

use pullback::{
    Contract, ContractExt, Cotangent, Declared, Dim, DomainError, Real, Scalar, Space, Tensor, Unproved, dims,
};

dims! {
    Batch = 4;
    Hidden = 8
}

/// A matrix product with the weight first.
struct Linear<M, K, N, T>(PhantomData<(M, K, N, T)>);

type Matrix<M, N, T> = Tensor<(M, N), T>;

impl<M: Dim, K: Dim, N: Dim, T: Scalar> Contract for Linear<M, K, N, T> {
    type Input = (Matrix<K, N, T>, Matrix<M, K, T>);
    type Output = Matrix<M, N, T>;
    type Residual = Self::Input;
    type Evidence = Declared<Unproved>;

    fn forward(&self, (b, a): Self::Input) -> Result<(Self::Output, Self::Residual), DomainError> {
        let c = Tensor::build_with(|c| {
            let (m, k, n) = (M::SIZE, K::SIZE, N::SIZE);
            T::gemm(m, k, n, c, 0, n, 1, a.as_slice(), 0, k, 1, b.as_slice(), 0, n, 1);
        });
        Ok((c, (b, a)))
    }

    fn pullback(&self, (b, a): &Self::Residual, seed: Cotangent<Self::Output>) -> Cotangent<Self::Input> {
        let (m, k, n) = (M::SIZE, K::SIZE, N::SIZE);
        let dc = seed.into_inner();
        let db = Tensor::build_with(|db| T::gemm(k, m, n, db, 0, n, 1, a.as_slice(), 0, 1, k, dc.as_slice(), 0, n, 1));
        let da = Tensor::build_with(|da| T::gemm(m, n, k, da, 0, k, 1, dc.as_slice(), 0, n, 1, b.as_slice(), 0, 1, n));
        Cotangent::new((db, da))
    }
}

/// The hyperbolic tangent by element.
struct Tanh<S, T>(PhantomData<(S, T)>);

impl<S: pullback::Shape, T: Real> Contract for Tanh<S, T> {
    type Input = Tensor<S, T>;
    type Output = Tensor<S, T>;
    type Residual = Tensor<S, T>;
    type Evidence = Declared<Unproved>;

    fn forward(&self, x: Tensor<S, T>) -> Result<(Tensor<S, T>, Tensor<S, T>), DomainError> {
        let y = x.map(|x: T| x.tanh());
        Ok((y.clone(), y))
    }

    fn pullback(&self, y: &Tensor<S, T>, seed: Cotangent<Tensor<S, T>>) -> Cotangent<Tensor<S, T>> {
        Cotangent::new(y.zip_map(seed.as_inner(), |y: T, dy: T| dy * (T::one() - y.clone() * y)))
    }
}

fn linear<M: Dim, K: Dim, N: Dim>() -> Linear<M, K, N, f32> {
    Linear(PhantomData)
}

fn tanh<S: pullback::Shape>() -> Tanh<S, f32> {
    Tanh(PhantomData)
}

type State = Matrix<Batch, Hidden, f32>;

fn layer() -> impl Contract<Input = (Matrix<Hidden, Hidden, f32>, State), Output = State> + Send + Sync {
    linear().then(tanh())
}

fn start<C: Contract>(_: &C) -> C::Input {
    C::Input::zero()
}

fn main() -> Result<(), DomainError> {
    let chain = linear::<Batch, Hidden, Hidden>()
        .then(tanh())
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()))
        .then_with(linear::<Batch, Hidden, Hidden>().then(tanh()));
    let (output, at) = chain.linearize(start(&chain))?;
    let (_parameters, _input) = at.pullback(Cotangent::new(output)).split();

    // A thousand steps with shared parameters have the type of one.
    let recurrent = layer().repeat::<1000>();
    let _ = recurrent.forward(start(&recurrent))?;

    // A chain built in a loop: the type of every prefix is the same.
    let state = Tensor::<(Hidden,)>::zeros();
    let mut deep = tanh().erase();
    for _ in 0..1000 {
        deep = deep.then(tanh()).erase();
    }
    let _ = deep.forward(state)?;
    Ok(())
}
