//! Equality of statements: fused forms and their lowerings, and twins that differ.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use pullback_kernel::statement::{Statement, Tensor};
use pullback_kernel::{Argument, Composer, Fixed, Outcome, Substitution, equal, load};

fn statement(text: &str) -> Statement {
    let (mut statements, errors) = load(text);
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    assert_eq!(statements.len(), 1);
    statements.remove(0)
}

fn library(path: &str) -> Statement {
    let path = format!("{}/../contracts/{path}.contract", env!("CARGO_MANIFEST_DIR"));
    statement(&std::fs::read_to_string(path).unwrap())
}

fn proved(first: &Statement, second: &Statement) {
    match equal(first, second).unwrap() {
        Outcome::Proved(_) => {}
        Outcome::Refuted(c) => panic!("{} is refuted: {c}", first.name()),
        Outcome::Undecided(d) => panic!("{} is undecided: {d}\n{second}", first.name()),
    }
}

fn refuted(first: &Statement, second: &Statement) {
    assert!(matches!(equal(first, second).unwrap(), Outcome::Refuted(_)), "{} and {}", first.name(), second.name());
}

/// The library's form, another form of the same function, and one that is wrong.
const FORMS: &[(&str, &str, &str)] = &[
    (
        "softmax/softmax",
        "contract plain version 1\ndims s.., n\ninput x[s.., n]\n\
         output y[i.., j] = exp(x[i.., j]) * recip(sum(k) exp(x[i.., k]))",
        "exp(x[i.., j]) * recip(1 + sum(k) exp(x[i.., k]))",
    ),
    (
        "softmax/logsumexp",
        "contract plain version 1\ndims s.., n\ninput x[s.., n]\noutput y[i..] = log(sum(k) exp(x[i.., k]))",
        "log(sum(k) exp(2 * x[i.., k]))",
    ),
    (
        "softmax/log_softmax",
        "contract plain version 1\ndims s.., n\ninput x[s.., n]\n\
         output y[i.., j] = x[i.., j] - log(sum(k) exp(x[i.., k]))",
        "x[i.., j] + log(sum(k) exp(x[i.., k]))",
    ),
    (
        "elementwise/logistic",
        "contract plain version 1\ndims s..\ninput x[s..]\noutput y[i..] = recip(1 + exp(-x[i..]))",
        "recip(1 + exp(x[i..]))",
    ),
    (
        "elementwise/softplus",
        "contract plain version 1\ndims s..\ninput x[s..]\noutput y[i..] = log(1 + exp(x[i..]))",
        "log(2 + exp(x[i..]))",
    ),
    (
        "elementwise/silu",
        "contract plain version 1\ndims s..\ninput x[s..]\noutput y[i..] = x[i..] * recip(1 + exp(-x[i..]))",
        "x[i..] * recip(1 + exp(-2 * x[i..]))",
    ),
    (
        "normalization/layer_norm",
        "contract plain version 1\ndims s.., n\nparam eps > 0\ninput x[s.., n], gain[n], bias[n]\n\
         let m[i..] = (sum(k) x[i.., k]) * recip(|n|)\nlet c[i.., j] = x[i.., j] - m[i..]\n\
         let v[i..] = (sum(k) c[i.., k] * c[i.., k]) * recip(|n|)\n\
         output y[i.., j] = gain[j] * c[i.., j] * rsqrt(v[i..] + eps) + bias[j]",
        "gain[j] * c[i.., j] * rsqrt(v[i..] + 2 * eps) + bias[j]",
    ),
    (
        "statistics/variance",
        "contract plain version 1\ndims s.., n\ninput x[s.., n]\n\
         output y[i..] = (sum(k) x[i.., k] * x[i.., k]) / |n| - ((sum(k) x[i.., k]) / |n|)^2",
        "(sum(k) x[i.., k] * x[i.., k]) / |n| - (sum(k) x[i.., k])^2 / |n|",
    ),
    (
        "attention/attention",
        "contract plain version 1\ndims b.., q, k, d, v\ninput query[b.., q, d], key[b.., k, d], value[b.., k, v]\n\
         let e[h.., i, l] = exp(rsqrt(|d|) * sum(a) query[h.., i, a] * key[h.., l, a])\n\
         output y[h.., i, c] = sum(l) e[h.., i, l] * recip(sum(m) e[h.., i, m]) * value[h.., l, c]",
        "sum(l) e[h.., i, l] * value[h.., l, c]",
    ),
];

#[test]
fn two_forms_of_one_function_are_equal_for_all_shapes() {
    for (name, plain, wrong) in FORMS {
        let first = library(name);
        let second = statement(plain);
        proved(&first, &second);
        let (head, _) = plain.rsplit_once(" = ").unwrap();
        refuted(&first, &statement(&format!("{head} = {wrong}")));
    }
}

