//! Activations, rows, dense layers, tables.

use std::cmp::Ordering;

use num_traits::One;
use pullback_kernel::Rational;
use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::statement::Function;

use super::array::{Array, every};
use super::{Direct, Place, integer, minus, zero};
use crate::architecture::boundary::smooth;
use crate::architecture::{Activation, CrossEntropy, Embedding, Positional, Reduce, Reduction};

type Value<N> = Result<N, EvalError>;

fn one<N: Number>() -> N {
    N::rational(&Rational::one())
}

fn is_positive<N: Number>(x: &N) -> Result<bool, EvalError> {
    x.sign().map(|sign| sign == Ordering::Greater).ok_or(EvalError::Unknown("a sign"))
}

/// The larger of two; the first where they are equal.
pub(super) fn larger<N: Number>(a: &N, b: &N) -> Value<N> {
    Ok(if is_positive(&minus(b, a))? { b.clone() } else { a.clone() })
}

/// `1 / (1 + exp(-x))`.
pub(super) fn logistic<N: Number>(x: &N) -> Value<N> {
    one::<N>().add(&x.neg().call(Function::Exp)?).recip()
}

/// `log(1 + exp(x))`, as `x + log(1 + exp(-x))` for a positive x.
fn softplus<N: Number>(x: &N) -> Value<N> {
    let positive = smooth(|| is_positive(x))?;
    let below = if positive { x.neg() } else { x.clone() };
    let log = one::<N>().add(&below.call(Function::Exp)?).call(Function::Log)?;
    Ok(if positive { x.add(&log) } else { log })
}

/// `x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))`.
fn gelu<N: Number>(x: &N) -> Value<N> {
    let root = Rational::new(79_788_456_080_286_535_588_u128.into(), 100_000_000_000_000_000_000_u128.into());
    let number = |q: &Rational| N::rational(q);
    let cubic = x.mul(x).mul(x).mul(&number(&Rational::new(44_715.into(), 1_000_000.into())));
    let t = x.add(&cubic).mul(&number(&root)).call(Function::Tanh)?;
    Ok(x.mul(&one::<N>().add(&t)).mul(&number(&Rational::new(1.into(), 2.into()))))
}

fn element<N: Number>(activation: &Activation, x: &N) -> Value<N> {
    let exp = |x: &N| x.call(Function::Exp);
    match activation {
        Activation::Tanh => x.call(Function::Tanh),
        Activation::Logistic => logistic(x),
        Activation::Silu => Ok(x.mul(&logistic(x)?)),
        Activation::GeluTanh => gelu(x),
        Activation::Softplus => softplus(x),
        Activation::LogLogistic => Ok(softplus(&x.neg())?.neg()),
        Activation::Exponential => exp(x),
        Activation::Sine => x.call(Function::Sin),
        Activation::Cosine => x.call(Function::Cos),
        Activation::Square => Ok(x.mul(x)),
        Activation::Cube => Ok(x.mul(x).mul(x)),
        Activation::Negate => Ok(x.neg()),
        Activation::Scale(by) => Ok(x.mul(&by.to())),
        Activation::Shift(by) => Ok(x.add(&by.to())),
        Activation::Relu => Ok(if is_positive(x)? { x.clone() } else { zero() }),
        Activation::LeakyRelu(slope) => Ok(if is_positive(x)? { x.clone() } else { x.mul(&slope.to()) }),
        Activation::Elu(alpha) => {
            if is_positive(x)? {
                return Ok(x.clone());
            }
            Ok(minus(&exp(x)?, &one()).mul(&alpha.to()))
        }
        // Of rows, not of elements.
        Activation::Softmax | Activation::LogSoftmax => Ok(x.clone()),
    }
}

/// The largest number of a row.
fn largest<N: Number>(row: &[N]) -> Value<N> {
    row[1..].iter().try_fold(row[0].clone(), |most, x| larger(&most, x))
}

/// The exponentials of a row less a number, and their sum.
pub(super) fn exponentials<N: Number>(row: &[N]) -> Result<(N, Vec<N>, N), EvalError> {
    let shift = smooth(|| largest(row))?;
    let e: Vec<N> = row.iter().map(|x| minus(x, &shift).call(Function::Exp)).collect::<Result<_, _>>()?;
    let total = e.iter().fold(zero(), |sum: N, x| sum.add(x));
    Ok((shift, e, total))
}

/// `log Σ exp` of a row.
fn logsumexp<N: Number>(row: &[N]) -> Value<N> {
    let (shift, _, total) = exponentials(row)?;
    Ok(shift.add(&total.call(Function::Log)?))
}

fn rows<N: Number>(x: &Array<N>) -> impl Iterator<Item = &[N]> {
    x.data.chunks(x.sizes.last().copied().unwrap_or(1))
}

