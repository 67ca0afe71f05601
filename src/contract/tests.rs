//! The laws of combinators, on small contracts written by hand, exactly on rationals.

use core::marker::PhantomData;

use proptest::prelude::*;
use static_assertions::{assert_impl_all, assert_type_eq_all, const_assert};

use super::combinators::*;
use super::*;
use crate::scalar::{Dual, Rational, Scalar};
use crate::shape::{N, Shape};
use crate::space::{Composite, Cotangent, Over, Space};
use crate::tensor::Tensor;
use crate::{Each, dims};

dims! { Len = 3; Rows = 4 }

type Q = Rational;
type V<T = Q> = Tensor<(Len,), T>;

const_assert!(size_of::<DomainError>() == 16);
const_assert!(size_of::<Then<Square, Then<Square, Square>>>() == 0);
assert_impl_all!(DomainError: Send, Sync, Copy, std::error::Error);
assert_impl_all!(Erased<V, V, Proved>: Send, Sync, Clone);

/// `x²` by element.
#[derive(Debug)]
struct Square<T = Q>(PhantomData<fn() -> T>);

/// `1 / x` by element, for `x ≠ 0`.
#[derive(Debug)]
struct Recip<T = Q>(PhantomData<fn() -> T>);

/// `p · x` by element: parameters and input.
#[derive(Debug)]
struct Scale<T = Q>(PhantomData<fn() -> T>);

/// `x₀ + … ` as a scalar.
#[derive(Debug)]
struct Total<T = Q>(PhantomData<fn() -> T>);

/// Copies whatever the scalar is, which a derive would not.
macro_rules! copy {
    ($($name:ident)*) => {$(
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
    )*};
}
copy! { Square Recip Scale Total }

fn square<T>() -> Square<T> {
    Square(PhantomData)
}
fn recip<T>() -> Recip<T> {
    Recip(PhantomData)
}
fn scale<T>() -> Scale<T> {
    Scale(PhantomData)
}
fn total<T>() -> Total<T> {
    Total(PhantomData)
}

impl<T: Scalar> Contract for Square<T> {
    type Input = V<T>;
    type Output = V<T>;
    type Residual = V<T>;
    type Evidence = Declared<Convention>;
    fn forward(&self, input: V<T>) -> Result<(V<T>, V<T>), DomainError> {
        Ok((input.map(|x: T| x.clone() * x), input))
    }
    fn pullback(&self, residual: &V<T>, seed: Cotangent<V<T>>) -> Cotangent<V<T>> {
        Cotangent::new(residual.zip_map(seed.as_inner(), |x: T, dy: T| T::from_usize(2) * x * dy))
    }
}

static NONZERO: Condition = Condition::new("recip", "x[i] != 0");

impl<T: Scalar> Contract for Recip<T> {
    type Input = V<T>;
    type Output = V<T>;
    type Residual = V<T>;
    type Evidence = Declared<Surrogate>;
    fn forward(&self, input: V<T>) -> Result<(V<T>, V<T>), DomainError> {
        if let Some(index) = input.as_slice().iter().position(T::is_zero) {
            return Err(DomainError::new(&NONZERO, index));
        }
        let output: V<T> = input.map(T::recip);
        Ok((output.clone(), output))
    }
    fn pullback(&self, residual: &V<T>, seed: Cotangent<V<T>>) -> Cotangent<V<T>> {
        Cotangent::new(residual.zip_map(seed.as_inner(), |y: T, dy: T| -(y.clone() * y * dy)))
    }
}

impl<T: Scalar> Contract for Scale<T> {
    type Input = (V<T>, V<T>);
    type Output = V<T>;
    type Residual = (V<T>, V<T>);
    type Evidence = Declared<Unproved>;
    fn forward(&self, (p, x): Self::Input) -> Result<(V<T>, Self::Residual), DomainError> {
        Ok((p.zip_map(&x, |p: T, x: T| p * x), (p, x)))
    }
    fn pullback(&self, (p, x): &Self::Residual, seed: Cotangent<V<T>>) -> Cotangent<Self::Input> {
        let seed = seed.as_inner();
        Cotangent::new((x.zip_map(seed, |x: T, dy: T| x * dy), p.zip_map(seed, |p: T, dy: T| p * dy)))
    }
}

