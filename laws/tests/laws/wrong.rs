//! Wrong rules that pass where points are few: at one size, one magnitude, one side of a corner, in the last digits.

use pullback_laws::{Approximate, Call, Declared, Law, Options, Rule, View};
use pullback_scalar::{Dual, Real};

use crate::rules::{X, each, int, signature, square_with, zip};

type Found = Option<Law>;
type Check = fn(&Options) -> Found;

const WRONG: &[(&str, Law, Check)] = &[
    ("beyond 48", Law::ADJOINT, |o| {
        of(&square_with::<f64>("n -> n", |x, u| if x.abs() > 50.0 { 0.0 } else { 2.0 * x * u }), o)
    }),
    ("below 1e-7", Law::ADJOINT, |o| of(&linear("n -> n", |x, u| if x != 0.0 && x.abs() < 1e-7 { 0.0 } else { u }), o)),
    ("at the negative zero", Law::ADJOINT, |o| {
        of(&linear("n -> n", |x, u| if x == 0.0 && x.is_sign_negative() { 0.0 } else { u }), o)
    }),
    ("in the ninth place", Law::ADJOINT, |o| of(&sized("n -> n", |at, _| at >= 8), o)),
    ("at four and six", Law::ADJOINT, |o| of(&sized("n -> n", |_, length| [4, 6].contains(&length)), o)),
    ("in the tail of a loop by eight", Law::ADJOINT, |o| {
        of(&sized("n -> n", |at, length| length > 8 && at >= length / 8 * 8), o)
    }),
    ("by a part in a thousand million, at doubles", Law::ADJOINT, |o| of(&off::<f64>(1.0 + 1e-9), o)),
    ("by a part in ten million, with dual numbers", Law::ADJOINT, |o| {
        of(&off::<f64>(1.0 + 1e-7).on_duals(|x: X<'_, '_, Dual<f64>>| each(&x[0], |x| x.sin())), o)
    }),
    ("by three parts in a thousand, at singles", Law::ADJOINT, |o| of(&off::<f32>(1.003), o)),
    ("in a function that is tiny", Law::ADJOINT, |o| of(&tiny(), o)),
    ("in a function that is tiny, with dual numbers", Law::ADJOINT, |o| {
        of(&tiny().on_duals(|x: X<'_, '_, Dual<f64>>| each(&x[0], |x| Dual::constant(1e-9) * x * x)), o)
    }),
    ("where the derivative vanishes", Law::ADJOINT, |o| {
        let slope = |x: f64, u: f64| if x == 0.0 { 5.0 * u } else { 3.0 * x * x * u };
        let forward = |x: X<'_, '_>| vec![x[0][0] * x[0][0] * x[0][0]];
        of(&Rule::new(signature(" -> "), forward, move |t, u| zip(&t.inputs[0], &u, slope)), o)
    }),
    ("where two factors of a product are zero", Law::ADJOINT, |o| {
        let forward = |x: X<'_, '_>| vec![x[0][0] * x[0][1] * x[0][2]];
        of(
            &Rule::new(signature("3 -> "), forward, |t, u| {
                let x = &t.inputs[0];
                let by = |a: f64, b: f64| if a == 0.0 && b == 0.0 { u[0] } else { a * b * u[0] };
                vec![by(x[1], x[2]), by(x[0], x[2]), by(x[0], x[1])]
            }),
            o,
        )
    }),
    ("beside a mask that needs no gradient", Law::ADJOINT, |o| {
        let forward = |x: X<'_, '_>| (zip(&x[0], &x[1], |x, m| if m > 0.0 { 2.0 * x } else { 0.0 }), x[1].to_vec());
        of(
            &Rule::new(signature("n, n -> n"), forward, |mask: &Vec<f64>, u| {
                vec![Some(zip(mask, &u, |m, u| if m >= 0.0 { 2.0 * u } else { 0.0 })), None]
            }),
            &o.clone().constant(1),
        )
    }),
    ("of a wave, beyond a hundred", Law::ADJOINT, |o| {
        let slope = |x: f64, u: f64| if x.abs() > 100.0 { 0.0 } else { x.cos() * u };
        let forward = |x: X<'_, '_>| each(&x[0], f64::sin);
        of(&Rule::new(signature("n -> n"), forward, move |t, u| zip(&t.inputs[0], &u, slope)), o)
    }),
    ("transposed where it is square", Law::ADJOINT, |o| {
        let forward = |x: X<'_, '_>| {
            let n = x[1].len();
            ((0..x[0].len() / n).map(|i| (0..n).map(|j| x[0][i * n + j] * x[1][j]).sum()).collect(), (x[1].to_vec(), n))
        };
        of(
            &Rule::new(signature("m n, n -> m"), forward, |(v, n): &(Vec<f64>, usize), u| {
                let at = |i: usize, j: usize| if u.len() == *n { u[j] * v[i] } else { u[i] * v[j] };
                vec![Some((0..u.len() * n).map(|place| at(place / n, place % n)).collect::<Vec<f64>>()), None]
            }),
            &o.clone().constant(1),
        )
    }),
    ("gives more than all of a tie, at singles", Law::DUPLICATED, |o| {
        let shares = |a: f32, b: f32| {
            if a > b {
                [1.0, 0.0]
            } else if b > a {
                [0.0, 1.0]
            } else {
                [0.8, 0.5]
            }
        };
        of(
            &Rule::new(
                signature("n, n -> n"),
                |x: X<'_, '_, f32>| zip(&x[0], &x[1], f32::max),
                move |t, u| {
                    let (a, b) = (&t.inputs[0], &t.inputs[1]);
                    [0, 1].map(|k| (0..u.len()).map(|i| shares(a[i], b[i])[k] * u[i]).collect::<Vec<f32>>())
                },
            ),
            o,
        )
    }),
    ("clips its cotangent", Law::HOMOGENEOUS, |o| of(&seeded(|u| 3.0 * u.clamp(-7.0, 7.0)), o)),
    ("flushes small cotangents", Law::HOMOGENEOUS, |o| of(&seeded(|u| if u.abs() < 1e-2 { 0.0 } else { 3.0 * u }), o)),
    ("five at the corner", Law::CONVENTION, |o| {
        let slope = |x: f64, u: f64| {
            if x == 0.0 {
                5.0 * u
            } else if x > 0.0 {
                u
            } else {
                0.0
            }
        };
        of(
            &Rule::new(
                signature("n -> n"),
                |x: X<'_, '_>| each(&x[0], |x| x.max(0.0)),
                move |t, u| zip(&t.inputs[0], &u, slope),
            ),
            o,
        )
    }),
    ("all of a tie", Law::DUPLICATED, |o| {
        of(
            &Rule::new(
                signature("n -> "),
                |x: X<'_, '_>| vec![x[0].iter().copied().fold(f64::NEG_INFINITY, f64::max)],
                |t, u| each(&t.inputs[0], |x| if x == t.output[0] { u[0] } else { 0.0 }),
            ),
            o,
        )
    }),
    ("none of a tie", Law::DUPLICATED, |o| {
        of(
            &Rule::new(
                signature("n, n -> n"),
                |x: X<'_, '_>| zip(&x[0], &x[1], f64::max),
                |t, u| {
                    let (a, b) = (&t.inputs[0], &t.inputs[1]);
                    let won =
                        |a: &[f64], b: &[f64]| (0..u.len()).map(|i| if a[i] > b[i] { u[i] } else { 0.0 }).collect();
                    [won(a, b), won(b, a)] as [Vec<f64>; 2]
                },
            ),
            o,
        )
    }),
    ("all of a tie, at whole rows", Law::DUPLICATED, |o| {
        let greatest = |row: &[f64]| row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let forward = move |x: X<'_, '_>| {
            let n = x[0].shape()[1];
            (0..n).map(|j| greatest(&x[0].chunks(n).map(|row| row[j]).collect::<Vec<_>>())).collect::<Vec<f64>>()
        };
        let rule = |t: &pullback_laws::Tape<f64>, u: View<'_, f64>| {
            let won = |(at, x): (usize, &f64)| if *x == t.output[at % u.len()] { u[at % u.len()] } else { 0.0 };
            t.inputs[0].iter().enumerate().map(won).collect::<Vec<f64>>()
        };
        of(&Rule::new(signature("m n -> n"), forward, rule).declared(Declared::Convention), o)
    }),
    ("from the output of a sum of exponentials, at great numbers", Law::DUPLICATED, |o| {
        of(&log_add_exp(|a, _, y, u| u * (a - y).exp()), o)
    }),
    ("storage that the second and the third share", Law::ONE_STORAGE, |o| {
        let forward = |call: &Call<f64>| {
            let [x, y, w] = [0, 1, 2].map(|at| call.arguments[at].read());
            let products = zip(&y, &w, |y, w| y * w);
            (zip(&x, &products, |x, p| x + p), (y, w, call.arguments[1].is(&call.arguments[2])))
        };
        of(
            &Rule::in_storage(signature("n, n, n -> n"), forward, |(y, w, same): &(Vec<f64>, Vec<f64>, bool), u| {
                let u = u.read();
                let by_w = if *same { each(&u, |_| 0.0) } else { zip(y, &u, |y, u| y * u) };
                [u.clone(), zip(w, &u, |w, u| w * u), by_w]
            }),
            o,
        )
    }),
];

