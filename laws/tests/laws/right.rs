//! Right rules raise no false alarm, at points that look for trouble and over many seeds.

use pullback_laws::{Approximate, Declared, Domain, Law, LawViolation, Options, Report, Rule, Subject, View};
use pullback_scalar::{Dual, Rational, Real, Scalar};

use crate::rules::{X, each, int, seeded, signature, square, zip};

type Checked = Result<Report, LawViolation>;
type Check = fn(&Options) -> Checked;

const RIGHT: &[(&str, Check)] = &[
    ("square", |options| {
        square::<f64>("m n -> m n").on_duals(|x: X<'_, '_, Dual<f64>>| each(&x[0], |x| x * x)).check(options)
    }),
    ("square over the rationals", square_exactly),
    ("matrix product", matmul),
    ("softmax", softmax),
    ("layer norm", layer_norm),
    ("log of a sum of exponentials", logsumexp),
    ("hyperbolic tangent", tanh),
    ("logistic times x", silu),
    ("softmax at singles", |options| softmax_rule::<f32>().check(options)),
    ("layer norm at singles", |options| layer_norm_rule::<f32>(1e-5).check(options)),
    ("layer norm with hardly a guard", |options| layer_norm_rule::<f64>(1e-12).check(options)),
    ("layer norm with no guard to speak of", |options| layer_norm_rule::<f64>(1e-20).check(options)),
    ("a fast wave", |options| by_element(|x| (1e5 * x).sin(), |x, u| 1e5 * (1e5 * x).cos() * u).check(options)),
    ("exponential of a square", |options| {
        by_element(|x| (x * x).exp(), |x, u| 2.0 * x * (x * x).exp() * u).check(options)
    }),
    ("a steep step", |options| {
        let y = |x: f64| 1.0 / (1.0 + (-1e4 * x).exp());
        by_element(y, move |x, u| 1e4 * y(x) * (1.0 - y(x)) * u).check(options)
    }),
    ("logarithm from minus one on", |options| {
        by_element(f64::ln_1p, |x, u| u / (1.0 + x)).check(&options.clone().domain(Domain::Above(-1)))
    }),
    ("arc sine", |options| {
        let options = options.clone().domain(Domain::Between(-1, 1));
        by_element(f64::asin, |x, u| u / (1.0 - x * x).sqrt()).check(&options)
    }),
    ("clamp that nobody declared", |options| {
        by_element(|x| x.clamp(-1.0, 1.0), |x, u| if x.abs() < 1.0 { u } else { 0.0 }).check(options)
    }),
    ("Huber's loss", |options| {
        let y = |x: f64| if x.abs() < 1.0 { 0.5 * x * x } else { x.abs() - 0.5 };
        by_element(y, |x, u| x.clamp(-1.0, 1.0) * u).check(options)
    }),
    ("a median, whose corner no direction shows by itself", median),
    ("norm of a vector", norm),
    ("hypotenuse", hypotenuse),
    ("a tie shared by all", shared_maximum),
    ("logarithm", logarithm),
    ("square root", square_root),
    ("quotient", quotient),
    ("running sum", running_sum),
    ("relu", relu),
    ("relu, undeclared", relu_undeclared),
    ("absolute value", absolute),
    ("greatest of a row", maximum),
    ("hinge", hinge),
    ("difference of two that are cut off", cut_off),
    ("cut off at two arguments", between),
    ("straight-through rounding", straight_through),
    ("masked product", masked),
    ("sum of an empty axis", empty_sum),
    ("single precision", single),
];

#[test]
fn no_right_rule_is_rejected() {
    for (name, check) in RIGHT {
        for seed in 0..100 {
            let report = check(&seeded(seed)).unwrap_or_else(|violation| panic!("{name}, seed {seed}: {violation}"));
            assert!(report.checks() > 80, "{name}: {report:?}");
        }
    }
}

fn square_exactly(options: &Options) -> Checked {
    let exact = square::<Rational>("5 -> 5").on_duals(|x: X<'_, '_, Dual<Rational>>| each(&x[0], |x| x.clone() * x));
    let float = square::<f64>("5 -> 5");
    Subject::new(&float.at(&[])).exactly(&exact.at(&[]), &exact.at(&[])).check(options)
}

