//! Cases 29 to 41: an attribute that was ignored, indices, shapes and layouts.

use super::rule::{Arrays, Shipped, dot, from, indicator, map, one, scalar, softmax, winner, zip};
use super::{Case, Door, Law, case, text};

/// The 3-norm of `x − b`.
fn norm(x: &[f64], b: &[f64]) -> f64 {
    zip(x, b, |x, b| (x - b).abs().powi(3)).iter().sum::<f64>().cbrt()
}

/// A gradient for `x − b`, for both.
fn both(d: Vec<f64>) -> Arrays {
    vec![d.clone(), map(&d, |d| -d)]
}

/// The rows that case 30 gathers.
const ROWS: [usize; 3] = [2, 0, 2];
/// The bags of case 32.
const BAGS: [&[usize]; 2] = [&[0, 1, 2], &[3, 0]];

/// The row of a bag that has the largest entry of a column.
fn row(w: &[f64], bag: usize, column: usize) -> usize {
    BAGS[bag][winner(&from(BAGS[bag].len(), |k| w[2 * BAGS[bag][k] + column]))]
}

/// `Σ_k w_k g[spread·i + step·k]` of case 34.
fn transposed(w: &[f64], g: &[f64], spread: usize, step: usize) -> Vec<f64> {
    from(2, |i| (0..2).map(|k| w[k] * g[spread * i + step * k]).sum())
}

/// The weight of the first of two points at place `o` of ten.
fn first(o: usize) -> f64 {
    1.0 - o as f64 / 9.0
}

/// Sums along the last axis of `[2, 2, 2]`.
fn rows(x: &[f64]) -> Vec<f64> {
    from(4, |at| x[2 * at] + x[2 * at + 1])
}

fn softmax_rows(x: &[f64]) -> Vec<f64> {
    x.chunks(2).flat_map(softmax).collect()
}