pub(super) fn activation<N: Number>(activation: &Activation, x: &Array<N>) -> Result<Array<N>, EvalError> {
    let mut data = Vec::new();
    match activation {
        Activation::Softmax => {
            for row in rows(x) {
                let (_, e, total) = exponentials(row)?;
                for e in e {
                    data.push(e.mul(&total.recip()?));
                }
            }
        }
        Activation::LogSoftmax => {
            for row in rows(x) {
                let log = logsumexp(row)?;
                data.extend(row.iter().map(|x| minus(x, &log)));
            }
        }
        _ => data = x.data.iter().map(|x| element(activation, x)).collect::<Result<_, _>>()?,
    }
    Ok(Array { sizes: x.sizes.clone(), data })
}

pub(super) fn cross_entropy<N: Number>(loss: &CrossEntropy, x: &Array<N>) -> Result<Array<N>, EvalError> {
    let (mut sum, mut count): (N, usize) = (zero(), 0);
    for (row, label) in rows(x).zip(&loss.labels) {
        if loss.ignore != Some(*label) {
            sum = sum.add(&minus(&logsumexp(row)?, &row[*label]));
            count += 1;
        }
    }
    Ok(Array { sizes: Vec::new(), data: vec![sum.mul(&integer::<N>(count).recip()?)] })
}

pub(super) fn reduce<N: Number>(reduce: &Reduce, x: &Array<N>) -> Result<Array<N>, EvalError> {
    let kept: Vec<usize> = (0..x.sizes.len()).filter(|axis| !reduce.axes.contains(axis)).collect();
    let sizes = |axes: &[usize]| axes.iter().map(|axis| x.sizes[*axis]).collect::<Vec<_>>();
    let over = sizes(&reduce.axes);
    Array::build(&sizes(&kept), |i| {
        let mut slice = Vec::new();
        for j in every(&over) {
            let mut index = vec![0; x.sizes.len()];
            kept.iter().zip(i).for_each(|(axis, i)| index[*axis] = *i);
            reduce.axes.iter().zip(j).for_each(|(axis, j)| index[*axis] = j);
            slice.push(x.at(&index).clone());
        }
        let sum = || slice.iter().fold(zero(), |sum: N, x| sum.add(x));
        match reduce.by {
            Reduction::Sum => Ok(sum()),
            Reduction::Mean => Ok(sum().mul(&integer::<N>(slice.len()).recip()?)),
            Reduction::LogSumExp => logsumexp(&slice),
        }
    })
}

impl<N: Number> Direct<N> {
    pub(super) fn dense(&self, bias: bool, at: &Place, x: &Array<N>) -> Result<Array<N>, EvalError> {
        let weight = self.parameter(at, "weight")?;
        let bias = if bias { Some(self.parameter(at, "bias")?) } else { None };
        affine(x, weight, bias)
    }

    pub(super) fn embedding(&self, embedding: &Embedding, at: &Place) -> Result<Array<N>, EvalError> {
        let table = self.parameter(at, "table")?;
        let rows = embedding.indices.iter();
        let data = rows.flat_map(|row| (0..embedding.features).map(|f| table.at(&[*row, f]).clone())).collect();
        Ok(Array { sizes: [&embedding.shape[..], &[embedding.features]].concat(), data })
    }

    pub(super) fn positional(&self, positional: &Positional, at: &Place, x: &Array<N>) -> Result<Array<N>, EvalError> {
        let rank = x.sizes.len();
        let (t, f) = (x.sizes[rank - 2], x.sizes[rank - 1]);
        let table = match positional {
            Positional::Learned => self.parameter(at, "table")?.clone(),
            Positional::Table(array) => Array { sizes: vec![t, f], data: array.to() },
            Positional::Sinusoidal => Array::build(&[t, f], |i| {
                let (position, pair) = (i[0] as f64, (i[1] - i[1] % 2) as f64);
                let angle = position * 10_000_f64.powf(-pair / f as f64);
                let value = if i[1].is_multiple_of(2) { angle.sin() } else { angle.cos() };
                let exact = Rational::from_float(value).ok_or(EvalError::Undefined("an angle"))?;
                Ok(N::rational(&exact))
            })?,
        };
        Array::build(&x.sizes, |i| Ok(x.at(i).add(table.at(&i[rank - 2..]))))
    }
}

/// `Σₖ x[.., k] weight[k, j] + bias[j]`.
pub(super) fn affine<N: Number>(
    x: &Array<N>,
    weight: &Array<N>,
    bias: Option<&Array<N>>,
) -> Result<Array<N>, EvalError> {
    let last = x.sizes.len() - 1;
    Array::build(&[&x.sizes[..last], &weight.sizes[1..]].concat(), |i| {
        let mut sum = bias.map_or_else(zero, |bias| bias.at(&i[last..]).clone());
        for k in 0..x.sizes[last] {
            sum = sum.add(&x.at(&[&i[..last], &[k]].concat()).mul(weight.at(&[k, i[last]])));
        }
        Ok(sum)
    })
}
