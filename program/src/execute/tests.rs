//! Executables against the evaluator of programs.
#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps nothing")]

use num_traits::ToPrimitive;

use super::{Executable, ExecuteError, Nonfinite, Numerics, Part};
use crate::agreement::executable;
use crate::operation::{Array, Binding, Limits, Literal, Operation, Operator, Shape};
use crate::program::{Builder, DynProgram, Input, ValueId};
use crate::random::Random;

/// All ways to run a program agree with the evaluator, and with themselves to the bit.
fn compare(what: &str, program: &DynProgram, inputs: &[Vec<f64>], random: &mut Random, numerics: Numerics) {
    executable(program, inputs, random, numerics).unwrap_or_else(|e| panic!("{what}: {e}"));
}

fn operation(name: &str, dims: &[&[usize]]) -> Operation {
    let binding = Binding { dims: dims.iter().map(|d| d.to_vec()).collect(), ..Binding::default() };
    Operation::new(Operator::library(name).unwrap(), binding, &Limits::default()).unwrap()
}

fn apply(builder: &mut Builder, name: &str, dims: &[&[usize]], arguments: &[ValueId]) -> ValueId {
    builder.apply(operation(name, dims), arguments).unwrap()[0]
}

/// A perceptron with a squared loss.
fn perceptron(rows: usize, widths: &[usize]) -> DynProgram {
    let mut b = Builder::new(Limits::default());
    let mut input = |name: &str, sizes: &[usize]| b.input(name, Shape::new(sizes)).unwrap();
    let x = input("x", &[rows, widths[0]]);
    let parameters: Vec<(ValueId, ValueId)> =
        widths.windows(2).map(|w| (input("w", &[w[0], w[1]]), input("b", &[w[1]]))).collect();
    let last = widths[widths.len() - 1];
    let target = input("t", &[rows, last]);
    let mut at = x;
    for (layer, (w, bias)) in parameters.iter().enumerate() {
        let (k, n) = (widths[layer], widths[layer + 1]);
        at = apply(&mut b, "linear", &[&[rows], &[k], &[n]], &[at, *w, *bias]);
        if layer + 2 < widths.len() {
            at = apply(&mut b, "tanh", &[&[rows, n]], &[at]);
        }
    }
    let loss = apply(&mut b, "mean_squared_error", &[&[rows, last]], &[at, target]);
    b.output("loss", loss);
    b.finish()
}

#[test]
fn perceptrons() {
    for (rows, widths) in [(1, &[4, 8, 1][..]), (5, &[7, 40, 33, 3]), (300, &[2, 64, 2])] {
        let program = perceptron(rows, widths);
        let mut random = Random(9);
        let input =
            |i: &Input| random.rationals(i.shape.elements()).iter().map(|q| q.to_f64().unwrap() * 0.3).collect();
        let inputs: Vec<Vec<f64>> = program.inputs().iter().map(input).collect();
        for nonfinite in [Nonfinite::Allow, Nonfinite::Refuse] {
            compare(&format!("{widths:?}"), &program, &inputs, &mut random, Numerics { nonfinite });
        }
    }
}

/// Elementwise operations one after the other, over arrays of this shape.
fn chain(shape: &[usize], length: usize) -> DynProgram {
    let mut b = Builder::new(Limits::default());
    let x = b.input("x", Shape::new(shape)).unwrap();
    let y = b.input("y", Shape::new(shape)).unwrap();
    let unary: Vec<usize> = ["tanh", "sine", "logistic"].map(|n| b.intern(operation(n, &[shape]))).into();
    let binary: Vec<usize> = ["multiply", "add", "subtract"].map(|n| b.intern(operation(n, &[shape]))).into();
    let mut random = Random(5);
    let (mut at, mut before) = (x, y);
    for _ in 0..length {
        let next = if random.below(3) == 0 {
            b.apply_interned(unary[random.below(3)], &[at]).unwrap()
        } else {
            let other = if random.below(2) == 0 { before } else { y };
            b.apply_interned(binary[random.below(3)], &[at, other]).unwrap()
        };
        (before, at) = (at, b.apply_interned(unary[0], &[next]).unwrap());
    }
    b.output("z", at);
    b.finish()
}