/// The declared ones: equality has nothing to do with rules or boundaries.
#[test]
fn functions_with_kinks_are_compared_as_functions() {
    let relu = library("declared/relu");
    let branch = "contract branch version 1\ndims s..\ninput x[s..]\n\
                  output y[i..] = if x[i..] > 0 then x[i..] else 0\ndeclares convention \"0 at 0\"";
    proved(&relu, &statement(branch));
    refuted(&relu, &statement(&branch.replace("else 0", "else -x[i..]")));
}

/// A second form that is not defined wherever the first is.
#[test]
fn a_second_form_is_defined_where_the_first_is() {
    let first = statement("contract one version 1\ndims s..\ninput x[s..]\noutput y[i..] = x[i..]");
    let second = statement(
        "contract two version 1\ndims s..\ninput x[s..]\nwhere x[i..] != 0\noutput y[i..] = x[i..]^2 / x[i..]",
    );
    assert!(!matches!(equal(&first, &second), Ok(Outcome::Proved(_))));
    // On the smaller domain they are the same.
    proved(&second, &first);
}

#[test]
fn other_signatures_are_refused() {
    let first = library("softmax/softmax");
    assert!(equal(&first, &library("softmax/logsumexp")).is_err());
    assert!(equal(&first, &library("contraction/matmul")).is_err());
}

/// A matrix product lowered to explicit broadcasts, a product and a reduction.
#[test]
fn a_composed_lowering_is_proved() {
    let matmul = library("contraction/matmul");
    let broadcast = library("structure/broadcast_in_dim_axis");
    let multiply = library("arithmetic/multiply");
    let reduce = library("structure/reduce_sum_axis");
    let mut composer = Composer::like(&matmul, "lowered");
    let [m, k, n] = [0, 1, 2].map(pullback_kernel::statement::DimId);
    let on = |dims: Vec<Vec<_>>| Substitution { dims, ..Substitution::default() };
    let (a, b) = (Tensor::Input(0), Tensor::Input(1));
    // a[m, k] to [m, k, n], b[k, n] to [m, k, n].
    let wide_a = composer.apply(&broadcast, &on(vec![vec![m, k], vec![n], vec![]]), &[a]).unwrap()[0];
    let wide_b = composer.apply(&broadcast, &on(vec![vec![], vec![m], vec![k, n]]), &[b]).unwrap()[0];
    let product = composer.apply(&multiply, &on(vec![vec![m, k, n]]), &[wide_a, wide_b]).unwrap()[0];
    let sum = composer.apply(&reduce, &on(vec![vec![m], vec![k], vec![n]]), &[product]).unwrap()[0];
    let lowered = composer.clone().finish(&[sum]);
    proved(&matmul, &lowered);
    // Summed over another axis it has another shape; doubled it is another function.
    let scale = library("arithmetic/scale");
    let twice = Substitution {
        params: vec![Argument::Number(pullback_kernel::Rational::from_integer(2.into()))],
        ..on(vec![vec![m, n]])
    };
    let wrong = composer.apply(&scale, &twice, &[sum]).unwrap()[0];
    refuted(&matmul, &composer.finish(&[wrong]));
}

/// Concatenation as a padded sum: parts of a split, outputs in several clauses.
#[test]
fn outputs_in_clauses_compose() {
    let concatenate = library("structure/concatenate");
    let mut composer = Composer::like(&concatenate, "again");
    let dims = (0..4).map(|d| vec![pullback_kernel::statement::DimId(d)]).collect();
    let maps = (0..2).map(pullback_kernel::statement::MapId).collect();
    let substitution = Substitution { dims, maps, ..Substitution::default() };
    let z = composer.apply(&concatenate, &substitution, &[Tensor::Input(0), Tensor::Input(1)]).unwrap();
    proved(&concatenate, &composer.finish(&z));
}

#[test]
fn what_does_not_fit_is_refused() {
    let tanh = library("elementwise/tanh");
    let mut composer = Composer::new("whole");
    let n = composer.dim("n", false);
    let x = composer.input("x", &[n]);
    assert!(composer.apply(&tanh, &Substitution::default(), &[x]).is_err());
    let on_n = Substitution { dims: vec![vec![n]], ..Substitution::default() };
    assert!(composer.apply(&tanh, &on_n, &[]).is_err());
    assert!(composer.apply(&tanh, &on_n, &[x]).is_ok());
    let constant = library("structure/constant");
    let half = Fixed::Splat(Argument::Number(pullback_kernel::Rational::new(1.into(), 2.into())));
    let fixed = Substitution { constants: vec![half], ..on_n };
    assert!(composer.apply(&constant, &fixed, &[]).is_ok());
}

