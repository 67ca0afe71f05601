//! Layers of layers, and arrangements.

use std::rc::Rc;

use pullback_kernel::eval::{EvalError, Number};

use super::array::Array;
use super::{Arrays, Direct, Layer, Place};
use crate::architecture::{Join, Parallel, Tied};

impl<N: Number> Direct<N> {
    pub(super) fn sequence(&self, layers: &[Layer], at: &Place, inputs: &[Array<N>]) -> Arrays<N> {
        let mut values = inputs.to_vec();
        for (k, layer) in layers.iter().enumerate() {
            values = self.layer(layer, &at.child(k), &values)?;
        }
        Ok(values)
    }

    pub(super) fn residual(&self, inner: &Layer, at: &Place, inputs: &[Array<N>]) -> Arrays<N> {
        let outputs = self.layer(inner, &at.child("inner"), inputs)?;
        inputs.iter().zip(&outputs).map(|(x, y)| Array::build(&x.sizes, |i| Ok(x.at(i).add(y.at(i))))).collect()
    }

    pub(super) fn parallel(&self, parallel: &Parallel, at: &Place, inputs: &[Array<N>]) -> Arrays<N> {
        let mut all = Vec::new();
        for (k, branch) in parallel.branches.iter().enumerate() {
            all.extend(self.layer(branch, &at.child(format!("branches.{k}")), inputs)?);
        }
        join(parallel.join, all)
    }

    /// The layer among parameters of which some have another one's numbers.
    pub(super) fn tied(&self, tied: &Tied, at: &Place, inputs: &[Array<N>]) -> Arrays<N> {
        let inner = at.child("inner");
        let mut parameters = self.parameters.clone();
        for tie in &tied.parameters {
            let array = self.at_path(&tie.of)?;
            let array = if tie.transposed { Rc::new(permute(&[1, 0], array)) } else { Rc::clone(array) };
            parameters.insert(inner.name(&tie.name), array);
        }
        Direct { parameters }.layer(&tied.layer, &inner, inputs)
    }

    pub(super) fn product(&self, layers: &[Layer], at: &Place, inputs: &[Array<N>]) -> Arrays<N> {
        let mut all = Vec::new();
        for (k, (layer, x)) in layers.iter().zip(inputs).enumerate() {
            all.extend(self.layer(layer, &at.child(format!("parts.{k}")), std::slice::from_ref(x))?);
        }
        Ok(all)
    }
}

pub(super) fn join<N: Number>(join: Join, arrays: Vec<Array<N>>) -> Arrays<N> {
    let one = match join {
        Join::Tuple => return Ok(arrays),
        Join::Concatenate(axis) => concatenate(&arrays, axis)?,
        Join::Add => fold(&arrays, N::add)?,
        Join::Multiply => fold(&arrays, N::mul)?,
    };
    Ok(vec![one])
}

fn fold<N: Number>(arrays: &[Array<N>], of: impl Fn(&N, &N) -> N) -> Result<Array<N>, EvalError> {
    Array::build(&arrays[0].sizes, |i| Ok(arrays[1..].iter().fold(arrays[0].at(i).clone(), |sum, x| of(&sum, x.at(i)))))
}

fn concatenate<N: Number>(arrays: &[Array<N>], axis: usize) -> Result<Array<N>, EvalError> {
    let mut sizes = arrays[0].sizes.clone();
    sizes[axis] = arrays.iter().map(|x| x.sizes[axis]).sum();
    Array::build(&sizes, |i| {
        let mut place = i.to_vec();
        for x in arrays {
            if place[axis] < x.sizes[axis] {
                return Ok(x.at(&place).clone());
            }
            place[axis] -= x.sizes[axis];
        }
        Err(EvalError::Mismatch("past the end".to_owned()))
    })
}

pub(super) fn reshape<N: Number>(x: &Array<N>, sizes: &[usize]) -> Array<N> {
    Array { sizes: sizes.to_vec(), data: x.data.clone() }
}

pub(super) fn permute<N: Number>(order: &[usize], x: &Array<N>) -> Array<N> {
    let sizes: Vec<usize> = order.iter().map(|axis| x.sizes[*axis]).collect();
    let element = |i: &[usize]| {
        let mut from = vec![0; i.len()];
        order.iter().zip(i).for_each(|(axis, i)| from[*axis] = *i);
        x.at(&from).clone()
    };
    let data = super::array::every(&sizes).map(|i| element(&i)).collect();
    Array { sizes, data }
}
