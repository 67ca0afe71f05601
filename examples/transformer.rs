//! A transformer encoder block on handwritten digits: the rows of a picture are the words of a sentence.
//!
//! Run it with `cargo run --release --example transformer [SEED]`.

#![allow(clippy::print_stdout, reason = "a program for people says what came of it")]
#![allow(clippy::type_complexity, reason = "a signature says its shapes")]

mod common;

use pullback::layers::{Attention, Dense, LayerNorm, Mask, Positions, initialize, residual};
use pullback::{Dim, Space, Var, dims};

use common::train::{Failure, Schedule, run_program};
use common::{Digit, Pixel};

dims! {
    /// Rows of a picture: the places of the sequence.
    Row = 8;
    /// Columns: the features of a place.
    Column = 8;
    /// Features of a place within the block.
    Width = 32;
    /// Heads of the attention.
    Heads = 4;
    /// Features between the two layers after it.
    Inner = 64;
}

/// An encoder block with normalisation first (Xiong et al. 2020).
#[derive(Clone, Debug, Space)]
struct Block {
    first: LayerNorm<Width>,
    attention: Attention<Width>,
    second: LayerNorm<Width>,
    wide: Dense<Width, Inner>,
    narrow: Dense<Inner, Width>,
}

/// All parameters.
#[derive(Clone, Debug, Space)]
struct Model {
    embedding: Dense<Column, Width>,
    positions: Positions<Row, Width>,
    block: Block,
    last: LayerNorm<Width>,
    output: Dense<Width, Digit>,
}

const EPS: f32 = 1e-5;

fn block<B: Dim>(b: BlockVars, x: Var<(B, Row, Width)>) -> Var<(B, Row, Width)> {
    let x = residual(x, |x| b.attention.apply(Heads, b.first.apply(x, EPS), &Mask::All));
    residual(x, |x| b.narrow.apply(b.wide.apply(b.second.apply(x, EPS)).gelu_tanh()))
}

/// Pictures to logits.
fn model<B: Dim>(m: ModelVars, pixels: Var<(B, Pixel)>) -> Var<(B, Digit)> {
    let rows = m.embedding.apply(pixels.reshape_each::<(Row, Column)>());
    let rows = m.last.apply(block(m.block, m.positions.apply(rows)), EPS);
    // The mean over the rows.
    m.output.apply(rows.transpose().mean())
}

fn main() -> Result<(), Failure> {
    let schedule = Schedule { epochs: 40, rate: 3e-3, moved: false };
    run_program("transformer", schedule, |key| initialize::<Model, f32>(key, &Default::default()), model, model)?;
    Ok(())
}
