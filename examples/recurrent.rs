//! A recurrent classifier of handwritten digits: it reads a picture row by row.
//!
//! The cell has one set of parameters for all steps, and its initial state is learned.
//! Run it with `cargo run --release --example recurrent [SEED]`.

#![allow(clippy::print_stdout, reason = "a program for people says what came of it")]
#![allow(clippy::type_complexity, reason = "a signature says its shapes")]

mod common;

use pullback::layers::{Dense, Gru, initialize};
use pullback::{Dim, Space, Tensor, Var, dims};

use common::train::{Failure, Schedule, run_program};
use common::{Digit, Pixel};

dims! {
    /// Rows of a picture: the steps.
    Row = 8;
    /// Columns: the features of a step.
    Column = 8;
    /// The state.
    Hidden = 48;
    /// All gates of the cell.
    Gates = 3 * Hidden;
}

/// All parameters.
#[derive(Clone, Debug, Space)]
struct Model {
    cell: Gru<Column, Hidden, Gates>,
    initial: Tensor<(Hidden,)>,
    output: Dense<Hidden, Digit>,
}

/// Pictures to logits.
fn model<B: Dim>(m: ModelVars, pixels: Var<(B, Pixel)>) -> Var<(B, Digit)> {
    let rows = pixels.reshape_each::<(Row, Column)>();
    let state = m.cell.last(rows, m.initial.broadcast_in_dim_leading::<B>());
    m.output.apply(state)
}

fn main() -> Result<(), Failure> {
    let schedule = Schedule { epochs: 40, rate: 5e-3, moved: false };
    run_program("recurrent", schedule, |key| initialize::<Model, f32>(key, &Default::default()), model, model)?;
    Ok(())
}
