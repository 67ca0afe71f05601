//! The pseudo-code of a dozen statements, and what they cost.
//!
//! `PULLBACK_UPDATE=1 cargo test -p pullback-schedule` writes the goldens anew; read the difference before keeping it.
#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps nothing")]

use std::path::{Path, PathBuf};

use pullback_kernel::{domain, load};
use pullback_schedule::{Gemm, Routine, Schedule, Statement, Step, schedule};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn of(source: &str) -> (Statement, Schedule) {
    let (statements, diagnostics) = load(source);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let statement = &statements[0];
    let domain: Vec<_> = domain(statement).into_iter().map(|c| (c.clone(), statement.show_condition(&c))).collect();
    let statement = if statement.gradients().is_none() { statement.with_derived_rule() } else { statement.clone() };
    let schedule = schedule(&statement, &domain).unwrap();
    (statement, schedule)
}

fn library(path: &str) -> (Statement, Schedule) {
    of(&std::fs::read_to_string(root().join("../contracts").join(format!("{path}.contract"))).unwrap())
}

/// The cost with all dimensions of length two but those named.
fn cost(statement: &Statement, routine: &Routine, sizes: &[(&str, u64)]) -> u64 {
    routine.cost(&|d| {
        let name = &statement.dims()[d.0 as usize].name.text;
        sizes.iter().find(|(n, _)| n == name).map_or(2, |(_, size)| *size)
    })
}

fn gemms(steps: &[Step]) -> Vec<&Gemm> {
    let mut found = vec![];
    for step in steps {
        match step {
            Step::Gemm(g) => found.push(g),
            Step::Loop { body, .. } => found.extend(gemms(body)),
            _ => {}
        }
    }
    found
}

