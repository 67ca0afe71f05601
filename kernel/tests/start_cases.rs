//! The cases that the kernel was built to decide: closed forms that must be proved, mistakes that must be
//! refuted (each counterexample evaluated again), and rules that need more than the domain gives.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use pullback_kernel::{Counterexample, Outcome, Theorem, Wrong, prove};
use support::{Points, Truth, recheck, statement};

#[track_caller]
fn proved(source: &str) -> Theorem {
    let s = statement(source);
    let theorem = match prove(&s) {
        Outcome::Proved(t) => t,
        Outcome::Refuted(c) => panic!("refuted\n{c}\n{s}"),
        Outcome::Undecided(d) => panic!("undecided: {d}\n{s}"),
    };
    // And it is right at points.
    let points = Points::draw(&s, 6);
    assert!(points.len() >= 3, "{} points", points.len());
    assert_eq!(points.judge(&s), (Truth::Equal, points.len()));
    theorem
}

/// Refuted with a counterexample that is one.
#[track_caller]
fn refuted(source: &str) -> Counterexample {
    let s = statement(source);
    match prove(&s) {
        Outcome::Proved(_) => panic!("proved\n{s}"),
        Outcome::Undecided(d) => panic!("undecided: {d}\n{s}"),
        Outcome::Refuted(c) => {
            assert_eq!(recheck(&s, &c), Ok(true), "{c}\n{s}");
            *c
        }
    }
}

/// Refuted at a point where the rule has another value.
#[track_caller]
fn differs(source: &str) {
    let c = refuted(source);
    let Wrong::Differs { expected, claimed, .. } = &c.wrong else { panic!("{c}") };
    assert_ne!(expected, claimed, "{c}");
}

/// Refuted at a point of the domain where the rule has no value.
#[track_caller]
fn undefined(source: &str) {
    let c = refuted(source);
    assert!(matches!(c.wrong, Wrong::Undefined { .. }), "{c}");
}

/// Not proved, whatever else.
#[track_caller]
fn refused(source: &str) {
    let s = statement(source);
    if let Outcome::Proved(_) = prove(&s) {
        panic!("proved\n{s}");
    }
}

const SOFTMAX: &str = "contract softmax version 1
dims   s.., n
input  x[s.., n]
output y[i.., j] = exp(x[i.., j]) / sum(k) exp(x[i.., k])
saves  y
";

#[test]
fn softmax() {
    proved(&format!("{SOFTMAX} dx[i.., j] = y[i.., j] * (dy[i.., j] - sum(k) dy[i.., k] * y[i.., k])"));
    differs(&format!("{SOFTMAX} dx[i.., j] = y[i.., j] * dy[i.., j]"));
    differs(&format!("{SOFTMAX} dx[i.., j] = y[i.., j] * (dy[i.., j] - dy[i.., j] * y[i.., j])"));
    differs(&format!("{SOFTMAX} dx[i.., j] = y[i.., j] * (dy[i.., j] - sum(k) dy[i.., k])"));
    differs(&format!("{SOFTMAX} dx[i.., j] = y[i.., j] * (dy[i.., j] + sum(k) dy[i.., k] * y[i.., k])"));
}

#[test]
fn a_shifted_softmax_is_softmax_whatever_the_shift() {
    let shifted = "contract shifted version 1
        dims s.., n
        input x[s.., n]
        any m[i..] = max(k) x[i.., k]
        let e[i.., j] = exp(x[i.., j] - m[i..])
        output y[i.., j] = e[i.., j] / sum(k) e[i.., k]
        saves y
        dx[i.., j] = y[i.., j] * (dy[i.., j] - sum(k) dy[i.., k] * y[i.., k])";
    proved(shifted);
    // The shift left in one place only: the outputs depend on it.
    refused(&shifted.replace("/ sum(k) e[i.., k]", "/ sum(k) exp(x[i.., k])"));
}

