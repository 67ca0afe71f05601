//! Cases 42 to 55: ties, zeros, large numbers, number types, randomness, and rules that are declared.

use super::rule::{Arrays, Shipped, from, indicator, largest, map, one, scalar, zip};
use super::{Case, Door, Law, case, text};

/// `g · s · (1 + x · (1 − s))`
fn silu_back(x: f64, g: f64, s: f64) -> f64 {
    g * s * (1.0 + x * (1.0 - s))
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The mean and the standard deviation, of n − 1, of three numbers.
fn spread(x: &[f64]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / 3.0;
    (mean, (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 2.0).sqrt())
}

/// The masks of case 51, forward and recomputed.
const MASKS: [[f64; 4]; 2] = [[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.0]];
/// The rows that case 52 gathers; the first is declared constant.
const ROWS: [usize; 4] = [0, 1, 0, 2];

/// The rows' gradients, those of row 0 times a factor.
fn rows_back(g: &[f64], constant: f64) -> Arrays {
    let mut gw = vec![0.0; 6];
    (0..8).for_each(|at| gw[2 * ROWS[at / 2] + at % 2] += g[at]);
    gw[..2].iter_mut().for_each(|g| *g *= constant);
    one(gw)
}

/// The factor of `[[a, b], [·, c]]`.
fn cholesky(x: &[f64]) -> [f64; 3] {
    let (u, v) = (x[0].sqrt(), x[1] / x[0].sqrt());
    [u, v, (x[3] - v * v).sqrt()]
}

/// Its rule; `below` is how much of what reaches the entry above the diagonal goes to the one below.
fn cholesky_back(x: &[f64], g: &[f64], below: f64) -> Arrays {
    let [u, v, w] = cholesky(x);
    let a = g[0] / (2.0 * u) - g[1] * v / (2.0 * x[0]) + g[3] * v * v / (2.0 * x[0] * w);
    let through = -g[3] * v / (w * u);
    one(vec![a, g[1] / u + (1.0 - below) * through, below * through, g[3] / (2.0 * w)])
}

pub(super) const CASES: &[Case] = &[
    // What is right at a tie is a choice: the kernel proves the declared rule off the ties, and the law is the choice's.
    case(
        "case-042",
        Door::Contract,
        Some(Law::Declared),
        None,
        &[&[2]],
        &[&[]],
        |x| scalar(largest(x[0])),
        |x, g| {
            let ties = map(x[0], |own| indicator(own == largest(x[0])));
            one(map(&ties, |tie| g[0][0] * tie / ties.iter().sum::<f64>()))
        },
        Shipped::Plain(|x, g| one(map(x[0], |own| g[0][0] * indicator(own == largest(x[0]))))),
    ),
    case(
        "case-043",
        Door::Program,
        Some(Law::Transposition),
        Some(text!("043")),
        &[&[1]],
        &[&[1]],
        |x| one(map(x[0], |x| x.max(0.0).min(x))),
        |_, g| one(g[0].to_vec()),
        Shipped::Plain(|x, g| one(zip(x[0], g[0], |x, g| g * indicator(0.0 < x && x < x.min(x))))),
    ),
    case(
        "case-044",
        Door::Statement,
        Some(Law::Defined),
        Some(text!("044")),
        &[&[3]],
        &[&[3]],
        |x| one(map(x[0], |x| x * logistic(x))),
        |x, g| one(zip(x[0], g[0], |x, g| silu_back(x, g, logistic(x)))),
        Shipped::Plain(|x, g| one(zip(x[0], g[0], |x, g| silu_back(x, g, x * logistic(x) / x)))),
    ),
    case(
        "case-045",
        Door::Statement,
        Some(Law::Defined),
        Some(text!("045")),
        &[&[1], &[1]],
        &[&[1]],
        |x| one(zip(x[0], x[1], |a, b| if b > 1.0 { a / b } else { 0.0 })),
        |x, g| {
            let (a, b, g) = (x[0][0], x[1][0], g[0][0]);
            if b > 1.0 { vec![vec![g / b], vec![-g * a / (b * b)]] } else { vec![vec![0.0], vec![0.0]] }
        },
        Shipped::Plain(|x, g| {
            let (a, b, m) = (x[0][0], x[1][0], indicator(x[1][0] > 1.0));
            vec![vec![m * (g[0][0] / b)], vec![-m * (g[0][0] * a / (b * b))]]
        }),
    ),
    case(
        "case-046",
        Door::Statement,
        Some(Law::Defined),
        Some(text!("046")),
        &[&[3]],
        &[&[]],
        |x| scalar(spread(x[0]).1),
        |x, g| {
            let (mean, s) = spread(x[0]);
            one(map(x[0], |x| if s > 0.0 { g[0][0] * (x - mean) / (2.0 * s) } else { 0.0 }))
        },
        Shipped::Plain(|x, g| {
            let (mean, s) = spread(x[0]);
            one(map(x[0], |x| g[0][0] * (x - mean) / (2.0 * s)))
        }),
    ),
    case(
        "case-047",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("047")),
        &[&[4]],
        &[&[4]],
        |x| one(from(4, |i| x[0][..=i].iter().product())),
        |x, g| {
            let without = |i: usize, j: usize| (0..=j).filter(|k| *k != i).map(|k| x[0][k]).product::<f64>();
            one(from(4, |i| (i..4).map(|j| g[0][j] * without(i, j)).sum()))
        },
        Shipped::Plain(|x, g| {
            let y = from(4, |i| x[0][..=i].iter().product());
            let quotient = |i: usize| (i..4).map(|j| g[0][j] * y[j]).sum::<f64>() / x[0][i];
            one(from(4, |i| if quotient(i).is_nan() { 0.0 } else { quotient(i) }))
        }),
    ),
    // Over the reals both are the same rule: only numbers show the fault.
    case(
        "case-048",
        Door::Contract,
        Some(Law::Transposition),
        None,
        &[&[1], &[1]],
        &[&[1]],
        |x| one(zip(x[0], x[1], |a, b| a.max(b) + (-(a - b).abs()).exp().ln_1p())),
        |x, g| {
            let (d, g) = (x[1][0] - x[0][0], g[0][0]);
            vec![vec![g / (1.0 + d.exp())], vec![g / (1.0 + (-d).exp())]]
        },
        Shipped::Plain(|x, g| {
            let (a, b, g) = (x[0][0], x[1][0], g[0][0]);
            let y = a.max(b) + (-(a - b).abs()).exp().ln_1p();
            vec![vec![g * (a - y).exp()], vec![g * (b - y).exp()]]
        }),
    ),
    case(
        "case-049",
        Door::Statement,
        Some(Law::Defined),
        Some(text!("049")),
        &[&[2]],
        &[&[2]],
        |x| one(zip(&[0.0, 2.0], x[0], f64::powf)),
        |x, g| one(from(2, |i| if i == 0 { 0.0 } else { g[0][1] * 2f64.powf(x[0][1]) * 2f64.ln() })),
        Shipped::Plain(|x, g| {
            one(from(2, |i| {
                let a = [0.0_f64, 2.0][i];
                g[0][i] * a.powf(x[0][i]) * a.ln()
            }))
        }),
    ),
    case(
        "case-050",
        Door::Statement,
        Some(Law::Linear),
        Some(text!("050")),
        &[&[3]],
        &[&[3]],
        |x| one(x[0].to_vec()),
        |_, g| one(g[0].to_vec()),
        Shipped::Plain(|_, g| one(map(g[0], f64::trunc))),
    ),
    case(
        "case-051",
        Door::Randomness,
        Some(Law::Transposition),
        Some(text!("051")),
        &[&[4]],
        &[&[4]],
        |x| one(zip(x[0], &MASKS[0], |x, m| 2.0 * m * x)),
        |_, g| one(zip(g[0], &MASKS[0], |g, m| 2.0 * m * g)),
        Shipped::Plain(|_, g| one(zip(g[0], &MASKS[1], |g, m| 2.0 * m * g))),
    ),
    // The declared rule is not the derivative, and must be kept all the same.
    case(
        "case-052",
        Door::Statement,
        Some(Law::Declared),
        Some(text!("052")),
        &[&[3, 2]],
        &[&[4, 2]],
        |x| one(from(8, |at| x[0][2 * ROWS[at / 2] + at % 2])),
        |_, g| rows_back(g[0], 0.0),
        Shipped::Plain(|_, g| rows_back(g[0], 1.0)),
    ),
    case(
        "case-053",
        Door::Program,
        Some(Law::Transposition),
        Some(text!("053")),
        &[&[2], &[2]],
        &[&[2]],
        |x| one(zip(x[0], x[1], |x, t| t * x.exp())),
        |x, g| vec![from(2, |i| x[1][i] * x[0][i].exp() * g[0][i]), zip(x[0], g[0], |x, g| x.exp() * g)],
        Shipped::Plain(|x, g| vec![from(2, |i| x[1][i] * x[0][i].exp() * g[0][i]), map(g[0], |g| 0.0 * g)]),
    ),
    case(
        "case-054",
        Door::Program,
        Some(Law::Declared),
        None,
        &[&[2]],
        &[&[2]],
        |x| one(map(x[0], |x| 2.0 * x)),
        |_, g| one(map(g[0], |g| 3.0 * g)),
        Shipped::Plain(|_, g| one(map(g[0], |g| 2.0 * g))),
    ),
    case(
        "case-055",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("055")),
        &[&[2, 2]],
        &[&[2, 2]],
        |x| {
            let [u, v, w] = cholesky(x[0]);
            one(vec![u, v, 0.0, w])
        },
        |x, g| cholesky_back(x[0], g[0], 0.0),
        Shipped::Plain(|x, g| cholesky_back(x[0], g[0], 0.5)),
    ),
];
