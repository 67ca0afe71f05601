//! Convolutions and pooling: the sum over a window at each place.

use std::cmp::Ordering;

use pullback_kernel::eval::{EvalError, Number};

use super::array::{Array, every};
use super::elementwise::larger;
use super::{Direct, Place, integer, zero};
use crate::architecture::{Convolution, Pooling, PoolingKind, Stencil, TransposedConvolution};

/// Stride, dilation and padding before along each axis.
struct Steps {
    stride: Vec<usize>,
    dilation: Vec<usize>,
    low: Vec<usize>,
    high: Vec<usize>,
}

fn steps(stencil: &Stencil) -> Steps {
    let rank = stencil.window.len();
    let or = |given: &[usize], other: usize| if given.is_empty() { vec![other; rank] } else { given.to_vec() };
    let side = |k: usize| stencil.padding.iter().map(|sides| sides[k]).collect::<Vec<_>>();
    Steps {
        stride: or(&stencil.stride, 1),
        dilation: or(&stencil.dilation, 1),
        low: or(&side(0), 0),
        high: or(&side(1), 0),
    }
}

impl Steps {
    /// How many windows fit: the last place of each stands within the padded axis.
    fn outs(&self, window: &[usize], sizes: &[usize]) -> Vec<usize> {
        (0..window.len())
            .map(|a| {
                let end = |p: usize| self.stride[a] * p + self.dilation[a] * (window[a] - 1);
                (0..).take_while(|p| end(*p) < sizes[a] + self.low[a] + self.high[a]).count()
            })
            .collect()
    }

    /// The place of the input, or `None` in the padding.
    fn place(&self, p: &[usize], k: &[usize], sizes: &[usize]) -> Option<Vec<usize>> {
        let along = |a: usize| {
            let place = (self.stride[a] * p[a] + self.dilation[a] * k[a]) as i64 - self.low[a] as i64;
            (0..sizes[a] as i64).contains(&place).then_some(place as usize)
        };
        (0..p.len()).map(along).collect()
    }
}

impl<N: Number> Direct<N> {
    pub(super) fn convolution(&self, of: &Convolution, at: &Place, x: &Array<N>) -> Result<Array<N>, EvalError> {
        let weight = self.parameter(at, "weight")?;
        let bias = if of.bias { Some(self.parameter(at, "bias")?) } else { None };
        let (steps, spatial) = (steps(&of.stencil), &x.sizes[2..]);
        let each = x.sizes[1] / of.groups;
        let padding: N = of.padding_value.as_ref().map_or_else(zero, |value| value.to());
        let outs = steps.outs(&of.stencil.window, spatial);
        Array::build(&[&[x.sizes[0], of.channels], &outs[..]].concat(), |i| {
            let (n, o, p) = (i[0], i[1], &i[2..]);
            let first = o / (of.channels / of.groups) * each;
            let mut sum = bias.map_or_else(zero, |bias| bias.at(&[o]).clone());
            for c in 0..each {
                for k in every(&of.stencil.window) {
                    let value = match steps.place(p, &k, spatial) {
                        Some(place) => x.at(&[&[n, first + c], &place[..]].concat()).clone(),
                        None => padding.clone(),
                    };
                    sum = sum.add(&value.mul(weight.at(&[&[o, c], &k[..]].concat())));
                }
            }
            Ok(sum)
        })
    }

    /// Each element spreads its kernel over a wide enough array, from which the padding is cut.
    pub(super) fn transposed(
        &self,
        of: &TransposedConvolution,
        at: &Place,
        x: &Array<N>,
    ) -> Result<Array<N>, EvalError> {
        let weight = self.parameter(at, "weight")?;
        let (steps, spatial) = (steps(&of.stencil), &x.sizes[2..]);
        let (each, outs) = (x.sizes[1] / of.groups, of.channels / of.groups);
        let wide: Vec<usize> = (0..spatial.len())
            .map(|a| {
                let extra = of.extra.get(a).copied().unwrap_or(0);
                steps.stride[a] * (spatial[a] - 1) + steps.dilation[a] * (of.stencil.window[a] - 1) + 1 + extra
            })
            .collect();
        let mut sum: Array<N> = Array::build(&[&[x.sizes[0], of.channels], &wide[..]].concat(), |_| Ok(zero()))?;
        for i in every(&x.sizes) {
            for o in 0..outs {
                for k in every(&of.stencil.window) {
                    let place = (0..k.len()).map(|a| steps.stride[a] * i[2 + a] + steps.dilation[a] * k[a]);
                    let channel = i[1] / each * outs + o;
                    let to: Vec<usize> = [i[0], channel].into_iter().chain(place).collect();
                    let flat = to.iter().zip(&sum.sizes).fold(0, |flat, (i, size)| flat * size + i);
                    let part = x.at(&i).mul(weight.at(&[&[i[1], o], &k[..]].concat()));
                    sum.data[flat] = sum.data[flat].add(&part);
                }
            }
        }
        let bias = if of.bias { Some(self.parameter(at, "bias")?) } else { None };
        let cut = (0..wide.len()).map(|a| wide[a] - steps.low[a] - steps.high[a]);
        let sizes: Vec<usize> = [x.sizes[0], of.channels].into_iter().chain(cut).collect();
        Array::build(&sizes, |i| {
            let place = (0..wide.len()).map(|a| i[2 + a] + steps.low[a]);
            let from: Vec<usize> = i[..2].iter().copied().chain(place).collect();
            let value = sum.at(&from);
            Ok(bias.map_or_else(|| value.clone(), |bias| value.add(bias.at(&i[1..2]))))
        })
    }
}

pub(super) fn pooling<N: Number>(of: &Pooling, x: &Array<N>) -> Result<Array<N>, EvalError> {
    let steps = steps(&of.stencil);
    let (lead, spatial) = x.sizes.split_at(x.sizes.len() - of.stencil.window.len());
    let outs = steps.outs(&of.stencil.window, spatial);
    Array::build(&[lead, &outs].concat(), |i| {
        let (lead, p) = i.split_at(lead.len());
        let inside: Vec<&N> = every(&of.stencil.window)
            .filter_map(|k| steps.place(p, &k, spatial))
            .map(|place| x.at(&[lead, &place].concat()))
            .collect();
        let sum = || inside.iter().fold(zero(), |sum: N, x| sum.add(x));
        match of.kind {
            PoolingKind::Sum => Ok(sum()),
            PoolingKind::Average => Ok(sum().mul(&integer::<N>(of.stencil.window.iter().product()).recip()?)),
            PoolingKind::AverageInside => Ok(sum().mul(&integer::<N>(inside.len()).recip()?)),
            PoolingKind::Max => most(&inside),
        }
    })
}

fn most<N: Number>(window: &[&N]) -> Result<N, EvalError> {
    let mut most = window[0].clone();
    for x in &window[1..] {
        // Asked for the sign of each difference, so that a number type may take note of a tie.
        if most.add(&x.neg()).sign() != Some(Ordering::Greater) {
            most = larger(&most, x)?;
        }
    }
    Ok(most)
}
