//! The product of two matrices of nalgebra, whose rule forgets that its matrices are column-major.
//!
//! Run it with `cargo run -p pullback-laws --example nalgebra`.

#![allow(clippy::print_stdout, reason = "a program for people says what came of it")]

use std::error::Error;

use nalgebra::DMatrix;
use pullback_laws::{LawViolation, Options, Report, View, check_rule};

/// The numbers of a view, row by row, as a matrix.
fn matrix(x: &[f64], shape: &[usize]) -> DMatrix<f64> {
    DMatrix::from_row_slice(shape[0], shape[1], x)
}

/// The numbers of a matrix, row by row.
fn rows(m: &DMatrix<f64>) -> Vec<f64> {
    m.transpose().as_slice().to_vec()
}

/// The rule, and how it gives its cotangents back.
fn check(numbers: fn(&DMatrix<f64>) -> Vec<f64>) -> Result<Result<Report, LawViolation>, Box<dyn Error>> {
    let forward = |x: &[View<'_, f64>]| {
        let (a, b) = (matrix(&x[0], x[0].shape()), matrix(&x[1], x[1].shape()));
        (rows(&(&a * &b)), (a, b))
    };
    let backward = move |(a, b): &(DMatrix<f64>, DMatrix<f64>), u: View<'_, f64>| {
        let u = matrix(&u, u.shape());
        [numbers(&(&u * b.transpose())), numbers(&(a.transpose() * &u))]
    };
    Ok(check_rule(&"m k, k n -> m n".parse()?, forward, backward, &Options::new()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let report = check(rows)??;
    println!("row by row, {} checks hold; the adjoint at {} points", report.checks(), report.held("adjoint"));
    match check(|m| m.as_slice().to_vec())? {
        Ok(_) => Err("the wrong layout passed".into()),
        Err(violation) => {
            println!("\nas nalgebra stores them:\n{}", violation.named("the product"));
            Ok(())
        }
    }
}
