//! Cases 56 to 59: right rules that were reported as wrong. They must pass; what was taken for right must not.

use super::rule::{Arrays, Shipped, from, largest, map, one, winner, zip};
use super::values::{standardized, standardized_back};
use super::{Case, Door, case, text};

/// Where case 59 adds.
const AT: [usize; 3] = [0, 2, 0];

/// The cotangent, and a share of it at the winner.
fn at_winner(x: &[f64], g: &[f64], share: f64) -> Arrays {
    let mut gx = g.to_vec();
    gx[winner(x)] += share;
    one(gx)
}

/// `G · w` for complex numbers.
fn complex(g: &[f64], w: [f64; 2]) -> Arrays {
    one(vec![g[0] * w[0] - g[1] * w[1], g[0] * w[1] + g[1] * w[0]])
}

pub(super) const CASES: &[Case] = &[
    case(
        "case-056",
        Door::Statement,
        None,
        Some(text!("056")),
        &[&[3, 2]],
        &[&[3, 2]],
        |x| one(standardized(x[0]).0),
        |x, g| standardized_back(x[0], g[0], 1.0, 0.0),
        // The reporter's rule has a term more, which is zero.
        Shipped::Plain(|x, g| standardized_back(x[0], g[0], 1.0, 1.0)),
    ),
    case(
        "case-057",
        Door::Statement,
        None,
        Some(text!("057")),
        &[&[1, 2]],
        &[&[1, 2]],
        |x| one(map(x[0], |own| own + largest(x[0]))),
        |x, g| at_winner(x[0], g[0], g[0].iter().sum()),
        Shipped::Plain(|x, g| at_winner(x[0], g[0], g[0][winner(x[0])])),
    ),
    case(
        "case-058",
        Door::Statement,
        None,
        Some(text!("058")),
        &[&[2]],
        &[&[2]],
        |x| complex(x[0], [x[0][0], x[0][1]]),
        |x, g| complex(g[0], [2.0 * x[0][0], -2.0 * x[0][1]]),
        Shipped::Plain(|x, g| complex(g[0], [2.0 * x[0][0], 2.0 * x[0][1]])),
    ),
    case(
        "case-059",
        Door::Statement,
        None,
        Some(text!("059")),
        &[&[3], &[3]],
        &[&[3]],
        |x| {
            let mut y = x[0].to_vec();
            (0..3).for_each(|j| y[AT[j]] += x[1][j]);
            one(y)
        },
        |_, g| vec![g[0].to_vec(), from(3, |j| g[0][AT[j]])],
        Shipped::Plain(|_, g| {
            let overwritten = zip(g[0], &[0.0, 1.0, 0.0], |g, kept| g * kept);
            vec![overwritten, from(3, |j| g[0][AT[j]])]
        }),
    ),
];