impl<T: Scalar> Contract for Total<T> {
    type Input = V<T>;
    type Output = Tensor<(), T>;
    type Residual = ();
    type Evidence = Declared<Subgradient>;
    fn forward(&self, input: V<T>) -> Result<(Self::Output, ()), DomainError> {
        let mut sum = T::zero();
        for element in input.as_slice() {
            sum.accumulate(element.clone());
        }
        Ok((Tensor::scalar(sum), ()))
    }
    fn pullback(&self, _: &(), seed: Cotangent<Self::Output>) -> Cotangent<V<T>> {
        Cotangent::new(Tensor::full(seed.as_inner().to_scalar()))
    }
}

/// A point of any space, never zero in a coordinate, from a stream of numbers.
fn point<A: Over<Q>>(seed: u64) -> A {
    let mut state = seed;
    let mut numbers = core::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let numerator = (state >> 40) as i64 % 9 - 4;
        Q::from_ratio(if numerator == 0 { 5 } else { numerator }, 1 + (state >> 33) as i64 % 4)
    });
    A::from_coordinates(&mut numbers).expect("numbers do not end")
}

/// The output and the pullback of two contracts agree, whatever their residuals.
fn agree<F, G>(f: &F, g: &G, seed: u64)
where
    F: Contract,
    G: Contract<Input = F::Input, Output = F::Output>,
    F::Input: Over<Q>,
    F::Output: Over<Q>,
{
    let input: F::Input = point(seed);
    let cotangent: F::Output = point(seed ^ 0x5555);
    let (left, left_residual) = f.forward(input.clone()).expect("nowhere zero");
    let (right, right_residual) = g.forward(input).expect("nowhere zero");
    assert_eq!(left.coordinates(), right.coordinates());
    let left = f.pullback(&left_residual, Cotangent::new(cotangent.clone()));
    let right = g.pullback(&right_residual, Cotangent::new(cotangent));
    assert_eq!(left.into_inner().coordinates(), right.into_inner().coordinates());
}

/// `⟨K u, v⟩ = ⟨u, D v⟩`, with the directional derivative taken on dual numbers by the same code.
fn adjoint<F, G>(f: &F, on_duals: &G, seed: u64)
where
    F: Contract<Input: Over<Q>, Output: Over<Q>>,
    G: Contract<Input: Over<Dual<Q>>, Output: Over<Dual<Q>>>,
{
    let (x, v, u): (F::Input, F::Input, F::Output) = (point(seed), point(seed ^ 1), point(seed ^ 2));
    let mut moving = x.coordinates().into_iter().zip(v.coordinates()).map(|(value, tangent)| Dual::new(value, tangent));
    let moving = G::Input::from_coordinates(&mut moving).expect("the same space over another scalar");
    let (moved, _) = on_duals.forward(moving).expect("nowhere zero");
    let (_, residual) = f.forward(x).expect("nowhere zero");
    let pulled = f.pullback(&residual, Cotangent::new(u.clone())).into_inner();
    let mut along = Q::zero();
    for (u, moved) in u.coordinates().into_iter().zip(moved.coordinates()) {
        along.accumulate(u * moved.tangent);
    }
    assert_eq!(pulled.dot(&v), along);
}

/// Calls a contract's builder at both scalars.
macro_rules! assert_adjoint {
    ($seed:expr, |$scalar:ident| $contract:expr) => {{
        fn on<$scalar: Scalar>() -> impl Contract<Input: Over<$scalar>, Output: Over<$scalar>> {
            $contract
        }
        adjoint(&on::<Q>(), &on::<Dual<Q>>(), $seed);
    }};
}

#[derive(Clone, Debug, Space)]
struct Parameters<T: Scalar> {
    first: V<T>,
    second: V<T>,
    third: V<T>,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_toys_are_adjoint(seed: u64) {
        assert_adjoint!(seed, |T| square::<T>());
        assert_adjoint!(seed, |T| recip::<T>());
        assert_adjoint!(seed, |T| scale::<T>());
        assert_adjoint!(seed, |T| total::<T>());
    }

