//! A convolutional classifier of handwritten digits.
//!
//! Channels, sides and windows are axes: a window that does not fit, or a width that is not what the convolutions leave, does not compile.
//! Run it with `cargo run --release --example convolution [SEED]`.

#![allow(clippy::print_stdout, reason = "a program for people says what came of it")]
#![allow(clippy::type_complexity, reason = "a signature says its shapes")]

mod common;

use pullback::layers::{Convolution2d, Dense, Initializer, Initializers, PoolingKind, initialize, pool2d};
use pullback::shape::Window;
use pullback::{Dim, N, Space, Var, dims};

use common::train::{Failure, Schedule, run_program};
use common::{Digit, Pixel};

dims! {
    /// Gray is the only channel of a picture.
    Gray = 1;
    /// Rows and columns of a picture.
    Side = 8;
    /// Of a picture that was pooled.
    Half = Side / 2;
    /// Channels of the first convolution.
    Edges = 16;
    /// Channels of the second.
    Shapes = 32;
    /// All that is left at the end.
    Flat = Shapes * Half * Half;
}

/// All parameters.
#[derive(Clone, Debug, Space)]
struct Model {
    edges: Convolution2d<Gray, Edges, N<3>, N<3>>,
    shapes: Convolution2d<Edges, Shapes, N<3>, N<3>>,
    output: Dense<Flat, Digit>,
}

/// Pictures to logits.
fn model<B: Dim>(m: ModelVars, pixels: Var<(B, Pixel)>) -> Var<(B, Digit)> {
    let (same, halves) = (Window::<Side>::new().padding::<1>(), Window::<Half>::new().stride::<2>());
    let picture = pixels.reshape_each::<(Gray, Side, Side)>();
    let edges = m.edges.apply(picture, same, same).gelu_tanh();
    let edges = pool2d(PoolingKind::Average, edges, halves.over::<_, N<2>>(), halves.over::<_, N<2>>());
    let same = Window::<Half>::new().padding::<1>();
    let shapes = m.shapes.apply(edges, same, same).gelu_tanh();
    m.output.apply(shapes.reshape_each::<(Flat,)>())
}

fn main() -> Result<(), Failure> {
    let he = Initializers { weight: Initializer::HeNormal, ..Initializers::default() };
    let schedule = Schedule { epochs: 40, rate: 3e-3, moved: true };
    let right = run_program("convolution", schedule, |key| initialize::<Model, f32>(key, &he), model, model)?;
    if right > 0.975 { Ok(()) } else { Err("it should read more than 97.5 % of them".into()) }
}
