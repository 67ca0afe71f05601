//! A program planned once gives what its statements give.

use pullback::program::{ExecuteError, Numerics};
use pullback::{Cotangent, N, Over, Program, Tensor, dims};

use crate::support::{distance, float};

dims! { Batch = 5; Features = 7; Classes = 3 }

type X<T = f64> = Tensor<(Batch, Features), T>;
type W<T = f64> = Tensor<(Features, Classes), T>;
type Y<T = f64> = Tensor<(Batch, Classes), T>;

fn program() -> Program<(X, W), (Y, Tensor<(), f64>)> {
    Program::<(X, W), (Y, Tensor<(), f64>)>::trace(|(x, w)| {
        let y = x.tanh().matmul(w).softmax();
        (y, (y * y).mean_all())
    })
    .unwrap()
}

#[test]
fn values_and_gradients() {
    let program = program();
    let mut run = program.compile_with_gradient::<f64>(Numerics::default()).unwrap();
    assert_eq!(run.as_program(), &program);
    // Often, and a clone elsewhere.
    let mut clone = run.clone();
    for seed in 0..3 {
        let (x, u) = (float::<(X, W)>(seed), float::<(Y, Tensor<(), f64>)>(seed + 9));
        let (value, at) = program.linearize(x.clone()).unwrap();
        let gradient = at.pullback(Cotangent::new(u.clone())).unwrap().into_inner();
        assert!(distance(&run.evaluate(&x).unwrap(), &value) < 1e-12);
        let (v, g) = run.value_and_pullback(&x, Cotangent::new(u.clone())).unwrap();
        assert!(distance(&v, &value) < 1e-12 && distance(&g.into_inner(), &gradient) < 1e-12);
        assert!(distance(&clone.forward(&x).unwrap(), &value) < 1e-12);
        for _ in 0..2 {
            let g = clone.pullback(Cotangent::new(u.clone())).unwrap();
            assert!(distance(&g.into_inner(), &gradient) < 1e-12);
        }
    }
}

#[test]
fn over_single_floats() {
    type In = (X<f32>, W<f32>);
    type Out = (Y<f32>, Tensor<(), f32>);
    let single = program().over::<In, Out>();
    let narrow = |x: &X| x.map(|x: f64| x as f32);
    let (x, w) = float::<(X, W)>(3);
    let mut run = single.compile::<f32>(Numerics::default()).unwrap();
    let (y, mean) = run.evaluate(&(narrow(&x), w.map(|w: f64| w as f32))).unwrap();
    let (expected, expected_mean) = program().evaluate((x, w)).unwrap();
    assert!(distance(&y.map(|y: f32| f64::from(y)), &expected) < 1e-6);
    assert!((f64::from(mean.to_scalar()) - expected_mean.to_scalar()).abs() < 1e-6);
}

#[test]
fn what_it_refuses() {
    type V = Tensor<(N<4>,), f64>;
    let program = Program::<V, V>::trace(|x| x.log()).unwrap();
    let mut run = program.compile::<f64>(Numerics::default()).unwrap();
    let error = run.evaluate(&V::from_fn(|k| 2.0 - k as f64)).unwrap_err();
    assert!(matches!(error, ExecuteError::Domain { instruction: 0, at: 2, .. }), "{error}");
    assert_eq!(run.forward(&V::full(1.0)).unwrap_err(), ExecuteError::NoGradient);
    let mut run = program.compile_with_gradient::<f64>(Numerics::default()).unwrap();
    assert_eq!(run.pullback(Cotangent::new(V::full(1.0))).unwrap_err(), ExecuteError::NoTape);
    assert_eq!(run.evaluate(&V::full(1.0)).unwrap().coordinates(), [0.0; 4]);
    assert_eq!(format!("{run:?}"), "Compiled(Program(1 input, 1 instruction, 1 output))");
}