pub(super) const CASES: &[Case] = &[
    case(
        "case-029",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("029")),
        &[&[3], &[3]],
        &[&[]],
        |x| scalar(norm(x[0], x[1])),
        |x, g| {
            let y = norm(x[0], x[1]);
            both(zip(x[0], x[1], |x, b| g[0][0] * (x - b).signum() * (x - b).powi(2) / (y * y)))
        },
        Shipped::Plain(|x, g| {
            let y = norm(x[0], x[1]);
            both(zip(x[0], x[1], |x, b| g[0][0] * (x - b) / y))
        }),
    ),
    case(
        "case-030",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("030")),
        &[&[3, 2]],
        &[&[3, 2]],
        |x| one(from(6, |at| x[0][2 * ROWS[at / 2] + at % 2])),
        |_, g| {
            let mut gx = vec![0.0; 6];
            (0..6).for_each(|at| gx[2 * ROWS[at / 2] + at % 2] += g[0][at]);
            one(gx)
        },
        Shipped::Plain(|_, g| {
            let mut gx = vec![0.0; 6];
            (0..6).for_each(|at| gx[2 * ROWS[at / 2] + at % 2] = g[0][at]);
            one(gx)
        }),
    ),
    case(
        "case-031",
        Door::Mutation,
        Some(Law::Transposition),
        Some(text!("031")),
        &[&[3], &[]],
        &[&[3]],
        |x| one(vec![x[0][0], x[1][0], x[0][2]]),
        |_, g| vec![vec![g[0][0], 0.0, g[0][2]], vec![g[0][1]]],
        Shipped::Plain(|_, g| vec![vec![g[0][0], 0.0, g[0][2]], vec![g[0][1] + g[0][1]]]),
    ),
    case(
        "case-032",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("032")),
        &[&[4, 2]],
        &[&[2, 2]],
        |x| one(from(4, |at| x[0][2 * row(x[0], at / 2, at % 2) + at % 2])),
        |x, g| {
            let mut gw = vec![0.0; 8];
            (0..4).for_each(|at| gw[2 * row(x[0], at / 2, at % 2) + at % 2] += g[0][at]);
            one(gw)
        },
        Shipped::Plain(|_, g| {
            let mut gw = vec![0.0; 8];
            for at in 0..4 {
                BAGS[at / 2].iter().for_each(|r| gw[2 * r + at % 2] += g[0][at] / BAGS[at / 2].len() as f64);
            }
            one(gw)
        }),
    ),
    case(
        "case-033",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("033")),
        &[&[3], &[2]],
        &[&[7]],
        |x| one([&[0.5, -0.5], x[0], x[1]].concat()),
        |_, g| vec![g[0][2..5].to_vec(), g[0][5..7].to_vec()],
        Shipped::Plain(|_, g| vec![g[0][0..3].to_vec(), g[0][3..5].to_vec()]),
    ),
    case(
        "case-034",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("034")),
        &[&[2], &[2]],
        &[&[4]],
        |x| one(from(4, |at| x[0][at / 2] * x[1][at % 2])),
        |x, g| vec![transposed(x[1], g[0], 2, 1), transposed(x[0], g[0], 1, 2)],
        Shipped::Plain(|x, g| vec![transposed(x[1], g[0], 1, 2), transposed(x[0], g[0], 1, 2)]),
    ),
    case(
        "case-035",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("035")),
        &[&[2]],
        &[&[10]],
        |x| one(from(10, |o| first(o) * x[0][0] + (1.0 - first(o)) * x[0][1])),
        |_, g| one(vec![dot(&from(10, first), g[0]), dot(&from(10, |o| 1.0 - first(o)), g[0])]),
        Shipped::Plain(|_, g| {
            // Of the first point, the places past the fifth.
            let near = from(10, |o| first(o) * indicator(o <= 5));
            one(vec![dot(&near, g[0]), dot(&from(10, |o| 1.0 - first(o)), g[0])])
        }),
    ),
    case(
        "case-036",
        Door::Statement,
        Some(Law::Shape),
        Some(text!("036")),
        &[&[]],
        &[&[2]],
        |x| one(vec![2.0 * x[0][0], 3.0 * x[0][0]]),
        |_, g| scalar(2.0 * g[0][0] + 3.0 * g[0][1]),
        Shipped::Plain(|_, g| one(vec![2.0 * g[0][0], 3.0 * g[0][1]])),
    ),
    case(
        "case-037",
        Door::Statement,
        Some(Law::Shape),
        Some(text!("037")),
        &[&[2], &[1]],
        &[&[]],
        |x| scalar(map(x[0], |a| a * x[1][0]).iter().sum()),
        |x, g| vec![vec![g[0][0] * x[1][0]; 2], vec![g[0][0] * x[0].iter().sum::<f64>()]],
        Shipped::Plain(|x, g| vec![vec![g[0][0] * x[1][0]], vec![g[0][0] * x[0].iter().sum::<f64>()]]),
    ),
    case(
        "case-038",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("038")),
        &[&[2]],
        &[&[2]],
        |x| one(vec![x[0][0] + 3.0 * x[0][1], 2.0 * x[0][0] + 4.0 * x[0][1]]),
        |_, g| one(vec![g[0][0] + 2.0 * g[0][1], 3.0 * g[0][0] + 4.0 * g[0][1]]),
        Shipped::Plain(|_, g| one(vec![g[0][0] + 3.0 * g[0][1], 2.0 * g[0][0] + 4.0 * g[0][1]])),
    ),
    case(
        "case-039",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("039")),
        &[&[2, 2, 2]],
        &[&[2, 2]],
        |x| one(map(&rows(x[0]), |sum| sum / 2.0)),
        |_, g| one(from(8, |at| g[0][at / 2] / 2.0)),
        Shipped::Plain(|_, g| one(from(8, |at| g[0][2 * (at / 2 % 2) + at / 4] / 2.0))),
    ),
    case(
        "case-040",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("040")),
        &[&[2, 2, 2]],
        &[&[2, 2, 2]],
        |x| one(softmax_rows(x[0])),
        |x, g| {
            let y = softmax_rows(x[0]);
            let s = rows(&zip(&y, g[0], |y, g| y * g));
            one(from(8, |at| y[at] * (g[0][at] - s[at / 2])))
        },
        Shipped::Plain(|x, g| {
            let y = softmax_rows(x[0]);
            let s = rows(&zip(&y, g[0], |y, g| y * g));
            one(from(8, |at| y[at] * (g[0][at] - s[at % 4])))
        }),
    ),
    // No statement has an axis of size zero: there is nothing to prove.
    case(
        "case-041",
        Door::Contract,
        Some(Law::Shape),
        None,
        &[&[2, 0]],
        &[&[2, 0]],
        |_| one(Vec::new()),
        |_, _| one(Vec::new()),
        // It ended with an error: no gradient at all.
        Shipped::Plain(|_, _| Vec::new()),
    ),
];
