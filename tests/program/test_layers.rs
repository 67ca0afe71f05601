//! Layers with known gradients.

use pullback::{Cotangent, Program, Tensor, dims};

use crate::support::{Q, assert_close, q, rational};

dims! { B = 3; K = 2; M = 4 }

type X = Tensor<(B, K), Q>;
type W = Tensor<(K, M), Q>;
type Bias = Tensor<(M,), Q>;
type Y = Tensor<(B, M), Q>;

#[test]
fn the_bias_of_a_linear_layer() {
    let by_parts = Program::<(X, W, Bias), Y>::trace(|(x, w, b)| x.matmul(w).bias_add(b)).unwrap();
    let fused = Program::<(X, W, Bias), Y>::trace(|(x, w, b)| x.linear(w, b)).unwrap();
    let (x, w, b) = rational::<(X, W, Bias)>(3);
    // Not uniform: a rule that forgets where a cotangent stands is found.
    let u = rational::<Y>(8);
    for program in [by_parts, fused] {
        let reverse = program.reverse().unwrap();
        let shapes: Vec<Vec<usize>> = reverse
            .as_dynamic()
            .outputs()
            .iter()
            .map(|o| reverse.as_dynamic().shape_of(o.value).sizes().to_vec())
            .collect();
        assert_eq!(shapes, [vec![3, 2], vec![2, 4], vec![4]]);
        let (dx, dw, db) = reverse.evaluate(((x.clone(), w.clone(), b.clone()), u.clone())).unwrap();
        let at = |t: &[Q], row: usize, column: usize, columns: usize| t[row * columns + column].clone();
        let sum = |terms: &mut dyn Iterator<Item = Q>| terms.fold(q(0, 1), |sum, term| sum + term);
        for row in 0..3 {
            for k in 0..2 {
                let expected = sum(&mut (0..4).map(|j| at(u.as_slice(), row, j, 4) * at(w.as_slice(), k, j, 4)));
                assert_eq!(at(dx.as_slice(), row, k, 2), expected);
            }
        }
        for k in 0..2 {
            for j in 0..4 {
                let expected = sum(&mut (0..3).map(|row| at(x.as_slice(), row, k, 2) * at(u.as_slice(), row, j, 4)));
                assert_eq!(at(dw.as_slice(), k, j, 4), expected);
            }
        }
        for j in 0..4 {
            assert_eq!(db.as_slice()[j], sum(&mut (0..3).map(|row| at(u.as_slice(), row, j, 4))));
        }
        let (_, tape) = program.linearize((x.clone(), w.clone(), b.clone())).unwrap();
        assert_eq!(tape.pullback(Cotangent::new(u.clone())).unwrap().into_inner(), (dx, dw, db));
    }
}

#[test]
fn one_neuron() {
    type S = Tensor<(), f64>;
    let logit = Program::<(S, S, S), S>::trace(|(x, w, b)| x * w + b).unwrap();
    let neuron = Program::<(S, S, S), S>::trace(|input| logit.of(input).logistic()).unwrap();
    for (x, w, expected_logit, expected) in [(1.0, 2.0, 1.5, 0.8176), (1.0, 1.0, 0.5, 0.6225)] {
        let input = (S::scalar(x), S::scalar(w), S::scalar(-0.5));
        assert_eq!(logit.evaluate(input.clone()).unwrap().to_scalar(), expected_logit);
        let (output, at) = neuron.linearize(input.clone()).unwrap();
        let y = output.to_scalar();
        assert!((y - expected).abs() < 5e-5, "{y}");
        let slope = y * (1.0 - y);
        let known = (S::scalar(slope * w), S::scalar(slope * x), S::scalar(slope));
        let one = S::scalar(1.0);
        assert_close(&at.pullback(Cotangent::new(one.clone())).unwrap().into_inner(), &known);
        assert_close(&neuron.reverse().unwrap().evaluate((input, one)).unwrap(), &known);
    }
    assert!(neuron.proved().is_ok());
}