fn matmul(options: &Options) -> Checked {
    fn product(a: &[f64], b: &[f64], [m, k, n]: [usize; 3]) -> Vec<f64> {
        (0..m * n).map(|at| (0..k).map(|l| a[at / n * k + l] * b[l * n + at % n]).sum()).collect()
    }
    let transposed = |a: &[f64], rows: usize| -> Vec<f64> {
        let columns = a.len() / rows.max(1);
        (0..a.len()).map(|at| a[at % rows * columns + at / rows]).collect()
    };
    let forward = |x: X<'_, '_>| {
        let [m, k, n] = [x[0].shape()[0], x[0].shape()[1], x[1].shape()[1]];
        (product(&x[0], &x[1], [m, k, n]), (x[0].to_vec(), x[1].to_vec(), [m, k, n]))
    };
    Rule::new(signature("m k, k n -> m n"), forward, move |(a, b, [m, k, n]), u| {
        [product(&u, &transposed(b, *k), [*m, *n, *k]), product(&transposed(a, *m), &u, [*k, *m, *n])]
    })
    .check(&options.clone().empty_axes())
}

fn rows(x: &[f64], length: usize, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    x.chunks(length).flat_map(f).collect()
}

fn total<T: Scalar>(numbers: impl IntoIterator<Item = T>) -> T {
    numbers.into_iter().fold(T::zero(), |sum, number| sum + number)
}

fn softmax_of<T: Real>(row: &[T]) -> Vec<T> {
    let shift = row.iter().cloned().reduce(T::maximum).unwrap_or_else(T::zero);
    let sum = total(row.iter().map(|x| (x.clone() - shift.clone()).exp()));
    each(row, |x| (x - shift.clone()).exp() / sum.clone())
}

fn softmax_rule<T: Real>() -> Rule<'static, T> {
    let forward = |x: X<'_, '_, T>| {
        let n = x[0].shape()[1];
        let y: Vec<T> = x[0].chunks(n).flat_map(softmax_of).collect();
        (y.clone(), (y, n))
    };
    Rule::new(signature("m n -> m n"), forward, |(y, n): &(Vec<T>, usize), u| {
        let pull = |(y, u): (&[T], &[T])| {
            let sum = total(zip(y, u, |y, u| y * u));
            zip(y, u, |y, u| y * (u - sum.clone()))
        };
        y.chunks(*n).zip(u.chunks(*n)).flat_map(pull).collect::<Vec<T>>()
    })
}

fn softmax(options: &Options) -> Checked {
    softmax_rule::<f64>().check(options)
}

/// Over each row, with what keeps the deviation from zero.
fn layer_norm_rule<T: Real + Approximate + From<f32>>(guard: f64) -> Rule<'static, T> {
    fn mean<T: Scalar>(row: &[T]) -> T {
        total(row.iter().cloned()) / T::from_usize(row.len())
    }
    let normal = move |row: &[T]| {
        let middle = mean(row);
        let squares = each(row, |x| (x.clone() - middle.clone()) * (x - middle.clone()));
        let deviation = (mean(&squares) + <T as From<f32>>::from(guard as f32)).sqrt();
        (each(row, |x| (x - middle.clone()) / deviation.clone()), deviation)
    };
    let forward = move |x: X<'_, '_, T>| {
        let n = x[0].shape()[1];
        (x[0].chunks(n).flat_map(|row| normal(row).0).collect::<Vec<T>>(), (x[0].to_vec(), n))
    };
    Rule::new(signature("m n -> m n"), forward, move |(x, n): &(Vec<T>, usize), u| {
        let pull = |(row, u): (&[T], &[T])| {
            let (y, deviation) = normal(row);
            let (middle, along) = (mean(u), mean(&zip(&y, u, |y, u| y * u)));
            zip(&y, u, |y, u| (u - middle.clone() - y * along.clone()) / deviation.clone())
        };
        x.chunks(*n).zip(u.chunks(*n)).flat_map(pull).collect::<Vec<T>>()
    })
}

fn layer_norm(options: &Options) -> Checked {
    layer_norm_rule::<f64>(0.125).check(options)
}

/// A function of every number, of which nothing is known but its values, and its rule.
fn by_element(
    function: impl Fn(f64) -> f64 + Send + Sync + 'static,
    rule: impl Fn(f64, f64) -> f64 + Send + Sync + 'static,
) -> Rule<'static, f64> {
    Rule::new(
        signature("n -> n"),
        move |x: X<'_, '_>| each(&x[0], &function),
        move |tape, u| zip(&tape.inputs[0], &u, &rule),
    )
}