    #[test]
    fn every_combinator_of_adjoints_is_adjoint(seed: u64) {
        assert_adjoint!(seed, |T| square::<T>().then(recip()).then(total()));
        assert_adjoint!(seed, |T| square::<T>().par(scale::<T>()));
        assert_adjoint!(seed, |T| square::<T>().fan_out(recip()).then(scale()));
        assert_adjoint!(seed, |T| scale::<T>().then(square()).then_with(scale()));
        assert_adjoint!(seed, |T| scale::<T>().then_with(scale()).then_with(scale()).with_parameters::<Parameters<T>>());
        assert_adjoint!(seed, |T| scale::<T>().repeat::<4>());
        assert_adjoint!(seed, |T| square::<T>().then(recip()).map_over::<Rows>());
        assert_adjoint!(seed, |T| scale::<T>().map_over_with::<Rows>());
        assert_adjoint!(seed, |T| square::<T>().then(recip()).checkpoint());
        assert_adjoint!(seed, |T| square::<T>().then(recip()).erase());
        assert_adjoint!(seed, |T| duplicate::<V<T>>().then(scale()));
        assert_adjoint!(seed, |T| swap::<V<T>, Tensor<(), T>>());
        assert_adjoint!(seed, |T| first::<V<T>, Tensor<(), T>>());
        assert_adjoint!(seed, |T| second::<V<T>, Tensor<(), T>>());
        assert_adjoint!(seed, |T| associate::<V<T>, Tensor<(), T>, V<T>>());
        assert_adjoint!(seed, |T| unassociate::<V<T>, Tensor<(), T>, V<T>>());
        assert_adjoint!(seed, |T| discard::<V<T>>());
        assert_adjoint!(seed, |T| unpack::<Parameters<T>>());
        assert_adjoint!(seed, |T| regroup::<Parameters<T>>());
    }

    #[test]
    fn composition_is_associative_with_units(seed: u64) {
        let (f, g, h) = (square::<Q>(), recip::<Q>(), total::<Q>());
        agree(&f.then(g).then(h), &f.then(g.then(h)), seed);
        agree(&identity().then(f), &f, seed);
        agree(&f.then(identity()), &f, seed);
    }

    #[test]
    fn products_are_componentwise(seed: u64) {
        let (f, g) = (square::<Q>(), recip::<Q>());
        agree(&f.then(g).par(g.then(f)), &f.par(g).then(g.par(f)), seed);
        agree(&f.fan_out(g), &duplicate().then(f.par(g)), seed);
        agree(&swap().then(f.par(g)), &g.par(f).then(swap()), seed);
        agree(&swap::<V, V>().then(swap()), &identity::<(V, V)>(), seed);
        agree(&associate::<V, V, V>().then(unassociate()), &identity(), seed);
        agree(&duplicate::<V>().then(first()), &identity(), seed);
        agree(&duplicate::<V>().then(second()), &identity(), seed);
        agree(&unpack::<Parameters<Q>>().then(regroup()), &identity(), seed);
    }

    #[test]
    fn sharing_adds_and_dropping_gives_zero(seed: u64) {
        let (u, v): (V, V) = (point(seed), point(seed ^ 9));
        let shared = duplicate::<V>().pullback(&(), Cotangent::new((u.clone(), v.clone())));
        prop_assert_eq!(shared.into_inner(), u.clone().add(&v));
        let dropped = discard::<V>().pullback(&(), Cotangent::zero());
        prop_assert_eq!(dropped.into_inner(), V::zero());
        let (kept, lost) = first::<V, V>().pullback(&(), Cotangent::new(u.clone())).split();
        prop_assert_eq!((kept.into_inner(), lost.into_inner()), (u, V::zero()));
    }

    #[test]
    fn what_changes_only_the_residual_is_the_contract(seed: u64) {
        let f = square::<Q>().then(recip());
        agree(&f.checkpoint(), &f, seed);
        agree(&f.erase(), &f, seed);
        agree(&&f, &f, seed);
        agree(&Box::new(f), &f, seed);
        agree(&std::sync::Arc::new(f), &f, seed);
    }

