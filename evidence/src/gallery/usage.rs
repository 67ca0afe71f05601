//! Cases 16 to 28: what is used twice, mutated, saved or saved wrongly.

use super::rule::{Shipped, from, largest, map, one, scalar, winner, zip};
use super::{Case, Door, Law, case, text};

/// `x m` for matrices of the shapes of case 18: `[2, 2]` and `[2, 3]`.
fn times(m: &[f64], x: &[f64]) -> Vec<f64> {
    from(6, |at| (0..2).map(|k| m[2 * (at / 3) + k] * x[3 * k + at % 3]).sum())
}

pub(super) const CASES: &[Case] = &[
    case(
        "case-016",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("016")),
        &[&[2]],
        &[&[2]],
        |x| one(map(x[0], |x| x.exp() + x * x)),
        |x, g| one(zip(x[0], g[0], |x, g| g * x.exp() + 2.0 * x * g)),
        Shipped::Plain(|x, g| one(zip(x[0], g[0], |x, g| 2.0 * x * g))),
    ),
    case(
        "case-017",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("017")),
        &[&[4]],
        &[&[3]],
        |x| one(from(3, |o| largest(&x[0][o..o + 2]))),
        |x, g| {
            let mut gx = vec![0.0; 4];
            (0..3).for_each(|o| gx[o + winner(&x[0][o..o + 2])] += g[0][o]);
            one(gx)
        },
        Shipped::Plain(|x, g| {
            let mut gx = vec![0.0; 4];
            (0..3).for_each(|o| gx[o + winner(&x[0][o..o + 2])] = g[0][o]);
            one(gx)
        }),
    ),
    case(
        "case-018",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("018")),
        &[&[2, 3]],
        &[&[2, 2]],
        |x| one(from(4, |at| (0..3).map(|k| x[0][3 * (at / 2) + k] * x[0][3 * (at % 2) + k]).sum())),
        |x, g| one(times(&from(4, |at| g[0][at] + g[0][2 * (at % 2) + at / 2]), x[0])),
        Shipped::Plain(|x, g| one(times(g[0], x[0]))),
    ),
    case(
        "case-019",
        Door::Program,
        Some(Law::Transposition),
        Some(text!("019")),
        &[&[3]],
        &[&[3]],
        |x| one(map(x[0], |x| x + x)),
        |_, g| one(map(g[0], |g| 2.0 * g)),
        Shipped::Plain(|_, g| one(map(g[0], |g| 4.0 * g))),
    ),
    case(
        "case-020",
        Door::Statement,
        Some(Law::Transposition),
        Some(text!("020")),
        &[&[3]],
        &[&[3]],
        |x| one(map(x[0], f64::tanh)),
        |x, g| one(zip(x[0], g[0], |x, g| g * (1.0 - x.tanh().powi(2)))),
        Shipped::Plain(|x, g| one(zip(x[0], g[0], |x, g| g * (1.0 - x.tanh().tanh().powi(2))))),
    ),
    case(
        "case-021",
        Door::Program,
        Some(Law::Transposition),
        Some(text!("021")),
        &[&[1], &[1]],
        &[&[1]],
        |x| one(zip(x[0], x[1], |a, b| a + b)),
        |_, g| vec![g[0].to_vec(), g[0].to_vec()],
        Shipped::Plain(|_, g| vec![map(g[0], |g| 2.0 * g), map(g[0], |g| 2.0 * g)]),
    ),
    case(
        "case-022",
        Door::Mutation,
        Some(Law::Pure),
        Some(text!("022")),
        &[&[]],
        &[&[]],
        |x| scalar(x[0][0].powi(3)),
        |x, g| scalar(3.0 * x[0][0].powi(2) * g[0][0]),
        Shipped::Second(|| {
            // What the tape kept of the first call.
            let mut factor = 3.0;
            Box::new(move |x, g| {
                let gradient = factor * x[0][0].powi(2) * g[0][0];
                factor = 5.0;
                scalar(gradient)
            })
        }),
    ),
    case(
        "case-023",
        Door::Mutation,
        Some(Law::Transposition),
        Some(text!("023")),
        &[&[2, 2], &[2]],
        &[&[2, 2]],
        |x| one(from(4, |at| x[0][at] * x[1][at % 2])),
        |x, g| {
            vec![
                from(4, |at| g[0][at] * x[1][at % 2]),
                from(2, |j| (0..2).map(|i| g[0][2 * i + j] * x[0][2 * i + j]).sum()),
            ]
        },
        Shipped::Plain(|x, g| {
            let mut g = g[0].to_vec();
            (0..4).for_each(|at| g[at] *= x[1][at % 2]);
            let gw = from(2, |j| (0..2).map(|i| g[2 * i + j] * x[0][2 * i + j]).sum());
            vec![g, gw]
        }),
    ),
    case(
        "case-024",
        Door::Mutation,
        Some(Law::Transposition),
        Some(text!("024")),
        &[&[2]],
        &[&[2], &[2]],
        |x| vec![map(x[0], |x| 2.0 * x), map(x[0], |x| -3.0 * x)],
        |_, g| one(zip(g[0], g[1], |a, b| 2.0 * a - 3.0 * b)),
        Shipped::Plain(|_, g| one(map(g[1], |b| 2.0 * (-3.0 * b)))),
    ),
    case(
        "case-025",
        Door::Mutation,
        Some(Law::Transposition),
        Some(text!("025")),
        &[&[3]],
        &[&[]],
        |x| scalar(x[0].iter().map(|x| (2.0 * x).powi(2)).sum()),
        |x, g| one(map(x[0], |x| g[0][0] * 4.0 * (2.0 * x))),
        Shipped::Plain(|x, g| one(vec![g[0][0] * 4.0 * (2.0 * x[0][2]); 3])),
    ),
    case(
        "case-026",
        Door::Mutation,
        Some(Law::Transposition),
        Some(text!("026")),
        &[&[]],
        &[&[]],
        |x| one(x[0].to_vec()),
        |_, g| one(g[0].to_vec()),
        Shipped::Plain(|_, _| scalar(0.0)),
    ),
    case(
        "case-027",
        Door::Mutation,
        Some(Law::Transposition),
        Some(text!("027")),
        &[&[2]],
        &[&[2]],
        |x| one(map(x[0], |x| if x > 0.0 { x } else { -2.0 * x })),
        |x, g| one(zip(x[0], g[0], |x, g| if x > 0.0 { g } else { -2.0 * g })),
        Shipped::Plain(|x, g| {
            let y = map(x[0], |x| if x > 0.0 { x } else { -2.0 * x });
            one(zip(&y, g[0], |y, g| if y > 0.0 { g } else { -2.0 * g }))
        }),
    ),
    case(
        "case-028",
        Door::Statement,
        Some(Law::Defined),
        Some(text!("028")),
        &[&[2]],
        &[&[2]],
        |x| one(map(x[0], |b| 2f64.powf(b))),
        |x, g| one(zip(x[0], g[0], |b, g| g * 2f64.powf(b) * 2f64.ln())),
        Shipped::Plain(|x, g| one(zip(x[0], g[0], |b, g| g * b.powf(2.0) * b.ln()))),
    ),
];
