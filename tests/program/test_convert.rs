//! Between shapes in types and shapes as data.

use std::sync::Arc;

use pullback::program::ShapeError;
use pullback::program::dynamic::Draft;
use pullback::{Dual, N, Program, Scalar, Tensor, dims};

use crate::support::{Q, q};

dims! { Batch = 2; Features = 3; Wide = 3 }

type M<T = f32> = Tensor<(Batch, Features), T>;

fn program() -> Program<(M, Tensor<(Features,)>), M> {
    Program::<(M, Tensor<(Features,)>), M>::trace(|(x, b)| x.bias_add(b)).unwrap()
}

#[test]
fn there_and_back() {
    let dynamic = program().into_dynamic();
    let back = Program::<(M, Tensor<(Features,)>), M>::try_from_dynamic(Arc::clone(&dynamic)).unwrap();
    assert_eq!(back, program());
    // Names of axes are in types only, so that other names of the same sizes will do; here it is said on purpose.
    type Other = (Tensor<(Batch, Wide)>, Tensor<(Wide,)>);
    assert!(Program::<Other, Tensor<(Batch, Wide)>>::try_from_dynamic(dynamic).is_ok());
    // By a draft, as a file would have it.
    let draft: Draft = program().as_dynamic().draft();
    let verified = draft.verify(&pullback::program::Limits::default()).unwrap();
    assert_eq!(Program::<(M, Tensor<(Features,)>), M>::try_from_dynamic(verified).unwrap(), program());
}

#[test]
fn what_does_not_fit_is_named() {
    let dynamic = || program().into_dynamic();
    let error = Program::<M, M>::try_from_dynamic(dynamic()).unwrap_err();
    assert_eq!(error, ShapeError::Count { what: "inputs", expected: 1, found: 2 });
    let error = Program::<(M, Tensor<(Features,)>), (M, M)>::try_from_dynamic(dynamic()).unwrap_err();
    assert_eq!(error.to_string(), "the program has 1 outputs, its type has 2");
    let error = Program::<(M, Tensor<()>), M>::try_from_dynamic(dynamic()).unwrap_err();
    assert_eq!(error.to_string(), "input 1 (`1`) has shape [3], its type has the axes ()");
    let error = Program::<(M, Tensor<(N<4>,)>), M>::try_from_dynamic(dynamic()).unwrap_err();
    assert_eq!(error.to_string(), "input 1 (`1`): axis 0 is `4` of size 4, the program has size 3");
    let error = Program::<(M, Tensor<(Features,)>), Tensor<(Batch, N<7>)>>::try_from_dynamic(dynamic()).unwrap_err();
    assert_eq!(error.to_string(), "output 0 (`output`): axis 1 is `7` of size 7, the program has size 3");
}

#[test]
fn one_program_over_every_scalar() {
    type In<T> = (M<T>, Tensor<(Features,), T>);
    let exact = program().over::<In<Q>, M<Q>>();
    let x = (M::from_fn(|k| q(k as i64, 3)), Tensor::from_fn(|k| q(1, k as i64 + 1)));
    assert_eq!(exact.evaluate(x).unwrap().as_slice()[5], q(5, 3) + q(1, 3));
    let dual = program().over::<In<Dual<f64>>, M<Dual<f64>>>();
    let x = (M::full(Dual::new(1.0, 0.5)), Tensor::full(Dual::new(2.0, 0.25)));
    assert_eq!(dual.evaluate(x).unwrap().as_slice()[0], Dual::new(3.0, 0.75));
    let single = program();
    let third = f32::from_ratio(1, 3);
    let x = (M::full(third), Tensor::full(1.0));
    assert_eq!(single.evaluate(x).unwrap().as_slice()[0].to_bits(), (third + 1.0).to_bits());
}

#[test]
fn rationals_have_no_exponential() {
    let program = Program::<M<Q>, M<Q>>::trace(|x| x.exponential()).unwrap();
    assert_eq!(program.evaluate(M::zeros()).unwrap(), M::full(q(1, 1)));
    let error = program.evaluate(M::full(q(1, 1))).unwrap_err();
    assert!(error.to_string().starts_with("instruction 0 (`exponential`)"), "{error}");
}

#[test]
fn parameters_stay_exact() {
    type S = Tensor<(), Q>;
    let program = Program::<S, S>::trace(|x| x.scale(q(1, 3)).shift(q(1, 7)).scale(0.1_f32)).unwrap();
    let tenth = Q::from_float(f64::from(0.1_f32)).unwrap();
    assert_eq!(program.evaluate(S::scalar(q(2, 1))).unwrap().to_scalar(), (q(2, 3) + q(1, 7)) * tenth);
    let half = Program::<S, S>::trace(|x| x * pullback::Var::from_tensor(&S::scalar(q(1, 2)))).unwrap();
    assert_eq!(half.evaluate(S::scalar(q(2, 1))).unwrap().to_scalar(), q(1, 1));
}