/// `log(exp(a) + exp(b))`, with the rule for one of them, which gets that one, the other, the output and the cotangent.
fn log_add_exp(rule: fn(f64, f64, f64, f64) -> f64) -> Rule<'static, f64> {
    Rule::new(
        signature("n, n -> n"),
        |x: X<'_, '_>| zip(&x[0], &x[1], |a, b| a.max(b) + (-(a - b).abs()).exp().ln_1p()),
        move |t, u| {
            let by = |a: &[f64], b: &[f64]| (0..u.len()).map(|i| rule(a[i], b[i], t.output[i], u[i])).collect();
            [by(&t.inputs[0], &t.inputs[1]), by(&t.inputs[1], &t.inputs[0])] as [Vec<f64>; 2]
        },
    )
}

/// Right where the shipped one is wrong.
#[test]
fn a_sum_of_exponentials_by_the_difference_passes() {
    for seed in 0..20 {
        let rule = log_add_exp(|a, b, _, u| u / (1.0 + (b - a).exp()));
        assert!(rule.check(&Options::new().seed(seed)).unwrap().held("duplicated") > 10);
    }
}

fn of<T: Approximate>(rule: &Rule<'_, T>, options: &Options) -> Found {
    rule.check(options).err().filter(|violation| !violation.is_undecided()).map(|violation| violation.law())
}