    #[test]
    fn repetition_is_the_chain_with_a_shared_parameter(seed: u64) {
        // (p, x) ↦ (p, p·x), three times, by hand.
        let step = || duplicate::<V>().par(identity::<V>()).then(associate()).then(identity::<V>().par(scale::<Q>()));
        let chain = step().then(step()).then(scale());
        agree(&scale::<Q>().repeat::<3>(), &chain, seed);
        agree(&scale::<Q>().repeat::<1>(), &scale::<Q>(), seed);
        agree(&scale::<Q>().repeat::<0>(), &second::<V, V>(), seed);
    }

    #[test]
    fn a_mapped_contract_works_row_by_row(seed: u64) {
        let rows: Tensor<(Rows, Len), Q> = point(seed);
        let (mapped, _) = square::<Q>().then(total()).map_over::<Rows>().forward(rows.clone()).expect("total");
        for row in 0..4 {
            let one = V::from_fn(|index| rows.as_slice()[row * 3 + index].clone());
            let (expected, _) = square::<Q>().then(total()).forward(one).expect("total");
            prop_assert_eq!(&mapped.as_slice()[row], &expected.to_scalar());
        }
    }
}

#[test]
fn an_error_of_a_part_is_the_error_of_the_whole() {
    let zero = || V::from_fn(|index| if index == 2 { Q::zero() } else { Q::one() });
    let expected = DomainError::new(&NONZERO, 2);
    assert_eq!(expected.to_string(), "recip: the condition `x[i] != 0` does not hold at flat index 2");
    assert_eq!(square::<Q>().then(recip()).forward(zero()).expect_err("zero"), expected);
    assert_eq!(square::<Q>().par(recip::<Q>()).forward((zero(), zero())).expect_err("zero"), expected);
    assert_eq!(recip::<Q>().checkpoint().forward(zero()).expect_err("zero"), expected);
    assert_eq!(recip::<Q>().erase().forward(zero()).expect_err("zero"), expected);
    let step = scale::<Q>().then(recip());
    assert_eq!(step.repeat::<3>().forward((zero(), zero())).expect_err("zero"), expected);
    // A residual that no forward made does not panic.
    let _ = recip::<Q>().checkpoint().pullback(&zero(), Cotangent::zero());
}

#[test]
fn residuals_have_the_dimension_that_the_table_says() {
    fn dimension<C: Contract>(_: &C) -> usize {
        C::Residual::DIMENSION
    }
    assert_eq!(dimension(&square::<Q>().then(recip()).then(total())), 6);
    assert_eq!(dimension(&scale::<Q>().repeat::<5>()), 30);
    assert_eq!(dimension(&square::<Q>().then(recip()).checkpoint()), 3);
    assert_eq!(dimension(&square::<Q>().map_over::<Rows>()), 12);
    let _ = square::<Q>().then(recip()).with_residual_at_most::<6>();
    // An erased residual counts as unbounded, also beside others.
    assert_eq!(dimension(&square::<Q>().erase().then(recip())), usize::MAX);
}

#[test]
fn erased_residuals_are_a_space() {
    let f = square::<Q>().erase();
    let (_, residual) = f.forward(point(7)).expect("total");
    let mut sum = ErasedResidual::zero();
    sum.accumulate(&residual);
    sum.accumulate(&residual);
    let once = f.pullback(&residual, Cotangent::new(point(8))).into_inner();
    let twice = f.pullback(&sum, Cotangent::new(point(8))).into_inner();
    // The rule of a square is linear in its residual.
    assert_eq!(twice, once.clone().add(&once));
    assert_eq!(f.pullback(&ErasedResidual::zero(), Cotangent::new(point(8))).into_inner(), V::zero());
}

#[test]
fn a_gradient_is_the_pullback_of_one() {
    let f = square::<f64>().then(total());
    let (value, gradient) = f.value_and_gradient(V::from_fn(|index| index as f64)).expect("total");
    assert_eq!((value, gradient.into_inner().to_vec()), (5.0, vec![0.0, 2.0, 4.0]));
    let (_, at) = f.linearize(Tensor::full(3.0)).expect("total");
    assert_eq!(at.pullback(Cotangent::new(Tensor::scalar(2.0))).into_inner().to_vec(), vec![12.0; 3]);
}

