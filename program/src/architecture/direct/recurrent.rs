//! Recurrence: each cell by its equations.

use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::statement::Function;

use super::array::Array;
use super::elementwise::logistic;
use super::{Direct, Place, integer, minus, zero};
use crate::architecture::{Cell, Recurrent, States, Time};

/// The parameters of a cell.
struct Weights<'a, N> {
    input: &'a Array<N>,
    state: &'a Array<N>,
    bias: &'a Array<N>,
}

impl<N: Number> Weights<'_, N> {
    /// `Σ x w + bias` in one gate, and `Σ h u`.
    fn parts(&self, x: &[&N], h: &[N], gate: usize) -> (N, N) {
        let dot = |v: &mut dyn Iterator<Item = (usize, N)>, w: &Array<N>| {
            v.fold(zero(), |sum: N, (k, v)| sum.add(&v.mul(w.at(&[k, gate]))))
        };
        let from_input = dot(&mut x.iter().map(|v| (*v).clone()).enumerate(), self.input);
        let from_state = dot(&mut h.iter().cloned().enumerate(), self.state);
        (from_input.add(self.bias.at(&[gate])), from_state)
    }
}

impl<N: Number> Direct<N> {
    pub(super) fn recurrent(&self, of: &Recurrent, at: &Place, x: &Array<N>) -> Result<Array<N>, EvalError> {
        let weights = Weights {
            input: self.parameter(at, "input_weight")?,
            state: self.parameter(at, "state_weight")?,
            bias: self.parameter(at, "bias")?,
        };
        let (steps, batch) = match of.time {
            Time::First => (x.sizes[0], x.sizes[1]),
            Time::Second => (x.sizes[1], x.sizes[0]),
        };
        let first = self.state(at, "state")?;
        let cells = if of.cell == Cell::Lstm { Some(self.state(at, "cell")?) } else { None };
        // states[batch][step][unit]
        let mut states = Vec::new();
        for b in 0..batch {
            let row = |from: &Array<N>| (0..of.hidden).map(|j| from.at(&[b, j]).clone()).collect::<Vec<_>>();
            let (mut h, mut c) = (row(first), cells.map(row).unwrap_or_default());
            let mut all = Vec::new();
            for t in 0..steps {
                let index = |k: usize| if of.time == Time::First { [t, b, k] } else { [b, t, k] };
                let x: Vec<&N> = (0..x.sizes[2]).map(|k| x.at(&index(k))).collect();
                (h, c) = step(of, &weights, &x, &h, &c)?;
                all.push(h.clone());
            }
            states.push(all);
        }
        let sizes = match (of.states, of.time) {
            (States::Last, _) => vec![batch, of.hidden],
            (States::All, Time::First) => vec![steps, batch, of.hidden],
            (States::All, Time::Second) => vec![batch, steps, of.hidden],
        };
        Array::build(&sizes, |i| {
            Ok(match (of.states, of.time) {
                (States::Last, _) => states[i[0]][steps - 1][i[1]].clone(),
                (States::All, Time::First) => states[i[1]][i[0]][i[2]].clone(),
                (States::All, Time::Second) => states[i[0]][i[1]][i[2]].clone(),
            })
        })
    }
}

type Next<N> = Result<(Vec<N>, Vec<N>), EvalError>;

fn step<N: Number>(of: &Recurrent, weights: &Weights<'_, N>, x: &[&N], h: &[N], c: &[N]) -> Next<N> {
    let (mut next, mut cell) = (Vec::new(), Vec::new());
    let n = of.hidden;
    for j in 0..n {
        let gate = |k: usize| {
            let (from_input, from_state) = weights.parts(x, h, k * n + j);
            from_input.add(&from_state)
        };
        match of.cell {
            Cell::Plain => next.push(gate(0).call(Function::Tanh)?),
            Cell::Lstm => {
                let (enter, forget, leave) = (logistic(&gate(0))?, logistic(&gate(1))?, logistic(&gate(3))?);
                let proposed = gate(2).call(Function::Tanh)?;
                let kept = forget.mul(&c[j]).add(&enter.mul(&proposed));
                next.push(leave.mul(&kept.call(Function::Tanh)?));
                cell.push(kept);
            }
            Cell::Gru => {
                let (reset, update) = (logistic(&gate(0))?, logistic(&gate(1))?);
                let (from_input, from_state) = weights.parts(x, h, 2 * n + j);
                let new = from_input.add(&reset.mul(&from_state)).call(Function::Tanh)?;
                next.push(minus(&integer::<N>(1), &update).mul(&new).add(&update.mul(&h[j])));
            }
        }
    }
    Ok((next, cell))
}
