//! A classifier of handwritten digits, twice: composed from contracts, and traced as a program.
//!
//! Axes have names, parameters stand in a struct, and the activation is a statement of this file.
//! The type of the composed model says that its gradient was proved; the program is asked for its certificate, and then planned once and run often.
//! Both learn from the same rows in the same order.
//! Run it with `cargo run --release --example digits [SEED]`.

#![allow(clippy::print_stdout, reason = "a program for people says what came of it")]
#![allow(clippy::type_complexity, reason = "a signature says its shapes")]

mod data;
mod random;

use std::error::Error;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use pullback::ops::{bias_add, matmul, softmax_cross_entropy_labels};
use pullback::program::{Certificate, Numerics};
use pullback::{
    Contract, ContractExt, Cotangent, Dim, IndexMap, Over, Program, ProvedContract, Space, Tensor, Var, contract, dims,
    swap,
};

use crate::data::Rows;
use crate::random::Random;

dims! {
    /// Rows that are learned from at a time.
    Batch = 32;
    /// Rows kept back for the end.
    HeldOut = 359;
    /// Pixels of a picture.
    Pixel = 8 * 8;
    /// Features that the model makes of them.
    Hidden = 64;
    /// Digits.
    Digit = 10;
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

/// Weights and bias of one layer.
#[derive(Clone, Debug, Space)]
struct Dense<In: Dim, Out: Dim> {
    weight: Tensor<(In, Out)>,
    bias: Tensor<(Out,)>,
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

/// The same layer, of variables.
fn dense_of<B: Dim, In: Dim, Out: Dim>(layer: DenseVars<In, Out>, x: Var<(B, In)>) -> Var<(B, Out)> {
    x.matmul(layer.weight).bias_add(layer.bias)
}

/// The same model, of variables.
fn model_of<B: Dim>(ModelVars { hidden, output }: ModelVars, pixels: Var<(B, Pixel)>) -> Var<(B, Digit)> {
    dense_of(output, dense_of(hidden, pixels).apply(&quick_gelu::<_, f32>()))
}

/// Adam (Kingma, Ba 2015), on the coordinates of any space.
struct Adam<P> {
    mean: P,
    square: P,
    step: i32,
}

impl<P: Over<f32>> Adam<P> {
    fn new() -> Self {
        Adam { mean: P::zero(), square: P::zero(), step: 0 }
    }

    fn update(&mut self, parameters: P, gradient: &P, rate: f32) -> P {
        self.step += 1;
        let blend = |keep: f32| move |old: f32, new: &f32| keep * old + (1.0 - keep) * new;
        let square = gradient.clone().zip_coordinates(gradient, &mut |a, b| a * b);
        self.mean = self.mean.clone().zip_coordinates(gradient, &mut blend(0.9));
        self.square = self.square.clone().zip_coordinates(&square, &mut blend(0.999));
        let (m, s) = (1.0 - 0.9f32.powi(self.step), 1.0 - 0.999f32.powi(self.step));
        let direction = self
            .mean
            .clone()
            .zip_coordinates(&self.square, &mut |mean, square| (mean / m) / ((square / s).sqrt() + 1e-8));
        parameters.zip_coordinates(&direction, &mut |p, d| p - rate * d)
    }
}

/// How many rows of logits have their largest entry at the label.
fn right<B: Dim>(logits: &Tensor<(B, Digit)>, labels: &[usize]) -> usize {
    let rows = logits.as_slice().chunks(Digit::SIZE);
    let best = |row: &[f32]| (0..row.len()).max_by(|a, b| row[*a].total_cmp(&row[*b]));
    rows.zip(labels).filter(|(row, label)| best(row) == Some(**label)).count()
}

/// What one batch teaches.
struct Lesson {
    loss: f32,
    logits: Tensor<(Batch, Digit)>,
    gradient: Model,
}

type Failure = Box<dyn Error>;

/// A hundred epochs of lessons from the same start, in the same order for everybody.
fn train(
    seen: &mut Rows,
    seed: u64,
    mut lesson: impl FnMut(&Model, Tensor<(Batch, Pixel)>, &[usize]) -> Result<Lesson, Failure>,
) -> Result<Model, Failure> {
    let mut random = Random::new(seed);
    let mut parameters = Model {
        hidden: Dense { weight: random.weights(), bias: Tensor::zeros() },
        output: Dense { weight: random.weights(), bias: Tensor::zeros() },
    };
    let (mut adam, epochs) = (Adam::new(), 100);
    let bar = ProgressBar::new(epochs);
    bar.set_style(ProgressStyle::with_template("{bar:40} epoch {pos}/{len}  {msg}")?);
    for epoch in 0..epochs {
        seen.shuffle(&mut random);
        let rate = 3e-3 * (1.0 - epoch as f32 / epochs as f32);
        let (mut loss, mut hits, mut count) = (0.0, 0, 0);
        for (pixels, labels) in seen.batches::<Batch>() {
            let learned = lesson(&parameters, pixels, &labels)?;
            loss += learned.loss * Batch::SIZE as f32;
            hits += right(&learned.logits, &labels);
            count += labels.len();
            parameters = adam.update(parameters, &learned.gradient, rate);
        }
        bar.set_message(format!(
            "loss {:.4}  accuracy {:.2} %",
            loss / count as f32,
            100.0 * hits as f32 / count as f32
        ));
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(parameters)
}

/// A lesson from composed contracts.
fn by_contracts(parameters: &Model, pixels: Tensor<(Batch, Pixel)>, labels: &[usize]) -> Result<Lesson, Failure> {
    let model = model::<Batch>();
    let (logits, tape) = model.linearize((parameters.clone(), pixels))?;
    let (loss, seed) = softmax_cross_entropy_labels::<(Batch,), Digit, f32>(IndexMap::new(labels.to_vec())?)
        .value_and_gradient(logits.clone())?;
    let (gradient, _) = tape.pullback(seed).split();
    Ok(Lesson { loss, logits, gradient: gradient.into_inner() })
}

type Batches = (Model, (Tensor<(Batch, Pixel)>, Tensor<(Batch, Digit)>));
type Judged = (Tensor<()>, Tensor<(Batch, Digit)>);

/// Lessons from a program. The digits are an input of it, as probabilities, since they change from batch to batch.
fn by_program() -> Result<impl FnMut(&Model, Tensor<(Batch, Pixel)>, &[usize]) -> Result<Lesson, Failure>, Failure> {
    let program = Program::<Batches, Judged>::trace(|(parameters, (pixels, digits))| {
        let logits = model_of(parameters, pixels);
        (logits.softmax_cross_entropy(digits), logits)
    })?;
    if let Certificate::Obstacles(obstacles) = program.certify() {
        return Err(obstacles[0].to_string().into());
    }
    let mut run = program.compile_with_gradient(Numerics::default())?;
    Ok(move |parameters: &Model, pixels: Tensor<(Batch, Pixel)>, labels: &[usize]| {
        let digits = Tensor::from_fn(|k| f32::from(labels[k / Digit::SIZE] == k % Digit::SIZE));
        // The derivative of the loss; of the logits nothing is asked.
        let seed = Cotangent::new((Tensor::scalar(1.0), Tensor::zeros()));
        let ((loss, logits), gradient) = run.value_and_pullback(&(parameters.clone(), (pixels, digits)), seed)?;
        let (gradient, _) = gradient.split();
        Ok(Lesson { loss: loss.to_scalar(), logits, gradient: gradient.into_inner() })
    })
}

fn report(title: &str, logits: &Tensor<(HeldOut, Digit)>, labels: &[usize], start: Instant) {
    let hits = right(logits, labels);
    println!(
        "{title}: held-out rows right: {hits} of {} ({:.2} %), in {:.1} s",
        HeldOut::SIZE,
        100.0 * hits as f64 / HeldOut::SIZE as f64,
        start.elapsed().as_secs_f64()
    );
}

fn main() -> Result<(), Failure> {
    let seed = std::env::args().nth(1).map_or(Ok(20_261_021), |s| s.parse())?;
    let (seen, held_out) = data::load()?.split(HeldOut::SIZE, &mut Random::new(seed));
    let (pixels, labels) = (held_out.pixels()?, held_out.labels());

    let start = Instant::now();
    let parameters = train(&mut seen.clone(), seed, by_contracts)?;
    let (logits, _) = model::<HeldOut>().forward((parameters, pixels.clone()))?;
    report("contracts", &logits, &labels, start);

    let start = Instant::now();
    let parameters = train(&mut seen.clone(), seed, by_program()?)?;
    type Judge = Program<(Model, Tensor<(HeldOut, Pixel)>), Tensor<(HeldOut, Digit)>>;
    let judge = Judge::trace(|(parameters, pixels)| model_of(parameters, pixels))?;
    let logits = judge.compile(Numerics::default())?.evaluate(&(parameters, pixels))?;
    report("program  ", &logits, &labels, start);
    Ok(())
}