/// Where all three are equal it is linear along every direction to both sides, and the derivative of nothing.
fn median(options: &Options) -> Checked {
    let forward = |x: X<'_, '_>| {
        let mut sorted = x[0].to_vec();
        sorted.sort_by(f64::total_cmp);
        vec![sorted[1]]
    };
    Rule::new(signature("3 -> "), forward, |tape, u| {
        let winner = tape.inputs[0].iter().position(|x| *x == tape.output[0]);
        (0..3).map(|at| if Some(at) == winner { u[0] } else { 0.0 }).collect::<Vec<f64>>()
    })
    .check(options)
}

fn norm(options: &Options) -> Checked {
    let forward = |x: X<'_, '_>| vec![x[0].iter().map(|x| x * x).sum::<f64>().sqrt()];
    Rule::new(signature("n -> "), forward, |tape, u| {
        let y = tape.output[0];
        each(&tape.inputs[0], |x| if y == 0.0 { 0.0 } else { u[0] * x / y })
    })
    .check(options)
}

fn hypotenuse(options: &Options) -> Checked {
    Rule::new(
        signature("n, n -> n"),
        |x: X<'_, '_>| zip(&x[0], &x[1], f64::hypot),
        |tape, u| {
            let share = |x: &[f64]| {
                let of = |at: usize| if tape.output[at] == 0.0 { 0.0 } else { u[at] * x[at] / tape.output[at] };
                (0..x.len()).map(of).collect::<Vec<f64>>()
            };
            [share(&tape.inputs[0]), share(&tape.inputs[1])]
        },
    )
    .check(options)
}

fn shared_maximum(options: &Options) -> Checked {
    let greatest = |row: &[f64]| row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let forward = move |x: X<'_, '_>| {
        let n = x[0].shape()[1];
        (rows(&x[0], n, |row| vec![greatest(row)]), (x[0].to_vec(), n))
    };
    Rule::new(signature("m n -> m"), forward, move |(x, n), u| {
        let pull = |(row, u): (&[f64], &f64)| {
            let tied = row.iter().filter(|x| **x == greatest(row)).count() as f64;
            each(row, |x| if x == greatest(row) { u / tied } else { 0.0 })
        };
        x.chunks(*n).zip(u.iter()).flat_map(pull).collect::<Vec<f64>>()
    })
    .check(options)
}

fn logsumexp(options: &Options) -> Checked {
    let forward = |x: X<'_, '_>| {
        let shift = x[0].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        vec![shift + x[0].iter().map(|x| (x - shift).exp()).sum::<f64>().ln()]
    };
    Rule::new(signature("n -> "), forward, |tape, u| each(&softmax_of::<f64>(&tape.inputs[0]), |y| y * u[0]))
        .check(options)
}

/// A smooth function of every number, at doubles and at dual numbers, and its rule.
fn elementwise<F>(
    options: &Options,
    function: F,
    rule: fn(f64, f64) -> f64,
    on_duals: fn(Dual<f64>) -> Dual<f64>,
) -> Checked
where
    F: Fn(f64) -> f64 + Send + Sync,
{
    Rule::new(
        signature("n -> n"),
        move |x: X<'_, '_>| each(&x[0], &function),
        move |tape, u| zip(&tape.inputs[0], &u, rule),
    )
    .on_duals(move |x: X<'_, '_, Dual<f64>>| each(&x[0], on_duals))
    .check(options)
}

fn tanh(options: &Options) -> Checked {
    elementwise(options, f64::tanh, |x, u| u * (1.0 - x.tanh().powi(2)), |x| x.tanh())
}

fn silu(options: &Options) -> Checked {
    let slope = |x: f64, u: f64| {
        let s = 1.0 / (1.0 + (-x).exp());
        u * s * (1.0 + x * (1.0 - s))
    };
    elementwise(options, |x| x / (1.0 + (-x).exp()), slope, |x| x / (Dual::constant(1.0) + (-x).exp()))
}