const LAYER_NORM: &str = "contract layer_norm version 1
dims   s.., n
param  eps > 0
input  x[s.., n]
let    mean[i..] = (sum(k) x[i.., k]) / |n|
let    centred[i.., j] = x[i.., j] - mean[i..]
let    r[i..] = rsqrt((sum(k) centred[i.., k]^2) / |n| + eps)
output y[i.., j] = centred[i.., j] * r[i..]
saves  y, r
let    level[i..] = (sum(k) dy[i.., k]) / |n|
let    along[i..] = (sum(k) dy[i.., k] * y[i.., k]) / |n|
";

#[test]
fn layer_normalisation() {
    proved(&format!("{LAYER_NORM} dx[i.., j] = r[i..] * (dy[i.., j] - level[i..] - y[i.., j] * along[i..])"));
    // Without the path through the variance, and without the one through the mean.
    differs(&format!("{LAYER_NORM} dx[i.., j] = r[i..] * (dy[i.., j] - level[i..])"));
    differs(&format!("{LAYER_NORM} dx[i.., j] = r[i..] * (dy[i.., j] - y[i.., j] * along[i..])"));
    differs(&format!("{LAYER_NORM} dx[i.., j] = r[i..] * (dy[i.., j] - level[i..] - along[i..])"));
}

#[test]
fn batch_normalisation_through_both_statistics() {
    let forward = "contract batch_norm version 1
        dims b, c, s..
        param eps > 0
        input x[b, c, s..], gamma[c], beta[c]
        let mean[j] = (sum(n, i..) x[n, j, i..]) / (|b| * |s..|)
        let centred[n, j, i..] = x[n, j, i..] - mean[j]
        let r[j] = rsqrt((sum(n, i..) centred[n, j, i..]^2) / (|b| * |s..|) + eps)
        let normal[n, j, i..] = centred[n, j, i..] * r[j]
        output y[n, j, i..] = gamma[j] * normal[n, j, i..] + beta[j]
        saves normal, r, gamma
        let level[j] = sum(n, i..) dy[n, j, i..]
        let along[j] = sum(n, i..) dy[n, j, i..] * normal[n, j, i..]
        dgamma[j] = along[j]
        dbeta[j] = level[j] ";
    let dx = "dx[n, j, i..] = gamma[j] * r[j] * ";
    proved(&format!("{forward} {dx} (dy[n, j, i..] - (level[j] + normal[n, j, i..] * along[j]) / (|b| * |s..|))"));
    // As if the statistics were fixed; one of them only; the mean over the batch alone.
    differs(&format!("{forward} {dx} dy[n, j, i..]"));
    differs(&format!("{forward} {dx} (dy[n, j, i..] - level[j] / (|b| * |s..|))"));
    differs(&format!("{forward} {dx} (dy[n, j, i..] - normal[n, j, i..] * along[j] / (|b| * |s..|))"));
    differs(&format!("{forward} {dx} (dy[n, j, i..] - (level[j] + normal[n, j, i..] * along[j]) / |b|)"));
}

const ATTENTION: &str = "contract attention version 1
dims   b.., q, k, d, v
param  c
input  query[b.., q, d], key[b.., k, d], value[b.., k, v]
let    score[h.., i, l] = c * sum(a) query[h.., i, a] * key[h.., l, a]
let    e[h.., i, l] = exp(score[h.., i, l])
let    p[h.., i, l] = e[h.., i, l] / sum(m) e[h.., i, m]
output y[h.., i, w] = sum(l) p[h.., i, l] * value[h.., l, w]
saves  query, key, value, p
let    dp[h.., i, l] = sum(w) dy[h.., i, w] * value[h.., l, w]
";
const QUERY: &str = "dquery[h.., i, a] = c * sum(l) ds[h.., i, l] * key[h.., l, a]";
const KEY: &str = "dkey[h.., l, a] = c * sum(i) ds[h.., i, l] * query[h.., i, a]";
const VALUE: &str = "dvalue[h.., l, w] = sum(i) p[h.., i, l] * dy[h.., i, w]";
const SCORE: &str = "let ds[h.., i, l] = p[h.., i, l] * (dp[h.., i, l] - sum(m) p[h.., i, m] * dp[h.., i, m])";