#[test]
fn chains() {
    for shape in [&[][..], &[3], &[3, 11], &[700]] {
        for length in [1, 5, 60] {
            let program = chain(shape, length);
            let n = shape.iter().product();
            let mut random = Random(2);
            let mut data = || random.rationals(n).iter().map(|q| q.to_f64().unwrap()).collect::<Vec<f64>>();
            let inputs = [data(), data()];
            for nonfinite in [Nonfinite::Allow, Nonfinite::Refuse] {
                compare(&format!("{shape:?} {length}"), &program, &inputs, &mut random, Numerics { nonfinite });
            }
        }
    }
}

#[test]
fn a_tape_is_small() {
    let program = chain(&[], 20_000);
    let both = Executable::<f64>::with_gradient(&program, Numerics::default()).unwrap();
    let each = both.bytes() as f64 / program.len() as f64;
    assert!(each <= 64.0, "{each} bytes an instruction");
}

#[test]
fn errors_name_the_instruction() {
    for shape in [&[][..], &[3], &[700]] {
        let n: usize = shape.iter().product();
        let mut b = Builder::new(Limits::default());
        let x = b.input("x", Shape::new(shape)).unwrap();
        let t = apply(&mut b, "square", &[shape], &[x]);
        let u = apply(&mut b, "negate", &[shape], &[t]);
        let v = apply(&mut b, "add", &[shape], &[x, u]);
        let w = apply(&mut b, "log", &[shape], &[v]);
        let y = apply(&mut b, "tanh", &[shape], &[w]);
        b.output("y", y);
        let program = b.finish();
        let mut x = vec![0.5; n];
        let mut y = vec![0.0; n];
        let refuse = Numerics { nonfinite: Nonfinite::Refuse };
        for numerics in [Numerics::default(), refuse] {
            let mut run = Executable::<f64>::new(&program, numerics).unwrap();
            run.run(&[&x], &mut [&mut y]).unwrap();
            x[n - 1] = 2.0;
            let condition = Operator::library("log").unwrap().conditions()[0].1.clone();
            let expected = ExecuteError::Domain { instruction: 3, operator: "log".into(), condition, at: n - 1 };
            assert_eq!(run.run(&[&x], &mut [&mut y]), Err(expected));
            x[n - 1] = 0.5;
        }
        let mut run = Executable::<f64>::new(&program, refuse).unwrap();
        x[n - 1] = 1e200;
        let expected =
            ExecuteError::NotFinite { instruction: 0, operator: "square".into(), part: Part::Value, at: n - 1 };
        assert_eq!(run.run(&[&x], &mut [&mut y]), Err(expected));
    }
}

#[test]
fn arguments_that_do_not_fit() {
    let program = chain(&[2], 1);
    let mut run = Executable::<f64>::new(&program, Numerics::default()).unwrap();
    let (x, mut z) = (vec![0.0; 2], vec![0.0; 2]);
    assert_eq!(run.run(&[&x], &mut [&mut z]), Err(ExecuteError::Count { what: "inputs", expected: 2, found: 1 }));
    assert_eq!(
        run.run(&[&x, &x[..1]], &mut [&mut z]),
        Err(ExecuteError::Length { name: "y".into(), expected: 2, found: 1 })
    );
    assert_eq!(run.forward(&[&x, &x], &mut [&mut z]), Err(ExecuteError::NoGradient));
    assert_eq!(run.pullback(&[&x], &mut [&mut z]), Err(ExecuteError::NoGradient));
}

#[test]
fn an_output_may_be_an_input_or_a_constant_or_twice_the_same() {
    for n in [1, 3, 100] {
        let shape = Shape::new(&[n]);
        let mut b = Builder::new(Limits::default());
        let x = b.input("x", shape.clone()).unwrap();
        let y = b.input("y", shape.clone()).unwrap();
        let constants = vec![Array::splat(shape, Literal::integer(3))];
        let binding = Binding { dims: vec![vec![n]], constants, ..Binding::default() };
        let three = Operation::new(Operator::library("constant").unwrap(), binding, &Limits::default()).unwrap();
        let c = b.apply(three, &[]).unwrap()[0];
        let s = apply(&mut b, "square", &[&[n]], &[x]);
        for (name, value) in [("x", x), ("c", c), ("s", s), ("s again", s), ("x again", x)] {
            b.output(name, value);
        }
        let _ = y;
        let program = b.finish();
        let inputs = [vec![2.0; n], vec![1.0; n]];
        compare(&format!("{n}"), &program, &inputs, &mut Random(1), Numerics::default());
    }
}
