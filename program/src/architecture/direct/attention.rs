//! Attention: for each query of each head, the softmax over the keys that it sees.

use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::statement::Function;

use super::array::Array;
use super::elementwise::{affine, exponentials};
use super::{Direct, Place, integer, zero};
use crate::architecture::Attention;

/// Queries, keys or values of all heads.
struct Heads<'a, N> {
    array: &'a Array<N>,
    /// The size of one head.
    size: usize,
}

impl<N: Number> Heads<'_, N> {
    /// Component `a` of a row in a head; `lead` is the place before the last two axes.
    fn at(&self, lead: &[usize], row: usize, head: usize, a: usize) -> &N {
        self.array.at(&[lead, &[row, head * self.size + a]].concat())
    }
}

fn heads<N: Number>(array: &Array<N>, heads: usize) -> Heads<'_, N> {
    Heads { array, size: array.sizes[array.sizes.len() - 1] / heads }
}

impl<N: Number> Direct<N> {
    pub(super) fn attention(&self, of: &Attention, at: &Place, inputs: &[Array<N>]) -> Result<Array<N>, EvalError> {
        let (x, source) = (&inputs[0], &inputs[inputs.len() - 1]);
        let query = self.projected(of, at, "query", x)?;
        let key = self.projected(of, at, "key", source)?;
        let value = self.projected(of, at, "value", source)?;
        let keys = key.sizes[key.sizes.len() - 2];
        let (q, k, v) = (heads(&query, of.heads), heads(&key, of.heads), heads(&value, of.heads));
        let rows = &query.sizes[..query.sizes.len() - 1];
        let y = Array::build(&[rows, &[of.heads * v.size]].concat(), |index| {
            let [lead @ .., i, column] = index else { return Ok(zero()) };
            let (head, c) = (column / v.size, column % v.size);
            let seen: Vec<usize> = (0..keys).filter(|l| of.mask.shows(*i, *l)).collect();
            let shares = shares(&q, &k, lead, *i, head, &seen)?;
            let terms = seen.iter().zip(&shares).map(|(l, share)| share.mul(v.at(lead, *l, head, c)));
            Ok(terms.fold(zero(), |sum: N, term| sum.add(&term)))
        })?;
        self.projected(of, at, "output", &y)
    }

    fn projected(&self, of: &Attention, at: &Place, leaf: &str, x: &Array<N>) -> Result<Array<N>, EvalError> {
        let Some(projections) = &of.projections else { return Ok(x.clone()) };
        let bias = if projections.bias { Some(self.parameter(at, &format!("{leaf}.bias"))?) } else { None };
        affine(x, self.parameter(at, &format!("{leaf}.weight"))?, bias)
    }
}

/// The softmax of the scaled scores of one query against the keys that it sees.
fn shares<N: Number>(
    q: &Heads<'_, N>,
    k: &Heads<'_, N>,
    lead: &[usize],
    i: usize,
    head: usize,
    seen: &[usize],
) -> Result<Vec<N>, EvalError> {
    let scale = integer::<N>(q.size).call(Function::Rsqrt)?;
    let product = |l: usize, a: usize| q.at(lead, i, head, a).mul(k.at(lead, l, head, a));
    let score = |l: &usize| (0..q.size).fold(zero(), |sum: N, a| sum.add(&product(*l, a))).mul(&scale);
    let scores: Vec<N> = seen.iter().map(score).collect();
    let (_, e, total) = exponentials(&scores)?;
    e.iter().map(|e| Ok(e.mul(&total.recip()?))).collect()
}