/// What differs in its declarations speaks of other shapes or other data, and what asks for more is defined at less:
/// each of these pairs is two functions, or one function on two domains.
#[test]
fn other_declarations_are_not_equal() {
    const PAIRS: &[(&str, &str)] = &[
        (
            "contract a version 1\ndims n\nmap f: n -> n\ninput x[n]\noutput y = sum(i) x[f(i)]",
            "contract b version 1\ndims n\nbijection f: n -> n\ninput x[n]\noutput y = sum(i) x[i]",
        ),
        (
            "contract a version 1\ndims m, n\npartial map f: m -> n\ninput x[n]\noutput y[i: m] = x[f(i)] + [f(i) == f(i)]",
            "contract b version 1\ndims m, n\nmap f: m -> n\ninput x[n]\noutput y[i: m] = x[f(i)] + 1",
        ),
        (
            "contract a version 1\ndims a, b, n\nmap l: a -> n\nmap r: b -> n\ninput x[n]\n\
             output y = (sum(i) x[l(i)]) + sum(j) x[r(j)]",
            "contract b version 1\ndims a, b, n\nsplit l: a, r: b -> n\ninput x[n]\noutput y = sum(i) x[i]",
        ),
        (
            "contract a version 1\ndims n\nparam c != 0\ninput x[n]\noutput y[i] = x[i] * sqrt(c * c)",
            "contract b version 1\ndims n\nparam c > 0\ninput x[n]\noutput y[i] = x[i] * c",
        ),
        (
            "contract a version 1\ndims n\ninput x[n]\noutput y[i] = x[i]",
            "contract b version 1\ndims n\ninput x[n]\nwhere x[i] > 0\noutput y[i] = x[i]",
        ),
        (
            "contract a version 1\ndims n\nconstant c[n]\ninput x[n]\noutput y[i] = x[i] * c[i]",
            "contract b version 1\ndims n\nconstant c[n]\ninput x[n]\nwhere c[i] >= 0\noutput y[i] = x[i] * c[i]",
        ),
        (
            "contract a version 1\ndims m, n\ninput x[n]\noutput y[i] = |m| * x[i]",
            "contract b version 1\ndims n\ninput x[n]\noutput y[i] = x[i]",
        ),
        (
            "contract a version 1\ndims n\nparam c\nparam d\ninput x[n]\noutput y[i] = d * x[i]",
            "contract b version 1\ndims n\nparam c\ninput x[n]\noutput y[i] = c * x[i]",
        ),
    ];
    const MORE: &[(&str, &str)] = &[
        // A split of sizes that are there says that they add up.
        (
            "contract a version 1\ndims a, b, n\ninput x, u[a], v[b], w[n]\noutput y = (|a| + |b|) * x",
            "contract b version 1\ndims a, b, n\nsplit l: a, r: b -> n\ninput x, u[a], v[b], w[n]\noutput y = |n| * x",
        ),
        // Zero times what is not defined is not defined.
        (
            "contract a version 1\ndims n\ninput x[n]\noutput y[i] = x[i]",
            "contract b version 1\ndims n\ninput x[n]\noutput y[i] = x[i] + 0 * recip(x[i])",
        ),
        (
            "contract a version 1\ndims n\ninput x[n]\nlet d[i] = x[i]\noutput y[i] = d[i]",
            "contract b version 1\ndims n\ninput x[n]\nlet d[i] = x[i] + 0 * log(x[i])\noutput y[i] = d[i]",
        ),
    ];
    for (first, second) in PAIRS.iter().chain(MORE) {
        let outcome = equal(&statement(first), &statement(second));
        assert!(!matches!(outcome, Ok(Outcome::Proved(_))), "{first}\n{second}");
    }
}

/// A condition of the second that follows from the first's domain is no obstacle.
#[test]
fn a_condition_that_follows_is_no_obstacle() {
    let first = statement("contract a version 1\ndims n\ninput x[n]\noutput y[i] = recip(1 + x[i]^2)");
    let second = statement(
        "contract b version 1\ndims n\ninput x[n]\nlet d[i] = 1 + x[i] * x[i]\nwhere 1 + x[i]^2 != 0\noutput y[i] = recip(d[i])",
    );
    proved(&first, &second);
}

/// The same words about a name that means something else on each side are not the same condition.
#[test]
fn a_condition_on_a_local_is_not_assumed() {
    let text = |name: &str, sign: &str| {
        format!(
            "contract {name} version 1\ndims n\ninput x[n]\nlet d[i] = {sign}x[i]\nwhere d[i] > 0\noutput y[i] = x[i]"
        )
    };
    // Of equal length, so that both conditions stand at the same place.
    let outcome = equal(&statement(&text("a", " ")), &statement(&text("b", "-")));
    assert!(!matches!(outcome, Ok(Outcome::Proved(_))));
}

#[test]
fn ids_that_are_not_there_are_refused() {
    let mut composer = Composer::new("whole");
    let n = composer.dim("n", false);
    let x = composer.input("x", &[n]);
    let far = Substitution { dims: vec![vec![pullback_kernel::statement::DimId(7)]], ..Substitution::default() };
    assert!(composer.apply(&library("elementwise/tanh"), &far, &[x]).is_err());
    let param = Argument::Param(pullback_kernel::statement::ParamId(3));
    let scaled = Substitution { params: vec![param], dims: vec![vec![n]], ..Substitution::default() };
    assert!(composer.apply(&library("arithmetic/scale"), &scaled, &[x]).is_err());
}
