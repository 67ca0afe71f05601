//! A check of nothing does not pass, and what can't be asked says why.

use pullback_laws::{Declared, Domain, Law, LawViolation, Options, OptionsError, Report, Rule};

use crate::rules::{X, each, seeded, signature, square, square_with, sum, zip};

/// A wrong rule, checked: whatever passes here was not tried.
fn wrong(text: &str, options: &Options) -> Result<Report, LawViolation> {
    Rule::new(signature(text), |x: X<'_, '_>| each(&x[0], |x| x * x), |_, u| each(&u, |u| 77.0 * u)).check(options)
}

#[test]
fn options_that_fit_no_such_rule_are_refused() {
    let new = Options::new;
    let refused: [(Options, &str); 12] = [
        (new().constant(0), "leave one that needs a gradient"),
        (new().constant(7), "argument 7 is said to be constant, and the rule has 1, numbered from 0"),
        (new().corner(1, 0), "a corner at 1/0 is no number"),
        (new().scales(&[2000]), "points can't be scaled by 2 to the power of 2000"),
        (new().scales(&[i32::MIN]), "between -500 and 500"),
        (
            new().domain(Domain::Between(5, 2)),
            "`Between(5, 2)`: bounds are below 2⁴⁰ in size and have a sixteenth beside them, the lower one first",
        ),
        (new().domain(Domain::Between(0, 0)), "no number can be drawn from `Between(0, 0)`"),
        (new().domain(Domain::Between(i64::MIN, i64::MAX)), "no number can be drawn"),
        (new().domain(Domain::Above(i64::MAX)), "no number can be drawn"),
        (new().domains(&[Domain::Any; 2]), "2 domains are given for 1 arguments"),
        (new().only(Law::ADJOINT).without(Law::ADJOINT), "`adjoint` is asked for alone and excluded too"),
        (new().inside(|_| false), "none of 1000 points that were drawn lies inside"),
    ];
    for (options, why) in refused {
        let violation = wrong("n -> n", &options).unwrap_err();
        assert!(violation.options_error().is_some() && violation.is_undecided(), "{violation}");
        let text = violation.to_string();
        assert!(text.starts_with("the contract can't be checked with these options\n") && text.contains(why), "{text}");
    }
    let violation = wrong("0 -> 0", &new()).unwrap_err();
    assert_eq!(violation.options_error(), Some(&OptionsError::NoNumbers));
    let violation = wrong("n 0 -> n 0", &new().empty_axes()).unwrap_err();
    assert_eq!(violation.options_error(), Some(&OptionsError::NoNumbers));
    let nothing = pullback_laws::LAWS.iter().fold(new(), |options, law| options.without(*law));
    assert_eq!(wrong("n -> n", &nothing).unwrap_err().options_error(), Some(&OptionsError::NoLaws));
}

/// Far-away options that do fit are not refused.
#[test]
fn every_number_of_a_case_is_one() {
    for case in [0, 1, usize::MAX - 1, usize::MAX] {
        assert_eq!(wrong("n -> n", &Options::new().case(case)).unwrap_err().law(), Law::ADJOINT);
        square::<f64>("n -> n").check(&Options::new().case(case)).unwrap();
    }
    square::<f64>("n -> n").check(&Options::new().corner(i64::MIN, 1).scales(&[-500])).unwrap();
}

#[test]
fn a_law_that_was_asked_for_has_to_say_something() {
    for law in [Law::EXACT, Law::VALUE, Law::ONE_STORAGE, Law::COMPOSITE] {
        let violation = wrong("n -> n", &Options::new().only(law)).unwrap_err();
        assert!(violation.law() == law && violation.is_undecided(), "{violation}");
        assert!(violation.to_string().contains("untried") && violation.to_string().contains("this is no success"));
    }
    // There is no corner to speak of.
    let smooth = square::<f64>("n -> n").check(&Options::new().only(Law::CONVENTION)).unwrap_err();
    assert!(smooth.is_undecided() && smooth.to_string().contains("nothing for it to say at any point"), "{smooth}");
    let report = square::<f64>("n -> n").check(&Options::new().only(Law::ADJOINT).also(Law::CONVENTION)).unwrap();
    assert!(report.held("adjoint") > 0 && report.held("convention") == 0);
    let surrogate = || {
        Rule::new(signature("n -> n"), |x: X<'_, '_>| x[0].to_vec(), |_, u| each(&u, |u| 5.0 * u))
            .declared(Declared::Surrogate)
    };
    surrogate().check(&Options::new()).unwrap();
    let violation = surrogate().check(&Options::new().only(Law::ADJOINT)).unwrap_err();
    assert!(violation.to_string().contains("declared a surrogate"), "{violation}");
}