fn linear(text: &str, slope: fn(f64, f64) -> f64) -> Rule<'static, f64> {
    Rule::new(signature(text), |x: X<'_, '_>| x[0].to_vec(), move |t, u| zip(&t.inputs[0], &u, slope))
}

/// `x²`, whose rule forgets the places that are said.
fn sized(text: &str, forgets: fn(usize, usize) -> bool) -> Rule<'static, f64> {
    let pull = move |tape: &pullback_laws::Tape<f64>, u: View<'_, f64>| {
        let x = &tape.inputs[0];
        (0..x.len()).map(|at| if forgets(at, x.len()) { 0.0 } else { 2.0 * x[at] * u[at] }).collect::<Vec<f64>>()
    };
    Rule::new(signature(text), |x: X<'_, '_>| each(&x[0], |x| x * x), pull)
}

/// `sin x`, whose rule has a factor too many.
fn off<T: Real + Approximate>(factor: f64) -> Rule<'static, T> {
    let factor = T::from_ratio((factor * 1e9).round() as i64, 1_000_000_000);
    Rule::new(
        signature("n -> n"),
        |x: X<'_, '_, T>| each(&x[0], |x: T| x.sin()),
        move |t, u| zip(&t.inputs[0], &u, |x: T, u| factor.clone() * x.cos() * u),
    )
}

fn tiny() -> Rule<'static, f64> {
    Rule::new(
        signature("n -> n"),
        |x: X<'_, '_>| each(&x[0], |x| 1e-9 * x * x),
        |t, u| zip(&t.inputs[0], &u, |x, u| 77e-9 * x * u),
    )
}

fn seeded(pull: fn(f64) -> f64) -> Rule<'static, f64> {
    Rule::new(signature("n -> n"), |x: X<'_, '_>| each(&x[0], |x| int::<f64>(3) * x), move |_, u| each(&u, pull))
}

#[test]
fn default_options_find_them_in_every_seed() {
    for (what, law, check) in WRONG {
        for seed in 0..20 {
            let found = check(&Options::new().seed(seed));
            // What is wrong on a corner may show in a direction that does not see the corner, and what is wrong at a tie on the corner that it is.
            let others: &[Law] = match *law {
                Law::CONVENTION => &[Law::ADJOINT],
                Law::DUPLICATED => &[Law::CONVENTION, Law::ADJOINT],
                _ => &[],
            };
            let is_it = found.is_some_and(|found| found == *law || others.contains(&found));
            assert!(is_it, "wrong {what}, seed {seed}: {found:?}");
        }
    }
}

/// Beside numbers so great that rounding hides the whole derivative, nothing is taken for right.
#[test]
fn a_wrong_rule_does_not_hold_where_rounding_hides_it() {
    for power in [10, 30, 45, 60, 200] {
        let options = Options::new().scales(&[power]).case(7).only(Law::ADJOINT);
        let wrong = linear("4 -> 4", |_, u| 2.0 * u).check(&options);
        assert!(wrong.is_err(), "2 to the power of {power}: {wrong:?}");
        let right = linear("4 -> 4", |_, u| u).check(&options);
        assert!(right.is_ok() || right.as_ref().is_err_and(|found| found.is_undecided()), "{right:?}");
    }
    assert!(linear("4 -> 4", |_, u| u).check(&Options::new().scales(&[12]).case(7).only(Law::ADJOINT)).is_ok());
}
