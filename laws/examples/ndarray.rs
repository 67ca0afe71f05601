//! Rows of an array of ndarray times a number each, whose rule forgets the sum over the broadcast axis.
//!
//! Run it with `cargo run -p pullback-laws --example ndarray`.

#![allow(clippy::print_stdout, reason = "a program for people says what came of it")]

use std::error::Error;

use ndarray::{Array2, Axis, ShapeError};
use pullback_laws::{LawViolation, Options, Report, View, check_rule};

/// A view as an array.
fn array(x: &View<'_, f64>) -> Result<Array2<f64>, ShapeError> {
    Array2::from_shape_vec((x.shape()[0], x.shape()[1]), x.to_vec())
}

/// The rule, and what it makes of the cotangent of each row.
fn check(by_row: fn(Array2<f64>) -> Vec<f64>) -> Result<Result<Report, LawViolation>, Box<dyn Error>> {
    let forward = |x: &[View<'_, f64>]| -> Result<_, ShapeError> {
        let (a, scale) = (array(&x[0])?, array(&x[1])?);
        Ok(((&a * &scale).into_iter().collect::<Vec<f64>>(), (a, scale)))
    };
    let backward = move |(a, scale): &(Array2<f64>, Array2<f64>), u: View<'_, f64>| {
        // The shape is that of the output, which `forward` made.
        let u = array(&u).unwrap_or_else(|_| Array2::zeros(a.dim()));
        vec![(&u * scale).into_iter().collect(), by_row(&u * a)]
    };
    Ok(check_rule(&"m n, m 1 -> m n".parse()?, forward, backward, &Options::new()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let report = check(|u| u.sum_axis(Axis(1)).to_vec())??;
    println!("with the sum, {} checks hold; the adjoint at {} points", report.checks(), report.held("adjoint"));
    match check(|u| u.into_iter().collect())? {
        Ok(_) => Err("the rule without the sum passed".into()),
        Err(violation) => {
            println!("\nwithout it:\n{}", violation.named("the product of rows"));
            Ok(())
        }
    }
}
