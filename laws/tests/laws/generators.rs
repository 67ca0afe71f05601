//! Points look for trouble, inside of the domain, and are the same from the same seed.

use std::sync::Mutex;

use pullback_laws::{Domain, Draw, Options, Points, Rule};
use pullback_scalar::Rational;

use crate::rules::{X, each, signature, square, zip};

/// The inputs and cotangents of some cases.
fn drawn(text: &str, options: &Options) -> Vec<Points<f64>> {
    let (rule, plain) = (square::<f64>(text), options.clone());
    (0..64).map(|case| Points::of_case(&rule.at(&[3, 5]), &plain, case).unwrap()).collect()
}

#[test]
fn trouble_is_met() {
    let points = drawn("m n -> m n", &Options::new().corner(3, 4));
    let some = |holds: &dyn Fn(&[f64]) -> bool| assert!(points.iter().any(|points| holds(&points.x)));
    some(&|x| x.windows(2).any(|two| two[0] == two[1]));
    some(&|x| x.windows(2).all(|two| two[0] == two[1]));
    some(&|x| x.chunks(5).all(|row| row == &x[..5]) && x[0] != x[1]);
    some(&|x| x.iter().any(|x| *x == 0.0 && x.is_sign_positive()));
    some(&|x| x.iter().any(|x| *x == 0.0 && x.is_sign_negative()));
    some(&|x| x.contains(&1.0) && x.contains(&-1.0));
    some(&|x| x.contains(&0.75));
    some(&|x| x.iter().any(|x| x.abs() > 20.0));
    some(&|x| x.iter().all(|x| x.abs() < 1e-5));
}

#[test]
fn repeated_arguments_are_met() {
    let rule = crate::rules::sum("n, n -> n");
    let repeated = (0..32).any(|case| {
        let points: Points<f64> = Points::of_case(&rule.at(&[3]), &Options::new(), case).unwrap();
        points.x[..3] == points.x[3..]
    });
    assert!(repeated);
}

#[test]
fn cotangents_tell_rules_apart() {
    for points in drawn("m n -> m n", &Options::new()) {
        for u in [&points.u, &points.w] {
            assert!(u.iter().any(|u| *u != 0.0) && u.windows(2).any(|two| two[0] != two[1]));
            assert!(u.iter().any(|u| *u > 0.0) && u.iter().any(|u| *u < 0.0));
            assert!(u.iter().any(|u| *u != 0.0 && *u != 1.0));
        }
    }
    assert!(drawn("m n -> m n", &Options::new()).iter().any(|points| points.u.contains(&0.0)));
}

#[test]
fn no_point_leaves_its_domain() {
    for domain in [
        Domain::Any,
        Domain::NonZero,
        Domain::Positive,
        Domain::Above(-1),
        Domain::Below(7),
        Domain::Between(-1, 2),
        Domain::Between(3, 4),
    ] {
        for points in drawn("m n -> m n", &Options::new().domain(domain)) {
            assert!(points.x.iter().chain(&points.y).all(|x| domain.contains(x)), "{domain:?}: {points:?}");
        }
        assert!(domain.outside::<f64>().iter().all(|x| !domain.contains(x)));
    }
}

#[test]
fn scalars_see_the_same_points() {
    let rule = square::<f64>("m n -> m n");
    for case in 0..32 {
        let double: Points<f64> = Points::of_case(&rule.at(&[2, 3]), &Options::new(), case).unwrap();
        let exact: Points<Rational> = Points::of_case(&rule.at(&[2, 3]), &Options::new(), case).unwrap();
        let rounded: Vec<f64> = exact.x.iter().map(pullback_laws::Approximate::to_f64).collect();
        assert_eq!(rounded, double.x);
    }
}

/// A rule that is wrong for one kind of size: the sizes that hide faults do not come alone.
#[test]
fn sizes_are_ones_primes_and_not_square() {
    let seen = Mutex::new(vec![]);
    let forward = |x: X<'_, '_>| {
        seen.lock().unwrap().push([x[0].shape()[0], x[0].shape()[1]]);
        each(&x[0], |x| x * x)
    };
    Rule::new(signature("m n -> m n"), forward, |tape, u| zip(&tape.inputs[0], &u, |x, u| 2.0 * x * u))
        .check(&Options::new().empty_axes())
        .unwrap();
    let seen = seen.into_inner().unwrap();
    for sizes in [[1, 1], [2, 3], [5, 2], [1, 7]] {
        assert!(seen.contains(&sizes), "{sizes:?}");
    }
    assert!(seen.iter().any(|sizes| sizes.contains(&0)));
}

#[test]
fn a_signature_says_what_is_wrong_with_it() {
    let text = |text: &str| text.parse::<pullback_laws::Signature>().unwrap_err().to_string();
    assert!(text("n n").contains("has 0 `->` and should have one"));
    assert!(text("n -> m -> k").contains("has 2 `->` and should have one"));
    assert!(text("n, -2 -> n").contains("`-2` is no axis"));
    assert!(text("a+ -> ").contains("`a+` is no axis") && text("a b*(c -> ").contains("`b*(c` is no axis"));
    assert!(text("9999999999 9999999999 -> ").contains("`9999999999 9999999999` has more than 2²⁴ numbers"));
    assert!(text("n -> n 99999999").contains("`n 99999999` has more than"));
    assert!(text("2n -> ").contains("`2n` is no axis") && text("n% -> ").contains("`n%` is no axis"));
    assert!(text("n -> 3/2").contains("no sizes were found at which each axis of `n -> 3/2` is a positive whole"));
    assert!(text("n-n -> n").contains("no sizes were found"));
    assert_eq!(signature("a b, c -> a b+c 2").outputs(&[2, 3, 4]), [[2, 7, 2]]);
    assert_eq!(signature("a b -> a*b, (a + 1) * b / 2").outputs(&[3, 4]), [[12], [8]]);
    assert_eq!(signature("n -> n").sizes(0, &mut Draw::new(0), false), [1]);
}

/// Each axis is whole and not empty, whatever is asked of it.
#[test]
fn sizes_are_drawn_so_that_each_axis_is_whole() {
    for text in ["n -> n/2", "m n -> m*n/6, n-2", "n/m m -> n", "8/n -> n", "(n+1)/2 -> n, n/3"] {
        let signature = signature(text);
        let mut seen = std::collections::BTreeSet::new();
        for case in 0..100 {
            let sizes = signature.sizes(case, &mut Draw::new(case as u64), false);
            let shapes = [signature.inputs(&sizes), signature.outputs(&sizes)].concat();
            assert!(shapes.iter().flatten().all(|size| *size > 0), "{text} at {sizes:?}: {shapes:?}");
            seen.insert(sizes);
        }
        assert!(seen.len() > 2, "{text}: {seen:?}");
    }
}

/// Many names do not make many numbers.
#[test]
fn sizes_are_drawn_so_that_all_fits() {
    let wide = signature("a b c d e f g h -> a b c d");
    let numbers =
        |sizes: &[usize]| wide.inputs(sizes).iter().map(|shape| shape.iter().product::<usize>()).sum::<usize>();
    for case in 0..200 {
        let sizes = wide.sizes(case, &mut Draw::new(case as u64), false);
        assert!(numbers(&sizes) <= 256 && sizes.iter().all(|size| *size > 0), "{sizes:?}");
    }
}