#[test]
fn attention() {
    proved(&format!("{ATTENTION} {SCORE} {QUERY} {KEY} {VALUE}"));
    let score = "let ds[h.., i, l] = p[h.., i, l] * dp[h.., i, l]";
    differs(&format!("{ATTENTION} {score} {QUERY} {KEY} {VALUE}"));
    let score = "let ds[h.., i, l] = p[h.., i, l] * (dp[h.., i, l] - sum(m) dp[h.., i, m])";
    differs(&format!("{ATTENTION} {score} {QUERY} {KEY} {VALUE}"));
    // Unscaled, and the cotangent of one score used for all queries.
    let key = "dkey[h.., l, a] = sum(i) ds[h.., i, l] * query[h.., i, a]";
    differs(&format!("{ATTENTION} {SCORE} {QUERY} {key} {VALUE}"));
    let value = "dvalue[h.., l, w] = sum(i) dy[h.., i, w]";
    differs(&format!("{ATTENTION} {SCORE} {QUERY} {KEY} {value}"));
}

#[test]
fn attention_with_one_axis_for_queries_and_keys() {
    // Where the matrices are square, transposing them is no error of shape.
    let square = |s: &str| s.replace("dims   b.., q, k, d, v", "dims b.., k, d, v").replace("b.., q, d", "b.., k, d");
    let forward = square(ATTENTION);
    proved(&format!("{forward} {SCORE} {QUERY} {KEY} {VALUE}"));
    let key = "dkey[h.., l, a] = c * sum(i) ds[h.., l, i] * query[h.., i, a]";
    differs(&format!("{forward} {SCORE} {QUERY} {key} {VALUE}"));
    let value = "dvalue[h.., l, w] = sum(i) p[h.., l, i] * dy[h.., i, w]";
    differs(&format!("{forward} {SCORE} {QUERY} {KEY} {value}"));
    let score = "let ds[h.., i, l] = p[h.., i, l] * (dp[h.., i, l] - sum(m) p[h.., m, l] * dp[h.., m, l])";
    differs(&format!("{forward} {score} {QUERY} {KEY} {VALUE}"));
}

#[test]
fn the_bias_takes_the_sum() {
    let forward = "contract bias version 1
        dims m, n
        input x[m, n], b[n]
        output y[i, j] = x[i, j] + b[j]
        dx[i, j] = dy[i, j] ";
    proved(&format!("{forward} db[j] = sum(i) dy[i, j]"));
    // Passed on unsummed it has the wrong shape.
    let (statements, errors) = pullback_kernel::load(&format!("{forward} db[i, j] = dy[i, j]"));
    assert!(statements.is_empty() && !errors.is_empty());
    // With one size for both axes the diagonal can be read, and the first row of a square.
    let square = forward.replace("dims m, n", "dims n").replace("x[m, n]", "x[n, n]");
    proved(&format!("{square} db[j] = sum(i) dy[i, j]"));
    differs(&format!("{square} db[j] = dy[j, j]"));
    differs(&format!("{square} db[j] = sum(i) dy[j, i]"));
    let row = square.replace("input x", "map row: n -> n input x");
    differs(&format!("{row} db[j] = dy[row(j), j]"));
}