/// All options that matter are in the line that leads back.
#[test]
fn the_last_line_has_every_option() {
    let rule = square_with::<f64>("n -> n", |x, u| if x > 2.5 { u } else { 2.0 * x * u });
    let options = Options::new()
        .seed(4)
        .domain(Domain::Positive)
        .corner(7, 2)
        .scales(&[6])
        .empty_axes()
        .inside(|x| x[0].iter().all(|x| *x < 1000.0));
    let violation = rule.check(&options).unwrap_err();
    let case = violation.case().unwrap();
    let again = format!(
        "Options::new().seed(4).case({case}).domain(Domain::Positive).inside(…).corner(7, 2).scales(&[6]).empty_axes().only(Law::ADJOINT)"
    );
    assert!(violation.to_string().ends_with(&again), "{violation}");
    let other = rule.check(&options.case(case).only(Law::ADJOINT)).unwrap_err();
    assert_eq!(other.to_string(), violation.to_string());

    let masked = Rule::new(
        signature("n, n -> n"),
        |x: X<'_, '_>| zip(&x[0], &x[1], |x, m| x * m),
        |_, u| vec![Some(u.to_vec()), None],
    );
    let options = Options::new().domains(&[Domain::Any, Domain::NonZero]).constant(1);
    let text = masked.check(&options).unwrap_err().to_string();
    assert!(text.contains(".domains(&[Domain::Any, Domain::NonZero]).constant(1).only("), "{text}");
}

/// A rule that goes wrong at some calls is not led back to by one point.
#[test]
fn a_rule_with_a_memory_is_led_back_to_by_all_points() {
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let forward = |x: X<'_, '_>| {
        let wrong = calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 31 == 30;
        each(&x[0], |x| if wrong { 1.5 * x } else { x })
    };
    let rule = Rule::new(signature("2 -> 2"), forward, |_, u| u.to_vec());
    let violation = rule.check(&seeded(0)).unwrap_err();
    let (text, case) = (violation.to_string(), violation.case().unwrap());
    assert!(text.contains(&format!("Options::new().seed(0).cases({})", case + 1)), "{text}");
    assert!(text.contains("depends on what ran before"), "{text}");
}

#[test]
fn a_rule_that_panics_breaks_a_law_at_a_point() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let forward = sum("n, n -> n");
    forward.check(&Options::new()).unwrap();
    let reads_too_far = Rule::new(signature("n -> n"), |x: X<'_, '_>| x[3].to_vec(), |_, u| u.to_vec());
    let violation = reads_too_far.check(&Options::new()).unwrap_err();
    assert_eq!((violation.law(), violation.case()), (Law::DEFINED, Some(0)));
    assert!(violation.to_string().contains("panicked  index out of bounds"), "{violation}");
    assert!(violation.to_string().contains("at        x = ["), "{violation}");
    // Only for cotangents with a zero in them.
    let picky = Rule::new(
        signature("3 -> 3"),
        |x: X<'_, '_>| x[0].to_vec(),
        |_, u| {
            assert!(u.iter().any(|u| *u != 0.0), "no cotangent at all");
            u.to_vec()
        },
    );
    let violation = picky.check(&Options::new()).unwrap_err();
    std::panic::set_hook(hook);
    assert_eq!((violation.law(), violation.panic()), (Law::ZERO_TO_ZERO, Some("no cotangent at all")));
}

#[test]
fn refusals_and_sizes_come_with_advice() {
    let inverse = |x: X<'_, '_>| {
        let [a, b, c, d] = [x[0][0], x[0][1], x[0][2], x[0][3]];
        let size = a * d - b * c;
        if size == 0.0 { Err("singular") } else { Ok(vec![d / size, -b / size, -c / size, a / size]) }
    };
    let pull = |tape: &pullback_laws::Tape<f64>, u: pullback_laws::View<'_, f64>| {
        let (y, mut all) = (&tape.output, vec![0.0; 4]);
        for (at, sum) in all.iter_mut().enumerate() {
            for (k, l) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                *sum -= y[k * 2 + at / 2] * u[k * 2 + l] * y[at % 2 * 2 + l];
            }
        }
        all
    };
    let rule = Rule::new(signature("2 2 -> 2 2"), inverse, pull);
    let text = rule.check(&Options::new()).unwrap_err().to_string();
    assert!(text.contains("outside   singular") && text.contains("`Options::inside`"), "{text}");
    let options = Options::new().inside(|x| (x[0][0] * x[0][3] - x[0][1] * x[0][2]).abs() > 1e-3);
    let report = rule.check(&options).unwrap();
    assert!(report.held("adjoint") > 20, "{report:?}");

    let unbiased = |text: &str| {
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
        let forward = move |x: X<'_, '_>| {
            let m = mean(&x[0]);
            vec![x[0].iter().map(|x| (x - m) * (x - m)).sum::<f64>() / (x[0].len() as f64 - 1.0)]
        };
        let pull = move |tape: &pullback_laws::Tape<f64>, u: pullback_laws::View<'_, f64>| {
            let (x, m) = (&tape.inputs[0], mean(&tape.inputs[0]));
            each(x, |x| 2.0 * (x - m) / (tape.inputs[0].len() as f64 - 1.0) * u[0])
        };
        Rule::new(signature(text), forward, pull).check(&Options::new())
    };
    let violation = unbiased("n -> ").unwrap_err();
    assert!(violation.law() == Law::DEFINED && violation.to_string().contains("is written `n+1`"), "{violation}");
    unbiased("n+1 -> ").unwrap();
}