/// A function that refuses what is not positive.
fn positive(options: &Options, function: fn(f64) -> f64, rule: fn(f64, f64) -> f64) -> Checked {
    let forward = move |x: X<'_, '_>| match x[0].iter().find(|x| **x <= 0.0) {
        Some(x) => Err(format!("{x} is not positive")),
        None => Ok(each(&x[0], function)),
    };
    Rule::new(signature("n -> n"), forward, move |tape, u| zip(&tape.inputs[0], &u, rule))
        .check(&options.clone().domain(Domain::Positive))
}

fn logarithm(options: &Options) -> Checked {
    positive(options, f64::ln, |x, u| u / x)
}

fn square_root(options: &Options) -> Checked {
    positive(options, f64::sqrt, |x, u| u / (2.0 * x.sqrt()))
}

fn quotient(options: &Options) -> Checked {
    let forward = |x: X<'_, '_>| {
        if x[1].contains(&0.0) {
            return Err("division by zero");
        }
        Ok((zip(&x[0], &x[1], |a, b| a / b), (x[0].to_vec(), x[1].to_vec())))
    };
    Rule::new(signature("n, n -> n"), forward, |(a, b), u| {
        [zip(b, &u, |b, u| u / b), zip(&zip(a, b, |a, b| a / (b * b)), &u, |q, u| -q * u)]
    })
    .check(&options.clone().domains(&[Domain::Any, Domain::NonZero]))
}

fn running_sum(options: &Options) -> Checked {
    fn sums(x: impl Iterator<Item = f64>) -> Vec<f64> {
        x.scan(0.0, |sum, x| {
            *sum += x;
            Some(*sum)
        })
        .collect()
    }
    Rule::new(
        signature("n -> n"),
        |x: X<'_, '_>| sums(x[0].iter().copied()),
        |_, u| {
            let mut back = sums(u.iter().rev().copied());
            back.reverse();
            back
        },
    )
    .check(options)
}

fn relu_rule() -> Rule<'static, f64> {
    Rule::new(
        signature("n -> n"),
        |x: X<'_, '_>| each(&x[0], |x| x.max(0.0)),
        |tape, u| zip(&tape.inputs[0], &u, |x, u| if x > 0.0 { u } else { 0.0 }),
    )
}

fn relu(options: &Options) -> Checked {
    let stated = |x: X<'_, '_>, u: View<'_, f64>| zip(&x[0], &u, |x, u| if x > 0.0 { u } else { 0.0 });
    let report = relu_rule().declared(Declared::Convention).declares(stated).check(options)?;
    assert!(report.held("convention") > 0 && report.undecided("adjoint") > 0 && report.held("adjoint") > 0);
    Ok(report)
}

fn relu_undeclared(options: &Options) -> Checked {
    let report = relu_rule().check(options)?;
    // Nobody said what was chosen on the corner, so it has to be a derivative around it.
    assert!(report.undecided("adjoint") > 0 && report.held("convention") > 0);
    Ok(report)
}

fn absolute(options: &Options) -> Checked {
    let sign = |x: f64| {
        if x > 0.0 {
            1.0
        } else if x < 0.0 {
            -1.0
        } else {
            0.0
        }
    };
    Rule::new(
        signature("n -> n"),
        |x: X<'_, '_>| each(&x[0], f64::abs),
        move |tape, u| zip(&tape.inputs[0], &u, |x, u| sign(x) * u),
    )
    .declared(Declared::Subgradient)
    .check(options)
}

fn maximum(options: &Options) -> Checked {
    let first = |row: &[f64]| {
        let greatest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter().position(|x| *x == greatest).unwrap()
    };
    let forward = move |x: X<'_, '_>| {
        let n = x[0].shape()[1];
        (rows(&x[0], n, |row| vec![row[first(row)]]), (x[0].to_vec(), n))
    };
    // At a tie the first gets all: one end of the subdifferential.
    Rule::new(signature("m n -> m"), forward, move |(x, n), u| {
        x.chunks(*n)
            .zip(u.iter())
            .flat_map(|(row, u)| (0..*n).map(|at| if at == first(row) { *u } else { 0.0 }).collect::<Vec<f64>>())
            .collect::<Vec<f64>>()
    })
    .declared(Declared::Subgradient)
    .check(options)
}