#[test]
fn a_gather_adds_at_repeated_positions() {
    let forward = "contract gather version 1
        dims m, n
        map at: m -> n
        partial map last: n -> m
        input x[n]
        output y[j] = x[at(j)] ";
    proved(&format!("{forward} dx[k] = sum(j) [k == at(j)] * dy[j]"));
    // The last one to write wins.
    differs(&format!("{forward} dx[k] = dy[last(k)]"));
    differs(&format!("{forward} dx[k] = sum(j) [k == at(j)] * dy[last(k)]"));
    // Counted twice, or averaged over the places that read it.
    differs(&format!("{forward} dx[k] = 2 * sum(j) [k == at(j)] * dy[j]"));
    differs(&format!(
        "{forward} saves x let count[k] = sum(j) [k == at(j)]
         dx[k] = (sum(j) [k == at(j)] * dy[j]) / (1 + count[k])"
    ));
    // A division by the number of places that read it, which may be none.
    undefined(&format!(
        "{forward} saves x let count[k] = sum(j) [k == at(j)]
         dx[k] = count[k] * (sum(j) [k == at(j)] * dy[j]) / count[k]"
    ));
    // A bijection repeats nothing: there the inverse is right.
    proved(
        "contract permuted version 1 dims n bijection at: n -> n input x[n]
         output y[j] = x[at(j)] dx[at(j)] = dy[j]",
    );
}

#[test]
fn a_permutation_is_undone_by_its_inverse() {
    let forward = "contract permute version 1 dims n bijection place: n -> n input x[n]
        output y[place(j)] = x[j] ";
    proved(&format!("{forward} dx[j] = dy[place(j)]"));
    proved(&format!("{forward} dx[k] = sum(j) [j == place(k)] * dy[j]"));
    // By itself: right for involutions only.
    differs(&format!("{forward} dx[place(j)] = dy[j]"));
    differs(&format!("{forward} dx[k] = sum(j) [k == place(j)] * dy[j]"));
    differs(&format!("{forward} dx[j] = dy[place(place(j))]"));
    differs(&format!("{forward} dx[j] = dy[j]"));
    let axes = "contract axes version 1 dims s.., t.. bijection place: s.. -> t.. bijection back: t.. -> s..
        input x[s..] output y[place(i..)] = x[i..] ";
    proved(&format!("{axes} dx[i..] = dy[place(i..)]"));
    // Nothing says that the second is the first's inverse.
    differs(&format!("{axes} dx[back(j..)] = dy[j..]"));
}

#[test]
fn a_rule_may_not_divide_by_what_may_be_zero() {
    // The product rule written as y / x.
    let product = "contract product version 1 dims s.. input x[s..], z[s..] output y[i..] = x[i..] * z[i..]
        saves x, z, y dz[i..] = dy[i..] * x[i..] ";
    proved(&format!("{product} dx[i..] = dy[i..] * z[i..]"));
    undefined(&format!("{product} dx[i..] = dy[i..] * y[i..] / x[i..]"));
    undefined(&format!("{product} dx[i..] = dy[i..] * y[i..] * recip(x[i..])"));
    undefined(&format!("{product} dx[i..] = dy[i..] * y[i..] * x[i..]^-1"));
    undefined(&format!("{product} let again[i..] = y[i..] / x[i..] dx[i..] = dy[i..] * again[i..]"));
    // A zero in front does not help.
    undefined(&format!("{product} dx[i..] = dy[i..] * z[i..] + 0 * (dy[i..] / x[i..])"));
    undefined(&format!("{product} dx[i..] = dy[i..] * z[i..] + (dy[i..] / x[i..] - dy[i..] / x[i..])"));
    // Where the domain excludes it, it is right.
    proved(&format!("{} dx[i..] = dy[i..] * y[i..] / x[i..]", product.replace("output", "where x[i..] != 0 output")));
    // A logarithm and a root in the rule need as much.
    undefined(&format!("{product} dx[i..] = dy[i..] * z[i..] + dy[i..] * (log(x[i..]) - log(x[i..]))"));
    undefined(&format!("{product} dx[i..] = dy[i..] * z[i..] * sqrt(x[i..]) * rsqrt(x[i..])"));
}

