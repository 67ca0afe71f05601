//! Cases 1 to 15: a cotangent in the wrong place, a sign, a factor, a term or a path that is missing.

use super::rule::{Arrays, Shipped, dot, from, indicator, largest, map, one, scalar, softmax, zip};
use super::{Case, Door, Law, case, text};

/// `[lo <= x <= hi]` of case 1.
fn inside(x: f64) -> f64 {
    indicator((-1.0..=1.0).contains(&x))
}

/// `a × b`
fn cross(a: &[f64], b: &[f64]) -> Vec<f64> {
    from(3, |i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

/// The mean and the standard deviation, of n − 1.
fn spread(x: &[f64]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let square: f64 = x.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (square / (x.len() - 1) as f64).sqrt())
}

/// Each column less its mean, over the root of its variance and 1e-5; and that root.
pub(super) fn standardized(x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (rows, columns) = (3, 2);
    let mean = |f: &dyn Fn(usize) -> f64| (0..rows).map(f).sum::<f64>() / rows as f64;
    let means = from(columns, |j| mean(&|i| x[i * columns + j]));
    let roots = from(columns, |j| (mean(&|i| (x[i * columns + j] - means[j]).powi(2)) + 1e-5).sqrt());
    (from(rows * columns, |at| (x[at] - means[at % columns]) / roots[at % columns]), roots)
}

/// `(g − mean0(g) − weight · y · mean0(g y) − more · mean0(g y) · mean0(y)) / s`
pub(super) fn standardized_back(x: &[f64], g: &[f64], weight: f64, more: f64) -> Arrays {
    let (y, roots) = standardized(x);
    let mean = |f: &dyn Fn(usize) -> f64, j: usize| (0..3).map(|i| f(2 * i + j)).sum::<f64>() / 3.0;
    one(from(6, |at| {
        let j = at % 2;
        let (level, along) = (mean(&|at| g[at], j), mean(&|at| g[at] * y[at], j));
        (g[at] - level - weight * y[at] * along - more * along * mean(&|at| y[at], j)) / roots[j]
    }))
}

/// `h1 = tanh(u x1); h2 = tanh(u x2 + w h1)` at the recorded steps.
fn recurrence(u: f64, w: f64) -> (f64, f64) {
    let h1 = (u * STEPS.0).tanh();
    (h1, (u * STEPS.1 + w * h1).tanh())
}

const STEPS: (f64, f64) = (0.5, -0.8);

/// The rule of the recurrence; `carried` is how much of the second step's gradient reaches the first.
fn recurrence_back(u: f64, w: f64, g: &[f64], carried: f64) -> Arrays {
    let (h1, h2) = recurrence(u, w);
    let d2 = g[1] * (1.0 - h2 * h2);
    let d1 = (g[0] + carried * w * d2) * (1.0 - h1 * h1);
    vec![vec![STEPS.0 * d1 + STEPS.1 * d2], vec![h1 * d2]]
}

pub(super) const CASES: &[Case] = &[
    case(
        "case-001",
        Door::Statement,
        Some(Law::Linear),
        Some(text!("001")),
        &[&[3]],
        &[&[3]],
        |x| one(map(x[0], |x| x.clamp(-1.0, 1.0))),
        |x, g| one(zip(x[0], g[0], |x, g| g * inside(x))),
        Shipped::Plain(|x, g| one(zip(x[0], g[0], |x, g| g * g * inside(x)))),
    ),
    case(
        "case-002",
        Door::Statement,
        Some(Law::Linear),
        Some(text!("002")),
        &[&[2]],
        &[&[2]],
        |x| one(map(x[0], |x| x * x.tanh())),
        |x, g| one(zip(x[0], g[0], |x, g| g * (x.tanh() + x * (1.0 - x.tanh().powi(2))))),
        Shipped::Plain(|x, g| one(zip(x[0], g[0], |x, g| g * x.tanh() + x * (1.0 - x.tanh().powi(2))))),
    ),
    case(
        "case-003",
        Door::Statement,
        Some(Law::Linear),
        Some(text!("003")),
        &[&[2], &[2]],
        &[&[]],
        |x| scalar(0.5 * zip(x[0], x[1], |x, c| (x - c).powi(2)).iter().sum::<f64>()),
        |x, g| vec![zip(x[0], x[1], |x, c| g[0][0] * (x - c)), zip(x[0], x[1], |x, c| -g[0][0] * (x - c))],
        Shipped::Plain(|x, g| vec![zip(x[0], x[1], |x, c| g[0][0] * (x - c)), zip(x[0], x[1], |x, c| -(x - c))]),
    ),
    case(
        "case-004",
        Door::Statement,
        Some(Law::Linear),
        Some(text!("004")),
        &[&[2]],
        &[&[2]],
        |x| one(map(x[0], |x| 2.0 * x * x - x + 3.0)),
        |x, g| one(zip(x[0], g[0], |x, g| g * (4.0 * x - 1.0))),
        Shipped::Plain(|_, g| one(map(g[0], |g| 2.0 * g * g - g + 3.0))),
    ),
    case(
        "case-005",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("005")),
        &[&[], &[]],
        &[&[]],
        |x| scalar(x[0][0].sin() * x[1][0]),
        |x, g| vec![vec![g[0][0] * x[0][0].cos() * x[1][0]], vec![g[0][0] * x[0][0].sin()]],
        Shipped::Plain(|x, g| vec![vec![g[0][0] * x[0][0].cos() * x[1][0]], vec![-g[0][0] * x[0][0].sin()]]),
    ),
    case(
        "case-006",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("006")),
        &[&[3]],
        &[&[3]],
        |x| one(map(x[0], f64::cosh)),
        |x, g| one(zip(x[0], g[0], |x, g| g * x.sinh())),
        Shipped::Plain(|x, g| one(zip(x[0], g[0], |x, g| -g * x.sinh()))),
    ),
    case(
        "case-007",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("007")),
        &[&[3], &[3]],
        &[&[3]],
        |x| one(cross(x[0], x[1])),
        |x, g| vec![cross(x[1], g[0]), cross(g[0], x[0])],
        Shipped::Plain(|x, g| vec![cross(x[1], g[0]), cross(x[0], g[0])]),
    ),
    case(
        "case-008",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("008")),
        &[&[3]],
        &[&[3]],
        |x| one(map(x[0], |x| if x <= 1.0 { x.exp() } else { 1f64.exp() * (1.0 + 2.0 * (x - 1.0)) / x })),
        |x, g| one(zip(x[0], g[0], |x, g| if x <= 1.0 { g * x.exp() } else { g * 1f64.exp() / (x * x) })),
        Shipped::Plain(|x, g| {
            one(zip(x[0], g[0], |x, g| if x <= 1.0 { g * x.exp() } else { g * 1f64.exp() / (1.0 + (x - 1.0).powi(2)) }))
        }),
    ),
    case(
        "case-009",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("009")),
        &[&[3]],
        &[&[]],
        |x| scalar(x[0].iter().sum::<f64>() / 3.0),
        |_, g| one(vec![g[0][0] / 3.0; 3]),
        Shipped::Plain(|_, g| one(vec![g[0][0]; 3])),
    ),
    case(
        "case-010",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("010")),
        &[&[3]],
        &[&[]],
        |x| scalar(spread(x[0]).1),
        |x, g| {
            let (mean, s) = spread(x[0]);
            one(map(x[0], |x| g[0][0] * (x - mean) / (2.0 * s)))
        },
        Shipped::Plain(|x, g| {
            let (mean, s) = spread(x[0]);
            one(map(x[0], |x| g[0][0] * (x - mean) / (2.0 * (s + 1e-8))))
        }),
    ),
    case(
        "case-011",
        Door::Statement,
        Some(Law::Linear),
        Some(text!("011")),
        &[&[2]],
        &[&[2]],
        |x| {
            let total: f64 = map(x[0], f64::exp).iter().sum();
            one(map(x[0], |x| x - total.ln()))
        },
        |x, g| one(zip(&softmax(x[0]), g[0], |s, own| own - s * g[0].iter().sum::<f64>())),
        Shipped::Plain(|x, g| one(zip(&softmax(x[0]), g[0], |s, g| g + s))),
    ),
    case(
        "case-012",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("012")),
        &[&[3, 2]],
        &[&[3, 2]],
        |x| one(standardized(x[0]).0),
        |x, g| standardized_back(x[0], g[0], 1.0, 0.0),
        Shipped::Plain(|x, g| standardized_back(x[0], g[0], 0.0, 0.0)),
    ),
    case(
        "case-013",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("013")),
        &[&[]],
        &[&[]],
        |x| scalar(x[0][0] / largest(x[0])),
        |_, _| scalar(0.0),
        Shipped::Plain(|x, g| scalar(g[0][0] / largest(x[0]))),
    ),
    case(
        "case-014",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("014")),
        &[&[2]],
        &[&[2]],
        |x| {
            let n = dot(x[0], x[0]).sqrt();
            one(map(x[0], |x| if n > 1.0 { x / n } else { x }))
        },
        |x, g| {
            let (n, along) = (dot(x[0], x[0]).sqrt(), dot(x[0], g[0]));
            one(zip(x[0], g[0], |x, g| if n > 1.0 { (g - x * along / (n * n)) / n } else { g }))
        },
        Shipped::Plain(|x, g| {
            let n = dot(x[0], x[0]).sqrt();
            one(map(g[0], |g| if n > 1.0 { g / n } else { g }))
        }),
    ),
    case(
        "case-015",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("015")),
        &[&[], &[]],
        &[&[2]],
        |x| {
            let (h1, h2) = recurrence(x[0][0], x[1][0]);
            one(vec![h1, h2])
        },
        |x, g| recurrence_back(x[0][0], x[1][0], g[0], 1.0),
        Shipped::Plain(|x, g| recurrence_back(x[0][0], x[1][0], g[0], 0.0)),
    ),
];