/// `max(a, 0) - max(-b, 0)` is `z` of equal numbers, and its customary rule gives nothing at zero: an element of the generalised gradient, and no derivative by `z`.
fn cut_off(options: &Options) -> Checked {
    let relu = |x: f64, u: f64| if x > 0.0 { u } else { 0.0 };
    Rule::new(
        signature("n, n -> n"),
        |x: X<'_, '_>| zip(&x[0], &x[1], |a, b| a.max(0.0) - (-b).max(0.0)),
        move |tape, u| [zip(&tape.inputs[0], &u, relu), zip(&tape.inputs[1], &u, |b, u| relu(-b, u))],
    )
    .check(options)
}

/// `min(max(x, low), high)`: where all three are equal, the number itself gets everything.
fn between(options: &Options) -> Checked {
    let forward = |x: X<'_, '_>| (0..x[0].len()).map(|at| x[0][at].max(x[1][at]).min(x[2][at])).collect::<Vec<f64>>();
    Rule::new(signature("n, n, n -> n"), forward, |tape, u| {
        let mut all = [(); 3].map(|()| vec![0.0; u.len()]);
        for at in 0..u.len() {
            let [x, low, high] = [0, 1, 2].map(|k| tape.inputs[k][at]);
            let winner = if x.max(low) > high { 2 } else { usize::from(x < low) };
            all[winner][at] = u[at];
        }
        all
    })
    .check(options)
}

fn hinge(options: &Options) -> Checked {
    Rule::new(
        signature("n -> n"),
        |x: X<'_, '_>| each(&x[0], |x| (1.5 - x).max(0.0)),
        |tape, u| zip(&tape.inputs[0], &u, |x, u| if x < 1.5 { -u } else { 0.0 }),
    )
    .declared(Declared::Convention)
    .check(&options.clone().corner(3, 2))
}

fn straight_through(options: &Options) -> Checked {
    let report = Rule::new(signature("n -> n"), |x: X<'_, '_>| each(&x[0], f64::round_ties_even), |_, u| u.to_vec())
        .declared(Declared::Surrogate)
        .check(options)?;
    assert!(report.why_skipped("adjoint").unwrap().contains("surrogate") && report.held("additive") > 0);
    Ok(report)
}

fn masked(options: &Options) -> Checked {
    // The mask needs no gradient, and gets none.
    let forward = |x: X<'_, '_>| (zip(&x[0], &x[1], |x, m| x * m), x[1].to_vec());
    Rule::new(signature("n, n -> n"), forward, |mask, u| vec![Some(zip(mask, &u, |m, u| m * u)), None])
        .check(&options.clone().constant(1))
}

fn empty_sum(options: &Options) -> Checked {
    let forward = |x: X<'_, '_>| {
        let n = x[0].shape()[1];
        let sums = (0..x[0].shape()[0]).map(|row| x[0][row * n..][..n].iter().sum()).collect();
        (sums, n)
    };
    Rule::new(signature("m n -> m"), forward, |n: &usize, u| u.iter().flat_map(|u| vec![*u; *n]).collect::<Vec<f64>>())
        .check(&options.clone().empty_axes())
}

fn single(options: &Options) -> Checked {
    Rule::new(
        signature("n -> n"),
        |x: X<'_, '_, f32>| each(&x[0], |x| x * x * x),
        |tape, u| zip(&tape.inputs[0], &u, |x, u| int::<f32>(3) * x * x * u),
    )
    .check(options)
}

/// A line through the numbers of a table: beside one of them, what is as small as its input is lost, and rounding is all that moves around a corner.
#[test]
fn what_is_lost_around_a_corner_is_held_against_no_rule() {
    let table = |place: f64| (place.abs() % 7.0).powi(2) % 7.0;
    let rule = by_element(
        move |x| table(x.floor()) * (1.0 - (x - x.floor())) + table(x.floor() + 1.0) * (x - x.floor()),
        move |x, u| u * (table(x.floor() + 1.0) - table(x.floor())),
    );
    let mut decided = 0;
    for seed in 0..20 {
        // Points of 2 to the power of -40, and such with a number of the table among them.
        for case in [10, 1] {
            let found = rule.check(&Options::new().seed(seed).case(case).only(Law::CONVENTION));
            assert!(found.as_ref().is_ok() || found.as_ref().is_err_and(LawViolation::is_undecided), "{found:?}");
            decided += usize::from(found.is_ok());
        }
    }
    assert!(decided > 10, "{decided}");
}