#[test]
fn the_norm_at_zero() {
    let norm = "contract norm version 1 dims n input x[n] let square = sum(k) x[k]^2 output y = sqrt(square)
        saves x, y dx[i] = dy * x[i] / y";
    let theorem = proved(norm);
    // The root's own condition is the domain, and is said.
    assert_eq!(theorem.domain().len(), 1);
    // Half the square is smooth at zero, and the rule through the norm is not defined there.
    let half = "contract half version 1 dims n input x[n] let square = sum(k) x[k]^2 output y = 0.5 * square
        saves x, square ";
    proved(&format!("{half} dx[i] = dy * x[i]"));
    undefined(&format!("{half} let r = rsqrt(square) dx[i] = dy * x[i] * r * r * square"));
    undefined(&format!("{half} let r = sqrt(square) dx[i] = dy * x[i] / r * r"));
}

#[test]
fn a_cumulative_product() {
    let forward = "contract cumulative version 1 input a, b, c
        output y = a output z = a * b output w = a * b * c saves a, b, c, y, z, w ";
    proved(&format!("{forward} da = dy + b * dz + b * c * dw db = a * dz + a * c * dw dc = a * b * dw"));
    undefined(&format!("{forward} da = (dy * y + dz * z + dw * w) / a db = (dz * z + dw * w) / b dc = dw * w / c"));
    // Any length, by logarithms: on the positive numbers only, and the statement says so.
    let long = "contract long version 1 dims n input x[n] output y = exp(sum(k) log(x[k])) saves x, y
        dx[i] = dy * y / x[i]";
    assert_eq!(proved(long).domain().len(), 1);
}

#[test]
fn a_rule_must_be_linear_in_the_cotangent() {
    let forward = "contract tanh version 1 dims s.. input x[s..] output y[i..] = tanh(x[i..]) saves x, y ";
    proved(&format!("{forward} dx[i..] = dy[i..] * (1 - y[i..]^2)"));
    differs(&format!("{forward} dx[i..] = dy[i..]^2 * (1 - y[i..]^2)"));
    differs(&format!("{forward} dx[i..] = 1 - y[i..]^2"));
    differs(&format!("{forward} dx[i..] = dy[i..] * (1 - y[i..]^2) + 1"));
    differs(&format!("{forward} dx[i..] = tanh(dy[i..]) * (1 - y[i..]^2)"));
    // The output used for the input.
    differs(&format!("{forward} dx[i..] = dy[i..] * (1 - tanh(y[i..])^2)"));
}

#[test]
fn halves_of_a_split_do_not_meet() {
    let forward = "contract concatenate version 1 dims p, n split left: p, right: p -> n input x[p], y[p]
        output z[left(j)] = x[j] output z[right(k)] = y[k] ";
    proved(&format!("{forward} dx[j] = dz[left(j)] dy[j] = dz[right(j)]"));
    differs(&format!("{forward} dx[j] = dz[right(j)] dy[j] = dz[left(j)]"));
    differs(&format!("{forward} dx[j] = dz[left(j)] dy[j] = dz[left(j)]"));
    differs(&format!("{forward} dx[j] = dz[left(j)] + dz[right(j)] dy[j] = dz[right(j)]"));
}

#[test]
fn a_window_reads_zero_outside() {
    let forward = "contract window version 1 dims t, u, k partial map at: u, k -> t input x[t], w[k]
        output y[i] = sum(l) x[at(i, l)] * w[l] saves x, w ";
    let dx = "dx[v] = sum(i, l) [v == at(i, l)] * w[l] * dy[i]";
    proved(&format!("{forward} {dx} dw[l] = sum(i) x[at(i, l)] * dy[i]"));
    differs(&format!("{forward} dx[v] = sum(l, i) w[l] * dy[i] dw[l] = sum(i) x[at(i, l)] * dy[i]"));
    // A constant per window counts what is undefined, too.
    let count = "contract count version 1 dims t, u, k partial map at: u, k -> t input c
        constant one[t] output y[i] = c * sum(l) one[at(i, l)] ";
    proved(&format!("{count} dc = sum(i, l) one[at(i, l)] * dy[i]"));
    differs(&format!(
        "{} dc = sum(i) dy[i] * |k|",
        count.replace("constant one[t]", "").replace("sum(l) one[at(i, l)]", "sum(l, v) [v == at(i, l)]")
    ));
}
