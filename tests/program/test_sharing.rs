//! A value that is used several times is computed once, and its cotangents add.

use pullback::{Cotangent, N, Program, Tensor};

use crate::support::{Q, q, rational};

type V = Tensor<(N<3>,), Q>;
type S = Tensor<(), Q>;

fn scalar(value: Q) -> S {
    Tensor::scalar(value)
}

#[test]
fn a_square_and_itself() {
    let program = Program::<S, S>::trace(|x| x * x + x).unwrap();
    assert_eq!(program.as_dynamic().len(), 2);
    let x = scalar(q(3, 2));
    assert_eq!(program.evaluate(x.clone()).unwrap(), scalar(q(15, 4)));
    assert_eq!(program.gradient().unwrap().evaluate(x.clone()).unwrap(), scalar(q(4, 1)));
    // Twice more: the derivative of 2x + 1 in direction 5, and its own.
    let second = program.gradient().unwrap().forward_mode().unwrap();
    assert_eq!(second.evaluate((x.clone(), scalar(q(5, 1)))).unwrap(), scalar(q(10, 1)));
    let (value, gradient) = program.with_gradient().unwrap().evaluate(x).unwrap();
    assert_eq!((value, gradient), (scalar(q(15, 4)), scalar(q(4, 1))));
}

#[test]
fn one_variable_for_both_arguments() {
    let program = Program::<V, V>::trace(|x| x / x - x.maximum(x)).unwrap();
    let x = V::from_fn(|k| q(k as i64 + 1, 3));
    let (value, at) = program.linearize(x.clone()).unwrap();
    assert_eq!(value, x.map(|x: Q| q(1, 1) - x));
    let u = rational::<V>(2);
    assert_eq!(at.pullback(Cotangent::new(u.clone())).unwrap().into_inner(), u.map(|u: Q| -u));
}

#[test]
fn a_diamond() {
    // s = x², then s·s and s + s meet again: x⁴ + 2x² + … by x is 4x³ + 4x.
    let program = Program::<V, V>::trace(|x| {
        let square = x * x;
        let (left, right) = (square * square, square + square);
        left + right
    })
    .unwrap();
    assert_eq!(program.as_dynamic().len(), 4);
    let (x, u) = (rational::<V>(1), rational::<V>(4));
    let expected = x.zip_map(&u, |x: Q, u: Q| u * (q(4, 1) * x.clone() * x.clone() * x.clone() + q(4, 1) * x));
    let (_, at) = program.linearize(x.clone()).unwrap();
    assert_eq!(at.pullback(Cotangent::new(u.clone())).unwrap().into_inner(), expected);
    assert_eq!(program.reverse().unwrap().evaluate((x, u)).unwrap(), expected);
}

#[test]
fn a_value_that_is_also_an_output() {
    let program = Program::<V, (V, V)>::trace(|x| {
        let square = x * x;
        (square, square * x)
    })
    .unwrap();
    let (x, u, w) = (rational::<V>(1), rational::<V>(4), rational::<V>(6));
    let cotangent = program.reverse().unwrap().evaluate((x.clone(), (u.clone(), w.clone()))).unwrap();
    for k in 0..3 {
        let (x, u, w) = (x.as_slice()[k].clone(), u.as_slice()[k].clone(), w.as_slice()[k].clone());
        assert_eq!(cotangent.as_slice()[k], q(2, 1) * x.clone() * u + q(3, 1) * x.clone() * x * w);
    }
}

#[test]
fn an_unused_input_has_zeros_of_its_shape() {
    type Wide = Tensor<(N<2>, N<5>), Q>;
    let program = Program::<(V, Wide), V>::trace(|(x, _)| x + x).unwrap();
    let reverse = program.reverse().unwrap();
    let (dx, dw) = reverse.evaluate((rational::<(V, Wide)>(1), rational::<V>(3))).unwrap();
    assert_eq!(dx, rational::<V>(3).map(|u: Q| u * q(2, 1)));
    assert_eq!(dw, Wide::zeros());
    let (_, at) = program.linearize(rational::<(V, Wide)>(1)).unwrap();
    assert_eq!(at.pullback(Cotangent::new(rational::<V>(3))).unwrap().into_inner(), (dx, dw));
}

#[test]
fn an_output_that_is_an_input() {
    let program = Program::<(V, V), (V, V, V)>::trace(|(x, y)| (y, x, y)).unwrap();
    assert!(program.as_dynamic().is_empty());
    let point = rational::<(V, V)>(1);
    assert_eq!(program.evaluate(point.clone()).unwrap(), (point.1.clone(), point.0.clone(), point.1.clone()));
    let seeds = rational::<(V, V, V)>(2);
    let (dx, dy) = program.reverse().unwrap().evaluate((point, seeds.clone())).unwrap();
    assert_eq!(dx, seeds.1);
    assert_eq!(dy, seeds.0.zip_map(&seeds.2, |a: Q, b: Q| a + b));
}

#[test]
fn nothing_in_and_nothing_out() {
    let program = Program::<(), ()>::trace(|()| ()).unwrap();
    assert_eq!(format!("{program:?}"), "Program(0 inputs, 0 instructions, 0 outputs)");
    program.evaluate::<Q>(()).unwrap();
    let made = Program::<(), V>::trace(|()| pullback::Var::constant(q(2, 3))).unwrap();
    assert_eq!(made.evaluate(()).unwrap(), V::full(q(2, 3)));
}

#[test]
fn stopped_gradients_do_not_flow() {
    let program = Program::<V, V>::trace(|x| x * x.stop_gradient()).unwrap();
    let x = rational::<V>(2);
    assert_eq!(program.evaluate(x.clone()).unwrap(), x.map(|x: Q| x.clone() * x));
    let (_, at) = program.linearize(x.clone()).unwrap();
    let ones = V::full(q(1, 1));
    assert_eq!(at.pullback(Cotangent::new(ones.clone())).unwrap().into_inner(), x);
    assert_eq!(program.reverse().unwrap().evaluate((x.clone(), ones)).unwrap(), x);
    assert_eq!(program.proved().unwrap_err()[0].operator, "stop_gradient");
}
