//! A Hessian times a vector, without the Hessian: forward over reverse.
//!
//! The loss of a small network is a program; its gradient is a program; the derivative of that in a direction is one again.
//! Each is a list of proved statements, so the curvature is proved as the gradient is.
//! A difference of gradients, which only approximates it, stands beside it.
//! Run it with `cargo run --release --example hessian`.

#![allow(clippy::print_stdout, reason = "a program for people says what came of it")]

use std::error::Error;

use pullback::{Over, Program, Space, Tensor, dims};

dims! {
    /// Points of the data.
    Batch = 8;
    /// Features of each.
    Features = 3;
    /// Units between.
    Hidden = 4;
    /// Values to predict.
    Target = 1;
}

/// The parameters that the curvature is about.
#[derive(Clone, Debug, Space)]
struct Network {
    weight: Tensor<(Features, Hidden), f64>,
    bias: Tensor<(Hidden,), f64>,
    readout: Tensor<(Hidden, Target), f64>,
}

type Loss = Tensor<(), f64>;

/// The mean squared error on data that is part of the program.
fn loss(
    x: &Tensor<(Batch, Features), f64>,
    y: &Tensor<(Batch, Target), f64>,
) -> Result<Program<Network, Loss>, Box<dyn Error>> {
    Ok(Program::<Network, Loss>::trace(|network| {
        let hidden = pullback::Var::from_tensor(x).matmul(network.weight).bias_add(network.bias).tanh();
        hidden.matmul(network.readout).mean_squared_error(pullback::Var::from_tensor(y))
    })?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let x = Tensor::from_fn(|k| ((k * 7 + 3) % 11) as f64 / 5.0 - 1.0);
    let y = Tensor::from_fn(|k| ((k * 5 + 1) % 7) as f64 / 3.0 - 1.0);
    let loss = loss(&x, &y)?;
    let gradient = loss.gradient()?;
    let curvature = gradient.forward_mode()?;
    println!("loss       {loss:?}");
    println!("gradient   {gradient:?}");
    println!("curvature  {curvature:?}, {}", if curvature.proved().is_ok() { "proved" } else { "not proved" });

    let point = |shift: usize| {
        let numbers = (0..).map(|k: usize| ((k * 13 + shift) % 17) as f64 / 8.0 - 1.0);
        Network::from_coordinates(&mut numbers.into_iter()).ok_or("too few numbers")
    };
    let (at, along) = (point(2)?, point(5)?);
    let exact = curvature.evaluate((at.clone(), along.clone()))?;

    // Twice the truncation, for a tenth of the step a hundredth of the error, until rounding takes over.
    println!("\n   step   greatest difference to (∇(p + h·v) - ∇(p - h·v)) / 2h");
    let mut best = f64::INFINITY;
    for step in [1e-1, 1e-2, 1e-3, 1e-4, 1e-5] {
        let moved = |h: f64| gradient.evaluate(at.clone().add(&along.clone().scale(&h)));
        let difference = moved(step)?.add(&moved(-step)?.scale(&-1.0)).scale(&(0.5 / step));
        let pairs = difference.coordinates().into_iter().zip(exact.coordinates());
        let greatest = pairs.map(|(d, e)| (d - e).abs()).fold(0.0, f64::max);
        best = best.min(greatest);
        println!("  {step:.0e}   {greatest:.3e}");
    }
    println!("\nHessian times the vector, by parameter:");
    println!("  weight   {:.4?}", exact.weight.as_slice());
    println!("  bias     {:.4?}", exact.bias.as_slice());
    println!("  readout  {:.4?}", exact.readout.as_slice());

    // ⟨H v, w⟩ = ⟨v, H w⟩.
    let other = point(9)?;
    let (left, right) = (exact.dot(&other), curvature.evaluate((at, other))?.dot(&along));
    println!("\nsymmetric: {left:.12} = {right:.12}");
    if best > 1e-8 || (left - right).abs() > 1e-10 {
        return Err("the curvature is not that of the loss".into());
    }
    Ok(())
}
