//! Recurrence: a cell applied at a fixed number of steps, with one set of parameters.

use super::emit::{Emit, Emitted};
use super::error::{ArchitectureError, LayerFault};
use super::signature::{Place, Role, Scope};
use crate::operation::{Binding, IndexData, Shape};
use crate::program::ValueId;

/// Words that the instructions of one step take, about.
const STEP: usize = 256;

/// What is applied at each step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "snake_case")
)]
pub enum Cell {
    /// `tanh(x w + h u + bias)` (Elman 1990).
    Plain,
    /// Long short-term memory; gates in the order input, forget, cell, output.
    Lstm,
    /// Gated recurrent unit; gates in the order reset, update, new.
    Gru,
}

/// Which axis the steps are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "snake_case")
)]
pub enum Time {
    /// `[steps, batch, features]`.
    First,
    /// `[batch, steps, features]`.
    Second,
}

/// Which states are given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "snake_case")
)]
pub enum States {
    /// The last, `[batch, hidden]`.
    Last,
    /// All, with the steps where the input has them.
    All,
}

/// A cell applied at each step, the state going from one to the next.
///
/// The parameters `input_weight[features, gates hidden]`, `state_weight[hidden, gates hidden]` and `bias[gates hidden]` are those of every step.
/// The initial `state[batch, hidden]`, and `cell[batch, hidden]` for an LSTM, are inputs with gradients of their own; they are those of the place, also where the weights are shared.
///
/// # Source
///
/// Theorem 3: unfolded, with one input for each shared parameter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Recurrent {
    /// What is applied at each step.
    pub cell: Cell,
    /// The size of the state.
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub hidden: usize,
    /// Which axis the steps are.
    pub time: Time,
    /// Which states are given.
    pub states: States,
}

impl Cell {
    fn gates(self) -> usize {
        match self {
            Cell::Plain => 1,
            Cell::Lstm => 4,
            Cell::Gru => 3,
        }
    }
}

impl Recurrent {
    pub(super) fn output(&self, at: &Place, input: &Shape, scope: &mut Scope) -> Result<Shape, ArchitectureError> {
        let [a, b, features] = *input.sizes() else {
            let expected = match self.time {
                Time::First => "3 axes, steps, batch and features",
                Time::Second => "3 axes, batch, steps and features",
            };
            return at.fault(LayerFault::Rank { expected: expected.to_owned(), found: input.clone() });
        };
        at.positive("hidden", self.hidden)?;
        let batch = if self.time == Time::First { b } else { a };
        let (hidden, gates) = (self.hidden, self.cell.gates() * self.hidden);
        let weight = |fan_in| Role::Weight { fan_in, fan_out: gates };
        scope.parameter(at, "input_weight", &[features, gates], weight(features))?;
        scope.parameter(at, "state_weight", &[hidden, gates], weight(hidden))?;
        scope.parameter(at, "bias", &[gates], Role::Bias)?;
        scope.parameter(at, "state", &[batch, hidden], Role::State)?;
        if self.cell == Cell::Lstm {
            scope.parameter(at, "cell", &[batch, hidden], Role::State)?;
        }
        let sizes = if self.states == States::Last { vec![batch, hidden] } else { vec![a, b, hidden] };
        at.shape("the result", &sizes)
    }

    pub(super) fn emit(&self, at: &Place, x: ValueId, to: &mut Emit) -> Emitted {
        let x = if self.time == Time::First { x } else { to.permute(x, &[1, 0, 2])? };
        let sizes = to.sizes(x);
        let (steps, batch, features) = (sizes[0], sizes[1], sizes[2]);
        let weights = ["input_weight", "state_weight", "bias"];
        let weights = weights.iter().map(|leaf| to.parameter(at, leaf)).collect::<Result<Vec<_>, _>>()?;
        let mut states = vec![to.state(at, "state")?];
        if self.cell == Cell::Lstm {
            states.push(to.state(at, "cell")?);
        }
        to.charge("the steps", steps.saturating_mul(STEP))?;
        let mut all = Vec::new();
        for step in 0..steps {
            let binding = Binding {
                dims: vec![vec![1], vec![steps], vec![batch, features]],
                maps: vec![IndexData::Table(vec![step])],
                ..Binding::default()
            };
            let row = to.with("gather", binding, &[x])?;
            let row = to.reshape(row, &[batch, features])?;
            states = self.step(row, features, &states, &weights, to)?;
            if self.states == States::All {
                all.push(to.reshape(states[0], &[1, batch, self.hidden])?);
            }
        }
        if self.states == States::Last {
            return Ok(states[0]);
        }
        let y = to.concatenation(&all, 0)?;
        if self.time == Time::First { Ok(y) } else { to.permute(y, &[1, 0, 2]) }
    }

    fn step(
        &self,
        x: ValueId,
        features: usize,
        states: &[ValueId],
        weights: &[ValueId],
        to: &mut Emit,
    ) -> Result<Vec<ValueId>, ArchitectureError> {
        let batch = to.sizes(x)[0];
        let (name, gates) = match self.cell {
            Cell::Plain => ("rnn_cell", None),
            Cell::Lstm => ("lstm_cell", Some(4 * self.hidden)),
            Cell::Gru => ("gru_cell", Some(3 * self.hidden)),
        };
        let dims = [Some(batch), Some(features), Some(self.hidden), gates];
        let dims = dims.into_iter().flatten().map(|n| vec![n]).collect();
        let arguments = [&[x], states, weights].concat();
        to.all(name, Binding { dims, ..Binding::default() }, &arguments)
    }
}