#[test]
fn parameters_keep_their_fields() {
    let f = scale::<Q>().then_with(scale()).then_with(scale()).with_parameters::<Parameters<Q>>();
    let parameters: Parameters<Q> = point(3);
    let input: V = point(4);
    let (output, at) = f.linearize((parameters.clone(), input.clone())).expect("total");
    let product = |a: &V, b: &V| a.zip_map(b, |a: Q, b: Q| a * b);
    let Parameters { first, second, third } = parameters;
    assert_eq!(output, product(&product(&first, &second), &product(&third, &input)));
    let (gradient, _) = at.pullback(Cotangent::new(Tensor::full(Q::one()))).split();
    let (_, by_second, _) = gradient.into_inner().into_parts();
    assert_eq!(by_second, product(&product(&first, &third), &input));
}

/// Stands for a proved contract in the tests of evidence.
#[derive(Clone, Copy)]
struct Sealed;

impl MayCarryProof for Sealed {
    type Grounds = Seal<Sealed, { proved("the test's own", super::digest::digest("the test's own")) }>;
}

impl Contract for Sealed {
    type Input = V;
    type Output = V;
    type Residual = ();
    type Evidence = Proved;
    fn forward(&self, input: V) -> Result<(V, ()), DomainError> {
        Ok((input, ()))
    }
    fn pullback(&self, _: &(), seed: Cotangent<V>) -> Cotangent<V> {
        seed
    }
}

fn label<C: Contract>(_: &C) -> &'static str {
    C::Evidence::LABEL
}

fn needs_proof<C: Contract<Evidence = Proved>>(_: &C) {}

#[test]
fn combinators_of_proved_contracts_are_proved() {
    needs_proof(&Sealed.then(Sealed).then(identity()));
    needs_proof(&Sealed.par(Sealed).then(swap()));
    needs_proof(&Sealed.fan_out(Sealed));
    needs_proof(&Sealed.checkpoint());
    needs_proof(&Sealed.then(Sealed).erase().then(Sealed));
    needs_proof(&Sealed.map_over::<Rows>());
    needs_proof(&&Sealed);
}

#[test]
fn one_declared_part_makes_the_whole_declared_by_the_weakest_label() {
    assert_eq!(label(&Sealed.then(square())), "convention");
    assert_eq!(label(&square::<Q>().then(Sealed)), "convention");
    // A subgradient is one alone; of a composition it says less.
    assert_eq!(label(&total::<Q>()), "subgradient");
    assert_eq!(label(&square::<Q>().then(total())), "convention");
    assert_eq!(label(&recip::<Q>().then(total())), "surrogate");
    assert_eq!(label(&square::<Q>().then(recip()).erase().then(Sealed)), "surrogate");
    assert_eq!(label(&recip::<Q>().par(scale::<Q>()).checkpoint()), "unproved");
    assert_eq!(label(&scale::<Q>().repeat::<2>()), "unproved");
    const_assert!(!<Declared<Unproved> as Evidence>::IS_PROVED && <Proved as Evidence>::IS_PROVED);
}

assert_type_eq_all!(<Surrogate as Label>::Weakest<Convention>, Surrogate);
assert_type_eq_all!(<Subgradient as Label>::Weakest<Subgradient>, Convention);
assert_type_eq_all!(<Convention as Label>::Weakest<Unproved>, Unproved);

#[test]
fn the_digest_is_one_and_the_same_in_the_macros() {
    let here = include_str!("digest.rs");
    let there = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/macros/src/digest.rs"));
    assert_eq!(here, there.expect("the macros lie beside the library"));
}

/// Generic code over contracts needs no bound but what it says.
fn two_layers<S: Shape, T: Scalar, F, G>(f: F, g: G) -> impl Contract<Input = Tensor<S, T>, Output = Tensor<S, T>>
where
    F: Contract<Input = Tensor<S, T>, Output = Tensor<S, T>>,
    G: Contract<Input = Tensor<S, T>, Output = Tensor<S, T>>,
{
    f.then(g)
}

#[test]
fn generic_code_composes() {
    let f = two_layers(square::<Q>(), recip());
    agree(&f, &square::<Q>().then(recip()), 5);
    let residual: Each<V, N<2>> = Each::from_fn(|_| V::zero());
    assert_eq!(residual.as_slice().len(), 2);
}
