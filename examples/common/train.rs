//! Learning from rows, and what came of it.

use std::error::Error;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use pullback::program::dynamic::random::Random;
use pullback::program::{Certificate, Numerics, Traced};
use pullback::{Cotangent, Dim, Over, Program, Tensor, Var};

use super::data::{self, Rows};
use super::{Batch, Digit, HeldOut, Pixel};

pub(crate) type Failure = Box<dyn Error>;

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
pub(crate) struct Lesson<P> {
    pub(crate) loss: f32,
    pub(crate) logits: Tensor<(Batch, Digit)>,
    pub(crate) gradient: P,
}

/// How long and how fast to learn.
#[derive(Clone, Copy)]
pub(crate) struct Schedule {
    pub(crate) epochs: u64,
    /// The rate at the start; it falls to zero.
    pub(crate) rate: f32,
    /// Whether pictures are moved a little, each epoch anew.
    pub(crate) moved: bool,
}

/// Epochs of lessons from a start.
fn train<P: Over<f32>>(
    schedule: Schedule,
    start: P,
    mut seen: Rows,
    random: &mut Random,
    mut lesson: impl FnMut(&P, Tensor<(Batch, Pixel)>, &[usize]) -> Result<Lesson<P>, Failure>,
) -> Result<P, Failure> {
    let Schedule { epochs, rate, moved } = schedule;
    let (mut parameters, mut adam) = (start, Adam::new());
    let bar = ProgressBar::new(epochs);
    bar.set_style(ProgressStyle::with_template("{bar:40} epoch {pos}/{len}  {msg}")?);
    for epoch in 0..epochs {
        seen.shuffle(random);
        let rate = rate * (1.0 - epoch as f32 / epochs as f32);
        let (mut loss, mut hits, mut count) = (0.0, 0, 0);
        let shown = if moved { seen.moved(random) } else { seen.clone() };
        for (pixels, labels) in shown.batches::<Batch>() {
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

type Given<P> = (P, (Tensor<(Batch, Pixel)>, Tensor<(Batch, Digit)>));
type Learned = (Tensor<()>, Tensor<(Batch, Digit)>);
type Judge<P> = Program<(P, Tensor<(HeldOut, Pixel)>), Tensor<(HeldOut, Digit)>>;

/// Lessons from the program of a model, planned once; an error unless its gradient is proved.
///
/// The digits are an input of it, as probabilities, since they change from batch to batch.
fn lessons<P: Traced + Over<f32>>(
    model: impl FnOnce(P::Vars, Var<(Batch, Pixel)>) -> Var<(Batch, Digit)>,
) -> Result<impl FnMut(&P, Tensor<(Batch, Pixel)>, &[usize]) -> Result<Lesson<P>, Failure>, Failure> {
    let program = Program::<Given<P>, Learned>::trace(|(parameters, (pixels, digits))| {
        let logits = model(parameters, pixels);
        (logits.softmax_cross_entropy(digits), logits)
    })?;
    if let Certificate::Obstacles(obstacles) = program.certify() {
        return Err(obstacles[0].to_string().into());
    }
    let mut run = program.compile_with_gradient(Numerics::default())?;
    Ok(move |parameters: &P, pixels: Tensor<(Batch, Pixel)>, labels: &[usize]| {
        let digits = Tensor::from_fn(|k| f32::from(labels[k / Digit::SIZE] == k % Digit::SIZE));
        // The derivative of the loss; of the logits nothing is asked.
        let seed = Cotangent::new((Tensor::scalar(1.0), Tensor::zeros()));
        let ((loss, logits), gradient) = run.value_and_pullback(&(parameters.clone(), (pixels, digits)), seed)?;
        let (gradient, _) = gradient.split();
        Ok(Lesson { loss: loss.to_scalar(), logits, gradient: gradient.into_inner() })
    })
}

/// The logits of the rows that were kept back.
fn judged<P: Traced + Over<f32>>(
    model: impl FnOnce(P::Vars, Var<(HeldOut, Pixel)>) -> Var<(HeldOut, Digit)>,
    parameters: P,
    pixels: Tensor<(HeldOut, Pixel)>,
) -> Result<Tensor<(HeldOut, Digit)>, Failure> {
    let judge = Judge::<P>::trace(|(parameters, pixels)| model(parameters, pixels))?;
    Ok(judge.compile(Numerics::default())?.evaluate(&(parameters, pixels))?)
}

/// Prints how many rows that were kept back are right; gives their share.
fn report(title: &str, logits: &Tensor<(HeldOut, Digit)>, labels: &[usize], start: Instant) -> f64 {
    let hits = right(logits, labels);
    println!(
        "{title}: held-out rows right: {hits} of {} ({:.2} %), in {:.1} s",
        HeldOut::SIZE,
        100.0 * hits as f64 / HeldOut::SIZE as f64,
        start.elapsed().as_secs_f64()
    );
    hits as f64 / HeldOut::SIZE as f64
}

/// Trains from a start that the seed determines, in an order that it determines too, and reports; gives the share of rows that are right.
pub(crate) fn run<P: Over<f32>>(
    title: &str,
    schedule: Schedule,
    start: impl FnOnce(u64) -> P,
    lesson: impl FnMut(&P, Tensor<(Batch, Pixel)>, &[usize]) -> Result<Lesson<P>, Failure>,
    judge: impl FnOnce(P, Tensor<(HeldOut, Pixel)>) -> Result<Tensor<(HeldOut, Digit)>, Failure>,
) -> Result<f64, Failure> {
    let seed = std::env::args().nth(1).map_or(Ok(20_261_021), |s| s.parse())?;
    let mut random = Random(seed);
    let (seen, held_out) = data::load()?.split(HeldOut::SIZE, &mut random);
    let began = Instant::now();
    let parameters = train(schedule, start(seed), seen, &mut random, lesson)?;
    Ok(report(title, &judge(parameters, held_out.pixels()?)?, &held_out.labels(), began))
}

/// The same for the program of a model, given once for each batch, whose gradient must be proved.
pub(crate) fn run_program<P: Traced + Over<f32>>(
    title: &str,
    schedule: Schedule,
    start: impl FnOnce(u64) -> P,
    model: fn(P::Vars, Var<(Batch, Pixel)>) -> Var<(Batch, Digit)>,
    held: fn(P::Vars, Var<(HeldOut, Pixel)>) -> Var<(HeldOut, Digit)>,
) -> Result<f64, Failure> {
    run(title, schedule, start, lessons(model)?, |parameters, pixels| judged(held, parameters, pixels))
}
