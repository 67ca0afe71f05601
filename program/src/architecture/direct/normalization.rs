//! Normalisation: the statistics of its slice, for each element.

use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::statement::Function;

use super::array::{Array, every};
use super::{Direct, Place, integer, minus, zero};
use crate::architecture::{Normalization, Statistics};

impl<N: Number> Direct<N> {
    pub(super) fn normalization(
        &self,
        normalization: &Normalization,
        at: &Place,
        x: &Array<N>,
    ) -> Result<Array<N>, EvalError> {
        let gain = normalization.gain.as_ref().map(|_| self.parameter(at, "gain")).transpose()?;
        let bias = normalization.bias.as_ref().map(|_| self.parameter(at, "bias")).transpose()?;
        Array::build(&x.sizes, |i| {
            let mut y = normal(normalization, x, i)?;
            let along = |axes: &[usize]| axes.iter().map(|axis| i[*axis]).collect::<Vec<_>>();
            if let (Some(gain), Some(axes)) = (gain, &normalization.gain) {
                y = gain.at(&along(axes)).mul(&y);
            }
            if let (Some(bias), Some(axes)) = (bias, &normalization.bias) {
                y = y.add(bias.at(&along(axes)));
            }
            Ok(y)
        })
    }
}

fn normal<N: Number>(normalization: &Normalization, x: &Array<N>, i: &[usize]) -> Result<N, EvalError> {
    let slice: Vec<&N> = every(&x.sizes).filter(|j| same(normalization, &x.sizes, i, j)).map(|j| x.at(&j)).collect();
    let share: N = integer::<N>(slice.len()).recip()?;
    let mean = match normalization.statistics {
        Statistics::MeanVariance => slice.iter().fold(zero(), |sum: N, x| sum.add(x)).mul(&share),
        Statistics::RootMeanSquare => zero(),
    };
    let squares = slice.iter().fold(zero(), |sum: N, x| sum.add(&minus(*x, &mean).mul(&minus(*x, &mean))));
    let root = squares.mul(&share).add(&normalization.eps.to()).call(Function::Rsqrt)?;
    Ok(minus(x.at(i), &mean).mul(&root))
}

/// Whether two elements have their statistics in common: they differ in the axes alone, and are in one group.
fn same(normalization: &Normalization, sizes: &[usize], i: &[usize], j: &[usize]) -> bool {
    let axes = (0..i.len()).all(|axis| normalization.axes.contains(&axis) || i[axis] == j[axis]);
    let group = |i: &[usize]| normalization.groups.map(|groups| i[1] / (sizes[1] / groups));
    axes && group(i) == group(j)
}