#[test]
fn pseudo_code() {
    let mut stale = vec![];
    for path in [
        "arithmetic/multiply",
        "attention/attention",
        "contraction/matmul",
        "contraction/linear",
        "convolution/conv2d",
        "elementwise/gelu_tanh",
        "elementwise/log",
        "loss/softmax_cross_entropy",
        "normalization/batch_norm",
        "normalization/layer_norm",
        "recurrent/gru_cell",
        "softmax/softmax",
        "structure/concatenate",
        "structure/gather",
        "structure/reshape",
    ] {
        let (_, schedule) = library(path);
        let text = format!("forward\n{}\nbackward\n{}", schedule.forward, schedule.backward);
        let golden = root().join("tests/golden").join(format!("{}.txt", path.replace('/', "_")));
        if std::env::var_os("PULLBACK_UPDATE").is_some() {
            std::fs::write(&golden, &text).unwrap();
        } else if std::fs::read_to_string(&golden).unwrap_or_default() != text {
            stale.push(format!("{path}:\n{text}"));
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

#[test]
fn softmax_is_linear() {
    let (statement, schedule) = library("softmax/softmax");
    for routine in [&schedule.forward, &schedule.backward] {
        let (one, two) = (cost(&statement, routine, &[("n", 1000)]), cost(&statement, routine, &[("n", 2000)]));
        assert!(two < 2 * one + 10, "{one} and {two}");
    }
}

#[test]
fn attention_is_quadratic_in_keys_and_linear_in_width() {
    let (statement, schedule) = library("attention/attention");
    for routine in [&schedule.forward, &schedule.backward] {
        let at = |s: u64, d: u64| cost(&statement, routine, &[("b", 1), ("q", s), ("k", s), ("d", d), ("v", d)]);
        let (base, longer, wider) = (at(512, 64), at(1024, 64), at(512, 128));
        assert!(longer < 4 * base + base / 10, "{base}, {longer}");
        assert!(wider < 2 * base + base / 10, "{base}, {wider}");
    }
    assert_eq!(gemms(&schedule.forward.steps).len(), 2);
    assert_eq!(gemms(&schedule.backward.steps).len(), 4);
}

#[test]
fn a_matrix_product_is_one_step() {
    let (_, schedule) = library("contraction/matmul");
    assert!(matches!(schedule.forward.steps.as_slice(), [Step::Gemm(_)]));
    assert!(matches!(schedule.backward.steps.as_slice(), [Step::Gemm(_), Step::Gemm(_)]));
}

#[test]
fn a_convolution_is_a_gather_and_a_product() {
    let (statement, schedule) = library("convolution/conv2d");
    assert_eq!(gemms(&schedule.forward.steps).len(), 1);
    assert_eq!(gemms(&schedule.backward.steps).len(), 2);
    let product = |sizes: &[(&str, u64)]| sizes.iter().map(|(_, s)| s).product::<u64>();
    let sizes = [("b", 1), ("g", 1), ("c", 32), ("o", 32), ("oh", 16), ("ow", 16), ("kh", 3), ("kw", 3)];
    let all = [&sizes[..], &[("h", 16), ("w", 16)]].concat();
    // The product, and a few operations for each element of the patches.
    let forward = cost(&statement, &schedule.forward, &all);
    assert!(forward < product(&sizes) * 11 / 10, "{forward}");
    // Two products, the patches once read and once written.
    let backward = cost(&statement, &schedule.backward, &all);
    assert!(backward < 2 * product(&sizes) * 12 / 10, "{backward}");
}

#[test]
fn a_gather_is_not_a_search() {
    let (statement, schedule) = library("structure/gather");
    // Zeros over the table and one addition for each position: never positions times table.
    let cost = cost(&statement, &schedule.backward, &[("m", 1000), ("n", 5000), ("s", 8)]);
    assert!(cost <= 8 * (5000 + 3 * 1000), "{cost}");
}

#[test]
fn a_chain_of_products_is_taken_in_pairs() {
    let (statement, schedule) = of("contract chain version 1 dims m, k, l, n input a[m, k], b[k, l], c[l, n]
        output y[i, j] = sum(p, q) a[i, p] * b[p, q] * c[q, j]");
    let at = |s| cost(&statement, &schedule.forward, &[("m", s), ("k", s), ("l", s), ("n", s)]);
    assert_eq!(at(100), 2 * 1_000_000);
    // The derived rule too.
    let at = |s| cost(&statement, &schedule.backward, &[("m", s), ("k", s), ("l", s), ("n", s)]);
    assert!(at(100) <= 6 * 1_000_000, "{}", at(100));
}

#[test]
fn equal_sums_are_computed_once() {
    let (_, schedule) = of("contract twice version 1 dims s.., n input x[s.., n]
        output y[i.., j] = x[i.., j] * (sum(k) x[i.., k]) + x[i.., j] / (1 + (sum(l) x[i.., l])^2)");
    let text = schedule.forward.to_string();
    assert_eq!(text.matches("+= x").count(), 1, "{text}");
}

#[test]
fn elementwise_runs_are_one_pass_without_storage() {
    let (_, schedule) = of("contract run version 1 dims s.. input x[s..]
        let a[i..] = x[i..] * x[i..] let b[i..] = a[i..] + 1 let c[i..] = exp(b[i..]) * a[i..]
        output y[i..] = c[i..] / b[i..] + c[i..]");
    assert!(matches!(schedule.forward.steps.as_slice(), [Step::Loop { .. }]), "{}", schedule.forward);
    assert!(!schedule.forward.to_string().contains("local"), "{}", schedule.forward);
}

#[test]
fn what_is_not_needed_is_not_computed() {
    let (_, schedule) = of("contract dead version 1 dims n input x[n]
        let unused[i] = sum(k) exp(x[i] * x[k]) output y[i] = 2 * x[i]");
    assert!(!schedule.forward.to_string().contains("exp"), "{}", schedule.forward);
}

#[test]
fn a_sum_in_a_branch_asks_before_it_divides() {
    let (_, schedule) = of("contract branch version 1 dims m, n input x[m] constant a[n]
        output y[i] = if x[i] > 0 then sum(k) a[k] / (x[i] + a[k]) else 0 saves x
        dx[i] = 0 * dy[i] declares surrogate \"the forward side is what is looked at\"");
    let text = schedule.forward.to_string();
    assert!(text.contains("+= if x[i] > 0 then"), "{text}");
}
