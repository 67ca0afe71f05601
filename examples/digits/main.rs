//! A classifier of handwritten digits, twice: composed from contracts, and traced as a program.
//!
//! Axes have names, parameters stand in a struct, and the activation is a statement of this file.
//! The type of the composed model says that its gradient was proved; the program is asked for its certificate, and then planned once and run often.
//! Both learn from the same rows in the same order.
//! Run it with `cargo run --release --example digits [SEED]`.

#![allow(clippy::print_stdout, reason = "a program for people says what came of it")]
#![allow(clippy::type_complexity, reason = "a signature says its shapes")]

#[path = "../common/mod.rs"]
mod common;

use pullback::layers::{Dense, Initializers, initialize};
use pullback::ops::{bias_add, matmul, softmax_cross_entropy_labels};
use pullback::{Contract, ContractExt, Dim, IndexMap, ProvedContract, Space, Tensor, Var, contract, dims, swap};

use common::train::{Failure, Lesson, Schedule, run, run_program};
use common::{Batch, Digit, HeldOut, Pixel};

dims! {
    /// Features that the model makes of the pixels.
    Hidden = 64;
}

contract! {
    /// A sigmoid-weighted unit with the slope 1.702, after Hendrycks and Gimpel (2016).
    contract quick_gelu version 1
    dims   s..
    input  x[s..]
    let    gate[i..] = 0.5 + 0.5 * tanh(0.851 * x[i..])
    output y[i..] = x[i..] * gate[i..]
    saves  x, gate
    dx[i..] = dy[i..] * gate[i..] * (1 + 1.702 * x[i..] * (1 - gate[i..]))
}

/// All parameters.
#[derive(Clone, Debug, Space)]
struct Model {
    hidden: Dense<Pixel, Hidden>,
    output: Dense<Hidden, Digit>,
}

/// One layer: `x · weight + bias`.
fn dense<B: Dim, In: Dim, Out: Dim>()
-> impl ProvedContract<Input = (Dense<In, Out>, Tensor<(B, In)>), Output = Tensor<(B, Out)>> {
    swap().then(matmul()).then_with(swap().then(bias_add::<(B,), Out, f32>())).with_parameters::<Dense<In, Out>>()
}

/// Pictures to logits.
fn model<B: Dim>() -> impl ProvedContract<Input = (Model, Tensor<(B, Pixel)>), Output = Tensor<(B, Digit)>> {
    dense().then(quick_gelu()).then_with(dense()).with_parameters::<Model>()
}

/// The same model, of variables.
fn model_of<B: Dim>(ModelVars { hidden, output }: ModelVars, pixels: Var<(B, Pixel)>) -> Var<(B, Digit)> {
    output.apply(hidden.apply(pixels).apply(&quick_gelu::<_, f32>()))
}

/// A lesson from composed contracts.
fn by_contracts(
    parameters: &Model,
    pixels: Tensor<(Batch, Pixel)>,
    labels: &[usize],
) -> Result<Lesson<Model>, Failure> {
    let model = model::<Batch>();
    let (logits, tape) = model.linearize((parameters.clone(), pixels))?;
    let (loss, seed) = softmax_cross_entropy_labels::<(Batch,), Digit, f32>(IndexMap::new(labels.to_vec())?)
        .value_and_gradient(logits.clone())?;
    let (gradient, _) = tape.pullback(seed).split();
    Ok(Lesson { loss, logits, gradient: gradient.into_inner() })
}

fn main() -> Result<(), Failure> {
    let schedule = Schedule { epochs: 100, rate: 3e-3, moved: false };
    let start = |key| initialize::<Model, f32>(key, &Initializers::default());
    run("contracts", schedule, start, by_contracts, |parameters, pixels| {
        Ok(model::<HeldOut>().forward((parameters, pixels))?.0)
    })?;
    run_program("program  ", schedule, start, model_of, model_of)?;
    Ok(())
}
